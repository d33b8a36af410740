// Tiling data of BatchNormalizationGrad, equal on host and device.
#ifndef BATCH_NORMALIZATION_GRAD_TILING_DATA_H
#define BATCH_NORMALIZATION_GRAD_TILING_DATA_H

#include "../../common/channel_tiling_data.h"

struct BatchNormalizationGradTilingData {
  ChannelTilingData channels;
  float mFloat;  ///< elements of a channel
  float epsilon; ///< of the interface; save_invstd contains it
};

#endif
