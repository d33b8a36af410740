// Device and pinned host memory of the emulated machine.
//
// Each device has a range of addresses as large as its memory, backed lazily. With the strict setting the
// range is mapped a second time: the addresses that programs get cannot be touched by host code (a stray read
// is a fault at once, as on a machine with a device), and the runtime works on the second view.
#ifndef TILEWRIGHT_EMULATOR_ACL_MEMORY_H
#define TILEWRIGHT_EMULATOR_ACL_MEMORY_H

#include "emulator/acl/Error.h"

#include <map>
#include <mutex>
#include <vector>

namespace tilewright::acl {

constexpr int kHost = -1;

struct Allocation {
  uint64_t base = 0, size = 0;
  int device = kHost;
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= base && address - base <= size && bytes <= size - (address - base);
  }
};

class Memory {
public:
  static Memory &get();

  /// kOk and an address, or kOutOfMemory with the numbers in the text.
  Failure allocate(int device, uint64_t bytes, uint64_t &address);
  Failure allocateHost(uint64_t bytes, void *&address);
  Failure release(const void *address, bool host);

  /// The allocation that holds the address; false if there is none. `deviceOf` only looks at the range.
  bool find(uint64_t address, Allocation &out) const;
  bool isDeviceAddress(uint64_t address) const { return deviceOf(address) != kHost; }
  int deviceOf(uint64_t address) const;

  /// Where the runtime may touch what a device address names.
  uint64_t view(uint64_t address) const {
    const int device = deviceOf(address);
    return device == kHost ? address : address + spaces_[device].shift;
  }

  /// All allocations of a device, by address.
  std::vector<Allocation> allocations(int device) const;
  void usage(int device, uint64_t &free, uint64_t &total) const;

  /// A valid, nonempty range of one allocation of device memory (`device`) or of host memory (!`device`).
  Failure check(const char *what, const void *address, uint64_t bytes, bool device) const;
  /// Checks both ends of a copy against its kind; a kind "inferred" is replaced by the one that holds.
  Failure checkCopy(const void *to, uint64_t room, const void *from, uint64_t bytes, int &kind) const;
  void copy(void *to, const void *from, uint64_t bytes) const;
  void fill(void *to, int value, uint64_t bytes) const;

private:
  struct Space {
    uint64_t base = 0, size = 0, shift = 0;
    uint64_t used = 0;
    std::map<uint64_t, uint64_t> gaps; ///< free ranges by address
    int file = -1;
  };
  Memory();
  Failure open(int device);
  void discard(const Space &space, uint64_t address, uint64_t bytes) const;

  mutable std::mutex mutex_;
  std::vector<Space> spaces_;
  std::map<uint64_t, Allocation> allocations_; ///< by address, device and host
};

} // namespace tilewright::acl
#endif
