// Vector with scalar and shifts (c220 ISA note, 4.3). The scalar has the element type: a half scalar arrives
// rounded.
#include "emulator/isa/Export.h"

using namespace tilewright::emulator;

static void withScalar(Op op, ScLane f, uint32_t size, void *d, const void *a, uint64_t scalar, uint64_t word,
                       const void *pc) {
  const UN c(word);
  const Operand operands[] = {destination(d, c.dst, size), source(a, c.src, size)};
  Lanewise lane;
  lane.sc = f;
  lane.scalar = scalar;
  runLanewise(*currentCore, op, pc, operands, 1, lane, c.repeat);
}

#define TW_SCALAR(id, lane, size, type)                                                                      \
  TW_ISA(id)(void *d, const void *a, type s, uint64_t word) {                                                \
    withScalar(Op::id, lanes().lane, size, d, a, scalarBits(s), word, TW_PC);                                \
  }
#define TW_SCALAR_ALL(NAME, op)                                                                              \
  TW_SCALAR(NAME##_f16, op##_f16, 2, _Float16)                                                               \
  TW_SCALAR(NAME##_f32, op##_f32, 4, float)                                                                  \
  TW_SCALAR(NAME##_s16, op##_s16, 2, uint64_t)                                                               \
  TW_SCALAR(NAME##_s32, op##_s32, 4, uint64_t)

TW_SCALAR_ALL(VADDS, adds)
TW_SCALAR_ALL(VMULS, muls)
TW_SCALAR_ALL(VMAXS, maxs)
TW_SCALAR_ALL(VMINS, mins)
TW_SCALAR(VSHL_s16, shl_b16, 2, uint64_t)
TW_SCALAR(VSHL_u16, shl_b16, 2, uint64_t)
TW_SCALAR(VSHL_s32, shl_b32, 4, uint64_t)
TW_SCALAR(VSHL_u32, shl_b32, 4, uint64_t)

// The last operand selects rounding of the bits shifted out; only 0 occurs and its other values are not
// known.
#define TW_SHIFT_RIGHT(id, lane, size)                                                                       \
  TW_ISA(id)(void *d, const void *a, uint64_t s, uint64_t word, uint64_t round) {                            \
    if (round)                                                                                               \
      failUnsupported(*currentCore, Op::id, "rounding right shift");                                         \
    withScalar(Op::id, lanes().lane, size, d, a, s, word, TW_PC);                                            \
  }
TW_SHIFT_RIGHT(VSHR_s16, shr_s16, 2)
TW_SHIFT_RIGHT(VSHR_s32, shr_s32, 4)
TW_SHIFT_RIGHT(VSHR_u16, shr_u16, 2)
TW_SHIFT_RIGHT(VSHR_u32, shr_u32, 4)
