#include "emulator/hivmc/LibraryTypes.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/ParseModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::hivmc {

namespace {

/// MLIR element types of the library's C type names.
llvm::StringRef elementOf(llvm::StringRef cType) {
  return llvm::StringSwitch<llvm::StringRef>(cType)
      .Case("float", "f32")
      .Case("half", "f16")
      .Case("bfloat16_t", "bf16")
      .Cases("int8_t", "uint8_t", "i8")
      .Cases("int16_t", "uint16_t", "i16")
      .Cases("int32_t", "uint32_t", "i32")
      .Cases("int64_t", "uint64_t", "i64")
      .Case("bool", "i1")
      .Default("");
}

/// `load_gm_to_ubuf_2d_float` gives rank 2 and "f32"; false when the name does not end in `_<rank>d_<type>`.
bool parseName(llvm::StringRef name, int64_t &rank, llvm::StringRef &element) {
  for (size_t mark = name.rfind("d_"); mark != llvm::StringRef::npos && mark >= 2;
       mark = name.take_front(mark).rfind("d_")) {
    char digit = name[mark - 1];
    if (name[mark - 2] != '_' || digit < '1' || digit > '9')
      continue;
    rank = digit - '0';
    element = elementOf(name.drop_front(mark + 2));
    return true;
  }
  return false;
}

} // namespace

llvm::Error checkLibraryTypes(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isExternal())
      continue;
    llvm::StringRef name = function.getSymName(), element;
    int64_t rank = 0;
    bool load = name.starts_with("load_gm_to_ubuf_"), store = name.starts_with("store_ubuf_to_gm_");
    bool copy = name.starts_with("copy_ubuf_to_ubuf_");
    if (!parseName(name, rank, element) || !(load || store || copy || (name.starts_with("v") && rank == 1)))
      continue;
    bool move = load || store || copy;
    for (auto [position, type] : llvm::enumerate(function.getArgumentTypes())) {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref)
        continue;
      bool inGm = (load && position == 0) || (store && position == 1);
      std::string printed;
      llvm::raw_string_ostream(printed) << memref.getElementType();
      // Casts, compares and selects mix element types; moves do not.
      bool right = memref.getRank() == rank && keyword(memref.getMemorySpace()) == (inGm ? "gm" : "ub") &&
                   (!move || element.empty() || printed == element);
      if (!right) {
        std::string whole;
        llvm::raw_string_ostream(whole) << type;
        return coded(kLibraryMismatch,
                     "operand " + llvm::Twine(position) + " of '" + name + "' is declared as " + whole +
                         ", which is not what this library function takes",
                     describe(function.getLoc()));
      }
    }
  }
  return llvm::Error::success();
}

} // namespace tilewright::hivmc
