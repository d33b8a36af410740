#include "binary_cross_entropy_grad_tiling.h"

namespace kernels_ref {
namespace {

constexpr uint64_t BLOCK_SIZE = 512, BUFFER_NUM = 2;
/// A core is worth starting for this many blocks of one operand: starting costs some 0.07 us a block.
constexpr uint64_t MIN_BLOCKS_PER_CORE = 16;

} // namespace

TilingOutcome TileBinaryCrossEntropyGrad(const BinaryCrossEntropyGradRequest &r, const PlatformInfo &platform,
                                         BinaryCrossEntropyGradTilingData &data) {
  const bool integer = r.type == DT_INT32 || r.type == DT_INT16;
  const bool scalar = r.reduction != 0;
  if (r.total == 0 || (integer && (scalar || r.formula != BceFormula::FromSigmoid)))
    return {};
  const uint64_t size = SizeOf(r.type), blockElements = BLOCK_SIZE / size;
  const uint64_t blocks = CeilDiv(r.total, blockElements);
  const uint64_t cores = std::min<uint64_t>(platform.coreNum, CeilDiv(blocks, MIN_BLOCKS_PER_CORE));
  data = {};
  data.totalNum = r.total;
  data.coreNum = static_cast<uint32_t>(cores);
  data.bigCoreNum = static_cast<uint32_t>(blocks % cores);
  data.bigCoreDataNum = (blocks / cores + 1) * blockElements;
  data.smallCoreDataNum = blocks / cores * blockElements;
  data.isMean = r.reduction == 2;

  // Blocks of a tile: the queues, and float scratch that is twice as wide as a half type.
  const uint64_t queues = 3 + r.hasWeight + !scalar;
  uint64_t perBlock = queues * BUFFER_NUM * BLOCK_SIZE;
  const bool casts = r.type == DT_FLOAT16 || r.type == DT_BF16;
  if (casts)
    perBlock += 3 * 2 * BLOCK_SIZE;
  if (r.formula == BceFormula::FromLogit)
    perBlock += (casts ? 2 : 1) * BLOCK_SIZE;
  const uint64_t tileBlocks = platform.ubSize / perBlock;
  // Equal tiles, at least three where a core has that much.
  const uint64_t share = blocks / cores + (data.bigCoreNum != 0);
  const uint64_t least = std::min<uint64_t>(3, std::max<uint64_t>(1, share / MIN_BLOCKS_PER_CORE));
  const uint64_t tiles = std::max(CeilDiv(share, tileBlocks), least);
  data.tileDataNum = static_cast<uint32_t>(CeilDiv(share, tiles) * blockElements);

  TilingOutcome outcome;
  outcome.blockDim = data.coreNum;
  outcome.tilingKey = scalar ? ELEMENTWISE_TPL_SCH_MODE_1 : ELEMENTWISE_TPL_SCH_MODE_0;
  if (r.formula != BceFormula::FromSigmoid && r.hasWeight)
    outcome.tilingKey += 2;
  return outcome;
}

} // namespace kernels_ref

/// sizes: total; types: one; attributes: reduction (none 0, sum 1, mean 2), formula, has weight.
extern "C" int binary_cross_entropy_grad_host_tiling(const HostTilingRequest *request,
                                                     HostTilingResult *result) {
  if (request->sizeCount != 1 || request->typeCount != 1 || request->attributeCount != 3 ||
      request->sizes[0] < 1)
    return 1;
  const int reduction = static_cast<int>(request->attributes[0]),
            formula = static_cast<int>(request->attributes[1]);
  if (reduction < 0 || reduction > 2 || formula < 0 || formula > 2)
    return 1;
  const kernels_ref::BinaryCrossEntropyGradRequest r{
      static_cast<uint64_t>(request->sizes[0]), request->types[0], reduction,
      static_cast<kernels_ref::BceFormula>(formula), request->attributes[2] != 0};
  BinaryCrossEntropyGradTilingData data;
  const auto outcome = kernels_ref::TileBinaryCrossEntropyGrad(
      r, {static_cast<uint32_t>(request->coreNum), request->ubSize}, data);
  return outcome.blockDim ? kernels_ref::Finish(outcome, data, result) : 1;
}
