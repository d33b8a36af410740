#include "emulator/isa/Vector.h"

#include <cstring>

namespace tilewright::emulator {

Active activeLanes(Core &core, Op op, uint32_t widest, uint32_t repeatField) {
  Active a;
  a.lanes = widest >= 2 ? kRepeat / widest : 128;
  if (core.counterMode()) {
    // The mask holds the element count; the repeat field is ignored (c220 ISA note, section 1).
    const uint64_t n = core.mask[0];
    if (n > (uint64_t(1) << 24))
      fail(core, TW_ERR_UNSUPPORTED, "%s: counter mode with %llu elements, more than UB can hold",
           info(op).name, static_cast<unsigned long long>(n));
    a.total = n;
    a.repeats = uint32_t((n + a.lanes - 1) / a.lanes);
    a.each = a.lanes;
    a.last = a.repeats ? uint32_t(n - uint64_t(a.repeats - 1) * a.lanes) : 0;
    return a;
  }
  const uint64_t low = a.lanes >= 64 ? core.mask[0] : core.mask[0] & ((uint64_t(1) << a.lanes) - 1);
  const uint64_t high = a.lanes == 128 ? core.mask[1] : 0;
  a.repeats = repeatField;
  const unsigned active = unsigned(__builtin_popcountll(low) + __builtin_popcountll(high));
  a.total = uint64_t(active) * repeatField;
  a.each = a.last = active;
  const unsigned lead =
      ~low ? unsigned(__builtin_ctzll(~low)) : 64 + (~high ? unsigned(__builtin_ctzll(~high)) : 64);
  a.prefix = lead >= active;
  a.mask[0] = low;
  a.mask[1] = high;
  if (active == 0)
    a.repeats = 0;
  return a;
}

static uint32_t highestLane(const Active &a) {
  if (a.mask[1])
    return 127 - unsigned(__builtin_clzll(a.mask[1]));
  return 63 - unsigned(__builtin_clzll(a.mask[0]));
}

/// End of the last active lane of a repeat that has lanes 0 .. top, plus one byte, relative to its start.
static uint64_t repeatExtent(const Operand &o, uint32_t top) {
  const uint32_t perBlock = kBlock / o.size, block = top / perBlock;
  // With a block stride below 32 an earlier block may reach further than the last one.
  uint64_t end = uint64_t(block) * o.stride.block + uint64_t(top % perBlock + 1) * o.size;
  if (block && o.stride.block < kBlock)
    end = end > uint64_t(block - 1) * o.stride.block + kBlock ? end
                                                              : uint64_t(block - 1) * o.stride.block + kBlock;
  return end;
}

uint64_t extent(const Operand &o, const Active &a) {
  if (a.repeats == 0)
    return 0;
  if (!a.prefix)
    return uint64_t(a.repeats - 1) * o.stride.repeat + repeatExtent(o, highestLane(a));
  const uint64_t end = uint64_t(a.repeats - 1) * o.stride.repeat + repeatExtent(o, a.last - 1);
  if (a.repeats == 1)
    return end;
  const uint64_t before = uint64_t(a.repeats - 2) * o.stride.repeat + repeatExtent(o, a.each - 1);
  return end > before ? end : before;
}

void describeOperand(Event &event, const Operand &o, const Active &a) {
  const uint32_t perBlock = kBlock / o.size;
  if (a.repeats == 0)
    return;
  Access access;
  access.write = o.write;
  access.laneBytes = uint8_t(o.size);
  access.innerStride = o.stride.block;
  access.outerStride = o.stride.repeat;
  if (!a.prefix) {
    access.masked = true;
    access.begin = o.base;
    access.run = kBlock;
    access.inner = highestLane(a) / perBlock + 1;
    access.outer = a.repeats;
    event.mask[0] = a.mask[0];
    event.mask[1] = a.mask[1];
    return event.add(access);
  }
  auto add = [&](uint32_t firstRepeat, uint32_t lanes, uint32_t repeats) {
    if (!lanes || !repeats)
      return;
    const uint32_t blocks = lanes / perBlock, rest = lanes % perBlock;
    const uint64_t begin = o.base + uint64_t(firstRepeat) * o.stride.repeat;
    access.outer = repeats;
    access.firstRepeat = firstRepeat;
    if (blocks) {
      access.firstLane = 0;
      access.begin = begin;
      access.run = kBlock;
      access.inner = blocks;
      event.add(access);
    }
    if (rest) {
      access.firstLane = uint16_t(blocks * perBlock);
      access.begin = begin + uint64_t(blocks) * o.stride.block;
      access.run = rest * o.size;
      access.inner = 1;
      event.add(access);
    }
  };
  if (a.each == a.last)
    return add(0, a.each, a.repeats);
  add(0, a.each, a.repeats - 1);
  add(a.repeats - 1, a.last, 1);
}

void recordVector(Core &core, Op op, const void *pc, const Operand *operands, unsigned count,
                  const Active &active) {
  record(core, op, pc, [&](Event &event) {
    event.repeats = active.repeats;
    event.elements = active.total;
    for (unsigned i = 0; i < count; ++i)
      describeOperand(event, operands[i], active);
  });
  for (unsigned i = 0; i < count; ++i)
    useUb(core, op, operands[i].name, operands[i].base, extent(operands[i], active), operands[i].write);
}

void gatherRepeat(const Operand &o, const Active &a, uint32_t repeat, uint8_t *to) {
  const uint8_t *from = reinterpret_cast<const uint8_t *>(o.base) + uint64_t(repeat) * o.stride.repeat;
  const uint32_t perBlock = kBlock / o.size;
  if (a.prefix) {
    const uint32_t n = a.count(repeat), blocks = n / perBlock, rest = n % perBlock;
    for (uint32_t b = 0; b < blocks; ++b)
      std::memcpy(to + b * kBlock, from + uint64_t(b) * o.stride.block, kBlock);
    std::memcpy(to + blocks * kBlock, from + uint64_t(blocks) * o.stride.block, rest * o.size);
    return;
  }
  for (uint32_t e = 0; e < a.lanes; ++e)
    if (a.lane(repeat, e))
      std::memcpy(to + e * o.size, from + uint64_t(e / perBlock) * o.stride.block + (e % perBlock) * o.size,
                  o.size);
}

void scatterRepeat(const Operand &o, const Active &a, uint32_t repeat, const uint8_t *from) {
  uint8_t *to = reinterpret_cast<uint8_t *>(o.base) + uint64_t(repeat) * o.stride.repeat;
  const uint32_t perBlock = kBlock / o.size;
  if (a.prefix) {
    const uint32_t n = a.count(repeat), blocks = n / perBlock, rest = n % perBlock;
    for (uint32_t b = 0; b < blocks; ++b)
      std::memcpy(to + uint64_t(b) * o.stride.block, from + b * kBlock, kBlock);
    std::memcpy(to + uint64_t(blocks) * o.stride.block, from + blocks * kBlock, rest * o.size);
    return;
  }
  for (uint32_t e = 0; e < a.lanes; ++e)
    if (a.lane(repeat, e))
      std::memcpy(to + uint64_t(e / perBlock) * o.stride.block + (e % perBlock) * o.size, from + e * o.size,
                  o.size);
}

namespace {

enum class Way { Whole, Rows, Lanes };

bool sameWalk(const Operand &x, const Operand &y) {
  return x.base == y.base && x.size == y.size && x.stride.block == y.stride.block &&
         x.stride.repeat == y.stride.repeat;
}

/// A source that re-reads one block: the library's way to spread a one-block scalar.
bool oneBlock(const Operand &o) { return o.stride.block == 0 && o.stride.repeat == 0; }

Way chooseWay(const Operand *operands, unsigned sources, const Active &a) {
  if (!a.prefix)
    return Way::Lanes;
  bool whole = true;
  for (unsigned i = 0; i <= sources; ++i) {
    const Operand &o = operands[i];
    if (i && oneBlock(o))
      continue;
    if (!o.contiguousBlocks() && a.each > kBlock / o.size)
      return Way::Lanes;
    // Counted instructions fill every repeat but the last; masked ones have holes between repeats.
    whole &= a.repeats == 1 || (a.each == a.lanes && o.stride.repeat == a.lanes * o.size);
  }
  const Operand &d = operands[0];
  // Destination repeats that overlap each other depend on the order of repeats: rows keep it.
  const uint64_t dEnd = d.base + extent(d, a);
  for (unsigned i = 1; i <= sources; ++i) {
    const Operand &s = operands[i];
    const uint64_t sEnd = s.base + extent(s, a);
    const bool disjoint = dEnd <= s.base || sEnd <= d.base;
    if (!disjoint && (oneBlock(s) || !sameWalk(d, s)))
      return Way::Lanes;
  }
  return whole ? Way::Whole : Way::Rows;
}

/// Sources of stride 0 are spread once into a buffer; the others are read in place.
struct Spread {
  static constexpr uint32_t kBytes = 4096;
  alignas(64) uint8_t bytes[kBytes];
  void from(const Operand &o) {
    for (uint32_t i = 0; i < kBytes; i += kBlock)
      std::memcpy(bytes + i, reinterpret_cast<const void *>(o.base), kBlock);
  }
};

uint8_t *at(const Operand &o, uint64_t offset) { return reinterpret_cast<uint8_t *>(o.base) + offset; }

void runWhole(const Operand *op, unsigned sources, const Lanewise &f, const Active &a) {
  bool spread[3] = {false, sources >= 1 && oneBlock(op[1]), sources >= 2 && oneBlock(op[2])};
  if (!spread[1] && !spread[2])
    return f(at(op[0], 0), sources >= 1 ? at(op[1], 0) : nullptr, sources >= 2 ? at(op[2], 0) : nullptr,
             a.total);
  Spread buffer[2];
  for (unsigned i = 1; i <= sources; ++i)
    if (spread[i])
      buffer[i - 1].from(op[i]);
  const uint64_t step = Spread::kBytes / 8; // elements per chunk, for any element size
  for (uint64_t i = 0; i < a.total; i += step) {
    const uint64_t n = a.total - i < step ? a.total - i : step;
    auto source = [&](unsigned k) -> const void * {
      if (k > sources)
        return nullptr;
      return spread[k] ? buffer[k - 1].bytes : at(op[k], i * op[k].size);
    };
    f(at(op[0], i * op[0].size), source(1), source(2), n);
  }
}

void runRows(const Operand *op, unsigned sources, const Lanewise &f, const Active &a) {
  Spread buffer[2];
  bool spread[3] = {};
  for (unsigned i = 1; i <= sources; ++i)
    if ((spread[i] = oneBlock(op[i])))
      buffer[i - 1].from(op[i]);
  for (uint32_t r = 0; r < a.repeats; ++r) {
    auto source = [&](unsigned k) -> const void * {
      if (k > sources)
        return nullptr;
      return spread[k] ? buffer[k - 1].bytes : at(op[k], uint64_t(r) * op[k].stride.repeat);
    };
    f(at(op[0], uint64_t(r) * op[0].stride.repeat), source(1), source(2), a.count(r));
  }
}

void runLanes(const Operand *op, unsigned sources, const Lanewise &f, const Active &a) {
  alignas(64) uint8_t local[3][512] = {};
  for (uint32_t r = 0; r < a.repeats; ++r) {
    for (unsigned i = 1; i <= sources; ++i)
      gatherRepeat(op[i], a, r, local[i]);
    f(local[0], local[1], local[2], a.lanes);
    scatterRepeat(op[0], a, r, local[0]);
  }
}

} // namespace

void runLanewise(Core &core, Op op, const void *pc, const Operand *operands, unsigned sources,
                 const Lanewise &f, uint32_t repeatField) {
  uint32_t widest = 0;
  for (unsigned i = 0; i <= sources; ++i)
    widest = operands[i].size > widest ? operands[i].size : widest;
  const Active active = activeLanes(core, op, widest, repeatField);
  recordVector(core, op, pc, operands, sources + 1, active);
  if (active.repeats == 0)
    return;
  switch (chooseWay(operands, sources, active)) {
  case Way::Whole:
    return runWhole(operands, sources, f, active);
  case Way::Rows:
    return runRows(operands, sources, f, active);
  case Way::Lanes:
    return runLanes(operands, sources, f, active);
  }
}

} // namespace tilewright::emulator
