#include "emulator/check/CallSite.h"

#include <dlfcn.h>
#include <link.h>

namespace tilewright::emulator::check {

CallSites::CallSites(const void *entry) {
  Dl_info where;
  void *symbol = nullptr;
  if (!entry || !dladdr1(entry, &where, &symbol, RTLD_DL_SYMENT) || !symbol)
    return;
  first = uintptr_t(entry);
  last = first + static_cast<const ElfW(Sym) *>(symbol)->st_size;
}

void CallSites::begin(const uintptr_t *newTop) {
  top = newTop;
  slot = nullptr;
}

void CallSites::findSlot(const void *pc, const uintptr_t *stack) {
  // Copies of the address lie in frames of the emulator, which are lower: the highest one is the original.
  for (const uintptr_t *at = top; at > stack && !slot; --at)
    if (at[-1] == uintptr_t(pc))
      slot = at - 1;
}

const void *CallSites::of(const void *pc) const {
  // A function that allocates on the stack in a loop would have several places: the word must follow a direct
  // call (e8 and the distance).
  if (!slot || inEntry(uintptr_t(pc)) || !inEntry(*slot) || *slot < first + 5 ||
      *reinterpret_cast<const uint8_t *>(*slot - 5) != 0xe8)
    return nullptr;
  return reinterpret_cast<const void *>(*slot);
}

} // namespace tilewright::emulator::check
