// The time mode of tw_launch_observed.
#include "emulator/timing/Recorder.h"
#include "emulator/timing/Report.h"

#include "emulator/machine/Pool.h"

#include <atomic>

namespace tilewright::emulator::timing {
namespace {

std::string failure(const char *kind, const std::string &text) {
  return std::string("{\"modelled\":true,\"error\":") + jsonString(kind) +
         ",\"message\":" + jsonString(text) + "}";
}

class TimeObserver final : public LaunchObserver {
public:
  TimeObserver(const ObservedLaunch &launch, Options given)
      : options(std::move(given)), recorder(launch, options.rates, options.maxSteps) {}

  Observer *beginBlock(Core &core) override { return recorder.begin(core); }
  bool endBlock(Core &core, Observer *observer, int code) override {
    recorder.end(core, observer);
    if (code)
      failed = true;
    return false;
  }
  std::string report() override {
    if (failed)
      return failure("launch", "the launch failed, there is nothing to time");
    if (recorder.full())
      return failure("limit", "the trace has more than " + std::to_string(options.maxSteps) +
                                  " stored steps; raise max_steps (4 bytes each)");
    std::string json, error;
    if (!timing::report(recorder.take(), options, json, error))
      return failure("simulation", error);
    return json;
  }

private:
  Options options;
  Recorder recorder;
  std::atomic<bool> failed{false};
};

std::unique_ptr<LaunchObserver> make(const ObservedLaunch &launch, const Json &json, std::string &error) {
  Options options;
  options.threads = launch.threads > 1 ? launch.threads : hostThreads();
  if (!options.read(json, nullptr, 0, error))
    return nullptr;
  return std::make_unique<TimeObserver>(launch, std::move(options));
}

const RegisterMode registered(kTime, make);

} // namespace
} // namespace tilewright::emulator::timing
