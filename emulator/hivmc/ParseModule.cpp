#include "emulator/hivmc/ParseModule.h"

#include "dialect/Register.h"
#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/Isolate.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <set>

using namespace mlir;

namespace tilewright::hivmc {

std::string describe(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return (llvm::Twine(file.getFilename().getValue()) + ":" + llvm::Twine(file.getLine()) + ":" +
            llvm::Twine(file.getColumn()))
        .str();
  return "";
}

DiagnosticLog::DiagnosticLog(MLIRContext &context) : context(context) {
  handler = context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && message.empty()) {
      message = diagnostic.str();
      place = describe(diagnostic.getLocation());
      setCrashNote(render(coded(stage, stageText + ": " + message, place)));
    }
    return success();
  });
}

DiagnosticLog::~DiagnosticLog() { context.getDiagEngine().eraseHandler(handler); }

std::pair<std::string, std::string> DiagnosticLog::takeFirstError() {
  auto result = std::make_pair(std::move(message), std::move(place));
  message.clear();
  place.clear();
  return result;
}

void DiagnosticLog::setStage(Code code, llvm::StringRef text) {
  stage = code;
  stageText = text.str();
}

std::string keyword(Attribute attribute) {
  if (!attribute)
    return "";
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue().str();
  std::string printed;
  llvm::raw_string_ostream(printed) << attribute;
  StringRef word(printed);
  if (size_t open = word.find('<'); open != StringRef::npos && word.ends_with(">"))
    word = word.slice(open + 1, word.size() - 1);
  return word.trim().trim('"').str();
}

std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, DLTIDialect,
                  func::FuncDialect, index::IndexDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, ub::UBDialect>();
  registerDialects(registry);
  // One module and short passes: threads cost more than they bring, and a crash handler wants one thread.
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  // Attributes of dialects that only decorate (hfusion.*, ...) stay opaque and are dropped later; operations
  // of unknown dialects are refused by checkSupported.
  context->allowUnregisteredDialects();
  return context;
}

namespace {

/// The wheel also collapses unit dimensions whose stride does not fit their neighbour's (a row cut out of a
/// padded tile), which stock MLIR refuses although a unit dimension has no second element. Written as the
/// reinterpretation that it is; anything else is left to the verifier.
void dropUnitDimensions(memref::CollapseShapeOp collapse, MemRefType source, MemRefType printed,
                        ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> strides, ownStrides;
  int64_t offset = 0, ownOffset = 0;
  if (failed(getStridesAndOffset(source, strides, offset)) ||
      failed(getStridesAndOffset(printed, ownStrides, ownOffset)) || offset != ownOffset)
    return;
  SmallVector<int64_t> kept;
  for (auto [axis, group] : llvm::enumerate(groups)) {
    int64_t wide = group.back();
    unsigned count = 0;
    for (int64_t dimension : group)
      if (source.getDimSize(dimension) != 1) {
        wide = dimension;
        ++count;
      }
    bool sameStride = count == 0 || strides[wide] == ownStrides[axis];
    if (count > 1 || source.getDimSize(wide) != printed.getDimSize(axis) || !sameStride)
      return;
    kept.push_back(wide);
  }
  OpBuilder builder(collapse);
  Location loc = collapse.getLoc();
  auto metadata = builder.create<memref::ExtractStridedMetadataOp>(loc, collapse.getSrc());
  auto pick = [&](int64_t constant, Value dynamic) -> OpFoldResult {
    return ShapedType::isDynamic(constant) ? OpFoldResult(dynamic)
                                           : OpFoldResult(builder.getIndexAttr(constant));
  };
  SmallVector<OpFoldResult> sizes, steps;
  for (auto [axis, wide] : llvm::enumerate(kept)) {
    sizes.push_back(pick(printed.getDimSize(axis), metadata.getSizes()[wide]));
    steps.push_back(pick(ownStrides[axis], metadata.getStrides()[wide]));
  }
  Value row = builder.create<memref::ReinterpretCastOp>(loc, printed, collapse.getSrc(),
                                                        pick(ownOffset, metadata.getOffset()), sizes, steps);
  collapse.getResult().replaceAllUsesWith(row);
  collapse.erase();
}

/// The wheel infers `strided<[1]>` for a collapse of unit dimensions of a strided memref where stock MLIR
/// infers `strided<[?]>`. Gives the operation its stock type and casts back.
void healCollapsedShapes(ModuleOp module) {
  module.walk([](memref::CollapseShapeOp collapse) {
    auto source = dyn_cast<MemRefType>(collapse.getSrc().getType());
    auto printed = dyn_cast<MemRefType>(collapse.getResult().getType());
    if (!source || !printed)
      return;
    auto groups = collapse.getReassociationIndices();
    unsigned covered = 0;
    for (auto &group : groups)
      covered += group.size();
    if (covered != unsigned(source.getRank()) || groups.size() != size_t(printed.getRank()))
      return; // left to the verifier
    unsigned next = 0;
    for (auto &group : groups)
      for (int64_t axis : group)
        if (axis != int64_t(next++))
          return;
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(source, groups)) {
      dropUnitDimensions(collapse, source, printed, groups);
      return;
    }
    MemRefType inferred = memref::CollapseShapeOp::computeCollapsedType(source, groups);
    if (inferred == printed || !memref::CastOp::areCastCompatible(inferred, printed))
      return;
    collapse.getResult().setType(inferred);
    OpBuilder builder(collapse->getContext());
    builder.setInsertionPointAfter(collapse);
    auto cast = builder.create<memref::CastOp>(collapse.getLoc(), printed, collapse.getResult());
    collapse.getResult().replaceAllUsesExcept(cast, cast);
  });
}

} // namespace

llvm::Expected<OwningOpRef<ModuleOp>> parseModule(StringRef text, StringRef fileName, MLIRContext &context,
                                                  DiagnosticLog &log) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, fileName), llvm::SMLoc());
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  if (!module) {
    auto [message, place] = log.takeFirstError();
    return coded(kParse,
                 "the module does not parse: " +
                     llvm::Twine(message.empty() ? "no module in the file" : message),
                 place, "hivmc takes the final module that bishengir-compile 1.2.0 writes");
  }
  // The healer looks at types of operations that were not verified yet; each operation guards itself.
  healCollapsedShapes(*module);
  if (failed(verify(*module))) {
    auto [message, place] = log.takeFirstError();
    return coded(kParse, "the module is not valid: " + llvm::Twine(message), place);
  }
  return module;
}

namespace {

bool isStockOperation(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "memref")
    return !isa<memref::AllocOp, memref::DeallocOp, memref::ReallocOp, memref::GlobalOp, memref::GetGlobalOp,
                memref::CopyOp, memref::PrefetchOp, memref::GenericAtomicRMWOp, memref::AtomicRMWOp,
                memref::TransposeOp>(op);
  if (dialect == "scf")
    return isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, scf::IndexSwitchOp,
               scf::ExecuteRegionOp>(op);
  if (dialect == "builtin")
    return isa<UnrealizedConversionCastOp>(op);
  return dialect == "func" || dialect == "arith" || dialect == "affine" || dialect == "cf" ||
         dialect == "math" || dialect == "index" || dialect == "ub" || dialect == "llvm";
}

/// hivm operations with a pattern in LowerHivm.cpp.
bool isHivmOperation(StringRef name) {
  static const char *const known[] = {
      "set_flag",           "wait_flag",         "pipe_barrier", "pointer_cast",   "get_block_idx",
      "get_sub_block_idx",  "get_sub_block_num", "set_ctrl",     "dcci",           "load_scalar",
      "set_ffts_base_addr", "set_mask_norm",     "bitcast",      "sync_block_set", "sync_block_wait",
  };
  return name.consume_front("hivm.hir.") && llvm::is_contained(known, name);
}

std::string hintFor(StringRef name) {
  if (name == "hivm.hir.sync_block")
    return "bishengir-compile did not lower this barrier to sync_block_set and sync_block_wait: this is no "
           "final "
           "module";
  if (name.starts_with("hivm.hir.v") || name == "hivm.hir.load" || name == "hivm.hir.store" ||
      name == "hivm.hir.copy")
    return "bishengir-compile left this operation unlowered: the template library has no function for it, or "
           "the "
           "function was not compiled as a kernel entry";
  if (name == "memref.alloc")
    return "a buffer without an address: the memory planner of bishengir-compile did not run over this "
           "function";
  return "";
}

} // namespace

namespace {

/// A wait for a flag that its kernel never sets, or of cube cores.
llvm::Error checkCrossCoreFlags(func::FuncOp function) {
  std::set<int64_t> set;
  bool setsAny = false;
  llvm::Error error = llvm::Error::success();
  auto flagOf = [](Operation *op) {
    auto flag = dyn_cast_or_null<IntegerAttr>(op->getAttr("static_flag_id"));
    return flag ? std::optional<int64_t>(flag.getInt()) : std::nullopt;
  };
  function.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "hivm.hir.sync_block_set")
      return;
    std::optional<int64_t> flag = flagOf(op);
    setsAny |= !flag;
    set.insert(flag.value_or(0));
  });
  function.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    bool isWait = name == "hivm.hir.sync_block_wait";
    if (!isWait && name != "hivm.hir.sync_block_set")
      return WalkResult::advance();
    std::string core = keyword(op->getAttr("tcore_type"));
    if (core == "CUBE" || core == "CUBE_AND_VECTOR" ||
        keyword(op->getAttr("tsync_instr_mode")) == "INTRA_BLOCK_SYNCHRONIZATION") {
      error = coded(kUnsupportedOp, "a flag between cube and vector cores", describe(op->getLoc()),
                    "only vector cores (AIV) are emulated");
      return WalkResult::interrupt();
    }
    std::optional<int64_t> flag = flagOf(op);
    if (flag && (*flag < 0 || *flag > 15)) {
      error = coded(kUnsupportedOp, "cross-core flag " + llvm::Twine(*flag) + " does not exist (0 to 15)",
                    describe(op->getLoc()));
      return WalkResult::interrupt();
    }
    if (!isWait || !flag || setsAny || set.count(*flag))
      return WalkResult::advance();
    error = coded(kUnsupportedOp,
                  "a wait for cross-core flag " + llvm::Twine(*flag) + ", which '" + function.getSymName() +
                      "' never sets: the cores would wait for ever",
                  describe(op->getLoc()), "put hivm.hir.sync_block_set for this flag before it");
    return WalkResult::interrupt();
  });
  return error;
}

} // namespace

llvm::Error checkSupported(ModuleOp module) {
  if (Attribute core = module->getAttr("hivm.module_core_type"))
    if (std::string type = keyword(core); type != "AIV" && type != "AIV_ONLY")
      return coded(kTarget, "a module for core type " + type + ": only vector cores (AIV) are emulated",
                   describe(module.getLoc()));
  for (Operation &op : *module.getBody())
    if (!isa<func::FuncOp>(op))
      return coded(kUnsupportedOp, "operation '" + op.getName().getStringRef() + "' outside a function",
                   describe(op.getLoc()));
  Operation *refused = nullptr;
  bool hasEntry = false;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module.getOperation())
      return WalkResult::advance();
    if (op->hasAttr("hacc.entry"))
      hasEntry = true;
    StringRef name = op->getName().getStringRef();
    if ((op->isRegistered() && isStockOperation(op)) || isHivmOperation(name) || name == "annotation.mark")
      return WalkResult::advance();
    refused = op;
    return WalkResult::interrupt();
  });
  if (refused) {
    StringRef name = refused->getName().getStringRef();
    return coded(kUnsupportedOp, "operation '" + name + "' is not supported", describe(refused->getLoc()),
                 hintFor(name));
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (llvm::Error error = checkCrossCoreFlags(function))
      return error;
  if (!hasEntry)
    return coded(kParse, "the module has no kernel: no function carries hacc.entry",
                 describe(module.getLoc()),
                 "a Triton-style kernel needs the attribute global_kernel and both flags "
                 "-enable-hfusion-compile and -enable-triton-kernel-compile");
  return llvm::Error::success();
}

} // namespace tilewright::hivmc
