// Opening kernel objects, and the queries about the instruction set.
#include "emulator/machine/Kernel.h"
#include "emulator/isa/lanes/Lanes.h"
#include "emulator/machine/Json.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <new>

using namespace tilewright::emulator;

#ifndef TILEWRIGHT_VERSION
#define TILEWRIGHT_VERSION "0.0.0"
#endif

namespace {

int report(char *err, size_t size, int code, const std::string &text) {
  if (err && size)
    std::snprintf(err, size, "%s", text.c_str());
  return code;
}

/// dlerror names the first symbol that does not resolve; say what that means for a kernel.
std::string explainLoad(const char *path) {
  const char *detail = dlerror();
  std::string text = std::string("kernel object ") + path + " cannot be loaded";
  if (!detail)
    return text;
  if (const char *symbol = std::strstr(detail, "undefined symbol: tw_isa_")) {
    std::string name = symbol + std::strlen("undefined symbol: tw_isa_");
    name = name.substr(0, name.find_first_of(" ,)"));
    return text + ": it uses the instruction " + name + ", which this emulator does not know";
  }
  return text + ": " + detail;
}

int open(const char *path, const char *name, tw_kernel &k, std::string &text) {
  const std::string object = std::string("kernel object ") + path;
  const std::string damage = checkObjectFile(path);
  if (!damage.empty()) {
    text = object + " is not usable: " + damage;
    return TW_ERR_OBJECT;
  }
  dlerror();
  k.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!k.library) {
    text = explainLoad(path);
    return TW_ERR_OBJECT;
  }
  k.metadata = static_cast<const char *>(dlsym(k.library, "tw_kernel_metadata"));
  if (!k.metadata) {
    text = object + " is not ours: it has no metadata";
    return TW_ERR_OBJECT;
  }
  Json root;
  if (!parseJson(k.metadata, root) || root.kind != Json::Object) {
    text = object + " has unreadable metadata";
    return TW_ERR_OBJECT;
  }
  const Json *format = root.get("format");
  if (!format || format->whole(0) != 1) {
    text = object + " has metadata of another format than 1: compile it again with this version";
    return TW_ERR_OBJECT;
  }
  if (const Json *tool = root.get("tool"))
    k.handwritten = tool->string == "tilewright ascendc";
  std::string known;
  const Json *kernels = root.get("kernels");
  for (const Json &each : kernels ? kernels->items : std::vector<Json>()) {
    const Json *n = each.get("name"), *size = each.get("args_size");
    if (!n)
      continue;
    known += (known.empty() ? "" : ", ") + n->string;
    if (n->string != name)
      continue;
    k.argsSize = size ? size->whole(~uint64_t(0)) : ~uint64_t(0);
    k.entry = reinterpret_cast<Entry>(dlsym(k.library, (std::string("tw_entry_") + name).c_str()));
    k.observedEntry =
        reinterpret_cast<Entry>(dlsym(k.library, (std::string("tw_observed_tw_entry_") + name).c_str()));
    if (!k.observedEntry) // not of our hivmc: scalar code is not seen
      k.observedEntry = k.entry;
    if (!k.entry || k.argsSize == ~uint64_t(0)) {
      text = object + ": its metadata and its symbols disagree about kernel " + name;
      return TW_ERR_OBJECT;
    }
  }
  if (!k.entry) {
    text = object + " has no kernel " + name + (known.empty() ? "" : "; it has " + known);
    return TW_ERR_KERNEL;
  }
  k.name = name;
  if (const Json *instructions = root.get("instructions"))
    for (const Json &each : instructions->items)
      k.together |= each.string == info(Op::SYNC_BLOCK_WAIT).name;
  if (const Json *cores = root.get("vector_cores"))
    k.vectorCores = uint32_t(cores->whole(0));
  return 0;
}

} // namespace

extern "C" int tw_kernel_open(const char *path, const char *name, tw_kernel **out, char *err,
                              size_t errSize) {
  if (err && errSize)
    *err = 0;
  if (!path || !name || !out)
    return report(err, errSize, TW_ERR_ARGUMENTS, "path, name and out must not be NULL");
  *out = nullptr;
  tw_kernel *k = new (std::nothrow) tw_kernel;
  if (!k)
    return report(err, errSize, TW_ERR_HOST, "out of memory");
  std::string text;
  if (const int code = open(path, name, *k, text)) {
    tw_kernel_close(k);
    return report(err, errSize, code, text);
  }
  *out = k;
  return 0;
}

extern "C" void tw_kernel_close(tw_kernel *k) {
  if (!k)
    return;
  if (k->library)
    dlclose(k->library);
  delete k;
}

extern "C" const char *tw_kernel_metadata_json(tw_kernel *k) { return k ? k->metadata : nullptr; }

extern "C" const char *tw_emulator_version(void) { return TILEWRIGHT_VERSION; }
extern "C" const char *tw_emulator_level(void) {
  const char *name = lanes().level; // "lanes_v4"
  return name + std::strlen("lanes_");
}

// Those of the vector library come first; cross-core flags are known, but not counted among them.
extern "C" uint32_t tw_isa_count(void) { return uint32_t(Op::SYNC_BLOCK_SET); }
extern "C" const char *tw_isa_name(uint32_t i) {
  return i < tw_isa_count() ? instructionTable[i].name : nullptr;
}
extern "C" const char *tw_isa_reason(uint32_t i) {
  return i < tw_isa_count() && instructionTable[i].unsupported ? instructionTable[i].unsupported : "";
}
extern "C" int tw_isa_supported(const char *name) {
  for (uint32_t i = 0; name && i < uint32_t(Op::ScalarLoad); ++i)
    if (!std::strcmp(name, instructionTable[i].name))
      return instructionTable[i].unsupported == nullptr;
  return -1;
}
