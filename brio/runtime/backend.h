// The interface between the core and backends: devices with memory and streams, and kernels found by op. To port
// Brio, read only this file; docs/adding-a-backend.md is a guide to it.
//
// The core does not know the names of backends. A backend registers implementations of ops for each device. For a
// node, the core asks them in order (highest priority first) whether they can run it, and takes the first that says
// yes. A "no" has a reason, which BRIO_EXPLAIN=kernels prints.
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
#include <unordered_map>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/passes/target.h"
#include "brio/tensor/memory.h"

namespace brio {

// For parts of a block of memory: kernels rely on the alignment that Memory gives.
constexpr size_t align(size_t bytes) { return (bytes + 63) & ~size_t{63}; }

struct KernelArgs {
  const void* const* in;
  void* const* out;        // null for an output that nothing reads, if the kernel allows that
  void* scratch;           // scratch_bytes() of device memory, 64-byte aligned
  void** table = nullptr;  // table_size() pointers of host memory
};

// A prepared kernel: everything that depends on shapes and attributes is settled. Immutable and re-entrant; run()
// allocates nothing. Inputs and outputs are dense and row-major.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // May throw InvalidArgument for bad data (only ops with may_fail), before it writes anything.
  virtual void run(const KernelArgs& args) const = 0;
  virtual size_t scratch_bytes() const { return 0; }
  virtual size_t table_size() const { return 0; }
  // Whether output `out` may share its memory with input `in` (of equal bytes).
  virtual bool allows_in_place([[maybe_unused]] size_t in, [[maybe_unused]] size_t out) const { return false; }
  virtual size_t heap_bytes() const { return 0; }  // memory that it keeps besides the object, if that is much
  // If one input alone decides whether the kernel refuses its data: a kernel that takes only this input, refuses as
  // this kernel does, and writes nothing. It lives as long as this kernel.
  struct Check {
    size_t input = 0;
    const Kernel* kernel = nullptr;  // null: only the kernel itself can check
  };
  virtual Check input_check() const { return {}; }
  std::string description;  // the chosen implementation: "gemm small 6x4 avx3"
};

class Device;
class DevicePictures;
class Stream;

// A kernel that the host leads on every device: code of the host, branches and loops, which hand work to the stream
// themselves. On the host it is run() like any other.
class LedKernel : public Kernel {
 public:
  virtual void lead(const KernelArgs& args, Stream& stream) const = 0;
  // How many kernels it hands over, if it never waits for the device and cannot fail; 0: unknown.
  virtual size_t launches() const { return 0; }
};

// A node with the types of its operands.
struct NodeView {
  const Graph& graph;
  const Node& node;
  Device* device = nullptr;  // the device that it is prepared for
  const Aval& in(size_t i) const { return graph.values[node.in[i]]; }
  const Aval& out(size_t i) const { return graph.values[node.out[i]]; }
  Attrs attrs() const { return Attrs(node.attrs); }
};

struct Support {
  bool yes;
  std::string reason;  // why not
  static Support can() { return {true, {}}; }
  static Support cannot(std::string why) { return {false, std::move(why)}; }
};

struct Implementation {
  std::string_view name;
  int priority;  // higher is asked first; the reference has 0
  Support (*supports)(const NodeView& node);
  std::unique_ptr<Kernel> (*prepare)(const NodeView& node);
};

// The work of a device that runs behind the host. A stream runs in order what is handed to it; each thread has its
// own stream for each device. Lists of pointers are read before a call returns. So is memory of the host, except that
// copy_to_host() writes to it later.
class Stream {
 public:
  virtual ~Stream() = default;
  // The kernel must stay valid until it has run: see keep().
  virtual void launch(const Kernel& kernel, std::span<const void* const> in, std::span<void* const> out,
                      void* scratch) = 0;
  // Kernels of a plan that follow each other without the host in between. A device may keep what it makes of them,
  // and start that at once when they come again with the same pointers.
  struct Launch {
    const Kernel* kernel;
    uint32_t in, out, end;           // positions of its arguments among the pointers
    size_t scratch;                  // offset in the arena
    const LedKernel* led = nullptr;  // the kernel, where it is one
  };
  struct Kept {
    virtual ~Kept() = default;
  };
  struct Section {
    std::vector<Launch> launches;
    uint32_t table = 0;        // for led kernels: the position of the table among the pointers
    mutable std::mutex mutex;  // guards `kept`: several runs of a plan may be active
    mutable std::shared_ptr<Kept> kept;
  };
  virtual void launch_all(const Section& section, void** pointers, char* arena);
  virtual void copy_to_host(void* host, const void* device, size_t bytes) = 0;
  virtual void copy_to_device(void* device, const void* host, size_t bytes) = 0;
  virtual void copy(void* to, const void* from, size_t bytes) = 0;  // within the device
  virtual void clear(void* data, size_t bytes) = 0;
  // From memory of Device::staging(), which is read later: it must not change until the copy has run.
  virtual void copy_from_staging(void* device, const void* staging, size_t bytes) {
    copy_to_device(device, staging, bytes);
  }
  // Keeps `what` alive until everything that was handed over so far has run.
  virtual void keep(std::shared_ptr<const void> what) = 0;

  virtual uint64_t mark() = 0;                      // a ticket for everything that was handed over so far
  virtual void pass(uint64_t ticket) noexcept = 0;  // the host waits
  // As pass(), but throws what a kernel threw; the work after that kernel was skipped.
  virtual void wait(uint64_t ticket) = 0;
  // Work that is handed over from now on runs after another stream of the device has passed a ticket.
  virtual void wait_for(Stream& other, uint64_t ticket) = 0;
  void synchronize() { wait(mark()); }

  // Called after each plan that is handed over: the host runs at most kAhead plans ahead.
  void keep_pace();
  Device& device() const { return *device_; }

 private:
  friend class ThreadStreams;
  Device* device_ = nullptr;
  static constexpr size_t kAhead = 16;
  std::mutex pace_mutex_;
  std::deque<uint64_t> plans_;  // their tickets
};

// What was copied to a device and from it so far, and how often the host had to run an op for it.
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
  virtual std::string_view name() const = 0;              // "cpu:0": the kind and the number
  virtual std::string description() const { return {}; }  // for people: "NVIDIA H200, 141 GB"
  Memory& memory() const { return memory_; }
  // Whether it is the host itself: kernels have run when a call returns, and there are no streams.
  bool is_host() const { return is_host_; }
  virtual std::unique_ptr<Stream> make_stream() { return nullptr; }
  // Host memory from which copies to the device start: pinned if the device wants that.
  virtual Memory& staging() { return host_memory(); }
  // Whether this node may be part of a `fused` body. Passes ask it for nodes that the CPU would fuse.
  virtual bool fuses([[maybe_unused]] const Graph& graph, [[maybe_unused]] const Node& node) const { return true; }
  // Whether it has kernels other than the host's: passes then make forms that the host has no fast kernels for.
  virtual bool has_own_kernels() const { return false; }
  // As Target::loop_op_bytes() (passes/target.h): what an addition takes in a fused loop.
  virtual double loop_op_bytes() const { return Target::kHostLoopOpBytes; }
  // Of a device that decodes pictures (device_pictures.h); null: it does not.
  virtual DevicePictures* pictures() { return nullptr; }

  Stream& stream();       // this thread's
  Stream& copy_stream();  // a second stream, for copies that should not wait for computations
  mutable Traffic traffic;

 protected:
  explicit Device(Memory& memory) : memory_(memory), is_host_(&memory == &host_memory()) {}

 private:
  friend class ThreadStreams;
  Memory& memory_;
  const bool is_host_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Stream>> streams_;  // they live as long as the device, because buffers name them
  std::vector<Stream*> idle_;                     // of threads that have ended, for work or copies
};

// Memory of a device, recycled in the order of its streams: a block is released while work that uses it still runs,
// and the next owner's work waits for that.
class DeviceMemory : public Memory {
 public:
  // Keeps up to `most_kept` free bytes for later requests.
  explicit DeviceMemory(Device& device, size_t most_kept) : device_(device), most_kept_(most_kept) {}
  void* allocate(size_t bytes) final;
  void release(void* data, size_t bytes, const Use& last) noexcept final;
  Device* device() final { return &device_; }
  void copy_to_host(void* host, const Buffer& from, size_t offset, size_t bytes) final;
  void copy_from_host(const Buffer& to, const void* host, size_t bytes) final;
  struct Usage {
    size_t bytes, peak;  // handed out: now, and the maximum
  };
  Usage usage();
  void reset_peak();

 protected:
  virtual void* map(size_t bytes) = 0;  // 64-byte aligned; null: out of memory
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

// The buffers that a piece of work uses. The work starts after their last use on other streams, and then becomes
// their last use.
class BufferUses {
 public:
  explicit BufferUses(Stream& stream) : stream_(stream) {}
  void add(const Buffer* buffer);
  // A buffer that the work only reads, and whose writer has run: `stream` read it, and the host waited.
  void add_read(const Buffer* buffer) { read_.push_back(buffer); }
  static void read_on(Stream& stream, const Buffer* buffer);  // the next work of `stream` reads it
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
  // Adds devices that take long to find, or says why there are none. Called once, when a device other than the host
  // is first needed.
  using Finder = std::function<std::string(Registry&)>;
  void add_finder(Finder finder) { finders_.push_back(std::move(finder)); }
  const std::vector<std::string>& missing() const;  // what the finders returned

  Device& device(std::string_view name) const;  // throws InvalidArgument with the names of all devices
  Device& host() const;                         // the device that was added first
  // By the order in which devices were added, starting at 1: Node::place.
  Device& at_place(uint16_t place) const;
  uint16_t place_of(const Device& device) const;
  std::vector<std::string_view> device_names() const;
  const std::vector<Implementation>& implementations(const Device& device, const OpDef& op) const;

 private:
  struct Entry {
    std::unique_ptr<Device> device;
    std::unordered_map<const OpDef*, std::vector<Implementation>> kernels;
  };
  void find_devices() const;
  std::span<const Entry> entries() const { return {entries_.data(), count_.load(std::memory_order_acquire)}; }
  // Plans are made while devices are being found, so entries must not move.
  std::array<Entry, 64> entries_;
  std::atomic<size_t> count_{0};
  mutable std::once_flag found_;
  std::vector<Finder> finders_;
  mutable std::vector<std::string> missing_;
};
// Kernels that every device has: branches, loops, code of the host.
void register_led_kernels(Registry& registry, std::string_view device);

// Filled once by register_backends(), which the build generates from the list of its backends.
Registry& registry();

// Where this thread's ops run: the device of the innermost scope, otherwise the one that BRIO_DEVICE names, otherwise
// the host. Ops that were recorded before a scope run where they were recorded.
Device& current_device();
namespace detail {
extern constinit std::atomic<Device*> device_of_programs;
Device& choose_default_device();
}  // namespace detail
inline Device& default_device() {  // outside of all scopes
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

// The best implementation for a node. An op that the device lacks runs on the host, with copies.
struct Choice {
  std::unique_ptr<Kernel> kernel;
  std::string_view implementation;
  std::vector<std::pair<std::string_view, std::string>> skipped;  // name, reason
};
Choice choose(const Registry& registry, Device& device, const NodeView& node);

}  // namespace brio
