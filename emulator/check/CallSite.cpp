#include "emulator/check/CallSite.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace tilewright::emulator::check {

CallSites::CallSites(const void *entry) {
  Dl_info where;
  const ElfW(Sym) *symbol = nullptr;
  if (entry &&
      dladdr1(entry, &where, reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)), RTLD_DL_SYMENT) &&
      symbol) {
    begin = uintptr_t(entry);
    end = begin + symbol->st_size;
  }
}

bool CallSites::returnsToEntry(uintptr_t word) const {
  // A direct call has five bytes: e8 and the distance.
  return word >= begin + 5 && word < end && *reinterpret_cast<const uint8_t *>(word - 5) == 0xe8;
}

const void *CallSites::find(const void *pc, const uintptr_t *stack, const uintptr_t *top) {
  if (uintptr_t(pc) - begin < end - begin || begin == end)
    return nullptr;
  const size_t words = top > stack ? size_t(top - stack) : 0;
  const auto [known, fresh] = at.try_emplace(pc, 0);
  if (!fresh && known->second < words && returnsToEntry(stack[known->second]))
    return reinterpret_cast<const void *>(stack[known->second]);
  for (size_t i = 0; i < words; ++i)
    if (returnsToEntry(stack[i])) {
      known->second = i;
      return reinterpret_cast<const void *>(stack[i]);
    }
  return nullptr;
}

} // namespace tilewright::emulator::check
