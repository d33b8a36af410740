#include "emulator/timing/Constants.h"

#include <cmath>

namespace tilewright::emulator::timing {
namespace {

using Field = double Constants::*;
constexpr Field kFields[] = {
#define TW_FIELD(name) &Constants::name,
    TW_TIMING_CONSTANTS(TW_FIELD)
#undef TW_FIELD
};
constexpr const char *kNames[] = {
#define TW_FIELD(name) #name,
    TW_TIMING_CONSTANTS(TW_FIELD)
#undef TW_FIELD
};

/// Constants that divide: the model has no meaning with a 0.
bool mustBePositive(Field field) {
  for (Field f : {&Constants::clock_mhz, &Constants::vector_cores, &Constants::hbm_gb_s,
                  &Constants::gm_read_efficiency, &Constants::gm_mixed_efficiency, &Constants::l2_gb_s,
                  &Constants::queue_depth, &Constants::mte2_rate_gm, &Constants::mte2_rate_l2,
                  &Constants::mte3_rate, &Constants::misaligned_rate, &Constants::mte_descriptor})
    if (f == field)
      return true;
  return false;
}

/// splitmix64: the same samples on every host.
uint64_t next(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

} // namespace

bool Profile::read(const Json &json, std::string &error) {
  if (json.kind != Json::Object) {
    error = "the constants are not an object";
    return false;
  }
  for (const auto &member : json.members) {
    bool known = false;
    for (const char *name : kNames)
      known |= member.first == name;
    if (!known) {
      error = "unknown constant " + member.first;
      return false;
    }
  }
  for (unsigned i = 0; i < kCount; ++i) {
    const Json *given = json.get(kNames[i]);
    Uncertain &to = items[i];
    if (given && given->kind == Json::Number) {
      to = {given->number, given->number, given->number};
    } else if (given && given->kind == Json::Array && given->items.size() == 3 &&
               given->items[0].kind == Json::Number && given->items[1].kind == Json::Number &&
               given->items[2].kind == Json::Number) {
      to = {given->items[0].number, given->items[1].number, given->items[2].number};
    } else {
      error = std::string("constant ") + kNames[i] + " is missing or is no number or [value, low, high]";
      return false;
    }
    const bool sane = std::isfinite(to.value) && std::isfinite(to.low) && std::isfinite(to.high) &&
                      to.low <= to.value && to.value <= to.high && to.low >= 0;
    if (!sane || (mustBePositive(kFields[i]) && to.low <= 0)) {
      error = std::string("constant ") + kNames[i] + " is out of range";
      return false;
    }
  }
  return true;
}

Constants Profile::nominal() const {
  Constants c;
  for (unsigned i = 0; i < kCount; ++i)
    c.*kFields[i] = items[i].value;
  return c;
}

std::vector<Constants> Profile::sample(unsigned count, uint64_t seed) const {
  std::vector<Constants> sets(count, nominal());
  std::vector<unsigned> order(count);
  for (unsigned i = 0; i < kCount; ++i) {
    const Uncertain &u = items[i];
    if (u.low == u.high)
      continue;
    for (unsigned k = 0; k < count; ++k)
      order[k] = k;
    for (unsigned k = count; k > 1; --k)
      std::swap(order[k - 1], order[next(seed) % k]);
    for (unsigned k = 0; k < count; ++k) {
      const double p = (order[k] + double(next(seed) >> 11) * 0x1p-53) / count;
      sets[k].*kFields[i] =
          p < 0.5 ? u.low + 2 * p * (u.value - u.low) : u.value + (2 * p - 1) * (u.high - u.value);
    }
  }
  return sets;
}

} // namespace tilewright::emulator::timing
