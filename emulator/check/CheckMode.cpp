// Check mode: blocks are observed one by one, the launch as a whole is looked at afterwards.
#include "emulator/check/BlockCheck.h"
#include "emulator/check/CoreRaces.h"
#include "emulator/machine/Observe.h"

#include <mutex>
#include <numeric>

namespace tilewright::emulator::check {
namespace {

class CheckMode final : public LaunchObserver {
public:
  CheckMode(const ObservedLaunch &launch, const Options &options)
      : launch(launch), kernel(launch.kernel), options(options) {
    if (!options.randomSeed)
      return;
    order.resize(launch.blockDim);
    std::iota(order.begin(), order.end(), 0u);
    // Fisher and Yates over a fixed generator: the same order on every host.
    uint64_t state = options.randomSeed;
    for (uint32_t left = launch.blockDim; left > 1; --left) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(order[left - 1], order[(state >> 33) % left]);
    }
  }

  uint32_t blockAt(uint32_t index) const override { return order.empty() ? index : order[index]; }

  Observer *beginBlock(Core &core) override {
    BlockCheck *check;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (idle.empty()) {
        all.push_back(std::make_unique<BlockCheck>(options, launch, crossOrder));
        idle.push_back(all.back().get());
      }
      check = idle.back();
      idle.pop_back();
    }
    check->begin(core);
    return check;
  }

  bool endBlock(Core &core, Observer *observer, int code) override {
    BlockCheck *check = static_cast<BlockCheck *>(observer);
    check->end(core, code);
    const std::vector<Interval> &touched = check->footprint.compact();
    std::lock_guard<std::mutex> lock(mutex);
    findings.merge(check->findings);
    instructions += check->instructions;
    stopped |= code != 0;
    scalarGm |= core.countedScalarGm != 0 && !launch.scalarsSeen;
    for (const Interval &i : touched) {
      BlockInterval of;
      static_cast<Interval &>(of) = i;
      of.block = core.blockIdx;
      of.site = placeIndex(check->places()[i.site]);
      of.known = releases.number(check->releases[i.known]);
      of.covered = releases.number(check->releases[i.covered]);
      intervals.push_back(of);
    }
    idle.push_back(check);
    return true; // the error is a finding
  }

  std::string report() override {
    if (options.detectCoreRaces) {
      findCoreRaces(intervals, places, releases, findings);
      // Results of stopped blocks are missing, those of scalar stores are not seen.
      if (!stopped && !scalarGm)
        findUnwritten(intervals, launch.ranges, launch.rangeCount, findings);
    }
    std::string out = "{\"mode\": \"check\", \"kernel\": " + jsonString(kernel);
    out += ", \"blocks\": " + std::to_string(launch.blockDim);
    out += ", \"instructions\": " + std::to_string(instructions);
    out += ", \"hazards\": " + std::to_string(findings.number(false));
    out += ", \"lints\": " + std::to_string(findings.number(true));
    // Code that is neither of our hivmc nor Ascend C may only count its loads and stores.
    out += std::string(", \"scalar_gm_accesses_unseen\": ") + (scalarGm ? "true" : "false");
    return out + ", \"findings\": " + findings.json(launch.ranges, launch.rangeCount, options.maxFindings) +
           "}";
  }

private:
  uint32_t placeIndex(const Place &place) {
    const auto [at, fresh] = placeIndices.try_emplace(place, uint32_t(places.size()));
    if (fresh)
      places.push_back(place);
    return at->second;
  }

  const ObservedLaunch launch;
  const std::string kernel;
  const Options options;
  std::vector<uint32_t> order; ///< in which blocks start, if not by index
  CrossOrder crossOrder;
  std::mutex mutex; ///< guards the rest
  std::vector<std::unique_ptr<BlockCheck>> all;
  std::vector<BlockCheck *> idle;
  Findings findings;
  std::vector<BlockInterval> intervals;
  ReleaseTable releases;
  std::vector<Place> places;
  std::map<Place, uint32_t> placeIndices;
  uint64_t instructions = 0;
  bool stopped = false, scalarGm = false;
};

std::unique_ptr<LaunchObserver> make(const ObservedLaunch &launch, const Json &json, std::string &error) {
  Options options;
  if (!parseOptions(json, options, error))
    return nullptr;
  return std::make_unique<CheckMode>(launch, options);
}

const RegisterMode registered(kCheck, make);

} // namespace
} // namespace tilewright::emulator::check
