// Tiling data of batch norm forward and of its backward with frozen statistics, equal on host and device.
#ifndef BATCH_NORM_TILING_DATA_H
#define BATCH_NORM_TILING_DATA_H

#include "../../common/channel_tiling_data.h"

struct BatchNormTilingData {
  ChannelTilingData channels;
  float epsilon;
  float momentum; ///< training; 0 leaves the running statistics alone
  float mFloat;   ///< elements of a channel
  uint32_t reserved;
};

#define BATCH_NORM_INFERENCE 0
#define BATCH_NORM_TRAINING 1
#define BATCH_NORM_FROZEN_GRAD 2

#endif
