#include "emulator/check/Shadow.h"

#include <algorithm>

namespace tilewright::emulator::check {

static uint32_t bitsOf(uint32_t from, uint32_t to) {
  return uint32_t(((uint64_t(1) << (to - from)) - 1) << from);
}

Shadow::Shadow() : write(kBlocks), defined(kBlocks), detail(kBlocks) {
  for (auto &r : read)
    r.resize(kBlocks);
}

void Shadow::reset() {
  std::fill_n(write.begin(), used, 0);
  for (auto &r : read)
    std::fill_n(r.begin(), used, 0);
  std::fill_n(defined.begin(), used, 0);
  std::fill_n(detail.begin(), used, uint16_t(0));
  details.clear();
  freeDetails.clear();
  std::fill_n(readerUsed, kReaders, false);
  used = 0;
}

unsigned Shadow::reader(uint64_t stamp) {
  switch (Pipe(Stamp::pipe(stamp))) {
  case Pipe::S:
    return 0;
  case Pipe::V:
    return 1;
  default:
    return 2; // only MTE3 reads UB besides them
  }
}

template <class Whole, class Part>
void Shadow::split(uint32_t begin, uint32_t end, Whole &&whole, Part &&part) {
  uint32_t first = begin / kBlock, last = end / kBlock;
  const uint32_t head = begin % kBlock, tail = end % kBlock;
  if (head) {
    part(first, head, first == last ? tail : kBlock);
    if (first == last)
      return;
    ++first;
  }
  if (first < last)
    whole(first, last);
  if (tail)
    part(last, 0, tail);
}

Shadow::Detail &Shadow::detailOf(uint32_t block) {
  if (detail[block])
    return details[detail[block] - 1];
  if (freeDetails.empty()) {
    details.emplace_back();
    detail[block] = uint16_t(details.size());
  } else {
    detail[block] = freeDetails.back();
    freeDetails.pop_back();
  }
  Detail &d = details[detail[block] - 1];
  std::fill_n(d.write, kBlock, write[block]);
  for (unsigned r = 0; r < kReaders; ++r)
    std::fill_n(d.read[r], kBlock, read[r][block]);
  return d;
}

void Shadow::dropDetail(uint32_t block) {
  if (!detail[block])
    return;
  freeDetails.push_back(detail[block]);
  detail[block] = 0;
}

void Shadow::checkBytes(const Check &c, uint32_t block, uint32_t from, uint32_t to, bool isWrite) const {
  const Detail *d = detail[block] ? &details[detail[block] - 1] : nullptr;
  const uint32_t base = block * kBlock;
  for (uint32_t i = from; i < to; ++i) {
    if (c.races) {
      const uint64_t w = d ? d->write[i] : write[block];
      if (!ordered(c.clock, w))
        c.sink.found(isWrite ? Hazard::WriteAfterWrite : Hazard::ReadAfterWrite, w, base + i, base + i + 1);
      if (isWrite)
        for (unsigned r = 0; r < kReaders; ++r) {
          const uint64_t prior = d ? d->read[r][i] : read[r][block];
          if (!ordered(c.clock, prior))
            c.sink.found(Hazard::WriteAfterRead, prior, base + i, base + i + 1);
        }
    }
    if (!isWrite && c.uninitialized && !(defined[block] >> i & 1))
      c.sink.found(Hazard::Uninitialized, d ? d->write[i] : write[block], base + i, base + i + 1);
  }
}

bool Shadow::allDefined(uint32_t begin, uint32_t end) const {
  uint32_t all = ~0u;
  split(
      begin, end,
      [&](uint32_t first, uint32_t last) {
        for (uint32_t b = first; b < last; ++b)
          all &= defined[b];
      },
      [&](uint32_t block, uint32_t from, uint32_t to) { all &= defined[block] | ~bitsOf(from, to); });
  return all == ~0u;
}

uint64_t Shadow::writer(uint32_t byte) const {
  const uint32_t block = byte / kBlock;
  return detail[block] ? details[detail[block] - 1].write[byte % kBlock] : write[block];
}

void Shadow::undefine(uint32_t begin, uint32_t end) {
  split(
      begin, end,
      [&](uint32_t first, uint32_t last) { std::fill(defined.begin() + first, defined.begin() + last, 0u); },
      [&](uint32_t block, uint32_t from, uint32_t to) { defined[block] &= ~bitsOf(from, to); });
}

/// The end of the run of equal values that starts at `from`.
template <class T> static uint32_t runEnd(const std::vector<T> &values, uint32_t from, uint32_t last) {
  const T *v = values.data(), first = v[from];
  uint32_t i = from + 1;
  for (; i + 16 <= last; i += 16) {
    T different = 0;
    for (unsigned k = 0; k < 16; ++k)
      different = T(different | (v[i + k] ^ first));
    if (different)
      break;
  }
  while (i < last && v[i] == first)
    ++i;
  return i;
}

void Shadow::check(const Check &c, uint32_t begin, uint32_t end, bool isWrite) {
  split(
      begin, end,
      [&](uint32_t first, uint32_t last) {
        // Neighbouring blocks mostly share their history: one look for each run of blocks that do.
        for (uint32_t b = first, next; b < last; b = next) {
          if (__builtin_expect(detail[b] != 0, 0)) {
            checkBytes(c, b, 0, kBlock, isWrite);
            next = b + 1;
            continue;
          }
          next = runEnd(write, b, last);
          if (detailsInUse())
            next = runEnd(detail, b, next);
          bool clean = ordered(c.clock, write[b]);
          for (unsigned r = 0; r < kReaders && isWrite; ++r)
            if (readerUsed[r]) {
              next = runEnd(read[r], b, next);
              clean = clean && ordered(c.clock, read[r][b]);
            }
          clean = clean || !c.races;
          if (!isWrite && c.uninitialized)
            clean = clean && allDefined(b * kBlock, next * kBlock);
          for (uint32_t k = b; k < next && !clean; ++k)
            checkBytes(c, k, 0, kBlock, isWrite);
        }
      },
      [&](uint32_t block, uint32_t from, uint32_t to) { checkBytes(c, block, from, to, isWrite); });
}

void Shadow::noteRead(uint64_t stamp, uint32_t begin, uint32_t end) {
  used = std::max(used, (end + kBlock - 1) / kBlock);
  const unsigned r = reader(stamp);
  readerUsed[r] = true;
  split(
      begin, end,
      [&](uint32_t first, uint32_t last) {
        std::fill(read[r].begin() + first, read[r].begin() + last, stamp);
        for (uint32_t b = first; b < last && detailsInUse(); ++b)
          if (__builtin_expect(detail[b] != 0, 0))
            std::fill_n(details[detail[b] - 1].read[r], kBlock, stamp);
      },
      [&](uint32_t block, uint32_t from, uint32_t to) {
        if (!detail[block] && read[r][block] == stamp)
          return;
        std::fill(detailOf(block).read[r] + from, details[detail[block] - 1].read[r] + to, stamp);
      });
}

void Shadow::noteWrite(uint64_t stamp, uint32_t begin, uint32_t end, bool isDefined) {
  used = std::max(used, (end + kBlock - 1) / kBlock);
  split(
      begin, end,
      [&](uint32_t first, uint32_t last) {
        std::fill(write.begin() + first, write.begin() + last, stamp);
        for (unsigned r = 0; r < kReaders; ++r)
          if (readerUsed[r])
            std::fill(read[r].begin() + first, read[r].begin() + last, 0);
        std::fill(defined.begin() + first, defined.begin() + last, isDefined ? ~0u : 0u);
        for (uint32_t b = first; b < last && detailsInUse(); ++b)
          if (__builtin_expect(detail[b] != 0, 0))
            dropDetail(b);
      },
      [&](uint32_t block, uint32_t from, uint32_t to) {
        Detail &d = detailOf(block);
        std::fill(d.write + from, d.write + to, stamp);
        for (auto &r : d.read)
          std::fill(r + from, r + to, 0);
        const uint32_t bits = bitsOf(from, to);
        defined[block] = isDefined ? defined[block] | bits : defined[block] & ~bits;
      });
}

} // namespace tilewright::emulator::check
