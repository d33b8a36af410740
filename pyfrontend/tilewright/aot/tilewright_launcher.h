/* Launches kernels that `tilewright export` wrote, through ACL and without Python. C99 and C++.
 *
 *   tw_plan const *plan = &tw_elu_backward_f32;            (from tilewright_kernels.h)
 *   tw_loaded *kernel;
 *   if (tw_load("folder", plan, &kernel)) puts(tw_error());
 *   void *tensors[] = {grad, x, result};                   (device addresses, in the order of plan->tensors)
 *   if (tw_launch(kernel, stream, tensors, workspace)) puts(tw_error());
 *
 * Functions return 0, or a number that is not 0; the text is in tw_error(). ACL is looked up in the
 * libascendcl.so that the program has loaded, or in the one that the loader finds.
 */
#ifndef TILEWRIGHT_LAUNCHER_H
#define TILEWRIGHT_LAUNCHER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel for one shape, type and set of attributes. */
typedef struct {
  const char *name;   /* of this plan */
  const char *kernel; /* of the function in the binary */
  const char *file;   /* of the binary in the exported folder */
  const char *sha256; /* of the binary, in hexadecimal */
  const char *target;
  const char *const *tensors; /* names: inputs in order, then results */
  const uint64_t *bytes;      /* of each tensor */
  const uint32_t *pointers;   /* offset of each tensor's address in the block */
  uint32_t tensor_count, input_count;
  const uint8_t *block; /* the argument block without addresses */
  uint32_t block_bytes, blocks;
  int32_t sync_offset, workspace_offset; /* offset of an address, -1: the kernel has none */
  uint64_t workspace_bytes;
} tw_plan;

typedef struct tw_loaded tw_loaded;

/* Loads the binary of a plan on the current device. The plan has to outlive what is loaded. */
int tw_load(const char *folder, const tw_plan *plan, tw_loaded **out);
/* Queues the kernel on a stream. `tensors` are plan->tensor_count device addresses; `workspace` is device
 * memory of plan->workspace_bytes, or NULL if that is 0, in use until the kernel has ended. */
int tw_launch(const tw_loaded *kernel, void *stream, void *const *tensors, void *workspace);
void tw_unload(tw_loaded *kernel);
/* What went wrong last in this thread. */
const char *tw_error(void);

#ifdef __cplusplus
}
#endif
#endif
