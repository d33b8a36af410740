/* A program without Python: runs the exported plan PLAN on the tensors in a folder. */
#include "tilewright_kernels.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;
static void *function(const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "no %s\n", name);
    exit(3);
  }
  return found;
}
#define ACL(name, ...) ((int (*)(__VA_ARGS__))function(#name))
#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    const int code = (call);                                                                                 \
    if (code) {                                                                                              \
      fprintf(stderr, "%s: %d %s\n", #call, code,                                                            \
              ((const char *(*)(void))function("aclGetRecentErrMsg"))());                                    \
      return 2;                                                                                              \
    }                                                                                                        \
  } while (0)

int main(int argc, char **argv) {
  (void)argc;
  const tw_plan *plan = &PLAN;
  void *device[16] = {0}, *stream = NULL, *workspace = NULL;
  char path[4096];
  library = dlopen("libascendcl.so", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  CHECK(ACL(aclInit, const char *)(NULL));
  CHECK(ACL(aclrtSetDevice, int)(0));
  CHECK(ACL(aclrtCreateStream, void **)(&stream));
  if (plan->workspace_bytes)
    CHECK(ACL(aclrtMalloc, void **, size_t, int)(&workspace, plan->workspace_bytes, 0));
  for (uint32_t i = 0; i < plan->tensor_count; ++i) {
    CHECK(ACL(aclrtMalloc, void **, size_t, int)(&device[i], plan->bytes[i], 0));
    if (i >= plan->input_count)
      continue;
    void *host = malloc(plan->bytes[i]);
    snprintf(path, sizeof path, "%s/%s.bin", argv[2], plan->tensors[i]);
    FILE *file = fopen(path, "rb");
    if (!file || fread(host, 1, plan->bytes[i], file) != plan->bytes[i])
      return 4;
    fclose(file);
    CHECK(ACL(aclrtMemcpy, void *, size_t, const void *, size_t, int)(device[i], plan->bytes[i], host,
                                                                      plan->bytes[i], 1));
    free(host);
  }
  tw_loaded *kernel = NULL;
  if (tw_load(argv[1], plan, &kernel) || tw_launch(kernel, stream, device, workspace)) {
    fprintf(stderr, "%s\n", tw_error());
    return 5;
  }
  CHECK(ACL(aclrtSynchronizeStream, void *)(stream));
  for (uint32_t i = plan->input_count; i < plan->tensor_count; ++i) {
    void *host = malloc(plan->bytes[i]);
    CHECK(ACL(aclrtMemcpy, void *, size_t, const void *, size_t, int)(host, plan->bytes[i], device[i],
                                                                      plan->bytes[i], 2));
    snprintf(path, sizeof path, "%s/%s.bin", argv[2], plan->tensors[i]);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(host, 1, plan->bytes[i], file) != plan->bytes[i])
      return 4;
    fclose(file);
    free(host);
  }
  tw_unload(kernel);
  return 0;
}
