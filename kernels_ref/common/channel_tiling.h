// Host tiling of the kernels that walk over channels: channels over cores, tiles against UB.
#ifndef KERNELS_REF_COMMON_CHANNEL_TILING_H
#define KERNELS_REF_COMMON_CHANNEL_TILING_H

#include "channel_tiling_data.h"
#include "host_tiling.h"

namespace kernels_ref {

struct ChannelRequest {
  uint64_t batches, channels, spatial; ///< at least 1 each
  uint32_t elementSize;                ///< of the data type
  /// Every byte of UB is in one of these: a tile's element in all queues and scratch, a channel in all
  /// parameter and result buffers, and the rest.
  double bytesPerElement;
  uint64_t bytesPerChannel, bytesFixed;
};

namespace channel_tiling {

constexpr uint64_t kMaxRows = 4095;                  // blockCount of DataCopyPad
constexpr uint64_t kMaxGap = 0xffffffffull;          // its stride in GM, bytes
constexpr uint64_t kMaxRowBytes = 2097151 / 32 * 32; // its blockLen
constexpr uint64_t kGroup = 256;                     // channels of a group, if so many
constexpr uint64_t kMinTileBytes = 8 * 1024;         // smaller transfers waste their latency

} // namespace channel_tiling

/// Whole space (rows of several batches in a tile) where a padded row fits, else rows in equal pieces.
inline bool TileChannels(const ChannelRequest &r, const PlatformInfo &platform, ChannelTilingData &data) {
  using namespace channel_tiling;
  if (r.batches == 0 || r.channels == 0 || r.spatial == 0)
    return false;
  data = {};
  data.numBatches = r.batches;
  data.numChannels = r.channels;
  data.numSpatial = r.spatial;
  data.coreNum = static_cast<uint32_t>(std::min<uint64_t>(platform.coreNum, r.channels));
  data.channelsPerCore = r.channels / data.coreNum;
  data.bigCoreNum = static_cast<uint32_t>(r.channels % data.coreNum);
  data.groupChannels =
      static_cast<uint32_t>(std::min<uint64_t>(kGroup, data.channelsPerCore + (data.bigCoreNum != 0)));

  const uint64_t align = 32 / r.elementSize;
  const uint64_t taken = RoundUp(data.groupChannels, 16) * r.bytesPerChannel + r.bytesFixed;
  // Fits: elements of a tile as a binary search over the budget would find them.
  const uint64_t most =
      RoundDown(static_cast<uint64_t>(double(platform.ubSize - taken) / r.bytesPerElement), 64);
  const uint64_t padded = RoundUp(r.spatial, align);
  if (padded <= most && padded * r.elementSize <= kMaxRowBytes) {
    uint64_t rows = std::min({most / padded, r.batches, kMaxRows});
    if ((r.channels - 1) * r.spatial * r.elementSize > kMaxGap)
      rows = 1;
    // Equal tiles; two at least where they stay large, so that loads and arithmetic overlap.
    uint64_t tiles = CeilDiv(r.batches, rows);
    if (tiles == 1 && rows * padded * r.elementSize >= 2 * kMinTileBytes && rows > 1)
      tiles = 2;
    rows = CeilDiv(r.batches, tiles);
    data.batchesPerTile = static_cast<uint32_t>(rows);
    data.spatialTileSize = static_cast<uint32_t>(r.spatial);
    data.spatialTileNum = 1;
    data.tilesPerChannel = CeilDiv(r.batches, rows);
    data.tileElements = static_cast<uint32_t>(rows * padded);
  } else {
    const uint64_t limit = std::min(most, kMaxRowBytes / r.elementSize);
    data.batchesPerTile = 1;
    data.spatialTileNum = CeilDiv(r.spatial, limit);
    data.spatialTileSize = static_cast<uint32_t>(RoundUp(CeilDiv(r.spatial, data.spatialTileNum), 64));
    if (data.spatialTileSize > limit)
      data.spatialTileSize = static_cast<uint32_t>(RoundDown(limit, 64));
    data.spatialTileNum = CeilDiv(r.spatial, data.spatialTileSize);
    data.tilesPerChannel = r.batches * data.spatialTileNum;
    data.tileElements = data.spatialTileSize;
  }
  return true;
}

} // namespace kernels_ref
#endif
