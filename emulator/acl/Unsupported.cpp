// Functions that programs link but that are not emulated. Each fails with "feature not supported" and a text
// that names it; none pretends success. Functions that programs look up by name and can do without are not
// exported at all, so that their absence shows.
#include "emulator/acl/Report.h"

#include <cstring>

using namespace tilewright::acl;

/// The operator's name is what a user needs to know.
ACL_API aclError aclopCompileAndExecute(const char *type, int, const void *, const void *, int, const void *,
                                        void *, const void *, int, int, const char *, aclrtStream) {
  return fail(
      kUnsupported,
      "the operator %s of CANN's operator library is not emulated (only kernels that a program brings "
      "along are); `tilewright emulate` gives aten operators a CPU implementation",
      type ? type : "(null)");
}
ACL_API aclError aclopCompileAndExecuteV2(const char *type, int, void *, void *, int, void *, void *, void *,
                                          int, int, const char *, aclrtStream) {
  return aclopCompileAndExecute(type, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, 0, 0, nullptr,
                                nullptr);
}

#define TW_UNSUPPORTED(name, what)                                                                           \
  ACL_API aclError name() { return fail(kUnsupported, #name ": " what " not emulated"); }
#include "emulator/acl/Unsupported.def"
#undef TW_UNSUPPORTED
