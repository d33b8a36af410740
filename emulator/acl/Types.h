// Types and numbers of the ACL C interface that the emulated runtime exports. Own declarations of the public
// interface (CANN's acl_rt.h, acl_base_rt.h, rt_error_codes.h); values are part of the ABI.
#ifndef TILEWRIGHT_EMULATOR_ACL_TYPES_H
#define TILEWRIGHT_EMULATOR_ACL_TYPES_H

#include <cstddef>
#include <cstdint>

#define ACL_API extern "C" __attribute__((visibility("default")))

using aclError = int;
using aclrtStream = void *;
using aclrtEvent = void *;
using aclrtContext = void *;
using aclrtBinHandle = void *;
using aclrtFuncHandle = void *;
using aclrtArgsHandle = void *;
using aclrtParamHandle = void *;

namespace tilewright::acl {

enum Code : aclError {
  kOk = 0,
  kRepeatInitialize = 100002,
  kRepeatFinalize = 100037,
  kBadParameter = 107000,
  kBadDevice = 107001,
  kNoContext = 107002,
  kBadStream = 107003,
  kNoTimestamp = 107006,
  kBadFile = 107009,
  kThreadSubscribed = 107012,
  kBadMemoryType = 107016,
  kBadHandle = 107017,
  kReportTimeout = 107019,
  kNoSymbol = 107042,
  kUnsupported = 207000,
  kOutOfMemory = 207001,
  kNoDevice = 207004,
  kVectorCoreException = 507035,
  kVectorCoreTrap = 507036,
  kStreamTimeout = 507046,
  kEventTimeout = 507047,
};

enum CopyKind : int {
  kHostToHost = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 3,
  kInferred = 4,
  kHostToBufferToDevice = 5,
  kWithinDevice = 6,
  kBetweenDevices = 7,
};

/// Flags of events; an event without a flag can do everything.
enum EventFlag : uint32_t { kEventSync = 1, kEventTimeLine = 8 };

struct BinaryLoadOption {
  int type; ///< 1 lazy load, 2 magic
  union {
    uint32_t magic;
    uint32_t reserved[4];
  } value;
};
struct BinaryLoadOptions {
  BinaryLoadOption *options;
  size_t count;
};
enum BinaryMagic : uint32_t { kMagicAiCore = 0x43554245, kMagicVector = 0x41415246, kMagicCube = 0x41494343 };

/// A pointer inside a host argument block: at `addrOffset` the runtime writes the device address of the byte
/// at `dataOffset` of its own copy of the block.
struct PlaceHolder {
  uint32_t addrOffset, dataOffset;
};

/// Where a pointer points to: 0 host memory of the runtime, 1 device memory, 2 memory unknown to it.
struct PointerAttributes {
  uint32_t id;
  int type;
  uint32_t pageSize;
  uint32_t reserved[4];
};

/// Binary of the older rt* interface.
struct DeviceBinary {
  uint32_t magic, version;
  const void *data;
  uint64_t length;
};

} // namespace tilewright::acl
#endif
