// Exported functions about streams, events and callbacks.
#include "emulator/acl/Report.h"

#include <pthread.h>

using namespace tilewright::acl;

namespace {

aclError create(aclrtStream *handle) {
  int device = 0;
  TW_TRY(Runtime::get().currentDevice(device));
  *handle = Runtime::get().streams.add(std::make_shared<Stream>(device));
  return kOk;
}

aclError destroy(aclrtStream handle, bool drop) {
  const std::shared_ptr<Stream> stream = Runtime::get().streams.remove(handle);
  if (!stream)
    return fail(kBadStream, "%p is not a stream, or was destroyed", handle);
  if (!drop)
    (void)stream->synchronize({}); // its failure was or will be reported by those who wait for the work
  stream->finish(drop);
  return kOk;
}

Failure findEvent(aclrtEvent handle, std::shared_ptr<Event> &out) {
  out = Runtime::get().events.find(handle);
  return out ? Failure() : failure(kBadHandle, "%p is not an event, or was destroyed", handle);
}

aclError createEvent(aclrtEvent *event, uint32_t flags) {
  int device = 0;
  TW_TRY(Runtime::get().currentDevice(device));
  *event = Runtime::get().events.add(std::make_shared<Event>(device, flags));
  return kOk;
}

} // namespace

ACL_API aclError aclrtCreateStream(aclrtStream *stream) {
  TW_OUTPUT(stream);
  return create(stream);
}
/// Priorities and flags are hints for the scheduler of a device and change no result.
ACL_API aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t, uint32_t) {
  TW_OUTPUT(stream);
  return create(stream);
}
ACL_API aclError aclrtDestroyStream(aclrtStream stream) { return destroy(stream, false); }
ACL_API aclError aclrtDestroyStreamForce(aclrtStream stream) { return destroy(stream, true); }
ACL_API aclError aclrtSynchronizeStreamWithTimeout(aclrtStream handle, int32_t timeout) {
  std::shared_ptr<Stream> stream;
  TW_TRY(Runtime::get().stream(handle, stream));
  return report(stream->synchronize({timeout}));
}
ACL_API aclError aclrtSynchronizeStream(aclrtStream stream) {
  return aclrtSynchronizeStreamWithTimeout(stream, -1);
}
ACL_API aclError aclrtStreamQuery(aclrtStream handle, int *status) {
  TW_OUTPUT(status);
  std::shared_ptr<Stream> stream;
  TW_TRY(Runtime::get().stream(handle, stream));
  *status = stream->idle() ? 0 : 1;
  return kOk;
}
ACL_API aclError aclrtStreamGetId(aclrtStream handle, int32_t *id) {
  TW_OUTPUT(id);
  std::shared_ptr<Stream> stream;
  TW_TRY(Runtime::get().stream(handle, stream));
  *id = stream->id();
  return kOk;
}
/// 1 stops at the first failure: the only behaviour here. 0 (go on) is what programs ask for by default and
/// is accepted; later work of a failed stream is skipped all the same.
ACL_API aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t mode) {
  std::shared_ptr<Stream> stream;
  TW_TRY(Runtime::get().stream(handle, stream));
  return mode <= 1 ? kOk
                   : fail(kBadParameter, "aclrtSetStreamFailureMode: mode %llu is 0 or 1",
                          static_cast<unsigned long long>(mode));
}

ACL_API aclError aclrtCreateEvent(aclrtEvent *event) {
  TW_OUTPUT(event);
  return createEvent(event, 0);
}
ACL_API aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flags) {
  TW_OUTPUT(event);
  return createEvent(event, flags);
}
ACL_API aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flags) {
  TW_OUTPUT(event);
  return createEvent(event, flags);
}
ACL_API aclError aclrtDestroyEvent(aclrtEvent event) {
  // Queued recordings and waits keep the event itself alive.
  if (!Runtime::get().events.remove(event))
    return fail(kBadHandle, "%p is not an event, or was destroyed", event);
  return kOk;
}
ACL_API aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream streamHandle) {
  std::shared_ptr<Event> event;
  std::shared_ptr<Stream> stream;
  TW_TRY(findEvent(handle, event));
  TW_TRY(Runtime::get().stream(streamHandle, stream));
  event->record(stream);
  return kOk;
}
ACL_API aclError aclrtResetEvent(aclrtEvent handle, aclrtStream streamHandle) {
  std::shared_ptr<Event> event;
  std::shared_ptr<Stream> stream;
  TW_TRY(findEvent(handle, event));
  TW_TRY(Runtime::get().stream(streamHandle, stream));
  event->reset(*stream);
  return kOk;
}
ACL_API aclError aclrtStreamWaitEventWithTimeout(aclrtStream streamHandle, aclrtEvent handle,
                                                 int32_t timeout) {
  std::shared_ptr<Event> event;
  std::shared_ptr<Stream> stream;
  TW_TRY(findEvent(handle, event));
  TW_TRY(Runtime::get().stream(streamHandle, stream));
  event->wait(*stream, {timeout});
  return kOk;
}
ACL_API aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return aclrtStreamWaitEventWithTimeout(stream, event, -1);
}
ACL_API aclError aclrtQueryEventStatus(aclrtEvent handle, int *status) {
  TW_OUTPUT(status);
  std::shared_ptr<Event> event;
  TW_TRY(findEvent(handle, event));
  *status = event->complete() ? 1 : 0;
  return kOk;
}
ACL_API aclError aclrtQueryEvent(aclrtEvent handle, int *status) {
  TW_OUTPUT(status);
  std::shared_ptr<Event> event;
  TW_TRY(findEvent(handle, event));
  *status = event->complete() ? 0 : 1;
  return kOk;
}
ACL_API aclError aclrtQueryEventWaitStatus(aclrtEvent handle, int *status) {
  TW_OUTPUT(status);
  std::shared_ptr<Event> event;
  TW_TRY(findEvent(handle, event));
  *status = event->awaited() ? 1 : 0;
  return kOk;
}
ACL_API aclError aclrtSynchronizeEventWithTimeout(aclrtEvent handle, int32_t timeout) {
  std::shared_ptr<Event> event;
  TW_TRY(findEvent(handle, event));
  return report(event->synchronize({timeout}));
}
ACL_API aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return aclrtSynchronizeEventWithTimeout(event, -1);
}
/// Wall-clock time of the host between two recordings: not the time of a device.
ACL_API aclError aclrtEventElapsedTime(float *milliseconds, aclrtEvent startHandle, aclrtEvent endHandle) {
  TW_OUTPUT(milliseconds);
  std::shared_ptr<Event> start, end;
  TW_TRY(findEvent(startHandle, start));
  TW_TRY(findEvent(endHandle, end));
  uint64_t from = 0, to = 0;
  if (!start->timestamp(from) || !end->timestamp(to))
    return fail(kNoTimestamp,
                "aclrtEventElapsedTime: an event keeps no time, or was not recorded or not reached");
  *milliseconds = float(double(int64_t(to - from)) * 1e-6);
  return kOk;
}
ACL_API aclError aclrtEventGetTimestamp(aclrtEvent handle, uint64_t *microseconds) {
  TW_OUTPUT(microseconds);
  std::shared_ptr<Event> event;
  TW_TRY(findEvent(handle, event));
  uint64_t nanoseconds = 0;
  if (!event->timestamp(nanoseconds))
    return fail(kNoTimestamp, "aclrtEventGetTimestamp: the event keeps no time, or was not reached");
  *microseconds = nanoseconds / 1000;
  return kOk;
}
ACL_API aclError aclrtGetEventId(aclrtEvent handle, uint32_t *id) {
  TW_OUTPUT(id);
  std::shared_ptr<Event> event;
  TW_TRY(findEvent(handle, event));
  *id = uint32_t(event->id());
  return kOk;
}

// The emulator has no time limit for operators; the value is accepted and has no effect.
ACL_API aclError aclrtSetOpWaitTimeout(uint32_t) { return kOk; }
ACL_API aclError aclrtSetOpExecuteTimeOut(uint32_t) { return kOk; }
ACL_API aclError aclrtSetOpExecuteTimeOutV2(uint64_t wanted, uint64_t *actual) {
  if (actual)
    *actual = wanted;
  return kOk;
}

/// A function of the host in the order of a stream, on the stream's own thread.
ACL_API aclError aclrtLaunchHostFunc(aclrtStream handle, void (*function)(void *), void *argument) {
  if (!function)
    return fail(kBadParameter, "aclrtLaunchHostFunc: the function is null");
  std::shared_ptr<Stream> stream;
  TW_TRY(Runtime::get().stream(handle, stream));
  stream->enqueue([function, argument] {
    function(argument);
    return Failure();
  });
  return kOk;
}
