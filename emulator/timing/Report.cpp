#include "emulator/timing/Report.h"

#include "emulator/machine/Observe.h"
#include "emulator/machine/Pool.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tilewright::emulator::timing {
namespace {

bool readRates(const Json &json, Rates &rates, std::string &error) {
  if (json.kind != Json::Object) {
    error = "the rates are not an object";
    return false;
  }
  for (const auto &member : json.members) {
    const std::string &name = member.first;
    const Json &value = member.second;
    Rate rate;
    auto number = [&](const char *key, double &to) {
      const Json *given = value.get(key);
      if (!given)
        return true;
      if (given->kind != Json::Number || !(given->number >= 0) || given->number > 1e6)
        return false;
      to = given->number;
      return true;
    };
    double binary = 0;
    if (value.kind != Json::Object || !number("repeat", rate.perRepeat) ||
        !number("element", rate.perElement) || !number("byte", rate.perByte) ||
        !number("isolated", rate.isolated) || !number("binary", binary)) {
      error = "the rate of " + name + " is not an object of numbers";
      return false;
    }
    rate.binary = binary != 0;
    rates.add(name, rate);
  }
  return true;
}

/// Appends to a JSON text.
class Writer {
public:
  std::string text;
  Writer &open(const char *name = nullptr) { return key(name).raw("{", true); }
  Writer &close() { return raw("}", false); }
  Writer &openList(const char *name = nullptr) { return key(name).raw("[", true); }
  Writer &closeList() { return raw("]", false); }
  Writer &number(const char *name, double value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.6g", std::isfinite(value) ? value : 0.0);
    return key(name).raw(buffer, false);
  }
  Writer &whole(const char *name, uint64_t value) {
    return key(name).raw(std::to_string(value).c_str(), false);
  }
  Writer &string(const char *name, const std::string &value) {
    return key(name).raw(jsonString(value).c_str(), false);
  }
  Writer &flag(const char *name, bool value) { return key(name).raw(value ? "true" : "false", false); }
  Writer &item(const std::string &value) { return key(nullptr).raw(value.c_str(), false); }

private:
  bool first = true;
  Writer &key(const char *name) {
    if (!first)
      text += ',';
    if (name)
      text += jsonString(name) + ':';
    return *this;
  }
  Writer &raw(const char *value, bool opens) {
    text += value;
    first = opens;
    return *this;
  }
};

/// What an interval is made of at least, however long the launch.
constexpr uint32_t kFewestCores = 4;
constexpr unsigned kFewestSamples = 12;

struct Interval {
  double low, high;
  std::vector<double> us; ///< the sampled times in the order of the sets
};

struct Sampling {
  const Trace &trace;
  const std::vector<Constants> &sets;
  SimulateOptions options;
  std::vector<double> us;
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
};

void sampleWorker(void *context) {
  Sampling &s = *static_cast<Sampling *>(context);
  for (size_t i; (i = s.next.fetch_add(1)) < s.sets.size();) {
    Timing timing;
    std::string error;
    if (!simulate(s.trace, s.sets[i], s.options, timing, error))
      s.failed = true;
    s.us[i] = timing.us;
  }
}

/// 5 to 95 % of the sampled times. When simulating all cores would take too long, representatives stand for
/// them, and the ratio to their own nominal time is applied to that of all cores.
bool sampledInterval(const Trace &trace, const Options &options, Cache cache, const Timing &nominal,
                     Interval &out, std::string &error) {
  out = {nominal.us, nominal.us, {}};
  if (options.samples == 0)
    return true;
  const uint32_t cores =
      uint32_t(std::min<double>(options.profile.nominal().vector_cores, double(trace.blocks.size())));
  SimulateOptions simulation;
  simulation.cache = cache;
  unsigned samples = options.samples;
  const double all = double(std::max<uint64_t>(nominal.steps, 1));
  const double budget = std::max(double(options.sampleSteps), all);
  if (!options.sampleTimes && all * samples > budget) {
    simulation.coreLimit = std::max(kFewestCores, uint32_t(cores * budget / (all * samples)));
    if (simulation.coreLimit >= cores)
      simulation.coreLimit = 0;
    else if (all * samples * simulation.coreLimit / cores > budget)
      samples = std::max(std::min(samples, kFewestSamples),
                         unsigned(budget * cores / (all * simulation.coreLimit)));
  }
  double scale = 1;
  if (simulation.coreLimit) {
    Timing reduced;
    if (!simulate(trace, options.profile.nominal(), simulation, reduced, error))
      return false;
    scale = nominal.us / reduced.us;
  }
  const std::vector<Constants> sets = options.profile.sample(samples, options.seed);
  Sampling sampling{trace, sets, simulation, std::vector<double>(sets.size())};
  runOnThreads(std::min<uint32_t>(options.threads, samples), sampleWorker, &sampling);
  if (sampling.failed) {
    error = "a sampled simulation could not finish";
    return false;
  }
  std::vector<double> us = sampling.us;
  std::sort(us.begin(), us.end());
  auto quantile = [&](double q) {
    const double at = q * double(us.size() - 1);
    const size_t i = size_t(at);
    return us[i] + (i + 1 < us.size() ? (at - double(i)) * (us[i + 1] - us[i]) : 0);
  };
  out = {std::min(nominal.us, scale * quantile(0.05)), std::max(nominal.us, scale * quantile(0.95)),
         std::move(sampling.us)};
  return true;
}

bool neverHits(const Trace &trace, const Constants &c) {
  return trace.footprint.read + trace.footprint.written >= c.l2_bytes;
}

const char *rowName(uint8_t row) {
  static const char *const names[] = {"SCALAR", "VECTOR", "MTE2", "MTE3", "FLOWCTRL"};
  return names[row];
}

void writeTiming(Writer &w, const char *name, const Timing &t, const Interval &interval, const Constants &c,
                 bool sampleTimes) {
  w.open(name).number("us", t.us).number("low_us", interval.low).number("high_us", interval.high);
  w.number("core_us", t.coreCycles / c.clock_mhz).number("slowest_core_us", t.maxCycles / c.clock_mhz);
  w.number("core_cycles", t.coreCycles).number("vector_cycles", t.vectorCycles);
  w.open("busy");
  for (uint8_t u = 0; u < Units; ++u)
    w.number(rowName(u), t.coreCycles > 0 ? t.busy[u] / t.coreCycles : 0);
  w.close().open("occupied");
  for (uint8_t u = 0; u < Units; ++u)
    w.number(rowName(u), t.coreCycles > 0 ? t.occupied[u] / t.coreCycles : 0);
  w.close();
  w.open("vector").number("overhead_cycles", t.overhead).number("mask_cycles", t.masks);
  w.number("repeats", t.repeats).number("conflicts", t.conflicts).close();
  w.number("waiting_cycles", t.waiting);
  w.open("memory").number("read_bytes", t.readBytes).number("written_bytes", t.writeBytes);
  w.number("memory_bytes", t.gmBytes).number("l2_bytes", t.l2Bytes).number("utilisation", t.gmShare);
  w.number("reachable_gb_s", t.gmCapacity * c.clock_mhz / 1e3);
  w.number("l2_hit", t.l2Hit).number("written_back", t.writeBack).close();
  if (sampleTimes) {
    w.openList("sample_us");
    for (double us : interval.us)
      w.number(nullptr, us);
    w.closeList();
  }
  w.close();
}

void writeTimeline(Writer &w, const Trace &trace, const Timing &t, Cache cache) {
  w.open("timeline").string("cache", cache == Cache::Cold ? "cold" : "warm").flag("cut", t.timelineCut);
  w.openList("rows");
  for (uint8_t r = 0; r <= Units; ++r)
    w.item(jsonString(rowName(r)));
  w.closeList().openList("steps");
  for (const Step &s : trace.steps) {
    w.open().string("name", s.op < Op::Count ? info(s.op).name : "scalar");
    if (s.kind == Kind::SetFlag || s.kind == Kind::WaitFlag)
      w.string("flag", std::string(rowName(s.from)) + "->" + rowName(s.to) + " " + std::to_string(s.id));
    if (s.kind == Kind::CrossSet || s.kind == Kind::CrossWait)
      w.string("flag", std::string(rowName(s.from)) + " cross-core " + std::to_string(s.id));
    if (s.kind == Kind::Barrier)
      w.string("drains", s.all ? "ALL" : rowName(s.from));
    if (s.kind == Kind::Load || s.kind == Kind::Store)
      w.whole("bytes", s.bytes).whole("rows", s.bursts);
    if (s.kind == Kind::Vector)
      w.whole("repeats", s.repeats).whole("conflicts", s.conflicts);
    if (!s.ub.empty()) { // begin, end, whether it is written
      w.openList("ub");
      for (const UbRange &r : s.ub)
        w.item("[" + std::to_string(r.begin) + "," + std::to_string(r.end) + (r.write ? ",1]" : ",0]"));
      w.closeList();
    }
    w.close();
  }
  // core, block, row, step, start and duration in cycles
  w.closeList().openList("segments");
  char buffer[160];
  for (const Segment &s : t.timeline) {
    std::snprintf(buffer, sizeof buffer, "[%u,%u,%u,%u,%.2f,%.2f]", s.core, s.block, unsigned(s.row), s.step,
                  s.start, s.duration);
    w.item(buffer);
  }
  w.closeList().close();
}

} // namespace

bool Options::read(const Json &json, const char *const *others, size_t otherCount, std::string &error) {
  const Json *constants = json.get("constants"), *rateTable = json.get("rates");
  if (!constants || !rateTable) {
    error = "the time mode needs the options constants and rates (a profile)";
    return false;
  }
  if (!profile.read(*constants, error) || !readRates(*rateTable, rates, error))
    return false;
  uint64_t sampleCount = samples, cores = 0, hostThreads = threads, times = sampleTimes;
  struct {
    const char *name;
    uint64_t *to;
    uint64_t most;
  } numbers[] = {{"samples", &sampleCount, 4096},
                 {"seed", &seed, ~uint64_t(0)},
                 {"threads", &hostThreads, 4096},
                 {"timeline_cores", &cores, 1 << 16},
                 {"timeline_events", &timelineEvents, 1 << 26},
                 {"max_steps", &maxSteps, uint64_t(1) << 32},
                 {"sample_steps", &sampleSteps, uint64_t(1) << 40},
                 {"sample_times", &times, 1}};
  for (const auto &[name, value] : json.members) {
    bool known = name == "constants" || name == "rates";
    for (const auto &n : numbers)
      if (name == n.name) {
        known = true;
        const uint64_t given = value.whole(~uint64_t(0));
        if (given > n.most || given == ~uint64_t(0)) {
          error = "option " + name + " is no whole number of its range";
          return false;
        }
        *n.to = given;
      }
    if (name == "timeline_cache") {
      known = value.string == "cold" || value.string == "warm";
      timelineCache = value.string == "warm" ? Cache::Warm : Cache::Cold;
    }
    for (size_t i = 0; i < otherCount; ++i)
      known |= name == others[i];
    if (!known) {
      error = "unknown option or value: " + name;
      return false;
    }
  }
  samples = unsigned(sampleCount);
  threads = uint32_t(hostThreads);
  sampleTimes = times != 0;
  timelineCores = uint32_t(cores);
  return true;
}

bool report(const Trace &trace, const Options &options, std::string &json, std::string &error) {
  const Constants nominal = options.profile.nominal();
  Writer w;
  w.open().flag("modelled", true);
  w.string("note", "modelled estimates of an event-driven simulation; nothing was measured on a device");
  w.whole("blocks", trace.blocks.size());
  w.open("trace")
      .whole("different_steps", trace.steps.size())
      .whole("different_blocks", trace.programs.size());
  w.whole("stored_bytes", trace.storedSteps() * sizeof(uint32_t)).close();
  w.whole("samples", options.samples);
  w.number("launch_us", nominal.launch_fixed_us + nominal.launch_per_block_us * double(trace.blocks.size()));
  Timing timing;
  Interval interval{0, 0, {}};
  for (const Cache cache : {Cache::Cold, Cache::Warm}) {
    SimulateOptions simulation;
    simulation.cache = cache;
    if (options.timelineCores && cache == options.timelineCache) {
      simulation.timelineCores = options.timelineCores;
      simulation.timelineEvents = options.timelineEvents;
    }
    // Data that L2 cannot hold is in memory either way.
    const bool same = cache == Cache::Warm && !simulation.timelineCores && neverHits(trace, nominal);
    if (!same && (!simulate(trace, nominal, simulation, timing, error) ||
                  !sampledInterval(trace, options, cache, timing, interval, error)))
      return false;
    writeTiming(w, cache == Cache::Cold ? "cold" : "warm", timing, interval, nominal, options.sampleTimes);
    if (simulation.timelineCores)
      writeTimeline(w, trace, timing, cache);
  }
  w.close();
  json = std::move(w.text);
  return true;
}

} // namespace tilewright::emulator::timing
