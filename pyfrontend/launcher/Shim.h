// Torch through its stable C interface (torch/csrc/inductor/aoti_torch/c/shim.h and
// torch/csrc/stable/c/shim.h, torch 2.10 and later), looked up when torch is there: one binary serves every
// torch version, and is built without torch. Also the few ACL functions of a launch.
#ifndef TILEWRIGHT_LAUNCHER_SHIM_H
#define TILEWRIGHT_LAUNCHER_SHIM_H

#include <cstddef>
#include <cstdint>

namespace tilewright::launcher {

using StableIValue = uint64_t;
using TensorHandle = void *;
using Kernel = void (*)(StableIValue *stack, uint64_t arguments, uint64_t results);

struct Torch {
  int (*delete_tensor)(TensorHandle);
  int (*get_data_ptr)(TensorHandle, void **);
  int (*get_dim)(TensorHandle, int64_t *);
  int (*get_sizes)(TensorHandle, int64_t **);
  int (*get_strides)(TensorHandle, int64_t **);
  int (*get_dtype)(TensorHandle, int32_t *);
  int (*get_device_type)(TensorHandle, int32_t *);
  int (*get_device_index)(TensorHandle, int32_t *);
  int (*get_layout)(TensorHandle, int32_t *);
  int (*empty_strided)(int64_t dim, const int64_t *sizes, const int64_t *strides, int32_t dtype,
                       int32_t deviceType, int32_t deviceIndex, TensorHandle *out);
  int (*reinterpret_tensor)(TensorHandle self, int64_t dim, const int64_t *sizes, const int64_t *strides,
                            int64_t offset, TensorHandle *out);
  int (*copy_)(TensorHandle self, TensorHandle source, int32_t nonBlocking);
  int (*library_init_impl)(const char *space, const char *key, const char *file, uint32_t line, void **out);
  int (*library_impl)(void *library, const char *name, Kernel kernel, uint64_t interfaceVersion);
  int (*create_device_guard)(int32_t device, void **out);
  int (*delete_device_guard)(void *guard);
  int (*get_current_device_index)(int32_t *out);
  int (*string_length)(void *string, size_t *out);
  int (*string_c_str)(void *string, const char **out);
  int (*delete_string)(void *string);
  int (*list_size)(void *list, size_t *out);
  int (*list_get_item)(void *list, size_t index, StableIValue *out);
  int (*delete_list)(void *list);
  int (*new_undefined_tensor)(TensorHandle *out);
  int32_t (*device_type_cpu)();
  int32_t (*dtype_uint8)();
  int32_t (*dtype_float32)();
  int (*call_dispatcher)(const char *name, const char *overload, StableIValue *stack,
                         uint64_t interfaceVersion);
  int32_t (*layout_strided)();
};

/// The version of the interface that these declarations follow; torch converts for it: 2.10.
constexpr uint64_t kInterfaceVersion = uint64_t(2) << 56 | uint64_t(10) << 48;

struct Acl {
  int (*launchHostArgs)(void *function, uint32_t blocks, void *stream, void *config, void *arguments,
                        size_t bytes, void *placeHolders, size_t placeHolderCount);
  int (*rtLaunch)(const void *stub, uint32_t blocks, void *arguments, uint32_t bytes, void *description,
                  void *stream);
  const char *(*message)();
};

/// The functions; every pointer is set after `loadTorch` returned an empty text.
extern Torch torch;
extern Acl acl;

/// Looks the functions up in the library that torch loaded; "" or what is missing.
const char *loadTorch();
/// The same for ACL. A function that CANN does not have stays null.
const char *loadAcl();

} // namespace tilewright::launcher
#endif
