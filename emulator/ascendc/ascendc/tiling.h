// Tiling data and tiling keys on the device side (Ascend C note, section 5).
#ifndef TILEWRIGHT_ASCENDC_TILING_H
#define TILEWRIGHT_ASCENDC_TILING_H

#include "machine.h"

// The key selects a variant when the kernel is compiled; the driver defines it.
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR 0
#endif
#define TILING_KEY_IS(key) (TILING_KEY_VAR == (key))

#define REGISTER_TILING_DEFAULT(type) static_assert(sizeof(type) % 8 == 0, #type " is padded to 8 bytes")
#define GET_TILING_DATA_WITH_STRUCT(type, name, ptr)                                                         \
  type name;                                                                                                 \
  tilewright_ascendc::copyTiling(name, ptr)

#define KERNEL_TYPE_AIV_ONLY 0
#define KERNEL_TASK_TYPE_DEFAULT(type) static_assert((type) == KERNEL_TYPE_AIV_ONLY, "vector kernels only")

namespace tilewright_ascendc {

/// The scalar unit reads GM by cache lines of 64 bytes: one access each.
template <typename T> TW_INLINE void copyTiling(T &to, const __gm__ uint8_t *from) {
  static_assert(std::is_trivially_copyable_v<T>, "tiling data is a plain struct");
  constexpr uint64_t line = 64;
  auto *bytes = reinterpret_cast<uint8_t *>(&to);
  for (uint64_t i = 0; i < sizeof(T); i += line)
    tw_core_scalar_gm(reinterpret_cast<uint64_t>(from + i), sizeof(T) - i < line ? sizeof(T) - i : line, 0);
  for (uint64_t i = 0; i < sizeof(T); ++i)
    bytes[i] = from[i];
}

} // namespace tilewright_ascendc
#endif
