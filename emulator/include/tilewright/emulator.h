/* C interface of the emulated Ascend 910B (libtilewright_emulator.so).
 *
 * The library gives x86 meanings to the `llvm.hivm.*` instructions (tw_isa_*), keeps the state of a vector
 * core, and launches kernel objects written by our `hivmc`. Results are those of this model: nothing was run
 * on a device.
 *
 * Every function is thread safe. Error functions return 0 or a number 4nnn (shown to users as TW4nnn) and
 * write a NUL-terminated message to `err` (may be NULL).
 */
#ifndef TILEWRIGHT_EMULATOR_H
#define TILEWRIGHT_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TW_API __attribute__((visibility("default")))

/* Error numbers. */
enum {
  TW_ERR_OBJECT = 4001,      /* kernel object missing, damaged, or not ours */
  TW_ERR_KERNEL = 4002,      /* the object has no such kernel */
  TW_ERR_ARGUMENTS = 4003,   /* args_size, block_dim or mode do not fit the kernel */
  TW_ERR_GM_BOUNDS = 4010,   /* a transfer touches GM outside the allocations of the launch */
  TW_ERR_UB_BOUNDS = 4011,   /* an instruction touches UB outside its 192 KiB */
  TW_ERR_FAULT = 4012,       /* scalar code touched unmapped memory or divided by zero */
  TW_ERR_FLAGS = 4013,       /* wait without set, or flags left set at the end */
  TW_ERR_TRAP = 4014,        /* the kernel executed TRAP */
  TW_ERR_UNSUPPORTED = 4015, /* instruction, mode or operand combination without a known meaning */
  TW_ERR_HOST = 4020,        /* the host refused memory or threads */
  /* Rules of the Ascend C interface (emulator/ascendc), reported through tw_core_misuse. */
  TW_ERR_QUEUE = 4030,        /* life cycle of queue buffers */
  TW_ERR_TENSOR_STATE = 4031, /* a LocalTensor used outside its life */
  TW_ERR_OPERAND = 4032,      /* an operand reaches past its tensor */
  TW_ERR_LIMIT = 4033,        /* mask, repeat, stride, length or alignment */
  TW_ERR_UB_BUDGET = 4034,    /* buffers do not fit in UB */
  TW_ERR_EVENT = 4035,        /* event ids */
  TW_ERR_GM_TENSOR = 4036     /* outside a GlobalTensor */
};

/* Totals over all blocks of a launch. Bytes of GM count transfers by MTE2 and MTE3 (not scalar accesses). */
typedef struct {
  uint64_t instructions;        /* every tw_isa_* call */
  uint64_t vector_instructions; /* those executed by the vector pipe */
  uint64_t gm_read_bytes, gm_write_bytes;
  uint64_t ub_high_water; /* highest UB byte touched by an operand of any instruction, + 1 */
  uint64_t blocks;
  uint64_t scalar_gm_accesses; /* reported by kernel code through tw_core_count_scalar_gm */
} tw_counters;

/* One GM allocation the kernel may touch. Ranges may be in any order and must not overlap. */
typedef struct {
  uint64_t base, size;
  uint32_t flags; /* 1 readable, 2 writable */
  uint32_t reserved;
} tw_gm_range;

typedef struct tw_kernel tw_kernel;

/* Opens kernel NAME of the object at PATH: validates the file, loads it, checks its metadata. */
TW_API int tw_kernel_open(const char *path, const char *name, tw_kernel **out, char *err, size_t err_len);
TW_API void tw_kernel_close(tw_kernel *kernel);
/* The metadata JSON of the object; owned by the kernel. */
TW_API const char *tw_kernel_metadata_json(tw_kernel *kernel);

/* Runs blocks 0 .. block_dim-1. `args` is the packed argument struct of the device ABI. `threads` 0 means all
 * host cores; small launches run on the calling thread. `mode` 0 is the fast mode (values and counters).
 * Blocks start in index order; when several fail, the error of the lowest index is reported. */
TW_API int tw_launch(tw_kernel *kernel, uint32_t block_dim, const void *args, size_t args_size,
                     const tw_gm_range *ranges, size_t n_ranges, uint32_t threads, uint32_t mode,
                     tw_counters *out, char *err, size_t err_len);

/* Runs the kernel under an observer. `mode` 1 checks for hazards (emulator/check), 2 models time
 * (emulator/timing), 3 lists the instructions (machine/LogMode.cpp). `options_json` is a JSON object of the
 * mode's options, or NULL. On return `*report_json` (may be NULL when not wanted) is the report, to be
 * released with tw_free, or NULL. It is also made when the launch fails; in check mode errors of blocks are
 * findings of the report and the launch succeeds. */
TW_API int tw_launch_observed(tw_kernel *kernel, uint32_t block_dim, const void *args, size_t args_size,
                              const tw_gm_range *ranges, size_t n_ranges, uint32_t threads, uint32_t mode,
                              const char *options_json, tw_counters *out, char **report_json, char *err,
                              size_t err_len);
TW_API void tw_free(void *memory);
/* Offset in the kernel object of the instruction that stopped the last launch of this thread; 0 for none. */
TW_API uint64_t tw_launch_fault(void);

TW_API const char *tw_emulator_version(void);
/* Name of the instruction level in use: "base", "v3" (AVX2) or "v4" (AVX-512). */
TW_API const char *tw_emulator_level(void);

/* Instructions by the name after `llvm.hivm.`, for instance "VADD.f32".
 * tw_isa_supported: 1 has a meaning, 0 known without one, -1 unknown name. */
TW_API int tw_isa_supported(const char *name);
TW_API uint32_t tw_isa_count(void);
TW_API const char *tw_isa_name(uint32_t index);
/* Why an instruction has no meaning, or "" when it has one. */
TW_API const char *tw_isa_reason(uint32_t index);

/* Models the time of an instruction stream given as JSON (emulator/timing/Stream.cpp has the form); the
 * report is that of the time mode, to be released with tw_free. */
TW_API int tw_timing_simulate(const char *request_json, char **report_json, char *err, size_t err_len);

/* ---- called by kernel code (besides tw_isa_*) ---- */
TW_API void tw_core_set_mask_norm(void);
/* Address of the UB of the current core: below 4 GiB, aligned to 512 KiB, constant within a block. */
TW_API uint64_t tw_core_ub(void);
/* Kernel code may report scalar loads and stores of GM here. */
TW_API void tw_core_count_scalar_gm(uint64_t accesses);
/* Kernel code reports a scalar access that it is about to make itself: bounds are checked, observers see it.
 */
TW_API void tw_core_scalar_ub(uint64_t address, uint64_t bytes, int write);
TW_API void tw_core_scalar_gm(uint64_t address, uint64_t bytes, int write);
/* A word of the kernel's own, 0 at the start of a block. */
TW_API uint64_t *tw_core_slot(void);
/* The place of this call in the kernel, for tw_core_misuse. */
TW_API const void *tw_core_here(void);
/* Stops the block with error `code` at `place` (NULL: here); `format` and the rest as for printf. */
TW_API void tw_core_misuse(int code, const void *place, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
TW_API uint64_t tw_core_block_dim(void);
/* Called by the observed form of kernel code (tw_observed_NAME beside NAME) in check and time mode: executed
 * scalar instructions, once per basic block; and scalar loads and stores of UB and GM, before they happen. */
TW_API void tw_core_count_scalar(uint64_t instructions);
TW_API void tw_core_scalar_access(uint64_t address, uint64_t bytes, uint32_t is_write);

/* ---- test interface: run instructions outside a launch ---- */
/* Makes a core current on this thread with fresh state, UB filled with 0xff and `ranges` as GM (copied).
 * Returns the UB address or 0. */
TW_API uint64_t tw_test_core_begin(uint32_t block_idx, const tw_gm_range *ranges, size_t n_ranges);
/* Calls `function` (a tw_isa_* address) with up to 6 integer arguments, in order and without a float, half or
 * bfloat scalar, whose bits are given apart; `times` repetitions. Errors are returned instead of stopping. */
TW_API int tw_test_call(void *function, const uint64_t *args, size_t n_args, uint64_t scalar_bits,
                        uint32_t times, uint64_t *result, char *err, size_t err_len);
/* Attaches the observer of a mode to the core, as tw_launch_observed does for block `block_idx`. */
TW_API int tw_test_core_observe(uint32_t mode, const char *options_json, char *err, size_t err_len);
/* Ends the observed block with `code` 0 or the error that stopped it, and gives the report (tw_free). */
TW_API int tw_test_core_report(int code, char **report_json);
/* Counters since begin; checks that all flags are zero; releases the core. */
TW_API int tw_test_core_end(tw_counters *out, char *err, size_t err_len);

#ifdef __cplusplus
}
#endif
#endif
