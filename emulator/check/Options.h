// Options of check mode, named after the interpret parameters of JAX Pallas where one fits.
#ifndef TILEWRIGHT_EMULATOR_CHECK_OPTIONS_H
#define TILEWRIGHT_EMULATOR_CHECK_OPTIONS_H

#include "emulator/machine/Json.h"

#include <cstdint>
#include <string>

namespace tilewright::emulator::check {

struct Options {
  bool detectRaces = true;        ///< "detect_races": between the pipes of a core
  bool detectCoreRaces = true;    ///< "detect_core_races": between blocks on GM
  bool uninitializedReads = true; ///< "uninitialized_reads": of UB bytes that nothing has written
  bool zeroUb = false;            ///< "uninitialized_memory": "nan" (default) or "zero", content of fresh UB
  bool vBarriers = true;          ///< "v_barriers": dependent vector instructions need a barrier of pipe V
  bool dmaBarriers = true;        ///< "dma_barriers": overlapping transfers of one pipe need a barrier
  bool alignment = true;          ///< "alignment": UB operands start at multiples of 32 bytes
  bool selectScratch = false;     ///< "select_scratch": lint for kernels that use Select of Ascend C
  bool lints = true;              ///< "lints": observations that are no hazards by themselves
  uint32_t maxFindings = 200;     ///< "max_findings": of the report; the rest is counted
  uint64_t randomSeed = 0;        ///< "random_seed": start the blocks in a random order; 0: by index
};

/// False with a sentence in `error` on an unknown name or a wrong value.
bool parseOptions(const Json &json, Options &out, std::string &error);

} // namespace tilewright::emulator::check
#endif
