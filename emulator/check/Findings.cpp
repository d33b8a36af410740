#include "emulator/check/Findings.h"
#include "emulator/machine/Observe.h"

#include <algorithm>
#include <dlfcn.h>

namespace tilewright::emulator::check {

const char *kindName(Kind kind) {
  static const char *const names[] = {
      "race_raw",         "race_war",       "race_waw",      "core_race",
      "wait_without_set", "flag_left_set",  "flag_overfull", "reserved_event",
      "ub_bounds",        "gm_bounds",      "misaligned",    "uninitialized_read",
      "mask_mode",        "gm_not_written", "not_flushed",   "api_misuse",
      "stopped",          "select_scratch", "mask_left_set", "reserved_event_held",
  };
  return names[unsigned(kind)];
}

void Findings::add(const Finding &finding) {
  auto [at, fresh] = found.try_emplace(finding.key(), finding);
  if (fresh)
    return;
  Finding &known = at->second;
  const uint64_t count = known.count + finding.count;
  if (finding.block < known.block)
    known = finding;
  known.count = count;
}

void Findings::merge(const Findings &other) {
  for (const auto &each : other.found)
    add(each.second);
}

bool Findings::has(Kind kind) const {
  return std::any_of(found.begin(), found.end(), [&](const auto &f) { return f.second.kind == kind; });
}

Finding *Findings::like(const Finding &finding) {
  const auto at = found.find(finding.key());
  return at == found.end() ? nullptr : &at->second;
}

uint64_t Findings::number(bool lints) const {
  return uint64_t(std::count_if(found.begin(), found.end(),
                                [&](const auto &f) { return isLint(f.second.kind) == lints; }));
}

namespace {

const char *pipeOf(const Place &p) { return pipeName(unsigned(info(p.op).pipe)); }

std::string field(const char *name, const std::string &value) {
  return std::string("\"") + name + "\": " + value;
}

std::string placeJson(const Place &p) {
  if (!p.pc)
    return "null";
  std::string out =
      "{" + field("instruction", jsonString(info(p.op).name)) + ", " + field("pipe", jsonString(pipeOf(p)));
  Dl_info where;
  if (dladdr(p.pc, &where) && where.dli_fbase) {
    out += ", " + field("object", jsonString(where.dli_fname ? where.dli_fname : ""));
    // The return address: one less lies inside the call.
    out += ", " + field("offset", std::to_string(uint64_t(p.pc) - 1 - uint64_t(where.dli_fbase)));
    if (p.call)
      out += ", " + field("call", std::to_string(uint64_t(p.call) - 1 - uint64_t(where.dli_fbase)));
  }
  return out + "}";
}

std::string flagText(const Finding &f) {
  return std::string(pipeName(f.flag[0])) + "->" + pipeName(f.flag[1]) + " id " + std::to_string(f.flag[2]);
}

/// "reads" or "writes" of both sides of a race.
std::string sentence(const Finding &f) {
  if (!f.detail.empty())
    return f.detail;
  const std::string one = std::string(info(f.first.op).name) + " (" + pipeOf(f.first) + ")",
                    two = std::string(info(f.second.op).name) + " (" + pipeOf(f.second) + ")";
  const std::string where = f.inGm ? "GM" : "UB";
  switch (f.kind) {
  case Kind::RaceRaw:
    return two + " reads " + where + " bytes that " + one + " writes, and nothing makes it wait";
  case Kind::RaceWar:
    return two + " overwrites " + where + " bytes that " + one + " still reads, and nothing makes it wait";
  case Kind::RaceWaw:
    return two + " and " + one + " write the same " + where + " bytes, and nothing orders them";
  case Kind::WaitWithoutSet:
    return "no set of flag " + flagText(f) + " comes before this wait: the device would wait for ever";
  case Kind::FlagLeftSet:
    return "flag " + flagText(f) + " is still set when the block ends";
  case Kind::FlagOverfull:
    return "flag " + flagText(f) + " is set again before it was waited for";
  case Kind::ReservedEvent:
    return "flag " + flagText(f) + " is set again before it was waited for; the vector library uses this id";
  case Kind::Misaligned:
    return two + " has a UB operand that does not start at a multiple of 32 bytes";
  case Kind::UninitializedRead:
    return f.first.pc ? two + " reads UB bytes that " + one + " left without a value (after the end of a row)"
                      : two + " reads UB bytes that nothing has written in this block";
  case Kind::MaskMode:
    return two + " uses a mask that was set for the other mask mode";
  case Kind::NotFlushed:
    return "a scalar store to GM stays in the data cache: nothing writes its cache line back";
  case Kind::SelectScratch:
    return two + " may use UB from byte 188416 on as scratch, and the kernel keeps data there";
  case Kind::MaskLeft:
    return "the block ends in counter mode";
  case Kind::ReservedEventHeld:
    return "flag " + flagText(f) +
           " stays set over other instructions; the vector library uses this id by itself";
  default:
    return kindName(f.kind);
  }
}

std::string hint(const Finding &f) {
  const std::string from = pipeOf(f.first), to = pipeOf(f.second);
  switch (f.kind) {
  case Kind::RaceRaw:
  case Kind::RaceWar:
  case Kind::RaceWaw:
    if (from == to)
      return "put pipe_barrier[PIPE_" + to + "] between the two";
    return "set_flag[PIPE_" + from + ", PIPE_" + to +
           "] after the first, wait_flag before the second; or give them "
           "different buffers";
  case Kind::CoreRace:
    return "give the blocks disjoint parts of GM, store atomically, put sync_block between the two with a "
           "barrier "
           "of all pipes, or end the kernel between them";
  case Kind::WaitWithoutSet:
    return "set the same pipes and id before it in program order";
  case Kind::FlagLeftSet:
    return "each set needs one wait: wait for it before the kernel ends";
  case Kind::FlagOverfull:
    return "wait between the two sets, or use another id";
  case Kind::ReservedEvent:
  case Kind::ReservedEventHeld:
    return "use an id below 6 for your own flags between these pipes";
  case Kind::UbBounds:
    return "UB has 196608 bytes: use smaller tiles, or correct the address";
  case Kind::GmBounds:
    return "shorten the transfer at the end of the tensor, or correct the address";
  case Kind::Misaligned:
    return "start buffers at multiples of 32 bytes";
  case Kind::UninitializedRead:
    return "load or fill the bytes first, or shorten the operand to what was written";
  case Kind::MaskMode:
  case Kind::MaskLeft:
    return "set the mask again after changing the mode (set_mask_norm and a full mask)";
  case Kind::GmNotWritten:
    return "results must be stored completely; look at tile bounds and tails";
  case Kind::SelectScratch:
    return "keep UB from 188416 on free (plan with 184 KiB) in kernels that select";
  case Kind::NotFlushed:
    return "DataCacheCleanAndInvalid of the cache line after the last SetValue";
  case Kind::Misuse:
  case Kind::Stopped:
    return "see docs/errors for the code";
  }
  return "";
}

std::string findingJson(const Finding &f, const tw_gm_range *ranges, size_t rangeCount) {
  std::string out = "{" + field("kind", jsonString(kindName(f.kind)));
  out += ", " + field("severity", isLint(f.kind) ? "\"lint\"" : "\"hazard\"");
  out += ", " + field("message", jsonString(sentence(f))) + ", " + field("hint", jsonString(hint(f)));
  out += ", " + field("block", std::to_string(f.block));
  if (f.kind == Kind::CoreRace)
    out += ", " + field("other_block", std::to_string(f.otherBlock));
  out += ", " + field("count", std::to_string(f.count));
  if (f.hasFlag)
    out += ", " + field("flag", "{" + field("source", jsonString(pipeName(f.flag[0]))) + ", " +
                                    field("destination", jsonString(pipeName(f.flag[1]))) + ", " +
                                    field("id", std::to_string(f.flag[2])) + "}");
  if (f.hasRange) {
    uint64_t begin = f.begin, end = f.end;
    out += ", " + field("space", f.inGm ? "\"GM\"" : "\"UB\"");
    if (f.inGm)
      for (size_t i = 0; i < rangeCount; ++i)
        if (f.begin >= ranges[i].base && f.begin - ranges[i].base < ranges[i].size) {
          begin -= ranges[i].base;
          end -= ranges[i].base;
          out += ", " + field("allocation", std::to_string(i));
          break;
        }
    out += ", " + field("begin", std::to_string(begin)) + ", " + field("end", std::to_string(end));
  }
  return out + ", " + field("first", placeJson(f.first)) + ", " + field("second", placeJson(f.second)) + "}";
}

} // namespace

std::string Findings::json(const tw_gm_range *ranges, size_t rangeCount, uint32_t limit) const {
  std::string out = "[";
  uint32_t n = 0;
  for (const auto &[key, finding] : found) {
    if (n == limit)
      break;
    out += (n++ ? ",\n  " : "\n  ") + findingJson(finding, ranges, rangeCount);
  }
  return out + (n ? "\n]" : "]");
}

} // namespace tilewright::emulator::check
