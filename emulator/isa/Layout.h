// Bit layouts of the packed configuration words (c220 ISA note, section 3). Decoding happens only here.
//
// All strides of vector instructions count 32-byte blocks; the decoded structs hold them in bytes.
#ifndef TILEWRIGHT_EMULATOR_ISA_LAYOUT_H
#define TILEWRIGHT_EMULATOR_ISA_LAYOUT_H

#include <cstdint>

namespace tilewright::emulator {

inline constexpr uint32_t kBlock = 32;         // bytes of a UB block
inline constexpr uint32_t kRepeat = 256;       // bytes of a repeat of the widest type
inline constexpr uint32_t kUbSize = 192 << 10; // 910B vector core

/// Bits lo .. hi (inclusive) of a word.
constexpr uint64_t bits(uint64_t word, unsigned lo, unsigned hi) {
  return (word >> lo) & (hi - lo == 63 ? ~uint64_t(0) : (uint64_t(1) << (hi - lo + 1)) - 1);
}

/// Block stride (between blocks of one repeat) and repeat stride (between repeats), in bytes.
struct Stride {
  uint32_t block, repeat;
};

/// The destination repeat stride of one-source words is split over 32-39 and 52-55.
constexpr uint32_t splitRepeat(uint64_t w) { return uint32_t(bits(w, 32, 39) | bits(w, 52, 55) << 8); }

/// Two vector sources; VSEL adds the mode.
struct BIN {
  Stride dst, src0, src1;
  uint32_t mode, repeat;
  explicit constexpr BIN(uint64_t w)
      : dst{uint32_t(bits(w, 0, 7)) * kBlock, uint32_t(bits(w, 24, 31)) * kBlock},
        src0{uint32_t(bits(w, 8, 15)) * kBlock, uint32_t(bits(w, 32, 39)) * kBlock},
        src1{uint32_t(bits(w, 16, 23)) * kBlock, uint32_t(bits(w, 40, 47)) * kBlock},
        mode(uint32_t(bits(w, 48, 55))), repeat(uint32_t(bits(w, 56, 63))) {}
};

/// One vector source: unary, vector with scalar, conversions, VCOPY.
struct UN {
  Stride dst, src;
  uint32_t repeat;
  explicit constexpr UN(uint64_t w)
      : dst{uint32_t(bits(w, 0, 15)) * kBlock, splitRepeat(w) * kBlock},
        src{uint32_t(bits(w, 16, 31)) * kBlock, uint32_t(bits(w, 40, 51)) * kBlock},
        repeat(uint32_t(bits(w, 56, 63))) {}
};

/// MOVEV (scalar fill) and VBRCB (element to block): destination only.
struct DUP {
  Stride dst;
  uint32_t repeat;
  explicit constexpr DUP(uint64_t w)
      : dst{uint32_t(bits(w, 0, 15)) * kBlock, splitRepeat(w) * kBlock}, repeat(uint32_t(bits(w, 56, 63))) {}
};
using BRCB = DUP;

/// Reductions. The destination stride counts results of one repeat; its unit depends on the instruction.
struct RED {
  uint32_t dstStride;
  Stride src;
  uint32_t repeat;
  explicit constexpr RED(uint64_t w)
      : dstStride(uint32_t(bits(w, 0, 15))),
        src{uint32_t(bits(w, 16, 31)) * kBlock, uint32_t(bits(w, 32, 47)) * kBlock},
        repeat(uint32_t(bits(w, 56, 63))) {}
};

/// GM to UB. Padding counts elements of the named width.
struct G2U {
  uint32_t rows, rowBytes, leftPad, rightPad, gmGap /*bytes*/, ubGap /*bytes*/;
  constexpr G2U(uint64_t c0, uint64_t c1)
      : rows(uint32_t(bits(c0, 4, 15))), rowBytes(uint32_t(bits(c0, 16, 36))),
        leftPad(uint32_t(bits(c0, 48, 53))), rightPad(uint32_t(bits(c0, 54, 59))),
        gmGap(uint32_t(bits(c1, 0, 31))), ubGap(uint32_t(bits(c1, 32, 63)) * kBlock) {}
};

/// UB to GM.
struct U2G {
  uint32_t rows, rowBytes, ubGap /*bytes*/, gmGap /*bytes*/;
  constexpr U2G(uint64_t c0, uint64_t c1)
      : rows(uint32_t(bits(c0, 4, 15))), rowBytes(uint32_t(bits(c0, 16, 36))),
        ubGap(uint32_t(bits(c1, 0, 31)) * kBlock), gmGap(uint32_t(bits(c1, 32, 63))) {}
};

/// UB to UB: bursts of whole blocks.
struct UBUB {
  uint32_t bursts, burstBytes, srcGap, dstGap;
  explicit constexpr UBUB(uint64_t w)
      : bursts(uint32_t(bits(w, 4, 15))), burstBytes(uint32_t(bits(w, 16, 31)) * kBlock),
        srcGap(uint32_t(bits(w, 32, 47)) * kBlock), dstGap(uint32_t(bits(w, 48, 63)) * kBlock) {}
};

/// S.VNCHWCONV.
struct TR {
  uint32_t dstRepeat, srcRepeat, repeat;
  explicit constexpr TR(uint64_t w)
      : dstRepeat(uint32_t(bits(w, 0, 15)) * kBlock), srcRepeat(uint32_t(bits(w, 16, 31)) * kBlock),
        repeat(uint32_t(bits(w, 56, 63))) {}
};

/// VREDUCEv2 (compress by pattern). The repeat field is split over 0-7 and 56-63.
struct RED2 {
  Stride src;
  uint32_t maskRepeat /*bytes*/, pattern, repeat;
  explicit constexpr RED2(uint64_t w)
      : src{uint32_t(bits(w, 8, 15)) * kBlock, uint32_t(bits(w, 24, 39)) * kBlock},
        maskRepeat(uint32_t(bits(w, 40, 47)) * kBlock), pattern(uint32_t(bits(w, 16, 18))),
        repeat(uint32_t(bits(w, 0, 7) | bits(w, 56, 63) << 8)) {}
};

/// VGATHER.
struct GATH {
  uint32_t base, dstRepeat /*bytes*/, repeat;
  explicit constexpr GATH(uint64_t w)
      : base(uint32_t(bits(w, 0, 31))), dstRepeat(uint32_t(bits(w, 32, 43)) * kBlock),
        repeat(uint32_t(bits(w, 56, 63))) {}
};

/// Control word (section 2).
struct Control {
  uint32_t atomicType, atomicKind;
  bool counterMode, wrapIntegers;
  explicit constexpr Control(uint64_t w)
      : atomicType(uint32_t(bits(w, 6, 8))), atomicKind(uint32_t(bits(w, 9, 10))),
        counterMode(bits(w, 56, 56)), wrapIntegers(bits(w, 59, 59)) {}
};

} // namespace tilewright::emulator
#endif
