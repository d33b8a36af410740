// Compress by pattern and gather by offset (c220 ISA note, 4.9 and 3.11).
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

/// Pattern 0 takes bits from UB; 1 and 2 every second element, 3 .. 6 every fourth, 7 all (public Ascend C
/// documentation of GatherMask).
bool kept(uint32_t pattern, uint64_t lane) {
  switch (pattern) {
  case 1:
  case 2:
    return lane % 2 == pattern - 1;
  case 3:
  case 4:
  case 5:
  case 6:
    return lane % 4 == pattern - 3;
  default:
    return true;
  }
}

/// Kept elements are written one after another over all repeats. In counter mode each repeat handles `mask`
/// elements (the library's first-axis broadcast sets the mask to the row length and the repeat field to the
/// row count), in normal mode a whole repeat of 256 bytes.
void compress(Op op, uint32_t size, void *d, const void *s, const void *bits, uint64_t word, const void *pc) {
  Core &core = *currentCore;
  const RED2 c(word);
  const uint64_t perRepeat = core.counterMode() ? core.mask[0] : kRepeat / size;
  if (perRepeat > (1u << 20))
    failUnsupported(core, op, "more elements per repeat than UB can hold");
  const uint32_t perBlock = kBlock / size;
  const uint64_t bitBytes = (perRepeat + 7) / 8;
  auto offset = [&](uint64_t r, uint64_t e) {
    return r * c.src.repeat + (e / perBlock) * c.src.block + (e % perBlock) * size;
  };
  const uint8_t *from = static_cast<const uint8_t *>(s), *mask = static_cast<const uint8_t *>(bits);
  const bool empty = c.repeat == 0 || perRepeat == 0;

  // Two passes: the bytes written depend on the mask bits, and the destination may overlap a source.
  uint64_t srcBytes = 0, maskBytes = 0;
  if (!empty) {
    srcBytes = offset(c.repeat - 1, perRepeat - 1) + size;
    maskBytes = c.pattern == 0 ? uint64_t(c.repeat - 1) * c.maskRepeat + bitBytes : 0;
    useUb(core, op, "source", uint64_t(s), srcBytes, false);
    useUb(core, op, "mask bits", uint64_t(bits), maskBytes, false);
  }
  auto isKept = [&](uint64_t r, uint64_t e) {
    return c.pattern == 0 ? mask[r * c.maskRepeat + e / 8] >> (e % 8) & 1 : kept(c.pattern, e);
  };
  uint64_t count = 0;
  for (uint64_t r = 0; r < c.repeat; ++r)
    for (uint64_t e = 0; e < perRepeat; ++e)
      count += isKept(r, e);
  record(core, op, pc, [&](Event &e) {
    e.repeats = c.repeat;
    e.elements = perRepeat * c.repeat;
    e.add({Space::UB, true, uint64_t(d), uint32_t(count * size), 1, 1, 0, 0});
    e.add({Space::UB, false, uint64_t(s), uint32_t(srcBytes), 1, 1, 0, 0});
    if (maskBytes)
      e.add({Space::UB, false, uint64_t(bits), uint32_t(maskBytes), 1, 1, 0, 0});
  });
  useUb(core, op, "destination", uint64_t(d), count * size, true);
  uint8_t *to = static_cast<uint8_t *>(d);
  for (uint64_t r = 0; r < c.repeat; ++r)
    for (uint64_t e = 0; e < perRepeat; ++e)
      if (isKept(r, e)) {
        std::memmove(to, from + offset(r, e), size);
        to += size;
      }
  core.reserved = count;
}

/// Lane i of the destination takes the element at the i-th 32-bit offset. The library passes base 0 and
/// absolute UB addresses as offsets; an offset is accepted relative to UB as well, because UB's own address
/// is 0 on the device.
void gather(Op op, uint32_t size, void *d, const void *offsets, uint64_t word, const void *pc) {
  Core &core = *currentCore;
  const GATH c(word);
  const Operand dst = destination(d, {kBlock, c.dstRepeat}, size);
  const Active active = activeLanes(core, op, size, c.repeat);
  const uint64_t offsetBytes =
      active.repeats
          ? (uint64_t(active.repeats - 1) * active.lanes + (active.prefix ? active.last : active.lanes)) * 4
          : 0;
  record(core, op, pc, [&](Event &e) {
    e.repeats = active.repeats;
    e.elements = active.total;
    describeOperand(e, dst, active);
    e.add({Space::UB, false, uint64_t(offsets), uint32_t(offsetBytes), 1, 1, 0, 0});
  });
  useUb(core, op, "destination", dst.base, extent(dst, active), true);
  useUb(core, op, "offsets", uint64_t(offsets), offsetBytes, false);
  const uint8_t *list = static_cast<const uint8_t *>(offsets);
  const uint64_t ub = uint64_t(core.ub);
  alignas(64) uint8_t lane[256];
  for (uint32_t r = 0; r < active.repeats; ++r) {
    for (uint32_t e = 0; e < active.lanes; ++e) {
      if (!active.lane(r, e))
        continue;
      uint32_t offset;
      std::memcpy(&offset, list + (uint64_t(r) * active.lanes + e) * 4, 4);
      const uint64_t sum = uint64_t(offset) + c.base, address = sum < kUbSize ? ub + sum : sum;
      useUb(core, op, "gathered element", address, size, false);
      std::memcpy(lane + e * size, reinterpret_cast<const void *>(address), size);
    }
    scatterRepeat(dst, active, r, lane);
  }
}

} // namespace

#define TW_COMPRESS(id, size)                                                                                \
  TW_ISA(id)(void *d, const void *s, const void *bits, uint64_t w) {                                         \
    compress(Op::id, size, d, s, bits, w, TW_PC);                                                            \
  }
TW_COMPRESS(VREDUCEv2_b16, 2)
TW_COMPRESS(VREDUCEv2_b32, 4)
TW_ISA(VGATHER_b16)(void *d, const void *o, uint64_t w) { gather(Op::VGATHER_b16, 2, d, o, w, TW_PC); }
TW_ISA(VGATHER_b32)(void *d, const void *o, uint64_t w) { gather(Op::VGATHER_b32, 4, d, o, w, TW_PC); }
