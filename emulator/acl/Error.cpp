#include "emulator/acl/Error.h"

#include <cstdarg>
#include <cstdio>

namespace tilewright::acl {
namespace {

struct ThreadError {
  aclError code = kOk;
  std::string text;
  std::string given; ///< keeps what takeMessage returned alive
};
thread_local ThreadError last;

std::string print(const char *format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

} // namespace

aclError fail(Failure failure) {
  last.code = failure.code;
  last.text = "tilewright emulated CANN: " + std::to_string(failure.code) + ": " + failure.text;
  return failure.code;
}

aclError fail(Code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Failure made{code, print(format, arguments)};
  va_end(arguments);
  return fail(std::move(made));
}

Failure failure(Code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Failure made{code, print(format, arguments)};
  va_end(arguments);
  return made;
}

const char *takeMessage() {
  last.given = std::move(last.text);
  last.text.clear();
  return last.given.c_str();
}

aclError peekLastError() { return last.code; }

aclError takeLastError() {
  const aclError code = last.code;
  last.code = kOk;
  return code;
}

} // namespace tilewright::acl
