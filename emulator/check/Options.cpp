#include "emulator/check/Options.h"

namespace tilewright::emulator::check {

bool parseOptions(const Json &json, Options &out, std::string &error) {
  const struct {
    const char *name;
    bool Options::*field;
  } switches[] = {
      {"detect_races", &Options::detectRaces},
      {"detect_core_races", &Options::detectCoreRaces},
      {"uninitialized_reads", &Options::uninitializedReads},
      {"v_barriers", &Options::vBarriers},
      {"dma_barriers", &Options::dmaBarriers},
      {"alignment", &Options::alignment},
      {"lints", &Options::lints},
      {"select_scratch", &Options::selectScratch},
  };
  for (const auto &[name, value] : json.members) {
    bool known = false;
    for (const auto &s : switches)
      if (name == s.name) {
        known = true;
        if (value.kind != Json::Bool) {
          error = "check option " + name + " takes true or false";
          return false;
        }
        out.*s.field = value.number != 0;
      }
    if (name == "uninitialized_memory") {
      known = true;
      if (value.kind != Json::String || (value.string != "nan" && value.string != "zero")) {
        error = "check option uninitialized_memory takes \"nan\" or \"zero\"";
        return false;
      }
      out.zeroUb = value.string == "zero";
    }
    if (name == "max_findings") {
      known = true;
      const uint64_t n = value.whole(0);
      if (n < 1 || n > 100000) {
        error = "check option max_findings takes a number from 1 to 100000";
        return false;
      }
      out.maxFindings = uint32_t(n);
    }
    if (name == "random_seed") {
      known = true;
      out.randomSeed = value.whole(~uint64_t(0));
      if (out.randomSeed == ~uint64_t(0)) {
        error = "check option random_seed takes a whole number";
        return false;
      }
    }
    if (name == "out_of_bounds_reads") {
      known = true;
      // The emulated device has no value for such a read to go on with.
      if (value.kind != Json::String || value.string != "raise") {
        error = "check option out_of_bounds_reads takes \"raise\" only";
        return false;
      }
    }
    if (!known) {
      error = "unknown check option " + name;
      return false;
    }
  }
  return true;
}

} // namespace tilewright::emulator::check
