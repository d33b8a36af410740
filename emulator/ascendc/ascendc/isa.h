// The emulated instructions, and the words that configure them (c220 ISA note, section 3; decoded in
// emulator/isa/Layout.h).
#ifndef TILEWRIGHT_ASCENDC_ISA_H
#define TILEWRIGHT_ASCENDC_ISA_H

// Internal functions are always inlined: the debug information of an instruction then names the kernel's
// line. Calls of instructions are never merged, for the same reason.
#define TW_INLINE __attribute__((always_inline)) inline
#define TW_ISA_CALL __attribute__((nomerge))

extern "C" {
TW_ISA_CALL void tw_isa_SET_FLAG_IMM(uint64_t, uint64_t, uint64_t);
TW_ISA_CALL void tw_isa_WAIT_FLAG_IMM(uint64_t, uint64_t, uint64_t);
TW_ISA_CALL void tw_isa_BARRIER(uint64_t);
TW_ISA_CALL uint64_t tw_isa_GET_CTRL();
TW_ISA_CALL void tw_isa_SET_CTRL(uint64_t);
TW_ISA_CALL uint64_t tw_isa_SBITSET0(uint64_t, uint64_t);
TW_ISA_CALL uint64_t tw_isa_SBITSET1(uint64_t, uint64_t);
TW_ISA_CALL void tw_isa_MOVEMASK(uint64_t, uint64_t);
TW_ISA_CALL void tw_isa_SET_MOV_PAD_VAL(uint64_t);
TW_ISA_CALL void tw_isa_DCCI(const void *, uint64_t);
TW_ISA_CALL uint64_t tw_isa_GET_BLOCK_IDX();
TW_ISA_CALL uint64_t tw_isa_GET_ACC_VAL();
TW_ISA_CALL void tw_isa_TRAP();

#define TW_BIN(id) TW_ISA_CALL void tw_isa_##id(void *, const void *, const void *, uint64_t);
#define TW_UN(id) TW_ISA_CALL void tw_isa_##id(void *, const void *, uint64_t);
#define TW_SC(id, type) TW_ISA_CALL void tw_isa_##id(void *, const void *, type, uint64_t);
#define TW_FOUR(M, op) M(op##_f16) M(op##_f32) M(op##_s16) M(op##_s32)
#define TW_FLOATS(M, op) M(op##_f16) M(op##_f32)
TW_FOUR(TW_BIN, VADD)
TW_FOUR(TW_BIN, VSUB)
TW_FOUR(TW_BIN, VMUL)
TW_FOUR(TW_BIN, VMAX)
TW_FOUR(TW_BIN, VMIN) TW_FLOATS(TW_BIN, VDIV) TW_BIN(VAND_s16) TW_BIN(VAND_u16) TW_BIN(VOR_s16)
    TW_BIN(VOR_u16) TW_FLOATS(TW_UN, VEXP) TW_FLOATS(TW_UN, VLN) TW_FLOATS(TW_UN, VABS)
        TW_FLOATS(TW_UN, VSQRT) TW_FLOATS(TW_UN, VRSQRT) TW_FLOATS(TW_UN, VREC) TW_FLOATS(TW_UN, VRELU)
            TW_UN(VRELU_s32) TW_UN(VNOT_s16) TW_UN(VNOT_u16) TW_UN(VCOPY_u16) TW_UN(VCOPY_u32)
                TW_UN(VBRCB_b16) TW_UN(VBRCB_b32) TW_FLOATS(TW_UN, VCGADD) TW_FLOATS(TW_UN, VCPADD)
                    TW_FLOATS(TW_UN, VCGMAX) TW_FLOATS(TW_UN, VCGMIN) TW_UN(MOV_UB_TO_UB_v220)
                        TW_UN(MOV_OUT_TO_UB) TW_UN(MOV_UB_TO_OUT)
#define TW_SCALARS(op)                                                                                       \
  TW_SC(op##_f16, half) TW_SC(op##_f32, float) TW_SC(op##_s16, uint64_t) TW_SC(op##_s32, uint64_t)
                            TW_SCALARS(VADDS) TW_SCALARS(VMULS) TW_SCALARS(VMAXS) TW_SCALARS(VMINS)
                                TW_SC(VAXPY_f16, half) TW_SC(VAXPY_f32, float)
#define TW_CMP(rel)                                                                                          \
  TW_BIN(VCMPV_##rel##_f16)                                                                                  \
  TW_BIN(VCMPV_##rel##_f32) TW_SC(VCMPVS_##rel##_f16, half) TW_SC(VCMPVS_##rel##_f32, float)
                                    TW_CMP(LT) TW_CMP(GT) TW_CMP(EQ) TW_CMP(LE) TW_CMP(GE) TW_CMP(NE)
                                        TW_BIN(VCMPV_EQ_s32) TW_SC(VCMPVS_EQ_s32, uint64_t) TW_BIN(VSEL_f16_1)
                                            TW_BIN(VSEL_f32_1) TW_ISA_CALL
    void tw_isa_SET_CMPMASK(const void *);
#define TW_DUP(id, type) TW_ISA_CALL void tw_isa_MOVEV_##id(void *, type, uint64_t);
TW_DUP(f16, half)
TW_DUP(bf16, bfloat16_t)
TW_DUP(f32, float)
TW_DUP(s16, uint64_t)
TW_DUP(u16, uint64_t) TW_DUP(s32, uint64_t) TW_DUP(u32, uint64_t) TW_ISA_CALL
    void tw_isa_VCADD_f16_order(void *, const void *, uint64_t, uint64_t);
TW_ISA_CALL void tw_isa_VCADD_f32_order(void *, const void *, uint64_t, uint64_t);
#define TW_MOVE(w)                                                                                           \
  TW_ISA_CALL void tw_isa_MOV_OUT_TO_UB_ALIGN_##w##_V220(void *, const void *, uint64_t, uint64_t);          \
  TW_ISA_CALL void tw_isa_MOV_UB_TO_OUT_ALIGN_##w##_V220(void *, const void *, uint64_t, uint64_t);
TW_MOVE(b8)
TW_MOVE(b16)
TW_MOVE(b32)
#define TW_CONV(id) TW_UN(VCONV_##id##_v220)
#define TW_CONV5(pair) TW_CONV(pair##r) TW_CONV(pair##a) TW_CONV(pair##f) TW_CONV(pair##c) TW_CONV(pair##z)
TW_CONV(bf162f32)
TW_CONV(f162f32)
TW_CONV(f322f16o) TW_CONV(s162f32) TW_CONV(s322s16) TW_CONV5(f322f16) TW_CONV5(f322bf16) TW_CONV5(f322f32)
    TW_CONV5(f322s32) TW_CONV5(f322s16) TW_CONV5(s322f32) TW_CONV5(f162s32) TW_CONV5(f162s16)
        TW_CONV5(s162f16) TW_CONV5(bf162s32)

    // The core (emulator/include/tilewright/emulator.h).
    uint64_t tw_core_ub();
uint64_t *tw_core_slot();
uint64_t tw_core_block_dim();
TW_ISA_CALL const void *tw_core_here();
TW_ISA_CALL void tw_core_scalar_ub(uint64_t, uint64_t, int);
TW_ISA_CALL void tw_core_scalar_gm(uint64_t, uint64_t, int);
TW_ISA_CALL __attribute__((noreturn, cold, format(printf, 3, 4))) void tw_core_misuse(int, const void *,
                                                                                      const char *, ...);
}

#undef TW_BIN
#undef TW_UN
#undef TW_SC
#undef TW_FOUR
#undef TW_FLOATS
#undef TW_SCALARS
#undef TW_CMP
#undef TW_DUP
#undef TW_MOVE
#undef TW_CONV
#undef TW_CONV5

namespace tilewright_ascendc {

constexpr uint32_t kBlock = 32, kRepeat = 256, kUbSize = 192 * 1024;
/// Select in modes 1 and 2 keeps a table here (Ascend C note, section 2.4; 8 KiB are reserved).
constexpr uint32_t kSelectScratch = 184 * 1024;

/// Two vector sources (ISA note 3.1).
TW_INLINE uint64_t wordBin(const AscendC::BinaryRepeatParams &p, uint64_t repeat, uint64_t mode = 0) {
  return uint64_t(p.dstBlkStride) | uint64_t(p.src0BlkStride) << 8 | uint64_t(p.src1BlkStride) << 16 |
         uint64_t(p.dstRepStride) << 24 | uint64_t(p.src0RepStride) << 32 | uint64_t(p.src1RepStride) << 40 |
         mode << 48 | repeat << 56;
}
/// One vector source (3.2): the repeat stride of the destination is split.
TW_INLINE uint64_t wordUn(uint64_t dstBlk, uint64_t srcBlk, uint64_t dstRep, uint64_t srcRep,
                          uint64_t repeat) {
  return dstBlk | srcBlk << 16 | (dstRep & 0xff) << 32 | (srcRep & 0xfff) << 40 | (dstRep >> 8 & 0xf) << 52 |
         repeat << 56;
}
/// Fill and spread (3.3, 3.4).
TW_INLINE uint64_t wordDup(uint64_t dstBlk, uint64_t dstRep, uint64_t repeat) {
  return wordUn(dstBlk, 0, dstRep, 0, repeat);
}
/// Reductions (3.5).
TW_INLINE uint64_t wordRed(uint64_t dstRep, uint64_t srcBlk, uint64_t srcRep, uint64_t repeat) {
  return dstRep | srcBlk << 16 | srcRep << 32 | repeat << 56;
}
/// Block copies (3.9): lengths and gaps in blocks.
TW_INLINE uint64_t wordBlocks(uint64_t count, uint64_t len, uint64_t srcGap, uint64_t dstGap) {
  return count << 4 | len << 16 | srcGap << 32 | dstGap << 48;
}
/// Byte copies (3.7, 3.8).
TW_INLINE uint64_t wordBytes(uint64_t count, uint64_t bytes, uint64_t left, uint64_t right) {
  return count << 4 | bytes << 16 | left << 48 | right << 54;
}

} // namespace tilewright_ascendc
#endif
