#include "emulator/timing/Describe.h"

#include "emulator/timing/Banks.h"

#include <algorithm>

namespace tilewright::emulator::timing {
namespace {

constexpr uint64_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;

bool isTransfer(Op op) { return info(op).pipe == Pipe::MTE2 || info(op).pipe == Pipe::MTE3; }

const Access *gmAccess(const Event &event) {
  for (unsigned i = 0; i < event.accessCount; ++i)
    if (event.access[i].space == Space::GM)
      return &event.access[i];
  return nullptr;
}

/// Rows shorter than a line share lines with their neighbours; published rates of such rows show no loss.
bool misaligned(const Access &gm) {
  if (gm.run < kGmLine)
    return false;
  const bool stepped = gm.outer > 1 && uint64_t(gm.outerStride) % kGmLine != 0;
  return gm.begin % kGmLine != 0 || stepped;
}

/// Accesses of one operand: those of all full repeats first, those of a shorter last repeat after them.
unsigned walksOf(const Event &event, uint64_t ub, Walk *walks) {
  unsigned count = 0;
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (a.space != Space::UB || a.run == 0)
      continue;
    Walk w;
    w.write = a.write;
    w.begin = a.begin - ub;
    w.blocks = a.inner;
    w.blockStride = a.innerStride;
    if (a.inner == 1 && a.run > kBlockBytes) { // described as one run of bytes: consecutive blocks
      w.blocks = uint32_t((a.run + a.begin % kBlockBytes + kBlockBytes - 1) / kBlockBytes);
      w.blockStride = kBlockBytes;
    }
    w.repeats = a.outer;
    w.repeatStride = a.outerStride;
    w.first = a.firstRepeat;
    if (a.laneBytes) {
      walks[count++] = w;
      continue;
    }
    if (a.outer == 1 && event.repeats > 2)
      w.first = event.repeats - 1;
    else if (a.outer == 1 && event.repeats == 2 && i > 0 && event.access[i - 1].outer == 1 &&
             event.access[i - 1].write == a.write && event.access[i - 1].outerStride == a.outerStride &&
             a.begin - event.access[i - 1].begin == uint64_t(a.outerStride))
      w.first = 1;
    walks[count++] = w;
  }
  return count;
}

uint64_t ubBytes(const Event &event) {
  uint64_t read = 0, written = 0;
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (a.space == Space::UB)
      (a.write ? written : read) += uint64_t(a.run) * a.inner * a.outer;
  }
  return read > written ? read : written;
}

void describeVector(const Event &event, uint64_t ub, bool counterMode, const Rate &rate, Step &step) {
  step.kind = Kind::Vector;
  uint32_t widest = 0; // bytes of a full repeat's widest operand decide how many lanes a full mask has
  Walk walks[Event::kMaxAccesses];
  const unsigned count = walksOf(event, ub, walks);
  for (unsigned i = 0; i < event.accessCount; ++i)
    if (event.access[i].outer * uint64_t(event.access[i].inner) * event.access[i].run > 0)
      widest = event.access[i].inner * event.access[i].run > widest
                   ? event.access[i].inner * event.access[i].run
                   : widest;
  bool holes = false;
  for (unsigned i = 0; i < event.accessCount; ++i)
    holes |= event.access[i].masked;
  const uint64_t bytes = ubBytes(event);
  step.repeats = event.repeats ? event.repeats : uint32_t((bytes + kRepeatBytes - 1) / kRepeatBytes);
  step.masked = rate.binary && (counterMode || holes || widest < kRepeatBytes);
  if (rate.perElement > 0 || rate.perByte > 0) {
    step.product = step.maximum =
        float(rate.perElement * double(event.elements) + rate.perByte * double(bytes));
  } else if (event.repeats == 0) {
    step.product = step.maximum = float(rate.perRepeat * step.repeats);
  } else {
    const RepeatCost cost = repeatCost(walks, count, event.repeats, rate.perRepeat);
    step.product = float(cost.product);
    step.maximum = float(cost.maximum);
    step.conflicts = cost.conflicts;
  }
  step.isolated = float(rate.isolated);
}

} // namespace

Key keyOf(const Event &event, uint64_t ub, bool counterMode) {
  uint64_t a = uint64_t(event.op) * 2 + counterMode, b = ~a;
  auto mix = [&](uint64_t word) {
    a = (a ^ word) * 0x9fb21c651e98df25;
    a ^= a >> 29;
    b = (b + word) * 0xd6e8feb86659fd93;
    b ^= b >> 32;
  };
  switch (event.op) {
  case Op::SET_FLAG_IMM:
  case Op::WAIT_FLAG_IMM:
  case Op::BARRIER:
  case Op::SYNC_BLOCK_SET:
  case Op::SYNC_BLOCK_WAIT:
    mix(event.immediate[0] << 16 | event.immediate[1] << 8 | event.immediate[2]);
    return {a, b};
  default:
    break;
  }
  mix(uint64_t(event.repeats) << 32 | event.accessCount);
  mix(event.elements);
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &x = event.access[i];
    const uint64_t begin = x.space == Space::UB ? x.begin - ub : uint64_t(misaligned(x));
    mix(begin << 2 | uint64_t(x.space == Space::GM) << 1 | uint64_t(x.write));
    mix(uint64_t(x.run) << 32 | x.inner);
    mix(uint64_t(x.outer) << 32 | uint64_t(x.firstRepeat) << 1 | uint64_t(x.masked));
    if (x.space == Space::UB) {
      mix(uint64_t(x.innerStride));
      mix(uint64_t(x.outerStride));
    }
  }
  return {a, b};
}

static void describeUb(const Event &event, uint64_t ub, Step &step) {
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (a.space != Space::UB || !a.run || !a.inner || !a.outer || a.innerStride < 0 || a.outerStride < 0)
      continue;
    const uint64_t begin = a.begin - ub, end = begin + uint64_t(a.outer - 1) * uint64_t(a.outerStride) +
                                               uint64_t(a.inner - 1) * uint64_t(a.innerStride) + a.run;
    // Full repeats and a shorter last one are two accesses of one operand.
    if (!step.ub.empty() && step.ub.back().write == a.write && begin <= step.ub.back().end &&
        begin >= step.ub.back().begin)
      step.ub.back().end = std::max(step.ub.back().end, uint32_t(end));
    else
      step.ub.push_back({uint32_t(begin), uint32_t(end), a.write});
  }
}

Step describe(const Event &event, uint64_t ub, bool counterMode, const Rates &rates) {
  Step step;
  step.op = event.op;
  describeUb(event, ub, step);
  switch (event.op) {
  case Op::SET_FLAG_IMM:
  case Op::WAIT_FLAG_IMM:
    step.kind = event.op == Op::SET_FLAG_IMM ? Kind::SetFlag : Kind::WaitFlag;
    step.from = unitOf(event.immediate[0]);
    step.to = unitOf(event.immediate[1]);
    step.id = uint8_t(event.immediate[2]);
    return step;
  case Op::SYNC_BLOCK_SET:
  case Op::SYNC_BLOCK_WAIT:
    step.kind = event.op == Op::SYNC_BLOCK_SET ? Kind::CrossSet : Kind::CrossWait;
    step.id = uint8_t(event.immediate[0]);
    step.from = step.to = unitOf(event.immediate[1]);
    step.own = event.op == Op::SYNC_BLOCK_SET && event.immediate[2] == 1;
    return step;
  case Op::BARRIER:
    step.kind = Kind::Barrier;
    step.all = Pipe(event.immediate[0]) == Pipe::ALL;
    step.from = unitOf(event.immediate[0]);
    return step;
  default:
    break;
  }
  if (isTransfer(event.op)) {
    step.kind = info(event.op).pipe == Pipe::MTE2 ? Kind::Load : Kind::Store;
    step.bytes = event.elements;
    if (const Access *gm = gmAccess(event)) {
      step.bursts = gm->outer;
      step.misaligned = misaligned(*gm);
    }
    return step;
  }
  if (info(event.op).pipe == Pipe::V)
    describeVector(event, ub, counterMode, rates.of(info(event.op).name), step);
  return step;
}

} // namespace tilewright::emulator::timing
