// A function on a stack of its own that can be left and entered again by one host thread.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_FIBER_H
#define TILEWRIGHT_EMULATOR_MACHINE_FIBER_H

#include <cstddef>
#include <ucontext.h>

namespace tilewright::emulator {

class Fiber {
public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Takes a stack. False when the host refuses memory.
  bool prepare(void (*function)(void *), void *context);
  /// Runs until the function yields or returns; always by the same thread.
  void resume();
  bool over() const { return finished; }
  /// Leaves the fiber that the calling code runs in; returns at its next resume().
  static void yield();

private:
  static void start(unsigned high, unsigned low);

  void (*function)(void *) = nullptr;
  void *context = nullptr;
  void *stack = nullptr;
  ucontext_t inside{}, outside{};
  bool finished = false;
};

} // namespace tilewright::emulator
#endif
