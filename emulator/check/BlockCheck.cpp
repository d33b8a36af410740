#include "emulator/check/BlockCheck.h"

#include "emulator/machine/Block.h"

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
  /// Reading a byte without a value does no harm by itself: lanes without a value give lanes without a value,
  /// and what matters is whether they are stored. Kernels compute on whole tiles and store the valid part.
  bool passesOn = false;

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
      t.unaligned = startsWith(op, "SET.CMPMASK") || startsWith(op, "scalar");
      // The library stores the address that SET.CMPMASK reads by scalar code and leaves the other half alone.
      // Sorting, transposing and compressing mix lanes in ways that are not followed: their results count as
      // defined. Gathers use every offset that they read.
      t.passesOn = info(op).pipe == Pipe::V && !startsWith(op, "VGATHER");
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
  releases.clear();
  for (CrossFlag &flag : crossFlags)
    flag = CrossFlag();
  clocks.reset();
  shadow.reset();
  pending.clear();
  cached.clear();
  for (auto &a : flags)
    for (auto &b : a)
      for (Flag &flag : b)
        flag.count = 0;
  mask = Mask();
  touchedScratch = selected = false;
  selectPlace = lastPlace = maskPlace = Place();
  instructions = 0;
  byteLoad.open = false;
  ub = uint64_t(core.ub);
  calls.begin(static_cast<const uintptr_t *>(__builtin_frame_address(0)));
  block = core.blockIdx;
  // All of it, also what scalar code of the last block wrote: see writtenByScalarCode.
  for (uint32_t i = 0; i < kBlock; ++i)
    core.ub[i] = fresh(i);
  for (uint32_t i = kBlock; i < kUbSize; i += kBlock)
    std::memcpy(core.ub + i, core.ub, kBlock);
  core.dirtyPages = ~uint64_t(0);
}

uint16_t BlockCheck::siteOf(const Event &event) {
  const Place place = placeOf(event);
  const auto known = siteIndex.find(place);
  if (known != siteIndex.end())
    return known->second;
  if (sites.size() > 0xffff) // more places than a kernel of any size has had: the rest shares the last
    return 0xffff;
  siteIndex.emplace(place, uint16_t(sites.size()));
  sites.push_back(place);
  return uint16_t(sites.size() - 1);
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
  f.second = lastPlace;
  f.block = block;
  f.count = 1;
  return f;
}

void BlockCheck::found(Hazard hazard, uint64_t prior, uint32_t begin, uint32_t end) {
  static const Kind kinds[] = {Kind::RaceRaw, Kind::RaceWar, Kind::RaceWaw, Kind::UninitializedRead};
  if (hazard == Hazard::Uninitialized && hasValue(begin))
    return;
  if (prior && Stamp::pipe(prior) == unsigned(Pipe::V) && info(current->op).pipe == Pipe::V) {
    // V starts in order and reads before it writes: an earlier vector instruction has read its operands. The
    // library relies on that. Rows of a transpose are only known by their hull.
    if (hazard == Hazard::WriteAfterRead ||
        (hazard == Hazard::WriteAfterWrite && startsWith(current->op, "S.VNCHW")))
      return;
  }
  if (prior && hazard == Hazard::WriteAfterRead && Stamp::pipe(prior) == unsigned(Pipe::S))
    return; // the scalar unit waits for what it loads before it issues more
  Finding f = start(kinds[unsigned(hazard)], prior);
  f.hasRange = true;
  f.begin = begin;
  f.end = end;
  f.seen = instructions;
  Finding *known = findings.like(f);
  if (!known)
    return findings.add(f);
  if (known->seen != instructions) {
    known->seen = instructions;
    known->count++;
  } else if (known->count == 1 && known->end == begin) {
    known->end = end; // bytes that follow one another
  }
}

uint8_t BlockCheck::fresh(uint32_t byte) const {
  // A NaN of f16, bf16 and f32 that scalar code hardly stores by itself, unlike 0xff.
  return options.zeroUb ? 0 : byte & 1 ? 0x7f : 0xc3;
}

bool BlockCheck::hasValue(uint32_t byte) const {
  if (shadow.isDefined(byte))
    return true;
  // Scalar stores of kernel code do not pass through instructions, but they change what UB held: the fresh
  // pattern, or 0xff that a load left after the end of a row.
  const uint8_t value = reinterpret_cast<const uint8_t *>(ub)[byte];
  const uint64_t writer = shadow.writer(byte);
  if (!writer)
    return value != fresh(byte);
  return Stamp::pipe(writer) == unsigned(Pipe::MTE2) && value != 0xff;
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
  f.second = placeOf(event);
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

void BlockCheck::crossCore(const Event &event) {
  const auto id = unsigned(event.immediate[0]);
  // Flags of matrix pipes, which no vector core has, follow the scalar pipe.
  const auto pipe = event.immediate[1] < kQueues ? unsigned(event.immediate[1]) : unsigned(Pipe::S);
  CrossFlag &flag = crossFlags[id];
  flag.place = placeOf(event);
  if (event.op == Op::SYNC_BLOCK_WAIT) {
    if (CrossCore::Waited(event.immediate[2]) == CrossCore::Waited::Passed)
      clocks.learn(pipe, crossOrder.wait(id, ++flag.waits));
    return;
  }
  const Clock clock = clocks.set(pipe);
  ++flag.sets;
  if (event.immediate[2])
    return; // among the vector cores of the block, which has one
  crossOrder.set(id, flag.sets, clock.releases);
  footprint.cover(id, flag.sets, clock, releases);
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
      f.second = placeOf(event);
      report(f);
    }
    (count ? mask.usedAsCount : mask.usedAsBits) = true;
  }
  if (traits.select && event.immediate[0] && !selected) {
    selected = true;
    selectPlace = placeOf(event);
  }
}

void BlockCheck::checkAlignment(const Event &event, const Access &a) {
  const Traits &traits = Traits::of(event.op);
  if ((a.begin - ub) % kBlock == 0 || traits.unaligned || (traits.elementWrite && a.write))
    return;
  Finding f;
  f.kind = Kind::Misaligned;
  f.second = placeOf(event);
  f.hasRange = true;
  f.begin = a.begin - ub;
  f.end = hullEnd(a) - ub;
  report(f);
}

void BlockCheck::gm(const Event &event, const Access &a, uint64_t stamp, const Clock &clock, uint32_t site) {
  const bool atomic = a.write && event.immediate[0] != 0;
  if (options.detectRaces)
    pending.add(
        event, a, stamp, clock, clocks, [&](uint64_t prior, bool priorWrites, uint64_t from, uint64_t to) {
          if (!options.dmaBarriers && Stamp::pipe(prior) == Stamp::pipe(stamp))
            return;
          Finding f = start(!a.write ? Kind::RaceRaw : priorWrites ? Kind::RaceWaw : Kind::RaceWar, prior);
          f.inGm = f.hasRange = true;
          f.begin = from;
          f.end = to;
          findings.add(f);
        });
  if (flushesItself && event.op == Op::ScalarStore)
    for (uint64_t line = a.begin / kCacheLine; line <= (hullEnd(a) - 1) / kCacheLine; ++line)
      cached[line] = uint16_t(site);
  if (!options.detectCoreRaces)
    return;
  const uint32_t known = releases.number(clock.releases);
  forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool) {
    footprint.add({begin, end, site, a.write, atomic, stamp, known});
  });
}

void BlockCheck::memory(const Event &event, unsigned pipe, uint16_t site) {
  lastPlace = sites[site];
  const uint64_t number = clocks.issue(pipe);
  const Pipe p = Pipe(pipe);
  if ((p == Pipe::V && !options.vBarriers) ||
      ((p == Pipe::MTE2 || p == Pipe::MTE3) && !options.dmaBarriers)) {
    // The pipe's own earlier instructions count as complete.
    clocks.completeBefore(pipe);
  }
  // Scalar code sees its own stores; that other pipes see them takes a flag, so S itself does not learn it.
  Clock scalar;
  if (p == Pipe::S) {
    scalar = clocks.of(pipe);
    scalar.done[pipe] = number - 1;
  }
  const Clock &clock = p == Pipe::S ? scalar : clocks.of(pipe);
  const uint64_t stamp = Stamp::make(number, pipe, site);
  const bool passesOn = Traits::of(event.op).passesOn,
             strict =
                 options.uninitializedReads && !passesOn && !(byteLoad.open && event.op == Op::ScalarLoad);
  bool undefined = false;
  const Shadow::Check check{stamp, clock, options.detectRaces, strict, *this};
  auto inUb = [&](const Access &a) {
    return a.space == Space::UB && a.run && a.begin >= ub && hullEnd(a) <= ub + kUbSize;
  };
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (a.space == Space::GM) {
      if (a.run && a.outer)
        gm(event, a, stamp, clock, site);
      continue;
    }
    if (!inUb(a)) // bounds are the instruction's own check and stop the block
      continue;
    if (options.alignment)
      checkAlignment(event, a);
    forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool) {
      touchedScratch |= end - ub > kSelectScratch;
      shadow.check(check, uint32_t(begin - ub), uint32_t(end - ub), a.write);
      if (passesOn && !a.write && !undefined)
        undefined = !shadow.allDefined(uint32_t(begin - ub), uint32_t(end - ub));
    });
  }
  undefinedLane.clear();
  if (undefined && options.uninitializedReads)
    findUndefined(event);
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
  if (!undefinedLane.empty())
    spreadUndefined(event);
}

void BlockCheck::forEachLane(const Event &event, const Access &a,
                             const std::function<void(size_t, uint32_t)> &visit) const {
  const uint32_t perBlock = kBlock / a.laneBytes, each = a.run / a.laneBytes;
  for (uint32_t o = 0; o < a.outer; ++o)
    for (uint32_t i = 0; i < a.inner; ++i)
      for (uint32_t e = 0; e < each; ++e) {
        const uint32_t lane = a.firstLane + i * perBlock + e;
        if (a.masked && !(lane < 128 && (event.mask[lane >> 6] >> (lane & 63) & 1)))
          continue;
        visit(size_t(a.firstRepeat + o) * kLanes + lane,
              uint32_t(a.begin + uint64_t(o * a.outerStride + i * a.innerStride) + e * a.laneBytes - ub));
      }
}

void BlockCheck::findUndefined(const Event &event) {
  auto mark = [&](size_t at, uint8_t sources) {
    if (at >= undefinedLane.size())
      undefinedLane.resize(at + kLanes);
    undefinedLane[at] |= sources;
  };
  const bool bytewise = startsWith(event.op, "VNOT");
  const bool bits = startsWith(event.op, "VSEL"), spread = startsWith(event.op, "VBRCB");
  // The operands of a selection have the same lanes, so equally many accesses: destination, source 0,
  // source 1.
  unsigned perOperand = 0;
  for (unsigned i = 0; i < event.accessCount; ++i)
    perOperand += event.access[i].write;
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (a.write || a.space != Space::UB || !a.run || a.begin < ub || hullEnd(a) > ub + kUbSize)
      continue;
    if (a.laneBytes) {
      forEachLane(event, a, [&](size_t lane, uint32_t at) {
        bool undefined = false;
        for (uint32_t k = 0; k < a.laneBytes; ++k)
          undefined |= !hasValue(at + k);
        // A selection takes one of its sources: without a value only where neither has one.
        const uint8_t source = !bits ? 3 : i < 2 * perOperand ? 1 : 2;
        if (undefined)
          mark(lane, source);
        if (undefined && bytewise) // masks of bits: bytes with a value keep it
          for (uint32_t k = 0; k < a.laneBytes; ++k)
            mark(lane, uint8_t(hasValue(at + k) ? 4u << k : 0));
      });
      continue;
    }
    if (event.op == Op::MOV_UB_TO_UB_v220) { // byte n of the source is byte n of the destination
      size_t n = 0;
      forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool) {
        for (uint64_t at = begin; at < end; ++at)
          mark(n++, hasValue(uint32_t(at - ub)) ? 0 : 3);
      });
    } else if (spread) { // element n fills block n of the destination
      const uint32_t size = a.run / (event.repeats * 8);
      for (uint32_t n = 0; n < a.run; ++n)
        mark(n / size, hasValue(uint32_t(a.begin - ub) + n) ? 0 : 3);
    } else if (bits) {
      // Packed bits: one a lane, densely over the repeats.
      const size_t perRepeat = startsWith(event.op, "VSEL.f16") ? 128 : 64;
      const auto used = uint32_t(std::min<uint64_t>(a.run, (event.elements + 7) / 8)),
                 from = uint32_t(a.begin - ub);
      for (uint32_t n = 0; n < used; ++n)
        if (!hasValue(from + n))
          for (size_t lane = n * 8; lane < n * 8 + 8; ++lane)
            mark(lane / perRepeat * kLanes + lane % perRepeat, 3);
    }
  }
}

void BlockCheck::spreadUndefined(const Event &event) {
  auto is = [&](size_t lane) { return lane < undefinedLane.size() && (undefinedLane[lane] & 3) == 3; };
  if (Traits::of(event.op).elementWrite)
    return spreadThroughReduction(event);
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (!a.write || a.space != Space::UB || !a.run || a.begin < ub || hullEnd(a) > ub + kUbSize)
      continue;
    if (a.laneBytes) {
      forEachLane(event, a, [&](size_t lane, uint32_t at) {
        if (!is(lane))
          return;
        for (uint32_t k = 0; k < a.laneBytes; ++k)
          if (!(undefinedLane[lane] & 4u << k))
            shadow.undefine(at + k, at + k + 1);
      });
    } else if (event.op == Op::MOV_UB_TO_UB_v220) {
      size_t n = 0;
      forEachRun(event, a, [&](uint64_t begin, uint64_t end, bool) {
        for (uint64_t at = begin; at < end; ++at)
          if (is(n++))
            shadow.undefine(uint32_t(at - ub), uint32_t(at - ub) + 1);
      });
    } else if (startsWith(event.op, "VBRCB")) {
      for (uint32_t o = 0; o < a.outer; ++o)
        for (uint32_t b = 0; b < a.inner; ++b)
          if (is(size_t(o) * 8 + b)) {
            const uint32_t at = uint32_t(a.begin - ub + uint64_t(o * a.outerStride + b * a.innerStride));
            shadow.undefine(at, at + kBlock);
          }
    } else if (startsWith(event.op, "VCMP")) {
      // A byte of bits has no value when none of its lanes has one.
      const size_t perRepeat = event.repeats ? event.elements / event.repeats : 64;
      for (uint32_t n = 0; n < a.run; ++n) {
        bool all = true;
        for (size_t lane = n * 8; lane < n * 8 + 8; ++lane)
          all &= is(lane / perRepeat * kLanes + lane % perRepeat);
        if (all)
          shadow.undefine(uint32_t(a.begin - ub) + n, uint32_t(a.begin - ub) + n + 1);
      }
    }
  }
}

void BlockCheck::spreadThroughReduction(const Event &event) {
  uint32_t size = 4; // of an element
  for (unsigned i = 0; i < event.accessCount; ++i)
    if (event.access[i].laneBytes)
      size = event.access[i].laneBytes;
  // Lanes that make up a result, and its bytes. VCMAX writes value and index of a whole repeat.
  const bool pairs = startsWith(event.op, "VCPADD"), blocks = startsWith(event.op, "VCG");
  const size_t lanes = pairs ? 2 : blocks ? kBlock / size : kLanes;
  size_t repeat = 0;
  for (unsigned i = 0; i < event.accessCount; ++i) {
    const Access &a = event.access[i];
    if (!a.write || !a.run || a.begin < ub || hullEnd(a) > ub + kUbSize)
      continue;
    const uint32_t bytes = pairs || blocks ? size : a.run;
    for (uint32_t o = 0; o < a.outer; ++o, ++repeat)
      for (uint32_t k = 0; k < a.run / bytes; ++k) {
        bool undefined = false;
        for (size_t lane = k * lanes; lane < (k + 1) * lanes && lane < kLanes; ++lane)
          undefined |= repeat * kLanes + lane < undefinedLane.size() && undefinedLane[repeat * kLanes + lane];
        const auto at = uint32_t(a.begin - ub + uint64_t(o * a.outerStride)) + k * bytes;
        if (undefined)
          shadow.undefine(at, at + bytes);
      }
  }
}

void BlockCheck::instruction(Core &core, const Event &event) {
  ++instructions;
  current = &event;
  lastPlace = {event.op, event.pc, nullptr};
  calls.learn(event.pc, static_cast<const uintptr_t *>(__builtin_frame_address(0)));
  switch (event.op) {
  case Op::SET_FLAG_IMM:
    return setFlag(event, siteOf(event));
  case Op::WAIT_FLAG_IMM:
    return waitFlag(event);
  case Op::BARRIER:
    if (event.immediate[0]) // pipe S completes in order anyway
      clocks.barrier(unsigned(event.immediate[0]));
    return;
  case Op::SYNC_BLOCK_SET:
  case Op::SYNC_BLOCK_WAIT:
    lastPlace = placeOf(event);
    return crossCore(event);
  case Op::DCCI: // second operand: 0 one cache line, 1 the whole cache
    if (event.immediate[1])
      cached.clear();
    else
      cached.erase(event.immediate[0] / kCacheLine);
    return;
  case Op::MOVEMASK:
    mask = Mask();
    maskPlace = lastPlace;
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

void BlockCheck::scalarAccess(Core &, const void *pc, uint64_t address, uint64_t bytes, bool write) {
  Event event{};
  event.op = write ? Op::ScalarStore : Op::ScalarLoad;
  event.pc = pc;
  current = &event;
  calls.learn(pc, static_cast<const uintptr_t *>(__builtin_frame_address(0)));
  const bool oneByte = bytes == 1 && address - ub < kUbSize;
  if (byteLoad.open)
    closeByteLoad(write && oneByte && address - ub == byteLoad.byte);
  if (oneByte && !write && !hasValue(uint32_t(address - ub))) {
    byteLoad.place = placeOf(event);
    byteLoad.byte = uint32_t(address - ub);
    byteLoad.open = true;
  }
  constexpr uint64_t kMost = uint64_t(1) << 30; // a run has 32 bits
  for (; bytes; address += event.access[0].run, bytes -= event.access[0].run) {
    Access a;
    a.space = address - ub < kUbSize ? Space::UB : Space::GM;
    a.write = write;
    a.begin = address;
    a.run = uint32_t(std::min(bytes, kMost));
    event.accessCount = 0;
    event.add(a);
    memory(event, unsigned(Pipe::S), siteOf(event));
  }
}

void BlockCheck::closeByteLoad(bool harmless) {
  byteLoad.open = false;
  if (harmless || !options.uninitializedReads)
    return;
  Finding f;
  f.kind = Kind::UninitializedRead;
  f.second = byteLoad.place;
  f.hasRange = true;
  f.begin = byteLoad.byte;
  f.end = byteLoad.byte + 1;
  report(f);
}

void BlockCheck::end(const Core &core, int code) {
  if (byteLoad.open)
    closeByteLoad(false);
  if (code && !(code == TW_ERR_FLAGS && core.error == 0) && code != kStoppedByOther &&
      !findings.has(Kind::WaitWithoutSet)) {
    const bool flags = code == TW_ERR_FLAGS;
    Finding f;
    f.kind = code == TW_ERR_UB_BOUNDS                       ? Kind::UbBounds
             : code == TW_ERR_GM_BOUNDS                     ? Kind::GmBounds
             : flags && lastPlace.op == Op::SYNC_BLOCK_WAIT ? Kind::WaitWithoutSet
             : flags && lastPlace.op == Op::SYNC_BLOCK_SET  ? Kind::FlagOverfull
             : code >= TW_ERR_QUEUE                         ? Kind::Misuse
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
  if (!code || core.error == 0)
    for (unsigned id = 0; id < CrossCore::kFlags; ++id) {
      const CrossFlag &flag = crossFlags[id];
      if (flag.sets == flag.waits)
        continue;
      Finding f;
      f.kind = Kind::FlagLeftSet;
      f.first = flag.place;
      f.tag = id;
      f.detail = "cross-core flag " + std::to_string(id) + " is set " + std::to_string(flag.sets) +
                 " times and waited for " + std::to_string(flag.waits) +
                 " times: what is left over disturbs the next kernel";
      report(f);
    }
  if (!code)
    for (const auto &[line, site] : cached) {
      Finding f;
      f.kind = Kind::NotFlushed;
      f.second = sites[site];
      f.inGm = f.hasRange = true;
      f.begin = line * kCacheLine;
      f.end = f.begin + kCacheLine;
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
  if (options.selectScratch && selected && touchedScratch) {
    Finding f;
    f.kind = Kind::SelectScratch;
    f.second = selectPlace;
    report(f);
  }
}

} // namespace tilewright::emulator::check
