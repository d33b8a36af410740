// Exported functions about the process, devices, contexts and versions.
#include "emulator/acl/Memory.h"
#include "emulator/acl/Report.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

using namespace tilewright::acl;

namespace {

/// The version that programs see: CANN releases of torch_npu's time. It only switches features.
constexpr const char *kCannVersion = "8.5.0";

std::atomic<int64_t> systemParameters[8];
std::atomic<bool> systemParameterSet[8];
std::atomic<int> saturationMode{1}; // 0 saturates, 1 keeps infinity and NaN: the A2's default
std::mutex compileOptionMutex;      // guards the options
/// ACL_OP_JIT_COMPILE starts as "disable": the default of A2 parts, whose operators come precompiled. With
/// anything else torch_npu converts weights to private formats of the operator library.
std::string compileOptions[32] = {"", "", "", "", "", "", "", "", "", "", "disable"};

/// Attributes of a device by the numbers of aclrtDevAttr; false if the emulated machine has no such figure.
bool attribute(int number, int64_t &value) {
  const Settings &s = settings();
  switch (number) {
  case 101:
  case 102:
    value = s.part.cubeCores;
    return true;
  case 201:
    value = s.part.vectorCores;
    return true;
  case 204:
    value = 192 << 10;
    return true;
  case 301:
    value = int64_t(s.memoryBytes);
    return true;
  case 302:
    value = int64_t(s.part.l2Bytes);
    return s.part.l2Bytes != 0;
  case 402:
    value = 0;
    return true;
  }
  return false;
}

Failure checkParameter(int option) {
  if (option < 0 || option >= 8)
    return failure(kBadParameter, "%d is not a system parameter", option);
  return {};
}

} // namespace

ACL_API aclError aclInit(const char *) { return report(Runtime::get().initialize()); }
ACL_API aclError aclFinalize() { return report(Runtime::get().finalize()); }
ACL_API const char *aclGetRecentErrMsg() { return takeMessage(); }
ACL_API aclError aclrtPeekAtLastError(int) { return peekLastError(); }
ACL_API aclError aclrtGetLastError(int) { return takeLastError(); }

/// Messages of programs for CANN's log; shown when TILEWRIGHT_ACL_LOG is 1.
ACL_API void aclAppLog(int level, const char *function, const char *file, uint32_t line, const char *format,
                       ...) {
  static const char *const shown = getenv("TILEWRIGHT_ACL_LOG");
  if (!shown || std::strcmp(shown, "1"))
    return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "acl log %d: %s (%s:%u): %s\n", level, function, file, line, text);
}

ACL_API aclError aclsysGetVersionStr(char *package, char *version) {
  TW_OUTPUT(version);
  (void)package;
  std::strcpy(version, kCannVersion);
  return kOk;
}

ACL_API aclError aclGetCannAttribute(int name, int32_t *value) {
  TW_OUTPUT(value);
  // 0 infinity and NaN, 1 bf16: the vector unit of an A2 has both. 2 compilation of operators at run time:
  // none.
  if (name < 0 || name > 2)
    return fail(kBadParameter, "aclGetCannAttribute: %d is not an attribute", name);
  *value = name < 2;
  return kOk;
}

ACL_API aclError aclGetDeviceCapability(uint32_t device, int what, int64_t *value) {
  TW_OUTPUT(value);
  TW_TRY(Runtime::get().checkDevice(device));
  static const int numbers[] = {101, 201, 302};
  if (what < 0 || what > 2 || !attribute(numbers[what], *value))
    return fail(kBadParameter, "aclGetDeviceCapability: %d is not known of this device", what);
  return kOk;
}

// Options of the compiler of single operators. They are kept, and read back; nothing is compiled here.
ACL_API aclError aclSetCompileopt(int option, const char *value) {
  if (option < 0 || option >= 32 || !value)
    return fail(kBadParameter, "aclSetCompileopt: option %d", option);
  std::lock_guard<std::mutex> lock(compileOptionMutex);
  compileOptions[option] = value;
  return kOk;
}
ACL_API size_t aclGetCompileoptSize(int option) {
  std::lock_guard<std::mutex> lock(compileOptionMutex);
  return option < 0 || option >= 32 ? 0 : compileOptions[option].size() + 1;
}
ACL_API aclError aclGetCompileopt(int option, char *value, size_t length) {
  TW_OUTPUT(value);
  std::lock_guard<std::mutex> lock(compileOptionMutex);
  if (option < 0 || option >= 32 || length <= compileOptions[option].size())
    return fail(kBadParameter, "aclGetCompileopt: option %d, room for %zu bytes", option, length);
  std::strcpy(value, compileOptions[option].c_str());
  return kOk;
}

ACL_API aclError aclrtGetDeviceCount(uint32_t *count) {
  TW_OUTPUT(count);
  *count = settings().devices;
  return kOk;
}
ACL_API aclError aclrtSetDevice(int32_t device) { return report(Runtime::get().setDevice(device)); }
ACL_API aclError aclrtGetDevice(int32_t *device) {
  TW_OUTPUT(device);
  return report(Runtime::get().currentDevice(*device));
}
ACL_API aclError aclrtResetDevice(int32_t device) {
  return report(Runtime::get().resetDevice(device, false));
}
ACL_API aclError aclrtResetDeviceForce(int32_t device) {
  return report(Runtime::get().resetDevice(device, true));
}

ACL_API aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  int device = 0;
  TW_TRY(Runtime::get().currentDevice(device));
  return report(Runtime::get().synchronizeDevice(device, {timeout}));
}
ACL_API aclError aclrtSynchronizeDevice() { return aclrtSynchronizeDeviceWithTimeout(-1); }

ACL_API const char *aclrtGetSocName() { return settings().part.name; }
ACL_API aclError aclrtGetRunMode(int *mode) {
  TW_OUTPUT(mode);
  *mode = 1; // the program runs on the host
  return kOk;
}
ACL_API aclError aclrtDeviceGetBareTgid(int32_t *pid) {
  TW_OUTPUT(pid);
  *pid = getpid();
  return kOk;
}
ACL_API aclError aclrtGetLogicDevIdByUserDevId(int32_t user, int32_t *logical) {
  TW_OUTPUT(logical);
  TW_TRY(Runtime::get().checkDevice(user));
  *logical = user;
  return kOk;
}
ACL_API aclError aclrtGetDeviceInfo(uint32_t device, int number, int64_t *value) {
  TW_OUTPUT(value);
  TW_TRY(Runtime::get().checkDevice(device));
  if (!attribute(number, *value))
    return fail(kUnsupported, "aclrtGetDeviceInfo: attribute %d of %s is not known", number,
                settings().part.name);
  return kOk;
}
ACL_API aclError aclrtQueryDeviceStatus(int32_t device, int *status) {
  TW_OUTPUT(status);
  TW_TRY(Runtime::get().checkDevice(device));
  *status = 0;
  return kOk;
}
ACL_API aclError aclrtGetPrimaryCtxState(int32_t device, uint32_t *flags, int32_t *active) {
  TW_OUTPUT(active);
  TW_TRY(Runtime::get().checkDevice(device));
  if (flags)
    *flags = 0;
  *active = Runtime::get().primaryActive(device);
  return kOk;
}
ACL_API aclError aclrtSetDeviceSatMode(int mode) {
  if (mode != 0 && mode != 1)
    return fail(kBadParameter, "aclrtSetDeviceSatMode: %d is not a mode", mode);
  if (mode == 0)
    return fail(kUnsupported, "aclrtSetDeviceSatMode: saturating arithmetic is not emulated");
  saturationMode = mode;
  return kOk;
}
ACL_API aclError aclrtGetDeviceSatMode(int *mode) {
  TW_OUTPUT(mode);
  *mode = saturationMode;
  return kOk;
}

// Cores a program limits itself to: the whole device, as limits are not emulated.
ACL_API aclError aclrtGetDeviceResLimit(int32_t device, int type, uint32_t *value) {
  TW_OUTPUT(value);
  TW_TRY(Runtime::get().checkDevice(device));
  *value = type == 0 ? settings().part.cubeCores : settings().part.vectorCores;
  return kOk;
}
ACL_API aclError aclrtGetResInCurrentThread(int type, uint32_t *value) {
  TW_OUTPUT(value);
  *value = type == 0 ? settings().part.cubeCores : settings().part.vectorCores;
  return kOk;
}

ACL_API aclError aclrtCreateContext(aclrtContext *context, int32_t device) {
  TW_OUTPUT(context);
  TW_TRY(Runtime::get().setDevice(device));
  const auto made = std::make_shared<Context>(Context{device, false});
  *context = Runtime::get().contexts.add(made);
  return report(Runtime::get().setContext(made.get()));
}
ACL_API aclError aclrtDestroyContext(aclrtContext context) {
  const std::shared_ptr<Context> found = Runtime::get().contexts.find(context);
  if (!found || found->primary)
    return fail(kNoContext, "aclrtDestroyContext: %p is not a context made by aclrtCreateContext", context);
  Runtime::get().contexts.remove(context);
  return report(Runtime::get().resetDevice(found->device, false));
}
ACL_API aclError aclrtSetCurrentContext(aclrtContext context) {
  return report(Runtime::get().setContext(static_cast<Context *>(context)));
}
ACL_API aclError aclrtGetCurrentContext(aclrtContext *context) {
  TW_OUTPUT(context);
  *context = Runtime::get().currentContext();
  return *context ? kOk : fail(kNoContext, "this thread has no context; call aclrtSetDevice first");
}

// 0 deterministic operators, 1 debug kernels, 2 strong consistency: kept and read back. Emulated kernels are
// deterministic with any value.
ACL_API aclError aclrtSetSysParamOpt(int option, int64_t value) {
  TW_TRY(checkParameter(option));
  systemParameters[option] = value;
  systemParameterSet[option] = true;
  return kOk;
}
ACL_API aclError aclrtGetSysParamOpt(int option, int64_t *value) {
  TW_OUTPUT(value);
  TW_TRY(checkParameter(option));
  *value = systemParameters[option];
  return kOk;
}
ACL_API aclError aclrtCtxSetSysParamOpt(int option, int64_t value) {
  return aclrtSetSysParamOpt(option, value);
}
ACL_API aclError aclrtCtxGetSysParamOpt(int option, int64_t *value) {
  return aclrtGetSysParamOpt(option, value);
}

ACL_API aclError aclrtDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer) {
  TW_OUTPUT(can);
  TW_TRY(Runtime::get().checkDevice(device));
  TW_TRY(Runtime::get().checkDevice(peer));
  *can = device != peer;
  return kOk;
}
/// Copies between devices always work here; kernels see the memory of their own device only.
ACL_API aclError aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags) {
  TW_TRY(Runtime::get().checkDevice(peer));
  if (flags)
    return fail(kUnsupported, "aclrtDeviceEnablePeerAccess: flags %u; 0 is the only value", flags);
  return kOk;
}
ACL_API aclError aclrtDeviceDisablePeerAccess(int32_t peer) {
  return report(Runtime::get().checkDevice(peer));
}
