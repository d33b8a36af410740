// Options of the time mode, and its report: one trace timed cold and warm under sampled constants.
#ifndef TILEWRIGHT_EMULATOR_TIMING_REPORT_H
#define TILEWRIGHT_EMULATOR_TIMING_REPORT_H

#include "emulator/timing/Simulate.h"

#include <string>

namespace tilewright::emulator::timing {

/// From a JSON object with `constants` and `rates` (required) and, all optional, `samples`, `seed`,
/// `threads`, `timeline_cores`, `timeline_events`, `timeline_cache` ("cold" or "warm"), `max_steps`,
/// `sample_steps`, `sample_times`.
struct Options {
  Profile profile;
  Rates rates;
  unsigned samples = 24; ///< sets of constants for the interval; 0: none
  uint64_t seed = 1;
  uint32_t threads = 1;
  uint32_t timelineCores = 0;
  uint64_t timelineEvents = 200000;
  Cache timelineCache = Cache::Cold;
  uint64_t maxSteps = uint64_t(128) << 20; ///< stored steps of a trace, four bytes each
  uint64_t sampleSteps = 32000; ///< simulated steps for an interval; at least as many as for the time itself
  /// List the time under every set of constants. All cores are simulated with all sets, so that lists of two
  /// kernels with equal profile, samples and seed can be compared entry by entry.
  bool sampleTimes = false;

  /// `others` names members that belong to the caller.
  bool read(const Json &json, const char *const *others, size_t otherCount, std::string &error);
};

/// The report as JSON, or false with `error`.
bool report(const Trace &trace, const Options &options, std::string &json, std::string &error);

} // namespace tilewright::emulator::timing
#endif
