// tw_launch, tw_launch_observed: blocks over host threads, counters, the first error.
#include "emulator/machine/Block.h"
#include "emulator/machine/CrossCore.h"
#include "emulator/machine/Fiber.h"
#include "emulator/machine/Kernel.h"
#include "emulator/machine/Observe.h"
#include "emulator/machine/Pool.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::emulator {
namespace {

/// Below this much GM a launch costs less than waking the pool (some 20 microseconds).
constexpr uint64_t kSmallLaunchBytes = 512 << 10;

void addCounters(tw_counters &to, const tw_counters &c) {
  to.instructions += c.instructions;
  to.vector_instructions += c.vector_instructions;
  to.gm_read_bytes += c.gm_read_bytes;
  to.gm_write_bytes += c.gm_write_bytes;
  to.ub_high_water = to.ub_high_water > c.ub_high_water ? to.ub_high_water : c.ub_high_water;
  to.blocks += c.blocks;
  to.scalar_gm_accesses += c.scalar_gm_accesses;
}

struct Run {
  Entry entry;
  const void *args;
  Launch launch;
  LaunchObserver *observer = nullptr;
  std::atomic<uint32_t> next{0};
  std::atomic<uint32_t> firstFailed{~0u}; ///< no block above it is started
  std::mutex mutex;                       ///< guards the rest
  tw_counters total{};
  int error = 0;
  uint32_t errorBlock = ~0u;
  const void *errorPc = nullptr;
  char message[sizeof Core::message] = {};

  void report(uint32_t block, int code, const char *text, const void *pc) {
    std::lock_guard<std::mutex> lock(mutex);
    if (block >= errorBlock)
      return;
    errorBlock = block;
    error = code;
    errorPc = pc;
    std::snprintf(message, sizeof message, "%s", text);
    uint32_t seen = firstFailed.load();
    while (block < seen && !firstFailed.compare_exchange_weak(seen, block)) {
    }
  }
};

void runBlock(Run &run, Core &core, uint32_t block) {
  core.reset(block);
  core.counters.blocks++;
  if (run.observer)
    core.observer = run.observer->beginBlock(core);
  int code = runGuarded(core, run.entry, run.args);
  if (run.launch.crossCore)
    run.launch.crossCore->finish(block, code != 0);
  if (!code && (describeLeftFlags(core, core.message, sizeof core.message) ||
                (run.launch.crossCore &&
                 run.launch.crossCore->describeLeft(block, core.message, sizeof core.message))))
    code = TW_ERR_FLAGS;
  if (run.observer) {
    Observer *const observer = core.observer;
    core.observer = nullptr;
    if (run.observer->endBlock(core, observer, code))
      return;
  }
  if (code && code != kStoppedByOther)
    run.report(block, code, core.message, core.error ? core.lastPc : nullptr);
}

void worker(void *context) {
  Run &run = *static_cast<Run *>(context);
  Core *core = threadCore();
  if (!core) // no UB window: others do the work; the caller notices when nobody did
    return;
  core->launch = &run.launch;
  core->observer = nullptr;
  core->counters = {};
  // Blocks are taken in index order, so when block b fails every block below b has been started and will
  // finish: the lowest failing block is the same in every run.
  for (;;) {
    const uint32_t index = run.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= run.launch.blockDim)
      break;
    const uint32_t block = run.observer ? run.observer->blockAt(index) : index;
    if (block > run.firstFailed.load(std::memory_order_relaxed))
      break;
    runBlock(run, *core, block);
  }
  if (run.observer) // scalar stores are not marked; fast launches cannot afford 192 KiB a launch
    core->dirtyPages = ~uint64_t(0);
  core->patternOf = nullptr;
  std::lock_guard<std::mutex> lock(run.mutex);
  addCounters(run.total, core->counters);
  core->launch = nullptr;
}

/// A block of a launch whose blocks run at the same time.
struct Seat {
  Run *run = nullptr;
  uint32_t block = 0;
  Core *core = nullptr;
  Fiber fiber;
  ~Seat() { giveCore(core); }

  static void work(void *context) {
    Seat &seat = *static_cast<Seat *>(context);
    runBlock(*seat.run, *seat.core, seat.block);
  }
};

/// Takes blocks in index order and runs each until it ends or has to wait for others. Blocks that may go on
/// come before new ones, the lowest first.
void togetherWorker(void *context) {
  Run &run = *static_cast<Run *>(context);
  CrossCore &cross = *run.launch.crossCore;
  std::vector<std::unique_ptr<Seat>> seats;
  cross.join();
  for (;;) {
    const uint64_t seen = cross.version();
    bool live = false, ran = false, spun = false;
    for (std::unique_ptr<Seat> &seat : seats) {
      if (seat->fiber.over())
        continue;
      live = true;
      if (!cross.ready(seat->block))
        continue;
      seat->fiber.resume();
      ran = true;
      spun |= seat->core->spins != 0;
    }
    if (ran && !spun) // a block that spins may wait for one that has not started
      continue;
    const uint32_t index = run.next.fetch_add(1, std::memory_order_relaxed);
    if (index < run.launch.blockDim) {
      const uint32_t block = run.observer ? run.observer->blockAt(index) : index;
      auto seat = std::make_unique<Seat>();
      seat->run = &run;
      seat->block = block;
      seat->core = takeCore();
      if (!seat->core || !seat->fiber.prepare(Seat::work, seat.get())) {
        cross.finish(block, true); // the caller notices that a block did not run
        continue;
      }
      seat->core->launch = &run.launch;
      seats.push_back(std::move(seat));
      seats.back()->fiber.resume();
      continue;
    }
    run.next.store(run.launch.blockDim, std::memory_order_relaxed);
    if (!live)
      break;
    if (ran)
      continue;
    cross.sleep(seen);
  }
  cross.leave();
  std::lock_guard<std::mutex> lock(run.mutex);
  for (const std::unique_ptr<Seat> &seat : seats)
    addCounters(run.total, seat->core->counters);
}

uint32_t threadsFor(uint32_t wanted, uint32_t blockDim, const tw_gm_range *ranges, size_t count) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; ++i)
    bytes += ranges[i].size;
  if (bytes < kSmallLaunchBytes)
    return 1;
  uint32_t threads = wanted ? wanted : hostThreads();
  return threads < blockDim ? threads : blockDim;
}

} // namespace
} // namespace tilewright::emulator

using namespace tilewright::emulator;

/// Of the last launch of this thread.
static thread_local const void *lastFault = nullptr;

static int refuse(char *err, size_t size, int code, const char *text) {
  if (err && size)
    std::snprintf(err, size, "%s", text);
  return code;
}

/// Validates the arguments of a launch; 0 or the error, with its text written.
static int checkLaunch(const tw_kernel *kernel, uint32_t blockDim, const void *args, size_t argsSize,
                       const tw_gm_range *ranges, size_t rangeCount, tw_counters *out, char *err,
                       size_t errSize) {
  if (err && errSize)
    *err = 0;
  if (out)
    *out = {};
  lastFault = nullptr;
  if (!kernel)
    return refuse(err, errSize, TW_ERR_KERNEL, "no kernel");
  if (argsSize != kernel->argsSize || (argsSize && !args)) {
    char text[160];
    std::snprintf(text, sizeof text, "kernel %s takes %llu bytes of arguments, %llu were given",
                  kernel->name.c_str(), static_cast<unsigned long long>(kernel->argsSize),
                  static_cast<unsigned long long>(argsSize));
    return refuse(err, errSize, TW_ERR_ARGUMENTS, text);
  }
  if (blockDim == 0)
    return refuse(err, errSize, TW_ERR_ARGUMENTS, "block_dim is 0; a launch has at least one block");
  if (rangeCount && !ranges)
    return refuse(err, errSize, TW_ERR_ARGUMENTS, "n_ranges is not 0 but ranges is NULL");
  return 0;
}

static int runLaunch(const tw_kernel &kernel, uint32_t blockDim, const void *args, const tw_gm_range *ranges,
                     size_t rangeCount, uint32_t threads, LaunchObserver *observer, tw_counters *out,
                     char *err, size_t errSize) {
  Run run;
  run.entry = observer ? kernel.observedEntry : kernel.entry;
  run.args = args;
  run.launch.ranges = ranges;
  run.launch.rangeCount = rangeCount;
  run.launch.blockDim = blockDim;
  run.observer = observer;
  std::unique_ptr<CrossCore> crossCore;
  if (kernel.together) {
    if (kernel.vectorCores && blockDim > kernel.vectorCores) {
      char text[256];
      std::snprintf(
          text, sizeof text,
          "the blocks of kernel %s wait for one another, but %u blocks do not run at the same time on "
          "%u vector cores: a device would wait for ever",
          kernel.name.c_str(), blockDim, kernel.vectorCores);
      return refuse(err, errSize, TW_ERR_ARGUMENTS, text);
    }
    crossCore = std::make_unique<CrossCore>(blockDim);
    run.launch.crossCore = crossCore.get();
  }
  {
    FaultHandler faults;
    runOnThreads(threads, kernel.together ? togetherWorker : worker, &run);
  }
  if (!run.error && run.total.blocks != blockDim)
    return refuse(err, errSize, TW_ERR_HOST, "no memory for a UB window below 4 GiB");
  if (out)
    *out = run.total;
  lastFault = run.errorPc;
  return run.error ? refuse(err, errSize, run.error, run.message) : 0;
}

extern "C" int tw_launch(tw_kernel *kernel, uint32_t blockDim, const void *args, size_t argsSize,
                         const tw_gm_range *ranges, size_t rangeCount, uint32_t threads, uint32_t mode,
                         tw_counters *out, char *err, size_t errSize) {
  if (const int code = checkLaunch(kernel, blockDim, args, argsSize, ranges, rangeCount, out, err, errSize))
    return code;
  if (mode != kFast)
    return refuse(err, errSize, TW_ERR_ARGUMENTS,
                  "unknown execution mode: tw_launch has mode 0 (fast), tw_launch_observed the others");
  return runLaunch(*kernel, blockDim, args, ranges, rangeCount,
                   threadsFor(threads, blockDim, ranges, rangeCount), nullptr, out, err, errSize);
}

extern "C" int tw_launch_observed(tw_kernel *kernel, uint32_t blockDim, const void *args, size_t argsSize,
                                  const tw_gm_range *ranges, size_t rangeCount, uint32_t threads,
                                  uint32_t mode, const char *options, tw_counters *out, char **reportJson,
                                  char *err, size_t errSize) {
  if (reportJson)
    *reportJson = nullptr;
  if (const int code = checkLaunch(kernel, blockDim, args, argsSize, ranges, rangeCount, out, err, errSize))
    return code;
  ObservedLaunch launch;
  launch.kernel = kernel->name.c_str();
  launch.entry = reinterpret_cast<const void *>(kernel->observedEntry);
  launch.scalarsSeen = kernel->observedEntry != kernel->entry;
  launch.handwritten = kernel->handwritten;
  launch.blockDim = blockDim;
  launch.ranges = ranges;
  launch.rangeCount = rangeCount;
  launch.threads = threadsFor(threads, blockDim, ranges, rangeCount);
  std::string error;
  const std::unique_ptr<LaunchObserver> observer = makeObserver(mode, launch, options, error);
  if (!observer)
    return refuse(err, errSize, TW_ERR_ARGUMENTS, error.c_str());
  const int code = runLaunch(*kernel, blockDim, args, ranges, rangeCount, launch.threads, observer.get(), out,
                             err, errSize);
  if (reportJson && !(*reportJson = copyText(observer->report())) && !code)
    return refuse(err, errSize, TW_ERR_HOST, "no memory for the report");
  return code;
}

extern "C" uint64_t tw_launch_fault(void) {
  Dl_info where;
  // The return address: one less lies inside the call.
  if (!lastFault || !dladdr(lastFault, &where) || !where.dli_fbase)
    return 0;
  return uint64_t(lastFault) - 1 - uint64_t(where.dli_fbase);
}
