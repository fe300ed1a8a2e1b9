#include "brio/doctor/session.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "brio/base/error.h"
#include "brio/doctor/verdict.h"
#include "brio/profile/chrome_trace.h"
#include "brio/profile/recorder.h"

namespace brio::doctor {
namespace {

constexpr auto kFirst = std::chrono::seconds(5), kLater = std::chrono::seconds(30);

struct Session {
  std::string report, page, trace;  // where they go; empty: nobody asked
  pid_t process = 0;                // that was told to write them
  std::mutex writing;
  int wake[2] = {-1, -1};  // a signal is told to the thread below by this pipe
  std::atomic<bool> ended{false}, complained{false};
};
Session* session = nullptr;
std::atomic<void (*)(const std::string&)> printer{nullptr};

// All of it or what was there before; false: it could not be written.
bool write_file(const std::string& path, const std::string& text) {
  const std::string aside = cat(path, ".", getpid(), ".part");
  const int file = open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return false;
  size_t done = 0;
  bool fine = true;
  while (fine && done < text.size()) {
    const ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n > 0) done += static_cast<size_t>(n);
    else fine = n < 0 && errno == EINTR;
  }
  fine &= close(file) == 0;
  if (fine && rename(aside.c_str(), path.c_str()) == 0) return true;
  unlink(aside.c_str());
  return false;
}

void write_or_complain(Session& s, std::string path, const std::string& text) {
  if (path.empty()) return;
  if (getpid() != s.process) path += cat(".", getpid());
  if (!write_file(path, text) && !s.complained.exchange(true))
    std::fprintf(stderr, "brio doctor: %s could not be written: %s\n", path.c_str(), std::strerror(errno));
}

// What goes wrong here is told, once, and is no reason for the program to end otherwise than it would have.
void write_report(bool prints) noexcept {
  Session& s = *session;
  try {
    const std::lock_guard lock(s.writing);
    const Verdict verdict = judge();
    // A child that trains writes its own; one that does not, none.
    if (getpid() != s.process && verdict.evidence.steps == 0) return;
    write_or_complain(s, s.report, verdict.json());
    if (!s.page.empty()) write_or_complain(s, s.page, verdict.html());
    if (!s.trace.empty()) write_or_complain(s, s.trace, profile::chrome_trace(0));
    if (prints && !(s.report.empty() && s.page.empty())) {
      std::fflush(stdout);
      std::fputs(verdict.screen().c_str(), stderr);
    }
  } catch (const std::exception& error) {
    if (!s.complained.exchange(true)) std::fprintf(stderr, "brio doctor: no report: %s\n", error.what());
  }
}

extern "C" void tell_signal(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  if (write(session->wake[1], &byte, 1) != 1) _exit(128 + signal);
  errno = before;
}

// Signals that would end the program without a report. A program with a handler of its own ends in its own way.
void catch_signal(int signal) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = tell_signal;
  ours.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(signal, &ours, nullptr);
}

// Writes the report now and then, so that an end that cannot be seen (_exit, a kill) leaves one, and at a signal.
void watch() {
  Session& s = *session;
  auto wait = kFirst;
  while (true) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(s.wake[0], &set);
    timeval time{.tv_sec = wait.count(), .tv_usec = 0};
    const int ready = select(s.wake[0] + 1, &set, nullptr, nullptr, &time);
    if (ready < 0 && errno != EINTR) return;
    if (ready > 0) {
      unsigned char signal = 0;
      if (read(s.wake[0], &signal, 1) != 1) return;
      if (!s.ended.exchange(true)) write_report(true);
      struct sigaction plain {};
      plain.sa_handler = SIG_DFL;
      sigaction(signal, &plain, nullptr);
      kill(getpid(), signal);  // it ends as it would have
      return;
    }
    if (s.ended) return;
    write_report(false);
    wait = kLater;
  }
}

// From another directory at the end, it is the same file.
std::string path_in(const char* variable) {
  const char* path = std::getenv(variable);
  if (!path || !*path) return {};
  if (path[0] == '/') return path;
  char* here = getcwd(nullptr, 0);
  std::string whole = here ? cat(here, "/", path) : std::string(path);
  std::free(here);
  return whole;
}

void start_watching() {
  if (pipe2(session->wake, O_CLOEXEC) != 0) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(watch).detach();
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): the end of the program still writes
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  catch_signal(SIGINT);
  catch_signal(SIGTERM);
}

void after_fork_in_child() {
  if (!session) return;
  new (&session->writing) std::mutex;
  session->ended = false;
}

void tell(bool prints, bool at_end) {
  try {
    if (prints) {
      const std::string text = judge().screen();
      if (const auto print = printer.load()) print(text);
      else std::fputs(text.c_str(), stdout);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "brio doctor: no verdict: %s\n", error.what());
  }
  if (session && at_end) write_report(false);
}

}  // namespace

void set_printer(void (*print)(const std::string&)) { printer = print; }

void report_at_end() {
  if (session && !session->ended.exchange(true)) write_report(true);
}

bool register_doctor() {
  static const bool done = [] {
    profile::set_verdict(tell);
    const std::string report = path_in("BRIO_DOCTOR"), page = path_in("BRIO_DOCTOR_PAGE"),
                      trace = path_in("BRIO_TRACE");
    if (report.empty() && page.empty() && trace.empty()) return true;
    session = new Session;
    session->report = report;
    session->page = page;
    session->trace = trace;
    // Programs that this one starts write beside it, and only if they train.
    const bool inherited = std::getenv("BRIO_DOCTOR_OWNER") != nullptr;
    session->process = inherited ? -1 : getpid();
    if (!inherited) setenv("BRIO_DOCTOR_OWNER", std::to_string(getpid()).c_str(), 1);
    profile::want_trials(true);
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    std::atexit(report_at_end);
    start_watching();
    return true;
  }();
  return done;
}

}  // namespace brio::doctor
