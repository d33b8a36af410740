#include "emulator/hivmc/LibraryObjects.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/Observed.h"
#include "emulator/hivmc/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright::hivmc {

Expected<std::string> hashLibrary(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return coded(kLibrary, "cannot read the template library '" + path + "': " + buffer.getError().message(),
                 "", "it comes with the wheel ascendnpu-ir 1.2.0; --tw-library=FILE names another place");
  XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef((*buffer)->getBuffer()));
  return utohexstr(hash.high64, true, 16) + utohexstr(hash.low64, true, 16);
}

std::vector<std::string> commonEntryPoints(const Library &library) {
  static const char *const families[] = {"load_gm_to_ubuf_1d_",
                                         "load_gm_to_ubuf_2d_",
                                         "store_ubuf_to_gm_1d_",
                                         "store_ubuf_to_gm_2d_",
                                         "copy_ubuf_to_ubuf_1d_",
                                         "copy_ubuf_to_ubuf_2d_",
                                         "vadd_1d_",
                                         "vsub_1d_",
                                         "vmul_1d_",
                                         "vdiv_1d_",
                                         "vmax_1d_",
                                         "vmin_1d_",
                                         "vadds_vs_1d_",
                                         "vmuls_vs_1d_",
                                         "vmaxs_vs_1d_",
                                         "vmins_vs_1d_",
                                         "vdiv_vs_1d_",
                                         "vsub_sv_1d_",
                                         "vdiv_sv_1d_",
                                         "vexp_1d_",
                                         "vln_1d_",
                                         "vsqrt_1d_",
                                         "vrsqrt_1d_",
                                         "vabs_1d_",
                                         "vrelu_1d_",
                                         "vnot_1d_bool",
                                         "vand_1d_bool",
                                         "vor_1d_bool",
                                         "vcmp_",
                                         "vcmps_",
                                         "vsel_vv_1d_bool_",
                                         "vsel_vs_1d_",
                                         "vsel_sv_1d_",
                                         "vsel_ss_1d_",
                                         "vcast_",
                                         "broadcast_scalar_",
                                         "enablevc_reduce_sum_",
                                         "reduce_sum_"};
  static const char *const rare[] = {"int8_t", "int64_t", "uint", "with_overflow", "_3d",
                                     "_4d",    "_5d",     "_rar", "_ra_"};
  std::vector<std::string> names;
  for (std::string &symbol : library.entryPoints()) {
    StringRef name = StringRef(symbol).drop_front(Library::entryName("").size());
    if (any_of(families, [&](StringRef family) { return name.starts_with(family); }) &&
        none_of(rare, [&](StringRef part) { return name.contains(part); }))
      names.push_back(std::move(symbol));
  }
  return names;
}

Expected<std::string> LibraryObjects::get(const std::string &symbol) {
  std::string key =
      contentHash(
          (Twine(kToolName) + "\n" + codegen.description() + "\n" + libraryHash + "\n" + symbol).str())
          .substr(0, 40);
  if (std::optional<std::string> path = cache.find(key))
    return *path;
  Module module(symbol, library.context());
  codegen.prepare(module);
  if (Error error = library.copyInto(module, {symbol}, /*alwaysInline=*/false))
    return std::move(error);
  if (Error error = codegen.verify(module))
    return std::move(error);
  codegen.optimiseLibrary(module);
  addObservedForms(module, {module.getFunction(symbol)});
  countScalarGmAccesses(module);
  Expected<SmallVector<char, 0>> object = codegen.emitObject(module);
  if (!object)
    return object.takeError();
  ++compiledCount;
  return cache.put(key, StringRef(object->data(), object->size()));
}

} // namespace tilewright::hivmc
