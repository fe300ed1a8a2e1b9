#include "tests/walled_device.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <stdexcept>
#include <thread>

#include "brio/base/error.h"
#include "brio/base/float_mode.h"
#include "brio/ir/op.h"
#include "brio/runtime/placed.h"

namespace brio::test {
namespace {

constexpr size_t kRoom = size_t{1} << 36;  // of addresses; pages are taken when they are written
constexpr size_t kPage = 4096;

struct Wall {
  char *walled = nullptr, *open = nullptr;
  std::atomic<size_t> used{0};
};
std::array<Wall, 2> walls;

// ---- Stray accesses: the page is opened, so that the test goes on to its end, where it fails.

std::atomic<int> strays{0};
std::array<void*, 24> first_stray;
std::atomic<int> first_stray_depth{0};
struct sigaction before {};

void on_fault(int number, siginfo_t* info, void* context) {
  auto* const at = static_cast<char*>(info->si_addr);
  for (const Wall& wall : walls) {
    if (!wall.walled || at < wall.walled || at >= wall.walled + kRoom) continue;
    if (strays.fetch_add(1) == 0)
      first_stray_depth = backtrace(first_stray.data(), static_cast<int>(first_stray.size()));
    char* const page = wall.walled + (static_cast<size_t>(at - wall.walled) & ~(kPage - 1));
    mprotect(page, kPage, PROT_READ | PROT_WRITE);
    return;
  }
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(number, info, context);
  signal(number, SIG_DFL);  // returns to the fault
}

void watch_for_strays() {
  static const bool once = [] {
    std::array<void*, 2> warm;
    backtrace(warm.data(), 2);  // loads what it needs, outside of the handler
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before);
    return true;
  }();
  (void)once;
}

class WalledMemory final : public DeviceMemory {
 public:
  WalledMemory(Device& device, Wall& wall) : DeviceMemory(device, size_t{1} << 30), wall_(wall) {
    const int file = memfd_create("brio_walled", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(kRoom)) != 0) throw std::runtime_error("no walled memory");
    const auto mapped = [&](int access) {
      void* at = mmap(nullptr, kRoom, access, MAP_SHARED | MAP_NORESERVE, file, 0);
      if (at == MAP_FAILED) throw std::runtime_error("no addresses for walled memory");
      return static_cast<char*>(at);
    };
    wall_.open = mapped(PROT_READ | PROT_WRITE);
    wall_.walled = mapped(PROT_NONE);
    close(file);
    watch_for_strays();
  }

 protected:
  void* map(size_t bytes) override {
    size_t at = wall_.used.load();
    do {
      if (bytes > kRoom - at - 128) return nullptr;
    } while (!wall_.used.compare_exchange_weak(at, at + ((bytes + 127) & ~size_t{63})));
    return wall_.walled + at;
  }
  void unmap(void* data, size_t bytes) noexcept override {
    const size_t begin = (static_cast<size_t>(static_cast<char*>(data) - wall_.walled) + kPage - 1) & ~(kPage - 1);
    const size_t end = static_cast<size_t>(static_cast<char*>(data) - wall_.walled + bytes) & ~(kPage - 1);
    if (end > begin) madvise(wall_.open + begin, end - begin, MADV_REMOVE);
  }

 private:
  Wall& wall_;
};

class WalledStream final : public Stream {
 public:
  explicit WalledStream(Wall& wall) : wall_(wall), worker_([this] { work(); }) {}
  ~WalledStream() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    worker_.join();
  }

  void launch(const Kernel& kernel, std::span<const void* const> in, std::span<void* const> out,
              void* scratch) override {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    for (const void* p : in) inputs.push_back(inside(p));
    for (void* p : out) outputs.push_back(inside(p));
    push([&kernel, inputs = std::move(inputs), outputs = std::move(outputs), scratch = inside(scratch)] {
      FloatMode mode;
      kernel.run({inputs.data(), outputs.data(), scratch});
    });
  }
  void copy_to_host(void* host, const void* device, size_t bytes) override {
    push([=, from = inside(device)] { std::memcpy(host, from, bytes); });
  }
  void copy_to_device(void* device, const void* host, size_t bytes) override {
    const auto* const from = static_cast<const char*>(host);
    push([to = inside(device), data = std::vector<char>(from, from + bytes)] {
      std::memcpy(to, data.data(), data.size());
    });
  }
  void copy_from_staging(void* device, const void* staging, size_t bytes) override {  // which is read later
    push([=, to = inside(device)] { std::memcpy(to, staging, bytes); });
  }
  void copy(void* to, const void* from, size_t bytes) override {
    push([to = inside(to), from = inside(from), bytes] { std::memcpy(to, from, bytes); });
  }
  void clear(void* data, size_t bytes) override {
    push([to = inside(data), bytes] { std::memset(to, 0, bytes); });
  }
  void keep(std::shared_ptr<const void> what) override {
    push([what = std::move(what)] {}, true);
  }

  uint64_t mark() override {
    const std::lock_guard lock(mutex_);
    return pushed_;
  }
  void pass(uint64_t ticket) noexcept override {
    std::unique_lock lock(mutex_);
    passed_.wait(lock, [&] { return done_ >= ticket; });
  }
  void wait(uint64_t ticket) override {
    std::unique_lock lock(mutex_);
    passed_.wait(lock, [&] { return done_ >= ticket; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }
  void wait_for(Stream& other, uint64_t ticket) override {
    push([&stream = static_cast<WalledStream&>(other), ticket] { stream.pass(ticket); }, true);
  }

 private:
  struct Job {
    std::function<void()> run;
    bool always;  // also behind a failure
  };

  void* inside(const void* p) const {
    if (!p) return nullptr;
    auto* const at = static_cast<const char*>(p);
    if (at < wall_.walled || at > wall_.walled + kRoom)
      throw InternalError("a stream of a walled device was given memory of the host");
    return wall_.open + (at - wall_.walled);
  }
  void push(std::function<void()> run, bool always = false) {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(run), always});
    ++pushed_;
    wake_.notify_one();
  }
  void work() {
    uint32_t random = 2463534242u;
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      Job job = std::move(queue_.front());
      queue_.pop_front();
      const bool skip = error_ && !job.always;
      lock.unlock();
      random ^= random << 13, random ^= random >> 17, random ^= random << 5;
      if (random % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random % 64));
      std::exception_ptr error;
      try {
        if (!skip) job.run();
      } catch (...) {
        error = std::current_exception();
      }
      job.run = nullptr;  // what it keeps goes before it counts as done
      lock.lock();
      if (error && !error_) error_ = error;
      ++done_;
      passed_.notify_all();
    }
  }

  const Wall& wall_;
  std::mutex mutex_;
  std::condition_variable wake_, passed_;
  std::deque<Job> queue_;
  uint64_t pushed_ = 0, done_ = 0;
  bool ending_ = false;
  std::exception_ptr error_;
  std::thread worker_;
};

class StagingMemory final : public Memory {
 public:
  void* allocate(size_t bytes) override { return host_memory().allocate(bytes); }
  void release(void* data, size_t bytes, const Use& last) noexcept override {
    if (last.stream) last.stream->pass(last.ticket);
    host_memory().release(data, bytes, {});
  }
};

class WalledDevice final : public Device {
 public:
  explicit WalledDevice(int number)
      : Device(memory_),
        name_(cat("walled:", number)),
        wall_(walls[static_cast<size_t>(number)]),
        memory_(*this, wall_) {}
  std::string_view name() const override { return name_; }
  Memory& staging() override { return staging_; }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<WalledStream>(wall_); }

 private:
  std::string name_;
  Wall& wall_;
  WalledMemory memory_;
  StagingMemory staging_;
};

bool lacks(std::string_view op) {
  const char* list = std::getenv("BRIO_WALLED_LACKS");
  return list && cat(",", list, ",").find(cat(",", op, ",")) != std::string::npos;
}

Device& make(int number) {
  Registry& r = registry();
  auto device = std::make_unique<WalledDevice>(number);
  const std::string name(device->name());
  r.add_device(std::move(device));
  for (const OpDef* op : op_table())
    if (!lacks(op->name))
      for (const Implementation& implementation : r.implementations(r.host(), *op)) r.add(name, *op, implementation);
  for (const Implementation& implementation : r.implementations(r.host(), op::placed))
    r.add(name, op::placed, implementation);
  return r.device(name);
}

}  // namespace

Device& walled_device(int number) {
  static Device& first = make(0);
  if (number == 0) return first;
  static Device& second = make(1);
  return second;
}

std::string stray_accesses() {
  const int count = strays.exchange(0);
  if (count == 0) return {};
  std::string text = cat("host code touched the memory of a device ", count, " times, first here:\n");
  char** const names = backtrace_symbols(first_stray.data(), first_stray_depth.load());
  for (int i = 2; i < first_stray_depth; ++i) text += cat("  ", names[i], "\n");
  std::free(names);
  for (const Wall& wall : walls)
    if (wall.walled) mprotect(wall.walled, kRoom, PROT_NONE);
  return text;
}

}  // namespace brio::test
