// Running single instructions from tests: a core without a kernel.
#include "emulator/machine/Block.h"
#include "emulator/machine/Observe.h"

#include <cstdio>
#include <vector>

using namespace tilewright::emulator;

namespace {

struct Session {
  Core *core;
  Launch launch;
  std::vector<tw_gm_range> ranges;
  std::unique_ptr<LaunchObserver> observer;
};
thread_local Session *session = nullptr;

struct Call {
  void *function;
  uint64_t args[6];
  double scalar; ///< carrier of the bits that go to the first vector register
  uint32_t times;
  uint64_t result;
};

/// The x86-64 convention numbers integer and floating arguments apart, so one shape of call fits all
/// instructions.
void invoke(const void *p) {
  Call &c = *static_cast<Call *>(const_cast<void *>(p));
  using F = uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double);
  for (uint32_t i = 0; i < c.times; ++i)
    c.result = reinterpret_cast<F>(c.function)(c.args[0], c.args[1], c.args[2], c.args[3], c.args[4],
                                               c.args[5], c.scalar);
}

} // namespace

extern "C" uint64_t tw_test_core_begin(uint32_t block, const tw_gm_range *ranges, size_t count) {
  tw_test_core_end(nullptr, nullptr, 0);
  Core *core = threadCore();
  if (!core)
    return 0;
  session = new Session;
  session->core = core;
  session->ranges.assign(ranges, ranges + count);
  session->launch.ranges = session->ranges.data();
  session->launch.rangeCount = count;
  core->launch = &session->launch;
  core->observer = nullptr;
  core->counters = {};
  core->dirtyPages = ~uint64_t(0);
  core->reset(block);
  return uint64_t(core->ub);
}

extern "C" int tw_test_call(void *function, const uint64_t *args, size_t count, uint64_t scalar,
                            uint32_t times, uint64_t *result, char *err, size_t errSize) {
  if (err && errSize)
    *err = 0;
  if (!session)
    return TW_ERR_ARGUMENTS;
  Call call{function, {}, __builtin_bit_cast(double, scalar), times, 0};
  for (size_t i = 0; i < count && i < 6; ++i)
    call.args[i] = args[i];
  FaultHandler faults;
  const int code = runGuarded(*session->core, invoke, &call);
  if (code && err && errSize)
    std::snprintf(err, errSize, "%s", session->core->message);
  if (result)
    *result = call.result;
  return code;
}

extern "C" int tw_test_core_observe(uint32_t mode, const char *options, char *err, size_t errSize) {
  if (!session)
    return TW_ERR_ARGUMENTS;
  ObservedLaunch launch;
  launch.kernel = "test";
  launch.ranges = session->ranges.data();
  launch.rangeCount = session->ranges.size();
  std::string error;
  session->observer = makeObserver(mode, launch, options, error);
  if (!session->observer) {
    if (err && errSize)
      std::snprintf(err, errSize, "%s", error.c_str());
    return TW_ERR_ARGUMENTS;
  }
  session->core->observer = session->observer->beginBlock(*session->core);
  return 0;
}

extern "C" int tw_test_core_report(int code, char **reportJson) {
  if (!session || !session->observer || !reportJson)
    return TW_ERR_ARGUMENTS;
  Core &core = *session->core;
  Observer *const observer = core.observer;
  core.observer = nullptr;
  if (!code && describeLeftFlags(core, core.message, sizeof core.message))
    code = TW_ERR_FLAGS;
  session->observer->endBlock(core, observer, code);
  *reportJson = copyText(session->observer->report());
  session->observer.reset();
  return *reportJson ? 0 : TW_ERR_HOST;
}

extern "C" int tw_test_core_end(tw_counters *out, char *err, size_t errSize) {
  if (!session)
    return TW_ERR_ARGUMENTS;
  Core &core = *session->core;
  if (out)
    *out = core.counters;
  char text[sizeof Core::message];
  const bool left = describeLeftFlags(core, text, sizeof text);
  if (left && err && errSize)
    std::snprintf(err, errSize, "%s", text);
  core.launch = nullptr;
  core.observer = nullptr;
  delete session;
  session = nullptr;
  return left ? TW_ERR_FLAGS : 0;
}
