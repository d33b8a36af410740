// The error of the calling thread: a code, and a text for aclGetRecentErrMsg.
#ifndef TILEWRIGHT_EMULATOR_ACL_ERROR_H
#define TILEWRIGHT_EMULATOR_ACL_ERROR_H

#include "emulator/acl/Types.h"

#include <string>

namespace tilewright::acl {

/// A code with its text, as it travels from a stream's thread to the thread that synchronises.
struct Failure {
  aclError code = kOk;
  std::string text;
  explicit operator bool() const { return code != kOk; }
};

/// Makes this the last error of the thread and returns its code.
aclError fail(Failure failure);
aclError fail(Code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// The same without touching the thread's state.
Failure failure(Code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Text of the last error; the next call forgets it, as CANN's does.
const char *takeMessage();
aclError peekLastError();
aclError takeLastError();

} // namespace tilewright::acl
#endif
