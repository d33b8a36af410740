// Element-wise arithmetic: two tensors, tensor and scalar, one tensor; Axpy, Duplicate, Brcb, Copy.
//
// The counted form is one instruction in counter mode for any count; the form with mask and repeats is one
// instruction in normal mode (Ascend C note, section 3). A mask is a number of lanes, or two words of lane
// bits. bfloat16_t has no arithmetic on this core: Cast first.
#ifndef TILEWRIGHT_ASCENDC_VECTOR_H
#define TILEWRIGHT_ASCENDC_VECTOR_H

#include "operands.h"

namespace tilewright_ascendc {

template <bool isSetMask, typename T>
TW_INLINE void requireBinary(const char *api, const AscendC::LocalTensor<T> &dst,
                             const AscendC::LocalTensor<T> &src0, const AscendC::LocalTensor<T> &src1,
                             const LaneMask &m, uint8_t repeat, const AscendC::BinaryRepeatParams &p) {
  requireRepeat(api, repeat);
  requireOperand(api, "the destination", dst, strided<T>(m.last, repeat, p.dstBlkStride, p.dstRepStride));
  requireOperand(api, "source 0", src0, strided<T>(m.last, repeat, p.src0BlkStride, p.src0RepStride));
  requireOperand(api, "source 1", src1, strided<T>(m.last, repeat, p.src1BlkStride, p.src1RepStride));
  if constexpr (isSetMask)
    setLanes(m);
}
template <bool isSetMask, typename D, typename S>
TW_INLINE void requireUnary(const char *api, const AscendC::LocalTensor<D> &dst,
                            const AscendC::LocalTensor<S> &src, const LaneMask &m, uint8_t repeat,
                            const AscendC::UnaryRepeatParams &p) {
  requireRepeat(api, repeat);
  requireOperand(api, "the destination", dst, strided<D>(m.last, repeat, p.dstBlkStride, p.dstRepStride));
  requireOperand(api, "the source", src, strided<S>(m.last, repeat, p.srcBlkStride, p.srcRepStride));
  if constexpr (isSetMask)
    setLanes(m);
}
TW_INLINE uint64_t wordUn(const AscendC::UnaryRepeatParams &p, uint64_t repeat) {
  return wordUn(p.dstBlkStride, p.srcBlkStride, p.dstRepStride, p.srcRepStride, repeat);
}
constexpr uint64_t kUnDense = 0x0100080800010001; ///< block strides 1, repeat strides 8, one repeat
constexpr uint64_t kBinDense = 0x0100080808010101;

/// The scalar operand as the instruction takes it.
template <typename T> TW_INLINE auto scalarOf(T v) {
  if constexpr (std::is_integral_v<T>)
    return uint64_t(int64_t(v));
  else
    return v;
}

} // namespace tilewright_ascendc

namespace AscendC {

#define TW_BINARY(Name, op, TYPES, CALL, names)                                                              \
  template <typename T>                                                                                      \
  TW_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
                      const int32_t &count) {                                                                \
    static_assert(TYPES(T), #Name ": element types on this core: " names);                                   \
    tilewright_ascendc::requireCounted(#Name, count, dst, src0, src1);                                       \
    tilewright_ascendc::Counted mode(count);                                                                 \
    CALL(op, T, tilewright_ascendc::at(dst), tilewright_ascendc::at(src0), tilewright_ascendc::at(src1),     \
         tilewright_ascendc::kBinDense);                                                                     \
  }                                                                                                          \
  template <typename T, bool isSetMask = true, typename Mask>                                                \
  TW_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
                      Mask mask, const uint8_t repeatTime, const BinaryRepeatParams &repeatParams) {         \
    static_assert(TYPES(T), #Name ": element types on this core: " names);                                   \
    tilewright_ascendc::requireBinary<isSetMask>(                                                            \
        #Name, dst, src0, src1, tilewright_ascendc::laneMask<T>(#Name, mask), repeatTime, repeatParams);     \
    CALL(op, T, tilewright_ascendc::at(dst), tilewright_ascendc::at(src0), tilewright_ascendc::at(src1),     \
         tilewright_ascendc::wordBin(repeatParams, repeatTime));                                             \
  }

TW_BINARY(Add, VADD, TW_TYPES_FOUR, TW_CALL_FOUR, "half, float, int16_t, int32_t")
TW_BINARY(Sub, VSUB, TW_TYPES_FOUR, TW_CALL_FOUR, "half, float, int16_t, int32_t")
TW_BINARY(Mul, VMUL, TW_TYPES_FOUR, TW_CALL_FOUR, "half, float, int16_t, int32_t")
TW_BINARY(Max, VMAX, TW_TYPES_FOUR, TW_CALL_FOUR, "half, float, int16_t, int32_t")
TW_BINARY(Min, VMIN, TW_TYPES_FOUR, TW_CALL_FOUR, "half, float, int16_t, int32_t")
TW_BINARY(Div, VDIV, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_BINARY(And, VAND, TW_TYPES_BITS16, TW_CALL_BITS16, "int16_t, uint16_t")
TW_BINARY(Or, VOR, TW_TYPES_BITS16, TW_CALL_BITS16, "int16_t, uint16_t")
#undef TW_BINARY

#define TW_SCALAR(Name, op)                                                                                  \
  template <typename T, bool isSetMask = true>                                                               \
  TW_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,            \
                      const int32_t &count) {                                                                \
    static_assert(TW_TYPES_FOUR(T), #Name ": element types on this core: half, float, int16_t, int32_t");    \
    tilewright_ascendc::requireCounted(#Name, count, dst, src);                                              \
    tilewright_ascendc::Counted mode(count);                                                                 \
    TW_CALL_FOUR(op, T, tilewright_ascendc::at(dst), tilewright_ascendc::at(src),                            \
                 tilewright_ascendc::scalarOf(scalarValue), tilewright_ascendc::kUnDense);                   \
  }                                                                                                          \
  template <typename T, bool isSetMask = true>                                                               \
  TW_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalarValue,            \
                      uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &repeatParams) {      \
    static_assert(TW_TYPES_FOUR(T), #Name ": element types on this core: half, float, int16_t, int32_t");    \
    tilewright_ascendc::requireUnary<isSetMask>(                                                             \
        #Name, dst, src, tilewright_ascendc::laneMask<T>(#Name, mask), repeatTime, repeatParams);            \
    TW_CALL_FOUR(op, T, tilewright_ascendc::at(dst), tilewright_ascendc::at(src),                            \
                 tilewright_ascendc::scalarOf(scalarValue),                                                  \
                 tilewright_ascendc::wordUn(repeatParams, repeatTime));                                      \
  }

TW_SCALAR(Adds, VADDS)
TW_SCALAR(Muls, VMULS)
TW_SCALAR(Maxs, VMAXS)
TW_SCALAR(Mins, VMINS)
#undef TW_SCALAR

#define TW_UNARY(Name, op, TYPES, CALL, names)                                                               \
  template <typename T>                                                                                      \
  TW_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count) {          \
    static_assert(TYPES(T), #Name ": element types on this core: " names);                                   \
    tilewright_ascendc::requireCounted(#Name, count, dst, src);                                              \
    tilewright_ascendc::Counted mode(count);                                                                 \
    CALL(op, T, tilewright_ascendc::at(dst), tilewright_ascendc::at(src), tilewright_ascendc::kUnDense);     \
  }                                                                                                          \
  template <typename T, bool isSetMask = true>                                                               \
  TW_INLINE void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask,                   \
                      const uint8_t repeatTime, const UnaryRepeatParams &repeatParams) {                     \
    static_assert(TYPES(T), #Name ": element types on this core: " names);                                   \
    tilewright_ascendc::requireUnary<isSetMask>(                                                             \
        #Name, dst, src, tilewright_ascendc::laneMask<T>(#Name, mask), repeatTime, repeatParams);            \
    CALL(op, T, tilewright_ascendc::at(dst), tilewright_ascendc::at(src),                                    \
         tilewright_ascendc::wordUn(repeatParams, repeatTime));                                              \
  }

TW_UNARY(Exp, VEXP, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_UNARY(Ln, VLN, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_UNARY(Abs, VABS, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_UNARY(Sqrt, VSQRT, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_UNARY(Rsqrt, VRSQRT, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_UNARY(Reciprocal, VREC, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_UNARY(Relu, VRELU, TW_TYPES_FLOATS, TW_CALL_FLOATS, "half, float")
TW_UNARY(Not, VNOT, TW_TYPES_BITS16, TW_CALL_BITS16, "int16_t, uint16_t")
#undef TW_UNARY

/// dst += src * scalarValue
template <typename T, typename U>
TW_INLINE void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalarValue,
                    const int32_t &count) {
  static_assert(std::is_same_v<T, U> && TW_TYPES_FLOATS(T), "Axpy: half or float, the same on both sides");
  tilewright_ascendc::requireCounted("Axpy", count, dst, src);
  tilewright_ascendc::Counted mode(count);
  TW_CALL_FLOATS(VAXPY, T, tilewright_ascendc::at(dst), tilewright_ascendc::at(src), scalarValue,
                 tilewright_ascendc::kUnDense);
}

} // namespace AscendC

namespace tilewright_ascendc {

template <typename T> TW_INLINE void duplicate(void *dst, T value, uint64_t word) {
  if constexpr (std::is_same_v<T, half>)
    tw_isa_MOVEV_f16(dst, value, word);
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    tw_isa_MOVEV_bf16(dst, value, word);
  else if constexpr (std::is_same_v<T, float>)
    tw_isa_MOVEV_f32(dst, value, word);
  else if constexpr (std::is_same_v<T, int16_t>)
    tw_isa_MOVEV_s16(dst, uint64_t(int64_t(value)), word);
  else if constexpr (std::is_same_v<T, uint16_t>)
    tw_isa_MOVEV_u16(dst, value, word);
  else if constexpr (std::is_same_v<T, int32_t>)
    tw_isa_MOVEV_s32(dst, uint64_t(int64_t(value)), word);
  else
    tw_isa_MOVEV_u32(dst, value, word);
}

} // namespace tilewright_ascendc

namespace AscendC {

template <typename T>
TW_INLINE void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, const int32_t &count) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Duplicate: elements of 16 or 32 bits");
  tilewright_ascendc::requireCounted("Duplicate", count, dst);
  tilewright_ascendc::Counted mode(count);
  tilewright_ascendc::duplicate<T>(tilewright_ascendc::at(dst), scalarValue,
                                   tilewright_ascendc::wordDup(1, 8, 1));
}
template <typename T, bool isSetMask = true, typename Mask>
TW_INLINE void Duplicate(const LocalTensor<T> &dst, const T &scalarValue, Mask mask, const uint8_t repeatTime,
                         const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
  const auto m = tilewright_ascendc::laneMask<T>("Duplicate", mask);
  tilewright_ascendc::requireRepeat("Duplicate", repeatTime);
  tilewright_ascendc::requireOperand(
      "Duplicate", "the destination", dst,
      tilewright_ascendc::strided<T>(m.last, repeatTime, dstBlockStride, dstRepeatStride));
  if constexpr (isSetMask)
    tilewright_ascendc::setLanes(m);
  tilewright_ascendc::duplicate<T>(tilewright_ascendc::at(dst), scalarValue,
                                   tilewright_ascendc::wordDup(dstBlockStride, dstRepeatStride, repeatTime));
}

/// Each repeat reads 8 elements and fills a block with each.
template <typename T>
TW_INLINE void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t repeatTime,
                    const BrcbRepeatParams &repeatParams) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Brcb: elements of 16 or 32 bits");
  namespace impl = tilewright_ascendc;
  impl::requireRepeat("Brcb", repeatTime, 254);
  const uint64_t n = repeatTime;
  impl::requireOperand("Brcb", "the source", src0, n * 8 * sizeof(T));
  impl::requireOperand(
      "Brcb", "the destination", dst,
      n == 0 ? 0 : ((n - 1) * repeatParams.dstRepStride + 7 * repeatParams.dstBlkStride + 1) * impl::kBlock);
  const uint64_t word = impl::wordDup(repeatParams.dstBlkStride, repeatParams.dstRepStride, n);
  if constexpr (sizeof(T) == 2)
    tw_isa_VBRCB_b16(impl::at(dst), impl::at(src0), word);
  else
    tw_isa_VBRCB_b32(impl::at(dst), impl::at(src0), word);
}

} // namespace AscendC
#endif
