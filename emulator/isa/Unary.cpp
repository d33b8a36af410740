// One vector source (c220 ISA note, 4.2), and VCOPY, which moves lanes the same way.
#include "emulator/isa/Export.h"

using namespace tilewright::emulator;

static void unary(Op op, UnLane f, uint32_t size, void *d, const void *a, uint64_t word, const void *pc) {
  const UN c(word);
  const Operand operands[] = {destination(d, c.dst, size), source(a, c.src, size)};
  Lanewise lane;
  lane.un = f;
  runLanewise(*currentCore, op, pc, operands, 1, lane, c.repeat);
}

#define TW_UNARY(id, lane, size)                                                                                       \
  TW_ISA(id)(void *d, const void *a, uint64_t word) { unary(Op::id, lanes().lane, size, d, a, word, TW_PC); }
#define TW_UNARY_FLOATS(NAME, op)                                                                                      \
  TW_UNARY(NAME##_f16, op##_f16, 2)                                                                                    \
  TW_UNARY(NAME##_f32, op##_f32, 4)

TW_UNARY_FLOATS(VEXP, exp)
TW_UNARY_FLOATS(VLN, ln)
TW_UNARY_FLOATS(VSQRT, sqrt)
TW_UNARY_FLOATS(VRSQRT, rsqrt)
TW_UNARY_FLOATS(VREC, rec)
TW_UNARY_FLOATS(VABS, abs)
TW_UNARY_FLOATS(VRELU, relu)
TW_UNARY(VRELU_s32, relu_s32, 4)
TW_UNARY(VNOT_s16, not_b16, 2)
TW_UNARY(VNOT_u16, not_b16, 2)
TW_UNARY(VCOPY_u16, copy_b16, 2)
TW_UNARY(VCOPY_u32, copy_b32, 4)
