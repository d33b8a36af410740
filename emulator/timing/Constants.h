// The constants of the timing model. Values, ranges and sources are data: emulator/profiles/*.json.
//
// Rates and latencies are in cycles of the vector core's clock unless the name says otherwise.
#ifndef TILEWRIGHT_EMULATOR_TIMING_CONSTANTS_H
#define TILEWRIGHT_EMULATOR_TIMING_CONSTANTS_H

#include "emulator/machine/Json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::emulator::timing {

/// X(name): every constant, in the order in which they are sampled.
#define TW_TIMING_CONSTANTS(X)                                                                               \
  X(clock_mhz)           /* core clock */                                                                    \
  X(vector_cores)        /* blocks that run at once */                                                       \
  X(l2_bytes)            /* 0: no L2 is modelled */                                                          \
  X(hbm_gb_s)            /* peak of the memory, 1e9 bytes a second */                                        \
  X(gm_read_efficiency)  /* reachable share of the peak, reads only */                                       \
  X(gm_mixed_efficiency) /* the same when a third or more of the bytes are writes */                         \
  X(l2_dirty_share)      /* part of L2 that stores of a cold launch can stay in */                           \
  X(l2_gb_s)             /* all cores together */                                                            \
  X(scalar_issue)        /* scalar unit, per instruction that it issues or executes itself */                \
  X(scalar_instruction)  /* per counted instruction of compiled scalar code */                               \
  X(scalar_ub_access)    /* scalar load or store of UB */                                                    \
  X(scalar_gm_access)    /* scalar load or store of GM */                                                    \
  X(vector_overhead)     /* per vector instruction, besides its repeats */                                   \
  X(mask_floor)          /* added to binary instructions under a partial or counted mask */                  \
  X(vector_tail)         /* until a barrier or flag sees the result */                                       \
  X(barrier)             /* pipe barrier, besides draining */                                                \
  X(barrier_chain)       /* added to a barrier after little work */                                          \
  X(flag)                /* from the end of the work before a set to the waiting pipe */                     \
  X(queue_depth)         /* instructions a pipe holds before the scalar unit stalls */                       \
  X(mte_descriptor)      /* shortest time of a transfer on its pipe */                                       \
  X(mte_burst)           /* shortest time of a row of a transfer */                                          \
  X(mte2_latency_gm)     /* until loaded data is visible, from memory */                                     \
  X(mte2_latency_l2)     /* the same from L2 */                                                              \
  X(mte2_rate_gm)        /* bytes a cycle of one core, from memory */                                        \
  X(mte2_rate_l2)        /* the same from L2 */                                                              \
  X(mte3_rate)           /* bytes a cycle of one core, stores */                                             \
  X(mte3_latency)        /* until stored data is visible */                                                  \
  X(misaligned_rate)     /* factor of a core's rate at addresses off the 512-byte grid */                    \
  X(launch_fixed_us)     /* microseconds of every launch */                                                  \
  X(launch_per_block_us) /* microseconds per block */                                                        \
  X(latency_jitter)      /* share by which the latency of a transfer varies up and down */                   \
  X(start_skew)          /* cycles between the starts of neighbouring cores */                               \
  X(overhead_on_drain)   /* switch: 1 pays vector_overhead only when the vector queue had drained */         \
  X(bank_maximum)        /* switch: 1 takes max(rate, conflicts) of a repeat, 0 their product */             \
  X(write_through)       /* switch: 1 sends every stored byte to memory, 0 lets L2 absorb what it can */     \
  X(cross_core_us)       /* microseconds from the last core's set of a cross-core flag to the waiting pipes */

struct Constants {
#define TW_FIELD(name) double name = 0;
  TW_TIMING_CONSTANTS(TW_FIELD)
#undef TW_FIELD
};

/// A constant with the interval in which it may be.
struct Uncertain {
  double value = 0, low = 0, high = 0;
};

/// All constants of a profile with their ranges.
class Profile {
public:
  /// `json` maps every name to a number or to [value, low, high]. False with `error` when one is missing,
  /// unknown or makes no sense.
  bool read(const Json &json, std::string &error);
  Constants nominal() const;
  /// Latin hypercube over all constants with a range: `count` sets. The median of each constant is its value.
  std::vector<Constants> sample(unsigned count, uint64_t seed) const;

private:
  static constexpr unsigned kCount = 0
#define TW_FIELD(name) +1
      TW_TIMING_CONSTANTS(TW_FIELD)
#undef TW_FIELD
      ;
  Uncertain items[kCount];
};

} // namespace tilewright::emulator::timing
#endif
