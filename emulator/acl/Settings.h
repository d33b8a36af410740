// What the environment says about the emulated machine; read once.
#ifndef TILEWRIGHT_EMULATOR_ACL_SETTINGS_H
#define TILEWRIGHT_EMULATOR_ACL_SETTINGS_H

#include <cstdint>
#include <string>

namespace tilewright::acl {

/// A part that can be emulated; the figures are those of pyfrontend/tilewright/targets.py (a test compares).
struct Part {
  const char *name;
  uint32_t vectorCores, cubeCores;
  uint64_t l2Bytes, memoryBytes;
};

constexpr uint32_t kMostDevices = 8;

struct Settings {
  Part part{};
  uint32_t devices = 1;
  uint64_t memoryBytes = 0; ///< of each device
  bool strict = false;      ///< host code cannot touch device memory
  bool poison = false;      ///< new device memory is filled with 0xA5
  bool check = false;       ///< kernels run in the emulator's check mode
  uint32_t threads = 0;     ///< host threads of a launch, 0 for all
  std::string problem;      ///< a variable that cannot be read; aclInit reports it
};

const Settings &settings();
/// Number of parts in the table, and one of them.
uint32_t partCount();
const Part &partAt(uint32_t index);

} // namespace tilewright::acl
#endif
