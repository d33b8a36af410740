// Descriptions of tensors and attributes for the operator library that is not emulated. Programs build them
// before the call that fails, so building succeeds: a description is a plain record without effect.
#include "emulator/acl/Report.h"

#include <cstdlib>
#include <vector>

using namespace tilewright::acl;

namespace {

struct TensorDescription {
  int type, format;
  std::vector<int64_t> dims;
};
struct Buffer {
  void *data;
  size_t size;
};
struct Attributes {};

} // namespace

ACL_API void *aclCreateTensorDesc(int type, int rank, const int64_t *dims, int format) {
  if (rank < 0 || (rank && !dims))
    return nullptr;
  return new TensorDescription{type, format, std::vector<int64_t>(dims, dims + rank)};
}
ACL_API void aclDestroyTensorDesc(const void *description) {
  delete static_cast<const TensorDescription *>(description);
}
ACL_API int aclGetTensorDescType(const void *d) { return static_cast<const TensorDescription *>(d)->type; }
ACL_API int aclGetTensorDescFormat(const void *d) {
  return static_cast<const TensorDescription *>(d)->format;
}
ACL_API size_t aclGetTensorDescNumDims(const void *d) {
  return static_cast<const TensorDescription *>(d)->dims.size();
}
ACL_API aclError aclGetTensorDescDimV2(const void *d, size_t index, int64_t *extent) {
  TW_OUTPUT(extent);
  const auto &dims = static_cast<const TensorDescription *>(d)->dims;
  if (index >= dims.size())
    return fail(kBadParameter, "aclGetTensorDescDimV2: dimension %zu of %zu", index, dims.size());
  *extent = dims[index];
  return kOk;
}
ACL_API void aclSetTensorDescName(void *, const char *) {}
ACL_API aclError aclSetTensorFormat(void *, int) { return kOk; }
ACL_API aclError aclSetTensorPlaceMent(void *, int) { return kOk; }
ACL_API aclError aclSetTensorShape(void *, int, const int64_t *) { return kOk; }
ACL_API void *aclCreateDataBuffer(void *data, size_t size) { return new Buffer{data, size}; }
ACL_API aclError aclDestroyDataBuffer(const void *buffer) {
  delete static_cast<const Buffer *>(buffer);
  return kOk;
}
ACL_API void *aclopCreateAttr() { return new Attributes; }
ACL_API void aclopDestroyAttr(const void *attributes) { delete static_cast<const Attributes *>(attributes); }
ACL_API aclError aclopSetAttrBool(void *, const char *, uint8_t) { return kOk; }
ACL_API aclError aclopSetAttrInt(void *, const char *, int64_t) { return kOk; }
ACL_API aclError aclopSetAttrFloat(void *, const char *, float) { return kOk; }
ACL_API aclError aclopSetAttrString(void *, const char *, const char *) { return kOk; }
ACL_API aclError aclopSetAttrDataType(void *, const char *, int) { return kOk; }
ACL_API aclError aclopSetAttrListBool(void *, const char *, int, const uint8_t *) { return kOk; }
ACL_API aclError aclopSetAttrListInt(void *, const char *, int, const int64_t *) { return kOk; }
ACL_API aclError aclopSetAttrListFloat(void *, const char *, int, const float *) { return kOk; }
ACL_API aclError aclopSetAttrListListInt(void *, const char *, int, const int *, const int64_t *const *) {
  return kOk;
}

// Reports of programs to CANN's profiler, which is not there: nothing listens.
ACL_API int MsprofRegisterCallback(uint32_t, void *) { return 0; }
ACL_API int MsprofReportApi(uint32_t, const void *) { return 0; }
ACL_API int MsprofReportCompactInfo(uint32_t, const void *, uint32_t) { return 0; }
ACL_API int MsprofReportAdditionalInfo(uint32_t, const void *, uint32_t) { return 0; }
ACL_API uint64_t MsprofGetHashId(const char *, size_t) { return 0; }
ACL_API uint64_t MsprofSysCycleTime() { return uint64_t(Clock::now().time_since_epoch().count()); }
