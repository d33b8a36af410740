// Two vector sources: arithmetic, max/min, bitwise (c220 ISA note, 4.1).
#include "emulator/isa/Export.h"

using namespace tilewright::emulator;

static void binary(Op op, BinLane f, uint32_t size, void *d, const void *a, const void *b, uint64_t word,
                   const void *pc) {
  const BIN c(word);
  const Operand operands[] = {destination(d, c.dst, size), source(a, c.src0, size, "source 0"),
                              source(b, c.src1, size, "source 1")};
  Lanewise lane;
  lane.bin = f;
  runLanewise(*currentCore, op, pc, operands, 2, lane, c.repeat);
}

#define TW_BINARY(id, lane, size)                                                                            \
  TW_ISA(id)(void *d, const void *a, const void *b, uint64_t word) {                                         \
    binary(Op::id, lanes().lane, size, d, a, b, word, TW_PC);                                                \
  }
#define TW_BINARY_ALL(NAME, op)                                                                              \
  TW_BINARY(NAME##_f16, op##_f16, 2)                                                                         \
  TW_BINARY(NAME##_f32, op##_f32, 4)                                                                         \
  TW_BINARY(NAME##_s16, op##_s16, 2)                                                                         \
  TW_BINARY(NAME##_s32, op##_s32, 4)

TW_BINARY_ALL(VADD, add)
TW_BINARY_ALL(VSUB, sub)
TW_BINARY_ALL(VMUL, mul)
TW_BINARY_ALL(VMAX, max)
TW_BINARY_ALL(VMIN, min)
TW_BINARY(VDIV_f16, div_f16, 2)
TW_BINARY(VDIV_f32, div_f32, 4)
TW_BINARY(VAND_s16, and_b16, 2)
TW_BINARY(VAND_u16, and_b16, 2)
TW_BINARY(VOR_s16, or_b16, 2)
TW_BINARY(VOR_u16, or_b16, 2)
