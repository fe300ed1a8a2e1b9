// Plan: an ordered list of prepared kernels in one arena. Immutable and re-entrant; a run allocates nothing and
// hashes nothing.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/runtime/backend.h"

namespace brio {

struct PlacementReport {
  size_t arena_bytes = 0;     // the memory of the plan, including scratch
  size_t sum_of_buffers = 0;  // what it would take without reuse
  size_t lower_bound = 0;     // most bytes alive at once
  size_t repeated = 0;        // nodes that run a second time, to stay within a limit,
  double repeated_work = 0;   // and the work that this adds, as a share of the whole
};

struct PlanOptions {
  size_t arena_limit = 0;  // bytes; values are computed again to stay below it, as far as possible. 0: no limit
};

class Plan {
 public:
  // Takes a graph as recorded: optimises it, chooses kernels, places buffers.
  static std::shared_ptr<const Plan> make(Graph graph, Device& device, PlanOptions options = {});
  // Plans the graph as it is, node by node: for optimised graphs, bodies of `fused` nodes, and comparisons in tests.
  static std::shared_ptr<const Plan> make_unoptimized(Graph graph, Device& device, PlanOptions options = {});

  // Where an output's bytes are after a run.
  struct Output {
    bool is_input;   // shares the memory of an input (a view of it, or the result written in place)
    uint32_t index;  // of the input or the fresh buffer
    size_t offset;
    Aval aval;
  };
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::vector<size_t>& fresh_buffers() const { return fresh_; }  // bytes of each, allocated by the caller

  size_t arena_bytes() const { return placement_.arena_bytes; }
  // Pointers that a run needs: those of the arguments, then the table of the current step.
  size_t pointer_count() const { return slots_.size() + table_size_; }

  // `arena` (device memory) and `pointers` (pointer_count() of them) are working memory of this run. `arena_bound`:
  // an earlier run with the same arena filled the pointers. On the host, without a stream, the kernels have run on
  // return. With a stream they were handed over; those that may refuse their data have run, and kernels that
  // overwrite inputs come after them.
  void run(const void* const* inputs, void* const* fresh, void* arena, void** pointers, bool arena_bound,
           Stream* stream = nullptr, bool inputs_checked = false) const;
  // If only inputs can be refused: kernels that check them, so that the host waits for no step. A run calls them
  // first, unless its caller did.
  struct InputCheck {
    const Kernel* kernel;
    uint32_t input;
    size_t offset;   // in the buffer
    bool only_read;  // the steps only read it
  };
  const std::vector<InputCheck>& input_checks() const { return input_checks_; }
  void check_inputs(const void* const* inputs, Stream& stream) const;  // the host waits; throws if they refuse
  Device& device() const { return *device_; }
  const Buffer* constants() const { return constants_.get(); }  // may be null

  size_t bytes() const { return bytes_; }  // of the plan itself
  const PlacementReport& placement() const { return placement_; }
  const Graph& graph() const { return graph_; }  // optimised
  std::string explain_kernels() const;           // the chosen kernels, and why the others were not chosen
  // What runs elsewhere than on its device, and its cost, measured once it has run; empty: nothing runs elsewhere.
  std::string explain_placement() const;
  size_t step_count() const { return steps_.size(); }
  std::vector<const Node*> step_nodes() const;  // of the graph, one for each step
  size_t launches() const;                      // as in LedKernel::launches()

  struct StepTime {
    std::string label, what;  // the op; the whole node and its chosen kernel
    uint64_t calls, nanoseconds;
  };
  std::vector<StepTime> times() const;  // filled if profiling is on

 private:
  friend class PlanBuilder;
  struct Step {
    std::unique_ptr<Kernel> kernel;
    const LedKernel* led = nullptr;  // the kernel, where it is one
    uint32_t in, out, end;           // arguments; scratch is an offset into the arena
    size_t scratch;
    std::string label;
    std::string choice;
    bool wide = false;  // it computes many f64 numbers
    mutable std::atomic<uint64_t> calls{0}, nanoseconds{0};

    Step() = default;
    Step(Step&& other) noexcept
        : kernel(std::move(other.kernel)),
          led(other.led),
          in(other.in),
          out(other.out),
          end(other.end),
          scratch(other.scratch),
          label(std::move(other.label)),
          choice(std::move(other.choice)),
          wide(other.wide) {}
  };
  enum class Base : uint8_t { arena, constant, input, fresh, none };
  struct Slot {
    Base base;
    uint32_t index;
    size_t offset;
  };

  // On a device: a section, or one step that the host leads.
  struct Part {
    std::unique_ptr<Stream::Section> section;
    const Step* led = nullptr;
    bool then_wait = false;  // it ends with the last step that may refuse its data
  };
  void run_on(Stream& stream, void** pointers, char* arena) const;
  void bind(const Slot& slot, void** argument, const void* const* inputs, void* const* fresh, char* arena) const;

  Graph graph_;
  Device* device_ = nullptr;
  std::vector<Step> steps_;
  std::vector<Part> parts_;              // of a device's plan
  std::vector<Slot> slots_;              // per argument
  std::vector<uint32_t> outside_slots_;  // the slots that change from run to run
  BufferRef constants_;                  // on the device, eight bytes each
  std::vector<Output> outputs_;
  std::vector<size_t> fresh_;
  size_t table_size_ = 0;
  size_t last_to_fail_ = 0;  // one past the last step that may refuse its data and is not in `input_checks_`
  std::vector<InputCheck> input_checks_;
  PlacementReport placement_;
  size_t bytes_ = 0;
};

// Times every step, for reports. Off by default: it costs two clock reads per step.
void set_profiling(bool on);
bool profiling();

}  // namespace brio
