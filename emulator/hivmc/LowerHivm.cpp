#include "emulator/hivmc/LowerHivm.h"

#include "emulator/hivmc/ParseModule.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::hivmc {

int pipeNumber(StringRef keyword) {
  return llvm::StringSwitch<int>(keyword)
      .Case("PIPE_S", 0)
      .Case("PIPE_V", 1)
      .Case("PIPE_M", 2)
      .Case("PIPE_MTE1", 3)
      .Case("PIPE_MTE2", 4)
      .Case("PIPE_MTE3", 5)
      .Case("PIPE_ALL", 6)
      .Default(-1);
}

LogicalResult rewriteAddressSpaces(ModuleOp module) {
  Builder builder(module.getContext());
  std::string foreign;
  auto numberOf = [&](Attribute space) -> std::optional<unsigned> {
    std::string printed;
    llvm::raw_string_ostream(printed) << space;
    if (!StringRef(printed).starts_with("#hivm.address_space<"))
      return std::nullopt;
    std::string word = keyword(space);
    int number =
        llvm::StringSwitch<int>(word).Case("gm", kGM).Case("ub", kUB).Case("zero", kStack).Default(-1);
    if (number >= 0)
      return unsigned(number);
    foreign = word;
    return std::nullopt;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](BaseMemRefType type) -> std::optional<std::pair<Type, WalkResult>> {
    Attribute space = type.getMemorySpace();
    if (!space)
      return std::nullopt;
    std::optional<unsigned> number = numberOf(space);
    if (!number)
      return std::nullopt;
    Attribute integer = *number ? builder.getI64IntegerAttr(*number) : Attribute();
    Type result;
    if (auto ranked = dyn_cast<MemRefType>(type))
      result = MemRefType::get(ranked.getShape(), ranked.getElementType(), ranked.getLayout(), integer);
    else
      result = UnrankedMemRefType::get(type.getElementType(), integer);
    return std::make_pair(result, WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  if (!foreign.empty())
    return module.emitError("address space '" + foreign + "' belongs to cube cores");
  return success();
}

namespace {

/// An hivm operation by name: the same code serves our registered operations and generic ones.
class HivmPattern : public ConversionPattern {
public:
  HivmPattern(const LLVMTypeConverter &converter, StringRef mnemonic)
      : ConversionPattern(converter, ("hivm.hir." + mnemonic).str(), 1, &converter.getContext()) {}

protected:
  const LLVMTypeConverter &converter() const { return *getTypeConverter<LLVMTypeConverter>(); }

  static Value constant(OpBuilder &builder, Location loc, int64_t value) {
    return builder.create<LLVM::ConstantOp>(loc, builder.getI64Type(), builder.getI64IntegerAttr(value));
  }

  static LLVM::CallOp call(ConversionPatternRewriter &rewriter, Operation *op, StringRef name,
                           ValueRange arguments, Type result = {}) {
    auto module = op->getParentOfType<ModuleOp>();
    SmallVector<Type> types(arguments.getTypes());
    auto function = LLVM::lookupOrCreateFn(module, name, types,
                                           result ? result : LLVM::LLVMVoidType::get(op->getContext()));
    return rewriter.create<LLVM::CallOp>(op->getLoc(), function, arguments);
  }

  static FailureOr<Value> pipe(ConversionPatternRewriter &rewriter, Operation *op, StringRef attribute) {
    std::string word = keyword(op->getAttr(attribute));
    int number = pipeNumber(word);
    if (number < 0)
      return op->emitError() << "pipe '" << word << "' does not exist on a vector core";
    return constant(rewriter, op->getLoc(), number);
  }
};

/// set_flag / wait_flag with a static or a dynamic event id.
class FlagLowering : public HivmPattern {
public:
  FlagLowering(const LLVMTypeConverter &converter, StringRef mnemonic, StringRef callee)
      : HivmPattern(converter, mnemonic), callee(callee) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<Value> source = pipe(rewriter, op, "set_pipe"), target = pipe(rewriter, op, "wait_pipe");
    if (failed(source) || failed(target))
      return failure();
    Value event;
    if (!operands.empty()) {
      event = operands.back();
    } else {
      std::string word = keyword(op->getAttr("static_event_id"));
      StringRef digits(word);
      unsigned number;
      if (!digits.consume_front("EVENT_ID") || digits.getAsInteger(10, number) || number > 7)
        return op->emitError() << "event id '" << word << "' does not exist";
      event = constant(rewriter, op->getLoc(), number);
    }
    call(rewriter, op, callee, {*source, *target, event});
    rewriter.eraseOp(op);
    return success();
  }

private:
  StringRef callee;
};

/// sync_block_set / sync_block_wait of vector cores. A set names the pipe whose earlier work it follows
/// (tpipe) and its reach, a wait the pipe that it holds (pipe).
class CrossCoreLowering : public HivmPattern {
public:
  CrossCoreLowering(const LLVMTypeConverter &converter, bool isSet)
      : HivmPattern(converter, isSet ? "sync_block_set" : "sync_block_wait"), isSet(isSet) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<Value> which = pipe(rewriter, op, isSet ? "tpipe" : "pipe");
    if (failed(which))
      return failure();
    Value flag;
    if (auto number = dyn_cast_or_null<IntegerAttr>(op->getAttr("static_flag_id"))) {
      flag = constant(rewriter, op->getLoc(), number.getInt());
    } else if (!operands.empty() && operands[0].getType().isInteger(64)) {
      flag = operands[0];
    } else {
      return op->emitError("names no flag");
    }
    if (!isSet) {
      call(rewriter, op, "tw_isa_SYNC_BLOCK_WAIT", {flag, *which});
    } else {
      // checkSupported has refused the third mode, between cube and vector cores.
      int mode = keyword(op->getAttr("tsync_instr_mode")) == "INTER_SUBBLOCK_SYNCHRONIZATION";
      call(rewriter, op, "tw_isa_SYNC_BLOCK_SET", {flag, *which, constant(rewriter, op->getLoc(), mode)});
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  bool isSet;
};

class BarrierLowering : public HivmPattern {
public:
  explicit BarrierLowering(const LLVMTypeConverter &converter) : HivmPattern(converter, "pipe_barrier") {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<Value> which = pipe(rewriter, op, "pipe");
    if (failed(which))
      return failure();
    call(rewriter, op, "tw_isa_BARRIER", {*which});
    rewriter.eraseOp(op);
    return success();
  }
};

/// An operation without operands whose i64 result (or nothing) comes from one call.
class QueryLowering : public HivmPattern {
public:
  QueryLowering(const LLVMTypeConverter &converter, StringRef mnemonic, StringRef callee)
      : HivmPattern(converter, mnemonic), callee(callee) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>,
                                ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() == 0) {
      call(rewriter, op, callee, {});
      rewriter.eraseOp(op);
      return success();
    }
    if (op->getNumResults() != 1 || !op->getResult(0).getType().isInteger(64))
      return op->emitError("the result is i64");
    rewriter.replaceOp(op, call(rewriter, op, callee, {}, rewriter.getI64Type()).getResult());
    return success();
  }

private:
  StringRef callee;
};

/// Operations that only matter to the device: the address of its flag memory, compiler marks.
class Drop : public ConversionPattern {
public:
  Drop(const LLVMTypeConverter &converter, StringRef name)
      : ConversionPattern(converter, name, 1, &converter.getContext()) {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>,
                                ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults())
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Buffer at a byte offset of UB, or at an absolute GM address. The descriptor's offset is 0 in every case,
/// so a bit-packed i1 buffer starts at a byte.
class PointerCastLowering : public HivmPattern {
public:
  explicit PointerCastLowering(const LLVMTypeConverter &converter) : HivmPattern(converter, "pointer_cast") {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = op->getNumResults() == 1 ? dyn_cast<MemRefType>(op->getResult(0).getType()) : MemRefType();
    if (!type || operands.empty() || !operands[0].getType().isInteger(64))
      return op->emitError("takes an i64 offset and gives a ranked memref");
    if (operands.size() != 1 + size_t(type.getNumDynamicDims()))
      return op->emitError("a multi-buffer with ")
             << operands.size() - type.getNumDynamicDims()
             << " addresses must be resolved by bishengir-compile first";
    FailureOr<unsigned> space = converter().getMemRefAddressSpace(type);
    if (failed(space) || (*space != kUB && *space != kGM))
      return op->emitError("only buffers in ub and gm are known");
    if (!type.getLayout().isIdentity())
      return op->emitError("a buffer with a strided layout");
    auto descriptorType = dyn_cast_or_null<LLVM::LLVMStructType>(converter().convertType(type));
    if (!descriptorType)
      return op->emitError("element type without a memory layout");

    Location loc = op->getLoc();
    Value address = operands[0];
    if (*space == kUB) {
      Value base = call(rewriter, op, "tw_core_ub", {}, rewriter.getI64Type()).getResult();
      address = rewriter.create<LLVM::AddOp>(loc, base, address);
    }
    auto pointerType = LLVM::LLVMPointerType::get(op->getContext(), *space);
    Value pointer = rewriter.create<LLVM::IntToPtrOp>(loc, pointerType, address);

    auto descriptor = MemRefDescriptor::undef(rewriter, loc, descriptorType);
    descriptor.setAllocatedPtr(rewriter, loc, pointer);
    descriptor.setAlignedPtr(rewriter, loc, pointer);
    descriptor.setOffset(rewriter, loc, constant(rewriter, loc, 0));
    SmallVector<Value> sizes;
    auto dynamic = operands.drop_front().begin();
    for (int64_t size : type.getShape())
      sizes.push_back(ShapedType::isDynamic(size) ? *dynamic++ : constant(rewriter, loc, size));
    Value stride = constant(rewriter, loc, 1);
    for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
      descriptor.setSize(rewriter, loc, axis, sizes[axis]);
      descriptor.setStride(rewriter, loc, axis, stride);
      if (axis)
        stride = rewriter.create<LLVM::MulOp>(loc, stride, sizes[axis]);
    }
    rewriter.replaceOp(op, Value(descriptor));
    return success();
  }
};

/// set_ctrl: one bit of the control word, as the template library does it (c220 ISA note, section 2).
class SetCtrlLowering : public HivmPattern {
public:
  explicit SetCtrlLowering(const LLVMTypeConverter &converter) : HivmPattern(converter, "set_ctrl") {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>,
                                ConversionPatternRewriter &rewriter) const override {
    auto enable = dyn_cast_or_null<BoolAttr>(op->getAttr("enable"));
    auto index = dyn_cast_or_null<IntegerAttr>(op->getAttr("idx"));
    if (!enable || !index || index.getInt() < 0 || index.getInt() > 63)
      return op->emitError("names a bit from 0 to 63");
    Type word = rewriter.getI64Type();
    Value bit = constant(rewriter, op->getLoc(), index.getInt());
    Value old = call(rewriter, op, "tw_isa_GET_CTRL", {}, word).getResult();
    Value changed =
        call(rewriter, op, enable.getValue() ? "tw_isa_SBITSET1" : "tw_isa_SBITSET0", {old, bit}, word)
            .getResult();
    call(rewriter, op, "tw_isa_SET_CTRL", {changed});
    rewriter.eraseOp(op);
    return success();
  }
};

/// dcci: cache maintenance of the scalar unit; second operand 1 as at every call of the library.
class DcciLowering : public HivmPattern {
public:
  explicit DcciLowering(const LLVMTypeConverter &converter) : HivmPattern(converter, "dcci") {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op->getLoc();
    auto pointerType = LLVM::LLVMPointerType::get(op->getContext(), kGM);
    Value pointer;
    if (operands.empty()) {
      pointer = rewriter.create<LLVM::ZeroOp>(loc, pointerType);
    } else {
      if (!isa<MemRefType>(op->getOperand(0).getType()))
        return op->emitError("takes a ranked memref");
      MemRefDescriptor descriptor(operands[0]);
      pointer = descriptor.alignedPtr(rewriter, loc);
      if (pointer.getType() != pointerType)
        return op->emitError("takes a memref in gm");
    }
    call(rewriter, op, "tw_isa_DCCI", {pointer, constant(rewriter, loc, 1)});
    rewriter.eraseOp(op);
    return success();
  }
};

class LoadScalarLowering : public HivmPattern {
public:
  explicit LoadScalarLowering(const LLVMTypeConverter &converter) : HivmPattern(converter, "load_scalar") {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (operands.size() != 1 || !isa<LLVM::LLVMPointerType>(operands[0].getType()) ||
        op->getNumResults() != 1)
      return op->emitError("takes one pointer");
    Type type = converter().convertType(op->getResult(0).getType());
    if (!type)
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, operands[0]);
    return success();
  }
};

/// bitcast of a scalar, or of a memref to elements of the same width.
class BitcastLowering : public HivmPattern {
public:
  explicit BitcastLowering(const LLVMTypeConverter &converter) : HivmPattern(converter, "bitcast") {}
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (operands.size() != 1 || op->getNumResults() != 1)
      return failure();
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    Type fromElement = getElementTypeOrSelf(from), toElement = getElementTypeOrSelf(to);
    if (!fromElement.isIntOrFloat() || !toElement.isIntOrFloat() ||
        fromElement.getIntOrFloatBitWidth() != toElement.getIntOrFloatBitWidth())
      return op->emitError("changes the width of the elements");
    Type result = converter().convertType(to);
    if (!result)
      return failure();
    if (isa<MemRefType>(from) && isa<MemRefType>(to)) {
      if (operands[0].getType() != result)
        return op->emitError("changes the rank or the address space");
      rewriter.replaceOp(op, operands[0]);
      return success();
    }
    if (isa<ShapedType>(from) || isa<ShapedType>(to))
      return op->emitError("casts scalars or memrefs");
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, result, operands[0]);
    return success();
  }
};

/// cf.assert stops the core as the library's own checks do; the stock lowering calls puts and abort of a C
/// library.
class AssertLowering : public ConvertOpToLLVMPattern<cf::AssertOp> {
public:
  explicit AssertLowering(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto trap = LLVM::lookupOrCreateFn(op->getParentOfType<ModuleOp>(), "tw_isa_TRAP", {},
                                       LLVM::LLVMVoidType::get(op->getContext()));
    Block *block = op->getBlock();
    Block *rest = rewriter.splitBlock(block, std::next(Block::iterator(op)));
    Block *failed = rewriter.createBlock(rest->getParent(), rest->getIterator());
    rewriter.create<LLVM::CallOp>(loc, trap, ValueRange());
    rewriter.create<LLVM::UnreachableOp>(loc);
    rewriter.setInsertionPointToEnd(block);
    rewriter.create<LLVM::CondBrOp>(loc, adaptor.getArg(), rest, failed);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateHivmToLLVMPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<FlagLowering>(converter, "set_flag", "tw_isa_SET_FLAG_IMM");
  patterns.add<FlagLowering>(converter, "wait_flag", "tw_isa_WAIT_FLAG_IMM");
  patterns.add<CrossCoreLowering>(converter, /*isSet=*/true);
  patterns.add<CrossCoreLowering>(converter, /*isSet=*/false);
  patterns.add<QueryLowering>(converter, "get_block_idx", "tw_isa_GET_BLOCK_IDX");
  patterns.add<QueryLowering>(converter, "get_sub_block_idx", "tw_isa_GET_SUBBLOCKID");
  patterns.add<QueryLowering>(converter, "get_sub_block_num", "tw_isa_GET_SUBBLOCKDIM");
  patterns.add<QueryLowering>(converter, "set_mask_norm", "tw_core_set_mask_norm");
  patterns.add<BarrierLowering, PointerCastLowering, SetCtrlLowering, DcciLowering, LoadScalarLowering,
               BitcastLowering>(converter);
  patterns.add<Drop>(converter, "hivm.hir.set_ffts_base_addr");
  patterns.add<Drop>(converter, "annotation.mark");
  patterns.add<AssertLowering>(converter);
}

} // namespace tilewright::hivmc
