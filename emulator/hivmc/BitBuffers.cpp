// i1 buffers in UB and GM hold eight elements a byte, and their descriptors count in bits (c220 ISA note,
// section 1: the library divides the offset by 8). Descriptor arithmetic is in elements and needs no change;
// only scalar accesses do, because stock MLIR gives an i1 element a byte of its own.
#include "emulator/hivmc/LowerHivm.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tilewright::hivmc {

namespace {

bool isBitBuffer(const LLVMTypeConverter &converter, MemRefType type) {
  if (!type.getElementType().isInteger(1))
    return false;
  FailureOr<unsigned> space = converter.getMemRefAddressSpace(type);
  return succeeded(space) && *space != kStack;
}

/// The byte that holds an element, and the element's bit number in it as i8.
std::pair<Value, Value> locate(OpBuilder &builder, Location loc, Value memref, ValueRange indices) {
  MemRefDescriptor descriptor(memref);
  Value bit = descriptor.offset(builder, loc);
  for (auto [axis, index] : llvm::enumerate(indices)) {
    Value scaled = builder.create<LLVM::MulOp>(loc, index, descriptor.stride(builder, loc, axis));
    bit = builder.create<LLVM::AddOp>(loc, bit, scaled);
  }
  Type i64 = builder.getI64Type(), i8 = builder.getI8Type();
  auto constant = [&](int64_t value) -> Value {
    return builder.create<LLVM::ConstantOp>(loc, i64, builder.getI64IntegerAttr(value));
  };
  Value byte = builder.create<LLVM::AShrOp>(loc, bit, constant(3));
  Value inByte = builder.create<LLVM::AndOp>(loc, bit, constant(7));
  Value base = descriptor.alignedPtr(builder, loc);
  Value pointer = builder.create<LLVM::GEPOp>(loc, base.getType(), i8, base, byte);
  return {pointer, builder.create<LLVM::TruncOp>(loc, i8, inByte)};
}

class BitLoad : public ConvertOpToLLVMPattern<memref::LoadOp> {
public:
  BitLoad(LLVMTypeConverter &converter) : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isBitBuffer(*getTypeConverter(), op.getMemRefType()))
      return failure();
    Location loc = op.getLoc();
    auto [pointer, bit] = locate(rewriter, loc, adaptor.getMemref(), adaptor.getIndices());
    Value byte = rewriter.create<LLVM::LoadOp>(loc, rewriter.getI8Type(), pointer);
    Value shifted = rewriter.create<LLVM::LShrOp>(loc, byte, bit);
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, rewriter.getI1Type(), shifted);
    return success();
  }
};

class BitStore : public ConvertOpToLLVMPattern<memref::StoreOp> {
public:
  BitStore(LLVMTypeConverter &converter) : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isBitBuffer(*getTypeConverter(), op.getMemRefType()))
      return failure();
    Location loc = op.getLoc();
    auto [pointer, bit] = locate(rewriter, loc, adaptor.getMemref(), adaptor.getIndices());
    Type i8 = rewriter.getI8Type();
    Value one = rewriter.create<LLVM::ConstantOp>(loc, i8, rewriter.getI8IntegerAttr(1));
    Value ones = rewriter.create<LLVM::ConstantOp>(loc, i8, rewriter.getI8IntegerAttr(-1));
    Value mask = rewriter.create<LLVM::ShlOp>(loc, one, bit);
    Value keep = rewriter.create<LLVM::XOrOp>(loc, mask, ones);
    Value byte = rewriter.create<LLVM::LoadOp>(loc, i8, pointer);
    Value cleared = rewriter.create<LLVM::AndOp>(loc, byte, keep);
    Value wide = rewriter.create<LLVM::ZExtOp>(loc, i8, adaptor.getValue());
    Value set = rewriter.create<LLVM::ShlOp>(loc, wide, bit);
    Value result = rewriter.create<LLVM::OrOp>(loc, cleared, set);
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, result, pointer);
    return success();
  }
};

} // namespace

void populateBitBufferPatterns(LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BitLoad, BitStore>(converter);
}

} // namespace tilewright::hivmc
