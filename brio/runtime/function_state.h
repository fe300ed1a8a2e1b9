// The state of a traced function: its traces, each with its plans, and how a call finds them. Only for the files of
// function.h.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "brio/runtime/function.h"
#include "brio/runtime/plan_cache.h"
#include "brio/runtime/symbolic.h"

namespace brio::detail {

// One trace, with the plans that were made from it.
struct FunctionTrace : TracedGraph {
  struct Prepared {
    Device *device, *called_on;
    uint64_t donated;         // bit i: cell i may be overwritten
    std::vector<Size> sizes;  // of the symbols
    std::shared_ptr<const CachedPlan> plan;
    bool only_in_place = true;  // every variable is written in place
    // Except small ones that are read after their next value is made (a step count): the next value waits in a buffer
    // of ours until the run is over.
    struct Copy {
      size_t cell;
      uint32_t fresh;
    };
    std::vector<Copy> copies;
    std::vector<BufferRef> kept;
    std::vector<void*> kept_data;
  };
  std::vector<Aval> asked_for;  // if it was made without a call; the trace may know more of the sizes
  std::vector<Prepared> plans;  // the newest last
  // The passes have run once for all sizes.
  struct Optimized {
    Device *device, *called_on;
    uint64_t donated;
    Graph graph;
  };
  std::vector<Optimized> optimized;
  bool on_host = false;     // whatever device is named, because it uses strings
  bool has_places = false;  // some of its ops are in a scope of a device
  struct Home {
    Device *called_on, *device;
    Graph graph;  // every op knows its place
  };
  std::vector<Home> homes;  // only if it has places
  struct Cheapest {
    std::vector<Size> sizes;
    Device* device;
  };
  std::vector<Cheapest> cheapest;    // only if the device is chosen by cost
  std::weak_ptr<SharedArena> arena;  // of the plans for its sizes, while there are any
  // Working lists of a call.
  std::vector<const void*> inputs;
  std::vector<const Buffer*> buffers;  // of inputs and fresh, on a device
  std::vector<BufferRef> fresh;
  std::vector<void*> fresh_data;
  std::vector<Array> outputs;
  std::vector<uint64_t> scalars;
  BufferRef words;      // the scalars, on a device
  bool trains = false;  // it has an optimizer's step
  uint64_t calls = 0;
};

// Locks every variable of a trace; each then holds a computed value.
class CellLocks {
 public:
  explicit CellLocks(FunctionTrace& trace);
  ~CellLocks() { unlock(); }
  CellLocks(const CellLocks&) = delete;

 private:
  void unlock();
  FunctionTrace& trace_;
  size_t locked_ = 0;
};

struct TracedFunction::Impl final : PlanKeeper {
  Impl(Body f, Sizes sizes, std::vector<Aval> given);
  ~Impl();
  uint64_t last_used() const override { return used.load(std::memory_order_relaxed); }
  void give_up_plans(GonePlans& gone) override;

  Body body;
  const bool open_sizes;
  const std::vector<Aval> signature;  // may be empty
  bool asks_for_numbers = false;      // the body asks for sizes as numbers, so it cannot be traced with open sizes
  std::atomic<uint64_t> used{0};
  std::atomic<Device*> last_device{nullptr};
  std::mutex mutex;                                    // one call at a time, because the working lists are shared
  std::vector<std::unique_ptr<FunctionTrace>> traces;  // most recent first
  size_t traced = 0;
  uint64_t steps_on_device = 0;     // training steps
  std::vector<Size> sizes_of_call;  // of its symbols
  PlanOptions options;
  std::function<std::string()> name;
  const void* step_key = this;

  // The trace for these arguments. `sizes` are set to the sizes of its symbols.
  FunctionTrace& find(const Tensor* arguments, size_t n, std::vector<Size>& sizes);
  FunctionTrace& add(const std::function<TracedGraph()>& make, std::string why);
  // The device of a call, before parts of it on other devices are considered.
  static Device& called_on(FunctionTrace& trace, const Recording& recording, std::span<const Size> sizes);
  // Where a call runs, except for its parts on other devices.
  static const FunctionTrace::Home& home(FunctionTrace& trace, Device& called_on);

  // Plans differ in which variables may be overwritten. Above 64 variables one bit stands for all.
  static uint64_t donated_cells(const FunctionTrace& trace, Device& device);
  static uint64_t donates_all(const FunctionTrace& trace);  // all that are written

  FunctionTrace::Prepared& prepared(FunctionTrace& trace, Device& device, const FunctionTrace::Home* home,
                                    uint64_t donated, std::span<const Size> sizes);
  static MadePlan make(FunctionTrace& trace, Device& device, const FunctionTrace::Home* home, uint64_t donated,
                       std::span<const Size> sizes, PlanOptions options);

 private:
  TracedGraph make_trace(std::span<const Tensor> arguments);
  std::vector<Aval> left_open(const std::vector<Aval>& avals) const;
  void make_room(FunctionTrace& wanted);
};

}  // namespace brio::detail
