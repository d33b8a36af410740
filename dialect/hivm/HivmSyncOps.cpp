//===- HivmSyncOps.cpp - Flags, barriers, locks
//--------------------------------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::hivm;

/// Event of a flag: `<EVENT_ID3>`, `#hivm.event<EVENT_ID3>` or an i64 value.
static ParseResult parseEventID(OpAsmParser &parser, EventAttr &event,
                                std::optional<OpAsmParser::UnresolvedOperand> &dynamicEvent) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    dynamicEvent = operand;
    return *isOperand;
  }
  return parser.parseCustomAttributeWithFallback(event);
}

static void printEventID(OpAsmPrinter &printer, Operation *, EventAttr event, Value dynamicEvent) {
  if (dynamicEvent)
    printer << dynamicEvent;
  else
    printer.printStrippedAttrOrType(event);
}

/// Number of a cross-core flag: an integer, i64 unless it says so, or an i64 value.
static ParseResult parseFlagID(OpAsmParser &parser, IntegerAttr &flag,
                               std::optional<OpAsmParser::UnresolvedOperand> &dynamicFlag) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (isOperand.has_value()) {
    dynamicFlag = operand;
    return *isOperand;
  }
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  flag = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

static void printFlagID(OpAsmPrinter &printer, Operation *, IntegerAttr flag, Value dynamicFlag) {
  if (dynamicFlag)
    printer << dynamicFlag;
  else
    printer << flag.getInt();
}

#define GET_OP_CLASSES
#include "dialect/hivm/HivmSyncOps.cpp.inc"

void HivmDialect::registerSyncOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/hivm/HivmSyncOps.cpp.inc"
      >();
}

/// Exactly one of a static and a dynamic number.
static LogicalResult verifyNumber(Operation *op, Attribute staticNumber, Value dynamicNumber,
                                  StringRef what) {
  if (!staticNumber && !dynamicNumber)
    return op->emitOpError("needs ") << what;
  if (staticNumber && dynamicNumber)
    return op->emitOpError("has two of ") << what;
  return success();
}

void SetFlagOp::build(OpBuilder &, OperationState &state, hivm::Pipe setPipe, hivm::Pipe waitPipe,
                      Event event) {
  auto *context = state.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.set_pipe = PipeAttr::get(context, setPipe);
  properties.wait_pipe = PipeAttr::get(context, waitPipe);
  properties.static_event_id = EventAttr::get(context, event);
}

void SetFlagOp::build(OpBuilder &, OperationState &state, hivm::Pipe setPipe, hivm::Pipe waitPipe,
                      Value event) {
  auto *context = state.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.set_pipe = PipeAttr::get(context, setPipe);
  properties.wait_pipe = PipeAttr::get(context, waitPipe);
  state.addOperands(event);
}

void WaitFlagOp::build(OpBuilder &builder, OperationState &state, hivm::Pipe setPipe, hivm::Pipe waitPipe,
                       Event event) {
  auto *context = state.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.set_pipe = PipeAttr::get(context, setPipe);
  properties.wait_pipe = PipeAttr::get(context, waitPipe);
  properties.static_event_id = EventAttr::get(context, event);
}

void WaitFlagOp::build(OpBuilder &builder, OperationState &state, hivm::Pipe setPipe, hivm::Pipe waitPipe,
                       Value event) {
  auto *context = state.getContext();
  auto &properties = state.getOrAddProperties<Properties>();
  properties.set_pipe = PipeAttr::get(context, setPipe);
  properties.wait_pipe = PipeAttr::get(context, waitPipe);
  state.addOperands(event);
}

LogicalResult SetFlagOp::verify() {
  return verifyNumber(*this, getStaticEventIdAttr(), getDynamicEventId(), "an event id");
}

LogicalResult WaitFlagOp::verify() {
  return verifyNumber(*this, getStaticEventIdAttr(), getDynamicEventId(), "an event id");
}

LogicalResult SyncBlockOp::verify() {
  SyncBlockMode mode = getSyncBlockMode();
  bool onVector = mode == SyncBlockMode::ALL || mode == SyncBlockMode::ALL_VECTOR ||
                  mode == SyncBlockMode::ALL_SUB_VECTOR;
  bool onCube = mode == SyncBlockMode::ALL || mode == SyncBlockMode::ALL_CUBE;
  if (onCube && !getTcubePipe())
    return emitOpError("tcube_pipe is needed in mode ") << stringifySyncBlockMode(mode);
  if (onVector && !getTvectorPipe())
    return emitOpError("tvector_pipe is needed in mode ") << stringifySyncBlockMode(mode);
  return success();
}

LogicalResult SyncBlockSetOp::verify() {
  return verifyNumber(*this, getStaticFlagIdAttr(), getDynamicFlagId(), "a flag number");
}

LogicalResult SyncBlockWaitOp::verify() {
  return verifyNumber(*this, getStaticFlagIdAttr(), getDynamicFlagId(), "a flag number");
}
