// What tests and tools ask the emulated runtime; not part of ACL. Used through ctypes by
// pyfrontend/tilewright/emulated.py.
#include "emulator/acl/Kernel.h"
#include "emulator/acl/Memory.h"
#include "emulator/acl/Settings.h"

#include <dlfcn.h>

using namespace tilewright::acl;

/// Kernels that ran since the process began, by name; "" counts all.
ACL_API uint64_t tw_acl_launches(const char *name) { return launches(name); }
ACL_API void tw_acl_counters(tw_counters *out) { *out = totals(); }
/// Where the host may touch device memory; the address itself for other memory.
ACL_API uint64_t tw_acl_view(uint64_t address) { return Memory::get().view(address); }
/// What is wrong with the environment, or null.
ACL_API const char *tw_acl_problem() {
  return settings().problem.empty() ? nullptr : settings().problem.c_str();
}
ACL_API int tw_acl_strict() { return settings().strict; }
ACL_API uint32_t tw_acl_part(uint32_t index, const char **name, uint32_t *vectorCores, uint32_t *cubeCores,
                             uint64_t *l2Bytes, uint64_t *memoryBytes) {
  if (index < partCount()) {
    const Part &part = partAt(index);
    *name = part.name;
    *vectorCores = part.vectorCores;
    *cubeCores = part.cubeCores;
    *l2Bytes = part.l2Bytes;
    *memoryBytes = part.memoryBytes;
  }
  return partCount();
}

namespace {

/// Kernel objects resolve their tw_isa_* from the emulator library, which must therefore be visible to them
/// even when a program loaded this library privately.
struct Promote {
  Promote() {
    Dl_info where;
    if (dladdr(reinterpret_cast<const void *>(&tw_launch), &where) && where.dli_fname)
      dlopen(where.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  }
} promote;

} // namespace
