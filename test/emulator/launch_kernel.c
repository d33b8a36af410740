/* Kernels for the launch tests, written by hand against the emulator's interface; compiled by the test. */
#include <stdint.h>

extern uint64_t tw_core_ub(void);
extern void tw_core_set_mask_norm(void);
extern uint64_t tw_isa_GET_BLOCK_IDX(void), tw_isa_GET_CTRL(void), tw_isa_SBITSET1(uint64_t, uint64_t);
extern void tw_isa_SET_CTRL(uint64_t), tw_isa_MOVEMASK(uint64_t, uint64_t), tw_isa_BARRIER(uint64_t), tw_isa_TRAP(void);
extern void tw_isa_SET_FLAG_IMM(uint64_t, uint64_t, uint64_t), tw_isa_WAIT_FLAG_IMM(uint64_t, uint64_t, uint64_t);
extern void tw_isa_MOV_OUT_TO_UB_ALIGN_b32_V220(void *, const void *, uint64_t, uint64_t);
extern void tw_isa_MOV_UB_TO_OUT_ALIGN_b32_V220(void *, const void *, uint64_t, uint64_t);
extern void tw_isa_VADDS_f32(void *, const void *, float, uint64_t);

__attribute__((section(".tilewright"), visibility("default"))) const char tw_kernel_metadata[] =
    "{\"format\": 1, \"kernels\": [{\"name\": \"add\", \"args_size\": 32}, {\"name\": \"fail\", \"args_size\": 8},"
    "{\"name\": \"left\", \"args_size\": 0}, {\"name\": \"wild\", \"args_size\": 8}, {\"name\": \"divide\", \"args_size\": 8},"
    "{\"name\": \"sum\", \"args_size\": 16}, {\"name\": \"stale\", \"args_size\": 8}, {\"name\": \"gone\", \"args_size\": 0}]}";

struct add {
  const float *x;
  float *y;
  int64_t n;
  float s;
  int32_t blocks;
};

/* y = x + s over tiles of 4096 elements, tile t on block t % blocks. */
void tw_entry_add(const void *p) {
  const struct add *a = p;
  char *ub = (char *)tw_core_ub();
  tw_core_set_mask_norm();
  for (int64_t at = (int64_t)tw_isa_GET_BLOCK_IDX() * 4096; at < a->n; at += (int64_t)a->blocks * 4096) {
    const uint64_t n = a->n - at < 4096 ? (uint64_t)(a->n - at) : 4096;
    tw_isa_MOV_OUT_TO_UB_ALIGN_b32_V220(ub, a->x + at, 1 << 4 | n * 4 << 16, 0);
    tw_isa_SET_FLAG_IMM(4, 1, 0);
    tw_isa_WAIT_FLAG_IMM(4, 1, 0);
    tw_isa_SET_CTRL(tw_isa_SBITSET1(tw_isa_GET_CTRL(), 56));
    tw_isa_MOVEMASK(1, 0);
    tw_isa_MOVEMASK(0, n);
    tw_isa_VADDS_f32(ub + 16384, ub, a->s, 1 | 1 << 16 | 8ull << 32 | 8ull << 40);
    tw_isa_SET_FLAG_IMM(1, 5, 0);
    tw_isa_WAIT_FLAG_IMM(1, 5, 0);
    tw_isa_MOV_UB_TO_OUT_ALIGN_b32_V220(a->y + at, ub + 16384, 1 << 4 | n * 4 << 16, 0);
    tw_isa_BARRIER(6);
  }
}

/* Blocks from `first` on trap. */
void tw_entry_fail(const void *p) {
  if ((int64_t)tw_isa_GET_BLOCK_IDX() >= *(const int64_t *)p)
    tw_isa_TRAP();
}

void tw_entry_left(const void *p) {
  (void)p;
  tw_isa_SET_FLAG_IMM(4, 1, 6);
}

void tw_entry_wild(const void *p) { ***(volatile char ***)p = 1; }

void tw_entry_divide(const void *p) { *(volatile int64_t *)(tw_core_ub() + 64) = 7 / *(const volatile int64_t *)p; }

struct sum {
  float *total;
  int64_t value;
};

/* Every block adds `value` to 64 totals by an atomic store. */
void tw_entry_sum(const void *p) {
  const struct sum *a = p;
  float *ub = (float *)tw_core_ub();
  for (int i = 0; i < 64; ++i)
    ub[i] = (float)a->value;
  tw_isa_SET_CTRL(1 << 6);
  tw_isa_MOV_UB_TO_OUT_ALIGN_b32_V220(a->total, ub, 1 << 4 | 256 << 16, 0);
  tw_isa_SET_CTRL(0);
}

/* Writes what a block finds in UB before anything was stored there; leaves its own number behind. */
void tw_entry_stale(const void *p) {
  char *ub = (char *)tw_core_ub();
  uint32_t *out = *(uint32_t *const *)p + tw_isa_GET_BLOCK_IDX() * 8;
  tw_isa_MOV_UB_TO_OUT_ALIGN_b32_V220(out, ub + 65536, 1 << 4 | 32 << 16, 0);
  tw_isa_SET_CTRL(tw_isa_SBITSET1(tw_isa_GET_CTRL(), 56));
  tw_isa_MOVEMASK(1, 0);
  tw_isa_MOVEMASK(0, 8);
  tw_isa_VADDS_f32(ub + 65536, ub, 1.0f, 1 | 1 << 16 | 8ull << 32 | 8ull << 40);
}
