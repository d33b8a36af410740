// Races between blocks on GM, found after the launch from the footprints of all blocks.
#ifndef TILEWRIGHT_EMULATOR_CHECK_CORERACES_H
#define TILEWRIGHT_EMULATOR_CHECK_CORERACES_H

#include "emulator/check/Findings.h"
#include "emulator/check/GmHistory.h"

#include <vector>

namespace tilewright::emulator::check {

/// A footprint interval of a block; `site` indexes the launch's table of places.
struct BlockInterval : Interval {
  uint32_t block;
};

/// Two blocks that write the same bytes (not both atomically), or one that writes what another reads. Blocks
/// run at the same time; only cross-core flags order them.
void findCoreRaces(std::vector<BlockInterval> &intervals, const std::vector<Place> &places,
                   const ReleaseTable &releases, Findings &out);

/// Bytes of write-only allocations that no block stored.
void findUnwritten(const std::vector<BlockInterval> &intervals, const tw_gm_range *ranges, size_t rangeCount,
                   Findings &out);

} // namespace tilewright::emulator::check
#endif
