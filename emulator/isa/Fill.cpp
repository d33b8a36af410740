// Fill, spread and copy inside UB (c220 ISA note, 4.6).
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

static void moveScalar(Op op, uint32_t size, void *d, uint64_t value, uint64_t word, const void *pc) {
  const DUP c(word);
  const Operand operands[] = {destination(d, c.dst, size)};
  Lanewise lane;
  lane.fill = size == 2 ? lanes().fill_b16 : lanes().fill_b32;
  lane.scalar = value;
  runLanewise(*currentCore, op, pc, operands, 0, lane, c.repeat);
}

#define TW_FILL(id, size, type)                                                                              \
  TW_ISA(id)(void *d, type value, uint64_t word) {                                                           \
    moveScalar(Op::id, size, d, scalarBits(value), word, TW_PC);                                             \
  }
TW_FILL(MOVEV_bf16, 2, __bf16)
TW_FILL(MOVEV_f16, 2, _Float16)
TW_FILL(MOVEV_f32, 4, float)
TW_FILL(MOVEV_s16, 2, uint64_t)
TW_FILL(MOVEV_s32, 4, uint64_t)
TW_FILL(MOVEV_u16, 2, uint64_t)
TW_FILL(MOVEV_u32, 4, uint64_t)

// Each repeat reads 8 consecutive elements and fills 8 blocks, one with each. Masks do not apply (assumed:
// the library issues it in normal mode with a full mask and gives the number of repeats).
static void spreadElements(Op op, uint32_t size, void *d, const void *s, uint64_t word, const void *pc) {
  Core &core = *currentCore;
  const BRCB c(word);
  constexpr uint32_t kElements = 8;
  const uint64_t to = uint64_t(d), from = uint64_t(s);
  record(core, op, pc, [&](Event &e) {
    e.repeats = c.repeat;
    e.elements = uint64_t(c.repeat) * kElements;
    e.add({Space::UB, true, to, kBlock, kElements, c.repeat, c.dst.block, c.dst.repeat});
    e.add({Space::UB, false, from, c.repeat * kElements * size, 1, 1, 0, 0});
  });
  if (c.repeat == 0)
    return;
  useUb(core, op, "destination", to,
        uint64_t(c.repeat - 1) * c.dst.repeat + 7 * uint64_t(c.dst.block) + kBlock, true);
  useUb(core, op, "source", from, uint64_t(c.repeat) * kElements * size, false);
  for (uint32_t r = 0; r < c.repeat; ++r) {
    uint8_t values[kElements * 4];
    std::memcpy(values, reinterpret_cast<const uint8_t *>(from) + uint64_t(r) * kElements * size,
                kElements * size);
    for (uint32_t b = 0; b < kElements; ++b) {
      uint8_t *block =
          reinterpret_cast<uint8_t *>(to) + uint64_t(r) * c.dst.repeat + uint64_t(b) * c.dst.block;
      for (uint32_t i = 0; i < kBlock; i += size)
        std::memcpy(block + i, values + b * size, size);
    }
  }
}
TW_ISA(VBRCB_b16)(void *d, const void *s, uint64_t w) { spreadElements(Op::VBRCB_b16, 2, d, s, w, TW_PC); }
TW_ISA(VBRCB_b32)(void *d, const void *s, uint64_t w) { spreadElements(Op::VBRCB_b32, 4, d, s, w, TW_PC); }

TW_ISA(MOV_UB_TO_UB_v220)(void *d, const void *s, uint64_t word) {
  Core &core = *currentCore;
  constexpr Op op = Op::MOV_UB_TO_UB_v220;
  const UBUB c(word);
  const uint64_t srcStep = uint64_t(c.burstBytes) + c.srcGap, dstStep = uint64_t(c.burstBytes) + c.dstGap;
  record(core, op, TW_PC, [&](Event &e) {
    e.elements = uint64_t(c.bursts) * c.burstBytes;
    e.add({Space::UB, true, uint64_t(d), c.burstBytes, 1, c.bursts, 0, int64_t(dstStep)});
    e.add({Space::UB, false, uint64_t(s), c.burstBytes, 1, c.bursts, 0, int64_t(srcStep)});
  });
  if (c.bursts == 0 || c.burstBytes == 0)
    return;
  useUb(core, op, "destination", uint64_t(d), (c.bursts - 1) * dstStep + c.burstBytes, true);
  useUb(core, op, "source", uint64_t(s), (c.bursts - 1) * srcStep + c.burstBytes, false);
  for (uint32_t i = 0; i < c.bursts; ++i) // a burst reads before it writes
    std::memmove(static_cast<uint8_t *>(d) + i * dstStep, static_cast<const uint8_t *>(s) + i * srcStep,
                 c.burstBytes);
}
