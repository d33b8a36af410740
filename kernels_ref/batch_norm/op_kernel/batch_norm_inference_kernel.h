// Batch norm with frozen statistics: y = (x - running_mean) * (1/sqrt(running_var + eps) * weight) + bias.
#ifndef BATCH_NORM_INFERENCE_KERNEL_H
#define BATCH_NORM_INFERENCE_KERNEL_H

#include "batch_norm_parts.h"

namespace BatchNorm {

template <typename T, typename P> class KernelBatchNormInference {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR runningMean,
                              GM_ADDR runningVar, GM_ADDR y, const BatchNormTilingData &data, TPipe *pipe) {
    const ChannelTilingData &t = data.channels;
    const uint64_t elements = t.numBatches * t.numChannels * t.numSpatial;
    tiling = &t;
    epsilon = data.epsilon;
    walk.Init(t);
    input.Init(x, elements, t.tileElements, pipe);
    output.Init(y, elements, t.tileElements, pipe);
    weightOf.Init(weight, t.numChannels, t.groupChannels, pipe);
    biasOf.Init(bias, t.numChannels, t.groupChannels, pipe);
    meanOf.Init(runningMean, t.numChannels, t.groupChannels, pipe);
    varOf.Init(runningVar, t.numChannels, t.groupChannels, pipe);
    pipe->InitBuffer(onesBuf, t.groupChannels * sizeof(float));
  }
  __aicore__ inline void Process() { RunChannels<1>(*this, walk, *tiling); }

  __aicore__ inline void LoadGroup(uint64_t first, uint32_t channels) {
    weightOf.Load(first, channels);
    biasOf.Load(first, channels);
    meanOf.Load(first, channels);
    varOf.Load(first, channels);
    ParametersLoaded();
    weightOf.Convert(channels);
    biasOf.Convert(channels);
    meanOf.Convert(channels);
    varOf.Convert(channels);
    PipeBarrier<PIPE_V>();
    InverseDeviation(varOf.Values(), onesBuf.Get<float>(), epsilon, static_cast<int32_t>(channels));
    PipeBarrier<PIPE_V>();
    Mul(weightOf.Values(), weightOf.Values(), varOf.Values(), static_cast<int32_t>(channels));
    VectorToScalar();
  }
  __aicore__ inline void CopyIn(const Tile &tile, uint32_t) { input.CopyIn(walk, tile); }
  __aicore__ inline void BeginPass(uint32_t channel, uint32_t) {
    mean = meanOf.Values().GetValue(channel);
    factor = weightOf.Values().GetValue(channel);
    offset = biasOf.Values().GetValue(channel);
  }
  __aicore__ inline void ComputeTile(const Tile &tile, uint32_t) {
    const LocalTensor<float> x = input.Take(tile.Elements());
    PipeBarrier<PIPE_V>();
    Adds(x, x, -mean, static_cast<int32_t>(tile.Elements()));
    PipeBarrier<PIPE_V>();
    output.Put(walk, tile, x, factor, offset);
    input.Release();
  }
  __aicore__ inline void EndPass(uint32_t, uint32_t) {}
  __aicore__ inline void StoreGroup(uint64_t, uint32_t) { PipeBarrier<PIPE_ALL>(); }

private:
  FloatTiles<T> input;
  ResultTiles<T> output;
  Parameter<P> weightOf, biasOf, meanOf, varOf;
  TBuf<TPosition::VECCALC> onesBuf;
  Walk<T> walk;
  const ChannelTilingData *tiling;
  float epsilon, mean, factor, offset;
};

} // namespace BatchNorm
#endif
