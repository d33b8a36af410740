// Where the kernel's entry function called the library function that is executing.
#ifndef TILEWRIGHT_EMULATOR_CHECK_CALLSITE_H
#define TILEWRIGHT_EMULATOR_CHECK_CALLSITE_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tilewright::emulator::check {

/// Instructions mostly lie in functions of the vector library, which a kernel calls many times: the call
/// tells which of them it is. Kernel code keeps no frame pointers, so the call is looked for on the stack.
class CallSites {
public:
  /// `entry` is the kernel's entry function; null: nothing is found.
  explicit CallSites(const void *entry);

  /// The return address in the entry function, for an instruction with return address `pc` whose frame is
  /// above `stack`; null when the instruction lies in the entry function itself, or none is found.
  const void *find(const void *pc, const uintptr_t *stack, const uintptr_t *top);

private:
  bool returnsToEntry(uintptr_t word) const;

  uintptr_t begin = 0, end = 0;                ///< the entry function
  std::unordered_map<const void *, size_t> at; ///< by pc, where it was found the last time
};

} // namespace tilewright::emulator::check
#endif
