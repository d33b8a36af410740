// Where the kernel's entry function called the library function that is executing.
#ifndef TILEWRIGHT_EMULATOR_CHECK_CALLSITE_H
#define TILEWRIGHT_EMULATOR_CHECK_CALLSITE_H

#include <cstdint>

namespace tilewright::emulator::check {

/// Instructions mostly lie in functions of the vector library, which a kernel calls many times: the call
/// tells which of them it is. Kernel code keeps no frame pointers, but the entry function's stack pointer is
/// the same at all its calls, so all their return addresses are stored in one place. That place is learnt
/// from an instruction that the entry function executes itself.
class CallSites {
public:
  /// `entry` is the kernel's entry function; null: nothing is found.
  explicit CallSites(const void *entry);

  /// A block begins; its frames are below `top`.
  void begin(const uintptr_t *top);
  /// Looks at an instruction with return address `pc` whose frame is above `stack`.
  void learn(const void *pc, const uintptr_t *stack) {
    if (!slot && inEntry(uintptr_t(pc)))
      findSlot(pc, stack);
  }
  /// The return address in the entry function; null when the instruction lies in the entry function itself,
  /// or when it is not known.
  const void *of(const void *pc) const;

private:
  bool inEntry(uintptr_t address) const { return address - first < last - first; }
  void findSlot(const void *pc, const uintptr_t *stack);

  uintptr_t first = 0, last = 0; ///< the entry function
  const uintptr_t *top = nullptr, *slot = nullptr;
};

} // namespace tilewright::emulator::check
#endif
