#include "emulator/check/CoreRaces.h"

#include <algorithm>

namespace tilewright::emulator::check {
namespace {

/// Races of one place with another are merged into one finding; this many pairs are looked at.
constexpr size_t kMostPairs = 100000;

void report(const BlockInterval &a, const BlockInterval &b, const std::vector<Place> &places, Findings &out) {
  const bool swap = std::tie(b.block, b.begin) < std::tie(a.block, a.begin);
  const BlockInterval &first = swap ? b : a, &second = swap ? a : b;
  Finding f;
  f.kind = Kind::CoreRace;
  f.first = places[first.site];
  f.second = places[second.site];
  f.block = first.block;
  f.otherBlock = second.block;
  f.inGm = f.hasRange = true;
  f.begin = std::max(a.begin, b.begin);
  f.end = std::min(a.end, b.end);
  f.count = 1;
  f.detail = "block " + std::to_string(f.block) + (first.write ? " writes" : " reads") +
             " GM bytes that block " + std::to_string(f.otherBlock) + (second.write ? " writes" : " reads") +
             " in the same launch";
  out.add(f);
}

} // namespace

void findCoreRaces(std::vector<BlockInterval> &intervals, const std::vector<Place> &places,
                   const ReleaseTable &releases, Findings &out) {
  auto unordered = [&](const BlockInterval &a, const BlockInterval &b) {
    return !comesBefore(releases[a.covered], releases[b.known]) &&
           !comesBefore(releases[b.covered], releases[a.known]);
  };
  // Writes first, each part by address: the pairs are found in a fixed order whatever the threads did.
  std::sort(intervals.begin(), intervals.end(), [](const BlockInterval &a, const BlockInterval &b) {
    return std::tie(b.write, a.begin, a.end, a.block, a.site) <
           std::tie(a.write, b.begin, b.end, b.block, b.site);
  });
  size_t writes = 0, pairs = 0;
  while (writes < intervals.size() && intervals[writes].write)
    ++writes;

  std::vector<size_t> open; // writes that reach beyond the current one
  uint64_t longest = 0;
  for (size_t i = 0; i < writes && pairs < kMostPairs; ++i) {
    const BlockInterval &w = intervals[i];
    longest = std::max(longest, w.end - w.begin);
    open.erase(
        std::remove_if(open.begin(), open.end(), [&](size_t k) { return intervals[k].end <= w.begin; }),
        open.end());
    for (const size_t k : open)
      if (intervals[k].block != w.block && !(intervals[k].atomic && w.atomic) && unordered(intervals[k], w) &&
          ++pairs <= kMostPairs)
        report(intervals[k], w, places, out);
    // Atomic stores of many blocks to one place would all stay open; one of them stands for all.
    if (!(w.atomic && open.size() > 64))
      open.push_back(i);
  }
  for (size_t r = writes; r < intervals.size() && pairs < kMostPairs; ++r) {
    const BlockInterval &read = intervals[r];
    const uint64_t from = read.begin > longest ? read.begin - longest : 0;
    auto w = std::lower_bound(intervals.begin(), intervals.begin() + long(writes), from,
                              [](const BlockInterval &a, uint64_t at) { return a.begin < at; });
    for (; w != intervals.begin() + long(writes) && w->begin < read.end; ++w)
      if (w->end > read.begin && w->block != read.block && unordered(*w, read)) {
        report(*w, read, places, out);
        if (++pairs >= kMostPairs)
          break;
      }
  }
}

void findUnwritten(const std::vector<BlockInterval> &intervals, const tw_gm_range *ranges, size_t rangeCount,
                   Findings &out) {
  size_t w = 0;
  std::vector<std::pair<uint64_t, uint64_t>> written;
  for (; w < intervals.size() && intervals[w].write; ++w) {
    const BlockInterval &i = intervals[w];
    if (!written.empty() && i.begin <= written.back().second)
      written.back().second = std::max(written.back().second, i.end);
    else
      written.emplace_back(i.begin, i.end);
  }
  for (size_t k = 0; k < rangeCount; ++k) {
    const tw_gm_range &range = ranges[k];
    if (range.flags != 2 || !range.size)
      continue;
    auto at = std::lower_bound(written.begin(), written.end(), range.base,
                               [](const auto &x, uint64_t base) { return x.second <= base; });
    uint64_t gap = range.base; // everything below is written
    if (at != written.end() && at->first <= range.base)
      gap = at++->second;
    if (gap >= range.base + range.size)
      continue;
    const uint64_t end =
        at != written.end() ? std::min(at->first, range.base + range.size) : range.base + range.size;
    Finding f;
    f.kind = Kind::GmNotWritten;
    f.inGm = f.hasRange = true;
    f.begin = gap;
    f.end = end;
    f.count = 1;
    f.detail = "no block writes bytes [" + std::to_string(gap - range.base) + ", " +
               std::to_string(end - range.base) + ") of a result of " + std::to_string(range.size) + " bytes";
    f.tag = uint32_t(k);
    out.add(f);
  }
}

} // namespace tilewright::emulator::check
