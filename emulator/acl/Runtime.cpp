#include "emulator/acl/Runtime.h"

namespace tilewright::acl {
namespace {

/// A new host thread has no device: programs find out whether they have to choose one.
thread_local std::shared_ptr<Context> threadContext;

} // namespace

Runtime &Runtime::get() {
  static Runtime *const runtime = new Runtime; // never destroyed: worker threads outlive main
  return *runtime;
}

Failure Runtime::initialize() {
  if (!settings().problem.empty())
    return failure(kBadParameter, "%s", settings().problem.c_str());
  std::lock_guard<std::mutex> lock(mutex_);
  if (initialized_)
    return failure(kRepeatInitialize, "aclInit was called already");
  initialized_ = true;
  return {};
}

Failure Runtime::finalize() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (finalized_)
    return failure(kRepeatFinalize, "aclFinalize was called already");
  finalized_ = true;
  return {};
}

Failure Runtime::checkDevice(int64_t device) const {
  if (!settings().problem.empty())
    return failure(kBadParameter, "%s", settings().problem.c_str());
  if (device < 0 || device >= settings().devices)
    return failure(kBadDevice,
                   "there is no device %lld; the emulated machine has %u (TILEWRIGHT_ACL_DEVICES)",
                   static_cast<long long>(device), settings().devices);
  return {};
}

Failure Runtime::setDevice(int device) {
  if (Failure f = checkDevice(device))
    return f;
  Device &d = devices_[device];
  std::lock_guard<std::mutex> lock(d.mutex);
  if (!d.primary) {
    d.primary = std::make_shared<Context>(Context{device, true});
    contexts.add(d.primary);
  }
  if (!d.defaultStream) {
    d.defaultStream = std::make_shared<Stream>(device);
    streams.add(d.defaultStream);
  }
  ++d.uses;
  threadContext = d.primary;
  return {};
}

Failure Runtime::resetDevice(int device, bool force) {
  if (Failure f = checkDevice(device))
    return f;
  Device &d = devices_[device];
  {
    std::lock_guard<std::mutex> lock(d.mutex);
    if (!d.uses)
      return failure(kNoContext, "device %d is reset but was never set", device);
    if (!force && --d.uses)
      return {};
    d.uses = 0;
  }
  const Failure pending = synchronizeDevice(device, {});
  std::lock_guard<std::mutex> lock(d.mutex);
  // A stream that failed takes no more work; the next user of the device gets a new default stream.
  if (d.defaultStream) {
    streams.remove(d.defaultStream.get());
    d.defaultStream->finish(false);
    d.defaultStream.reset();
  }
  if (threadContext && threadContext->device == device)
    threadContext.reset();
  (void)pending; // was or will be reported where a stream is synchronised; a reset clears it
  return {};
}

bool Runtime::primaryActive(int device) const {
  const Device &d = devices_[device];
  std::lock_guard<std::mutex> lock(d.mutex);
  return d.uses != 0;
}

Context *Runtime::currentContext() const { return threadContext.get(); }

Failure Runtime::setContext(Context *context) {
  std::shared_ptr<Context> found = contexts.find(context);
  if (!found)
    return failure(kNoContext, "%p is not a context", static_cast<void *>(context));
  threadContext = std::move(found);
  return {};
}

Failure Runtime::currentDevice(int &device) const {
  if (!threadContext)
    return failure(kNoContext, "this thread has no device; call aclrtSetDevice first");
  device = threadContext->device;
  return {};
}

Failure Runtime::stream(aclrtStream handle, std::shared_ptr<Stream> &out) {
  if (handle) {
    out = streams.find(handle);
    if (!out)
      return failure(kBadStream, "%p is not a stream, or was destroyed", handle);
    return {};
  }
  int device = 0;
  if (Failure f = currentDevice(device))
    return f;
  Device &d = devices_[device];
  std::lock_guard<std::mutex> lock(d.mutex);
  out = d.defaultStream;
  if (!out)
    return failure(kNoContext, "device %d was reset; call aclrtSetDevice first", device);
  return {};
}

Failure Runtime::synchronizeDevice(int device, Timeout timeout) {
  const auto end = Clock::now() + std::chrono::milliseconds(timeout.milliseconds);
  Failure first;
  for (const std::shared_ptr<Stream> &stream : streams.all()) {
    if (stream->device() != device)
      continue;
    Timeout rest = timeout;
    if (timeout.milliseconds > 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      rest.milliseconds = left > 1 ? int(left) : 1;
    }
    Failure f = stream->synchronize(rest);
    if (f && !first)
      first = std::move(f);
  }
  return first;
}

} // namespace tilewright::acl
