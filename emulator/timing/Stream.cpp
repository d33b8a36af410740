// tw_timing_simulate: times an instruction stream that is written down as JSON instead of recorded from a
// kernel. Calibration replays published scenarios with it, and tests look at the model piece by piece.
//
// Besides the options of the time mode (Report.h):
//   programs    list of lists of steps
//   blocks      list of [program, count]
//   footprint   {"read", "written", "streamed", "loaded", "stored"} in bytes (Trace.h)
// Steps:
//   {"op": "VADD.f32", "repeats": 64, "masked": 0, "elements": 4096, "operands":
//       [{"write": 1, "begin": 0, "blocks": 8, "block_stride": 32, "repeat_stride": 256}, ...]}   bytes of UB
//   {"load": bytes, "rows": 1, "misaligned": 0, "streaming": 0}   {"store": bytes, ...}
//   {"set": ["MTE2", "V", 0]}   {"wait": ["MTE2", "V", 0]}   {"barrier": "V"}   (pipe "ALL": all)
//   {"scalars": n, "compiled": n, "ub_accesses": n, "gm_accesses": n}
//   {"loop": n, "body": [steps]}
#include "emulator/timing/Banks.h"
#include "emulator/timing/Report.h"

#include "emulator/include/tilewright/emulator.h"
#include "emulator/machine/Observe.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace tilewright::emulator::timing {
namespace {

struct Malformed {
  std::string what;
};

double number(const Json &json, const char *key, double otherwise, double most = 1e15) {
  const Json *given = json.get(key);
  if (!given)
    return otherwise;
  if (given->kind != Json::Number || !(std::fabs(given->number) <= most))
    throw Malformed{std::string(key) + " is no number of its range"};
  return given->number;
}
uint64_t whole(const Json &json, const char *key, uint64_t otherwise, uint64_t most = uint64_t(1) << 50) {
  const Json *given = json.get(key);
  if (!given)
    return otherwise;
  const uint64_t value = given->whole(~uint64_t(0));
  if (value > most)
    throw Malformed{std::string(key) + " is no whole number of its range"};
  return value;
}

uint64_t pipeOf(const Json &json) {
  for (uint64_t p = 0; p < 7; ++p)
    if (json.kind == Json::String && json.string == pipeName(p))
      return p;
  throw Malformed{"unknown pipe " + json.string};
}

class StreamReader {
public:
  StreamReader(Trace &trace, const Options &options) : trace(trace), options(options) {}

  void read(const Json &json) {
    const Json *programs = json.get("programs"), *blocks = json.get("blocks");
    if (!programs || programs->kind != Json::Array || !blocks || blocks->kind != Json::Array)
      throw Malformed{"programs and blocks have to be lists"};
    for (const Json &program : programs->items) {
      std::vector<uint32_t> steps;
      append(program, steps);
      trace.programs.push_back(std::move(steps));
    }
    for (const Json &entry : blocks->items) {
      const uint64_t program = entry.items.size() == 2 ? entry.items[0].whole(~uint64_t(0)) : ~uint64_t(0);
      const uint64_t count = entry.items.size() == 2 ? entry.items[1].whole(~uint64_t(0)) : ~uint64_t(0);
      if (program >= trace.programs.size() || count > 65536)
        throw Malformed{"a block is not [program, count]"};
      trace.blocks.insert(trace.blocks.end(), size_t(count), uint32_t(program));
    }
    if (trace.blocks.empty())
      throw Malformed{"there is no block"};
    if (const Json *f = json.get("footprint")) {
      trace.footprint.read = number(*f, "read", 0);
      trace.footprint.written = number(*f, "written", 0);
      trace.footprint.streamed = number(*f, "streamed", 0);
      trace.footprint.loaded = number(*f, "loaded", 0);
      trace.footprint.stored = number(*f, "stored", 0);
    }
  }

private:
  Trace &trace;
  const Options &options;

  void append(const Json &list, std::vector<uint32_t> &to) {
    if (list.kind != Json::Array)
      throw Malformed{"a program is not a list of steps"};
    for (const Json &item : list.items) {
      if (item.kind != Json::Object)
        throw Malformed{"a step is not an object"};
      if (item.get("loop")) {
        const uint64_t times = whole(item, "loop", 0);
        const Json *inner = item.get("body");
        std::vector<uint32_t> body;
        append(inner ? *inner : Json(), body);
        if (times &&
            body.size() > (options.maxSteps - std::min<uint64_t>(to.size(), options.maxSteps)) / times)
          throw Malformed{"the stream has more than max_steps steps"};
        for (uint64_t i = 0; i < times; ++i)
          to.insert(to.end(), body.begin(), body.end());
        continue;
      }
      to.push_back(uint32_t(trace.steps.size()));
      trace.steps.push_back(step(item));
    }
  }

  Step step(const Json &item) {
    Step s;
    s.scalars = uint16_t(whole(item, "scalars", 0, 0xffff));
    s.compiled = uint32_t(whole(item, "compiled", 0, 0xffffffff));
    s.scalarUb = uint32_t(whole(item, "ub_accesses", 0, 0xffffffff));
    s.scalarGm = uint32_t(whole(item, "gm_accesses", 0, 0xffffffff));
    if (const Json *op = item.get("op"))
      vector(item, *op, s);
    else if (item.get("load") || item.get("store"))
      transfer(item, s);
    else if (const Json *flag = item.get(item.get("set") ? "set" : "wait"))
      this->flag(*flag, item.get("set") != nullptr, s);
    else if (const Json *pipe = item.get("barrier")) {
      s.kind = Kind::Barrier;
      s.op = Op::BARRIER;
      s.all = Pipe(pipeOf(*pipe)) == Pipe::ALL;
      s.from = unitOf(pipeOf(*pipe));
    } else if (!item.get("scalars") && !item.get("compiled") && !item.get("ub_accesses") &&
               !item.get("gm_accesses"))
      throw Malformed{"a step of an unknown kind"};
    return s;
  }

  void vector(const Json &item, const Json &name, Step &s) {
    s.kind = Kind::Vector;
    for (unsigned i = 0; i < unsigned(Op::Count); ++i)
      if (name.string == instructionTable[i].name)
        s.op = Op(i);
    if (s.op == Op::Count || info(s.op).pipe != Pipe::V)
      throw Malformed{"unknown vector instruction " + name.string};
    const Rate rate = options.rates.of(info(s.op).name);
    s.repeats = uint32_t(whole(item, "repeats", 1, 1 << 20));
    s.masked = rate.binary && number(item, "masked", 0) != 0;
    s.isolated = float(rate.isolated);
    std::vector<Walk> walks;
    if (const Json *operands = item.get("operands"))
      for (const Json &o : operands->items) {
        Walk w;
        w.write = number(o, "write", 0) != 0;
        w.begin = whole(o, "begin", 0);
        w.blocks = uint32_t(whole(o, "blocks", 8, 64));
        w.repeats = uint32_t(whole(o, "repeats", s.repeats, 1 << 20));
        w.first = uint32_t(whole(o, "first", 0, 1 << 20));
        w.blockStride = int64_t(number(o, "block_stride", 32, 1e9));
        w.repeatStride = int64_t(number(o, "repeat_stride", 256, 1e9));
        walks.push_back(w);
      }
    if (rate.perElement > 0 || rate.perByte > 0) {
      s.product = s.maximum =
          float(rate.perElement * number(item, "elements", 0) + rate.perByte * number(item, "bytes", 0));
      return;
    }
    const RepeatCost cost = repeatCost(walks.data(), walks.size(), s.repeats, rate.perRepeat);
    s.product = float(cost.product);
    s.maximum = float(cost.maximum);
    s.conflicts = cost.conflicts;
  }

  void transfer(const Json &item, Step &s) {
    const bool load = item.get("load") != nullptr;
    s.kind = load ? Kind::Load : Kind::Store;
    s.op = load ? Op::MOV_OUT_TO_UB_ALIGN_b8_V220 : Op::MOV_UB_TO_OUT_ALIGN_b8_V220;
    s.bytes = whole(item, load ? "load" : "store", 0);
    s.bursts = uint32_t(whole(item, "rows", 1, 1 << 20));
    s.misaligned = number(item, "misaligned", 0) != 0;
    s.streaming = number(item, "streaming", 0) != 0;
  }

  void flag(const Json &triple, bool set, Step &s) {
    if (triple.items.size() != 3 || triple.items[2].whole(8) > 7)
      throw Malformed{"a flag is not [from, to, id 0..7]"};
    s.kind = set ? Kind::SetFlag : Kind::WaitFlag;
    s.op = set ? Op::SET_FLAG_IMM : Op::WAIT_FLAG_IMM;
    s.from = unitOf(pipeOf(triple.items[0]));
    s.to = unitOf(pipeOf(triple.items[1]));
    s.id = uint8_t(triple.items[2].whole(0));
  }
};

int simulateStream(const char *request, std::string &out, std::string &error) {
  Json json;
  if (!request || !parseJson(request, json) || json.kind != Json::Object) {
    error = "the stream is not a JSON object";
    return TW_ERR_ARGUMENTS;
  }
  Options options;
  const char *const own[] = {"programs", "blocks", "footprint"};
  if (!options.read(json, own, 3, error))
    return TW_ERR_ARGUMENTS;
  Trace trace;
  try {
    StreamReader(trace, options).read(json);
  } catch (const Malformed &m) {
    error = m.what;
    return TW_ERR_ARGUMENTS;
  }
  return report(trace, options, out, error) ? 0 : TW_ERR_FLAGS;
}

} // namespace
} // namespace tilewright::emulator::timing

extern "C" int tw_timing_simulate(const char *requestJson, char **reportJson, char *err, size_t errSize) {
  using namespace tilewright::emulator;
  if (err && errSize)
    *err = 0;
  if (!reportJson)
    return TW_ERR_ARGUMENTS;
  *reportJson = nullptr;
  std::string out, error;
  int code = timing::simulateStream(requestJson, out, error);
  if (!code && !(*reportJson = copyText(out))) {
    code = TW_ERR_HOST;
    error = "no memory for the report";
  }
  if (code && err && errSize)
    std::snprintf(err, errSize, "%s", error.c_str());
  return code;
}
