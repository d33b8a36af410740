#include "emulator/hivmc/LineTables.h"

#include "emulator/hivmc/Version.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tilewright::hivmc {

namespace {

constexpr StringRef kNode = "tw.node.", kGraphFile = "tw.graph";

class LineTables {
public:
  LineTables(MLIRContext *context, StringRef input) : context(context), input(input) {}

  void addTo(LLVM::LLVMFuncOp function) {
    FileLineColLoc place = placeOf(function.getLoc());
    LLVM::DIFileAttr file = fileOf(place);
    auto unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C, file,
        StringAttr::get(context, kToolName), /*isOptimized=*/true, LLVM::DIEmissionKind::LineTablesOnly);
    auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    StringAttr name = function.getSymNameAttr();
    auto scope = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name, name, file, place.getLine(),
        place.getLine(), LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type);
    function->setLoc(FusedLoc::get(context, {place}, scope));
    function.walk([&](Operation *op) {
      if (op == function.getOperation())
        return;
      FileLineColLoc at = placeOf(op->getLoc());
      if (LLVM::DIFileAttr other = fileOf(at); other != file)
        op->setLoc(FusedLoc::get(context, {at}, LLVM::DILexicalBlockFileAttr::get(context, scope, other, 0)));
      else
        op->setLoc(at);
    });
  }

private:
  FileLineColLoc placeOf(Location location) {
    if (auto named = location->findInstanceOf<NameLoc>()) {
      StringRef digits = named.getName().getValue();
      unsigned node;
      if (digits.consume_front(kNode) && !digits.getAsInteger(10, node))
        return FileLineColLoc::get(context, kGraphFile, node + 1, 0);
    }
    if (auto place = location->findInstanceOf<FileLineColLoc>()) {
      if (place.getFilename().getValue() != input)
        return place;
      // The module is compiled in a temporary folder, whose name would make every object different.
      return FileLineColLoc::get(context, llvm::sys::path::filename(input), place.getLine(),
                                 place.getColumn());
    }
    return FileLineColLoc::get(context, llvm::sys::path::filename(input), 0, 0);
  }
  LLVM::DIFileAttr fileOf(FileLineColLoc place) {
    return LLVM::DIFileAttr::get(context, place.getFilename().getValue(), "");
  }

  MLIRContext *context;
  StringRef input;
};

} // namespace

void addLineTables(ModuleOp module, StringRef input) {
  LineTables tables(module.getContext(), input);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    // Functions that only hand descriptors to the library are inlined; without a scope their code takes the
    // line of the call.
    bool wrapper = module.lookupSymbol(("_mlir_ciface_" + function.getName()).str()) != nullptr;
    if (!function.isExternal() && !wrapper)
      tables.addTo(function);
  }
}

void shareScope(llvm::Function &entry, const llvm::Function &body) {
  const llvm::DISubprogram *own = body.getSubprogram();
  if (!own)
    return;
  auto *scope = llvm::DISubprogram::getDistinct(
      entry.getContext(), own->getScope(), entry.getName(), entry.getName(), own->getFile(), own->getLine(),
      own->getType(), own->getScopeLine(), nullptr, 0, 0, llvm::DINode::FlagArtificial, own->getSPFlags(),
      own->getUnit());
  entry.setSubprogram(scope);
  for (llvm::BasicBlock &block : entry)
    for (llvm::Instruction &instruction : block)
      instruction.setDebugLoc(llvm::DILocation::get(entry.getContext(), own->getLine(), 0, scope));
}

} // namespace tilewright::hivmc
