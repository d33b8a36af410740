#include "batch_norm_tiling.h"

namespace kernels_ref {

TilingOutcome TileBatchNorm(const BatchNormRequest &r, const PlatformInfo &platform,
                            BatchNormTilingData &data) {
  if (r.variant > BATCH_NORM_FROZEN_GRAD)
    return {};
  const uint32_t size = SizeOf(r.type), parameter = SizeOf(r.parameterType);
  const bool casts = size == 2;
  const uint64_t own = 4 + (parameter == 2 ? 2 : 0); // bytes of a parameter: in float, and as it came
  ChannelRequest request{r.batches, r.channels, r.spatial, size, 0, 0, 1024};
  // Queues of x and y with two buffers, float scratch of half inputs.
  request.bytesPerElement = 4.0 * size + (casts ? 4 : 0);
  request.bytesPerChannel = 4 * own;
  if (r.variant == BATCH_NORM_INFERENCE) {
    request.bytesPerChannel += 4;
  } else if (r.variant == BATCH_NORM_TRAINING) {
    request.bytesPerElement += 4 + 2 * 4.0 / 8; // deviations, two eighths for sums
    request.bytesPerChannel += 2 * 4;
  } else {
    request.bytesPerElement += 2.0 * size + (casts ? 4 : 0) + 2 * 4.0 / 8; // the gradient's queue
    request.bytesPerChannel += own;
  }
  data = {};
  if (!TileChannels(request, platform, data.channels))
    return {};
  data.epsilon = static_cast<float>(r.epsilon);
  data.momentum = static_cast<float>(r.momentum);
  data.mFloat = static_cast<float>(static_cast<double>(r.batches) * static_cast<double>(r.spatial));
  TilingOutcome outcome;
  outcome.blockDim = data.channels.coreNum;
  outcome.tilingKey = r.variant;
  return outcome;
}

} // namespace kernels_ref

/// sizes: batches, channels, spatial; types: data, parameters; attributes: variant, epsilon, momentum.
extern "C" int batch_norm_host_tiling(const HostTilingRequest *request, HostTilingResult *result) {
  if (request->sizeCount != 3 || request->typeCount != 2 || request->attributeCount != 3)
    return 1;
  for (int i = 0; i < 3; ++i)
    if (request->sizes[i] < 1)
      return 1;
  const kernels_ref::BatchNormRequest r{static_cast<uint64_t>(request->sizes[0]),
                                        static_cast<uint64_t>(request->sizes[1]),
                                        static_cast<uint64_t>(request->sizes[2]),
                                        request->types[0],
                                        request->types[1],
                                        static_cast<uint64_t>(request->attributes[0]),
                                        request->attributes[1],
                                        request->attributes[2]};
  BatchNormTilingData data;
  const auto outcome =
      kernels_ref::TileBatchNorm(r, {static_cast<uint32_t>(request->coreNum), request->ubSize}, data);
  return outcome.blockDim ? kernels_ref::Finish(outcome, data, result) : 1;
}
