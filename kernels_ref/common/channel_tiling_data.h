// Tiling of kernels that walk over channels of a (batches, channels, spatial) tensor, equal on host and
// device.
#ifndef KERNELS_REF_COMMON_CHANNEL_TILING_DATA_H
#define KERNELS_REF_COMMON_CHANNEL_TILING_DATA_H

#include <cstdint>

struct ChannelTilingData {
  uint64_t numBatches, numChannels, numSpatial;
  uint64_t channelsPerCore; ///< of the last cores; the first bigCoreNum have one more
  uint64_t tilesPerChannel;
  uint64_t spatialTileNum; ///< tiles of a row; 1 without split
  uint32_t coreNum, bigCoreNum;
  uint32_t groupChannels;   ///< channels whose parameters are in UB at a time
  uint32_t batchesPerTile;  ///< rows of a tile; 1 with split
  uint32_t spatialTileSize; ///< elements of a row in a tile
  uint32_t tileElements;    ///< elements of a tile in UB, rows padded to 32 bytes
};

#endif
