#include "emulator/isa/Atomic.h"
#include "emulator/isa/lanes/Lanes.h"

#include <cstring>

namespace tilewright::emulator {
namespace {

/// Combines through aligned chunks, so that the lane function sees element-aligned, disjoint operands.
template <BinLane LaneTable::*F, uint32_t Size>
void combineWith(uint8_t *gm, const uint8_t *ub, uint64_t bytes) {
  (lanes().*F)(gm, gm, ub, bytes / Size);
}
template <UnLane LaneTable::*Widen, UnLane LaneTable::*Narrow, BinLane LaneTable::*F>
void combineWide(uint8_t *gm, const uint8_t *ub, uint64_t bytes) {
  float a[256], b[256];
  for (uint64_t i = 0; i < bytes; i += 512) {
    const uint64_t n = (bytes - i < 512 ? bytes - i : 512) / 2;
    (lanes().*Widen)(a, gm + i, n);
    (lanes().*Widen)(b, ub + i, n);
    (lanes().*F)(a, a, b, n);
    (lanes().*Narrow)(gm + i, a, n);
  }
}
template <int Kind> void combineBytes(uint8_t *gm, const uint8_t *ub, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) {
    const int8_t a = int8_t(gm[i]), b = int8_t(ub[i]);
    gm[i] = uint8_t(Kind == 0 ? int8_t(a + b) : Kind == 1 ? (a > b ? a : b) : (a < b ? a : b));
  }
}

#define TW_KINDS(T, size)                                                                                    \
  {combineWith<&LaneTable::add_##T, size>, combineWith<&LaneTable::max_##T, size>,                           \
   combineWith<&LaneTable::min_##T, size>}
#define TW_WIDE(F) combineWide<&LaneTable::bf162f32, &LaneTable::f322bf16r, &LaneTable::F>

struct Type {
  uint32_t size;
  AtomicOperation::Combine kinds[3]; // add, max, min
};
// Index = control bits 8..6: 001 f32, 010 f16, 011 s16, 100 s32, 101 s8, 110 bf16.
const Type types[8] = {
    {0, {}},
    {4, TW_KINDS(f32, 4)},
    {2, TW_KINDS(f16, 2)},
    {2, TW_KINDS(s16, 2)},
    {4, TW_KINDS(s32, 4)},
    {1, {combineBytes<0>, combineBytes<1>, combineBytes<2>}},
    {2, {TW_WIDE(add_f32), TW_WIDE(max_f32), TW_WIDE(min_f32)}},
    {0, {}},
};

} // namespace

AtomicOperation atomicOperation(Core &core, Op op, const Control &control, const void *gm, uint64_t bytes,
                                uint64_t step) {
  const Type &type = types[control.atomicType];
  if (!type.size || control.atomicKind > 2)
    failUnsupported(core, op, "atomic store with an undefined type or operation in the control word");
  if (bytes % type.size || step % type.size || uint64_t(gm) % type.size)
    failUnsupported(core, op, "atomic store of rows that are not whole, aligned elements");
  return {type.kinds[control.atomicKind]};
}

void AtomicOperation::apply(Core &core, uint8_t *gm, const uint8_t *ub, uint64_t bytes) const {
  while (bytes) {
    const uint64_t address = uint64_t(gm), left = 4096 - (address & 4095);
    // An element across two pages needs one lock too: rows are element-aligned, so pages split between
    // elements.
    const uint64_t n = bytes < left ? bytes : left;
    std::atomic_flag &stripe = core.launch->atomicStripe[(address >> 12) % Launch::kStripes];
    while (stripe.test_and_set(std::memory_order_acquire))
      __builtin_ia32_pause();
    core.held = &stripe;
    combine(gm, ub, n);
    core.held = nullptr;
    stripe.clear(std::memory_order_release);
    gm += n;
    ub += n;
    bytes -= n;
  }
}

} // namespace tilewright::emulator
