#include "emulator/machine/Fiber.h"

#include "emulator/machine/Core.h"

#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace tilewright::emulator {
namespace {

/// Scalar code of kernels needs a few KiB, observers some more. The lowest page is inaccessible.
constexpr size_t kStack = 512 << 10, kPage = 4096;

thread_local Fiber *current = nullptr;

/// Stacks are kept: their pages are there already when the next launch needs them.
struct Stacks {
  std::mutex mutex;
  std::vector<void *> free;

  void *take() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!free.empty()) {
        void *stack = free.back();
        free.pop_back();
        return stack;
      }
    }
    void *stack =
        mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
      return nullptr;
    mprotect(stack, kPage, PROT_NONE);
    return stack;
  }
  void give(void *stack) {
    std::lock_guard<std::mutex> lock(mutex);
    free.push_back(stack);
  }
};

Stacks &stacks() {
  static Stacks *all = new Stacks; // threads may outlive static destruction
  return *all;
}

} // namespace

Fiber::~Fiber() {
  if (stack)
    stacks().give(stack);
}

bool Fiber::prepare(void (*f)(void *), void *c) {
  function = f;
  context = c;
  stack = stacks().take();
  if (!stack || getcontext(&inside) != 0)
    return false;
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = kStack;
  inside.uc_link = nullptr; // start() leaves by itself
  const uint64_t self = uint64_t(this);
  makecontext(&inside, reinterpret_cast<void (*)()>(start), 2, unsigned(self >> 32), unsigned(self));
  return true;
}

void Fiber::start(unsigned high, unsigned low) {
  Fiber *fiber = reinterpret_cast<Fiber *>(uint64_t(high) << 32 | low);
  fiber->function(fiber->context);
  fiber->finished = true;
  yield();
}

void Fiber::resume() {
  Fiber *const outer = current;
  Core *const core = currentCore;
  current = this;
  swapcontext(&outside, &inside);
  current = outer;
  currentCore = core;
}

void Fiber::yield() {
  Core *const core = currentCore;
  Fiber *const fiber = current;
  swapcontext(&fiber->inside, &fiber->outside);
  currentCore = core;
}

} // namespace tilewright::emulator
