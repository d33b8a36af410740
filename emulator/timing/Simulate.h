// The event-driven model: one in-order queue per pipe of a core, flags between them, memory shared by all.
#ifndef TILEWRIGHT_EMULATOR_TIMING_SIMULATE_H
#define TILEWRIGHT_EMULATOR_TIMING_SIMULATE_H

#include "emulator/timing/Constants.h"
#include "emulator/timing/Trace.h"

#include <string>
#include <vector>

namespace tilewright::emulator::timing {

/// Where launch data is: Cold, all in memory; Warm, in L2 as far as it fits.
enum class Cache { Cold, Warm };

struct Segment {
  uint32_t core, block, step; ///< step: index into Trace::steps
  uint8_t row;                ///< Unit, or Units for flow control
  double start, duration;     ///< cycles; flow control rows: the time spent waiting
};

struct SimulateOptions {
  Cache cache = Cache::Cold;
  uint32_t coreLimit = 0;      ///< simulate at most so many cores, with their share of the memory; 0: all
  uint32_t timelineCores = 0;  ///< cores of which segments are kept
  uint64_t timelineEvents = 0; ///< and how many segments
};

struct Timing {
  double coreCycles = 0;       ///< mean over cores, first instruction to last completion
  double maxCycles = 0;        ///< the slowest core
  double vectorCycles = 0;     ///< mean over cores, until V has executed its last instruction
  double us = 0;               ///< launch included
  double busy[Units] = {};     ///< cycles a unit works or waits for its latency, mean over cores
  double occupied[Units] = {}; ///< the same without latencies and tails
  double waiting = 0;          ///< cycles that pipes stand at flags, mean over cores, summed over pipes
  double overhead = 0, masks = 0, repeats = 0, conflicts = 0; ///< parts of V's time, mean over cores
  double gmBytes = 0, l2Bytes = 0;                            ///< drawn from the pools
  double readBytes = 0, writeBytes = 0;
  double gmCapacity = 0;           ///< bytes a cycle
  double gmShare = 0;              ///< utilisation of the memory while cores run
  double l2Hit = 0, writeBack = 0; ///< shares of loads served by L2, of stores that reach memory
  uint64_t steps = 0;              ///< simulated
  bool timelineCut = false;
  std::vector<Segment> timeline;
};

/// False with `error` when the stream can never finish (a wait without a set).
bool simulate(const Trace &trace, const Constants &constants, const SimulateOptions &options, Timing &out,
              std::string &error);

} // namespace tilewright::emulator::timing
#endif
