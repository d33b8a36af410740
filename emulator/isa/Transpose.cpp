// Transpose through address registers (c220 ISA note, 3.10).
//
// Two lists of 16 UB addresses, each of a 32-byte row: register pairs va, va + 1 hold 8 addresses each.
//   b16   16 x 16 elements: destination row i, element j = source row j, element i
//   b32   16 x 8 elements: source element i of rows 0-7 goes to destination row 2i, of rows 8-15 to row 2i +
//   1 b8    16 rows of 32 bytes: one half of the source rows becomes 16 rows of half a destination row; the
//   flags choose the
//         upper half of the destination and of the source rows
// The halves follow from the library's four calls that together transpose 32 x 32 bytes. Repeats step all
// addresses.
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

constexpr unsigned kRows = 16;

void transpose(Op op, uint32_t size, uint64_t dstVa, uint64_t srcVa, uint64_t word, bool dstHigh,
               bool srcHigh, const void *pc) {
  Core &core = *currentCore;
  if (dstVa > 6 || srcVa > 6)
    failUnsupported(core, op, "address register above 6");
  const TR c(word);
  const uint64_t *dst = core.transposeAddress[dstVa],
                 *src = core.transposeAddress[srcVa]; // 16 addresses in a row
  const uint32_t half = kBlock / 2;
  const uint32_t run = size == 1 ? half : kBlock;
  record(core, op, pc, [&](Event &e) {
    // 32 rows do not fit in the access list; the rows of a list are described by their hull.
    e.repeats = c.repeat;
    e.elements = uint64_t(c.repeat) * kRows * run / size;
    const uint64_t *const lists[] = {dst, src};
    for (const uint64_t *list : lists) {
      uint64_t low = ~uint64_t(0), high = 0;
      for (unsigned i = 0; i < kRows; ++i) {
        low = list[i] < low ? list[i] : low;
        high = list[i] > high ? list[i] : high;
      }
      const uint32_t step = list == dst ? c.dstRepeat : c.srcRepeat;
      e.add({Space::UB, list == dst, low, uint32_t(high - low + kBlock), 1, c.repeat, 0, step});
    }
  });
  if (c.repeat == 0)
    return;
  for (unsigned i = 0; i < kRows; ++i) {
    useUb(core, op, "destination row", dst[i], uint64_t(c.repeat - 1) * c.dstRepeat + kBlock, true);
    useUb(core, op, "source row", src[i], uint64_t(c.repeat - 1) * c.srcRepeat + kBlock, false);
  }
  for (uint32_t r = 0; r < c.repeat; ++r) {
    uint8_t in[kRows][kBlock], out[kRows][kBlock];
    for (unsigned i = 0; i < kRows; ++i) {
      std::memcpy(in[i], reinterpret_cast<const uint8_t *>(src[i]) + uint64_t(r) * c.srcRepeat, kBlock);
      std::memcpy(out[i], reinterpret_cast<const uint8_t *>(dst[i]) + uint64_t(r) * c.dstRepeat, kBlock);
    }
    if (size == 1) {
      for (unsigned i = 0; i < kRows; ++i)
        for (unsigned j = 0; j < kRows; ++j)
          out[i][j + (dstHigh ? half : 0)] = in[j][i + (srcHigh ? half : 0)];
    } else {
      const uint32_t perRow = kBlock / size;
      for (unsigned j = 0; j < kRows; ++j)      // source row
        for (unsigned i = 0; i < perRow; ++i) { // source element
          const unsigned row = size == 2 ? i : 2 * i + j / perRow, at = j % perRow;
          std::memcpy(out[row] + at * size, in[j] + i * size, size);
        }
    }
    for (unsigned i = 0; i < kRows; ++i)
      std::memcpy(reinterpret_cast<uint8_t *>(dst[i]) + uint64_t(r) * c.dstRepeat, out[i], kBlock);
  }
}

} // namespace

TW_ISA(S_VNCHWCONV_b8)(uint64_t d, uint64_t s, uint64_t w, uint64_t dstHigh, uint64_t srcHigh) {
  transpose(Op::S_VNCHWCONV_b8, 1, d, s, w, dstHigh != 0, srcHigh != 0, TW_PC);
}
TW_ISA(S_VNCHWCONV_b16)(uint64_t d, uint64_t s, uint64_t w) {
  transpose(Op::S_VNCHWCONV_b16, 2, d, s, w, false, false, TW_PC);
}
TW_ISA(S_VNCHWCONV_b32)(uint64_t d, uint64_t s, uint64_t w) {
  transpose(Op::S_VNCHWCONV_b32, 4, d, s, w, false, false, TW_PC);
}
