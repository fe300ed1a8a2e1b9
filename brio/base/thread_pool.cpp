#include "brio/base/thread_pool.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include "brio/base/cpu_count.h"
#include "brio/base/error.h"
#include "brio/base/float_mode.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace brio {
namespace {

constexpr int kMaxThreads = 1024;
std::atomic<int> g_threads{0};                  // 0: not yet known; set under the pool's mutex
constexpr std::chrono::microseconds kSpin{30};  // a sleeping worker takes several microseconds to wake

void pause_cpu() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// Spins until done() or kSpin has passed; returns done().
template <typename Done>
bool spin_until(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      pause_cpu();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

// Lives on the stack of the caller of parallel_for, which unlinks it and waits for `helpers` to reach zero.
struct Job {
  void (*body)(void*, int64_t, int64_t);
  void* context;
  int64_t n, grain, pieces;
  FloatMode::Word float_mode = FloatMode::current();
  std::atomic<int64_t> next{0};  // the first piece that nobody has claimed
  std::atomic<int> helpers{0};   // workers inside; changed under the pool's mutex
  Job* newer = nullptr;          // neighbours in the pool's list, under its mutex
  Job* older = nullptr;
  int64_t failed_piece = std::numeric_limits<int64_t>::max();  // under the pool's mutex, with `error`
  std::exception_ptr error{};

  bool has_pieces() const { return next.load(std::memory_order_relaxed) < pieces; }
};

class Pool {
 public:
  static Pool& instance();

  void run(Job& job);
  void resize(int threads);

 private:
  void work(Job& job);
  void worker();
  void start_workers();   // mutex_ held
  Job* find_job() const;  // mutex_ held
  void unlink(Job& job);  // mutex_ held
  void wait_for_helpers(Job& job, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable posted_, finished_;
  std::atomic<uint64_t> posts_{0};  // jobs ever posted: what an idle worker watches while it spins
  Job* newest_ = nullptr;
  int wanted_ = 0, workers_ = 0, sleeping_ = 0, waiting_callers_ = 0;
  bool spin_ = true;  // pointless when there are more threads than CPUs
};

// The pool is never destroyed: detached workers may outlive static destructors. After a fork the child builds a new
// one in the same place, because the old one's mutex and waiters belong to threads that no longer exist.
alignas(Pool) unsigned char g_storage[sizeof(Pool)];
std::atomic<uint64_t> g_generation{0};  // forks seen

void rebuild_in_child() {
  g_generation.fetch_add(1, std::memory_order_relaxed);
  new (g_storage) Pool;
}

Pool& Pool::instance() {
  static Pool* const pool = [] {
    Pool* made = new (g_storage) Pool;
    pthread_atfork(nullptr, nullptr, rebuild_in_child);
    return made;
  }();
  return *pool;
}

void Pool::work(Job& job) {
  for (;;) {
    const int64_t piece = job.next.fetch_add(1, std::memory_order_relaxed);
    if (piece >= job.pieces) return;
    const int64_t begin = piece * job.grain;
    try {
      job.body(job.context, begin, begin + std::min(job.grain, job.n - begin));
    } catch (...) {
      // Every lower piece has been claimed already, so the lowest failure is found although the rest is dropped.
      job.next.store(job.pieces, std::memory_order_relaxed);
      std::lock_guard lock(mutex_);
      if (piece < job.failed_piece) {
        job.failed_piece = piece;
        job.error = std::current_exception();
      }
    }
  }
}

void Pool::run(Job& job) {
  const uint64_t generation = g_generation.load(std::memory_order_relaxed);
  int wake;
  {
    std::lock_guard lock(mutex_);
    start_workers();
    job.older = newest_;
    if (newest_) newest_->newer = &job;
    newest_ = &job;
    posts_.fetch_add(1, std::memory_order_release);
    wake = static_cast<int>(std::min<int64_t>(sleeping_, job.pieces - 1));
  }
  for (; wake > 0; --wake) posted_.notify_one();
  work(job);
  if (g_generation.load(std::memory_order_relaxed) != generation)
    throw ResourceError(
        "parallel_for: the process was forked inside a body; in the child call exec or _exit there, "
        "or fork outside parallel work");
  {
    std::unique_lock lock(mutex_);
    unlink(job);
    wait_for_helpers(job, lock);
  }
  if (job.error) std::rethrow_exception(job.error);
}

void Pool::wait_for_helpers(Job& job, std::unique_lock<std::mutex>& lock) {
  auto done = [&] { return job.helpers.load(std::memory_order_acquire) == 0; };
  if (done()) return;
  if (spin_) {
    lock.unlock();
    const bool ended = spin_until(done);
    if (ended) return;
    lock.lock();
  }
  ++waiting_callers_;
  finished_.wait(lock, done);
  --waiting_callers_;
}

void Pool::unlink(Job& job) {
  (job.newer ? job.newer->older : newest_) = job.older;
  if (job.older) job.older->newer = job.newer;
}

Job* Pool::find_job() const {
  // The newest first: it may be the inner loop that the body of an older one waits for.
  for (Job* job = newest_; job; job = job->older)
    if (job->has_pieces()) return job;
  return nullptr;
}

void Pool::worker() {
  // A library parallelised with OpenMP that a body calls must not start a second pool under ours.
  if (auto* set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set_threads(1);
  std::unique_lock lock(mutex_);
  bool fresh = true;  // worth spinning: a job has ended since the last sleep
  for (;;) {
    if (workers_ > wanted_) {
      --workers_;
      return;
    }
    if (Job* job = find_job()) {
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      {
        FloatMode mode(job->float_mode);
        work(*job);
      }
      lock.lock();
      const bool last = job->helpers.fetch_sub(1, std::memory_order_release) == 1;  // job may be gone from here on
      if (last && waiting_callers_ > 0) finished_.notify_all();
      fresh = true;
    } else if (fresh && spin_) {
      fresh = false;
      const uint64_t seen = posts_.load(std::memory_order_relaxed);
      lock.unlock();
      spin_until([&] { return posts_.load(std::memory_order_acquire) != seen; });
      lock.lock();
    } else {
      ++sleeping_;
      posted_.wait(lock);
      --sleeping_;
    }
  }
}

void Pool::start_workers() {
  wanted_ = thread_count() - 1;
  if (workers_ >= wanted_) return;
  spin_ = wanted_ < usable_cpus();
  // Signals belong to the program's own threads: workers inherit a full mask.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  try {
    while (workers_ < wanted_) {
      std::thread([this] { worker(); }).detach();
      ++workers_;
    }
  } catch (const std::system_error&) {
    wanted_ = workers_;  // the system gives no more threads; those that exist, and the caller, do the work
  }
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

void Pool::resize(int threads) {
  {
    std::lock_guard lock(mutex_);
    g_threads.store(threads, std::memory_order_relaxed);
    wanted_ = std::min(wanted_, threads - 1);  // more are started when there is work for them
    spin_ = threads <= usable_cpus();
  }
  posted_.notify_all();
}

void check_count(long threads, const char* source, const std::string& given) {
  if (threads < 1 || threads > kMaxThreads)
    throw InvalidArgument(cat(source, ": ", given, " threads; give a whole number from 1 to ", kMaxThreads));
}

int initial_count() {
  const char* text = std::getenv("BRIO_THREADS");
  if (!text || !*text) return std::min(usable_cpus(), kMaxThreads);
  char* end = nullptr;
  const long threads = std::strtol(text, &end, 10);
  check_count(*end ? 0 : threads, "BRIO_THREADS", cat("'", text, "'"));
  return static_cast<int>(threads);
}

}  // namespace

int thread_count() {
  int threads = g_threads.load(std::memory_order_relaxed);
  if (threads > 0) return threads;
  const int initial = initial_count();
  // A set_thread_count that came in between wins.
  return g_threads.compare_exchange_strong(threads, initial, std::memory_order_relaxed) ? initial : threads;
}

void set_thread_count(int threads) {
  check_count(threads, "set_thread_count", std::to_string(threads));
  Pool::instance().resize(threads);
}

void parallel_for(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* context) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t pieces = (n - 1) / grain + 1;
  if (pieces == 1) return body(context, 0, n);
  if (thread_count() == 1) {
    for (int64_t piece = 0; piece < pieces; ++piece) {
      const int64_t begin = piece * grain;
      body(context, begin, begin + std::min(grain, n - begin));
    }
    return;
  }
  Job job{.body = body, .context = context, .n = n, .grain = grain, .pieces = pieces};
  Pool::instance().run(job);
}

}  // namespace brio
