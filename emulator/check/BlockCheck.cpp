#include "emulator/check/BlockCheck.h"

#include <algorithm>
#include <cstring>

namespace tilewright::emulator::check {
namespace {

/// Where Select of the public Ascend C library keeps its scratch (Ascend C note, rules 6 and 10).
constexpr uint32_t kSelectScratch = 184 << 10;

bool startsWith(Op op, const char *prefix) {
  return std::strncmp(info(op).name, prefix, std::strlen(prefix)) == 0;
}

/// Instructions by what the checks have to know about them, looked up once.
struct Traits {
  bool masked = false;       ///< reads the mask registers as lanes or as a count
  bool elementWrite = false; ///< writes single results: element-aligned destinations
  bool select = false;
  bool unaligned = false; ///< operands without a rule of 32 bytes

  static const Traits &of(Op op) {
    static const std::vector<Traits> table = make();
    return table[unsigned(op)];
  }
  static std::vector<Traits> make() {
    std::vector<Traits> table(size_t{unsigned(Op::Count)});
    for (unsigned i = 0; i < table.size(); ++i) {
      const Op op = Op(i);
      Traits &t = table[i];
      t.select = startsWith(op, "VSEL");
      // Compares write whole repeats whatever the mask says; the others move whole blocks.
      t.masked = info(op).pipe == Pipe::V && !startsWith(op, "VCMP") && !startsWith(op, "VBRCB") &&
                 !startsWith(op, "VBS32") && !startsWith(op, "VMRGSORT") && !startsWith(op, "MOV.UB") &&
                 !startsWith(op, "S.VNCHW") && !startsWith(op, "SET.") && !startsWith(op, "VREDUCE");
      t.elementWrite = startsWith(op, "VCADD") || startsWith(op, "VCMAX") || startsWith(op, "VCMIN") ||
                       startsWith(op, "VCG") || startsWith(op, "VCPADD");
      t.unaligned = startsWith(op, "SET.CMPMASK");
    }
    return table;
  }
};

/// Pipe pairs on which the vector library sets and waits for ids 6 and 7 by itself (AscendNPU-IR note,
/// section 6).
bool reservedPair(uint64_t src, uint64_t dst) {
  const Pipe s = Pipe(src), d = Pipe(dst);
  return s == Pipe::S ? d == Pipe::V || d == Pipe::MTE2 || d == Pipe::MTE3
                      : d == Pipe::S && (s == Pipe::V || s == Pipe::MTE2 || s == Pipe::MTE3);
}

} // namespace

void BlockCheck::begin(Core &core) {
  findings.clear();
  footprint.clear();
  clocks.reset();
  shadow.reset();
  pending.clear();
  for (auto &a : flags)
    for (auto &b : a)
      for (Flag &flag : b)
        flag.count = 0;
  mask = Mask();
  touchedScratch = selected = false;
  selectPlace = lastPlace = maskPlace = Place();
  instructions = 0;
  ub = uint64_t(core.ub);
  block = core.blockIdx;
  // All of it, also what scalar code of the last block wrote: see writtenByScalarCode.
  for (uint32_t i = 0; i < kBlock; ++i)
    core.ub[i] = fresh(i);
  for (uint32_t i = kBlock; i < kUbSize; i += kBlock)
    std::memcpy(core.ub + i, core.ub, kBlock);
  core.dirtyPages = ~uint64_t(0);
}

uint16_t BlockCheck::siteOf(const Event &event) {
  const auto [at, fresh] = siteIndex.try_emplace(event.pc, uint16_t(sites.size()));
  if (!fresh && sites[at->second].op == event.op)
    return at->second;
  if (!fresh) { // one place, several instructions: only where calls are made through pointers
    for (size_t i = 1; i < sites.size(); ++i)
      if (sites[i].op == event.op && sites[i].pc == event.pc)
        return at->second = uint16_t(i);
  }
  if (sites.size() > 0xffff) // more places than a kernel of any size has had: the rest shares the last
    return 0xffff;
  sites.push_back({event.op, event.pc});
  return at->second = uint16_t(sites.size() - 1);
}

void BlockCheck::report(Finding f) {
  f.block = block;
  f.count = f.count ? f.count : 1;
  findings.add(f);
}

Finding BlockCheck::start(Kind kind, uint64_t prior) const {
  Finding f;
  f.kind = kind;
  f.first = sites[Stamp::site(prior)];
  f.second = {current->op, current->pc};
  f.block = block;
  f.count = 1;
  return f;
}

void BlockCheck::found(Hazard hazard, uint64_t prior, uint32_t begin, uint32_t end) {
  static const Kind kinds[] = {Kind::RaceRaw, Kind::RaceWar, Kind::RaceWaw, Kind::UninitializedRead};
  if (hazard == Hazard::Uninitialized && writtenByScalarCode(prior, begin, end))
    return;
  Finding f = start(kinds[unsigned(hazard)], prior);
  f.hasRange = true;
  f.begin = begin;
  f.end = end;
  // Bytes that follow one another belong to the finding just made.
  if (last && lastPrior == prior && last->kind == f.kind && last->second.pc == f.second.pc &&
      last->end == begin) {
    if (last->count == 1 && last->block == block)
      last->end = end;
    return;
  }
  if (Finding *known = findings.like(f)) {
    if (lastPrior != prior || last != known)
      known->count++;
    last = known->count == 1 ? known : nullptr;
  } else {
    findings.add(f);
    last = findings.like(f);
  }
  lastPrior = prior;
}

uint8_t BlockCheck::fresh(uint32_t byte) const {
  // A NaN of f16, bf16 and f32 that scalar code hardly stores by itself, unlike 0xff.
  return options.zeroUb ? 0 : byte & 1 ? 0x7f : 0xc3;
}

bool BlockCheck::writtenByScalarCode(uint64_t prior, uint32_t begin, uint32_t end) const {
  // Scalar stores of kernel code do not pass through instructions, but they change what UB held: the fresh
  // pattern, or 0xff that a load left after the end of a row. The library stores the address of the selection
  // bits this way before SET.CMPMASK, whose other half it leaves alone.
  if (current->op == Op::SET_CMPMASK)
    return true;
  const uint8_t *bytes = reinterpret_cast<const uint8_t *>(ub);
  for (uint32_t i = begin; i < end; ++i)
    if (bytes[i] == (prior ? 0xff : fresh(i)))
      return false;
  return true;
}

void BlockCheck::setFlag(const Event &event, uint16_t site) {
  const uint64_t src = event.immediate[0], dst = event.immediate[1], id = event.immediate[2];
  Flag &flag = flags[src][dst][id];
  const Clock clock = src < kQueues ? clocks.set(unsigned(src)) : Clock();
  if (flag.count) {
    Finding f;
    f.kind = id >= 6 && reservedPair(src, dst) ? Kind::ReservedEvent : Kind::FlagOverfull;
    f.first = sites[flag.site];
    f.second = sites[site];
    f.hasFlag = true;
    f.flag[0] = uint8_t(src);
    f.flag[1] = uint8_t(dst);
    f.flag[2] = uint8_t(id);
    report(f);
  }
  if (flag.count < 2)
    flag.clock[flag.count] = clock;
  else
    flag.clock[1] = clock;
  flag.count = uint8_t(flag.count + (flag.count < 255));
  flag.site = site;
  flag.when = instructions;
}

void BlockCheck::waitFlag(const Event &event) {
  const uint64_t src = event.immediate[0], dst = event.immediate[1], id = event.immediate[2];
  Flag &flag = flags[src][dst][id];
  Finding f;
  f.second = {event.op, event.pc};
  f.hasFlag = true;
  f.flag[0] = uint8_t(src);
  f.flag[1] = uint8_t(dst);
  f.flag[2] = uint8_t(id);
  if (!flag.count) {
    f.kind = Kind::WaitWithoutSet;
    std::string others;
    for (unsigned s = 0; s < kPipes; ++s)
      for (unsigned d = 0; d < kPipes; ++d)
        for (unsigned i = 0; i < kEvents; ++i)
          if (flags[s][d][i].count)
            others += (others.empty() ? "" : ", ") + std::string(pipeName(s)) + "->" + pipeName(d) + " id " +
                      std::to_string(i);
    f.detail = "deadlock: pipe " + std::string(pipeName(dst)) + " waits for flag " + pipeName(src) + "->" +
               pipeName(dst) + " id " + std::to_string(id) +
               ", which no set before it releases; flags that are set: " + (others.empty() ? "none" : others);
    return report(f);
  }
  if (options.lints && id >= 7 && reservedPair(src, dst) && instructions - flag.when > 1) {
    f.kind = Kind::ReservedEventHeld;
    f.first = sites[flag.site];
    report(f);
  }
  if (dst < kQueues)
    clocks.wait(unsigned(dst), flag.clock[0]);
  flag.clock[0] = flag.clock[1];
  flag.count--;
}

void BlockCheck::vector(const Core &core, const Event &event) {
  const Traits &traits = Traits::of(event.op);
  if (traits.masked) {
    const bool count = core.counterMode();
    // The registers may be written before or after the mode is changed; it is the use of one value in both
    // modes that shows a forgotten mask. An all-ones mask is the state a kernel starts with.
    if ((count ? mask.usedAsBits : mask.usedAsCount)) {
      Finding f;
      f.kind = Kind::MaskMode;
      f.first = maskPlace;
      f.second = {event.op, event.pc};
      report(f);
    }
    (count ? mask.usedAsCount : mask.usedAsBits) = true;
  }
  if (traits.select && event.immediate[0] && !selected) {
    selected = true;
    selectPlace = {event.op, event.pc};
  }
}

void BlockCheck::checkAlignment(const Event &event, const Access &a) {
  const Traits &traits = Traits::of(event.op);
  if ((a.begin - ub) % kBlock == 0 || traits.unaligned || (traits.elementWrite && a.write))
    return;
  Finding f;
  f.kind = Kind::Misaligned;
  f.second = {event.op, event.pc};
  f.hasRange = true;
  f.begin = a.begin - ub;
  f.end = hullEnd(a) - ub;
  report(f);
}

void BlockCheck::gm(const Event &event, const Access &a, uint64_t stamp, uint32_t site) {
  const bool atomic = a.write && event.immediate[0] != 0;
  if (options.detectRaces)
    pending.add(event, a, stamp, clocks, [&](uint64_t prior, bool priorWrites, uint64_t from, uint64_t to) {
      if (!options.dmaBarriers && Stamp::pipe(prior) == Stamp::pipe(stamp))
        return;
      Finding f = start(!a.write ? Kind::RaceRaw : priorWrites ? Kind::RaceWaw : Kind::RaceWar, prior);
      f.inGm = f.hasRange = true;
      f.begin = from;
      f.end = to;
      findings.add(f);
    });
  if (options.detectCoreRaces)
    forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool) {
      footprint.add({begin, end, site, a.write, atomic});
    });
}

void BlockCheck::memory(const Event &event, unsigned pipe, uint16_t site) {
  const uint64_t number = clocks.issue(pipe);
  const Pipe p = Pipe(pipe);
  if ((p == Pipe::V && !options.vBarriers) || p == Pipe::S ||
      ((p == Pipe::MTE2 || p == Pipe::MTE3) && !options.dmaBarriers)) {
    // The pipe's own earlier instructions count as complete.
    clocks.completeBefore(pipe);
  }
  const uint64_t stamp = Stamp::make(number, pipe, site);
  last = nullptr;
  lastPrior = 0;
  const Shadow::Check check{stamp, clocks.of(pipe), options.detectRaces, options.uninitializedReads, *this};
  auto inUb = [&](const Access &a) {
    return a.space == Space::UB && a.run && a.begin >= ub && hullEnd(a) <= ub + kUbSize;
  };
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (a.space == Space::GM) {
      if (a.run && a.outer)
        gm(event, a, stamp, site);
      continue;
    }
    if (!inUb(a)) // bounds are the instruction's own check and stop the block
      continue;
    if (options.alignment)
      checkAlignment(event, a);
    forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool) {
      touchedScratch |= end - ub > kSelectScratch;
      shadow.check(check, uint32_t(begin - ub), uint32_t(end - ub), a.write);
    });
  }
  for (const bool writes : {false, true})
    for (unsigned i = 0; i < event.accessCount; ++i) {
      const Access &a = event.access[i];
      if (a.write != writes || !inUb(a))
        continue;
      forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool defined) {
        if (writes)
          shadow.noteWrite(stamp, uint32_t(begin - ub), uint32_t(end - ub), defined);
        else
          shadow.noteRead(stamp, uint32_t(begin - ub), uint32_t(end - ub));
      });
    }
}

void BlockCheck::instruction(Core &core, const Event &event) {
  ++instructions;
  current = &event;
  lastPlace = {event.op, event.pc};
  switch (event.op) {
  case Op::SET_FLAG_IMM:
    return setFlag(event, siteOf(event));
  case Op::WAIT_FLAG_IMM:
    return waitFlag(event);
  case Op::BARRIER:
    if (event.immediate[0]) // pipe S completes in order anyway
      clocks.barrier(unsigned(event.immediate[0]));
    return;
  case Op::MOVEMASK:
    mask = Mask();
    maskPlace = {event.op, event.pc};
    return;
  default:
    break;
  }
  const unsigned pipe = unsigned(info(event.op).pipe);
  if (pipe == unsigned(Pipe::V))
    vector(core, event);
  if (event.accessCount)
    memory(event, pipe, siteOf(event));
}

void BlockCheck::end(const Core &core, int code) {
  if (code && !(code == TW_ERR_FLAGS && core.error == 0) && !findings.has(Kind::WaitWithoutSet)) {
    Finding f;
    f.kind = code == TW_ERR_UB_BOUNDS   ? Kind::UbBounds
             : code == TW_ERR_GM_BOUNDS ? Kind::GmBounds
                                        : Kind::Stopped;
    f.second = lastPlace; // some instructions fail before they are seen: then the one before it
    f.tag = uint32_t(code);
    f.detail = "TW" + std::to_string(code) + ": " + core.message;
    report(f);
  }
  if (!code || core.error == 0)
    for (unsigned s = 0; s < kPipes; ++s)
      for (unsigned d = 0; d < kPipes; ++d)
        for (unsigned i = 0; i < kEvents; ++i)
          if (flags[s][d][i].count) {
            Finding f;
            f.kind = Kind::FlagLeftSet;
            f.first = sites[flags[s][d][i].site];
            f.hasFlag = true;
            f.flag[0] = uint8_t(s);
            f.flag[1] = uint8_t(d);
            f.flag[2] = uint8_t(i);
            report(f);
          }
  if (!options.lints || code)
    return;
  // Every library function sets the mask it needs, so a partial mask at the end is usual.
  if (core.counterMode()) {
    Finding f;
    f.kind = Kind::MaskLeft;
    f.first = maskPlace;
    report(f);
  }
  if (selected && touchedScratch) {
    Finding f;
    f.kind = Kind::SelectScratch;
    f.second = selectPlace;
    report(f);
  }
}

} // namespace tilewright::emulator::check
