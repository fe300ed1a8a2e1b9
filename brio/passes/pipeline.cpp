#include "brio/passes/pipeline.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "brio/base/error.h"
#include "brio/passes/target.h"

namespace brio {
namespace {

thread_local const Target* current_target = nullptr;

constexpr Pass kPasses[] = {
    {"expand", "composites whose plain form is elementwise, or that the device lacks, become it", expand_composites},
    {"simplify", "identities that keep every bit, one row each", simplify},
    {"fold", "computes what depends on constants alone", fold_constants},
    {"padding", "zeros around a convolution's input are padding of its own", merge_padding},
    {"merge", "equal expressions become one", merge_equal},
    {"dead", "drops what nobody reads", drop_dead},
    {"indexed", "gradients of looked-up tables stay rows, and touch what they must", keep_indexed},
    {"pooling", "a convolution, its bias, ReLU and pooling, and the way back", fuse_pooling},
    {"epilogue", "matmul with its bias and activation", fuse_epilogues},
    {"losses", "a loss and its gradient read the logits once", merge_losses},
    {"attention", "attention keeps for its gradient what that would compute again", share_attention},
    {"moments", "sums of columns and of squared differences from their means read a tensor once", merge_moments},
    {"narrow", "ops on rows between casts read and write 16 bits", narrow_rows},
    {"casts", "all weights, and all gradients, are cast at once", merge_casts},
    {"reshapes", "a reduction reads what a loop made, not its reshape", read_before_reshapes},
    {"residuals", "what goes around a layer is added by what makes the layer's result", add_residuals},
    {"fuse", "chains of elementwise ops and reductions become one pass over memory", fuse_elementwise},
    {"join", "concat reads slices and transposes where they are", join_views},
    {"checks", "what may refuse its data runs before what may be overwritten", order_checks},
};
constexpr size_t kCount = std::size(kPasses);

struct State {
  std::array<std::atomic<bool>, kCount> enabled;
  std::array<std::atomic<uint64_t>, kCount> runs{}, nanoseconds{};
  std::atomic<bool> verify{true};

  State() {
    for (auto& flag : enabled) flag = true;
    if (const char* setting = std::getenv("BRIO_VERIFY")) verify = std::string_view(setting) != "0";
    const char* disabled = std::getenv("BRIO_DISABLE_PASSES");
    std::string_view list = disabled ? disabled : "";
    while (!list.empty()) {
      const size_t comma = std::min(list.find(','), list.size());
      enabled[index_of(list.substr(0, comma))] = false;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
  }
  static size_t index_of(std::string_view name) {
    std::string known;
    for (size_t i = 0; i < kCount; ++i) {
      if (kPasses[i].name == name) return i;
      known += cat(known.empty() ? "" : ", ", kPasses[i].name);
    }
    throw InvalidArgument(cat("[passes] no pass is called '", name, "'; there are: ", known));
  }
};
State& state() {
  static State s;
  return s;
}

}  // namespace

std::span<const Pass> pipeline() { return kPasses; }

const Target& target() {
  static const Target cpu;
  return current_target ? *current_target : cpu;
}
TargetScope::TargetScope(const Target& target) : before_(std::exchange(current_target, &target)) {}
TargetScope::~TargetScope() { current_target = before_; }

void optimize(Graph& graph) {
  State& s = state();
  const bool check = s.verify.load(std::memory_order_relaxed);
  if (check) verify(graph, "recording");
  for (size_t i = 0; i < kCount; ++i) {
    if (!s.enabled[i].load(std::memory_order_relaxed)) continue;
    const auto start = std::chrono::steady_clock::now();
    const bool changed = kPasses[i].run(graph);
    s.nanoseconds[i] += static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count());
    ++s.runs[i];
    if (check && changed) verify(graph, kPasses[i].name);
  }
}

void set_pass_enabled(std::string_view name, bool enabled) { state().enabled[State::index_of(name)] = enabled; }
bool pass_enabled(std::string_view name) { return state().enabled[State::index_of(name)]; }
void set_verify_passes(bool on) { state().verify = on; }

std::vector<PassTime> pass_times() {
  std::vector<PassTime> times;
  for (size_t i = 0; i < kCount; ++i) times.push_back({kPasses[i].name, state().runs[i], state().nanoseconds[i]});
  return times;
}

}  // namespace brio
