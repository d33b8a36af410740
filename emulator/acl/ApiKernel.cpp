// Exported functions about binaries and launches, in the form of today's acl and in the older rt* form.
#include "emulator/acl/Kernel.h"
#include "emulator/acl/Report.h"

#include <cstring>

using namespace tilewright::acl;

namespace {

Handles<Binary> binaries;
Handles<Function> functions;

std::mutex stubMutex;
std::unordered_map<const void *, std::shared_ptr<Function>> stubs; ///< functions of the older interface

Failure checkMagic(uint32_t magic) {
  if (magic == kMagicAiCore || magic == kMagicVector || magic == kMagicCube)
    return {};
  return failure(kBadParameter, "the magic number of a binary is 0x%08x; known are 0x%08x, 0x%08x and 0x%08x",
                 magic, kMagicAiCore, kMagicVector, kMagicCube);
}

Failure findFunction(aclrtFuncHandle handle, std::shared_ptr<Function> &out) {
  out = functions.find(handle);
  return out ? Failure() : failure(kBadHandle, "%p is not a kernel function", handle);
}

/// Arguments of kernels that read a host block at the launch.
aclError launchHost(const std::shared_ptr<Function> &function, uint32_t blocks, const void *host,
                    size_t bytes, const PlaceHolder *holders, size_t holderCount, aclrtStream handle) {
  std::shared_ptr<Stream> stream;
  TW_TRY(Runtime::get().stream(handle, stream));
  if (bytes && !host)
    return fail(kBadParameter, "the argument block is a null pointer");
  if (host && Memory::get().isDeviceAddress(uint64_t(host)))
    return fail(kBadMemoryType, "the argument block %p is device memory; this launch takes host memory",
                host);
  if (holderCount && !holders)
    return fail(kBadParameter, "%zu placeholders at a null pointer", holderCount);
  Arguments arguments;
  const auto *data = static_cast<const uint8_t *>(host);
  arguments.bytes.assign(data, data + bytes);
  arguments.placeHolders.assign(holders, holders + holderCount);
  return report(launch(function, blocks, std::move(arguments), stream));
}

aclError launchDevice(aclrtFuncHandle handle, uint32_t blocks, const void *block, size_t bytes,
                      aclrtStream streamHandle) {
  std::shared_ptr<Function> function;
  std::shared_ptr<Stream> stream;
  TW_TRY(findFunction(handle, function));
  TW_TRY(Runtime::get().stream(streamHandle, stream));
  if (!Memory::get().isDeviceAddress(uint64_t(block)))
    return fail(kBadParameter,
                "kernel %s: the argument block %p is host memory; aclrtLaunchKernel takes device memory "
                "(aclrtLaunchKernelWithHostArgs takes host memory)",
                function->name.c_str(), block);
  if (bytes != function->argumentBytes)
    return fail(kBadParameter, "kernel %s takes %zu bytes of arguments, %zu were given",
                function->name.c_str(), function->argumentBytes, bytes);
  TW_TRY(Memory::get().check("the argument block", block, bytes, true));
  Arguments arguments;
  arguments.deviceAddress = uint64_t(block);
  return report(launch(function, blocks, std::move(arguments), stream));
}

} // namespace

ACL_API aclError aclrtBinaryLoadFromData(const void *data, size_t bytes, const BinaryLoadOptions *options,
                                         aclrtBinHandle *handle) {
  TW_OUTPUT(handle);
  for (size_t i = 0; options && i < options->count; ++i)
    if (options->options[i].type == 2)
      TW_TRY(checkMagic(options->options[i].value.magic));
  std::shared_ptr<Binary> binary;
  TW_TRY(Binary::load(data, bytes, binary));
  *handle = binaries.add(binary);
  return kOk;
}
ACL_API aclError aclrtBinaryLoadFromFile(const char *path, const BinaryLoadOptions *options,
                                         aclrtBinHandle *handle) {
  TW_OUTPUT(handle);
  for (size_t i = 0; options && i < options->count; ++i)
    if (options->options[i].type == 2)
      return fail(kBadParameter,
                  "aclrtBinaryLoadFromFile: the magic number is read from the file's .json, not given");
  std::shared_ptr<Binary> binary;
  TW_TRY(Binary::loadFile(path, binary));
  *handle = binaries.add(binary);
  return kOk;
}
ACL_API aclError aclrtBinaryUnLoad(aclrtBinHandle handle) {
  // Queued launches keep the kernel they use.
  return binaries.remove(handle) ? kOk : fail(kBadHandle, "aclrtBinaryUnLoad: %p is not a binary", handle);
}
ACL_API aclError aclrtBinaryGetFunction(aclrtBinHandle handle, const char *name, aclrtFuncHandle *out) {
  TW_OUTPUT(out);
  const std::shared_ptr<Binary> binary = binaries.find(handle);
  if (!binary)
    return fail(kBadHandle, "aclrtBinaryGetFunction: %p is not a binary", handle);
  std::shared_ptr<Function> function;
  TW_TRY(binary->function(name, function));
  *out = functions.add(function);
  return kOk;
}
ACL_API aclError aclrtGetFunctionName(aclrtFuncHandle handle, uint32_t room, char *name) {
  TW_OUTPUT(name);
  std::shared_ptr<Function> function;
  TW_TRY(findFunction(handle, function));
  if (function->name.size() >= room)
    return fail(kBadParameter, "aclrtGetFunctionName: room for %u bytes, the name has %zu", room,
                function->name.size());
  std::strcpy(name, function->name.c_str());
  return kOk;
}

ACL_API aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle handle, uint32_t blocks, aclrtStream stream,
                                               void *, void *host, size_t bytes, PlaceHolder *holders,
                                               size_t holderCount) {
  std::shared_ptr<Function> function;
  TW_TRY(findFunction(handle, function));
  return launchHost(function, blocks, host, bytes, holders, holderCount, stream);
}
ACL_API aclError aclrtLaunchKernel(aclrtFuncHandle handle, uint32_t blocks, const void *block, size_t bytes,
                                   aclrtStream stream) {
  return launchDevice(handle, blocks, block, bytes, stream);
}
ACL_API aclError aclrtLaunchKernelV2(aclrtFuncHandle handle, uint32_t blocks, const void *block, size_t bytes,
                                     void *, aclrtStream stream) {
  return launchDevice(handle, blocks, block, bytes, stream);
}

/// The area through which cores synchronise; kernels here get its address as their first argument.
ACL_API aclError aclrtGetHardwareSyncAddr(void **address) {
  TW_OUTPUT(address);
  static std::mutex mutex;
  static uint64_t areas[kMostDevices];
  int device = 0;
  TW_TRY(Runtime::get().currentDevice(device));
  std::lock_guard<std::mutex> lock(mutex);
  if (!areas[device])
    TW_TRY(Memory::get().allocate(device, 4096, areas[device]));
  *address = reinterpret_cast<void *>(areas[device]);
  return kOk;
}

ACL_API int rtDevBinaryRegister(const DeviceBinary *binary, void **handle) {
  TW_OUTPUT(handle);
  TW_OUTPUT(binary);
  TW_TRY(checkMagic(binary->magic));
  std::shared_ptr<Binary> loaded;
  TW_TRY(Binary::load(binary->data, binary->length, loaded));
  *handle = binaries.add(loaded);
  return kOk;
}
ACL_API int rtDevBinaryUnRegister(void *handle) {
  return binaries.remove(handle) ? kOk
                                 : fail(kBadHandle, "rtDevBinaryUnRegister: %p is not a binary", handle);
}
ACL_API int rtFunctionRegister(void *handle, const void *stub, const char *, const void *name, uint32_t) {
  const std::shared_ptr<Binary> binary = binaries.find(handle);
  if (!binary)
    return fail(kBadHandle, "rtFunctionRegister: %p is not a binary", handle);
  std::shared_ptr<Function> function;
  TW_TRY(binary->function(static_cast<const char *>(name), function));
  std::lock_guard<std::mutex> lock(stubMutex);
  stubs[stub] = function;
  return kOk;
}
ACL_API int rtKernelLaunch(const void *stub, uint32_t blocks, void *host, uint32_t bytes, void *,
                           aclrtStream stream) {
  std::shared_ptr<Function> function;
  {
    std::lock_guard<std::mutex> lock(stubMutex);
    const auto found = stubs.find(stub);
    if (found != stubs.end())
      function = found->second;
  }
  if (!function)
    return fail(kBadHandle, "rtKernelLaunch: no kernel is registered for the stub %p", stub);
  return launchHost(function, blocks, host, bytes, nullptr, 0, stream);
}
ACL_API int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *bytes) {
  TW_OUTPUT(address);
  void *area = nullptr;
  if (const aclError code = aclrtGetHardwareSyncAddr(&area))
    return code;
  *address = uint64_t(area);
  if (bytes)
    *bytes = 4096;
  return kOk;
}
