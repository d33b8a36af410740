// What all calls of an operator with the same shapes, strides, types and static attributes have in common:
// found by a byte key in a hash table, made by Python when it is new.
#ifndef TILEWRIGHT_LAUNCHER_PLAN_H
#define TILEWRIGHT_LAUNCHER_PLAN_H

#include "pyfrontend/launcher/Shim.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::launcher {

enum class Way : int64_t { Emulator = 0, Acl = 1, Rt = 2 };

struct Input {
  uint32_t tensor;   ///< which tensor argument of the schema
  uint32_t pointer;  ///< offset of its address in the argument block
  uint64_t bytes;    ///< of the dense data
  bool copy = false; ///< the kernel needs a dense copy of these sizes, outermost first
  std::vector<int64_t> sizes;
  std::vector<int64_t> sources; ///< along which dimension of the tensor each runs, -1: it is repeated
};

struct Output {
  int32_t dtype;
  uint32_t pointer;
  uint64_t bytes;
  std::vector<int64_t> sizes, strides;
  std::vector<int64_t> final; ///< strides that the caller gets, if they are others
};

/// Values of the scalar arguments for one set of attribute values.
struct Scalars {
  std::vector<uint64_t> numbers; ///< raw attribute values
  std::vector<uint64_t> bits;    ///< one word per scalar argument
  std::vector<uint8_t> fill;     ///< contents of all results, one after the other, if nothing is launched
};

struct Plan {
  uint64_t id = 0;
  Way way = Way::Emulator;
  bool empty = false;
  uint32_t blocks = 0;
  void *kernel = nullptr;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<int64_t> returned; ///< for each result its output, -1: undefined, -2: an empty tensor
  struct Update {
    uint32_t output, tensor; ///< this output is written over this tensor argument
  };
  std::vector<Update> updates;
  struct Field {
    uint32_t offset, bytes;
  };
  std::vector<Field> scalars;
  uint32_t workspacePointer = 0;
  uint64_t workspaceBytes = 0;
  std::vector<uint8_t> block; ///< argument block without addresses and scalars

  std::mutex mutex; ///< guards the rest
  std::vector<std::shared_ptr<const Scalars>> known;
};

/// Reads the description that Python makes (plans.py has the order of the numbers).
std::shared_ptr<Plan> readPlan(const int64_t *words, size_t count, const void *block, size_t blockBytes);

std::shared_ptr<Plan> findPlan(const std::string &key);
void addPlan(const std::string &key, std::shared_ptr<Plan> plan);
std::shared_ptr<Plan> planById(uint64_t id);
void forgetPlans();

} // namespace tilewright::launcher
#endif
