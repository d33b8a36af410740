//===- VectorSelection.cpp - arith and math to HIVM vector operations ---------===//
#include "passes/VectorSelection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {
namespace {

using Steps = SmallVector<VectorStep, 2>;
using IsScalar = llvm::function_ref<bool(Value)>;

VectorStep::Source previous() { return {{}, true}; }

/// A constant of `like`'s type next to the nest, so that it is a scalar operand.
Value constantLike(Operation *op, double value) {
  Operation *nest = op->getParentOp();
  OpBuilder builder(nest);
  Type type = op->getResult(0).getType();
  if (isa<FloatType>(type))
    return builder.create<arith::ConstantOp>(nest->getLoc(), builder.getFloatAttr(type, value));
  return builder.create<arith::ConstantOp>(nest->getLoc(), builder.getIntegerAttr(type, int64_t(value)));
}

FailureOr<Steps> unsupported(Operation *op, const Twine &why) {
  return op->emitError("no vector instruction for ") << op->getName() << ": " << why;
}

bool isVectorFloat(Type type) { return type.isF32() || type.isF16(); }
bool isVectorInteger(Type type) { return type.isInteger(32) || type.isInteger(16); }

FailureOr<Steps> unary(Operation *op, StringRef name) {
  Type type = op->getResult(0).getType();
  if (!isVectorFloat(type))
    return unsupported(op, "needs f32 or f16");
  return Steps{{name, {{op->getOperand(0)}}, type}};
}

/// Commutative ones take the scalar second; others have a form for either side where the machine has one.
FailureOr<Steps> binary(Operation *op, StringRef name, bool commutative, bool floats, bool integers,
                        IsScalar isScalar) {
  Type type = op->getResult(0).getType();
  if (!((floats && isVectorFloat(type)) || (integers && isVectorInteger(type))))
    return unsupported(op, "element type without vector arithmetic; cast first");
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (commutative && isScalar(lhs))
    std::swap(lhs, rhs);
  return Steps{{name, {{lhs}, {rhs}}, type}};
}

std::optional<StringRef> compareMode(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return "eq";
  case arith::CmpFPredicate::UNE:
    return "ne";
  case arith::CmpFPredicate::OLT:
    return "lt";
  case arith::CmpFPredicate::OLE:
    return "le";
  case arith::CmpFPredicate::OGT:
    return "gt";
  case arith::CmpFPredicate::OGE:
    return "ge";
  default:
    return std::nullopt;
  }
}

/// The unordered predicates are the negation of an ordered one.
std::optional<StringRef> negatedMode(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::UGT:
    return "le";
  case arith::CmpFPredicate::UGE:
    return "lt";
  case arith::CmpFPredicate::ULT:
    return "ge";
  case arith::CmpFPredicate::ULE:
    return "gt";
  default:
    return std::nullopt;
  }
}

StringRef swapMode(StringRef mode) {
  return llvm::StringSwitch<StringRef>(mode)
      .Case("lt", "gt")
      .Case("le", "ge")
      .Case("gt", "lt")
      .Case("ge", "le")
      .Default(mode);
}

FailureOr<Steps> compareFloat(arith::CmpFOp op, IsScalar isScalar) {
  if (!isVectorFloat(op.getLhs().getType()))
    return unsupported(op, "compares need f32 or f16");
  auto mode = compareMode(op.getPredicate());
  auto negated = negatedMode(op.getPredicate());
  if (!mode && !negated)
    return unsupported(op, "predicate " + arith::stringifyCmpFPredicate(op.getPredicate()) +
                               " has no compare mode");
  StringRef chosen = mode ? *mode : *negated;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  if (isScalar(lhs)) {
    std::swap(lhs, rhs);
    chosen = swapMode(chosen);
  }
  Type bit = op.getType();
  Steps steps{{"hivm.hir.vcmp", {{lhs}, {rhs}}, bit, chosen, std::nullopt, /*inPlace=*/false}};
  if (!mode)
    steps.push_back({"hivm.hir.vnot", {previous()}, bit});
  return steps;
}

FailureOr<Steps> compareInteger(arith::CmpIOp op, IsScalar isScalar) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  bool equality =
      op.getPredicate() == arith::CmpIPredicate::eq || op.getPredicate() == arith::CmpIPredicate::ne;
  if (!lhs.getType().isInteger(32) || !equality)
    return unsupported(op, "the vector unit compares i32 for equality only; cast to f32 for an order");
  if (isScalar(lhs))
    std::swap(lhs, rhs);
  StringRef mode = op.getPredicate() == arith::CmpIPredicate::eq ? "eq" : "ne";
  return Steps{{"hivm.hir.vcmp", {{lhs}, {rhs}}, op.getType(), mode, std::nullopt, /*inPlace=*/false}};
}

FailureOr<Steps> select(arith::SelectOp op, IsScalar isScalar) {
  Type type = op.getType();
  if (!isVectorFloat(type) && !isVectorInteger(type) && !type.isBF16())
    return unsupported(op, "select needs f32, f16, bf16, i32 or i16");
  // One value for all lanes, from a one-element input, becomes a mask.
  if (isScalar(op.getCondition()))
    return Steps{{"hivm.hir.vbrc", {{op.getCondition()}}, op.getCondition().getType()},
                 {"hivm.hir.vsel", {previous(), {op.getTrueValue()}, {op.getFalseValue()}}, type}};
  return Steps{{"hivm.hir.vsel", {{op.getCondition()}, {op.getTrueValue()}, {op.getFalseValue()}}, type}};
}

/// Pairs and modes of AscendNPU-IR facts, section 7. Widths differ, so never in place.
FailureOr<Steps> cast(Operation *op, StringRef mode) {
  return Steps{{"hivm.hir.vcast",
                {{op->getOperand(0)}},
                op->getResult(0).getType(),
                std::nullopt,
                mode,
                /*inPlace=*/false}};
}

/// 1/x and 1/sqrt(x) by division: the estimating instructions have about 11 good bits.
FailureOr<Steps> reciprocalSqrt(math::RsqrtOp op) {
  Type type = op.getType();
  if (!isVectorFloat(type))
    return unsupported(op, "needs f32 or f16");
  Value one = constantLike(op, 1.0);
  return Steps{{"hivm.hir.vsqrt", {{op.getOperand()}}, type}, {"hivm.hir.vdiv", {{one}, previous()}, type}};
}

FailureOr<Steps> negate(arith::NegFOp op) {
  Type type = op.getType();
  if (!isVectorFloat(type))
    return unsupported(op, "needs f32 or f16");
  return Steps{{"hivm.hir.vmul", {{op.getOperand()}, {constantLike(op, -1.0)}}, type}};
}

/// A function of one value for all lanes: the value is spread first.
void spreadOperand(Operation *op, Steps &steps) {
  Value operand = op->getOperand(0);
  for (VectorStep::Source &source : steps.front().sources)
    if (source.value == operand)
      source = previous();
  steps.insert(steps.begin(), VectorStep{"hivm.hir.vbrc", {{operand}}, operand.getType()});
}

FailureOr<Steps> selectSteps(Operation *op, IsScalar isScalar) {
  auto arithmetic = [&](StringRef name, bool commutative, bool floats, bool integers) {
    return binary(op, name, commutative, floats, integers, isScalar);
  };
  return llvm::TypeSwitch<Operation *, FailureOr<Steps>>(op)
      .Case<arith::AddFOp>([&](auto) { return arithmetic("hivm.hir.vadd", true, true, false); })
      .Case<arith::SubFOp>([&](auto) { return arithmetic("hivm.hir.vsub", false, true, false); })
      .Case<arith::MulFOp>([&](auto) { return arithmetic("hivm.hir.vmul", true, true, false); })
      .Case<arith::DivFOp>([&](auto) { return arithmetic("hivm.hir.vdiv", false, true, false); })
      .Case<arith::MaximumFOp>([&](auto) { return arithmetic("hivm.hir.vmax", true, true, false); })
      .Case<arith::MinimumFOp>([&](auto) { return arithmetic("hivm.hir.vmin", true, true, false); })
      .Case<arith::AddIOp>([&](auto) { return arithmetic("hivm.hir.vadd", true, false, true); })
      .Case<arith::SubIOp>([&](auto) { return arithmetic("hivm.hir.vsub", false, false, true); })
      .Case<arith::MulIOp>([&](auto) { return arithmetic("hivm.hir.vmul", true, false, true); })
      .Case<arith::MaxSIOp>([&](auto) { return arithmetic("hivm.hir.vmax", true, false, true); })
      .Case<arith::MinSIOp>([&](auto) { return arithmetic("hivm.hir.vmin", true, false, true); })
      .Case<arith::NegFOp>([&](auto negation) { return negate(negation); })
      .Case<math::ExpOp>([&](auto) { return unary(op, "hivm.hir.vexp"); })
      .Case<math::LogOp>([&](auto) { return unary(op, "hivm.hir.vln"); })
      .Case<math::SqrtOp>([&](auto) { return unary(op, "hivm.hir.vsqrt"); })
      .Case<math::AbsFOp>([&](auto) { return unary(op, "hivm.hir.vabs"); })
      .Case<math::RsqrtOp>([&](auto root) { return reciprocalSqrt(root); })
      .Case<arith::CmpFOp>([&](auto compare) { return compareFloat(compare, isScalar); })
      .Case<arith::CmpIOp>([&](auto compare) { return compareInteger(compare, isScalar); })
      .Case<arith::SelectOp>([&](auto choice) { return select(choice, isScalar); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp>([&](auto) { return cast(op, "rint"); })
      .Case<arith::FPToSIOp>([&](auto) { return cast(op, "trunc"); })
      .Case<arith::AndIOp>([&](auto both) -> FailureOr<Steps> {
        return Steps{{"hivm.hir.vand", {{both.getLhs()}, {both.getRhs()}}, both.getType()}};
      })
      .Case<arith::OrIOp>([&](auto either) -> FailureOr<Steps> {
        return Steps{{"hivm.hir.vor", {{either.getLhs()}, {either.getRhs()}}, either.getType()}};
      })
      .Default([&](Operation *) { return unsupported(op, "not an operation of the elementwise schedules"); });
}

} // namespace

FailureOr<Steps> selectVectorOps(Operation *op, IsScalar isScalar) {
  FailureOr<Steps> steps = selectSteps(op, isScalar);
  if (succeeded(steps) && op->getNumOperands() == 1 && isScalar(op->getOperand(0)))
    spreadOperand(op, *steps);
  return steps;
}

} // namespace tilewright
