#include "pyfrontend/launcher/Plan.h"

#include <shared_mutex>
#include <unordered_map>

namespace tilewright::launcher {
namespace {

std::shared_mutex tableMutex;
std::unordered_map<std::string, std::shared_ptr<Plan>> byKey;
std::unordered_map<uint64_t, std::shared_ptr<Plan>> byId;
uint64_t nextId = 1;

/// A program that never repeats a shape must not grow without bound.
constexpr size_t kMostPlans = 16384;

class Reader {
public:
  Reader(const int64_t *words, size_t count) : at_(words), end_(words + count) {}
  int64_t next() { return at_ < end_ ? *at_++ : (good_ = false, 0); }
  std::vector<int64_t> list() {
    const int64_t count = next();
    if (count < 0 || count > end_ - at_) {
      good_ = false;
      return {};
    }
    std::vector<int64_t> found(at_, at_ + count);
    at_ += count;
    return found;
  }
  bool complete() const { return good_ && at_ == end_; }

private:
  const int64_t *at_, *end_;
  bool good_ = true;
};

} // namespace

std::shared_ptr<Plan> readPlan(const int64_t *words, size_t count, const void *block, size_t blockBytes) {
  auto plan = std::make_shared<Plan>();
  Reader reader(words, count);
  plan->way = Way(reader.next());
  plan->empty = reader.next() != 0;
  plan->blocks = uint32_t(reader.next());
  plan->kernel = reinterpret_cast<void *>(reader.next());
  const int64_t inputs = reader.next();
  for (int64_t i = 0; i < inputs; ++i) {
    Input in{};
    in.tensor = uint32_t(reader.next());
    in.pointer = uint32_t(reader.next());
    in.bytes = uint64_t(reader.next());
    in.copy = reader.next() != 0;
    in.sizes = reader.list();
    in.sources = reader.list();
    plan->inputs.push_back(std::move(in));
  }
  const int64_t outputs = reader.next();
  for (int64_t i = 0; i < outputs; ++i) {
    Output out{};
    out.dtype = int32_t(reader.next());
    out.pointer = uint32_t(reader.next());
    out.bytes = uint64_t(reader.next());
    out.sizes = reader.list();
    out.strides = reader.list();
    out.final = reader.list();
    plan->outputs.push_back(std::move(out));
  }
  plan->returned = reader.list();
  const int64_t updates = reader.next();
  for (int64_t i = 0; i < updates; ++i) {
    const uint32_t output = uint32_t(reader.next()), tensor = uint32_t(reader.next());
    plan->updates.push_back({output, tensor});
  }
  plan->workspacePointer = uint32_t(reader.next());
  plan->workspaceBytes = uint64_t(reader.next());
  const int64_t scalars = reader.next();
  for (int64_t i = 0; i < scalars; ++i) {
    const uint32_t offset = uint32_t(reader.next()), bytes = uint32_t(reader.next());
    plan->scalars.push_back({offset, bytes});
  }
  const auto *data = static_cast<const uint8_t *>(block);
  plan->block.assign(data, data + blockBytes);
  bool fits = reader.complete();
  for (const Input &in : plan->inputs)
    fits &= in.sizes.size() == in.sources.size();
  for (const Input &in : plan->inputs)
    fits &= plan->empty || in.pointer + size_t(8) <= blockBytes;
  for (const Output &out : plan->outputs)
    fits &= plan->empty || out.pointer + size_t(8) <= blockBytes;
  for (const Plan::Field &f : plan->scalars)
    fits &= f.bytes <= 8 && f.offset + size_t(f.bytes) <= blockBytes;
  for (const int64_t output : plan->returned)
    fits &= output < int64_t(plan->outputs.size());
  for (const Plan::Update &u : plan->updates)
    fits &= u.output < plan->outputs.size();
  fits &= !plan->workspaceBytes || plan->workspacePointer + size_t(8) <= blockBytes;
  return fits ? plan : nullptr;
}

std::shared_ptr<Plan> findPlan(const std::string &key) {
  std::shared_lock<std::shared_mutex> lock(tableMutex);
  const auto found = byKey.find(key);
  return found == byKey.end() ? nullptr : found->second;
}

void addPlan(const std::string &key, std::shared_ptr<Plan> plan) {
  std::unique_lock<std::shared_mutex> lock(tableMutex);
  if (byKey.size() >= kMostPlans) {
    byKey.clear();
    byId.clear();
  }
  plan->id = nextId++;
  byId[plan->id] = plan;
  byKey[key] = std::move(plan);
}

std::shared_ptr<Plan> planById(uint64_t id) {
  std::shared_lock<std::shared_mutex> lock(tableMutex);
  const auto found = byId.find(id);
  return found == byId.end() ? nullptr : found->second;
}

void forgetPlans() {
  std::unique_lock<std::shared_mutex> lock(tableMutex);
  byKey.clear();
  byId.clear();
}

} // namespace tilewright::launcher
