#include "pyfrontend/launcher/Shim.h"

#include <dlfcn.h>
#include <string>

namespace tilewright::launcher {

Torch torch;
Acl acl;

namespace {

std::string problem;

template <typename F> bool find(void *library, const char *name, F &out) {
  out = reinterpret_cast<F>(dlsym(library, name));
  if (!out && problem.empty())
    problem = std::string("it has no function ") + name;
  return out != nullptr;
}

} // namespace

const char *loadTorch() {
  problem.clear();
  void *library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (!library) {
    problem = "libtorch_cpu.so is not loaded";
    return problem.c_str();
  }
  find(library, "aoti_torch_delete_tensor_object", torch.delete_tensor);
  find(library, "aoti_torch_get_data_ptr", torch.get_data_ptr);
  find(library, "aoti_torch_get_dim", torch.get_dim);
  find(library, "aoti_torch_get_sizes", torch.get_sizes);
  find(library, "aoti_torch_get_strides", torch.get_strides);
  find(library, "aoti_torch_get_dtype", torch.get_dtype);
  find(library, "aoti_torch_get_device_type", torch.get_device_type);
  find(library, "aoti_torch_get_device_index", torch.get_device_index);
  find(library, "aoti_torch_get_layout", torch.get_layout);
  find(library, "aoti_torch_empty_strided", torch.empty_strided);
  find(library, "aoti_torch__reinterpret_tensor", torch.reinterpret_tensor);
  find(library, "aoti_torch_copy_", torch.copy_);
  find(library, "aoti_torch_library_init_impl", torch.library_init_impl);
  find(library, "torch_library_impl", torch.library_impl);
  find(library, "aoti_torch_create_device_guard", torch.create_device_guard);
  find(library, "aoti_torch_delete_device_guard", torch.delete_device_guard);
  find(library, "aoti_torch_get_current_device_index", torch.get_current_device_index);
  find(library, "torch_string_length", torch.string_length);
  find(library, "torch_string_c_str", torch.string_c_str);
  find(library, "torch_delete_string", torch.delete_string);
  find(library, "torch_list_size", torch.list_size);
  find(library, "torch_list_get_item", torch.list_get_item);
  find(library, "torch_delete_list", torch.delete_list);
  find(library, "aoti_torch_new_uninitialized_tensor", torch.new_undefined_tensor);
  find(library, "aoti_torch_dtype_float32", torch.dtype_float32);
  find(library, "torch_call_dispatcher", torch.call_dispatcher);
  find(library, "aoti_torch_dtype_uint8", torch.dtype_uint8);
  find(library, "aoti_torch_device_type_cpu", torch.device_type_cpu);
  find(library, "aoti_torch_layout_strided", torch.layout_strided);
  return problem.c_str();
}

const char *loadAcl() {
  problem.clear();
  void *library = dlopen("libascendcl.so", RTLD_NOW | RTLD_NOLOAD);
  if (!library) {
    problem = "libascendcl.so is not loaded";
    return problem.c_str();
  }
  acl.launchHostArgs =
      reinterpret_cast<decltype(acl.launchHostArgs)>(dlsym(library, "aclrtLaunchKernelWithHostArgs"));
  acl.message = reinterpret_cast<decltype(acl.message)>(dlsym(library, "aclGetRecentErrMsg"));
  void *runtime = dlopen("libruntime.so", RTLD_NOW | RTLD_NOLOAD);
  acl.rtLaunch =
      reinterpret_cast<decltype(acl.rtLaunch)>(dlsym(runtime ? runtime : library, "rtKernelLaunch"));
  if (!acl.launchHostArgs && !acl.rtLaunch)
    problem = "it has neither aclrtLaunchKernelWithHostArgs nor rtKernelLaunch";
  return problem.c_str();
}

} // namespace tilewright::launcher
