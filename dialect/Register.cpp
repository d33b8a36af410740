//===- Register.cpp - Dialects of tilewright
//-----------------------------------------------------------------===//

#include "dialect/Register.h"
#include "dialect/annotation/Annotation.h"
#include "dialect/hacc/Hacc.h"
#include "dialect/hfusion/Hfusion.h"
#include "dialect/hivm/Hivm.h"
#include "dialect/tw/Tw.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

void tilewright::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::annotation::AnnotationDialect, mlir::hacc::HaccDialect, mlir::hfusion::HfusionDialect,
                  mlir::hivm::HivmDialect, mlir::tw::TwDialect>();
}

void tilewright::registerAllNeededDialects(mlir::DialectRegistry &registry) {
  registerDialects(registry);
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::bufferization::BufferizationDialect, mlir::cf::ControlFlowDialect, mlir::DLTIDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect>();
}
