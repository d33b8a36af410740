// Compare, CompareScalar and Select (Ascend C note, sections 2.4 and 3).
#ifndef TILEWRIGHT_ASCENDC_COMPARE_H
#define TILEWRIGHT_ASCENDC_COMPARE_H

#include "pipe.h"

#include "operands.h"

namespace tilewright_ascendc {

#define TW_RELATION(CALL, prefix, ...)                                                                       \
  switch (mode) {                                                                                            \
  case AscendC::CMPMODE::LT:                                                                                 \
    CALL(prefix##_LT, T, __VA_ARGS__);                                                                       \
    break;                                                                                                   \
  case AscendC::CMPMODE::GT:                                                                                 \
    CALL(prefix##_GT, T, __VA_ARGS__);                                                                       \
    break;                                                                                                   \
  case AscendC::CMPMODE::EQ:                                                                                 \
    CALL(prefix##_EQ, T, __VA_ARGS__);                                                                       \
    break;                                                                                                   \
  case AscendC::CMPMODE::LE:                                                                                 \
    CALL(prefix##_LE, T, __VA_ARGS__);                                                                       \
    break;                                                                                                   \
  case AscendC::CMPMODE::GE:                                                                                 \
    CALL(prefix##_GE, T, __VA_ARGS__);                                                                       \
    break;                                                                                                   \
  case AscendC::CMPMODE::NE:                                                                                 \
    CALL(prefix##_NE, T, __VA_ARGS__);                                                                       \
    break;                                                                                                   \
  }

template <typename T> TW_INLINE void requireCompare(const char *api, uint32_t count) {
  TW_REQUIRE(count * sizeof(T) % kRepeat == 0, kLimit,
             "%s: count %u is %u bytes; the bytes must be a multiple of 256", api, count,
             uint32_t(count * sizeof(T)));
}

/// The table at 184 KiB belongs to Select from now on.
TW_INLINE void takeScratch() {
  Pipe *const state = pipe();
  if (!state)
    return;
  state->select = true;
  TW_REQUIRE(state->used <= kSelectScratch, kUbBudget,
             "Select: its table starts at UB byte 188416, and the buffers of this kernel reach %u",
             state->used);
}
TW_INLINE void *scratch() { return reinterpret_cast<void *>(tw_core_ub() + kSelectScratch); }
constexpr uint64_t kScratchLanes = 32; ///< 128 bytes

/// Loads the compare mask register from the table, filled with `bits` 4 bytes wide.
TW_INLINE void loadTable(uint32_t bits) {
  setMaskCount();
  setVectorMask(0, kScratchLanes);
  tw_isa_MOVEV_u32(scratch(), bits, wordDup(1, 8, 1));
  tw_isa_BARRIER(PIPE_V);
  tw_isa_SET_CMPMASK(scratch());
  tw_isa_BARRIER(PIPE_V);
}

template <typename T> TW_INLINE uint32_t tableBits(T scalar) {
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(uint32_t, scalar);
  else
    return uint32_t(__builtin_bit_cast(uint16_t, scalar)) * 0x10001u;
}

} // namespace tilewright_ascendc

namespace AscendC {

/// Bit i of dst, little-endian inside a byte, is the comparison of element i.
template <typename T, typename U>
TW_INLINE void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                       CMPMODE cmpMode, uint32_t count) {
  namespace impl = tilewright_ascendc;
  static_assert(TW_TYPES_FLOATS(T), "Compare: half, float");
  const CMPMODE mode = cmpMode;
  impl::requireCompare<T>("Compare", count);
  impl::requireOperand("Compare", "the destination", dst, count / 8);
  impl::requireOperand("Compare", "source 0", src0, uint64_t(count) * sizeof(T));
  impl::requireOperand("Compare", "source 1", src1, uint64_t(count) * sizeof(T));
  impl::Counted counted(count);
  TW_RELATION(TW_CALL_FLOATS, VCMPV, impl::at(dst), impl::at(src0), impl::at(src1),
              uint64_t(0x0100080808010101))
}

template <typename T, typename U>
TW_INLINE void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,
                             CMPMODE cmpMode, uint32_t count) {
  namespace impl = tilewright_ascendc;
  static_assert(impl::isOneOf<T, half, float, int32_t>, "CompareScalar: half, float; int32_t for EQ");
  const CMPMODE mode = cmpMode;
  impl::requireCompare<T>("CompareScalar", count);
  impl::requireOperand("CompareScalar", "the destination", dst, count / 8);
  impl::requireOperand("CompareScalar", "the source", src0, uint64_t(count) * sizeof(T));
  if constexpr (std::is_same_v<T, int32_t>) {
    TW_REQUIRE(mode == CMPMODE::EQ, impl::kLimit, "CompareScalar: int32_t has EQ only");
    impl::Counted counted(count);
    tw_isa_VCMPVS_EQ_s32(impl::at(dst), impl::at(src0), uint64_t(int64_t(src1Scalar)), 0x0100080800010001);
  } else {
    impl::Counted counted(count);
    TW_RELATION(TW_CALL_FLOATS, VCMPVS, impl::at(dst), impl::at(src0), src1Scalar,
                uint64_t(0x0100080800010001))
  }
}
/// The newer name.
template <typename T, typename U>
TW_INLINE void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1Scalar,
                        CMPMODE cmpMode, uint32_t count) {
  CompareScalar(dst, src0, src1Scalar, cmpMode, count);
}

/// Modes 0 and 2: src0 where the bit is 1, else src1.
template <typename T, typename U>
TW_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                      const LocalTensor<T> &src1, SELMODE selMode, uint32_t count) {
  namespace impl = tilewright_ascendc;
  static_assert(TW_TYPES_FLOATS(T), "Select: half, float");
  TW_REQUIRE(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE, impl::kLimit,
             "Select: two tensors take VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE");
  impl::requireCounted("Select", count, dst, src0, src1);
  const bool walks = selMode == SELMODE::VSEL_TENSOR_TENSOR_MODE;
  impl::requireOperand("Select", "the mask", selMask, walks ? (count + 7) / 8 : 16);
  if (walks) {
    impl::takeScratch();
    impl::loadTable(uint32_t(tw_core_ub() + selMask.view.offset));
  } else {
    impl::setMaskCount();
    tw_isa_SET_CMPMASK(impl::at(selMask));
    tw_isa_BARRIER(PIPE_V);
  }
  impl::setVectorMask(0, count);
  const uint64_t word = 0x0100080808010101 | uint64_t(selMode) << 48;
  if constexpr (std::is_same_v<T, half>)
    tw_isa_VSEL_f16_1(impl::at(dst), impl::at(src0), impl::at(src1), word);
  else
    tw_isa_VSEL_f32_1(impl::at(dst), impl::at(src0), impl::at(src1), word);
  impl::setMaskNorm();
  impl::setVectorMask(~uint64_t(0), ~uint64_t(0));
}

/// Mode 1: src0 where the bit is 1, else the scalar.
template <typename T, typename U>
TW_INLINE void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
                      T src1, SELMODE selMode, uint32_t count) {
  namespace impl = tilewright_ascendc;
  static_assert(TW_TYPES_FLOATS(T), "Select: half, float");
  TW_REQUIRE(selMode == SELMODE::VSEL_TENSOR_SCALAR_MODE, impl::kLimit,
             "Select: a tensor and a scalar take VSEL_TENSOR_SCALAR_MODE");
  impl::requireCounted("Select", count, dst, src0);
  impl::requireOperand("Select", "the mask", selMask, (count + 7) / 8);
  impl::takeScratch();
  impl::loadTable(impl::tableBits(src1));
  impl::setVectorMask(0, count);
  const uint64_t word = impl::wordBin(BinaryRepeatParams(1, 1, 1, 8, 8, 1), 1, 1); // bits: 8 bytes a repeat
  if constexpr (std::is_same_v<T, half>)
    tw_isa_VSEL_f16_1(impl::at(dst), impl::at(src0), impl::at(selMask), word);
  else
    tw_isa_VSEL_f32_1(impl::at(dst), impl::at(src0), impl::at(selMask), word);
  impl::setMaskNorm();
  impl::setVectorMask(~uint64_t(0), ~uint64_t(0));
}
#undef TW_RELATION

} // namespace AscendC
#endif
