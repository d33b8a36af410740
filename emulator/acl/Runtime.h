// The emulated machine as a whole: which device a thread uses, contexts, and the handles given out.
#ifndef TILEWRIGHT_EMULATOR_ACL_RUNTIME_H
#define TILEWRIGHT_EMULATOR_ACL_RUNTIME_H

#include "emulator/acl/Settings.h"
#include "emulator/acl/Stream.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace tilewright::acl {

/// Objects behind opaque handles. A handle that was never given out, or was destroyed, finds nothing.
template <typename T> class Handles {
public:
  void *add(std::shared_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex_);
    void *const handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<T> find(const void *handle) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  std::shared_ptr<T> remove(const void *handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end())
      return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }
  std::vector<std::shared_ptr<T>> all() const {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<T>> found;
    for (const auto &[handle, object] : objects_)
      found.push_back(object);
    return found;
  }

private:
  mutable std::mutex mutex_;
  std::unordered_map<const void *, std::shared_ptr<T>> objects_;
};

struct Context {
  int device;
  bool primary;
};

class Runtime {
public:
  static Runtime &get();

  Handles<Stream> streams;
  Handles<Event> events;
  Handles<Context> contexts;

  Failure initialize();
  Failure finalize();

  Failure checkDevice(int64_t device) const;
  /// Makes a device current for this thread, with its primary context.
  Failure setDevice(int device);
  Failure resetDevice(int device, bool force);
  bool primaryActive(int device) const;
  Context *currentContext() const;
  Failure setContext(Context *context);
  /// The current device, or kNoContext.
  Failure currentDevice(int &device) const;
  /// The stream of a handle; null is the default stream of the current device.
  Failure stream(aclrtStream handle, std::shared_ptr<Stream> &out);
  /// Waits for every stream of a device and returns the first failure of any of them.
  Failure synchronizeDevice(int device, Timeout timeout);

private:
  struct Device {
    mutable std::mutex mutex;
    std::shared_ptr<Context> primary;
    std::shared_ptr<Stream> defaultStream;
    uint32_t uses = 0;
  };
  std::array<Device, kMostDevices> devices_;
  std::mutex mutex_;
  bool initialized_ = false, finalized_ = false;
};

} // namespace tilewright::acl
#endif
