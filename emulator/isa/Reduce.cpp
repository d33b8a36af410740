// Reductions inside a repeat (c220 ISA note, 4.7 and 3.5).
//
//   VCADD                      one sum per repeat, or one over all repeats into the accumulator register
//   VCMAX VCMIN                value and/or index per repeat; the register keeps value and index over all
//   repeats VCGADD VCGMAX VCGMIN       one result per 32-byte block VCPADD                     one sum per
//   pair of neighbours
//
// Sums inside a repeat are a pairwise tree, repeats follow one another (public Ascend C documentation);
// whether the device rounds half sums after every addition is not known and assumed here. Masked lanes do not
// take part.
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

/// Element access and the three operations for one float type, through the lane functions.
struct Type {
  uint32_t size;
  uint64_t lowest, highest, negativeZero; // bits
  BinLane add, max, min;
};
const Type &typeF16() {
  static const Type t{2, 0xfc00, 0x7c00, 0x8000, lanes().add_f16, lanes().max_f16, lanes().min_f16};
  return t;
}
const Type &typeF32() {
  static const Type t{
      4, 0xff800000, 0x7f800000, 0x80000000, lanes().add_f32, lanes().max_f32, lanes().min_f32};
  return t;
}

enum class Kind { Add, Max, Min };

/// The lanes of a repeat, with `identity` where inactive: x + -0, max(x, -inf) and min(x, inf) are x for
/// every x.
void loadRepeat(const Operand &src, const Active &active, uint32_t r, const Type &t, Kind kind, uint8_t *to) {
  const uint64_t identity = kind == Kind::Add ? t.negativeZero : kind == Kind::Max ? t.lowest : t.highest;
  for (uint32_t e = 0; e < active.lanes; ++e)
    std::memcpy(to + e * t.size, &identity, t.size);
  gatherRepeat(src, active, r, to);
}

/// Pairwise tree over groups of `group` neighbours; results are left packed at the front.
void fold(uint8_t *lane, uint32_t count, uint32_t group, const Type &t, BinLane f) {
  alignas(64) uint8_t even[128], odd[128];
  for (; group > 1; group /= 2, count /= 2) {
    for (uint32_t i = 0; i < count / 2; ++i) {
      std::memcpy(even + i * t.size, lane + 2 * i * t.size, t.size);
      std::memcpy(odd + i * t.size, lane + (2 * i + 1) * t.size, t.size);
    }
    f(lane, even, odd, count / 2);
  }
}

struct Reduction {
  Core &core;
  Op op;
  RED config;
  const Type &type;
  Active active;
  Operand src;

  Reduction(Op op, const Type &type, const void *s, uint64_t word)
      : core(*currentCore), op(op), config(word), type(type),
        active(activeLanes(core, op, type.size, config.repeat)), src(source(s, config.src, type.size)) {}

  /// `bytes` of results per repeat (`last` in the last one), `stride` bytes apart.
  void begin(void *d, uint32_t bytes, uint32_t last, uint64_t stride, const void *pc) {
    record(core, op, pc, [&](Event &e) {
      e.repeats = active.repeats;
      e.elements = active.total;
      if (bytes && active.repeats > 1)
        e.add({Space::UB, true, uint64_t(d), bytes, 1, active.repeats - 1, 0, int64_t(stride)});
      if (last && active.repeats)
        e.add({Space::UB, true, uint64_t(d) + uint64_t(active.repeats - 1) * stride, last, 1, 1, 0, 0});
      describeOperand(e, src, active);
    });
    if (last && active.repeats)
      useUb(core, op, "destination", uint64_t(d), uint64_t(active.repeats - 1) * stride + last, true);
    useUb(core, op, "source", src.base, extent(src, active), false);
  }
};

void sum(Op op, const Type &t, void *d, const void *s, uint64_t word, uint64_t mode, const void *pc) {
  Reduction red(op, t, s, word);
  if (mode > 1)
    failUnsupported(red.core, op, "sum mode above 1");
  const uint64_t stride = uint64_t(red.config.dstStride) * t.size;
  red.begin(d, mode ? 0 : t.size, mode ? 0 : t.size, stride, pc);
  alignas(64) uint8_t lane[256];
  uint64_t total = t.negativeZero;
  for (uint32_t r = 0; r < red.active.repeats; ++r) {
    loadRepeat(red.src, red.active, r, t, Kind::Add, lane);
    fold(lane, red.active.lanes, red.active.lanes, t, t.add);
    if (mode)
      t.add(&total, &total, lane, 1);
    else
      std::memcpy(static_cast<uint8_t *>(d) + r * stride, lane, t.size);
  }
  if (mode)
    red.core.accumulator = red.active.repeats ? total : 0;
}

/// Reads an element as bits.
uint64_t element(const uint8_t *lane, uint32_t i, uint32_t size) {
  uint64_t v = 0;
  std::memcpy(&v, lane + i * size, size);
  return v;
}

bool isNan(uint64_t v, uint32_t size) {
  return size == 2 ? (v & 0x7fff) > 0x7c00 : (v & 0x7fffffff) > 0x7f800000;
}

/// Whether `a` beats `b`: NaN beats everything, equal values (also +0 and -0) do not beat each other.
bool beats(uint64_t a, uint64_t b, const Type &t, Kind kind) {
  if (isNan(b, t.size))
    return false;
  if (isNan(a, t.size))
    return true;
  uint8_t greater;
  if (t.size == 2)
    (kind == Kind::Max ? lanes().gt_f16 : lanes().lt_f16)(&greater, &a, &b, 1);
  else
    (kind == Kind::Max ? lanes().gt_f32 : lanes().lt_f32)(&greater, &a, &b, 1);
  return greater & 1;
}

void extremum(Op op, const Type &t, Kind kind, void *d, const void *s, uint64_t word, uint64_t order,
              const void *pc) {
  Reduction red(op, t, s, word);
  if (order > 3)
    failUnsupported(red.core, op, "result order above 3");
  // Index-only results are 32 bits wide for both types; in pairs the index has the width of the value (public
  // Ascend C documentation of WholeReduceMax).
  const uint32_t bytes = order < 2 ? 2 * t.size : order == 2 ? t.size : 4;
  const uint64_t stride = uint64_t(red.config.dstStride) * bytes;
  red.begin(d, bytes, bytes, stride, pc);
  alignas(64) uint8_t lane[256];
  uint64_t best = 0, bestIndex = 0;
  bool any = false;
  for (uint32_t r = 0; r < red.active.repeats; ++r) {
    loadRepeat(red.src, red.active, r, t, kind, lane);
    uint64_t value = 0, index = 0;
    bool found = false;
    for (uint32_t e = 0; e < red.active.lanes; ++e) {
      if (!red.active.lane(r, e))
        continue;
      const uint64_t v = element(lane, e, t.size);
      if (!found || beats(v, value, t, kind)) {
        value = v;
        index = e;
        found = true;
      }
    }
    uint8_t *to = static_cast<uint8_t *>(d) + r * stride;
    if (order < 2) {
      std::memcpy(to + (order == 0 ? 0 : t.size), &value, t.size);
      std::memcpy(to + (order == 0 ? t.size : 0), &index, t.size);
    } else {
      std::memcpy(to, order == 2 ? &value : &index, bytes);
    }
    if (!any || beats(value, best, t, kind)) {
      best = value;
      bestIndex = uint64_t(r) * red.active.lanes + index;
      any = true;
    }
  }
  red.core.maxMin = any ? best | bestIndex << 32 : 0;
}

/// One result per group of lanes; the destination stride counts the results of a full repeat. Groups without
/// an active lane write nothing.
void grouped(Op op, const Type &t, Kind kind, uint32_t group, void *d, const void *s, uint64_t word,
             const void *pc) {
  Reduction red(op, t, s, word);
  const uint32_t results = red.active.lanes / group;
  const uint64_t stride = uint64_t(red.config.dstStride) * results * t.size;
  auto written = [&](uint32_t r) {
    uint32_t last = 0;
    for (uint32_t e = 0; e < red.active.lanes; ++e)
      if (red.active.lane(r, e))
        last = e / group + 1;
    return last;
  };
  if (red.active.repeats)
    red.begin(d, written(0) * t.size, written(red.active.repeats - 1) * t.size, stride, pc);
  else
    red.begin(d, 0, 0, stride, pc);
  alignas(64) uint8_t lane[256];
  const BinLane f = kind == Kind::Add ? t.add : kind == Kind::Max ? t.max : t.min;
  for (uint32_t r = 0; r < red.active.repeats; ++r) {
    bool has[64] = {};
    for (uint32_t e = 0; e < red.active.lanes; ++e)
      has[e / group] |= red.active.lane(r, e);
    loadRepeat(red.src, red.active, r, t, kind, lane);
    fold(lane, red.active.lanes, group, t, f);
    for (uint32_t g = 0; g < results; ++g)
      if (has[g])
        std::memcpy(static_cast<uint8_t *>(d) + r * stride + g * t.size, lane + g * t.size, t.size);
  }
}

} // namespace

#define TW_SUM(id, T)                                                                                        \
  TW_ISA(id)(void *d, const void *s, uint64_t w, uint64_t mode) { sum(Op::id, T(), d, s, w, mode, TW_PC); }
TW_SUM(VCADD_f16_order, typeF16)
TW_SUM(VCADD_f32_order, typeF32)

#define TW_EXTREMUM(id, T, kind)                                                                             \
  TW_ISA(id)(void *d, const void *s, uint64_t w, uint64_t order) {                                           \
    extremum(Op::id, T(), Kind::kind, d, s, w, order, TW_PC);                                                \
  }
TW_EXTREMUM(VCMAX_f16_order_v220, typeF16, Max)
TW_EXTREMUM(VCMAX_f32_order_v220, typeF32, Max)
TW_EXTREMUM(VCMIN_f16_order_v220, typeF16, Min)
TW_EXTREMUM(VCMIN_f32_order_v220, typeF32, Min)

#define TW_GROUPED(id, T, kind, group)                                                                       \
  TW_ISA(id)(void *d, const void *s, uint64_t w) { grouped(Op::id, T(), Kind::kind, group, d, s, w, TW_PC); }
TW_GROUPED(VCGADD_f16, typeF16, Add, 16)
TW_GROUPED(VCGADD_f32, typeF32, Add, 8)
TW_GROUPED(VCGMAX_f16, typeF16, Max, 16)
TW_GROUPED(VCGMAX_f32, typeF32, Max, 8)
TW_GROUPED(VCGMIN_f16, typeF16, Min, 16)
TW_GROUPED(VCGMIN_f32, typeF32, Min, 8)
TW_GROUPED(VCPADD_f16, typeF16, Add, 2)
TW_GROUPED(VCPADD_f32, typeF32, Add, 2)
