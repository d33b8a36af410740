// Binaries, kernel functions and launches on the emulated vector cores.
#ifndef TILEWRIGHT_EMULATOR_ACL_KERNEL_H
#define TILEWRIGHT_EMULATOR_ACL_KERNEL_H

#include "emulator/acl/Memory.h"
#include "emulator/acl/Stream.h"
#include "emulator/include/tilewright/emulator.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::acl {

/// A kernel of a loaded binary.
struct Function {
  ~Function();
  struct Pointer {
    uint32_t offset;
    std::string what; ///< "argument 3 (pointer)", for messages
  };
  std::string name;
  tw_kernel *kernel = nullptr;
  size_t argumentBytes = 0;
  std::vector<Pointer> pointers; ///< fields of the argument block that are device addresses
};

/// An image that was loaded, kept in a file of its own without a name in the file system.
class Binary {
public:
  ~Binary();
  static Failure load(const void *data, size_t bytes, std::shared_ptr<Binary> &out);
  static Failure loadFile(const char *path, std::shared_ptr<Binary> &out);
  /// The kernel `name`; a suffix _mix_aic or _mix_aiv of a half of a mixed kernel is not part of the name.
  Failure function(const char *name, std::shared_ptr<Function> &out);

private:
  std::mutex mutex_;
  std::string path_;
  int file_ = -1;
  std::unordered_map<std::string, std::shared_ptr<Function>> functions_;
};

/// Arguments of a launch: copied at the call (host), or read when the kernel starts (device).
struct Arguments {
  std::vector<uint8_t> bytes;
  uint64_t deviceAddress = 0;
  std::vector<PlaceHolder> placeHolders;
};

Failure launch(const std::shared_ptr<Function> &function, uint32_t blocks, Arguments arguments,
               const std::shared_ptr<Stream> &stream);

/// Kernels that ran, by name; "" counts all of them.
uint64_t launches(const char *name);
/// Totals of the emulator over all launches.
tw_counters totals();

} // namespace tilewright::acl
#endif
