// DataCopy, DataCopyPad, atomic stores and cache maintenance (Ascend C note, section 2.2).
#ifndef TILEWRIGHT_ASCENDC_COPY_H
#define TILEWRIGHT_ASCENDC_COPY_H

#include "operands.h"

namespace tilewright_ascendc {

constexpr uint64_t kMaxBurstBlocks = 65535, kMaxRows = 4095, kMaxRowBytes = 2097151;

TW_INLINE uint64_t blocksOf(const char *api, uint64_t bytes) {
  TW_REQUIRE(bytes % kBlock == 0, kLimit,
             "%s: %llu bytes are no multiple of 32; DataCopyPad takes any length", api,
             (unsigned long long)bytes);
  TW_REQUIRE(bytes / kBlock <= kMaxBurstBlocks, kLimit, "%s: %llu bytes are more than 65535 blocks", api,
             (unsigned long long)bytes);
  return bytes / kBlock;
}
TW_INLINE uint64_t span(uint64_t count, uint64_t len, uint64_t gap) {
  return count == 0 || len == 0 ? 0 : (count - 1) * (len + gap) + len;
}
TW_INLINE void requireParams(const char *api, const AscendC::DataCopyParams &p) {
  TW_REQUIRE(p.blockCount >= 1 && p.blockCount <= kMaxRows, kLimit,
             "%s: blockCount %u; 1 to 4095 are possible", api, unsigned(p.blockCount));
}
template <typename T> TW_INLINE void requireRows(const char *api, const AscendC::DataCopyExtParams &p) {
  TW_REQUIRE(p.blockCount <= kMaxRows, kLimit, "%s: blockCount %u; 0 to 4095 are possible", api,
             unsigned(p.blockCount));
  TW_REQUIRE(p.blockLen <= kMaxRowBytes, kLimit, "%s: blockLen %u; 0 to 2097151 bytes are possible", api,
             p.blockLen);
  TW_REQUIRE(p.blockLen % sizeof(T) == 0, kLimit,
             "%s: blockLen %u is no multiple of the %u bytes of an element", api, p.blockLen,
             unsigned(sizeof(T)));
}

#define TW_BY_WIDTH(op, ...)                                                                                 \
  do {                                                                                                       \
    if constexpr (sizeof(T) == 1)                                                                            \
      tw_isa_##op##_b8_V220(__VA_ARGS__);                                                                    \
    else if constexpr (sizeof(T) == 2)                                                                       \
      tw_isa_##op##_b16_V220(__VA_ARGS__);                                                                   \
    else                                                                                                     \
      tw_isa_##op##_b32_V220(__VA_ARGS__);                                                                   \
  } while (false)

} // namespace tilewright_ascendc

namespace AscendC {

template <typename T>
TW_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyParams &repeatParams) {
  namespace impl = tilewright_ascendc;
  const DataCopyParams &p = repeatParams;
  impl::requireParams("DataCopy", p);
  impl::requireOperand("DataCopy", "the destination", dst,
                       impl::span(p.blockCount, p.blockLen, p.dstStride) * impl::kBlock);
  src.requireBytes("DataCopy", impl::span(p.blockCount, p.blockLen, p.srcStride) * impl::kBlock);
  tw_isa_MOV_OUT_TO_UB(impl::at(dst), src.address(),
                       impl::wordBlocks(p.blockCount, p.blockLen, p.srcStride, p.dstStride));
}
template <typename T>
TW_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyParams &repeatParams) {
  namespace impl = tilewright_ascendc;
  const DataCopyParams &p = repeatParams;
  impl::requireParams("DataCopy", p);
  impl::requireOperand("DataCopy", "the source", src,
                       impl::span(p.blockCount, p.blockLen, p.srcStride) * impl::kBlock);
  dst.requireBytes("DataCopy", impl::span(p.blockCount, p.blockLen, p.dstStride) * impl::kBlock);
  tw_isa_MOV_UB_TO_OUT(dst.address(), impl::at(src),
                       impl::wordBlocks(p.blockCount, p.blockLen, p.srcStride, p.dstStride));
}
template <typename T>
TW_INLINE void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count) {
  namespace impl = tilewright_ascendc;
  const uint64_t blocks = impl::blocksOf("DataCopy", uint64_t(count) * sizeof(T));
  impl::requireOperand("DataCopy", "the destination", dst, blocks * impl::kBlock);
  src.requireBytes("DataCopy", blocks * impl::kBlock);
  tw_isa_MOV_OUT_TO_UB(impl::at(dst), src.address(), impl::wordBlocks(1, blocks, 0, 0));
}
template <typename T>
TW_INLINE void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {
  namespace impl = tilewright_ascendc;
  const uint64_t blocks = impl::blocksOf("DataCopy", uint64_t(count) * sizeof(T));
  impl::requireOperand("DataCopy", "the source", src, blocks * impl::kBlock);
  dst.requireBytes("DataCopy", blocks * impl::kBlock);
  tw_isa_MOV_UB_TO_OUT(dst.address(), impl::at(src), impl::wordBlocks(1, blocks, 0, 0));
}
/// Inside UB, on the vector pipe.
template <typename T>
TW_INLINE void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {
  namespace impl = tilewright_ascendc;
  const uint64_t blocks = impl::blocksOf("DataCopy", uint64_t(count) * sizeof(T));
  impl::requireOperand("DataCopy", "the destination", dst, blocks * impl::kBlock);
  impl::requireOperand("DataCopy", "the source", src, blocks * impl::kBlock);
  tw_isa_MOV_UB_TO_UB_v220(impl::at(dst), impl::at(src), impl::wordBlocks(1, blocks, 0, 0));
}

template <typename T>
TW_INLINE void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                           const DataCopyExtParams &dataCopyParams,
                           const DataCopyPadExtParams<T> &padParams) {
  namespace impl = tilewright_ascendc;
  const DataCopyExtParams &p = dataCopyParams;
  impl::requireRows<T>("DataCopyPad", p);
  const uint64_t left = padParams.leftPadding, right = padParams.rightPadding;
  TW_REQUIRE(left * sizeof(T) <= impl::kBlock && right * sizeof(T) <= impl::kBlock, impl::kLimit,
             "DataCopyPad: leftPadding %u, rightPadding %u; at most 32 bytes each", unsigned(left),
             unsigned(right));
  const uint64_t row = (p.blockLen + (left + right) * sizeof(T) + 31) / 32 * 32;
  impl::requireOperand("DataCopyPad", "the destination", dst,
                       impl::span(p.blockCount, row, uint64_t(p.dstStride) * 32));
  src.requireBytes("DataCopyPad", impl::span(p.blockCount, p.blockLen, p.srcStride));
  if (padParams.isPad) {
    uint64_t value = 0;
    __builtin_memcpy(&value, &padParams.paddingValue, sizeof(T));
    tw_isa_SET_MOV_PAD_VAL(value);
  }
  // Without isPad the padding has no value: the instruction leaves the rest of the block undefined.
  const uint64_t rightLanes = padParams.isPad ? right : 0, width = sizeof(T) == 8 ? 2 : 1;
  TW_BY_WIDTH(MOV_OUT_TO_UB_ALIGN, impl::at(dst), src.address(),
              impl::wordBytes(p.blockCount, p.blockLen, left * width, rightLanes * width),
              uint64_t(p.srcStride) | uint64_t(p.dstStride) << 32);
}
template <typename T>
TW_INLINE void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                           const DataCopyExtParams &dataCopyParams) {
  namespace impl = tilewright_ascendc;
  const DataCopyExtParams &p = dataCopyParams;
  impl::requireRows<T>("DataCopyPad", p);
  const uint64_t row = (uint64_t(p.blockLen) + 31) / 32 * 32;
  const uint64_t bytes =
      p.blockCount == 0 ? 0 : (p.blockCount - 1) * (row + uint64_t(p.srcStride) * 32) + p.blockLen;
  impl::requireOperand("DataCopyPad", "the source", src, bytes);
  dst.requireBytes("DataCopyPad", impl::span(p.blockCount, p.blockLen, p.dstStride));
  TW_BY_WIDTH(MOV_UB_TO_OUT_ALIGN, dst.address(), impl::at(src),
              impl::wordBytes(p.blockCount, p.blockLen, 0, 0),
              uint64_t(p.srcStride) | uint64_t(p.dstStride) << 32);
}
#undef TW_BY_WIDTH

/// Copies to GM add to what is there until SetAtomicNone.
template <typename T> TW_INLINE void SetAtomicAdd() {
  static_assert(tilewright_ascendc::isOneOf<T, float, half, int16_t, int32_t, bfloat16_t>,
                "SetAtomicAdd: float, half, int16_t, int32_t, bfloat16_t");
  constexpr uint64_t type = std::is_same_v<T, float>     ? 1
                            : std::is_same_v<T, half>    ? 2
                            : std::is_same_v<T, int16_t> ? 3
                            : std::is_same_v<T, int32_t> ? 4
                                                         : 6;
  tw_isa_SET_CTRL((tw_isa_GET_CTRL() & ~(uint64_t(0x1f) << 6)) | type << 6);
}
TW_INLINE void SetAtomicNone() { tw_isa_SET_CTRL(tw_isa_GET_CTRL() & ~(uint64_t(0x1f) << 6)); }

/// Writes the cache line of dst back, so that MTE and other cores see what SetValue stored.
template <typename T, CacheLine entireType, DcciDst dcciDst>
TW_INLINE void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst) {
  tw_isa_DCCI(dst.address(), uint64_t(entireType));
}

} // namespace AscendC
#endif
