#include "emulator/timing/Recorder.h"

#include <algorithm>

namespace tilewright::emulator::timing {
namespace {

Key combine(const Key &key, uint64_t word) {
  const uint64_t m = (word + 1) * 0x9e3779b97f4a7c15;
  return {(key.a ^ m) * 0xff51afd7ed558ccd, (key.b + m) * 0xc4ceb9fe1a85ec53};
}

} // namespace

/// One thread's view: instructions of the current block as numbers of its own table, so that the shared table
/// is locked once per new step and not once per instruction.
class Recorder::BlockObserver final : public Observer {
public:
  explicit BlockObserver(Recorder &owner) : owner(owner) {}

  void start(const Core &core) {
    program.clear();
    scalars = scalarUb = 0;
    seenGm = core.counters.scalar_gm_accesses;
    seenCompiled = core.scalarInstructions;
  }

  void instruction(Core &core, const Event &event) override {
    const Pipe pipe = info(event.op).pipe;
    const bool control = event.op == Op::SET_FLAG_IMM || event.op == Op::WAIT_FLAG_IMM ||
                         event.op == Op::BARRIER || event.op == Op::SYNC_BLOCK_SET ||
                         event.op == Op::SYNC_BLOCK_WAIT;
    if (pipe == Pipe::S && !control) {
      ++scalars;
      return;
    }
    const bool counter = core.counterMode();
    push(core, keyOf(event, uint64_t(core.ub), counter), &event, counter);
  }

  void scalarAccess(Core &core, const void *, uint64_t address, uint64_t, bool) override {
    scalarUb += address - uint64_t(core.ub) < kUbSize;
  }

  /// Scalar work after the last instruction.
  void finish(Core &core) {
    if (scalars || scalarUb || core.scalarInstructions != seenCompiled ||
        core.counters.scalar_gm_accesses != seenGm)
      push(core, {0x5ca1a, 0x5ca1a}, nullptr, false);
  }

  std::vector<uint32_t> program;

private:
  void push(Core &core, const Key &own, const Event *event, bool counter) {
    const uint64_t gm = core.counters.scalar_gm_accesses - seenGm;
    const uint64_t compiled = core.scalarInstructions - seenCompiled;
    const Key key = combine(combine(own, uint64_t(scalars) | compiled << 16), gm << 32 | scalarUb);
    Slot &slot = cache[key.a >> (64 - kCacheBits)];
    if (!(slot.key == key) || slot.number == kNone) {
      const auto found = numbers.find(key);
      uint32_t number;
      if (found != numbers.end()) {
        number = found->second;
      } else {
        Step step;
        if (event)
          step = describe(*event, uint64_t(core.ub), counter, owner.rates);
        step.scalars = uint16_t(scalars > 0xffff ? 0xffff : scalars);
        step.compiled = uint32_t(compiled);
        step.scalarGm = uint32_t(gm);
        step.scalarUb = scalarUb;
        number = owner.globalStep(key, step);
        numbers.emplace(key, number);
      }
      slot = {key, number};
    }
    if (!owner.full())
      program.push_back(slot.number);
    if (program.size() > owner.maxSteps)
      owner.overflow.store(true, std::memory_order_relaxed);
    scalars = scalarUb = 0;
    seenCompiled = core.scalarInstructions;
    seenGm = core.counters.scalar_gm_accesses;
  }

  static constexpr unsigned kCacheBits = 10;
  static constexpr uint32_t kNone = ~uint32_t(0);
  struct Slot {
    Key key{0, 0};
    uint32_t number = kNone;
  };
  Recorder &owner;
  std::unordered_map<Key, uint32_t, KeyHash> numbers;
  std::vector<Slot> cache = std::vector<Slot>(size_t(1) << kCacheBits);
  uint32_t scalars = 0, scalarUb = 0;
  uint64_t seenGm = 0, seenCompiled = 0;
};

Recorder::Recorder(const ObservedLaunch &launch, Rates rates, uint64_t maxSteps)
    : launch(launch), rates(std::move(rates)), maxSteps(maxSteps) {
  trace.blocks.resize(launch.blockDim);
}

Recorder::~Recorder() = default;

Observer *Recorder::begin(Core &core) {
  std::unique_ptr<BlockObserver> mine;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idle.empty()) {
      mine = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (!mine)
    mine = std::make_unique<BlockObserver>(*this);
  mine->start(core);
  return mine.release(); // end() takes it back
}

void Recorder::end(Core &core, Observer *observer) {
  std::unique_ptr<BlockObserver> mine(static_cast<BlockObserver *>(observer));
  mine->finish(core);
  std::lock_guard<std::mutex> lock(mutex);
  if (core.blockIdx < trace.blocks.size())
    addBlock(core.blockIdx, mine->program);
  idle.push_back(std::move(mine));
}

uint32_t Recorder::globalStep(const Key &key, const Step &step) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto [at, isNew] = stepNumbers.emplace(key, uint32_t(trace.steps.size()));
  if (isNew)
    trace.steps.push_back(step);
  return at->second;
}

void Recorder::addBlock(uint32_t block, const std::vector<uint32_t> &program) {
  uint64_t hash = program.size();
  for (const uint32_t number : program)
    hash = (hash ^ number) * 0x9fb21c651e98df25 + (hash >> 31);
  for (auto [at, end] = programsByHash.equal_range(hash); at != end; ++at)
    if (trace.programs[at->second] == program) {
      trace.blocks[block] = at->second;
      return;
    }
  stored += program.size();
  if (stored > maxSteps) {
    overflow.store(true, std::memory_order_relaxed);
    return;
  }
  trace.blocks[block] = uint32_t(trace.programs.size());
  programsByHash.emplace(hash, trace.blocks[block]);
  trace.programs.push_back(program);
}

Trace Recorder::take() {
  // A launch touches at most its allocations, and at most what it moved.
  std::vector<double> runs(trace.programs.size());
  for (const uint32_t program : trace.blocks)
    if (program < runs.size())
      runs[program] += 1;
  double moved[2] = {}, sizes[2] = {};
  for (size_t i = 0; i < runs.size(); ++i)
    for (const uint32_t number : trace.programs[i]) {
      const Step &s = trace.steps[number];
      if (s.kind == Kind::Load || s.kind == Kind::Store)
        moved[s.kind == Kind::Store] += runs[i] * double(s.bytes);
    }
  for (size_t i = 0; i < launch.rangeCount; ++i) {
    sizes[0] += launch.ranges[i].flags & 1 ? double(launch.ranges[i].size) : 0;
    sizes[1] += launch.ranges[i].flags & 2 ? double(launch.ranges[i].size) : 0;
  }
  trace.footprint.read = std::min(moved[0], sizes[0]);
  trace.footprint.written = std::min(moved[1], sizes[1]);
  trace.footprint.loaded = moved[0];
  trace.footprint.stored = moved[1];
  return std::move(trace);
}

} // namespace tilewright::emulator::timing
