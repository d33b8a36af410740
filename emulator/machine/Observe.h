// Modes of tw_launch_observed: what watches the blocks of a launch and reports on it at the end.
//
// A mode is one translation unit that defines a LaunchObserver and a static RegisterMode. The launcher knows
// modes only through this table.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_OBSERVE_H
#define TILEWRIGHT_EMULATOR_MACHINE_OBSERVE_H

#include "emulator/machine/Core.h"
#include "emulator/machine/Json.h"

#include <memory>
#include <string>

namespace tilewright::emulator {

enum Mode : uint32_t { kFast = 0, kCheck = 1, kTime = 2, kLog = 3 };

/// What an observer is told about the launch.
struct ObservedLaunch {
  const char *kernel = "";
  const void *entry = nullptr; ///< entry function of the kernel; null in tests
  bool scalarsSeen = false;    ///< the kernel reports its scalar loads and stores
  bool handwritten = false;    ///< an Ascend C kernel
  uint32_t blockDim = 1;
  const tw_gm_range *ranges = nullptr; ///< valid until the observer is destroyed
  size_t rangeCount = 0;
  uint32_t threads = 1; ///< host threads that will call beginBlock
};

/// Watches one launch. beginBlock and endBlock are called by the thread that runs the block, for different
/// blocks at the same time; report is called once, after all blocks.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;

  /// The observer of the block that `core` is about to run (core.blockIdx); called after Core::reset. It
  /// stays owned by the launch observer and must not call fail: instructions leave by longjmp only after it
  /// returned.
  virtual Observer *beginBlock(Core &core) = 0;

  /// The block that starts as number `index`. Any order is one of the device.
  virtual uint32_t blockAt(uint32_t index) const { return index; }

  /// The block is over. `code` is 0 or the TW_ERR_* that stopped it (core.message has the text; flags left
  /// set count as an error). Returns true to take the error over: the launch goes on and succeeds, and the
  /// report is the place to tell about it.
  virtual bool endBlock(Core &core, Observer *observer, int code) = 0;

  /// A JSON object.
  virtual std::string report() = 0;
};

/// Makes the observer of a launch from its options (a JSON object, or Null for none). On a bad option returns
/// null and sets `error` to one sentence.
using MakeObserver = std::unique_ptr<LaunchObserver> (*)(const ObservedLaunch &launch, const Json &options,
                                                         std::string &error);

/// A static instance makes `mode` known.
struct RegisterMode {
  RegisterMode(Mode mode, MakeObserver make);
};

/// Parses `options` (may be null) and makes the observer. Returns null with `error` set when the mode is
/// unknown or not built in, or the options are wrong.
std::unique_ptr<LaunchObserver> makeObserver(uint32_t mode, const ObservedLaunch &launch, const char *options,
                                             std::string &error);

/// A malloc'ed copy, for tw_free; null when memory is refused.
char *copyText(const std::string &text);

/// `text` as a JSON string with quotes.
std::string jsonString(const std::string &text);

} // namespace tilewright::emulator
#endif
