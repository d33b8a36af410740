// Flags between the blocks of a launch, and the blocks' turns.
//
// A block that waits for others must not keep them from running: such launches run every block on a stack of
// its own (Fiber), many on one host thread, and change to another block at a wait. A host thread keeps the
// blocks that it started.
//
// Flags follow the public Ascend C documentation of CrossCoreSetFlag and CrossCoreWaitFlag: 16 flags with a
// 4-bit counter in every core. Mode 0: when every core of the launch has set the flag once more, each core's
// counter goes up by one. Mode 1, the vector cores of a block: a vector-only block has one. A wait holds
// until the counter is above zero and takes one.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_CROSSCORE_H
#define TILEWRIGHT_EMULATOR_MACHINE_CROSSCORE_H

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tilewright::emulator {

class CrossCore {
public:
  static constexpr unsigned kFlags = 16, kMostSets = 15;
  enum class Waited : uint8_t {
    Passed,
    Never,     ///< no block is left that could set the flag
    OtherError ///< the same, and a block was stopped by an error of its own
  };

  explicit CrossCore(uint32_t blocks) : blocks(blocks) {}

  /// The flag is set; false when the counter of `block` is full.
  bool set(uint32_t block, unsigned flag, unsigned mode);
  /// Holds the calling block, and lets others of its thread run meanwhile.
  Waited wait(uint32_t block, unsigned flag);
  /// The block is over; `failed` when by an error.
  void finish(uint32_t block, bool failed);

  /// What keeps `block`, whose wait for `flag` never ends.
  void explain(uint32_t block, unsigned flag, char *out, size_t size);
  /// Text when sets and waits of `block` do not pair, empty otherwise. All blocks are over or will not set
  /// more.
  bool describeLeft(uint32_t block, char *out, size_t size);

  // ---- turns of host threads ----
  void join();
  void leave();
  uint64_t version();
  /// True when a waiting `block` can go on.
  bool ready(uint32_t block);
  /// Sleeps until something changed since `seen`. When every thread would sleep, no block can go on: all
  /// waits end.
  void sleep(uint64_t seen);

private:
  struct Block {
    std::array<uint32_t, kFlags> sets{}, own{}, waits{}; ///< mode 0, mode 1
    int waiting = -1;                                    ///< flag
    bool over = false;
  };
  bool available(const Block &block, unsigned flag) const {
    return block.waits[flag] < released[flag] + block.own[flag];
  }
  void change() {
    ++changes;
    sleeping = 0; // all wake up
    changed.notify_all();
  }
  void endIfStuck() {
    if (joined && sleeping == joined && !stuck) {
      stuck = true;
      change();
    }
  }

  std::mutex mutex; ///< guards everything
  std::condition_variable changed;
  std::vector<Block> blocks;
  std::array<uint32_t, kFlags> released{}; ///< how often all blocks have set the flag
  uint64_t changes = 0;
  uint32_t joined = 0, sleeping = 0;
  bool stuck = false, failed = false;
};

} // namespace tilewright::emulator
#endif
