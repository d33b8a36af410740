#include "emulator/machine/Block.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace tilewright::emulator {

int runGuarded(Core &core, Entry entry, const void *args) {
  core.error = 0;
  core.message[0] = 0;
  Core *const outer = currentCore;
  currentCore = &core;
  // The signal mask is not saved: handlers run with nothing blocked (SA_NODEFER), so there is nothing to
  // restore.
  if (sigsetjmp(core.escape, 0) == 0) {
    core.running = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    entry(args);
  }
  core.running = false;
  currentCore = outer;
  return core.error;
}

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
struct sigaction previous[3];
unsigned users = 0;
std::mutex mutex;

int indexOf(int signal) { return signal == SIGSEGV ? 0 : signal == SIGBUS ? 1 : 2; }

void chain(int signal, siginfo_t *detail, void *context) {
  const struct sigaction &old = previous[indexOf(signal)];
  if (old.sa_flags & SA_SIGINFO)
    return old.sa_sigaction(signal, detail, context);
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN)
    return old.sa_handler(signal);
  // Default action: take our handler away and let the instruction fault again.
  struct sigaction def = {};
  def.sa_handler = SIG_DFL;
  sigaction(signal, &def, nullptr);
}

void onFault(int signal, siginfo_t *detail, void *context) {
  Core *core = currentCore;
  const bool synchronous = detail->si_code > 0; // not sent by kill
  if (!core || !core->running || !synchronous)
    return chain(signal, detail, context);
  core->running = false; // a second fault in here is ours, not the kernel's
  if (signal == SIGFPE)
    fail(*core, TW_ERR_FAULT, "scalar code divided by zero");
  const uint64_t address = uint64_t(detail->si_addr), base = uint64_t(core->ub);
  if (address >= base - (64 << 10) && address < base + (448 << 10))
    fail(*core, TW_ERR_FAULT, "scalar access to UB byte %lld, but UB is [0, %u)",
         static_cast<long long>(address - base), kUbSize);
  fail(*core, TW_ERR_FAULT, "scalar access to unmapped memory at 0x%llx",
       static_cast<unsigned long long>(address));
}

} // namespace

FaultHandler::FaultHandler() {
  std::lock_guard<std::mutex> lock(mutex);
  if (users++)
    return;
  struct sigaction ours = {};
  ours.sa_sigaction = onFault;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  for (int i = 0; i < 3; ++i)
    sigaction(kSignals[i], &ours, &previous[i]);
}

FaultHandler::~FaultHandler() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--users)
    return;
  for (int i = 0; i < 3; ++i) {
    struct sigaction now;
    sigaction(kSignals[i], nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == onFault) // keep a handler installed after ours
      sigaction(kSignals[i], &previous[i], nullptr);
  }
}

} // namespace tilewright::emulator
