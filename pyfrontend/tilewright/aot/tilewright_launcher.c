#include "tilewright_launcher.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_VECTOR 0x41415246u /* acl_rt.h: a binary for vector cores */
#define OPTION_MAGIC 2

typedef struct {
  int type;
  uint32_t value[4];
} Option;
typedef struct {
  Option *options;
  size_t count;
} Options;

typedef int (*LoadFromData)(const void *, size_t, const Options *, void **);
typedef int (*GetFunction)(void *, const char *, void **);
typedef int (*UnLoad)(void *);
typedef int (*LaunchHostArgs)(void *, uint32_t, void *, void *, void *, size_t, void *, size_t);
typedef int (*SyncAddress)(void **);
typedef const char *(*Message)(void);

struct tw_loaded {
  const tw_plan *plan;
  void *binary, *function;
  uint64_t sync_area;
  LaunchHostArgs launch;
  UnLoad unload;
};

static __thread char text[1024];

const char *tw_error(void) { return text; }

static int fail(const char *what, const char *detail, int code) {
  snprintf(text, sizeof text, "%s%s%s (code %d)", what, detail && *detail ? ": " : "", detail ? detail : "",
           code);
  return code ? code : 1;
}

static void *acl(const char *name) {
  static void *library;
  if (!library)
    library = dlopen("libascendcl.so", RTLD_NOW | RTLD_GLOBAL);
  return library ? dlsym(library, name) : NULL;
}

static const char *message(void) {
  Message get = (Message)acl("aclGetRecentErrMsg");
  return get ? get() : "";
}

static unsigned char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  unsigned char *data = NULL;
  long length = -1;
  if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0 &&
      (data = (unsigned char *)malloc((size_t)length)) != NULL &&
      fread(data, 1, (size_t)length, file) != (size_t)length) {
    free(data);
    data = NULL;
  }
  fclose(file);
  *size = (size_t)length;
  return data;
}

int tw_load(const char *folder, const tw_plan *plan, tw_loaded **out) {
  *out = NULL;
  text[0] = 0;
  LoadFromData load = (LoadFromData)acl("aclrtBinaryLoadFromData");
  GetFunction find = (GetFunction)acl("aclrtBinaryGetFunction");
  LaunchHostArgs launch = (LaunchHostArgs)acl("aclrtLaunchKernelWithHostArgs");
  if (!load || !find || !launch)
    return fail("libascendcl.so is missing, or older than this launcher needs", dlerror(), 1);
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, plan->file) >= (int)sizeof path)
    return fail("the path of the binary is too long", plan->file, 1);
  size_t size = 0;
  unsigned char *image = read_file(path, &size);
  if (!image)
    return fail("the binary cannot be read", path, 1);
  tw_loaded *made = (tw_loaded *)calloc(1, sizeof *made);
  if (!made) {
    free(image);
    return fail("out of memory", NULL, 1);
  }
  Option option = {OPTION_MAGIC, {MAGIC_VECTOR, 0, 0, 0}};
  Options options = {&option, 1};
  int code = load(image, size, &options, &made->binary);
  free(image);
  made->plan = plan;
  made->launch = launch;
  made->unload = (UnLoad)acl("aclrtBinaryUnLoad");
  if (code) {
    free(made);
    return fail("the binary cannot be loaded", message(), code);
  }
  if ((code = find(made->binary, plan->kernel, &made->function)) != 0) {
    fail("the binary has no such kernel", message(), code);
    tw_unload(made);
    return code;
  }
  SyncAddress sync = (SyncAddress)acl("aclrtGetHardwareSyncAddr");
  if (plan->sync_offset >= 0 && sync) {
    void *area = NULL;
    if ((code = sync(&area)) != 0) {
      fail("there is no area for synchronisation", message(), code);
      tw_unload(made);
      return code;
    }
    made->sync_area = (uint64_t)(uintptr_t)area;
  }
  *out = made;
  return 0;
}

int tw_launch(const tw_loaded *kernel, void *stream, void *const *tensors, void *workspace) {
  const tw_plan *plan = kernel->plan;
  unsigned char block[1024];
  text[0] = 0;
  if (plan->block_bytes > sizeof block)
    return fail("the argument block is larger than this launcher's", plan->name, 1);
  if (plan->workspace_bytes && !workspace)
    return fail("the kernel needs a workspace", plan->name, 1);
  memcpy(block, plan->block, plan->block_bytes);
  for (uint32_t i = 0; i < plan->tensor_count; ++i) {
    const uint64_t address = (uint64_t)(uintptr_t)tensors[i];
    if (!address)
      return fail("a tensor has no address", plan->tensors[i], 1);
    memcpy(block + plan->pointers[i], &address, sizeof address);
  }
  if (plan->sync_offset >= 0)
    memcpy(block + plan->sync_offset, &kernel->sync_area, sizeof kernel->sync_area);
  if (plan->workspace_offset >= 0 && workspace) {
    const uint64_t address = (uint64_t)(uintptr_t)workspace;
    memcpy(block + plan->workspace_offset, &address, sizeof address);
  }
  const int code =
      kernel->launch(kernel->function, plan->blocks, stream, NULL, block, plan->block_bytes, NULL, 0);
  return code ? fail("the launch was refused", message(), code) : 0;
}

void tw_unload(tw_loaded *kernel) {
  if (kernel && kernel->unload && kernel->binary)
    kernel->unload(kernel->binary);
  free(kernel);
}
