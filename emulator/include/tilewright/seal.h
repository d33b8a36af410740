// The seal of a kernel object: 32 bytes after the end of the ELF file with its size and a checksum, so that a
// damaged or truncated file is refused before the dynamic loader interprets it. Loaders ignore bytes after
// the ELF image.
//
// hivmc appends the seal as the last step of writing; tw_kernel_open verifies it.
#ifndef TILEWRIGHT_SEAL_H
#define TILEWRIGHT_SEAL_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tilewright {

struct Seal {
  char magic[8]; // "TWSEAL1\n"
  uint64_t size; // bytes before the seal
  uint64_t sum[2];
};

inline constexpr char kSealMagic[9] = "TWSEAL1\n";

/// Two multiply-xorshift lanes over 8-byte words: detects damage, not forgery.
inline Seal makeSeal(const void *data, size_t size) {
  Seal seal;
  std::memcpy(seal.magic, kSealMagic, 8);
  seal.size = size;
  uint64_t a = 0x9e3779b97f4a7c15ull ^ size, b = 0xc2b2ae3d27d4eb4full + size;
  const unsigned char *p = static_cast<const unsigned char *>(data);
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, p + i, size - i < 8 ? size - i : 8);
    a = (a ^ word) * 0xff51afd7ed558ccdull;
    a ^= a >> 32;
    b = (b + word) * 0xc4ceb9fe1a85ec53ull;
    b ^= b >> 29;
  }
  seal.sum[0] = a;
  seal.sum[1] = b;
  return seal;
}

enum class SealState { Absent, Good, Broken };

/// Examines the last bytes of a whole file image.
inline SealState checkSeal(const void *file, size_t size) {
  Seal seal;
  if (size < sizeof seal)
    return SealState::Absent;
  std::memcpy(&seal, static_cast<const unsigned char *>(file) + size - sizeof seal, sizeof seal);
  if (std::memcmp(seal.magic, kSealMagic, 8) != 0)
    return SealState::Absent;
  const Seal right = makeSeal(file, size - sizeof seal);
  return std::memcmp(&seal, &right, sizeof seal) == 0 ? SealState::Good : SealState::Broken;
}

} // namespace tilewright
#endif
