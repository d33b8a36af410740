// Batch-norm backward with frozen statistics, in one pass:
//   grad_input = g * (weight * r)     grad_weight = r * sum(g * (x - running_mean))     grad_bias = sum(g)
// with r = 1/sqrt(running_var + eps).
#ifndef BATCH_NORM_FROZEN_GRAD_KERNEL_H
#define BATCH_NORM_FROZEN_GRAD_KERNEL_H

#include "batch_norm_parts.h"

namespace BatchNorm {

template <typename T, typename P> class KernelBatchNormFrozenGrad {
public:
  __aicore__ inline void Init(GM_ADDR gradOutput, GM_ADDR x, GM_ADDR weight, GM_ADDR runningMean,
                              GM_ADDR runningVar, GM_ADDR gradInput, GM_ADDR gradWeight, GM_ADDR gradBias,
                              const BatchNormTilingData &data, TPipe *pipe) {
    const ChannelTilingData &t = data.channels;
    const uint64_t elements = t.numBatches * t.numChannels * t.numSpatial;
    tiling = &t;
    epsilon = data.epsilon;
    walk.Init(t);
    gradIn.Init(gradOutput, elements, t.tileElements, pipe);
    input.Init(x, elements, t.tileElements, pipe);
    output.Init(gradInput, elements, t.tileElements, pipe);
    pipe->InitBuffer(gSumsBuf, SumBytes(t.tileElements));
    pipe->InitBuffer(dSumsBuf, SumBytes(t.tileElements));
    pipe->InitBuffer(scalarBuf, 2 * 32);
    weightOf.Init(weight, t.numChannels, t.groupChannels, pipe);
    meanOf.Init(runningMean, t.numChannels, t.groupChannels, pipe);
    varOf.Init(runningVar, t.numChannels, t.groupChannels, pipe);
    gradWeightOf.Init(gradWeight, t.numChannels, t.groupChannels, pipe);
    gradBiasOf.Init(gradBias, t.numChannels, t.groupChannels, pipe);
  }
  __aicore__ inline void Process() { RunChannels<1>(*this, walk, *tiling); }

  __aicore__ inline void LoadGroup(uint64_t first, uint32_t channels) {
    weightOf.Load(first, channels);
    meanOf.Load(first, channels);
    varOf.Load(first, channels);
    ParametersLoaded();
    weightOf.Convert(channels);
    meanOf.Convert(channels);
    varOf.Convert(channels);
    PipeBarrier<PIPE_V>();
    // The results' buffer is free until the first channel ends.
    InverseDeviation(varOf.Values(), gradWeightOf.Values(), epsilon, static_cast<int32_t>(channels));
    VectorToScalar();
  }
  __aicore__ inline void CopyIn(const Tile &tile, uint32_t) {
    input.CopyIn(walk, tile);
    gradIn.CopyIn(walk, tile);
  }
  __aicore__ inline void BeginPass(uint32_t channel, uint32_t) {
    mean = meanOf.Values().GetValue(channel);
    invstd = varOf.Values().GetValue(channel);
    factor = weightOf.Values().GetValue(channel) * invstd;
    gSum.Reset();
    dSum.Reset();
  }
  __aicore__ inline void ComputeTile(const Tile &tile, uint32_t) {
    const uint32_t count = tile.Elements();
    const LocalTensor<float> d = input.Take(count), g = gradIn.Take(count);
    const LocalTensor<float> gSums = gSumsBuf.Get<float>(), dSums = dSumsBuf.Get<float>();
    const LocalTensor<float> result = scalarBuf.Get<float>();
    PipeBarrier<PIPE_V>();
    Adds(d, d, -mean, static_cast<int32_t>(count));
    SumBlocks(gSums, g, count);
    PipeBarrier<PIPE_V>();
    Mul(d, d, g, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    SumBlocks(dSums, d, count);
    input.Release();
    output.Put(walk, tile, g, factor);
    gradIn.Release();
    PipeBarrier<PIPE_V>();
    ReduceSum(result, gSums, gSums, static_cast<int32_t>(count / GROUP));
    ReduceSum(result[GROUP], dSums, dSums, static_cast<int32_t>(count / GROUP));
    gSum.Add(result.GetValue(0));
    dSum.Add(result.GetValue(GROUP));
  }
  __aicore__ inline void EndPass(uint32_t channel, uint32_t) {
    gradBiasOf.Values().SetValue(channel, gSum.Value());
    gradWeightOf.Values().SetValue(channel, dSum.Value() * invstd);
  }
  __aicore__ inline void StoreGroup(uint64_t first, uint32_t channels) {
    ScalarToVector();
    gradWeightOf.Round(channels);
    gradBiasOf.Round(channels);
    ResultsToStore();
    gradWeightOf.Store(first, channels);
    gradBiasOf.Store(first, channels);
    PipeBarrier<PIPE_ALL>(); // the next group uses the same buffers
  }

private:
  FloatTiles<T> gradIn, input;
  ResultTiles<T> output;
  Parameter<P> weightOf, meanOf, varOf, gradWeightOf, gradBiasOf;
  TBuf<TPosition::VECCALC> gSumsBuf, dSumsBuf, scalarBuf;
  Walk<T> walk;
  const ChannelTilingData *tiling;
  KahanSum gSum, dSum;
  float epsilon, mean, invstd, factor;
};

} // namespace BatchNorm
#endif
