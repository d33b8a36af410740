// How instructions become exported functions.
#ifndef TILEWRIGHT_EMULATOR_ISA_EXPORT_H
#define TILEWRIGHT_EMULATOR_ISA_EXPORT_H

#include "emulator/isa/Layout.h"
#include "emulator/isa/Vector.h"
#include "emulator/machine/Core.h"

/// Defines the function behind `llvm.hivm.<name>`.
#define TW_ISA(id) extern "C" TW_API void tw_isa_##id
#define TW_ISA_VALUE(id) extern "C" TW_API uint64_t tw_isa_##id

namespace tilewright::emulator {

template <class T> inline uint64_t scalarBits(T v) {
  if constexpr (sizeof(T) == 2)
    return __builtin_bit_cast(uint16_t, v);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(uint32_t, v);
  else
    return uint64_t(v);
}

inline Operand destination(const void *p, Stride s, uint32_t size) {
  return {uint64_t(p), s, size, true, "destination"};
}
inline Operand source(const void *p, Stride s, uint32_t size, const char *name = "source") {
  return {uint64_t(p), s, size, false, name};
}

} // namespace tilewright::emulator
#endif
