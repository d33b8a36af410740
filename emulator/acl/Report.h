// How exported functions end: a failure becomes the thread's last error, success leaves it alone.
#ifndef TILEWRIGHT_EMULATOR_ACL_REPORT_H
#define TILEWRIGHT_EMULATOR_ACL_REPORT_H

#include "emulator/acl/Runtime.h"

namespace tilewright::acl {

inline aclError report(Failure f) { return f ? fail(std::move(f)) : kOk; }

/// An output pointer must not be null.
inline bool missing(const char *function, const void *pointer) {
  if (pointer)
    return false;
  (void)fail(kBadParameter, "%s: an output argument is a null pointer", function);
  return true;
}
#define TW_OUTPUT(pointer)                                                                                   \
  if (missing(__func__, pointer))                                                                            \
  return kBadParameter
/// Returns the failure of an expression, if it has one.
#define TW_TRY(expression)                                                                                   \
  if (Failure failed_ = (expression))                                                                        \
  return fail(std::move(failed_))

} // namespace tilewright::acl
#endif
