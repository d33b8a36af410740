#include "emulator/hivmc/Isolate.h"

#include "emulator/hivmc/Errors.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::hivmc {

namespace {

char crashNote[2048];

void onCrash(int signal) {
  size_t size = strnlen(crashNote, sizeof crashNote);
  if (size) {
    (void)!write(STDERR_FILENO, "\n", 1);
    (void)!write(STDERR_FILENO, crashNote, size);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// On a stack of its own: deeply nested input overflows the normal one.
void catchCrashes() {
  static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

[[noreturn]] void child(int output, llvm::function_ref<llvm::Error()> work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); // the linker and this process end together on a time-out
  dup2(output, STDERR_FILENO);
  struct rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  catchCrashes();
  int status = 0;
  if (llvm::Error error = work()) {
    llvm::errs() << render(std::move(error)) << '\n';
    status = 1;
  }
  llvm::outs().flush();
  llvm::errs().flush();
  _exit(status); // no destructors of a module that may be half built
}

std::string lastLine(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

} // namespace

void setCrashNote(llvm::StringRef note) {
  size_t size = std::min(note.size(), sizeof crashNote - 1);
  std::memcpy(crashNote, note.data(), size);
  crashNote[size] = 0;
}

int runIsolated(unsigned timeoutSeconds, llvm::function_ref<llvm::Error()> work) {
  auto fail = [](const llvm::Twine &what, const llvm::Twine &hint = "") {
    llvm::errs() << render(coded(kInternal, what, "", hint)) << '\n';
    return 1;
  };
  int ends[2];
  if (pipe(ends))
    return fail(llvm::Twine("cannot make a pipe: ") + std::strerror(errno));
  pid_t pid = fork();
  if (pid < 0)
    return fail(llvm::Twine("cannot start a process: ") + std::strerror(errno));
  if (pid == 0) {
    close(ends[0]);
    child(ends[1], work);
  }
  setpgid(pid, pid);
  close(ends[1]);

  std::string text;
  bool late = false;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeoutSeconds);
  for (;;) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 && !late) {
      late = true;
      kill(-pid, SIGKILL);
    }
    struct pollfd wait = {ends[0], POLLIN, 0};
    int ready = poll(&wait, 1, late ? 1000 : int(std::min<long long>(left.count() + 1, 1 << 30)));
    if (ready < 0 && errno != EINTR)
      break;
    if (ready == 0 && late)
      break;
    if (ready <= 0)
      continue;
    char block[4096];
    ssize_t size = read(ends[0], block, sizeof block);
    if (size == 0 || (size < 0 && errno != EINTR))
      break;
    if (size > 0)
      text.append(block, size);
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (late)
    return fail("the compiler took more than " + llvm::Twine(timeoutSeconds) + " s and was stopped",
                "--tw-timeout=SECONDS sets the limit");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    llvm::errs() << text;
    return 0;
  }
  // Whatever LLVM or the C library printed comes before our message, and is not for users.
  if (size_t start = text.rfind("TW31");
      start != std::string::npos && (start == 0 || text[start - 1] == '\n')) {
    llvm::StringRef message(text);
    llvm::errs() << message.drop_front(start).rtrim() << '\n';
    return 1;
  }
  if (WIFEXITED(status))
    return fail("the compiler gave up: " + lastLine(text));
  int signal = WTERMSIG(status);
  std::string note = lastLine(text);
  return fail("the compiler crashed on this module (" + llvm::Twine(strsignal(signal)) + ")" +
              (note.empty() ? "" : ": " + note));
}

} // namespace tilewright::hivmc
