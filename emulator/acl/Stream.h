// Streams and events: one ordered worker thread a stream.
#ifndef TILEWRIGHT_EMULATOR_ACL_STREAM_H
#define TILEWRIGHT_EMULATOR_ACL_STREAM_H

#include "emulator/acl/Error.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace tilewright::acl {

using Clock = std::chrono::steady_clock;

/// -1 or 0 milliseconds mean: wait for ever.
struct Timeout {
  int milliseconds = -1;
};

/// A first-in first-out queue of work. After a failure later work is skipped and every synchronisation
/// returns the first failure: what a device does until it is reset.
class Stream {
public:
  using Work = std::function<Failure()>;

  explicit Stream(int device);
  int device() const { return device_; }
  int id() const { return id_; }

  /// Work with `always` also runs after a failure (events, so that other streams do not wait for ever).
  void enqueue(Work work, bool always = false);
  bool idle() const;
  Failure synchronize(Timeout timeout);
  Failure error() const;
  /// Ends the worker after the queued work, or after the running one if `drop`.
  void finish(bool drop);
  /// True on the thread that runs this stream's work, which must not wait for itself.
  bool isCurrentThread() const;

private:
  struct Item {
    Work work;
    bool always;
  };
  struct State {
    std::mutex mutex;
    std::condition_variable work, idle;
    std::deque<Item> queue;
    bool started = false, busy = false, ending = false;
    Failure failure;
  };
  static void run(std::shared_ptr<State> state);

  const int device_, id_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// An event names the latest of its recordings at the time of the call that uses it.
class Event : public std::enable_shared_from_this<Event> {
public:
  Event(int device, uint32_t flags);
  int device() const { return device_; }
  int id() const { return id_; }

  void record(const std::shared_ptr<Stream> &stream);
  void wait(Stream &stream, Timeout timeout);
  void reset(Stream &stream);
  /// True when it was recorded and that recording was reached.
  bool complete() const;
  /// True while a stream still has to wait for it.
  bool awaited() const;
  Failure synchronize(Timeout timeout);
  /// Nanoseconds of the latest recording; false if there is none or the event keeps no time.
  bool timestamp(uint64_t &nanoseconds) const;
  bool keepsTime() const { return flags_ == 0 || (flags_ & kEventTimeLine); }

private:
  Failure await(uint64_t version, Timeout timeout);

  const int device_, id_;
  const uint32_t flags_;
  mutable std::mutex mutex_;
  std::condition_variable reached_;
  uint64_t recorded_ = 0, done_ = 0, waiting_ = 0;
  uint64_t nanoseconds_ = 0;
  Failure failure_; ///< of the stream when the event was reached
};

} // namespace tilewright::acl
#endif
