// One vector source (c220 ISA note, 4.2), and VCOPY.
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

static void unary(Op op, UnLane f, uint32_t size, void *d, const void *a, uint64_t word, const void *pc) {
  const UN c(word);
  const Operand operands[] = {destination(d, c.dst, size), source(a, c.src, size)};
  Lanewise lane;
  lane.un = f;
  runLanewise(*currentCore, op, pc, operands, 1, lane, c.repeat);
}

#define TW_UNARY(id, lane, size)                                                                             \
  TW_ISA(id)(void *d, const void *a, uint64_t word) { unary(Op::id, lanes().lane, size, d, a, word, TW_PC); }
#define TW_UNARY_FLOATS(NAME, op)                                                                            \
  TW_UNARY(NAME##_f16, op##_f16, 2)                                                                          \
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

/// VCOPY differs in counter mode: the mask register holds the elements of every repeat and the repeat field
/// counts (the library's broadcasts set the mask to the row length and the repeat field to the number of
/// rows).
static void copy(Op op, UnLane f, uint32_t size, void *d, const void *a, uint64_t word, const void *pc) {
  Core &core = *currentCore;
  if (!core.counterMode())
    return unary(op, f, size, d, a, word, pc);
  const UN c(word);
  const Operand operands[] = {destination(d, c.dst, size), source(a, c.src, size)};
  if (core.mask[0] > kUbSize)
    failUnsupported(core, op, "more elements per repeat than UB can hold");
  Active active;
  active.lanes = active.each = active.last = uint32_t(core.mask[0]);
  active.repeats = active.lanes ? c.repeat : 0;
  active.total = uint64_t(active.lanes) * active.repeats;
  recordVector(core, op, pc, operands, 2, active);
  for (uint32_t r = 0; r < active.repeats; ++r) {
    uint8_t *to = static_cast<uint8_t *>(d) + uint64_t(r) * c.dst.repeat;
    const uint8_t *from = static_cast<const uint8_t *>(a) + uint64_t(r) * c.src.repeat;
    if (c.dst.block == kBlock && c.src.block == kBlock) {
      std::memmove(to, from, active.lanes * size);
      continue;
    }
    const uint32_t bytes = active.lanes * size;
    for (uint32_t done = 0; done < bytes; done += kBlock, to += c.dst.block, from += c.src.block)
      std::memmove(to, from, bytes - done < kBlock ? bytes - done : kBlock);
  }
}
TW_ISA(VCOPY_u16)(void *d, const void *a, uint64_t w) {
  copy(Op::VCOPY_u16, lanes().copy_b16, 2, d, a, w, TW_PC);
}
TW_ISA(VCOPY_u32)(void *d, const void *a, uint64_t w) {
  copy(Op::VCOPY_u32, lanes().copy_b32, 4, d, a, w, TW_PC);
}
