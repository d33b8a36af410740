#include "batch_normalization_grad_tiling.h"

namespace kernels_ref {

TilingOutcome TileBatchNormalizationGrad(const BatchNormalizationGradRequest &r, const PlatformInfo &platform,
                                         BatchNormalizationGradTilingData &data) {
  const uint32_t size = SizeOf(r.type);
  const bool casts = size == 2;
  ChannelRequest request{r.batches, r.channels, r.spatial, size, 0, 0, 0};
  // Queues g, x, dx with two buffers; float scratch of both inputs for half types; two eighths for sums.
  request.bytesPerElement = 6.0 * size + (casts ? 8 : 0) + 2 * 4.0 / 8;
  // Three parameters and two results in float, and in the half type.
  request.bytesPerChannel = 5 * (4 + (casts ? size : 0));
  request.bytesFixed = 1024;
  data = {};
  if (!TileChannels(request, platform, data.channels))
    return {};
  data.mFloat = static_cast<float>(static_cast<double>(r.batches) * static_cast<double>(r.spatial));
  data.epsilon = static_cast<float>(r.epsilon);
  TilingOutcome outcome;
  outcome.blockDim = data.channels.coreNum;
  return outcome;
}

} // namespace kernels_ref

/// sizes: batches, channels, spatial; types: one; attributes: epsilon.
extern "C" int batch_normalization_grad_host_tiling(const HostTilingRequest *request,
                                                    HostTilingResult *result) {
  if (request->sizeCount != 3 || request->typeCount != 1 || request->attributeCount != 1)
    return 1;
  for (int i = 0; i < 3; ++i)
    if (request->sizes[i] < 1)
      return 1;
  const kernels_ref::BatchNormalizationGradRequest r{
      static_cast<uint64_t>(request->sizes[0]), static_cast<uint64_t>(request->sizes[1]),
      static_cast<uint64_t>(request->sizes[2]), request->types[0], request->attributes[0]};
  BatchNormalizationGradTilingData data;
  const auto outcome = kernels_ref::TileBatchNormalizationGrad(
      r, {static_cast<uint32_t>(request->coreNum), request->ubSize}, data);
  return outcome.blockDim ? kernels_ref::Finish(outcome, data, result) : 1;
}
