#include "emulator/acl/Kernel.h"
#include "emulator/acl/Settings.h"
#include "emulator/machine/Json.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::acl {
namespace {

using emulator::Json;
using emulator::parseJson;

constexpr uint32_t kMostBlocks = 65535;

std::mutex countMutex;
std::unordered_map<std::string, uint64_t> counts;
tw_counters total{};

void count(const std::string &name, const tw_counters &c) {
  std::lock_guard<std::mutex> lock(countMutex);
  ++counts[name];
  ++counts[""];
  total.instructions += c.instructions;
  total.vector_instructions += c.vector_instructions;
  total.gm_read_bytes += c.gm_read_bytes;
  total.gm_write_bytes += c.gm_write_bytes;
  total.blocks += c.blocks;
  total.scalar_gm_accesses += c.scalar_gm_accesses;
  if (c.ub_high_water > total.ub_high_water)
    total.ub_high_water = c.ub_high_water;
}

std::string withoutMixSuffix(std::string name) {
  for (const char *suffix : {"_mix_aic", "_mix_aiv"}) {
    const size_t length = std::strlen(suffix);
    if (name.size() > length && name.compare(name.size() - length, length, suffix) == 0)
      return name.substr(0, name.size() - length);
  }
  return name;
}

/// Which fields of the argument block are addresses, from the metadata that our hivmc wrote.
bool readArguments(const char *metadata, const std::string &name, Function &f) {
  Json root;
  const Json *kernels = nullptr;
  if (!parseJson(metadata, root) || !(kernels = root.get("kernels")))
    return false;
  for (const Json &kernel : kernels->items) {
    const Json *own = kernel.get("name"), *size = kernel.get("args_size"), *args = kernel.get("args");
    if (!own || own->string != name || !size || !args)
      continue;
    f.argumentBytes = size_t(size->whole(0));
    for (size_t i = 0; i < args->items.size(); ++i) {
      const Json *kind = args->items[i].get("kind"), *offset = args->items[i].get("offset");
      if (!kind || !offset)
        return false;
      if (kind->string == "pointer" || kind->string == "workspace" || kind->string == "lock" ||
          kind->string == "ffts")
        f.pointers.push_back(
            {uint32_t(offset->whole(0)), "argument " + std::to_string(i) + " (" + kind->string + ")"});
    }
    return true;
  }
  return false;
}

/// Code of a device for what stopped a kernel of ours.
Code codeOf(int status) { return status == TW_ERR_TRAP ? kVectorCoreTrap : kVectorCoreException; }

/// A copy of a host argument block in device memory, for pointers into the block itself.
class DeviceCopy {
public:
  ~DeviceCopy() {
    if (address_)
      (void)Memory::get().release(reinterpret_cast<void *>(address_), false);
  }
  Failure make(int device, Arguments &a) {
    if (Failure f = Memory::get().allocate(device, a.bytes.size(), address_))
      return f;
    for (const PlaceHolder &p : a.placeHolders) {
      const uint64_t target = address_ + p.dataOffset;
      std::memcpy(a.bytes.data() + p.addrOffset, &target, sizeof target);
    }
    std::memcpy(reinterpret_cast<void *>(Memory::get().view(address_)), a.bytes.data(), a.bytes.size());
    return {};
  }

private:
  uint64_t address_ = 0;
};

/// The first hazard in a report of the check mode, or "".
std::string firstHazard(const char *report) {
  Json root;
  if (!report || !parseJson(report, root))
    return "";
  const Json *findings = root.get("findings");
  for (const Json &finding : findings ? findings->items : std::vector<Json>()) {
    const Json *severity = finding.get("severity"), *message = finding.get("message");
    if (severity && message && severity->string == "hazard")
      return message->string;
  }
  return "";
}

Failure execute(const Function &f, uint32_t blocks, Arguments &arguments, int device) {
  Memory &memory = Memory::get();
  if (arguments.deviceAddress) {
    if (Failure bad = memory.check("the argument block", reinterpret_cast<void *>(arguments.deviceAddress),
                                   f.argumentBytes, true))
      return bad;
    arguments.bytes.resize(f.argumentBytes);
    memory.copy(arguments.bytes.data(), reinterpret_cast<void *>(arguments.deviceAddress), f.argumentBytes);
  }
  DeviceCopy copy;
  if (!arguments.placeHolders.empty())
    if (Failure bad = copy.make(device, arguments))
      return bad;

  // What the kernel may touch: everything allocated on its device. The allocations that arguments point to
  // come first, because the emulator looks through them in this order.
  std::vector<tw_gm_range> ranges;
  const std::vector<Allocation> allocations = memory.allocations(device);
  std::vector<char> used(allocations.size(), 0);
  const auto add = [&](size_t i) {
    if (used[i])
      return;
    used[i] = 1;
    ranges.push_back({memory.view(allocations[i].base), allocations[i].size, 3, 0});
  };
  for (const Function::Pointer &p : f.pointers) {
    uint64_t address;
    std::memcpy(&address, arguments.bytes.data() + p.offset, sizeof address);
    if (!address)
      continue;
    size_t found = allocations.size();
    for (size_t i = 0; i < allocations.size() && found == allocations.size(); ++i)
      if (allocations[i].contains(address, 0))
        found = i;
    if (found == allocations.size())
      return failure(kVectorCoreException, "kernel %s: %s is 0x%llx, which is not memory of device %d",
                     f.name.c_str(), p.what.c_str(), static_cast<unsigned long long>(address), device);
    add(found);
    address = memory.view(address);
    std::memcpy(arguments.bytes.data() + p.offset, &address, sizeof address);
  }
  for (size_t i = 0; i < allocations.size(); ++i)
    add(i);

  char text[2048] = "";
  tw_counters counters{};
  int status;
  std::string hazard;
  if (settings().check) {
    char *report = nullptr;
    status = tw_launch_observed(f.kernel, blocks, arguments.bytes.data(), f.argumentBytes, ranges.data(),
                                ranges.size(), settings().threads, 1, nullptr, &counters, &report, text,
                                sizeof text);
    hazard = firstHazard(report);
    tw_free(report);
  } else {
    status = tw_launch(f.kernel, blocks, arguments.bytes.data(), f.argumentBytes, ranges.data(),
                       ranges.size(), settings().threads, 0, &counters, text, sizeof text);
  }
  count(f.name, counters);
  if (status)
    return failure(codeOf(status), "kernel %s stopped: TW%d: %s", f.name.c_str(), status, text);
  if (!hazard.empty())
    return failure(kVectorCoreException, "kernel %s, check mode: %s", f.name.c_str(), hazard.c_str());
  return {};
}

} // namespace

Function::~Function() { tw_kernel_close(kernel); }

Binary::~Binary() {
  functions_.clear();
  if (file_ >= 0)
    close(file_);
}

Failure Binary::load(const void *data, size_t bytes, std::shared_ptr<Binary> &out) {
  if (!data || !bytes)
    return failure(kBadParameter, "a binary without data");
  auto binary = std::make_shared<Binary>();
  binary->file_ = memfd_create("tilewright-kernel", MFD_CLOEXEC);
  if (binary->file_ < 0)
    return failure(kOutOfMemory, "the host refused a file for a kernel binary: %s", std::strerror(errno));
  for (size_t done = 0; done < bytes;) {
    const ssize_t wrote = write(binary->file_, static_cast<const char *>(data) + done, bytes - done);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return failure(kOutOfMemory, "the host has no room for a kernel binary: %s", std::strerror(errno));
    done += size_t(wrote);
  }
  // The descriptor stays open as long as the binary, so its number names this file only.
  binary->path_ = "/proc/self/fd/" + std::to_string(binary->file_);
  out = std::move(binary);
  return {};
}

Failure Binary::loadFile(const char *path, std::shared_ptr<Binary> &out) {
  if (!path)
    return failure(kBadParameter, "the path of a binary is a null pointer");
  std::string description = path;
  const size_t dot = description.rfind('.');
  if (dot != std::string::npos && description.find('/', dot) == std::string::npos)
    description.resize(dot);
  description += ".json";
  if (access(description.c_str(), R_OK) != 0)
    return failure(kBadFile, "%s: the magic number of a binary is read from %s, which cannot be read: %s",
                   path, description.c_str(), std::strerror(errno));
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return failure(kBadFile, "%s cannot be read: %s", path, std::strerror(errno));
  std::vector<char> data;
  char buffer[65536];
  ssize_t got;
  while ((got = read(file, buffer, sizeof buffer)) > 0)
    data.insert(data.end(), buffer, buffer + got);
  close(file);
  if (got < 0 || data.empty())
    return failure(kBadFile, "%s cannot be read or is empty", path);
  return load(data.data(), data.size(), out);
}

Failure Binary::function(const char *given, std::shared_ptr<Function> &out) {
  if (!given)
    return failure(kBadParameter, "the name of a kernel is a null pointer");
  const std::string name = withoutMixSuffix(given);
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Function> &known = functions_[name];
  if (!known) {
    auto f = std::make_shared<Function>();
    f->name = name;
    char text[2048] = "";
    if (const int status = tw_kernel_open(path_.c_str(), name.c_str(), &f->kernel, text, sizeof text)) {
      functions_.erase(name);
      return failure(status == TW_ERR_KERNEL ? kNoSymbol : kBadParameter, "TW%d: %s", status, text);
    }
    if (!readArguments(tw_kernel_metadata_json(f->kernel), name, *f)) {
      functions_.erase(name);
      return failure(kBadParameter, "the metadata of kernel %s cannot be read", name.c_str());
    }
    known = std::move(f);
  }
  out = known;
  return {};
}

Failure launch(const std::shared_ptr<Function> &f, uint32_t blocks, Arguments arguments,
               const std::shared_ptr<Stream> &stream) {
  if (blocks == 0 || blocks > kMostBlocks)
    return failure(kBadParameter, "kernel %s is launched with %u blocks; 1 to %u are possible",
                   f->name.c_str(), blocks, kMostBlocks);
  const size_t given = arguments.deviceAddress ? f->argumentBytes : arguments.bytes.size();
  const bool fits = arguments.placeHolders.empty() ? given == f->argumentBytes : given >= f->argumentBytes;
  if (!fits)
    return failure(kBadParameter, "kernel %s takes %zu bytes of arguments, %zu were given", f->name.c_str(),
                   f->argumentBytes, given);
  for (const PlaceHolder &p : arguments.placeHolders)
    if (p.addrOffset + uint64_t(8) > given || p.dataOffset >= given)
      return failure(kBadParameter, "kernel %s: a placeholder at %u for data at %u is outside %zu bytes",
                     f->name.c_str(), p.addrOffset, p.dataOffset, given);
  stream->enqueue([f, blocks, arguments = std::move(arguments), device = stream->device()]() mutable {
    return execute(*f, blocks, arguments, device);
  });
  return {};
}

uint64_t launches(const char *name) {
  std::lock_guard<std::mutex> lock(countMutex);
  const auto found = counts.find(name ? name : "");
  return found == counts.end() ? 0 : found->second;
}

tw_counters totals() {
  std::lock_guard<std::mutex> lock(countMutex);
  return total;
}

} // namespace tilewright::acl
