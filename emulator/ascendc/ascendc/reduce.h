// Sums: ReduceSum, WholeReduceSum, BlockReduceSum, PairReduceSum (Ascend C note, sections 2.4 and 3).
#ifndef TILEWRIGHT_ASCENDC_REDUCE_H
#define TILEWRIGHT_ASCENDC_REDUCE_H

#include "pipe.h"

#include "operands.h"

namespace tilewright_ascendc {

template <typename T>
TW_INLINE void sumRepeats(void *dst, const void *src, uint64_t word, uint64_t accumulate) {
  if constexpr (std::is_same_v<T, half>)
    tw_isa_VCADD_f16_order(dst, src, word, accumulate);
  else
    tw_isa_VCADD_f32_order(dst, src, word, accumulate);
}
template <typename T> TW_INLINE T accumulated() {
  const uint64_t bits = tw_isa_GET_ACC_VAL();
  if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(T, uint16_t(bits));
  else
    return __builtin_bit_cast(T, uint32_t(bits));
}

template <typename T>
TW_INLINE LaneMask requireSums(const char *api, const AscendC::LocalTensor<T> &dst,
                               const AscendC::LocalTensor<T> &src, int32_t mask, int32_t repeat,
                               int32_t srcBlk, int32_t srcRep, uint64_t results) {
  static_assert(TW_TYPES_FLOATS(T), "sums: half, float");
  requireRepeat(api, repeat);
  TW_REQUIRE(srcBlk >= 0 && srcBlk <= 65535 && srcRep >= 0 && srcRep <= 65535, kLimit,
             "%s: source strides %d, %d", api, srcBlk, srcRep);
  const LaneMask m = laneMask<T>(api, uint64_t(int64_t(mask)));
  requireOperand(api, "the source", src,
                 strided<T>(m.last, uint64_t(repeat), uint64_t(srcBlk), uint64_t(srcRep)));
  dst.view.requireLive(api);
  TW_REQUIRE(results * sizeof(T) <= dst.view.bytes, kOperand,
             "%s: %llu results, the destination has %u bytes", api, (unsigned long long)results,
             dst.view.bytes);
  setLanes(m);
  return m;
}

} // namespace tilewright_ascendc

namespace AscendC {

/// dst[0] = sum of count elements, through the accumulator of the vector unit and the scalar unit. sharedTmp
/// is not touched on this core.
template <typename T, bool isSetMask = true>
TW_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                         const LocalTensor<T> &sharedTmpBuffer, const int32_t count) {
  namespace impl = tilewright_ascendc;
  static_assert(TW_TYPES_FLOATS(T), "ReduceSum: half, float");
  impl::requireCount("ReduceSum", count);
  if (count == 0)
    return;
  impl::requireOperand("ReduceSum", "the source", src, uint64_t(count) * sizeof(T));
  dst.view.requireLive("ReduceSum");
  TW_REQUIRE(dst.view.bytes >= sizeof(T), impl::kOperand, "ReduceSum: the destination has no element");
  sharedTmpBuffer.view.requireLive("ReduceSum");
  impl::setMaskCount();
  impl::setVectorMask(0, uint64_t(count));
  impl::sumRepeats<T>(impl::at(dst), impl::at(src), impl::wordRed(1, 1, 8, 1), 1);
  TPipe *const pipe = GetTPipePtr();
  const TEventID done = pipe->FetchEventID(HardEvent::V_S);
  impl::setFlag(HardEvent::V_S, done);
  impl::waitFlag(HardEvent::V_S, done);
  dst.SetValue(0, impl::accumulated<T>());
  const TEventID toV = pipe->FetchEventID(HardEvent::S_V);
  impl::setFlag(HardEvent::S_V, toV);
  impl::waitFlag(HardEvent::S_V, toV);
  const TEventID toMte3 = pipe->FetchEventID(HardEvent::S_MTE3);
  impl::setFlag(HardEvent::S_MTE3, toMte3);
  impl::waitFlag(HardEvent::S_MTE3, toMte3);
  impl::setMaskNorm();
  impl::setVectorMask(~uint64_t(0), ~uint64_t(0));
}

/// dst[0] = sum over repeats: one sum a repeat into sharedTmp, then those again until one is left.
template <typename T>
TW_INLINE void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                         const LocalTensor<T> &sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,
                         const int32_t srcRepStride) {
  namespace impl = tilewright_ascendc;
  constexpr uint64_t perRepeat = 256 / sizeof(T), perBlock = impl::kBlock / sizeof(T);
  const uint64_t room = (uint64_t(repeatTime) + perBlock - 1) / perBlock * perBlock;
  impl::requireOperand("ReduceSum", "sharedTmpBuffer", sharedTmpBuffer, room * sizeof(T));
  impl::requireSums("ReduceSum", sharedTmpBuffer, src, mask, repeatTime, 1, srcRepStride,
                    uint64_t(repeatTime));
  dst.view.requireLive("ReduceSum");
  void *const tmp = impl::at(sharedTmpBuffer);
  impl::sumRepeats<T>(repeatTime == 1 ? impl::at(dst) : tmp, impl::at(src),
                      impl::wordRed(1, 1, uint64_t(srcRepStride), uint64_t(repeatTime)), 0);
  for (uint64_t left = uint64_t(repeatTime); left > 1;) {
    tw_isa_BARRIER(PIPE_V);
    const uint64_t repeats = (left + perRepeat - 1) / perRepeat;
    impl::setMaskCount();
    impl::setVectorMask(0, left);
    impl::sumRepeats<T>(repeats == 1 ? impl::at(dst) : tmp, tmp, impl::wordRed(1, 1, 8, 1), 0);
    impl::setMaskNorm();
    left = repeats;
  }
  impl::setVectorMask(~uint64_t(0), ~uint64_t(0));
}

/// One sum a repeat; dstRepStride in elements. Stays in the vector unit.
template <typename T, bool isSetMask = true>
TW_INLINE void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,
                              const int32_t repeatTime, const int32_t dstRepStride,
                              const int32_t srcBlkStride, const int32_t srcRepStride) {
  namespace impl = tilewright_ascendc;
  const uint64_t results = repeatTime <= 0 ? 0 : uint64_t(repeatTime - 1) * uint64_t(dstRepStride) + 1;
  impl::requireSums("WholeReduceSum", dst, src, mask, repeatTime, srcBlkStride, srcRepStride, results);
  impl::sumRepeats<T>(impl::at(dst), impl::at(src),
                      impl::wordRed(uint64_t(dstRepStride), uint64_t(srcBlkStride), uint64_t(srcRepStride),
                                    uint64_t(repeatTime)),
                      0);
}

#define TW_GROUPED(Name, op, perRepeat)                                                                      \
  template <typename T, bool isSetMask = true>                                                               \
  TW_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,        \
                      const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride,            \
                      const int32_t srcRepStride) {                                                          \
    namespace impl = tilewright_ascendc;                                                                     \
    const uint64_t results =                                                                                 \
        repeatTime <= 0 ? 0 : (uint64_t(repeatTime - 1) * uint64_t(dstRepStride) + 1) * (perRepeat);         \
    impl::requireSums(#Name, dst, src, mask, repeatTime, srcBlkStride, srcRepStride, results);               \
    TW_CALL_FLOATS(op, T, impl::at(dst), impl::at(src),                                                      \
                   impl::wordRed(uint64_t(dstRepStride), uint64_t(srcBlkStride), uint64_t(srcRepStride),     \
                                 uint64_t(repeatTime)));                                                     \
  }
/// One sum a 32-byte block (8 a repeat); dstRepStride in groups of 8.
TW_GROUPED(BlockReduceSum, VCGADD, 8)
/// One sum a pair of neighbours.
TW_GROUPED(PairReduceSum, VCPADD, 128 / sizeof(T))
#undef TW_GROUPED

} // namespace AscendC
#endif
