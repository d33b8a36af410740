// The kernels behind torch.ops.tilewright.*: one function a registered operator, all of them `call`.
//
// A call reads its tensors, looks its plan up, allocates the results and launches: on host tensors on the
// emulated cores at once, on tensors of a device on the current stream. Nothing here opens a file, compiles
// or waits for the device; Python is asked when a plan or a set of attribute values is new, and for the
// stream.
#include "emulator/include/tilewright/emulator.h"
#include "pyfrontend/launcher/Plan.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#define TWT_API extern "C" __attribute__((visibility("default")))

using namespace tilewright::launcher;

namespace {

// What Python does for us. Each returns 0, or 1 after twt_set_error.
using Prepare = int (*)(uint32_t op, const char *key, size_t bytes);
using Evaluate = int (*)(uint32_t op, uint64_t plan, const uint64_t *numbers, size_t count);
using StreamOf = uint64_t (*)(int32_t device);

Prepare prepare;
Evaluate evaluate;
StreamOf streamOf;
thread_local std::string error;
std::atomic<uint32_t> threads{0};
std::atomic<uint64_t> launchCount{0};

/// Kinds of schema arguments: T tensor, O optional tensor, C counts of elements, S counts of which the kernel
/// gets the sum; f float and i int that the kernel gets at run
/// time, b bool, I int and s string that choose a variant.
struct Operator {
  std::string name, kinds;
};
constexpr size_t kMostOperators = 96;
std::array<Operator, kMostOperators> operators;
size_t operatorCount = 0;

[[noreturn]] void fail(const std::string &text) { throw std::runtime_error(text); }
void check(int status, const char *what) {
  if (status)
    fail(std::string("tilewright: torch could not ") + what);
}

/// A tensor this call owns.
class Owned {
public:
  Owned() = default;
  explicit Owned(TensorHandle handle) : handle_(handle) {}
  Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_)
      torch.delete_tensor(handle_);
  }
  TensorHandle get() const { return handle_; }
  TensorHandle release() { return std::exchange(handle_, nullptr); }

private:
  TensorHandle handle_ = nullptr;
};

struct Device {
  int32_t type = -1, index = -1;
  bool operator==(const Device &o) const { return type == o.type && index == o.index; }
  std::string text() const {
    return type == torch.device_type_cpu() ? "cpu" : "npu:" + std::to_string(index);
  }
};

struct Arguments {
  std::vector<Owned> tensors; ///< in schema order; an absent optional one is null
  std::vector<uint64_t> numbers;
  std::string key;
  Device device;
};

template <typename T> void append(std::string &key, T value) {
  key.append(reinterpret_cast<const char *>(&value), sizeof value);
}

void readTensor(Arguments &a, TensorHandle tensor, const Operator &op) {
  int32_t layout = 0, dtype = 0;
  Device device;
  check(torch.get_layout(tensor, &layout), "read a layout");
  if (layout != torch.layout_strided())
    fail("tilewright::" + op.name + ": a tensor is sparse or of another layout; dense tensors are expected");
  check(torch.get_device_type(tensor, &device.type), "read a device");
  check(torch.get_device_index(tensor, &device.index), "read a device");
  if (a.device.type < 0)
    a.device = device;
  else if (!(a.device == device))
    fail("Expected all tensors to be on the same device, but found at least two devices, " + a.device.text() +
         " and " + device.text() + "! (tilewright::" + op.name + ")");
  int64_t dim = 0, *sizes = nullptr, *strides = nullptr;
  check(torch.get_dtype(tensor, &dtype), "read a type");
  check(torch.get_dim(tensor, &dim), "read a shape");
  check(torch.get_sizes(tensor, &sizes), "read a shape");
  check(torch.get_strides(tensor, &strides), "read strides");
  append(a.key, dtype);
  append(a.key, int32_t(dim));
  a.key.append(reinterpret_cast<const char *>(sizes), size_t(dim) * 8);
  a.key.append(reinterpret_cast<const char *>(strides), size_t(dim) * 8);
}

Owned allocate(int32_t dtype, const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides,
               const Device &device) {
  TensorHandle made = nullptr;
  if (torch.empty_strided(int64_t(sizes.size()), sizes.data(), strides.data(), dtype, device.type,
                          device.index, &made))
    fail("tilewright: no memory for a result on " + device.text() + " (torch.OutOfMemoryError)");
  return Owned(made);
}

uint64_t addressOf(TensorHandle tensor) {
  void *pointer = nullptr;
  check(torch.get_data_ptr(tensor, &pointer), "read an address");
  return uint64_t(pointer);
}

/// Counts of any real type as dense f32, or their sum. On the host they are looked at; a device is not waited
/// for.
Owned readCounts(const Operator &op, Owned counts, bool sum) {
  Device device;
  int32_t dtype = 0;
  int64_t dim = 0, *sizes = nullptr;
  check(torch.get_device_type(counts.get(), &device.type), "read a device");
  check(torch.get_device_index(counts.get(), &device.index), "read a device");
  check(torch.get_dtype(counts.get(), &dtype), "read a type");
  check(torch.get_dim(counts.get(), &dim), "read a shape");
  check(torch.get_sizes(counts.get(), &sizes), "read a shape");
  std::vector<int64_t> shape(sizes, sizes + dim), strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d] > 0 ? shape[d] : 1)
    strides[d] = step;
  Owned dense = allocate(torch.dtype_float32(), shape, strides, device);
  check(torch.copy_(dense.get(), counts.get(), 0), "convert counts");
  if (device.type == torch.device_type_cpu()) {
    const float *values = reinterpret_cast<const float *>(addressOf(dense.get()));
    int64_t elements = 1;
    for (int64_t extent : shape)
      elements *= extent;
    for (int64_t i = 0; i < elements; ++i)
      if (!(values[i] >= 0) || values[i] != std::trunc(values[i]) || !(values[i] <= 0x1p53f))
        fail("TW2018: " + op.name + ": a count is " + std::to_string(values[i]) +
             ", which counts no elements\n  expected: whole numbers from 0 to 2^53");
  }
  if (!sum)
    return dense;
  StableIValue stack[2] = {reinterpret_cast<StableIValue>(dense.release()), 0};
  check(torch.call_dispatcher("aten::sum", "", stack, kInterfaceVersion), "add counts");
  return Owned(reinterpret_cast<TensorHandle>(stack[0]));
}

void readString(Arguments &a, StableIValue value) {
  void *const string = reinterpret_cast<void *>(value);
  size_t length = 0;
  const char *text = nullptr;
  check(torch.string_length(string, &length), "read a string");
  check(torch.string_c_str(string, &text), "read a string");
  append(a.key, uint64_t(length));
  a.key.append(text, length);
  torch.delete_string(string);
}

void readFlags(Arguments &a, StableIValue value) {
  void *const list = reinterpret_cast<void *>(value);
  size_t size = 0;
  check(torch.list_size(list, &size), "read a list");
  append(a.key, uint64_t(size));
  for (size_t i = 0; i < size; ++i) {
    StableIValue item = 0;
    check(torch.list_get_item(list, i, &item), "read a list");
    append(a.key, uint8_t(item & 0xff ? 1 : 0));
  }
  torch.delete_list(list);
}

/// Takes the arguments off the stack, whatever fails later.
Arguments readArguments(const Operator &op, StableIValue *stack, uint64_t count) {
  Arguments a;
  if (count != op.kinds.size())
    fail("tilewright::" + op.name +
         " was called with another number of arguments than it was registered with");
  a.tensors.reserve(4);
  for (size_t i = 0; i < count; ++i)
    if (op.kinds[i] == 'T' || op.kinds[i] == 'C' || op.kinds[i] == 'S') {
      a.tensors.emplace_back(reinterpret_cast<TensorHandle>(stack[i]));
    } else if (op.kinds[i] == 'O') {
      auto *boxed = reinterpret_cast<StableIValue *>(stack[i]);
      a.tensors.emplace_back(boxed ? reinterpret_cast<TensorHandle>(*boxed) : nullptr);
      delete boxed;
    }
  a.key.reserve(256);
  append(a.key, int32_t(&op - operators.data()));
  size_t tensor = 0;
  for (size_t i = 0; i < count; ++i)
    switch (op.kinds[i]) {
    case 'C':
    case 'S':
      a.tensors[tensor] = readCounts(op, std::move(a.tensors[tensor]), op.kinds[i] == 'S');
      [[fallthrough]];
    case 'T':
    case 'O':
      if (TensorHandle handle = a.tensors[tensor++].get())
        readTensor(a, handle, op);
      else
        append(a.key, int32_t(-1));
      break;
    case 'f':
    case 'i':
      a.numbers.push_back(stack[i]);
      break;
    case 's':
      readString(a, stack[i]);
      break;
    case 'B':
      readFlags(a, stack[i]);
      break;
    case 'b':
      append(a.key, uint64_t(stack[i] & 0xff ? 1 : 0));
      break;
    default:
      append(a.key, stack[i]);
    }
  append(a.key, a.device.type);
  append(a.key, a.device.index);
  return a;
}

std::shared_ptr<Plan> planOf(const Operator &op, const Arguments &a) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (std::shared_ptr<Plan> plan = findPlan(a.key))
      return plan;
    error.clear();
    if (prepare(uint32_t(&op - operators.data()), a.key.data(), a.key.size()))
      fail(error);
  }
  fail("tilewright::" + op.name + ": its plan was not made");
}

std::shared_ptr<const Scalars> scalarsOf(const Operator &op, Plan &plan,
                                         const std::vector<uint64_t> &numbers) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    {
      std::lock_guard<std::mutex> lock(plan.mutex);
      for (const auto &scalars : plan.known)
        if (scalars->numbers == numbers)
          return scalars;
    }
    error.clear();
    if (evaluate(uint32_t(&op - operators.data()), plan.id, numbers.data(), numbers.size()))
      fail(error);
  }
  fail("tilewright::" + op.name + ": its attributes were not evaluated");
}

/// Makes a device current for the time of a launch, if it is not.
class Guard {
public:
  explicit Guard(int32_t device) {
    int32_t current = -1;
    if (torch.get_current_device_index(&current) == 0 && current != device)
      check(torch.create_device_guard(device, &guard_), "change the device");
  }
  ~Guard() {
    if (guard_)
      torch.delete_device_guard(guard_);
  }
  Guard(const Guard &) = delete;
  Guard &operator=(const Guard &) = delete;

private:
  void *guard_ = nullptr;
};

void launchHere(const Operator &op, const Plan &plan, const std::vector<uint8_t> &block) {
  std::vector<tw_gm_range> ranges;
  ranges.reserve(plan.inputs.size() + plan.outputs.size());
  const auto add = [&](uint32_t pointer, uint64_t bytes, uint32_t flags) {
    uint64_t base;
    std::memcpy(&base, block.data() + pointer, sizeof base);
    ranges.push_back({base, bytes, flags, 0});
  };
  for (const Input &in : plan.inputs)
    add(in.pointer, in.bytes, 1);
  for (const Output &out : plan.outputs)
    add(out.pointer, out.bytes, 2);
  if (plan.workspaceBytes)
    add(plan.workspacePointer, plan.workspaceBytes, 3);
  // Inputs may share memory; ranges must not overlap.
  std::sort(ranges.begin(), ranges.end(), [](const auto &x, const auto &y) { return x.base < y.base; });
  size_t last = 0;
  for (size_t i = 1; i < ranges.size(); ++i) {
    tw_gm_range &l = ranges[last];
    if (ranges[i].base < l.base + l.size) {
      l.size = std::max(l.size, ranges[i].base + ranges[i].size - l.base);
      l.flags |= ranges[i].flags;
    } else {
      ranges[++last] = ranges[i];
    }
  }
  char text[2048] = "";
  if (const int status =
          tw_launch(static_cast<tw_kernel *>(plan.kernel), plan.blocks, block.data(), block.size(),
                    ranges.data(), last + 1, threads, 0, nullptr, text, sizeof text))
    fail("TW" + std::to_string(status) + ": tilewright::" + op.name + ": " + text);
}

void launchOnStream(const Operator &op, const Plan &plan, std::vector<uint8_t> &block, const Device &device) {
  error.clear();
  void *const stream = reinterpret_cast<void *>(streamOf(device.index));
  if (!error.empty())
    fail(error);
  const int code = plan.way == Way::Acl ? acl.launchHostArgs(plan.kernel, plan.blocks, stream, nullptr,
                                                             block.data(), block.size(), nullptr, 0)
                                        : acl.rtLaunch(plan.kernel, plan.blocks, block.data(),
                                                       uint32_t(block.size()), nullptr, stream);
  if (code)
    fail("TW4201: tilewright::" + op.name + ": the launch on " + device.text() + " failed with code " +
         std::to_string(code) + (acl.message ? std::string(": ") + acl.message() : ""));
}

/// A dense copy of a tensor in the order of dimensions that the kernel reads, repeated where it broadcasts.
Owned denseCopy(const Input &in, TensorHandle tensor, const Device &device) {
  int32_t dtype = 0;
  int64_t dim = 0, *own = nullptr;
  check(torch.get_dtype(tensor, &dtype), "read a type");
  check(torch.get_dim(tensor, &dim), "read a shape");
  check(torch.get_strides(tensor, &own), "read strides");
  std::vector<int64_t> from(in.sizes.size()), to(in.sizes.size());
  int64_t step = 1;
  for (size_t d = in.sizes.size(); d-- > 0; step *= in.sizes[d]) {
    to[d] = step;
    from[d] = in.sources[d] >= 0 && in.sources[d] < dim ? own[in.sources[d]] : 0;
  }
  TensorHandle seen = nullptr;
  check(torch.reinterpret_tensor(tensor, int64_t(in.sizes.size()), in.sizes.data(), from.data(), 0, &seen),
        "view an input");
  const Owned view(seen);
  Owned dense = allocate(dtype, in.sizes, to, device);
  check(torch.copy_(dense.get(), view.get(), 0), "copy an input to dense memory");
  return dense;
}

/// Packs the argument block and launches.
void run(const Operator &op, const Plan &plan, const Scalars &scalars, const Arguments &a,
         const std::vector<Owned> &outputs) {
  const bool here = plan.way == Way::Emulator;
  std::unique_ptr<Guard> guard;
  if (!here)
    guard = std::make_unique<Guard>(a.device.index);
  std::vector<uint8_t> block = plan.block;
  const auto put = [&](uint32_t offset, TensorHandle tensor) {
    const uint64_t address = addressOf(tensor);
    std::memcpy(block.data() + offset, &address, sizeof address);
  };
  // What is freed here is reused by later work of the same stream only.
  std::vector<Owned> temporary;
  for (const Input &in : plan.inputs) {
    TensorHandle tensor = a.tensors[in.tensor].get();
    if (in.copy) {
      temporary.push_back(denseCopy(in, tensor, a.device));
      tensor = temporary.back().get();
    }
    put(in.pointer, tensor);
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    put(plan.outputs[i].pointer, outputs[i].get());
  if (plan.workspaceBytes) {
    temporary.push_back(allocate(torch.dtype_uint8(), {int64_t(plan.workspaceBytes)}, {1}, a.device));
    put(plan.workspacePointer, temporary.back().get());
  }
  for (size_t i = 0; i < plan.scalars.size(); ++i)
    std::memcpy(block.data() + plan.scalars[i].offset, &scalars.bits[i], plan.scalars[i].bytes);
  if (here)
    launchHere(op, plan, block);
  else
    launchOnStream(op, plan, block, a.device);
  launchCount.fetch_add(1, std::memory_order_relaxed);
}

/// Results of a call that launches nothing: empty, or sums of nothing, whose values Python gave.
void fillOutputs(const Plan &plan, const Scalars &scalars, const std::vector<Owned> &outputs) {
  const uint8_t *data = scalars.fill.data();
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Output &out = plan.outputs[i];
    if (!out.bytes)
      continue;
    if (size_t(scalars.fill.data() + scalars.fill.size() - data) < out.bytes)
      fail("tilewright: the contents of a result are missing");
    const Device host{torch.device_type_cpu(), 0};
    const Owned onHost = allocate(out.dtype, out.sizes, out.strides, host);
    std::memcpy(reinterpret_cast<void *>(addressOf(onHost.get())), data, out.bytes);
    check(torch.copy_(outputs[i].get(), onHost.get(), 0), "fill a result");
    data += out.bytes;
  }
}

Owned result(const Plan &plan, size_t index, std::vector<Owned> &outputs, const Device &device) {
  const int64_t output = plan.returned[index];
  if (output == -2)
    return allocate(torch.dtype_float32(), {0}, {1}, device);
  if (output < 0) {
    TensorHandle undefined = nullptr;
    check(torch.new_undefined_tensor(&undefined), "make a result");
    return Owned(undefined);
  }
  const auto later = plan.returned.begin() + int64_t(index) + 1;
  if (std::find(later, plan.returned.end(), output) == plan.returned.end())
    return std::move(outputs[size_t(output)]);
  // The same values are returned again further on; results must not share memory.
  const Output &out = plan.outputs[size_t(output)];
  Owned copy = allocate(out.dtype, out.sizes, out.final.empty() ? out.strides : out.final, device);
  check(torch.copy_(copy.get(), outputs[size_t(output)].get(), 0), "copy a result");
  return copy;
}

void giveResults(const Plan &plan, std::vector<Owned> outputs, const Device &device, StableIValue *stack) {
  std::vector<Owned> found;
  for (size_t i = 0; i < plan.returned.size(); ++i)
    found.push_back(result(plan, i, outputs, device));
  for (size_t i = 0; i < found.size(); ++i)
    stack[i] = reinterpret_cast<StableIValue>(found[i].release());
}

void call(const Operator &op, StableIValue *stack, uint64_t arguments, uint64_t results) {
  Arguments a = readArguments(op, stack, arguments);
  const std::shared_ptr<Plan> plan = planOf(op, a);
  const std::shared_ptr<const Scalars> scalars = scalarsOf(op, *plan, a.numbers);
  if (plan->returned.size() != results)
    fail("tilewright::" + op.name + ": its plan has another number of results");
  std::vector<Owned> outputs;
  for (const Output &out : plan->outputs)
    outputs.push_back(allocate(out.dtype, out.sizes, out.strides, a.device));
  if (plan->empty)
    fillOutputs(*plan, *scalars, outputs);
  else
    run(op, *plan, *scalars, a, outputs);
  for (const Plan::Update &u : plan->updates)
    if (!plan->empty)
      check(torch.copy_(a.tensors[u.tensor].get(), outputs[u.output].get(), 0), "update an argument");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output &out = plan->outputs[i];
    if (out.final.empty())
      continue;
    Owned finished = allocate(out.dtype, out.sizes, out.final, a.device);
    check(torch.copy_(finished.get(), outputs[i].get(), 0), "reorder a result");
    outputs[i] = std::move(finished);
  }
  giveResults(*plan, std::move(outputs), a.device, stack);
}

template <size_t index> void trampoline(StableIValue *stack, uint64_t arguments, uint64_t results) {
  call(operators[index], stack, arguments, results);
}
template <size_t... indices>
constexpr std::array<Kernel, sizeof...(indices)> all(std::index_sequence<indices...>) {
  return {trampoline<indices>...};
}
constexpr std::array<Kernel, kMostOperators> kernels = all(std::make_index_sequence<kMostOperators>());

} // namespace

/// "" or why torch cannot be used.
TWT_API const char *twt_load_torch() { return loadTorch(); }
TWT_API const char *twt_load_acl() { return loadAcl(); }
TWT_API void twt_set_callbacks(Prepare p, Evaluate e, StreamOf s) {
  prepare = p;
  evaluate = e;
  streamOf = s;
}
TWT_API void twt_set_error(const char *text) { error = text; }
TWT_API void twt_set_threads(uint32_t count) { threads = count; }
TWT_API uint64_t twt_launches() { return launchCount; }
TWT_API void twt_forget_plans() { forgetPlans(); }

/// Registers an operator of the namespace tilewright for a dispatch key; its number, or -1.
TWT_API int64_t twt_add_operator(const char *name, const char *kinds) {
  if (operatorCount >= kMostOperators)
    return -1;
  operators[operatorCount] = {name, kinds};
  return int64_t(operatorCount++);
}
TWT_API int twt_implement(uint32_t op, const char *key) {
  void *library = nullptr; // never deleted: that would take the kernel away
  if (torch.library_init_impl("tilewright", key, "tilewright", 0, &library))
    return 1;
  return torch.library_impl(library, operators[op].name.c_str(), kernels[op], kInterfaceVersion);
}
TWT_API int twt_add_plan(const char *key, size_t keyBytes, const int64_t *words, size_t count,
                         const void *block, size_t blockBytes) {
  std::shared_ptr<Plan> plan = readPlan(words, count, block, blockBytes);
  if (!plan)
    return 1;
  addPlan(std::string(key, keyBytes), plan);
  return 0;
}
TWT_API uint64_t twt_plan_id(const char *key, size_t keyBytes) {
  const std::shared_ptr<Plan> plan = findPlan(std::string(key, keyBytes));
  return plan ? plan->id : 0;
}
TWT_API int twt_add_scalars(uint64_t id, const uint64_t *numbers, size_t numberCount, const uint64_t *bits,
                            size_t bitCount, const void *fill, size_t fillBytes) {
  const std::shared_ptr<Plan> plan = planById(id);
  if (!plan || bitCount != plan->scalars.size())
    return 1;
  auto scalars = std::make_shared<Scalars>();
  scalars->numbers.assign(numbers, numbers + numberCount);
  scalars->bits.assign(bits, bits + bitCount);
  scalars->fill.assign(static_cast<const uint8_t *>(fill), static_cast<const uint8_t *>(fill) + fillBytes);
  std::lock_guard<std::mutex> lock(plan->mutex);
  if (plan->known.size() >= 64)
    plan->known.clear();
  plan->known.push_back(std::move(scalars));
  return 0;
}
