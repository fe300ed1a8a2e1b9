// The interface between the core and backends: devices with memory and streams, and kernels found by op. A porter
// reads this file alone; docs/adding-a-backend.md walks through it.
//
// The core knows no backend's name. A backend registers, per device, implementations of ops; for one node the core
// asks them in order (highest priority first) whether they can run it, and takes the first that says yes. A "no"
// carries a reason, which BRIO_EXPLAIN=kernels prints.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/tensor/memory.h"

namespace brio {

// Of parts of one block of memory: kernels count on the alignment that Memory gives.
constexpr size_t align(size_t bytes) { return (bytes + 63) & ~size_t{63}; }

struct KernelArgs {
  const void* const* in;
  void* const* out;        // null for an output that nobody reads, where the kernel said that it allows it
  void* scratch;           // scratch_bytes() of device memory, 64-byte aligned
  void** table = nullptr;  // table_size() pointers of host memory
};

// A prepared kernel: everything that depends on shapes and attributes is settled. Immutable and re-entrant; run()
// does not allocate. Inputs and outputs are dense and row-major.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // May throw InvalidArgument for bad data (only ops with may_fail), before it writes anything.
  virtual void run(const KernelArgs& args) const = 0;
  virtual size_t scratch_bytes() const { return 0; }
  virtual size_t table_size() const { return 0; }
  // May output `out` share its memory with input `in` (equal bytes)?
  virtual bool allows_in_place([[maybe_unused]] size_t in, [[maybe_unused]] size_t out) const { return false; }
  virtual size_t heap_bytes() const { return 0; }  // what it keeps beside itself, where that is much
  // Where one input decides alone what it refuses: a kernel that takes that input, refuses as this one does, and
  // writes nothing. It lives as long as this one.
  struct Check {
    size_t input = 0;
    const Kernel* kernel = nullptr;  // null: it takes the kernel itself to know
  };
  virtual Check input_check() const { return {}; }
  std::string description;  // what was chosen: "gemm small 6x4 avx3"
};

class Device;
class Stream;

// A kernel that the host leads on every device: code of the host, branches and loops, which hand work to the stream
// themselves. On the host it is run() as any other.
class LedKernel : public Kernel {
 public:
  virtual void lead(const KernelArgs& args, Stream& stream) const = 0;
  // How many kernels it hands over, where it never waits for the device and nothing of it may fail; 0: who knows.
  virtual size_t launches() const { return 0; }
};

// A node with the types of its operands.
struct NodeView {
  const Graph& graph;
  const Node& node;
  Device* device = nullptr;  // that it is prepared for
  const Aval& in(size_t i) const { return graph.values[node.in[i]]; }
  const Aval& out(size_t i) const { return graph.values[node.out[i]]; }
  Attrs attrs() const { return Attrs(node.attrs); }
};

struct Support {
  bool yes;
  std::string reason;  // of a no
  static Support can() { return {true, {}}; }
  static Support cannot(std::string why) { return {false, std::move(why)}; }
};

struct Implementation {
  std::string_view name;
  int priority;  // higher is asked first; the reference has 0
  Support (*supports)(const NodeView& node);
  std::unique_ptr<Kernel> (*prepare)(const NodeView& node);
};

// Work of a device that runs behind the host. What is handed to a stream runs in order; each thread has a stream of
// its own for each device. Lists of pointers are read before a call returns, memory of the host too, except that
// copy_to_host() writes later.
class Stream {
 public:
  virtual ~Stream() = default;
  // The kernel stays valid until it has run: see keep().
  virtual void launch(const Kernel& kernel, std::span<const void* const> in, std::span<void* const> out,
                      void* scratch) = 0;
  // Kernels of a plan that follow each other without the host. A device may keep what it makes of them, and start
  // that at once when they come again with the same pointers.
  struct Launch {
    const Kernel* kernel;
    uint32_t in, out, end;           // places of its arguments among the pointers
    size_t scratch;                  // in the arena
    const LedKernel* led = nullptr;  // the kernel, where it is one
  };
  struct Kept {
    virtual ~Kept() = default;
  };
  struct Section {
    std::vector<Launch> launches;
    uint32_t table = 0;        // of kernels that are led: its place among the pointers
    mutable std::mutex mutex;  // of `kept`: runs of a plan may be many at a time
    mutable std::shared_ptr<Kept> kept;
  };
  virtual void launch_all(const Section& section, void** pointers, char* arena);
  virtual void copy_to_host(void* host, const void* device, size_t bytes) = 0;
  virtual void copy_to_device(void* device, const void* host, size_t bytes) = 0;
  virtual void copy(void* to, const void* from, size_t bytes) = 0;  // within the device
  virtual void clear(void* data, size_t bytes) = 0;
  // From memory of Device::staging(), which is read later: it stays as it is until the copy has run.
  virtual void copy_from_staging(void* device, const void* staging, size_t bytes) {
    copy_to_device(device, staging, bytes);
  }
  // Holds on to it until what was handed over so far has run.
  virtual void keep(std::shared_ptr<const void> what) = 0;

  virtual uint64_t mark() = 0;                      // a ticket for what was handed over so far
  virtual void pass(uint64_t ticket) noexcept = 0;  // the host waits
  // As pass(), and throws what a kernel threw; the work behind it was skipped.
  virtual void wait(uint64_t ticket) = 0;
  // What is handed over from now on runs after another stream of the device has passed a ticket.
  virtual void wait_for(Stream& other, uint64_t ticket) = 0;
  void synchronize() { wait(mark()); }

  // After each plan that is handed over: the host does not run further ahead than kAhead of them.
  void keep_pace();
  Device& device() const { return *device_; }

 private:
  friend class ThreadStreams;
  Device* device_ = nullptr;
  static constexpr size_t kAhead = 16;
  std::mutex pace_mutex_;
  std::deque<uint64_t> plans_;  // their tickets
};

// What went to a device and came from it so far, and how often the host had to run an op for it.
struct Traffic {
  std::atomic<uint64_t> copies_in{0}, bytes_in{0}, copies_out{0}, bytes_out{0}, fallbacks{0};
  void count_in(size_t bytes) {
    copies_in.fetch_add(1, std::memory_order_relaxed);
    bytes_in.fetch_add(bytes, std::memory_order_relaxed);
  }
  void count_out(size_t bytes) {
    copies_out.fetch_add(1, std::memory_order_relaxed);
    bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  }
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;              // "cpu:0": what kind it is, and which of them
  virtual std::string description() const { return {}; }  // for people: "NVIDIA H200, 141 GB"
  Memory& memory() const { return memory_; }
  // The host itself: kernels have run when a call returns, and there are no streams.
  bool is_host() const { return is_host_; }
  virtual std::unique_ptr<Stream> make_stream() { return nullptr; }
  // Memory of the host from which copies to the device start: pinned where the device wants that.
  virtual Memory& staging() { return host_memory(); }
  // May this node be part of a `fused` body? Passes ask it of what the CPU would fuse.
  virtual bool fuses([[maybe_unused]] const Graph& graph, [[maybe_unused]] const Node& node) const { return true; }
  // It has kernels that are not the host's: passes ask for those that the host has no fast ones of.
  virtual bool has_own_kernels() const { return false; }

  Stream& stream();       // this thread's
  Stream& copy_stream();  // beside it, for copies that are not to wait for what is computed
  mutable Traffic traffic;

 protected:
  explicit Device(Memory& memory) : memory_(memory), is_host_(&memory == &host_memory()) {}

 private:
  friend class ThreadStreams;
  Memory& memory_;
  const bool is_host_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> streams_;  // they live as long as the device: buffers name them
  std::vector<Stream*> idle_;                     // of threads that have ended, for work or copies
};

// Memory of a device, recycled in the order of its streams: a block goes back while work that uses it is still under
// way, and the next owner's work waits for that.
class DeviceMemory : public Memory {
 public:
  // Keeps up to `most_kept` bytes for the next that ask.
  explicit DeviceMemory(Device& device, size_t most_kept) : device_(device), most_kept_(most_kept) {}
  void* allocate(size_t bytes) final;
  void release(void* data, size_t bytes, const Use& last) noexcept final;
  Device* device() final { return &device_; }
  void copy_to_host(void* host, const Buffer& from, size_t offset, size_t bytes) final;
  void copy_from_host(const Buffer& to, const void* host, size_t bytes) final;
  struct Usage {
    size_t bytes, peak;  // handed out, now and at most
  };
  Usage usage();
  void reset_peak();

 protected:
  virtual void* map(size_t bytes) = 0;  // 64-byte aligned; null: there is no more
  virtual void unmap(void* data, size_t bytes) noexcept = 0;

 private:
  void trim() noexcept;
  void give_up(void* data, size_t size, const Use& last) noexcept;
  struct Block {
    void* data;
    Use last;
  };
  Device& device_;
  std::mutex mutex_;
  std::map<size_t, std::vector<Block>> free_;  // by rounded size
  const size_t most_kept_;
  size_t kept_ = 0, used_ = 0, peak_ = 0;
};

// Buffers that a piece of work touches: it starts after what used them before on other streams, and is what used them
// last.
class BufferUses {
 public:
  explicit BufferUses(Stream& stream) : stream_(stream) {}
  void add(const Buffer* buffer);
  // A buffer that the work only reads, and whose writer has run: `stream` read it, and the host waited.
  void add_read(const Buffer* buffer) { read_.push_back(buffer); }
  static void read_on(Stream& stream, const Buffer* buffer);  // what `stream` is given next reads it
  void publish();                                             // after the work was handed over
  static void publish(Stream& stream, const Buffer* buffer);

 private:
  Stream& stream_;
  std::vector<const Buffer*> buffers_, read_;
};

class Registry {
 public:
  void add_device(std::unique_ptr<Device> device);
  void add(std::string_view device, const OpDef& op, const Implementation& implementation);
  // Adds devices that take long to look for, or says why there are none. Called once, when somebody asks for a device
  // other than the host.
  using Finder = std::function<std::string(Registry&)>;
  void add_finder(Finder finder) { finders_.push_back(std::move(finder)); }
  const std::vector<std::string>& missing() const;  // what finders said

  Device& device(std::string_view name) const;  // throws InvalidArgument naming those there are
  Device& host() const;                         // the first that was added
  // By the order in which they were added, from 1 on: Node::place.
  Device& at_place(uint16_t place) const;
  uint16_t place_of(const Device& device) const;
  std::vector<std::string_view> device_names() const;
  const std::vector<Implementation>& implementations(const Device& device, const OpDef& op) const;

 private:
  struct Entry {
    std::unique_ptr<Device> device;
    std::vector<std::pair<const OpDef*, std::vector<Implementation>>> kernels;
  };
  void find_devices() const;
  std::span<const Entry> entries() const { return {entries_.data(), count_.load(std::memory_order_acquire)}; }
  // Plans are made while devices are found: what is there stays where it is.
  std::array<Entry, 64> entries_;
  std::atomic<size_t> count_{0};
  mutable std::once_flag found_;
  std::vector<Finder> finders_;
  mutable std::vector<std::string> missing_;
};
// What every device has: branches, loops, code of the host.
void register_led_kernels(Registry& registry, std::string_view device);

// Filled once by register_backends(), which the build generates from the list of backends it was configured with.
Registry& registry();

// Where this thread's ops run: the innermost scope's device, otherwise the one that BRIO_DEVICE names, otherwise the
// host. What was recorded before a scope runs where it was recorded.
Device& current_device();
namespace detail {
extern constinit std::atomic<Device*> device_of_programs;
Device& choose_default_device();
}  // namespace detail
inline Device& default_device() {  // outside of any scope
  Device* const device = detail::device_of_programs.load(std::memory_order_acquire);
  return device ? *device : detail::choose_default_device();
}
class DeviceScope {
 public:
  explicit DeviceScope(std::string_view name);  // throws InvalidArgument
  explicit DeviceScope(Device& device);
  explicit DeviceScope(std::nullptr_t);  // where ops run outside of any scope
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;

 private:
  Device* before_;
  uint16_t place_before_;
};

// The best implementation for a node. What a device lacks runs on the host, with copies.
struct Choice {
  std::unique_ptr<Kernel> kernel;
  std::string_view implementation;
  std::vector<std::pair<std::string_view, std::string>> skipped;  // name, reason
};
Choice choose(const Registry& registry, Device& device, const NodeView& node);

}  // namespace brio
