// The interface between the core and backends: devices with memory and streams, and kernels found by op. A porter
// reads this file alone; docs/adding-a-backend.md walks through it.
//
// The core knows no backend's name. A backend registers, per device, implementations of ops; for one node the core
// asks them in order (highest priority first) whether they can run it, and takes the first that says yes. A "no"
// carries a reason, which BRIO_EXPLAIN=kernels prints.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/tensor/memory.h"

namespace brio {

struct KernelArgs {
  const void* const* in;
  void* const* out;  // null for an output that nobody reads, where the kernel said that it allows it
  void* scratch;     // scratch_bytes() of device memory, 64-byte aligned
};

// A prepared kernel: everything that depends on shapes and attributes is settled. Immutable and re-entrant; run()
// does not allocate. Inputs and outputs are dense and row-major.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // May throw InvalidArgument for bad data (only ops with may_fail), before it writes anything.
  virtual void run(const KernelArgs& args) const = 0;
  virtual size_t scratch_bytes() const { return 0; }
  // May output `out` share its memory with input `in` (equal bytes)?
  virtual bool allows_in_place([[maybe_unused]] size_t in, [[maybe_unused]] size_t out) const { return false; }
  virtual size_t heap_bytes() const { return 0; }  // what it keeps beside itself, where that is much
  std::string description;                         // what was chosen: "gemm small 6x4 avx3"
};

// A node with the types of its operands.
struct NodeView {
  const Graph& graph;
  const Node& node;
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

// Work that was handed to a stream ends in order. The CPU's stream runs a kernel inside launch().
class Stream {
 public:
  virtual ~Stream() = default;
  // `args` and what it points to stay valid until the kernel has run.
  virtual void launch(const Kernel& kernel, const KernelArgs& args) = 0;
  virtual void copy_to_host(void* host, const void* device, size_t bytes) = 0;
  virtual void copy_to_device(void* device, const void* host, size_t bytes) = 0;
  virtual void synchronize() = 0;  // throws what a kernel threw
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;  // "cpu:0"
  virtual Memory& memory() = 0;
  virtual std::unique_ptr<Stream> make_stream() = 0;
  // Is launch() complete when it returns, and device memory host memory? Then a plan calls its kernels directly.
  virtual bool synchronous() const = 0;
};

class Registry {
 public:
  void add_device(std::unique_ptr<Device> device);
  void add(std::string_view device, const OpDef& op, const Implementation& implementation);

  Device& device(std::string_view name) const;  // throws InvalidArgument naming those there are
  Device& default_device() const;               // the first that was added
  std::vector<std::string_view> device_names() const;
  const std::vector<Implementation>& implementations(const Device& device, const OpDef& op) const;

 private:
  struct Entry {
    std::unique_ptr<Device> device;
    std::vector<std::pair<const OpDef*, std::vector<Implementation>>> kernels;
  };
  std::vector<Entry> entries_;
};

// Filled once by register_backends(), which the build generates from the list of backends it was configured with.
Registry& registry();

// The best implementation for a node. Throws InternalError when there is none: the reference serves every op.
struct Choice {
  std::unique_ptr<Kernel> kernel;
  std::string_view implementation;
  std::vector<std::pair<std::string_view, std::string>> skipped;  // name, reason
};
Choice choose(const Registry& registry, const Device& device, const NodeView& node);

}  // namespace brio
