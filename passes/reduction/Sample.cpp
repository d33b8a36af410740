//===- Sample.cpp - sums that a sample of the data will do for ----------------===//
//
// The pivot of a variance need only be near the mean (tw.moments: what it is off by is corrected). So a sum
// for it takes a few elements of each channel instead of a pass over the data. All cores that share a channel
// take the same ones, from GM, so they agree without an exchange. They lie apart along R1, or along R0 where
// R1 is short, so that one blank end is not all of the sample; the further it is off, the more digits the
// variance loses: by the factor 1 + (pivot - mean)^2 / variance.
//
//===----------------------------------------------------------------------------===//
#include "passes/reduction/Lowering.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Bursts of 256 bytes of the narrowest type.
constexpr int64_t kSampleColumns = 128;
/// The stride of a transfer has 32 bits, in bytes.
constexpr int64_t kMostStride = int64_t(1) << 29;

} // namespace

/// The rows of a sample in "rows": parts of one run of R0 where there are few runs and they are long.
int64_t ReductionLowering::sampleParts() {
  return std::clamp<int64_t>(limits.capacity / kSampleColumns, 1, 4);
}

Value ReductionLowering::sampleIsAlongR0() {
  Value few = index.less(parts[0].extent, index.constant(sampleParts()));
  Value isLong = index.less(index.constant(sampleParts() * kSampleColumns), parts[2].extent);
  return b.create<arith::AndIOp>(loc, few, isLong);
}

Value ReductionLowering::sampleRows() {
  Value extent = parts[0].extent;
  if (schedule.isRows()) {
    Value far = index.less(index.constant(kMostStride), index.mul(parts[1].extent, parts[2].extent));
    Value most = index.constant(sampleParts());
    Value runs = index.min(extent, index.select(far, index.constant(1), most));
    return index.select(sampleIsAlongR0(), most, runs);
  }
  // A row of "folded" has R0 elements of each channel; merged rows are short, and lie side by side.
  Value most = index.constant(schedule.family == Schedule::Lanes ? 8 : 2);
  return index.min(index.min(extent, tileRows), index.select(isMerged, tileRows, most));
}

Value ReductionLowering::sampleColumns() {
  return index.min(index.min(parts[2].extent, tileColumns), index.constant(kSampleColumns));
}

/// All elements of a channel over those in the sample.
Value ReductionLowering::sampleScale() {
  auto product = [&](Value x, Value y) -> Value { return b.create<arith::MulFOp>(loc, x, y); };
  // Extents are rounded to f32 in two parts, as the scalar unit converts 32 bits.
  auto wide = [&](Value extent) -> Value {
    constexpr int64_t kPart = int64_t(1) << 20;
    Value part = index.constant(kPart);
    Value size = b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(kPart));
    Value high = product(index.toF32(index.div(extent, part)), size);
    return b.create<arith::AddFOp>(loc, high, index.toF32(index.rem(extent, part)));
  };
  Value taken = index.mul(sampleRows(), schedule.isRows() ? sampleColumns() : parts[2].extent);
  Value all = product(wide(parts[0].extent), wide(parts[2].extent));
  return b.create<arith::DivFOp>(loc, all, index.toF32(taken));
}

/// Visits the sample of each channel (rows), or that of all channels of the group.
void ReductionLowering::forEachSample(function_ref<void(const Tile &)> body) {
  Value zero = index.constant(0), one = index.constant(1), rows = sampleRows();
  auto loop = b.create<scf::ForOp>(loc, zero, schedule.isRows() ? channels : one, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(), pitch = index.mul(parts[1].extent, parts[2].extent);
  Value apart = index.min(index.div(parts[0].extent, rows), index.div(index.constant(kMostStride), pitch));
  Tile tile{number, number, zero, zero, rows, laneColumns, {}, index.mul(pitch, index.max(apart, one))};
  if (schedule.isRows()) {
    tile.columns = sampleColumns();
    Value along = index.min(index.div(parts[2].extent, rows), index.constant(kMostStride));
    tile.stride = index.select(sampleIsAlongR0(), along, tile.stride);
  } else if (schedule.family == Schedule::Folded) {
    tile.rows = index.select(isMerged, one, rows);
    tile.columns = index.select(isMerged, index.mul(rows, laneColumns), laneColumns);
  }
  tile.offset = index.mul(index.add(channel, number), parts[2].extent);
  body(tile);
}

} // namespace tilewright
