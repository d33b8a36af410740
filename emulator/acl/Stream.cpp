#include "emulator/acl/Stream.h"

#include <atomic>
#include <thread>

namespace tilewright::acl {
namespace {

std::atomic<int> nextStream{0}, nextEvent{0};
thread_local const void *currentState = nullptr;

template <typename Condition>
bool waitFor(std::condition_variable &variable, std::unique_lock<std::mutex> &lock, Timeout timeout,
             Condition condition) {
  if (timeout.milliseconds <= 0) {
    variable.wait(lock, condition);
    return true;
  }
  return variable.wait_for(lock, std::chrono::milliseconds(timeout.milliseconds), condition);
}

} // namespace

Stream::Stream(int device) : device_(device), id_(nextStream++) {}

void Stream::run(std::shared_ptr<State> state) {
  currentState = state.get();
  std::unique_lock<std::mutex> lock(state->mutex);
  for (;;) {
    state->work.wait(lock, [&] { return !state->queue.empty() || state->ending; });
    if (state->queue.empty())
      return;
    Item item = std::move(state->queue.front());
    state->queue.pop_front();
    if (!state->failure || item.always) {
      state->busy = true;
      lock.unlock();
      Failure failure = item.work();
      item.work = nullptr; // what it holds is released before the stream counts as idle
      lock.lock();
      state->busy = false;
      if (failure && !state->failure)
        state->failure = std::move(failure);
    }
    if (state->queue.empty())
      state->idle.notify_all();
  }
}

void Stream::enqueue(Work work, bool always) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (!state_->started) {
    state_->started = true;
    std::thread(run, state_).detach();
  }
  state_->queue.push_back({std::move(work), always});
  state_->work.notify_one();
}

bool Stream::idle() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->queue.empty() && !state_->busy;
}

Failure Stream::error() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->failure;
}

bool Stream::isCurrentThread() const { return currentState == state_.get(); }

Failure Stream::synchronize(Timeout timeout) {
  if (isCurrentThread())
    return failure(kBadStream, "a callback of stream %d waits for its own stream", id_);
  std::unique_lock<std::mutex> lock(state_->mutex);
  if (!waitFor(state_->idle, lock, timeout, [&] { return state_->queue.empty() && !state_->busy; }))
    return failure(kStreamTimeout, "stream %d was not done after %d ms", id_, timeout.milliseconds);
  return state_->failure;
}

void Stream::finish(bool drop) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (drop) {
    std::deque<Item> kept;
    for (Item &item : state_->queue)
      if (item.always)
        kept.push_back(std::move(item));
    state_->queue.swap(kept);
  }
  state_->ending = true;
  state_->work.notify_all();
}

Event::Event(int device, uint32_t flags) : device_(device), id_(nextEvent++), flags_(flags) {}

void Event::record(const std::shared_ptr<Stream> &stream) {
  uint64_t version;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    version = ++recorded_;
  }
  auto self = shared_from_this();
  stream->enqueue(
      [self, version, stream] {
        Failure failure = stream->error();
        std::lock_guard<std::mutex> lock(self->mutex_);
        if (version > self->done_)
          self->done_ = version;
        self->nanoseconds_ = uint64_t(Clock::now().time_since_epoch().count());
        self->failure_ = std::move(failure);
        self->reached_.notify_all();
        return Failure();
      },
      /*always=*/true);
}

void Event::wait(Stream &stream, Timeout timeout) {
  uint64_t version;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    version = recorded_;
    ++waiting_;
  }
  auto self = shared_from_this();
  stream.enqueue(
      [self, version, timeout] {
        Failure failure = self->await(version, timeout);
        std::lock_guard<std::mutex> lock(self->mutex_);
        --self->waiting_;
        return failure;
      },
      /*always=*/true);
}

void Event::reset(Stream &stream) {
  auto self = shared_from_this();
  stream.enqueue([self] {
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->nanoseconds_ = 0;
    return Failure();
  });
}

bool Event::complete() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return recorded_ && done_ >= recorded_;
}

bool Event::awaited() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return waiting_ != 0;
}

Failure Event::await(uint64_t version, Timeout timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!waitFor(reached_, lock, timeout, [&] { return done_ >= version; }))
    return failure(kEventTimeout, "event %d was not reached after %d ms", id_, timeout.milliseconds);
  return {};
}

Failure Event::synchronize(Timeout timeout) {
  uint64_t version;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    version = recorded_;
  }
  if (Failure failure = await(version, timeout))
    return failure;
  std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

bool Event::timestamp(uint64_t &nanoseconds) const {
  std::lock_guard<std::mutex> lock(mutex_);
  nanoseconds = nanoseconds_;
  return keepsTime() && recorded_ && done_ >= recorded_ && nanoseconds_ != 0;
}

} // namespace tilewright::acl
