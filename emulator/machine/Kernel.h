// A loaded kernel object.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_KERNEL_H
#define TILEWRIGHT_EMULATOR_MACHINE_KERNEL_H

#include "emulator/machine/Block.h"

#include <string>

struct tw_kernel {
  void *library = nullptr;
  std::string name;
  const char *metadata = nullptr; ///< inside the library
  uint64_t argsSize = 0;
  bool handwritten = false; ///< Ascend C
  bool together = false;    ///< blocks wait for one another: all of them have to run at the same time
  uint32_t vectorCores = 0; ///< of the target the kernel was compiled for; 0: not told
  tilewright::emulator::Entry entry = nullptr;
  tilewright::emulator::Entry observedEntry = nullptr; ///< reports scalar code (hivmc/Observed.h)
};

namespace tilewright::emulator {

/// Empty when the file looks like a whole x86-64 shared object, else what is wrong with it. Checks the seal
/// (emulator/include/tilewright/seal.h) when the file carries one.
std::string checkObjectFile(const char *path);

} // namespace tilewright::emulator
#endif
