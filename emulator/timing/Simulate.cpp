// Each core runs ahead of global time as far as it can: everything but the end of a transfer is known at once
// from what is known already. Transfers start in order of time, share the memory (Sharing.h), and their ends
// let their cores go on.
#include "emulator/timing/Simulate.h"

#include "emulator/timing/Sharing.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>

namespace tilewright::emulator::timing {
namespace {

constexpr unsigned kFlagIds = 8, kCrossFlags = 16;
/// Work below this many cycles before a vector barrier is a "tiny step" (timing model, 3.2).
constexpr double kTinyWork = 64;

struct Queued {
  uint32_t step;
  double issued;
};

/// First in, first out; costs nothing while unused (a core has 128 flags and uses a few).
class Fifo {
public:
  bool empty() const { return head == items.size(); }
  void push(double time) { items.push_back(time); }
  double pop() {
    const double time = items[head++];
    if (head == items.size()) {
      items.clear();
      head = 0;
    }
    return time;
  }

private:
  std::vector<double> items;
  size_t head = 0;
};

struct Queue {
  std::deque<Queued> items;
  double free = 0;      ///< when the unit can start the next item
  double done = 0;      ///< when all earlier results are visible
  double busyUntil = 0; ///< for the union of busy intervals
  double runningSince = 0;
  std::vector<double> left; ///< when the last queue_depth items left their places, by item number
  uint64_t entered = 0, taken = 0;
  double sinceDrain = 0; ///< vector work since the last barrier
  bool running = false;  ///< a transfer is waiting for its start or under way

  void leave(double time) {
    left[taken++ % left.size()] = time;
    items.pop_front();
  }
};

/// A cross-core flag: when each release reaches the cores.
struct CrossFlag {
  std::vector<double> lastSet;   ///< per release, the latest of the sets so far
  std::vector<uint32_t> arrived; ///< per release, cores that have set it
};

struct CoreState {
  std::vector<uint32_t> blocks; ///< to run, in order
  size_t nextBlock = 0;
  uint32_t block = 0;
  const Trace::Program *program = nullptr;
  size_t position = 0;
  bool counted = false; ///< the scalar work before the current step is done
  double s = 0, start = 0, end = 0, vectorEnd = 0;
  double waiting = 0, scalarBusy = 0;
  Queue queues[Units];
  Fifo flags[Units * Units * kFlagIds];
  Fifo ownCross[kCrossFlags];
  uint32_t crossSets[kCrossFlags] = {}, crossWaits[kCrossFlags] = {};
  bool finished = false;
};

struct Start {
  double time;
  uint32_t core;
  uint8_t unit;
  bool operator>(const Start &o) const { return time != o.time ? time > o.time : core > o.core; }
};

class Simulator {
public:
  Simulator(const Trace &trace, const Constants &c, const SimulateOptions &options, Timing &out)
      : trace(trace), c(c), options(options), out(out) {}

  bool run(std::string &error) {
    prepare();
    for (uint32_t i = 0; i < cores.size(); ++i)
      advance(i);
    wake();
    while (!starts.empty() || !flows.empty()) {
      step();
      wake();
    }
    for (const CoreState &core : cores)
      if (!core.finished) {
        error = "a pipe waits for a flag that is never set";
        return false;
      }
    finish();
    return true;
  }

private:
  const Trace &trace;
  const Constants &c;
  const SimulateOptions &options;
  Timing &out;
  std::vector<CoreState> cores;
  std::vector<Flow> flows;
  std::priority_queue<Start, std::vector<Start>, std::greater<Start>> starts;
  double now = 0, gmCapacity = 0, l2Capacity = 0, hit = 0, writeBack = 1, eviction = 0, coreShare = 1;
  bool ratesValid = true;
  CrossFlag crossFlags[kCrossFlags];
  bool crossReleased = false;

  // ---- set-up ----

  void prepare() {
    const uint32_t blockCount = uint32_t(trace.blocks.size());
    const uint32_t all = std::max<uint32_t>(1, std::min<uint32_t>(uint32_t(c.vector_cores), blockCount));
    const uint32_t kept = options.coreLimit && options.coreLimit < all ? options.coreLimit : all;
    coreShare = double(kept) / all;
    cores.resize(kept);
    for (uint32_t i = 0; i < kept; ++i) {
      // Evenly spread representatives: big and small blocks keep their proportion.
      const uint32_t device = uint32_t(uint64_t(i) * all / kept);
      for (uint64_t b = device; b < blockCount; b += all)
        cores[i].blocks.push_back(uint32_t(b));
      cores[i].start = device * c.start_skew;
      cores[i].s = cores[i].start;
      for (Queue &q : cores[i].queues) {
        q.free = q.done = q.busyUntil = cores[i].start;
        q.left.assign(std::max<size_t>(1, size_t(c.queue_depth)), 0);
      }
    }
    cachePolicy();
    const double perCycle = 1e3 / c.clock_mhz; // 1e9 bytes a second -> bytes a cycle
    out.gmCapacity = gmCapacity = c.hbm_gb_s * efficiency() * perCycle * coreShare;
    l2Capacity = c.l2_gb_s * perCycle * coreShare;
    for (const CoreState &core : cores)
      for (uint32_t b : core.blocks)
        out.steps += trace.programs[trace.blocks[b]].size();
  }

  /// L2 keeps what fits. Stores beyond its capacity have to be written back while the kernel runs: every byte
  /// that a transfer allocates evicts one, and pays for its write-back when it is dirty. Loads hit when the
  /// data of the launch fills at most half of L2, and less and less up to its whole.
  void cachePolicy() {
    const Footprint &f = trace.footprint;
    if (options.cache == Cache::Warm && c.l2_bytes > 0)
      hit = std::clamp(2 - 2 * (f.read + f.written) / c.l2_bytes, 0.0, 1.0);
    // A launch whose data is not in L2 finds it full of what others left, much of it dirty.
    const double kept = f.read - f.streamed + f.written;
    const double room = c.l2_bytes * (c.l2_dirty_share + (1 - c.l2_dirty_share) * hit);
    writeBack = c.write_through ? 1 : std::max(0.0, 1 - room / std::max(kept, 1.0));
    // A byte that is stored is written back once, however often others are loaded.
    const double allocated = (loaded() - f.streamed) * (1 - hit) + stored();
    eviction = allocated > 0 ? writeBack * stored() / allocated : 0;
    if (c.write_through || c.l2_bytes <= 0) // nothing is evicted: stores go to memory themselves
      eviction = 0;
    out.l2Hit = hit;
    out.writeBack = writeBack;
  }

  double loaded() const { return std::max(trace.footprint.loaded, trace.footprint.read); }
  double stored() const { return std::max(trace.footprint.stored, trace.footprint.written); }

  /// Reachable share of the memory's peak for the launch's mixture of reads and writes. The published mixed
  /// figure is for two bytes read per byte written.
  double efficiency() const {
    const double reads = loaded() * (1 - hit), writes = stored() * writeBack;
    const double share = reads + writes > 0 ? writes / (reads + writes) : 0;
    return c.gm_read_efficiency + (c.gm_mixed_efficiency - c.gm_read_efficiency) * std::min(1.0, 3 * share);
  }

  // ---- time of transfers ----

  void step() {
    if (!ratesValid) {
      share(flows, gmCapacity, l2Capacity);
      ratesValid = true;
    }
    double ending = INFINITY;
    for (const Flow &f : flows)
      ending = std::min(ending, now + f.remaining / std::max(f.rate, 1e-9));
    const double starting = starts.empty() ? INFINITY : starts.top().time;
    const double to = std::max(now, std::min(ending, starting));
    const double passed = to - now;
    for (Flow &f : flows)
      f.remaining -= f.rate * passed;
    now = to;
    while (!starts.empty() && starts.top().time <= now) {
      const Start s = starts.top();
      starts.pop();
      begin(s);
    }
    // Ends within a thousandth of a cycle are one moment.
    uint32_t ended[64];
    unsigned count = 0;
    for (size_t i = 0; i < flows.size();) {
      if (flows[i].remaining <= flows[i].rate * 1e-3 && count < 64) {
        const Flow f = flows[i];
        flows[i] = flows.back();
        flows.pop_back();
        ratesValid = false;
        complete(f);
        ended[count++] = f.core;
      } else {
        ++i;
      }
    }
    for (unsigned i = 0; i < count; ++i)
      advance(ended[i]);
  }

  void begin(const Start &s) {
    Queue &q = cores[s.core].queues[s.unit];
    const Step &step = trace.steps[q.items.front().step];
    Flow f;
    f.core = s.core;
    f.pipe = s.unit;
    const double bytes = double(step.bytes);
    double rate;
    if (step.kind == Kind::Load) {
      rate = 1 / (hit / c.mte2_rate_l2 + (1 - hit) / c.mte2_rate_gm);
      f.gm = (1 - hit) * (1 + (step.streaming ? 0 : eviction));
    } else {
      rate = c.mte3_rate;
      f.gm = c.write_through || c.l2_bytes <= 0 ? 1 : eviction;
    }
    f.l2 = 1;
    if (step.misaligned)
      rate *= c.misaligned_rate;
    const double least = std::max({c.mte_descriptor, step.bursts * c.mte_burst, bytes / rate});
    // A descriptor that moves nothing still takes its time.
    f.remaining = std::max(bytes, 1.0);
    f.cap = f.remaining / least;
    if (bytes == 0)
      f.gm = f.l2 = 0;
    q.runningSince = s.time;
    f.weigh(gmCapacity, l2Capacity);
    flows.push_back(f);
    ratesValid = false;
    (step.kind == Kind::Load ? out.readBytes : out.writeBytes) += bytes;
    out.gmBytes += bytes * f.gm;
    out.l2Bytes += bytes * f.l2;
  }

  /// -1 .. 1, the same in every run. Cores of equal programs that share the memory as a fluid drift into
  /// lock-step, which no real memory lets them do: its latencies vary.
  static double noise(uint64_t core, uint64_t number) {
    uint64_t z = (core + 1) * 0x9e3779b97f4a7c15 + number * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 30)) * 0x94d049bb133111eb;
    return double(int64_t(z ^ (z >> 31)) >> 11) * 0x1p-52;
  }

  void complete(const Flow &f) {
    CoreState &core = cores[f.core];
    Queue &q = core.queues[f.pipe];
    const uint32_t index = q.items.front().step;
    q.leave(q.runningSince);
    q.running = false;
    const double mean = trace.steps[index].kind == Kind::Load
                            ? hit * c.mte2_latency_l2 + (1 - hit) * c.mte2_latency_gm
                            : c.mte3_latency;
    const double latency = mean * (1 + c.latency_jitter * noise(f.core, q.taken));
    occupy(f.core, Unit(f.pipe), index, q.runningSince, now, now + latency);
  }

  // ---- a core ----

  void keep(uint32_t core, uint8_t row, uint32_t index, double start, double duration) {
    if (core >= options.timelineCores)
      return;
    if (out.timeline.size() >= options.timelineEvents) {
      out.timelineCut = true;
      return;
    }
    out.timeline.push_back({core, cores[core].block, index, row, start, duration});
  }

  /// The unit works from `start` to `end`, and results are visible at `done`.
  void occupy(uint32_t coreIndex, Unit unit, uint32_t index, double start, double end, double done) {
    Queue &q = cores[coreIndex].queues[unit];
    q.free = end;
    q.done = std::max(q.done, done);
    out.occupied[unit] += end - start;
    out.busy[unit] += std::max(0.0, done - std::max(start, q.busyUntil));
    q.busyUntil = std::max(q.busyUntil, done);
    keep(coreIndex, unit, index, start, end - start);
  }

  static unsigned flagIndex(const Step &s) { return (unsigned(s.from) * Units + s.to) * kFlagIds + s.id; }

  void waited(uint32_t coreIndex, uint32_t index, double from, double until) {
    if (until <= from)
      return;
    cores[coreIndex].waiting += until - from;
    keep(coreIndex, Units, index, from, until - from);
  }

  void crossSet(CoreState &core, const Step &step, double time) {
    if (step.own) {
      core.ownCross[step.id].push(time);
      return;
    }
    CrossFlag &flag = crossFlags[step.id];
    const uint32_t release = core.crossSets[step.id]++;
    if (flag.lastSet.size() <= release) {
      flag.lastSet.resize(release + 1, 0);
      flag.arrived.resize(release + 1, 0);
    }
    flag.lastSet[release] = std::max(flag.lastSet[release], time);
    if (++flag.arrived[release] == cores.size())
      crossReleased = true;
  }
  /// False if the flag is not there yet; else when it was.
  bool crossWait(CoreState &core, const Step &step, double &time) {
    if (!core.ownCross[step.id].empty()) {
      time = core.ownCross[step.id].pop();
      return true;
    }
    const CrossFlag &flag = crossFlags[step.id];
    const uint32_t release = core.crossWaits[step.id];
    if (release >= flag.arrived.size() || flag.arrived[release] < cores.size())
      return false;
    ++core.crossWaits[step.id];
    time = flag.lastSet[release] + c.cross_core_us * c.clock_mhz;
    return true;
  }
  /// Lets cores go on whose flag has arrived.
  void wake() {
    while (crossReleased) {
      crossReleased = false;
      for (uint32_t i = 0; i < cores.size(); ++i)
        advance(i);
    }
  }

  /// Executes what stands at the head of a queue. False if it has to wait.
  bool serve(uint32_t coreIndex, Unit unit) {
    CoreState &core = cores[coreIndex];
    Queue &q = core.queues[unit];
    if (q.running || q.items.empty())
      return false;
    const Queued item = q.items.front();
    const Step &step = trace.steps[item.step];
    const double ready = std::max(q.free, item.issued);
    switch (step.kind) {
    case Kind::WaitFlag: {
      auto &flag = core.flags[flagIndex(step)];
      if (flag.empty())
        return false;
      const double fired = flag.pop();
      q.free = std::max(ready, fired);
      waited(coreIndex, item.step, ready, q.free);
      break;
    }
    case Kind::SetFlag:
      core.flags[flagIndex(step)].push(std::max(ready, q.done) + c.flag);
      q.free = ready;
      break;
    case Kind::CrossWait: {
      double fired;
      if (!crossWait(core, step, fired))
        return false;
      q.free = std::max(ready, fired);
      waited(coreIndex, item.step, ready, q.free);
      break;
    }
    case Kind::CrossSet:
      crossSet(core, step, std::max(ready, q.done));
      q.free = ready;
      break;
    case Kind::Barrier:
      q.free = std::max(ready, q.done) + c.barrier;
      if (unit == V) {
        if (q.sinceDrain > 0 && q.sinceDrain < kTinyWork)
          q.free += c.barrier_chain;
        q.sinceDrain = 0;
      }
      waited(coreIndex, item.step, ready, q.free);
      break;
    case Kind::Vector: {
      const double work = c.bank_maximum ? step.maximum : step.product;
      const double head = c.overhead_on_drain && item.issued <= q.free ? 0 : c.vector_overhead;
      const double floor = step.masked ? c.mask_floor : 0;
      const double end = ready + head + floor + work;
      out.overhead += head;
      out.masks += floor;
      out.repeats += step.repeats;
      out.conflicts += step.conflicts;
      q.sinceDrain += end - ready;
      const double extra = std::max(0.0, step.isolated - c.vector_overhead);
      occupy(coreIndex, V, item.step, ready, end, end + c.vector_tail + extra);
      q.leave(ready);
      return true;
    }
    case Kind::Load:
    case Kind::Store:
      q.running = true;
      starts.push({ready, coreIndex, unit});
      return false;
    case Kind::Scalar:
      break;
    }
    q.leave(q.free);
    return true;
  }

  bool drained(const CoreState &core) const {
    for (unsigned u = V; u < Units; ++u)
      if (!core.queues[u].items.empty())
        return false;
    return true;
  }
  double lastDone(const CoreState &core) const {
    double last = core.s;
    for (unsigned u = V; u < Units; ++u)
      last = std::max({last, core.queues[u].done, core.queues[u].free});
    return last;
  }

  bool nextBlock(CoreState &core) {
    if (core.nextBlock == core.blocks.size()) {
      core.finished = true;
      return false;
    }
    core.block = core.blocks[core.nextBlock++];
    core.program = &trace.programs[trace.blocks[core.block]];
    core.position = 0;
    return true;
  }

  static Unit target(const Step &s) {
    switch (s.kind) {
    case Kind::Vector:
      return V;
    case Kind::Load:
      return Mte2;
    case Kind::Store:
      return Mte3;
    case Kind::SetFlag:
    case Kind::CrossSet:
      return s.from;
    case Kind::WaitFlag:
    case Kind::CrossWait:
      return s.to;
    case Kind::Barrier:
      return s.all ? S : s.from;
    case Kind::Scalar:
      return S;
    }
    return S;
  }

  /// The scalar unit takes its next step. False if it has to wait.
  bool issue(uint32_t coreIndex) {
    CoreState &core = cores[coreIndex];
    if (core.finished)
      return false;
    if (!core.program || core.position == core.program->size()) {
      if (core.program) {
        if (!drained(core))
          return false;
        core.vectorEnd = core.queues[V].free;
        core.end = core.s = lastDone(core);
        for (Queue &q : core.queues)
          q.free = q.done = q.busyUntil = core.s;
      }
      return nextBlock(core);
    }
    const uint32_t index = (*core.program)[core.position];
    const Step &step = trace.steps[index];
    if (!core.counted) {
      const double work = step.scalars * c.scalar_issue + step.compiled * c.scalar_instruction +
                          step.scalarGm * c.scalar_gm_access + step.scalarUb * c.scalar_ub_access;
      if (work > 0) {
        keep(coreIndex, S, index, core.s, work);
        core.s += work;
        core.scalarBusy += work;
      }
      core.counted = true;
    }
    const Unit unit = target(step);
    double cost = c.scalar_issue;
    if (unit != S) {
      Queue &q = core.queues[unit];
      const size_t depth = q.left.size();
      if (q.items.size() >= depth)
        return false;
      if (q.entered >= depth) // the place of the item `depth` before this one
        core.s = std::max(core.s, q.left[q.entered % depth]);
      ++q.entered;
      q.items.push_back({index, core.s});
    } else if (step.kind == Kind::WaitFlag) {
      auto &flag = core.flags[flagIndex(step)];
      if (flag.empty())
        return false;
      const double fired = flag.pop();
      waited(coreIndex, index, core.s, fired);
      core.s = std::max(core.s, fired);
    } else if (step.kind == Kind::SetFlag) {
      core.flags[flagIndex(step)].push(core.s + c.flag);
    } else if (step.kind == Kind::CrossWait) {
      double fired;
      if (!crossWait(core, step, fired))
        return false;
      waited(coreIndex, index, core.s, fired);
      core.s = std::max(core.s, fired);
    } else if (step.kind == Kind::CrossSet) {
      crossSet(core, step, core.s);
    } else if (step.kind == Kind::Barrier && step.all) {
      if (!drained(core))
        return false;
      const double until = lastDone(core) + c.barrier;
      waited(coreIndex, index, core.s, until);
      core.s = until;
      core.queues[V].sinceDrain = 0;
    } else if (step.kind == Kind::Scalar) {
      cost = 0; // a tail of scalar work without an instruction after it
    }
    core.s += cost;
    core.scalarBusy += cost;
    core.counted = false;
    ++core.position;
    return true;
  }

  void advance(uint32_t coreIndex) {
    for (bool moved = true; moved;) {
      moved = false;
      while (issue(coreIndex))
        moved = true;
      for (unsigned u = V; u < Units; ++u)
        while (serve(coreIndex, Unit(u)))
          moved = true;
    }
  }

  void finish() {
    const double n = double(cores.size());
    double first = INFINITY, last = 0;
    for (const CoreState &core : cores) {
      const double cycles = core.end - core.start;
      out.coreCycles += cycles / n;
      out.maxCycles = std::max(out.maxCycles, cycles);
      out.waiting += core.waiting / n;
      out.vectorCycles += (core.vectorEnd - core.start) / n;
      out.busy[S] += core.scalarBusy / n;
      first = std::min(first, core.start);
      last = std::max(last, core.end);
    }
    out.occupied[S] = out.busy[S];
    for (unsigned u = V; u < Units; ++u) {
      out.busy[u] /= n;
      out.occupied[u] /= n;
    }
    for (double *part : {&out.overhead, &out.masks, &out.repeats, &out.conflicts})
      *part /= n;
    out.gmShare = last > first ? out.gmBytes / ((last - first) * gmCapacity) : 0;
    for (double *bytes : {&out.gmBytes, &out.l2Bytes, &out.readBytes, &out.writeBytes})
      *bytes /= coreShare;
    out.gmCapacity = gmCapacity / coreShare;
    out.us =
        c.launch_fixed_us + c.launch_per_block_us * double(trace.blocks.size()) + out.maxCycles / c.clock_mhz;
  }
};

} // namespace

bool simulate(const Trace &trace, const Constants &constants, const SimulateOptions &options, Timing &out,
              std::string &error) {
  out = {};
  return Simulator(trace, constants, options, out).run(error);
}

} // namespace tilewright::emulator::timing
