// Batch norm in training: per channel a pass for mean and variance and a pass that writes.
//
// Mean and sum of squared deviations of a tile are computed while it is in UB (two passes over UB, with the
// correction for the rounding of the tile's mean), and tiles are merged by their counts on the scalar unit:
//   mean += delta * n / N     M2 += M2_tile + delta^2 * n_before * n / N
// so that nothing cancels, whatever the mean, and GM is read twice, not three times.
#ifndef BATCH_NORM_TRAINING_KERNEL_H
#define BATCH_NORM_TRAINING_KERNEL_H

#include "batch_norm_parts.h"

namespace BatchNorm {

template <typename T, typename P> class KernelBatchNormTraining {
public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR runningMean,
                              GM_ADDR runningVar, GM_ADDR y, GM_ADDR saveMean, GM_ADDR saveInvstd,
                              const BatchNormTilingData &data, TPipe *pipe) {
    const ChannelTilingData &t = data.channels;
    const uint64_t elements = t.numBatches * t.numChannels * t.numSpatial;
    tiling = &t;
    epsilon = data.epsilon;
    momentum = data.momentum;
    m = data.mFloat;
    walk.Init(t);
    input.Init(x, elements, t.tileElements, pipe);
    output.Init(y, elements, t.tileElements, pipe);
    pipe->InitBuffer(deviationBuf, t.tileElements * sizeof(float));
    pipe->InitBuffer(sumsBuf, SumBytes(t.tileElements));
    pipe->InitBuffer(squareSumsBuf, SumBytes(t.tileElements));
    pipe->InitBuffer(scalarBuf, 4 * 32);
    weightOf.Init(weight, t.numChannels, t.groupChannels, pipe);
    biasOf.Init(bias, t.numChannels, t.groupChannels, pipe);
    runningMeanOf.Init(runningMean, t.numChannels, t.groupChannels, pipe);
    runningVarOf.Init(runningVar, t.numChannels, t.groupChannels, pipe);
    meanOf.Init(saveMean, t.numChannels, t.groupChannels, pipe);
    invstdOf.Init(saveInvstd, t.numChannels, t.groupChannels, pipe);
  }
  __aicore__ inline void Process() { RunChannels<2>(*this, walk, *tiling); }

  __aicore__ inline void LoadGroup(uint64_t first, uint32_t channels) {
    weightOf.Load(first, channels);
    biasOf.Load(first, channels);
    if (momentum != 0.0f) {
      runningMeanOf.Load(first, channels);
      runningVarOf.Load(first, channels);
    }
    ParametersLoaded();
    weightOf.Convert(channels);
    biasOf.Convert(channels);
    if (momentum != 0.0f) {
      runningMeanOf.Convert(channels);
      runningVarOf.Convert(channels);
    }
    VectorToScalar();
  }
  __aicore__ inline void CopyIn(const Tile &tile, uint32_t) { input.CopyIn(walk, tile); }

  __aicore__ inline void BeginPass(uint32_t, uint32_t pass) {
    if (pass == 0) {
      count = mean = low = squares = 0.0f;
    }
  }
  __aicore__ inline void ComputeTile(const Tile &tile, uint32_t pass) {
    if (pass == 0) {
      Statistics(tile);
    } else {
      const LocalTensor<float> x = input.Take(tile.Elements());
      PipeBarrier<PIPE_V>();
      Adds(x, x, -mean, static_cast<int32_t>(tile.Elements()));
      PipeBarrier<PIPE_V>();
      output.Put(walk, tile, x, factor, offset);
      input.Release();
    }
  }
  __aicore__ inline void EndPass(uint32_t channel, uint32_t pass) {
    if (pass != 0) {
      return;
    }
    mean = mean + low;
    const LocalTensor<float> value = scalarBuf.Get<float>()[2 * GROUP],
                             ones = scalarBuf.Get<float>()[3 * GROUP];
    Duplicate(value, squares / m, GROUP);
    PipeBarrier<PIPE_V>();
    InverseDeviation(value, ones, epsilon, GROUP);
    VectorToScalar();
    const float invstd = value.GetValue(0);
    meanOf.Values().SetValue(channel, mean);
    invstdOf.Values().SetValue(channel, invstd);
    if (momentum != 0.0f) {
      const LocalTensor<float> oldMean = runningMeanOf.Values(), oldVar = runningVarOf.Values();
      const float keep = 1.0f - momentum;
      oldMean.SetValue(channel, keep * oldMean.GetValue(channel) + momentum * mean);
      oldVar.SetValue(channel, keep * oldVar.GetValue(channel) + momentum * (squares / (m - 1.0f)));
    }
    factor = invstd * weightOf.Values().GetValue(channel);
    offset = biasOf.Values().GetValue(channel);
  }
  __aicore__ inline void StoreGroup(uint64_t first, uint32_t channels) {
    ScalarToVector();
    if (momentum != 0.0f) {
      runningMeanOf.Round(channels);
      runningVarOf.Round(channels);
    }
    ResultsToStore();
    meanOf.Store(first, channels);
    invstdOf.Store(first, channels);
    if (momentum != 0.0f) {
      runningMeanOf.Store(first, channels);
      runningVarOf.Store(first, channels);
    }
    PipeBarrier<PIPE_ALL>(); // the next group uses the same buffers
  }

private:
  __aicore__ inline void Statistics(const Tile &tile) {
    const int32_t elements = static_cast<int32_t>(tile.Elements());
    const LocalTensor<float> x = input.Take(tile.Elements()), d = deviationBuf.Get<float>();
    const LocalTensor<float> sums = sumsBuf.Get<float>(), squareSums = squareSumsBuf.Get<float>();
    const LocalTensor<float> result = scalarBuf.Get<float>();
    PipeBarrier<PIPE_V>();
    SumBlocks(sums, x, tile.Elements());
    PipeBarrier<PIPE_V>();
    ReduceSum(result, sums, sums, elements / GROUP);
    const float n = static_cast<float>(tile.rows * tile.length);
    const float tileMean = result.GetValue(0) / n;
    Adds(d, x, -tileMean, elements);
    input.Release();
    PipeBarrier<PIPE_V>();
    ZeroPadding(d, tile);
    PipeBarrier<PIPE_V>();
    SumBlocks(sums, d, tile.Elements());
    Mul(d, d, d, elements);
    PipeBarrier<PIPE_V>();
    SumBlocks(squareSums, d, tile.Elements());
    PipeBarrier<PIPE_V>();
    ReduceSum(result, sums, sums, elements / GROUP);
    ReduceSum(result[GROUP], squareSums, squareSums, elements / GROUP);
    const float rounding = result.GetValue(0) / n;
    const float tileSquares = result.GetValue(GROUP) - n * rounding * rounding;
    Merge(n, tileMean, rounding, tileSquares);
  }

  /// The tile's mean is `tileMean` + `rounding`, the channel's `mean` + `low`: differences of means keep the
  /// bits that a float next to a large mean has lost.
  __aicore__ inline void Merge(float n, float tileMean, float rounding, float tileSquares) {
    if (count == 0.0f) {
      count = n;
      mean = tileMean;
      low = rounding;
      squares = tileSquares;
      return;
    }
    const float total = count + n, delta = (tileMean - mean) + (rounding - low), share = n / total;
    low = low + delta * share;
    squares = squares + tileSquares + delta * delta * (count * share);
    count = total;
  }

  FloatTiles<T> input;
  ResultTiles<T> output;
  Parameter<P> weightOf, biasOf, runningMeanOf, runningVarOf;
  Parameter<float> meanOf, invstdOf;
  TBuf<TPosition::VECCALC> deviationBuf, sumsBuf, squareSumsBuf, scalarBuf;
  Walk<T> walk;
  const ChannelTilingData *tiling;
  float epsilon, momentum, m, count, mean, low, squares, factor, offset;
};

} // namespace BatchNorm
#endif
