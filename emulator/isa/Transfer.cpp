// Transfers between GM and UB (c220 ISA note, 4.8, 3.7, 3.8), with atomic stores (section 2).
#include "emulator/isa/Atomic.h"
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

constexpr uint64_t roundUp(uint64_t n) { return (n + kBlock - 1) & ~uint64_t(kBlock - 1); }

void fillLanes(uint8_t *to, uint64_t value, uint32_t size, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    std::memcpy(to + i * size, &value, size);
}

void load(Op op, uint32_t size, void *d, const void *s, uint64_t c0, uint64_t c1, const void *pc) {
  Core &core = *currentCore;
  const G2U c(c0, c1);
  const uint64_t left = uint64_t(c.leftPad) * size, right = uint64_t(c.rightPad) * size;
  const uint64_t row = left + c.rowBytes + right, rowInUb = roundUp(row);
  const uint64_t gmStep = uint64_t(c.rowBytes) + c.gmGap, ubStep = rowInUb + c.ubGap;
  record(core, op, pc, [&](Event &e) {
    e.elements = uint64_t(c.rows) * c.rowBytes;
    e.add({Space::UB, true, uint64_t(d), uint32_t(rowInUb), 1, c.rows, 0, int64_t(ubStep),
           uint32_t(rowInUb - row)});
    e.add({Space::GM, false, uint64_t(s), c.rowBytes, 1, c.rows, 0, int64_t(gmStep)});
  });
  if (c.rows == 0 || row == 0)
    return;
  useUb(core, op, "destination", uint64_t(d), (c.rows - 1) * ubStep + rowInUb, true);
  useGm(core, op, uint64_t(s), c.rowBytes ? (c.rows - 1) * gmStep + c.rowBytes : 0, false);
  core.counters.gm_read_bytes += uint64_t(c.rows) * c.rowBytes;
  uint8_t *to = static_cast<uint8_t *>(d);
  const uint8_t *from = static_cast<const uint8_t *>(s);
  if (row == rowInUb && row == c.rowBytes && (c.rows == 1 || (c.gmGap == 0 && c.ubGap == 0))) {
    std::memcpy(to, from, c.rows * row);
    return;
  }
  for (uint32_t r = 0; r < c.rows; ++r) {
    uint8_t *line = to + r * ubStep;
    fillLanes(line, core.padValue, size, c.leftPad);
    std::memcpy(line + left, from + r * gmStep, c.rowBytes);
    fillLanes(line + left + c.rowBytes, core.padValue, size, c.rightPad);
    // What the device writes between the row's end and the block's end is not documented: NaN, so that
    // reliance shows.
    std::memset(line + row, 0xff, rowInUb - row);
  }
}

void store(Op op, void *d, const void *s, uint64_t c0, uint64_t c1, const void *pc) {
  Core &core = *currentCore;
  const U2G c(c0, c1);
  const Control control(core.control);
  const uint64_t ubStep = roundUp(c.rowBytes) + c.ubGap, gmStep = uint64_t(c.rowBytes) + c.gmGap;
  record(core, op, pc, [&](Event &e) {
    e.elements = uint64_t(c.rows) * c.rowBytes;
    e.add({Space::GM, true, uint64_t(d), c.rowBytes, 1, c.rows, 0, int64_t(gmStep)});
    e.add({Space::UB, false, uint64_t(s), c.rowBytes, 1, c.rows, 0, int64_t(ubStep)});
    e.immediate[0] = control.atomicType;
    e.immediate[1] = control.atomicKind;
  });
  if (c.rows == 0 || c.rowBytes == 0)
    return;
  useUb(core, op, "source", uint64_t(s), (c.rows - 1) * ubStep + c.rowBytes, false);
  useGm(core, op, uint64_t(d), (c.rows - 1) * gmStep + c.rowBytes, true);
  core.counters.gm_write_bytes += uint64_t(c.rows) * c.rowBytes;
  uint8_t *to = static_cast<uint8_t *>(d);
  const uint8_t *from = static_cast<const uint8_t *>(s);
  if (control.atomicType) {
    const AtomicOperation atomic = atomicOperation(core, op, control, d, c.rowBytes, gmStep);
    for (uint32_t r = 0; r < c.rows; ++r)
      atomic.apply(core, to + r * gmStep, from + r * ubStep, c.rowBytes);
    return;
  }
  if (c.rows == 1 || (ubStep == c.rowBytes && gmStep == c.rowBytes)) {
    std::memcpy(to, from, uint64_t(c.rows) * c.rowBytes);
    return;
  }
  for (uint32_t r = 0; r < c.rows; ++r)
    std::memcpy(to + r * gmStep, from + r * ubStep, c.rowBytes);
}

} // namespace

#define TW_TRANSFER(width, size)                                                                             \
  TW_ISA(MOV_OUT_TO_UB_ALIGN_##width##_V220)(void *d, const void *s, uint64_t c0, uint64_t c1) {             \
    load(Op::MOV_OUT_TO_UB_ALIGN_##width##_V220, size, d, s, c0, c1, TW_PC);                                 \
  }                                                                                                          \
  TW_ISA(MOV_UB_TO_OUT_ALIGN_##width##_V220)(void *d, const void *s, uint64_t c0, uint64_t c1) {             \
    store(Op::MOV_UB_TO_OUT_ALIGN_##width##_V220, d, s, c0, c1, TW_PC);                                      \
  }
TW_TRANSFER(b8, 1)
TW_TRANSFER(b16, 2)
TW_TRANSFER(b32, 4)
