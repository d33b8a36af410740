#include "emulator/acl/Memory.h"
#include "emulator/acl/Settings.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::acl {
namespace {

/// Device allocators hand out addresses on 512-byte boundaries, the unit in which GM requests are served.
constexpr uint64_t kAlignment = 512;
/// Left free behind every allocation, so that no range is adjacent to another one and running over an end is
/// always noticed.
constexpr uint64_t kGap = 512;

uint64_t roundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

unsigned long long ull(uint64_t value) { return value; }

} // namespace

Memory &Memory::get() {
  static Memory *const memory = new Memory; // never destroyed: threads of streams outlive main
  return *memory;
}

Memory::Memory() {
  spaces_.resize(settings().devices);
  // Addresses are reserved at once, so that an address tells its device without a lock; memory is not.
  for (int device = 0; device < int(spaces_.size()); ++device)
    (void)open(device);
}

Failure Memory::open(int device) {
  Space &space = spaces_[device];
  // Twice the memory: freed ranges leave holes, and the limit below is on bytes in use.
  const uint64_t size = roundUp(settings().memoryBytes, 4096) * 2;
  const bool strict = settings().strict;
  void *view = MAP_FAILED, *given = MAP_FAILED;
  if (strict) {
    space.file = int(memfd_create("tilewright-device-memory", MFD_CLOEXEC));
    if (space.file < 0 || ftruncate(space.file, off_t(size)) != 0)
      return failure(kOutOfMemory, "the host refused memory for device %d: %s", device, std::strerror(errno));
    view = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, space.file, 0);
    given = mmap(nullptr, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE, space.file, 0);
  } else {
    view = given =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  if (view == MAP_FAILED || given == MAP_FAILED)
    return failure(kOutOfMemory, "the host refused %llu bytes of addresses for device %d: %s", ull(size),
                   device, std::strerror(errno));
  space.base = uint64_t(given);
  space.size = size;
  space.shift = uint64_t(view) - uint64_t(given);
  space.gaps[space.base] = size;
  return {};
}

int Memory::deviceOf(uint64_t address) const {
  for (int device = 0; device < int(spaces_.size()); ++device)
    if (address - spaces_[device].base < spaces_[device].size)
      return device;
  return kHost;
}

Failure Memory::allocate(int device, uint64_t bytes, uint64_t &address) {
  if (bytes == 0)
    return failure(kBadParameter, "an allocation of 0 bytes of device memory");
  std::lock_guard<std::mutex> lock(mutex_);
  Space &space = spaces_[device];
  const uint64_t limit = settings().memoryBytes;
  if (bytes > limit - space.used)
    return failure(kOutOfMemory, "device %d is out of memory: %llu bytes wanted, %llu of %llu free", device,
                   ull(bytes), ull(limit - space.used), ull(limit));
  const uint64_t taken = roundUp(bytes, kAlignment) + kGap;
  for (auto gap = space.gaps.begin(); gap != space.gaps.end(); ++gap) {
    if (gap->second < taken)
      continue;
    address = gap->first;
    const uint64_t rest = gap->second - taken;
    space.gaps.erase(gap);
    if (rest)
      space.gaps[address + taken] = rest;
    space.used += bytes;
    allocations_[address] = {address, bytes, device};
    if (settings().poison)
      std::memset(reinterpret_cast<void *>(address + space.shift), 0xA5, bytes);
    return {};
  }
  return failure(kOutOfMemory, "device %d has no free range of %llu bytes (fragmented or not opened)", device,
                 ull(bytes));
}

Failure Memory::allocateHost(uint64_t bytes, void *&address) {
  if (bytes == 0)
    return failure(kBadParameter, "an allocation of 0 bytes of host memory");
  address = std::aligned_alloc(4096, roundUp(bytes, 4096));
  if (!address)
    return failure(kOutOfMemory, "the host has no %llu bytes of pinned memory", ull(bytes));
  std::lock_guard<std::mutex> lock(mutex_);
  allocations_[uint64_t(address)] = {uint64_t(address), bytes, kHost};
  return {};
}

void Memory::discard(const Space &space, uint64_t address, uint64_t bytes) const {
  // Whole pages go back to the host; what shares a page with a neighbour stays.
  const uint64_t begin = roundUp(address, 4096), end = (address + bytes) / 4096 * 4096;
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin + space.shift), end - begin,
            space.file >= 0 ? MADV_REMOVE : MADV_DONTNEED);
}

Failure Memory::release(const void *pointer, bool host) {
  const uint64_t address = uint64_t(pointer);
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || (found->second.device == kHost) != host)
    return failure(kBadParameter, "free of %p, which is not the start of an allocation of %s memory", pointer,
                   host ? "pinned host" : "device");
  const Allocation a = found->second;
  allocations_.erase(found);
  if (host) {
    std::free(const_cast<void *>(pointer));
    return {};
  }
  Space &space = spaces_[a.device];
  space.used -= a.size;
  uint64_t begin = a.base, size = roundUp(a.size, kAlignment) + kGap;
  discard(space, begin, size);
  auto next = space.gaps.lower_bound(begin);
  if (next != space.gaps.end() && begin + size == next->first) {
    size += next->second;
    next = space.gaps.erase(next);
  }
  if (next != space.gaps.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      before->second += size;
      return {};
    }
  }
  space.gaps[begin] = size;
  return {};
}

bool Memory::find(uint64_t address, Allocation &out) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin())
    return false;
  out = std::prev(next)->second;
  return address - out.base < out.size;
}

std::vector<Allocation> Memory::allocations(int device) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Allocation> found;
  for (const auto &[base, allocation] : allocations_)
    if (allocation.device == device)
      found.push_back(allocation);
  return found;
}

void Memory::usage(int device, uint64_t &free, uint64_t &total) const {
  std::lock_guard<std::mutex> lock(mutex_);
  total = settings().memoryBytes;
  free = total - spaces_[device].used;
}

Failure Memory::check(const char *what, const void *pointer, uint64_t bytes, bool device) const {
  if (!pointer)
    return failure(kBadParameter, "%s is a null pointer", what);
  const uint64_t address = uint64_t(pointer);
  if (!device) {
    if (isDeviceAddress(address))
      return failure(kBadMemoryType, "%s %p is device memory; host memory is expected", what, pointer);
    return {};
  }
  if (!isDeviceAddress(address))
    return failure(kBadMemoryType, "%s %p is host memory; device memory is expected", what, pointer);
  Allocation a;
  if (!find(address, a))
    return failure(kBadParameter, "%s %p is not inside an allocation of device memory", what, pointer);
  if (!a.contains(address, bytes))
    return failure(kBadParameter, "%s: bytes [%llu, %llu) of an allocation of %llu bytes", what,
                   ull(address - a.base), ull(address - a.base + bytes), ull(a.size));
  return {};
}

Failure Memory::checkCopy(const void *to, uint64_t room, const void *from, uint64_t bytes, int &kind) const {
  if (bytes > room)
    return failure(kBadParameter, "a copy of %llu bytes to room for %llu", ull(bytes), ull(room));
  if (kind == kInferred)
    kind = (isDeviceAddress(uint64_t(from)) ? 2 : 0) + (isDeviceAddress(uint64_t(to)) ? 1 : 0);
  bool fromDevice = false, toDevice = false;
  switch (kind) {
  case kHostToHost:
    break;
  case kHostToDevice:
  case kHostToBufferToDevice:
    toDevice = true;
    break;
  case kDeviceToHost:
    fromDevice = true;
    break;
  case kDeviceToDevice:
  case kWithinDevice:
  case kBetweenDevices:
    fromDevice = toDevice = true;
    break;
  default:
    return failure(kBadParameter, "%d is not a kind of copy", kind);
  }
  if (Failure f = check("the destination of a copy", to, bytes, toDevice))
    return f;
  return check("the source of a copy", from, bytes, fromDevice);
}

void Memory::copy(void *to, const void *from, uint64_t bytes) const {
  std::memmove(reinterpret_cast<void *>(view(uint64_t(to))), reinterpret_cast<void *>(view(uint64_t(from))),
               bytes);
}

void Memory::fill(void *to, int value, uint64_t bytes) const {
  std::memset(reinterpret_cast<void *>(view(uint64_t(to))), value, bytes);
}

} // namespace tilewright::acl
