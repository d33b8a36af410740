//===- Tile.cpp - tw-tile-to-ub of kernels with reductions --------------------===//
#include "passes/KernelArguments.h"
#include "passes/reduction/Programs.h"

using namespace mlir;

namespace tilewright {
namespace {

constexpr int64_t kCapacityGranule = 128;
/// Tiles of resident schedules: long enough for the vector unit, and the rest of UB is for the data.
constexpr int64_t kResidentTile = 2048;
/// Beyond this a longer tile gains nothing: a transfer of 16 KiB reaches the full rate (facts: timing model).
constexpr int64_t kMaxTile = 8192;

int64_t total(ArrayRef<UbRow> table) {
  int64_t bytes = 0;
  for (const UbRow &row : table)
    bytes += row.bytes;
  return bytes;
}

/// Buffers for a line of columns exist only where an operand has such a line; else a row may fill the tile.
bool hasLines(ArrayRef<NestProgram> programs) {
  return llvm::any_of(programs,
                      [](const NestProgram &item) { return llvm::is_contained(item.covers, Covers::Inner); });
}

Limits limitsFor(Schedule schedule, ArrayRef<NestProgram> programs, int64_t granule, int64_t capacity) {
  int64_t columns = hasLines(programs) ? std::min(kMaxTileColumns, capacity) : capacity;
  Limits limits{capacity, kMaxTileRows, columns, 0, 0, 0, granule, 0};
  switch (schedule.family) {
  case Schedule::Rows:
    limits.group = 16;
    limits.lanes = limits.group * kFoldLanes;
    break;
  case Schedule::Lanes:
    limits.group = limits.lanes = limits.maxColumns = std::min<int64_t>(512, capacity);
    break;
  case Schedule::Folded:
    limits.group = 256;
    limits.lanes = limits.maxColumns = std::min<int64_t>(1024, capacity);
    // Padding to UB blocks doubles the lanes of all but the shortest segments at most.
    limits.segments = std::min(2 * limits.lanes, capacity);
    break;
  }
  return limits;
}

/// GM bytes that one element of the iteration moves.
struct Traffic {
  int64_t streamed = 0; ///< read if every pass reads its operands
  int64_t resident = 0; ///< read if each operand is read once
  int64_t results = 0;  ///< written
};

Traffic trafficOf(ArrayRef<NestProgram> programs) {
  auto bytesOf = [](Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8; };
  Traffic traffic;
  for (BlockArgument argument : fullInputs(programs))
    traffic.resident += bytesOf(argument.getType());
  for (const NestProgram &item : programs) {
    linalg::GenericOp op = item.nest.op;
    for (auto [input, covers] : llvm::zip(op.getDpsInputs(), item.covers))
      traffic.streamed += covers == Covers::All && !item.nest.isSample() ? bytesOf(input.getType()) : 0;
    for (auto [index, type] : llvm::enumerate(op.getResultTypes()))
      traffic.results += item.nest.isFull(index) ? bytesOf(type) : 0;
  }
  return traffic;
}

DictionaryAttr describe(MLIRContext *ctx, ArrayRef<NestProgram> programs, StringRef schedule,
                        const Limits &limits, ArrayRef<UbRow> table) {
  Builder b(ctx);
  SmallVector<Attribute> rows;
  for (const UbRow &row : table)
    rows.push_back(b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(row.name)),
                                        b.getNamedAttr("bytes", b.getI64IntegerAttr(row.bytes))}));
  int64_t reductions = 0, full = 0;
  bool inner = false, outer = false, elementwise = false;
  for (const NestProgram &item : programs) {
    linalg::GenericOp op = item.nest.op;
    reductions += item.nest.isSample() ? 0 : item.nest.combines.size();
    elementwise |= item.nest.kind == NestKind::Elementwise;
    inner |= llvm::is_contained(item.covers, Covers::Inner);
    outer |= llvm::is_contained(item.covers, Covers::Outer);
  }
  int64_t bits = 8;
  for (BlockArgument argument : fullInputs(programs)) {
    bits = std::max<int64_t>(bits, getElementTypeOrSelf(argument.getType()).getIntOrFloatBitWidth());
    ++full;
  }
  Traffic traffic = trafficOf(programs);
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  return b.getDictionaryAttr({number("axes", 3),
                              number("block", kBlockBytes * 8 / bits),
                              number("capacity", limits.capacity),
                              number("max_rows", limits.maxRows),
                              number("max_columns", limits.maxColumns),
                              number("row_granule", limits.rowGranule),
                              number("segments", limits.segments),
                              number("ub_bytes", total(table)),
                              number("group", limits.group),
                              number("lanes", limits.lanes),
                              number("resident", limits.resident),
                              number("reductions", reductions),
                              number("full_inputs", full),
                              number("element_bytes", bits / 8),
                              number("inner", inner),
                              number("outer", outer),
                              number("elementwise", elementwise),
                              number("streamed_bytes", traffic.streamed),
                              number("resident_bytes", traffic.resident),
                              number("result_bytes", traffic.results),
                              b.getNamedAttr("schedule", b.getStringAttr(schedule)),
                              b.getNamedAttr("buffers", b.getArrayAttr(rows))});
}

} // namespace

LogicalResult tileReduction(func::FuncOp func, StringRef name, int64_t ubBytes) {
  if (!findArgument(func, "tiling:a_cores"))
    return func.emitError("the axes are not shared out: run tw-partition-channels first");
  if (func->hasAttr(tw::kPlanAttrName))
    return func.emitError("the kernel is tiled already: tw-convert-to-hivm comes next");
  std::optional<Schedule> schedule = Schedule::parse(name);
  if (!schedule)
    return func.emitError("no schedule '")
           << name << "': rows, lanes or folded, with -resident or -resident2";
  FailureOr<SmallVector<NestProgram, 0>> programs = buildPrograms(func, *schedule);
  if (failed(programs))
    return failure();
  int64_t granule = rowGranuleOf(*programs);

  auto fits = [&](const Limits &limits) { return total(ubTable(*programs, *schedule, limits)) <= ubBytes; };
  Limits best{};
  int64_t most = schedule->residentCopies ? kResidentTile : kMaxTile;
  for (int64_t capacity = most; capacity > 0; capacity -= kCapacityGranule) {
    Limits limits = limitsFor(*schedule, *programs, granule, capacity);
    if (!fits(limits))
      continue;
    if (!schedule->residentCopies) {
      best = limits;
      break;
    }
    // What tiles take is missing for the data: smaller ones where there would be room for less than two.
    while (limits.resident += kCapacityGranule, fits(limits))
      if (limits.resident > best.resident)
        best = limits;
    if (best.resident >= 2 * capacity)
      break;
  }
  if (!best.capacity || (schedule->residentCopies && !best.resident)) {
    Limits smallest = limitsFor(*schedule, *programs, granule, kCapacityGranule);
    SmallVector<UbRow> table = ubTable(*programs, *schedule, smallest);
    InFlightDiagnostic diag = func.emitError("the operator needs ")
                              << total(table) << " bytes of UB for its smallest tile of " << kCapacityGranule
                              << " elements in the schedule '" << name << "', and " << ubBytes
                              << " are available";
    for (const UbRow &row : table)
      diag.attachNote() << row.name << ": " << row.bytes << " bytes";
    erasePrograms(*programs);
    return failure();
  }
  func->setAttr(tw::kPlanAttrName,
                describe(func.getContext(), *programs, name, best, ubTable(*programs, *schedule, best)));
  erasePrograms(*programs);
  Type i64 = IntegerType::get(func.getContext(), 64);
  for (StringRef number : {"group", "tile_rows", "tile_cols", "merge", "workspace_row", "workspace"})
    appendArgument(func, i64, "tiling:" + number);
  func.setType(FunctionType::get(func.getContext(), func.front().getArgumentTypes(),
                                 func.front().getTerminator()->getOperandTypes()));
  return success();
}

} // namespace tilewright
