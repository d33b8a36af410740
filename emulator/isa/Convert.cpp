// Conversions (c220 ISA note, 4.5). A repeat covers 256 bytes of the wider type; each side has its own
// strides.
#include "emulator/isa/Export.h"

using namespace tilewright::emulator;

namespace {

constexpr uint32_t bytes_f16 = 2, bytes_bf16 = 2, bytes_s16 = 2, bytes_f32 = 4, bytes_s32 = 4, bytes_s64 = 8,
                   bytes_s8 = 1, bytes_u8 = 1;

void convert(Op op, UnLane f, uint32_t dstSize, uint32_t srcSize, void *d, const void *a, uint64_t word,
             const void *pc) {
  const UN c(word);
  const Operand operands[] = {destination(d, c.dst, dstSize), source(a, c.src, srcSize)};
  Lanewise lane;
  lane.un = f;
  runLanewise(*currentCore, op, pc, operands, 1, lane, c.repeat);
}

/// Control bit 59: 0 clamps to the range of the integer type, 1 keeps the low bits.
bool wraps() { return Control(currentCore->control).wrapIntegers; }

} // namespace

#define TW_CONVERT(S, D, letter, suffix)                                                                     \
  TW_ISA(VCONV_##S##2##D##letter##suffix)(void *d, const void *a, uint64_t word) {                           \
    convert(Op::VCONV_##S##2##D##letter##suffix, lanes().S##2##D##letter, bytes_##D, bytes_##S, d, a, word,  \
            TW_PC);                                                                                          \
  }
#define TW_CONVERT_WRAP(S, D, letter, suffix)                                                                \
  TW_ISA(VCONV_##S##2##D##letter##suffix)(void *d, const void *a, uint64_t word) {                           \
    convert(Op::VCONV_##S##2##D##letter##suffix,                                                             \
            wraps() ? lanes().S##2##D##letter##_wrap : lanes().S##2##D##letter, bytes_##D, bytes_##S, d, a,  \
            word, TW_PC);                                                                                    \
  }
#define TW_CONVERT_FIVE(S, D, suffix)                                                                        \
  TW_CONVERT(S, D, r, suffix)                                                                                \
  TW_CONVERT(S, D, a, suffix)                                                                                \
  TW_CONVERT(S, D, f, suffix)                                                                                \
  TW_CONVERT(S, D, c, suffix)                                                                                \
  TW_CONVERT(S, D, z, suffix)
#define TW_CONVERT_WRAP_FIVE(S, D, suffix)                                                                   \
  TW_CONVERT_WRAP(S, D, r, suffix)                                                                           \
  TW_CONVERT_WRAP(S, D, a, suffix)                                                                           \
  TW_CONVERT_WRAP(S, D, f, suffix)                                                                           \
  TW_CONVERT_WRAP(S, D, c, suffix)                                                                           \
  TW_CONVERT_WRAP(S, D, z, suffix)

TW_CONVERT(bf16, f32, , _v220)
TW_CONVERT_WRAP_FIVE(bf16, s32, _v220)
TW_CONVERT(f16, f32, , _v220)
TW_CONVERT_WRAP_FIVE(f16, s16, _v220)
TW_CONVERT_WRAP_FIVE(f16, s32, _v220)
TW_CONVERT_WRAP_FIVE(f16, s8, _v220)
TW_CONVERT_WRAP_FIVE(f16, u8, _v220)
TW_CONVERT_FIVE(f32, bf16, _v220)
TW_CONVERT_FIVE(f32, f16, _v220)
TW_CONVERT(f32, f16, o, _v220)
TW_CONVERT_FIVE(f32, f32, _v220)
TW_CONVERT_WRAP_FIVE(f32, s16, _v220)
TW_CONVERT_WRAP_FIVE(f32, s32, _v220)
TW_CONVERT_WRAP_FIVE(f32, s64, _v220)
TW_CONVERT_FIVE(s16, f16, _v220)
TW_CONVERT(s16, f32, , _v220)
TW_CONVERT_FIVE(s32, f32, _v220)
TW_CONVERT_WRAP(s32, s16, , _v220)
TW_CONVERT(s32, s64, , _1_v220)
TW_CONVERT_FIVE(s64, f32, _1_v220)
TW_CONVERT_WRAP(s64, s32, , _1_v220)
TW_CONVERT(s8, f16, , _v220)
TW_CONVERT(u8, f16, , _v220)
