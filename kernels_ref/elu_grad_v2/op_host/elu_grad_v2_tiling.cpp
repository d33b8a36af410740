#include "elu_grad_v2_tiling.h"

namespace kernels_ref {
namespace {

constexpr uint64_t BLOCK_BYTES = 256;
/// A core is worth starting for this much of one operand: starting costs some 0.07 us a block.
constexpr uint64_t CORE_CHUNK = 16 * 1024;
/// Tiles: whole compares (64 floats), whole 256-byte blocks of every type, whole bytes of mask blocks.
constexpr uint64_t TILE_ALIGN = 256;
/// Smaller tiles waste the latency of a transfer.
constexpr uint64_t MIN_TILE_BYTES = 8 * 1024;

/// Bytes of UB for one element of a tile.
double BytesPerElement(uint64_t in, uint64_t out, uint64_t buffers) {
  double bytes = double(buffers * (2 * in + out)) + 1.0 / 8;
  if (in != 4) {
    bytes += 2 * sizeof(float);
  }
  if (out != 4) {
    bytes += sizeof(float);
  }
  return bytes;
}

} // namespace

TilingOutcome TileEluGradV2(const EluGradV2Request &r, const PlatformInfo &platform,
                            EluGradV2TilingData &data) {
  const uint64_t in = SizeOf(r.type), out = SizeOf(r.outputType);
  const uint64_t blockElements = BLOCK_BYTES / in, blocks = CeilDiv(r.total, blockElements);
  const uint64_t cores = std::min<uint64_t>({platform.coreNum, blocks, CeilDiv(r.total * in, CORE_CHUNK)});
  const uint64_t each = blocks / cores, big = blocks % cores;
  data = {};
  data.coreNum = static_cast<uint32_t>(cores);
  data.bigCoreNum = static_cast<uint32_t>(big);
  data.bigCoreDataNum = (each + 1) * blockElements;
  data.smallCoreDataNum = each * blockElements;
  data.lastCoreDataNum = r.total - big * data.bigCoreDataNum - (cores - 1 - big) * data.smallCoreDataNum;

  const uint64_t ub = std::min(platform.ubSize, kUbWithoutSelectTable);
  const uint64_t share = big ? data.bigCoreDataNum : std::max(data.smallCoreDataNum, data.lastCoreDataNum);
  const uint64_t single =
      RoundDown(static_cast<uint64_t>(double(ub) / BytesPerElement(in, out, 1)), TILE_ALIGN);
  const uint64_t twice =
      RoundDown(static_cast<uint64_t>(double(ub) / BytesPerElement(in, out, 2)), TILE_ALIGN);
  const bool oneTile = share <= single && share * in <= 2 * MIN_TILE_BYTES;
  if (oneTile) {
    data.bufferNum = 1;
    data.tileDataNum = static_cast<uint32_t>(RoundUp(share, TILE_ALIGN));
  } else {
    // Equal tiles, at least three where they stay large enough to hide their latency.
    data.bufferNum = 2;
    const uint64_t least = std::min<uint64_t>(3, std::max<uint64_t>(1, share * in / MIN_TILE_BYTES));
    const uint64_t tiles = std::max(CeilDiv(share, twice), least);
    data.tileDataNum = static_cast<uint32_t>(std::min(RoundUp(CeilDiv(share, tiles), TILE_ALIGN), twice));
  }
  data.scale = static_cast<float>(r.scale);
  data.negativeScale = static_cast<float>(r.alpha * r.scale * r.inputScale);
  data.inputScale = static_cast<float>(r.inputScale);
  data.alphaScale = static_cast<float>(r.alpha * r.scale);

  TilingOutcome outcome;
  outcome.blockDim = data.coreNum;
  const bool aligned = r.total * in % BLOCK_BYTES == 0;
  if (oneTile) {
    outcome.tilingKey = ELU_GRAD_V2_SINGLE_TILE_EXP;
  } else if (aligned && r.type == DT_BF16) {
    outcome.tilingKey = ELU_GRAD_V2_MIXED_EXP_FAST;
  } else if (aligned && r.type == DT_FLOAT16) {
    outcome.tilingKey = ELU_GRAD_V2_FLOAT16_EXP_FAST;
  } else {
    outcome.tilingKey = ELU_GRAD_V2_SAFE_EXP;
  }
  outcome.tilingKey += r.isResult; // every RESULT key follows its EXP key
  return outcome;
}

} // namespace kernels_ref

/// sizes: total; types: x, y; attributes: alpha, scale, input_scale, is_result.
extern "C" int elu_grad_v2_host_tiling(const HostTilingRequest *request, HostTilingResult *result) {
  if (request->sizeCount != 1 || request->typeCount != 2 || request->attributeCount != 4 ||
      request->sizes[0] < 1)
    return 1;
  const kernels_ref::EluGradV2Request r{static_cast<uint64_t>(request->sizes[0]),
                                        request->types[0],
                                        request->types[1],
                                        request->attributes[0],
                                        request->attributes[1],
                                        request->attributes[2],
                                        request->attributes[3] != 0};
  EluGradV2TilingData data;
  const auto outcome =
      kernels_ref::TileEluGradV2(r, {static_cast<uint32_t>(request->coreNum), request->ubSize}, data);
  return kernels_ref::Finish(outcome, data, result);
}
