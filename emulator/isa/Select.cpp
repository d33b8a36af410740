// VSEL and the compare mask register (c220 ISA note, 3.6). Result lane = source 0 where the bit is 1.
//
//   mode 0   the bits are in the compare mask register; every repeat uses the same ones
//   mode 1   source 1 is the address of the packed bits, the register holds the scalar used where the bit is
//   0 mode 2   the register holds the UB address of the packed bits; they advance by one bit a lane over the
//   repeats
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

TW_ISA(SET_CMPMASK)(const void *p) {
  Core &core = *currentCore;
  record(core, Op::SET_CMPMASK, TW_PC,
         [&](Event &e) { e.add({Space::UB, false, uint64_t(p), 16, 1, 1, 0, 0}); });
  useUb(core, Op::SET_CMPMASK, "operand", uint64_t(p), 16, false);
  std::memcpy(core.compareMask, p, 16);
}

namespace {

struct Select {
  SelLane lane;
  uint32_t mode, size, bitBytes; // bytes of bits per repeat
  uint64_t bitsAddress;          // modes 1 and 2

  /// One repeat, or in modes 1 and 2 any number of leading repeats at once.
  void run(Core &core, uint32_t repeat, void *d, const void *a, const void *b, size_t n) const {
    const uint8_t *bits =
        mode == 0 ? core.compareMask : reinterpret_cast<const uint8_t *>(bitsAddress) + repeat * bitBytes;
    lane(d, bits, a, b, n);
  }
};

void select(Op op, SelLane lane, uint32_t size, void *d, const void *a, const void *b, uint64_t word,
            const void *pc) {
  Core &core = *currentCore;
  const BIN c(word);
  if (c.mode > 2)
    failUnsupported(core, op, "select mode above 2");
  const Active active = activeLanes(core, op, size, c.repeat);
  Select s{lane, c.mode, size, active.lanes / 8, 0};
  if (c.mode == 1)
    s.bitsAddress = uint64_t(b);
  if (c.mode == 2)
    std::memcpy(&s.bitsAddress, core.compareMask, 4); // UB addresses have 32 bits; Ascend C repeats them
  const Operand operands[] = {destination(d, c.dst, size), source(a, c.src0, size, "source 0"),
                              source(b, c.src1, size, "source 1")};
  const unsigned vectors = c.mode == 1 ? 2 : 3;
  const uint64_t bitsRead =
      c.mode == 0 || !active.repeats
          ? 0
          : uint64_t(active.repeats - 1) * s.bitBytes + (active.prefix ? (active.last + 7) / 8 : s.bitBytes);
  record(core, op, pc, [&](Event &e) {
    e.repeats = active.repeats;
    e.elements = active.total;
    for (unsigned i = 0; i < vectors; ++i)
      describeOperand(e, operands[i], active);
    if (bitsRead)
      e.add({Space::UB, false, s.bitsAddress, uint32_t(bitsRead), 1, 1, 0, 0});
    e.immediate[0] = c.mode;
  });
  for (unsigned i = 0; i < vectors; ++i)
    useUb(core, op, operands[i].name, operands[i].base, extent(operands[i], active), operands[i].write);
  useUb(core, op, "mask bits", s.bitsAddress, bitsRead, false);
  if (active.repeats == 0)
    return;

  alignas(64) uint8_t constant[256];
  if (c.mode == 1)
    for (uint32_t i = 0; i < sizeof constant; i += size)
      std::memcpy(constant + i, core.compareMask, size);

  // Contiguous, in place or apart, nothing overlapping the bits: one call.
  auto dense = [&](const Operand &o) {
    return o.contiguousBlocks() &&
           (active.repeats == 1 || (o.stride.repeat == kRepeat && active.each == active.lanes));
  };
  auto spread = [](const Operand &o) { return o.stride.block == 0 && o.stride.repeat == 0; };
  auto apart = [&](uint64_t begin, uint64_t size) {
    return begin + size <= operands[0].base || operands[0].base + extent(operands[0], active) <= begin;
  };
  bool whole = c.mode == 2 && active.prefix && dense(operands[0]) && apart(s.bitsAddress, bitsRead);
  for (unsigned i = 1; i < 3 && whole; ++i) {
    const Operand &o = operands[i];
    const bool clear = apart(o.base, extent(o, active));
    whole = (dense(o) && (clear || o.base == operands[0].base)) || (spread(o) && clear);
  }
  if (whole && !spread(operands[1]) && !spread(operands[2]))
    return s.run(core, 0, d, a, b, active.total);
  if (whole) {
    constexpr uint32_t kChunk = 512; // elements, whole bytes of bits
    alignas(64) uint8_t buffer[2][kChunk * 4];
    for (unsigned i = 0; i < 2; ++i)
      if (spread(operands[i + 1]))
        for (uint32_t k = 0; k < sizeof buffer[i]; k += kBlock)
          std::memcpy(buffer[i] + k, reinterpret_cast<const void *>(operands[i + 1].base), kBlock);
    for (uint64_t e = 0; e < active.total; e += kChunk) {
      const uint64_t n = active.total - e < kChunk ? active.total - e : kChunk;
      auto from = [&](unsigned i) -> const void * {
        return spread(operands[i + 1]) ? buffer[i]
                                       : reinterpret_cast<const uint8_t *>(operands[i + 1].base) + e * size;
      };
      lane(static_cast<uint8_t *>(d) + e * size, reinterpret_cast<const uint8_t *>(s.bitsAddress) + e / 8,
           from(0), from(1), n);
    }
    return;
  }

  alignas(64) uint8_t la[256] = {}, lb[256] = {}, out[256];
  uint8_t bits[16];
  for (uint32_t r = 0; r < active.repeats; ++r) {
    gatherRepeat(operands[1], active, r, la);
    if (c.mode != 1)
      gatherRepeat(operands[2], active, r, lb);
    std::memset(bits, 0, sizeof bits);
    if (c.mode == 0)
      std::memcpy(bits, core.compareMask, s.bitBytes);
    else
      std::memcpy(bits, reinterpret_cast<const uint8_t *>(s.bitsAddress) + r * s.bitBytes,
                  active.prefix ? (active.count(r) + 7) / 8 : s.bitBytes);
    lane(out, bits, la, c.mode == 1 ? constant : lb, active.lanes);
    scatterRepeat(operands[0], active, r, out);
  }
}

} // namespace

TW_ISA(VSEL_f16_1)(void *d, const void *a, const void *b, uint64_t w) {
  select(Op::VSEL_f16_1, lanes().sel_b16, 2, d, a, b, w, TW_PC);
}
TW_ISA(VSEL_f32_1)(void *d, const void *a, const void *b, uint64_t w) {
  select(Op::VSEL_f32_1, lanes().sel_b32, 4, d, a, b, w, TW_PC);
}
