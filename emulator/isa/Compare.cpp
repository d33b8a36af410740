// Compare to packed bits and select (c220 ISA note, 4.4 and 3.6).
//
// A compare writes one bit per lane, whole repeats (8 bytes for 32-bit, 16 for 16-bit elements), densely; the
// mask and the destination strides do not matter. Lanes past the count of counter mode are compared too: they
// hold stale data and their bits are meaningless.
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

/// All lanes of the repeats that the instruction covers, ignoring masked lanes.
Active wholeRepeats(Core &core, Op op, uint32_t size, uint32_t repeatField) {
  Active a = activeLanes(core, op, size, repeatField);
  if (!core.counterMode())
    a.repeats = repeatField;
  a.prefix = true;
  a.each = a.last = a.lanes;
  a.total = uint64_t(a.repeats) * a.lanes;
  return a;
}

struct Compare {
  CmpLane vector = nullptr;
  CmpsLane scalar = nullptr;
  uint64_t bits = 0;
  void operator()(uint8_t *to, const void *a, const void *b, size_t n) const {
    if (vector)
      vector(to, a, b, n);
    else
      scalar(to, a, bits, n);
  }
};

bool contiguous(const Operand &o, const Active &a) {
  return o.contiguousBlocks() && (a.repeats == 1 || o.stride.repeat == a.lanes * o.size);
}

void compare(Op op, const Compare &f, void *d, const Operand *sources, unsigned count, uint32_t repeatField,
             const void *pc) {
  Core &core = *currentCore;
  const Active all = wholeRepeats(core, op, sources[0].size, repeatField);
  // A counted compare whose last repeat is ragged may end at the edge of UB: only counted lanes must be
  // there.
  Active counted = all;
  if (core.counterMode() && all.repeats)
    counted.last = uint32_t(core.mask[0] - uint64_t(all.repeats - 1) * all.lanes);
  const uint32_t bytesPerRepeat = all.lanes / 8;
  const uint64_t written = uint64_t(all.repeats) * bytesPerRepeat;
  record(core, op, pc, [&](Event &e) {
    e.repeats = all.repeats;
    e.elements = all.total;
    e.add({Space::UB, true, uint64_t(d), uint32_t(written), 1, 1, 0, 0});
    for (unsigned i = 0; i < count; ++i)
      describeOperand(e, sources[i], counted);
  });
  if (all.repeats == 0)
    return;
  useUb(core, op, "destination", uint64_t(d), written, true);
  bool fits = true, dense = true, apart = true;
  for (unsigned i = 0; i < count; ++i) {
    useUb(core, op, sources[i].name, sources[i].base, extent(sources[i], counted), false);
    const uint64_t end = sources[i].base + extent(sources[i], all);
    fits &= end <= uint64_t(core.ub) + kUbSize;
    dense &= contiguous(sources[i], all);
    apart &= end <= uint64_t(d) || uint64_t(d) + written <= sources[i].base;
  }
  uint8_t *to = static_cast<uint8_t *>(d);
  if (fits && dense && apart)
    return f(to, reinterpret_cast<const void *>(sources[0].base),
             count > 1 ? reinterpret_cast<const void *>(sources[1].base) : nullptr, all.total);
  alignas(64) uint8_t local[2][256] = {}, out[16];
  for (uint32_t r = 0; r < all.repeats; ++r) {
    for (unsigned i = 0; i < count; ++i)
      gatherRepeat(sources[i], fits ? all : counted, r, local[i]);
    f(out, local[0], local[1], all.lanes);
    std::memcpy(to + r * bytesPerRepeat, out, bytesPerRepeat);
  }
}

void compareVectors(Op op, CmpLane f, uint32_t size, void *d, const void *a, const void *b, uint64_t word,
                    const void *pc) {
  const BIN c(word);
  const Operand sources[] = {source(a, c.src0, size, "source 0"), source(b, c.src1, size, "source 1")};
  Compare compareWith;
  compareWith.vector = f;
  compare(op, compareWith, d, sources, 2, c.repeat, pc);
}

void compareScalar(Op op, CmpsLane f, uint32_t size, void *d, const void *a, uint64_t scalar, uint64_t word,
                   const void *pc) {
  const UN c(word);
  const Operand sources[] = {source(a, c.src, size)};
  Compare compareWith;
  compareWith.scalar = f;
  compareWith.bits = scalar;
  compare(op, compareWith, d, sources, 1, c.repeat, pc);
}

} // namespace

#define TW_COMPARE(REL, rel, T, size, type)                                                                  \
  TW_ISA(VCMPV_##REL##_##T)(void *d, const void *a, const void *b, uint64_t w) {                             \
    compareVectors(Op::VCMPV_##REL##_##T, lanes().rel##_##T, size, d, a, b, w, TW_PC);                       \
  }                                                                                                          \
  TW_ISA(VCMPVS_##REL##_##T)(void *d, const void *a, type s, uint64_t w) {                                   \
    compareScalar(Op::VCMPVS_##REL##_##T, lanes().rel##s_##T, size, d, a, scalarBits(s), w, TW_PC);          \
  }
#define TW_COMPARE_FLOATS(REL, rel) TW_COMPARE(REL, rel, f16, 2, _Float16) TW_COMPARE(REL, rel, f32, 4, float)
TW_COMPARE_FLOATS(EQ, eq)
TW_COMPARE_FLOATS(NE, ne)
TW_COMPARE_FLOATS(LT, lt)
TW_COMPARE_FLOATS(LE, le)
TW_COMPARE_FLOATS(GT, gt)
TW_COMPARE_FLOATS(GE, ge)
TW_COMPARE(EQ, eq, s32, 4, uint64_t)
