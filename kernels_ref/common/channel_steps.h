// The order of work of a core: groups of channels; in a group the steps (channel, pass, tile) as one
// sequence. The loads of a step are issued before the arithmetic of the step before it, across passes and
// channels, because the scalar unit, which issues everything, waits for sums.
#ifndef KERNELS_REF_COMMON_CHANNEL_STEPS_H
#define KERNELS_REF_COMMON_CHANNEL_STEPS_H

#include "channel_tiles.h"

namespace ChannelTiles {

struct Step {
  uint32_t channel, pass; ///< channel within the group
  uint64_t tile;
};

template <uint32_t PASSES> __aicore__ inline void Advance(Step &step, uint64_t tiles) {
  if (++step.tile < tiles) {
    return;
  }
  step.tile = 0;
  if (++step.pass < PASSES) {
    return;
  }
  step.pass = 0;
  ++step.channel;
}

/// Calls LoadGroup, CopyIn, BeginPass, ComputeTile, EndPass and StoreGroup of a kernel.
template <uint32_t PASSES, typename T, class KERNEL>
__aicore__ inline void RunChannels(KERNEL &kernel, const Walk<T> &walk, const ChannelTilingData &tiling) {
  const uint64_t tiles = tiling.tilesPerChannel, group = tiling.groupChannels;
  for (uint64_t done = 0; done < walk.count; done += group) {
    const uint32_t channels = static_cast<uint32_t>(walk.count - done < group ? walk.count - done : group);
    const uint64_t first = walk.first + done;
    kernel.LoadGroup(first, channels);
    Step load{0, 0, 0};
    kernel.CopyIn(walk.At(first, 0), 0);
    Advance<PASSES>(load, tiles);
    for (Step now{0, 0, 0}; now.channel < channels; Advance<PASSES>(now, tiles)) {
      if (load.channel < channels) {
        kernel.CopyIn(walk.At(first + load.channel, load.tile), load.pass);
        Advance<PASSES>(load, tiles);
      }
      if (now.tile == 0) {
        kernel.BeginPass(now.channel, now.pass);
      }
      kernel.ComputeTile(walk.At(first + now.channel, now.tile), now.pass);
      if (now.tile + 1 == tiles) {
        kernel.EndPass(now.channel, now.pass);
      }
    }
    kernel.StoreGroup(first, channels);
  }
}

} // namespace ChannelTiles
#endif
