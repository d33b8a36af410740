// Records the trace of a launch while its blocks run.
#ifndef TILEWRIGHT_EMULATOR_TIMING_RECORDER_H
#define TILEWRIGHT_EMULATOR_TIMING_RECORDER_H

#include "emulator/timing/Describe.h"

#include "emulator/machine/Observe.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace tilewright::emulator::timing {

class Recorder {
public:
  Recorder(const ObservedLaunch &launch, Rates rates, uint64_t maxSteps);
  ~Recorder();

  /// The observer of the block, for the calling thread.
  Observer *begin(Core &core);
  void end(Core &core, Observer *observer);
  /// True if the limit of stored steps was reached; the trace is not usable then.
  bool full() const { return overflow.load(std::memory_order_relaxed); }
  /// The trace; call once, after all blocks.
  Trace take();

private:
  class BlockObserver;
  friend class BlockObserver;

  uint32_t globalStep(const Key &key, const Step &step);
  void addBlock(uint32_t block, const std::vector<uint32_t> &program);

  ObservedLaunch launch;
  Rates rates;
  uint64_t maxSteps;
  std::atomic<bool> overflow{false};
  std::mutex mutex; ///< guards the rest
  Trace trace;
  uint64_t stored = 0;
  std::unordered_map<Key, uint32_t, KeyHash> stepNumbers;
  std::unordered_multimap<uint64_t, uint32_t> programsByHash;
  std::vector<std::unique_ptr<BlockObserver>> idle;
};

} // namespace tilewright::emulator::timing
#endif
