// The observer of one block in check mode.
#ifndef TILEWRIGHT_EMULATOR_CHECK_BLOCKCHECK_H
#define TILEWRIGHT_EMULATOR_CHECK_BLOCKCHECK_H

#include "emulator/check/CallSite.h"
#include "emulator/check/Findings.h"
#include "emulator/check/GmHistory.h"
#include "emulator/check/Options.h"
#include "emulator/check/Shadow.h"
#include "emulator/machine/Observe.h"

#include <functional>
#include <map>
#include <unordered_map>

namespace tilewright::emulator::check {

class BlockCheck final : public Observer, private ShadowSink {
public:
  BlockCheck(const Options &options, const ObservedLaunch &launch, CrossOrder &crossOrder)
      : options(options), flushesItself(launch.handwritten || !launch.scalarsSeen), crossOrder(crossOrder),
        launch(&launch), scalarsSeen(launch.scalarsSeen), calls(launch.entry) {}

  /// Fresh state for the block that `core` is about to run.
  void begin(Core &core);
  void instruction(Core &core, const Event &event) override;
  void scalarAccess(Core &core, const void *pc, uint64_t address, uint64_t bytes, bool write) override;
  /// Checks of the end of the block; `code` as in LaunchObserver::endBlock.
  void end(const Core &core, int code);

  Findings findings;
  Footprint footprint;   ///< sites are those of `places`
  ReleaseTable releases; ///< of its intervals
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

  Place placeOf(const Event &event) const { return {event.op, event.pc, calls.of(event.pc)}; }
  uint16_t siteOf(const Event &event);
  Finding start(Kind kind, uint64_t prior) const;
  void found(Hazard hazard, uint64_t prior, uint32_t begin, uint32_t end) override;
  void report(Finding finding);
  bool hasValue(uint32_t byte) const;
  /// Lanes (bytes, elements) of the sources without a value, into undefinedLane.
  void findUndefined(const Event &event);
  /// Takes the value from the results of those lanes.
  void spreadUndefined(const Event &event);
  void spreadThroughReduction(const Event &event);
  /// Lane number (over repeats of kLanes) and UB byte of each element of an operand.
  void forEachLane(const Event &event, const Access &a,
                   const std::function<void(size_t, uint32_t)> &visit) const;
  static constexpr size_t kLanes = 128;
  uint8_t fresh(uint32_t byte) const;
  void fillFresh(Core &core) const;

  void setFlag(const Event &event, uint16_t site);
  void waitFlag(const Event &event);
  void crossCore(const Event &event);
  void memory(const Event &event, unsigned pipe, uint16_t site);
  void gm(const Event &event, const Access &access, uint64_t stamp, const Clock &clock, uint32_t site);
  void vector(const Core &core, const Event &event);
  void checkAlignment(const Event &event, const Access &access);

  const Options &options;
  /// Handwritten code writes its scalar stores to GM back by itself (Ascend C note, 2.1). The device
  /// compiler answers for those of compiled kernels, whose modules do not say when they are written back.
  const bool flushesItself;
  CrossOrder &crossOrder;
  const void *launch; ///< its identity
  bool scalarsSeen;   ///< scalar stores are reported
  struct CrossFlag {
    uint16_t sets = 0, waits = 0;
    Place place;
  };
  CrossFlag crossFlags[CrossCore::kFlags];
  Clocks clocks;
  Shadow shadow;
  GmPending pending;
  /// Lines of the scalar data cache (64 bytes, Ascend C note section 1) with stores in them, and who stored.
  static constexpr uint64_t kCacheLine = 64;
  std::map<uint64_t, uint16_t> cached;
  Flag flags[kPipes][kPipes][kEvents];
  Mask mask;
  bool touchedScratch = false, selected = false;
  Place selectPlace, lastPlace, maskPlace;
  uint64_t ub = 0;
  uint32_t block = 0;

  std::vector<Place> sites{Place{}}; ///< kept over blocks; site 0 is none
  struct PlaceHash {
    size_t operator()(const Place &p) const {
      return (uintptr_t(p.pc) * 31 + uintptr_t(p.call)) * 0x9e3779b97f4a7c15 + size_t(p.op);
    }
  };
  std::unordered_map<Place, uint16_t, PlaceHash> siteIndex;
  CallSites calls;
  std::vector<uint8_t> undefinedLane; ///< scratch of spreadUndefined
  // The instruction being checked, for `found`.
  const Event *current = nullptr;
  /// A scalar load of one byte without a value: packed bits are changed by loading and storing their byte, so
  /// a store to it may follow, which makes the load harmless.
  struct {
    Place place;
    uint32_t byte = 0;
    bool open = false;
  } byteLoad;
  void closeByteLoad(bool harmless);
};

} // namespace tilewright::emulator::check
#endif
