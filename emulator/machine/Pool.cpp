#include "emulator/machine/Pool.h"

#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>

namespace tilewright::emulator {
namespace {

/// Threads sleep on a condition variable between launches. The pool is never destroyed: its threads may still
/// be waking up while the process exits. A forked child starts with an empty pool, because threads do not
/// survive a fork.
class Pool {
public:
  void run(uint32_t helpers, void (*work)(void *), void *context) {
    if (helpers == 0 || !use.try_lock())
      return work(context);
    {
      std::lock_guard<std::mutex> lock(mutex);
      while (threads < helpers && spawn())
        ++threads;
      task = work;
      argument = context;
      wanted = helpers < threads ? helpers : threads;
      running = wanted;
    }
    wake.notify_all();
    work(context);
    {
      std::unique_lock<std::mutex> lock(mutex);
      // Helpers that have not started yet are not needed any more: the caller found no work left.
      running -= wanted;
      wanted = 0;
      done.wait(lock, [&] { return running == 0; });
    }
    use.unlock();
  }

private:
  bool spawn() {
    try {
      std::thread([this] { loop(); }).detach();
      return true;
    } catch (const std::system_error &) {
      return false; // fewer threads are slower, not wrong
    }
  }
  void loop() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return wanted > 0; });
      --wanted;
      lock.unlock();
      task(argument);
      lock.lock();
      if (--running == 0)
        done.notify_one();
    }
  }

  std::mutex use, mutex;
  std::condition_variable wake, done;
  void (*task)(void *) = nullptr;
  void *argument = nullptr;
  uint32_t threads = 0, wanted = 0, running = 0;
};

Pool *pool = nullptr;

Pool &thePool() {
  static std::once_flag once;
  std::call_once(once, [] {
    pool = new Pool;
    pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
  });
  return *pool;
}

} // namespace

void runOnThreads(uint32_t threads, void (*work)(void *), void *context) {
  if (threads <= 1)
    return work(context);
  thePool().run(threads - 1, work, context);
}

uint32_t hostThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return uint32_t(CPU_COUNT(&set));
  const unsigned n = std::thread::hardware_concurrency();
  return n ? n : 1;
}

} // namespace tilewright::emulator
