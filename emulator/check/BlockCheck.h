// The observer of one block in check mode.
#ifndef TILEWRIGHT_EMULATOR_CHECK_BLOCKCHECK_H
#define TILEWRIGHT_EMULATOR_CHECK_BLOCKCHECK_H

#include "emulator/check/Findings.h"
#include "emulator/check/GmHistory.h"
#include "emulator/check/Options.h"
#include "emulator/check/Shadow.h"

#include <unordered_map>

namespace tilewright::emulator::check {

class BlockCheck final : public Observer, private ShadowSink {
public:
  explicit BlockCheck(const Options &options) : options(options) {}

  /// Fresh state for the block that `core` is about to run.
  void begin(Core &core);
  void instruction(Core &core, const Event &event) override;
  /// Checks of the end of the block; `code` as in LaunchObserver::endBlock.
  void end(const Core &core, int code);

  Findings findings;
  Footprint footprint; ///< sites are those of `places`
  const std::vector<Place> &places() const { return sites; }
  uint64_t instructions = 0;

private:
  struct Flag {
    Clock clock[2];
    uint16_t site = 0;
    uint8_t count = 0;
    uint64_t when = 0; ///< value of `instructions` at the set
  };
  struct Mask {
    bool usedAsBits = false, usedAsCount = false;
  };

  uint16_t siteOf(const Event &event);
  Finding start(Kind kind, uint64_t prior) const;
  void found(Hazard hazard, uint64_t prior, uint32_t begin, uint32_t end) override;
  void report(Finding finding);
  bool writtenByScalarCode(uint64_t prior, uint32_t begin, uint32_t end) const;
  uint8_t fresh(uint32_t byte) const;

  void setFlag(const Event &event, uint16_t site);
  void waitFlag(const Event &event);
  void memory(const Event &event, unsigned pipe, uint16_t site);
  void gm(const Event &event, const Access &access, uint64_t stamp, uint32_t site);
  void vector(const Core &core, const Event &event);
  void checkAlignment(const Event &event, const Access &access);

  const Options &options;
  Clocks clocks;
  Shadow shadow;
  GmPending pending;
  Flag flags[kPipes][kPipes][kEvents];
  Mask mask;
  bool touchedScratch = false, selected = false;
  Place selectPlace, lastPlace, maskPlace;
  uint64_t ub = 0;
  uint32_t block = 0;

  std::vector<Place> sites{Place{}}; ///< kept over blocks; site 0 is none
  std::unordered_map<const void *, uint16_t> siteIndex;
  // The instruction being checked, for `found`.
  const Event *current = nullptr;
  Finding *last = nullptr;
  uint64_t lastPrior = 0;
};

} // namespace tilewright::emulator::check
#endif
