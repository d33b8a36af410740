//===- Programs.cpp - vector programs and UB buffers of a schedule ------------===//
#include "passes/reduction/Programs.h"

#include "passes/KernelArguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright {

std::optional<Schedule> Schedule::parse(StringRef text) {
  auto [family, residency] = text.split('-');
  auto kind = llvm::StringSwitch<std::optional<Family>>(family)
                  .Case("rows", Rows)
                  .Case("lanes", Lanes)
                  .Case("folded", Folded)
                  .Default(std::nullopt);
  auto copies = llvm::StringSwitch<std::optional<int>>(residency)
                    .Case("", 0)
                    .Case("resident", 1)
                    .Case("resident2", 2)
                    .Default(std::nullopt);
  if (!kind || !copies)
    return std::nullopt;
  return Schedule{*kind, *copies};
}

namespace {

/// A copy of a reduction nest that yields the summands instead of combining them.
linalg::GenericOp cloneSummands(const Nest &nest) {
  linalg::GenericOp op = nest.op;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  auto copy = cast<linalg::GenericOp>(builder.clone(*op));
  Operation *yield = copy.getBody()->getTerminator();
  for (OpOperand &value : yield->getOpOperands().take_front(nest.combines.size())) {
    Operation *combination = value.get().getDefiningOp();
    value.set(combination->getOperand(1));
    combination->erase();
  }
  return copy;
}

/// How an input covers a tile of the schedule.
FailureOr<Spread> spreadOf(const Nest &nest, Covers covers, Schedule schedule) {
  linalg::GenericOp op = nest.op;
  switch (covers) {
  case Covers::All:
    return Spread::Full;
  case Covers::One:
    return Spread::Uniform;
  case Covers::Channel:
    if (nest.kind == NestKind::Channel)
      return Spread::Row;
    return schedule.isRows() ? Spread::Uniform : Spread::Row;
  case Covers::Inner:
    if (!schedule.isRows())
      return op.emitError("an operand over the inner reduced axis needs the schedule 'rows'");
    return Spread::Row;
  case Covers::Outer:
    return Spread::Column;
  }
  llvm_unreachable("covers");
}

int64_t alignTo32(int64_t bytes) { return llvm::alignTo(bytes, kUbBlockBytes); }

int64_t bytesOf(Type type, int64_t elements) {
  return alignTo32(llvm::divideCeil(elements * type.getIntOrFloatBitWidth(), 8));
}

bool isHalf(Type type) { return type.getIntOrFloatBitWidth() < 32; }

} // namespace

FailureOr<SmallVector<NestProgram, 0>> buildPrograms(func::FuncOp func, Schedule schedule) {
  FailureOr<SmallVector<Nest>> nests = collectNests(func);
  if (failed(nests))
    return failure();
  SmallVector<NestProgram, 0> programs;
  for (Nest &nest : *nests) {
    NestProgram item{nest, nest.op, {}, {}};
    SmallVector<Spread> spreads;
    for (unsigned i = 0, e = nest.op.getNumDpsInputs(); i < e; ++i) {
      item.covers.push_back(coversOf(nest, i));
      FailureOr<Spread> spread = spreadOf(nest, item.covers.back(), schedule);
      if (failed(spread))
        return failure();
      spreads.push_back(*spread);
    }
    if (nest.kind == NestKind::Reduction)
      item.body = cloneSummands(nest);
    FailureOr<VectorProgram> program =
        VectorProgram::build(item.body, spreads, nest.kind != NestKind::Channel);
    if (failed(program))
      return failure();
    item.program = *program;
    programs.push_back(std::move(item));
  }
  return programs;
}

void erasePrograms(MutableArrayRef<NestProgram> programs) {
  for (NestProgram &item : programs)
    if (item.body != item.nest.op)
      item.body.erase();
}

BlockArgument argumentOf(Value input) { return dyn_cast<BlockArgument>(input); }

SmallVector<BlockArgument> fullInputs(ArrayRef<NestProgram> programs) {
  SmallVector<BlockArgument> found;
  for (const NestProgram &item : programs)
    for (auto [index, covers] : llvm::enumerate(item.covers)) {
      BlockArgument argument = argumentOf(linalg::GenericOp(item.nest.op).getDpsInputs()[index]);
      if (covers == Covers::All && !llvm::is_contained(found, argument))
        found.push_back(argument);
    }
  llvm::sort(found, [](BlockArgument a, BlockArgument b) { return a.getArgNumber() < b.getArgNumber(); });
  return found;
}

int64_t rowGranuleOf(ArrayRef<NestProgram> programs) {
  int64_t granule = 8;
  for (const NestProgram &item : programs)
    if (item.nest.kind != NestKind::Channel)
      granule = std::max(granule, item.program.rowGranule());
  return granule;
}

namespace {

class Table {
public:
  Table(ArrayRef<NestProgram> programs, Schedule schedule, const Limits &limits)
      : programs(programs), schedule(schedule), limits(limits) {}

  SmallVector<UbRow> rows() {
    persistent();
    SmallVector<UbRow> worst;
    int64_t worstBytes = -1;
    for (const NestProgram &item : programs) {
      SmallVector<UbRow> own = nestRows(item);
      int64_t bytes = 0;
      for (const UbRow &row : own)
        bytes += row.bytes;
      if (bytes > worstBytes) {
        worst = own;
        worstBytes = bytes;
      }
    }
    llvm::append_range(found, worst);
    return found;
  }

private:
  int64_t f32(int64_t elements) const { return alignTo32(elements * 4); }

  void persistent() {
    llvm::SmallPtrSet<Value, 8> vectors;
    int64_t bytes = 0;
    for (const NestProgram &item : programs) {
      linalg::GenericOp op = item.nest.op;
      for (auto [input, covers] : llvm::zip(op.getDpsInputs(), item.covers))
        if (covers == Covers::Channel && argumentOf(input) && vectors.insert(input).second)
          bytes +=
              f32(limits.group) + (isHalf(getElementTypeOrSelf(input.getType())) ? f32(limits.group) : 0);
      bytes += item.nest.combines.size() * f32(limits.group);
      if (item.nest.kind == NestKind::Channel) {
        for (Type type : item.program.slots)
          bytes += bytesOf(type, limits.group);
        for (Type type : item.program.outputs)
          bytes += bytesOf(type, limits.group);
        bytes += item.program.scratchBytes();
      }
    }
    found.push_back({"per-channel values", bytes});
    if (schedule.family == Schedule::Folded)
      found.push_back({"lane numbers and channels", 2 * f32(limits.lanes)});
    if (schedule.residentCopies)
      for (BlockArgument argument : fullInputs(programs)) {
        Type type = getElementTypeOrSelf(argument.getType());
        found.push_back({"resident input " + std::to_string(argument.getArgNumber()),
                         schedule.residentCopies * bytesOf(type, limits.resident)});
      }
  }

  SmallVector<UbRow> nestRows(const NestProgram &item) const {
    SmallVector<UbRow> own;
    if (item.nest.kind == NestKind::Channel)
      return own;
    int64_t tile = limits.capacity;
    for (auto [input, covers] : llvm::zip(item.program.inputs, item.covers)) {
      switch (covers) {
      case Covers::All:
        if (!schedule.residentCopies || item.nest.isSample())
          own.push_back({input.name, 2 * bytesOf(input.type, tile)});
        break;
      case Covers::Channel:
        if (!schedule.isRows())
          own.push_back({input.name + " spread", f32(tile)});
        break;
      case Covers::Inner:
        own.push_back({input.name, 2 * bytesOf(input.type, limits.maxColumns) + f32(limits.maxColumns)});
        own.push_back({input.name + " spread", 2 * f32(tile)});
        break;
      case Covers::Outer: {
        int64_t scratch = limits.maxRows * llvm::alignTo(llvm::divideCeil(tile, limits.maxRows), 8);
        own.push_back({input.name, 2 * bytesOf(input.type, limits.maxRows) + f32(limits.maxRows)});
        own.push_back({input.name + " spread", f32(tile) + f32(scratch)});
        break;
      }
      case Covers::One:
        break;
      }
    }
    for (auto [index, type] : llvm::enumerate(item.program.slots))
      own.push_back({"slot" + std::to_string(index), bytesOf(type, tile)});
    for (auto [index, type] : llvm::enumerate(item.program.outputs)) {
      bool full = item.nest.isFull(index);
      own.push_back(
          {(full ? "out" : "summand") + std::to_string(index), (full ? 2 : 1) * bytesOf(type, tile)});
    }
    own.push_back({"scalar scratch", item.program.scratchBytes() + 64});
    // Before the tiles per-channel values are spread, after them partial results are exchanged; the buffers
    // of the tiles are free then.
    int64_t loop = 0;
    for (const UbRow &row : own)
      loop += StringRef(row.name).ends_with("spread") ? 0 : row.bytes;
    int64_t spreads = schedule.isRows() ? 0 : llvm::count(item.covers, Covers::Channel);
    // The temporary of the gathers.
    int64_t outside = schedule.family == Schedule::Folded && spreads ? f32(limits.lanes) : 0;
    if (item.nest.kind == NestKind::Reduction)
      outside = std::max(outside, accumulators(item, own));
    if (outside > loop)
      own.push_back({"exchange", outside - loop});
    return own;
  }

  /// Adds the accumulators; returns what the end of the pass needs when the tiles are done.
  int64_t accumulators(const NestProgram &item, SmallVector<UbRow> &own) const {
    int64_t sums = llvm::count(item.nest.combines, Combine::Sum);
    int64_t count = item.nest.combines.size() + 2 * sums;
    int64_t temporary = schedule.isRows() ? kFoldLanes : limits.lanes;
    own.push_back({"accumulators", count * f32(limits.lanes)});
    own.push_back({"accumulation", 3 * sums * f32(temporary)});
    // The total of high and low parts, its mask, and the temporary of the reduction over lanes.
    int64_t lanes = f32(limits.lanes), reductions = item.nest.combines.size();
    int64_t total = lanes + alignTo32(limits.lanes / 8) + 64;
    int64_t finish = reductions * total + (schedule.isRows() ? lanes : 0);
    // Partial results of other cores; segments in padded tiles, each with its temporary, and their numbers.
    int64_t exchange = reductions * (2 * f32(exchangeTile(limits, reductions)) + 6 * lanes + total);
    int64_t segments = schedule.family == Schedule::Folded ? (2 * reductions + 3) * f32(limits.segments) : 0;
    return finish + std::max(exchange, segments);
  }

  ArrayRef<NestProgram> programs;
  Schedule schedule;
  const Limits &limits;
  SmallVector<UbRow> found;
};

} // namespace

SmallVector<UbRow> ubTable(ArrayRef<NestProgram> programs, Schedule schedule, const Limits &limits) {
  return Table(programs, schedule, limits).rows();
}

} // namespace tilewright
