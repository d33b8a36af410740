// Batch-norm backward with batch statistics: per channel a pass that sums and a pass that writes.
//
//   grad_bias = sum(g)     grad_weight = invstd * sum(g * (x - mean))
//   grad_input = weight * invstd * (g - grad_bias/m - (x - mean) * invstd * grad_weight/m)
//
// Steps (channel, pass, tile) form one sequence; the loads of a step are issued before the arithmetic of the
// one before it, across passes and channels, because the scalar unit waits for sums.
#ifndef BATCH_NORMALIZATION_GRAD_KERNEL_H
#define BATCH_NORMALIZATION_GRAD_KERNEL_H

#include "../../common/channel_parameters.h"
#include "../../common/channel_steps.h"
#include "batch_normalization_grad_tiling_data.h"

namespace BatchNormalizationGrad {

using namespace AscendC;
using namespace ChannelTiles;

constexpr int32_t BUFFER_NUM = 2;

template <typename T> class KernelBatchNormalizationGrad {
  static constexpr bool CASTS = !IsSameType<T, float>::value;

public:
  __aicore__ inline void Init(GM_ADDR gradOutput, GM_ADDR input, GM_ADDR weight, GM_ADDR saveMean,
                              GM_ADDR saveInvstd, GM_ADDR gradInput, GM_ADDR gradWeight, GM_ADDR gradBias,
                              const BatchNormalizationGradTilingData &data, TPipe *pipe) {
    const ChannelTilingData &t = data.channels;
    const uint64_t elements = t.numBatches * t.numChannels * t.numSpatial;
    const uint32_t group = t.groupChannels;
    tiling = &t;
    walk.Init(t);
    m = data.mFloat;
    gradOutputGm.SetGlobalBuffer((__gm__ T *)gradOutput, elements);
    inputGm.SetGlobalBuffer((__gm__ T *)input, elements);
    gradInputGm.SetGlobalBuffer((__gm__ T *)gradInput, elements);
    pipe->InitBuffer(inQueueGradOut, BUFFER_NUM, t.tileElements * sizeof(T));
    pipe->InitBuffer(inQueueInput, BUFFER_NUM, t.tileElements * sizeof(T));
    pipe->InitBuffer(outQueueGradInput, BUFFER_NUM, t.tileElements * sizeof(T));
    if constexpr (CASTS) {
      pipe->InitBuffer(gradOutFloatBuf, t.tileElements * sizeof(float));
      pipe->InitBuffer(inputFloatBuf, t.tileElements * sizeof(float));
    }
    pipe->InitBuffer(gSumsBuf, SumBytes(t.tileElements));
    pipe->InitBuffer(dSumsBuf, SumBytes(t.tileElements));
    pipe->InitBuffer(scalarBuf, 2 * 32);
    weightOf.Init(weight, t.numChannels, group, pipe);
    meanOf.Init(saveMean, t.numChannels, group, pipe);
    invstdOf.Init(saveInvstd, t.numChannels, group, pipe);
    gradWeightOf.Init(gradWeight, t.numChannels, group, pipe);
    gradBiasOf.Init(gradBias, t.numChannels, group, pipe);
  }

  __aicore__ inline void Process() { RunChannels<2>(*this, walk, *tiling); }

  __aicore__ inline void LoadGroup(uint64_t first, uint32_t channels) {
    weightOf.Load(first, channels);
    meanOf.Load(first, channels);
    invstdOf.Load(first, channels);
    ParametersLoaded();
    weightOf.Convert(channels);
    meanOf.Convert(channels);
    invstdOf.Convert(channels);
    if constexpr (CASTS) {
      VectorToScalar();
    }
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

  __aicore__ inline void CopyIn(const Tile &tile, uint32_t) {
    LocalTensor<T> x = inQueueInput.AllocTensor<T>();
    walk.Load(x, inputGm, tile);
    inQueueInput.EnQue(x);
    LocalTensor<T> g = inQueueGradOut.AllocTensor<T>();
    walk.Load(g, gradOutputGm, tile);
    inQueueGradOut.EnQue(g);
  }

  __aicore__ inline void BeginPass(uint32_t channel, uint32_t pass) {
    if (pass == 0) {
      mean = meanOf.Values().GetValue(channel);
      invstd = invstdOf.Values().GetValue(channel);
      gSum.Reset();
      dSum.Reset();
    }
  }

  __aicore__ inline void ComputeTile(const Tile &tile, uint32_t pass) {
    if (pass == 0) {
      Accumulate(tile);
    } else {
      WriteGradInput(tile);
    }
  }

  __aicore__ inline void EndPass(uint32_t channel, uint32_t pass) {
    if (pass == 0) {
      const float gradBias = gSum.Value(), gradWeight = dSum.Value() * invstd;
      gradBiasOf.Values().SetValue(channel, gradBias);
      gradWeightOf.Values().SetValue(channel, gradWeight);
      factor = weightOf.Values().GetValue(channel) * invstd;
      gBar = gradBias / m;
      slope = invstd * (gradWeight / m);
    }
  }

private:
  /// Both tensors of a tile in float; x becomes x - mean. The float tensors of half types are scratch, those
  /// of float are the queue's own.
  __aicore__ inline void Take(LocalTensor<T> &gLocal, LocalTensor<T> &xLocal, LocalTensor<float> &g,
                              LocalTensor<float> &d, uint32_t count) {
    xLocal = inQueueInput.DeQue<T>();
    if constexpr (CASTS) {
      d = inputFloatBuf.Get<float>();
      g = gradOutFloatBuf.Get<float>();
      Cast(d, xLocal, RoundMode::CAST_NONE, count);
      inQueueInput.FreeTensor(xLocal);
      gLocal = inQueueGradOut.DeQue<T>();
      Cast(g, gLocal, RoundMode::CAST_NONE, count);
      inQueueGradOut.FreeTensor(gLocal);
      PipeBarrier<PIPE_V>();
    } else {
      d = xLocal;
      gLocal = inQueueGradOut.DeQue<T>();
      g = gLocal;
    }
    Adds(d, d, -mean, static_cast<int32_t>(count));
  }
  __aicore__ inline void Release(LocalTensor<T> &gLocal, LocalTensor<T> &xLocal) {
    if constexpr (!CASTS) {
      inQueueInput.FreeTensor(xLocal);
      inQueueGradOut.FreeTensor(gLocal);
    }
  }

  __aicore__ inline void Accumulate(const Tile &tile) {
    const uint32_t count = tile.Elements();
    LocalTensor<T> gLocal, xLocal;
    LocalTensor<float> g, d;
    Take(gLocal, xLocal, g, d, count);
    const LocalTensor<float> gSums = gSumsBuf.Get<float>(), dSums = dSumsBuf.Get<float>();
    const LocalTensor<float> result = scalarBuf.Get<float>();
    SumBlocks(gSums, g, count);
    PipeBarrier<PIPE_V>();
    Mul(d, d, g, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    SumBlocks(dSums, d, count);
    Release(gLocal, xLocal);
    PipeBarrier<PIPE_V>();
    ReduceSum(result, gSums, gSums, static_cast<int32_t>(count / GROUP));
    ReduceSum(result[GROUP], dSums, dSums, static_cast<int32_t>(count / GROUP));
    gSum.Add(result.GetValue(0));
    dSum.Add(result.GetValue(GROUP));
  }

  __aicore__ inline void WriteGradInput(const Tile &tile) {
    const int32_t count = static_cast<int32_t>(tile.Elements());
    LocalTensor<T> gLocal, xLocal;
    LocalTensor<float> g, d;
    Take(gLocal, xLocal, g, d, tile.Elements());
    PipeBarrier<PIPE_V>();
    Axpy(g, d, -slope, count);
    PipeBarrier<PIPE_V>();
    Adds(g, g, -gBar, count);
    PipeBarrier<PIPE_V>();
    LocalTensor<T> out = outQueueGradInput.AllocTensor<T>();
    if constexpr (CASTS) {
      Muls(g, g, factor, count);
      PipeBarrier<PIPE_V>();
      Cast(out, g, RoundMode::CAST_RINT, tile.Elements());
      PipeBarrier<PIPE_V>(); // the next tile uses the same scratch
    } else {
      Muls(out, g, factor, count);
    }
    Release(gLocal, xLocal);
    outQueueGradInput.EnQue(out);
    out = outQueueGradInput.DeQue<T>();
    walk.Store(gradInputGm, out, tile);
    outQueueGradInput.FreeTensor(out);
  }

  TQue<TPosition::VECIN, BUFFER_NUM> inQueueGradOut, inQueueInput;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueueGradInput;
  TBuf<TPosition::VECCALC> gradOutFloatBuf, inputFloatBuf, gSumsBuf, dSumsBuf, scalarBuf;
  Parameter<T> weightOf, meanOf, invstdOf, gradWeightOf, gradBiasOf;
  GlobalTensor<T> gradOutputGm, inputGm, gradInputGm;
  Walk<T> walk;
  KahanSum gSum, dSum;
  const ChannelTilingData *tiling;
  float m, mean, invstd, factor, gBar, slope;
};

} // namespace BatchNormalizationGrad
#endif
