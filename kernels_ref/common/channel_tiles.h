// Device side of the kernels that walk over channels: where a core's channels and their tiles are, moving
// tiles, and sums.
//
// A tile is up to batchesPerTile rows of one channel (or a piece of one row). In UB every row starts a
// 32-byte block; lanes behind a row's end are loaded as zeros.
#ifndef KERNELS_REF_COMMON_CHANNEL_TILES_H
#define KERNELS_REF_COMMON_CHANNEL_TILES_H

#include "channel_tiling_data.h"
#include "kernel_operator.h"

namespace ChannelTiles {

using namespace AscendC;

struct Tile {
  uint64_t offset; ///< of its first element in GM
  uint32_t rows, length;
  uint32_t padded; ///< elements of a row in UB
  __aicore__ inline uint32_t Elements() const { return rows * padded; }
};

/// A core's share of the channels, and tiles of a channel.
template <typename T> class Walk {
  static constexpr uint32_t ALIGN = 32 / sizeof(T);

public:
  uint64_t first, count; ///< channels of this core

  __aicore__ inline void Init(const ChannelTilingData &t) {
    tiling = &t;
    const uint64_t block = GetBlockIdx(), big = t.bigCoreNum;
    first = block * t.channelsPerCore + (block < big ? block : big);
    count = t.channelsPerCore + (block < big ? 1 : 0);
  }

  __aicore__ inline Tile At(uint64_t channel, uint64_t index) const {
    const uint64_t batchIndex = index / tiling->spatialTileNum, piece = index % tiling->spatialTileNum;
    const uint64_t batch = batchIndex * tiling->batchesPerTile, start = piece * tiling->spatialTileSize;
    Tile tile;
    tile.offset = (batch * tiling->numChannels + channel) * tiling->numSpatial + start;
    tile.rows = static_cast<uint32_t>(Smaller(tiling->numBatches - batch, tiling->batchesPerTile));
    tile.length = static_cast<uint32_t>(Smaller(tiling->numSpatial - start, tiling->spatialTileSize));
    tile.padded = (tile.length + ALIGN - 1) / ALIGN * ALIGN;
    return tile;
  }

  __aicore__ inline void Load(const LocalTensor<T> &to, const GlobalTensor<T> &gm, const Tile &tile) const {
    const uint8_t pad = static_cast<uint8_t>(tile.padded - tile.length);
    DataCopyPad(to, gm[tile.offset], DataCopyExtParams(tile.rows, tile.length * sizeof(T), Gap(tile), 0, 0),
                DataCopyPadExtParams<T>(pad != 0, 0, pad, static_cast<T>(0)));
  }
  __aicore__ inline void Store(const GlobalTensor<T> &gm, const LocalTensor<T> &from,
                               const Tile &tile) const {
    DataCopyPad(gm[tile.offset], from,
                DataCopyExtParams(tile.rows, tile.length * sizeof(T), 0, Gap(tile), 0));
  }

private:
  const ChannelTilingData *tiling;

  static __aicore__ inline uint64_t Smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
  /// Bytes from the end of a row to the start of the next batch's.
  __aicore__ inline uint32_t Gap(const Tile &tile) const {
    return tile.rows == 1
               ? 0
               : static_cast<uint32_t>((tiling->numChannels * tiling->numSpatial - tile.length) * sizeof(T));
  }
};

/// Compensated addition on the scalar unit. Infinities and NaN pass through.
class KahanSum {
public:
  __aicore__ inline void Reset() { sum = lost = 0.0f; }
  __aicore__ inline void Add(float value) {
    const float next = value - lost, total = sum + next;
    lost = (total - sum) - next;
    sum = total;
    if (lost != lost) { // inf - inf
      lost = 0.0f;
    }
  }
  __aicore__ inline float Value() const { return sum; }

private:
  float sum, lost;
};

constexpr int32_t LANES = 64, GROUP = 8, MAX_REPEAT = 255;

/// Sums of 8 neighbours each: count / 8 results, a seventh of the time that a direct sum of repeats takes.
__aicore__ inline void SumBlocks(const LocalTensor<float> &sums, const LocalTensor<float> &from,
                                 uint32_t count) {
  const uint32_t repeats = count / LANES, rest = count % LANES;
  for (uint32_t done = 0; done < repeats; done += MAX_REPEAT) {
    const int32_t now = static_cast<int32_t>(repeats - done < MAX_REPEAT ? repeats - done : MAX_REPEAT);
    BlockReduceSum(sums[done * GROUP], from[done * LANES], now, LANES, 1, 1, 8);
  }
  if (rest != 0) {
    BlockReduceSum(sums[repeats * GROUP], from[repeats * LANES], 1, static_cast<int32_t>(rest), 1, 1, 8);
  }
}

/// Zeros the lanes behind the end of every row, after arithmetic that left something else there.
__aicore__ inline void ZeroPadding(const LocalTensor<float> &rows, const Tile &tile) {
  const uint32_t start = tile.length / GROUP * GROUP; // the block in which a row ends
  if (tile.padded == tile.length) {
    return;
  }
  uint64_t mask[2] = {
      ((uint64_t(1) << (tile.padded - start)) - 1) & ~((uint64_t(1) << (tile.length - start)) - 1), 0};
  const uint32_t stride = tile.padded / GROUP;
  const uint32_t most = stride <= MAX_REPEAT ? MAX_REPEAT : 1; // the stride has 8 bits
  for (uint32_t done = 0; done < tile.rows; done += most) {
    const uint32_t now = tile.rows - done < most ? tile.rows - done : most;
    Duplicate(rows[done * tile.padded + start], 0.0f, mask, static_cast<uint8_t>(now), 1,
              static_cast<uint8_t>(now == 1 ? 8 : stride));
  }
}

/// Bytes for SumBlocks of a tile, the tail block included.
__aicore__ inline uint32_t SumBytes(uint32_t elements) {
  return (elements / GROUP + GROUP) * static_cast<uint32_t>(sizeof(float));
}

} // namespace ChannelTiles
#endif
