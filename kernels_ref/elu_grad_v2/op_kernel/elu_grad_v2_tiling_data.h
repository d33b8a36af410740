// Tiling data of EluGradV2, equal on host and device.
#ifndef ELU_GRAD_V2_TILING_DATA_H
#define ELU_GRAD_V2_TILING_DATA_H

#include <cstdint>

struct EluGradV2TilingData {
  uint64_t bigCoreDataNum;   ///< elements of the first bigCoreNum cores
  uint64_t smallCoreDataNum; ///< elements of the others
  uint64_t lastCoreDataNum;  ///< elements of the last core: the tail ends there
  uint32_t coreNum, bigCoreNum;
  uint32_t tileDataNum; ///< elements of a full tile
  uint32_t bufferNum;   ///< buffers of a queue: 1 or 2
  float scale;          ///< factor of the positive branch
  float negativeScale;  ///< alpha * scale * input_scale
  float inputScale;
  float alphaScale; ///< alpha * scale
};

// Scheduling modes. Values are the tiling keys.
#define ELU_GRAD_V2_SAFE_EXP 0
#define ELU_GRAD_V2_SAFE_RESULT 1
#define ELU_GRAD_V2_SINGLE_TILE_EXP 2
#define ELU_GRAD_V2_SINGLE_TILE_RESULT 3
#define ELU_GRAD_V2_MIXED_EXP_FAST 4
#define ELU_GRAD_V2_MIXED_RESULT_FAST 5
#define ELU_GRAD_V2_FLOAT16_EXP_FAST 6
#define ELU_GRAD_V2_FLOAT16_RESULT_FAST 7

#endif
