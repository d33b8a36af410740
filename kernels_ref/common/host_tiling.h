// Host tiling in plain C++: what a tiling function is given and what it decides. The operator definition of a
// CANN build (op_host/*_def.cpp) fills these from gert::TilingContext; tests and `tilewright validate` call
// the same functions through the C entry at the end of each tiling file.
#ifndef KERNELS_REF_COMMON_HOST_TILING_H
#define KERNELS_REF_COMMON_HOST_TILING_H

#include <algorithm>
#include <cstdint>

namespace kernels_ref {

/// What platform_ascendc::PlatformAscendC answers: GetCoreNumAiv, GetCoreMemSize(UB).
struct PlatformInfo {
  uint32_t coreNum;
  uint64_t ubSize;
};

/// Element types, numbered as in ge::DataType.
enum DataType : int32_t { DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT32 = 3, DT_INT16 = 6, DT_BF16 = 27 };
inline uint32_t SizeOf(int32_t type) { return type == DT_FLOAT || type == DT_INT32 ? 4 : 2; }

/// What a tiling function sets in its context besides the tiling data.
struct TilingOutcome {
  uint32_t blockDim = 0;
  uint64_t tilingKey = 0;
  uint64_t workspaceSize = 0;
};

/// Select in modes 1 and 2 keeps its table in the last 8 KiB of the 192 KiB of UB; the query of an operator
/// project may answer some bytes less than 192 KiB.
constexpr uint64_t kUbWithoutSelectTable = 184 * 1024;

inline uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
inline uint64_t RoundUp(uint64_t a, uint64_t b) { return CeilDiv(a, b) * b; }
inline uint64_t RoundDown(uint64_t a, uint64_t b) { return a / b * b; }

} // namespace kernels_ref

extern "C" {
/// The C form of a request: shape as the operator counts it, element types, attributes in declaration order.
struct HostTilingRequest {
  const int64_t *sizes;
  int64_t sizeCount;
  const int32_t *types;
  int64_t typeCount;
  const double *attributes;
  int64_t attributeCount;
  uint64_t coreNum, ubSize;
};
struct HostTilingResult {
  uint8_t *data; ///< room for the tiling data
  uint64_t capacity, dataSize;
  uint64_t blockDim, tilingKey, workspaceSize;
};
}

namespace kernels_ref {

template <class Data> int Finish(const TilingOutcome &outcome, const Data &data, HostTilingResult *result) {
  if (result->capacity < sizeof(Data))
    return 1;
  const auto *bytes = reinterpret_cast<const uint8_t *>(&data);
  std::copy(bytes, bytes + sizeof(Data), result->data);
  result->dataSize = sizeof(Data);
  result->blockDim = outcome.blockDim;
  result->tilingKey = outcome.tilingKey;
  result->workspaceSize = outcome.workspaceSize;
  return 0;
}

} // namespace kernels_ref
#endif
