#include "emulator/check/GmHistory.h"

#include <algorithm>
#include <tuple>

namespace tilewright::emulator::check {

bool GmPending::overlap(const Event &event, const Access &a, const Transfer &t, uint64_t &from,
                        uint64_t &to) {
  // Runs of both come in ascending order (gaps of transfers are not negative): one pass over both.
  bool found = false;
  const Access &b = t.access;
  const uint64_t step = b.outer > 1 ? uint64_t(b.outerStride) : 1;
  forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool) {
    if (found || end <= b.begin || begin >= t.end)
      return;
    // The first row of b that may reach beyond `begin`.
    uint64_t row = begin >= b.begin + b.run ? (begin - b.begin - b.run) / step : 0;
    for (; row < b.outer && b.begin + row * step < end; ++row) {
      const uint64_t low = std::max(begin, b.begin + row * step),
                     high = std::min(end, b.begin + row * step + b.run);
      if (low < high) {
        from = low;
        to = high;
        found = true;
        return;
      }
    }
  });
  return found;
}

void GmPending::forget(const Clocks &clocks) {
  transfers.erase(std::remove_if(transfers.begin(), transfers.end(),
                                 [&](const Transfer &t) {
                                   return ordered(clocks.of(unsigned(Pipe::MTE2)), t.stamp) &&
                                          ordered(clocks.of(unsigned(Pipe::MTE3)), t.stamp);
                                 }),
                  transfers.end());
  // A kernel that never tells its transfers complete would grow this without end; the oldest go.
  if (transfers.size() >= kMost)
    transfers.erase(transfers.begin(), transfers.begin() + kMost / 2);
}

void Footprint::cover(unsigned flag, uint16_t time, const Clock &clock, ReleaseTable &table) {
  for (Interval &i : list) {
    Releases covered = table[i.covered];
    if (covered.count[flag] || !ordered(clock, i.stamp))
      continue;
    covered.count[flag] = time;
    i.covered = table.number(covered);
  }
}

const std::vector<Interval> &Footprint::compact() {
  std::sort(list.begin(), list.end(), [](const Interval &a, const Interval &b) {
    return std::tie(a.write, a.atomic, a.site, a.known, a.covered, a.begin, a.end) <
           std::tie(b.write, b.atomic, b.site, b.known, b.covered, b.begin, b.end);
  });
  size_t out = 0;
  for (const Interval &i : list)
    if (out && list[out - 1].sameKind(i) && i.begin <= list[out - 1].end)
      list[out - 1].extend(i);
    else
      list[out++] = i;
  list.resize(out);
  limit = std::max(kFirstLimit, 2 * out);
  return list;
}

} // namespace tilewright::emulator::check
