// Exported functions about memory.
#include "emulator/acl/Memory.h"
#include "emulator/acl/Report.h"

using namespace tilewright::acl;

namespace {

aclError allocate(void **pointer, size_t bytes) {
  int device = 0;
  TW_TRY(Runtime::get().currentDevice(device));
  uint64_t address = 0;
  TW_TRY(Memory::get().allocate(device, bytes, address));
  *pointer = reinterpret_cast<void *>(address);
  return kOk;
}

aclError enqueue(aclrtStream handle, Stream::Work work) {
  std::shared_ptr<Stream> stream;
  TW_TRY(Runtime::get().stream(handle, stream));
  stream->enqueue(std::move(work));
  return kOk;
}

Failure checkFill(void *to, size_t room, size_t bytes) {
  if (bytes > room)
    return failure(kBadParameter, "a fill of %zu bytes in room for %zu", bytes, room);
  return Memory::get().check("the destination of a fill", to, bytes,
                             Memory::get().isDeviceAddress(uint64_t(to)));
}

} // namespace

ACL_API aclError aclrtMalloc(void **pointer, size_t bytes, int) {
  TW_OUTPUT(pointer);
  return allocate(pointer, bytes);
}
ACL_API aclError aclrtMallocAlign32(void **pointer, size_t bytes, int) {
  TW_OUTPUT(pointer);
  return allocate(pointer, bytes);
}
ACL_API aclError aclrtMallocCached(void **pointer, size_t bytes, int) {
  TW_OUTPUT(pointer);
  return allocate(pointer, bytes);
}
ACL_API aclError aclrtFree(void *pointer) { return report(Memory::get().release(pointer, false)); }
ACL_API aclError aclrtMallocHost(void **pointer, size_t bytes) {
  TW_OUTPUT(pointer);
  return report(Memory::get().allocateHost(bytes, *pointer));
}
ACL_API aclError aclrtFreeHost(void *pointer) { return report(Memory::get().release(pointer, true)); }

ACL_API aclError aclrtGetMemInfo(int, size_t *free, size_t *total) {
  TW_OUTPUT(free);
  TW_OUTPUT(total);
  int device = 0;
  TW_TRY(Runtime::get().currentDevice(device));
  uint64_t f = 0, t = 0;
  Memory::get().usage(device, f, t);
  *free = f;
  *total = t;
  return kOk;
}

ACL_API aclError aclrtPointerGetAttributes(const void *pointer, PointerAttributes *attributes) {
  TW_OUTPUT(attributes);
  if (!pointer)
    return fail(kBadParameter, "aclrtPointerGetAttributes: the pointer is null");
  *attributes = {};
  Allocation a;
  const bool known = Memory::get().find(uint64_t(pointer), a);
  attributes->type = !known ? 2 : a.device == kHost ? 0 : 1;
  attributes->id = known && a.device != kHost ? uint32_t(a.device) : 0;
  attributes->pageSize = 4096;
  return kOk;
}

// Blocking copies and fills do not wait for streams; who needs an order synchronises first, as on a device.
ACL_API aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind) {
  if (bytes == 0)
    return kOk;
  TW_TRY(Memory::get().checkCopy(to, room, from, bytes, kind));
  Memory::get().copy(to, from, bytes);
  return kOk;
}
ACL_API aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, int kind,
                                  aclrtStream stream) {
  if (bytes == 0)
    return kOk;
  TW_TRY(Memory::get().checkCopy(to, room, from, bytes, kind));
  return enqueue(stream, [=] {
    Memory::get().copy(to, from, bytes);
    return Failure();
  });
}
ACL_API aclError aclrtMemset(void *to, size_t room, int32_t value, size_t bytes) {
  if (bytes == 0)
    return kOk;
  TW_TRY(checkFill(to, room, bytes));
  Memory::get().fill(to, value, bytes);
  return kOk;
}
ACL_API aclError aclrtMemsetAsync(void *to, size_t room, int32_t value, size_t bytes, aclrtStream stream) {
  if (bytes == 0)
    return kOk;
  TW_TRY(checkFill(to, room, bytes));
  return enqueue(stream, [=] {
    Memory::get().fill(to, value, bytes);
    return Failure();
  });
}
