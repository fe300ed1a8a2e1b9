// Kernels of ops that run other graphs. They work on any device whose launches are synchronous: the loop itself is host
// code, the bodies are plans.
#include <cstring>

#include "brio/base/error.h"
#include "brio/ops/fusion.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/nested_plan.h"

namespace brio {
namespace {

Support always(const NodeView&) { return Support::can(); }

// The body of a fused node, op by op: for a device or dtype that has no fused loop.
class FusedBodyKernel final : public Kernel {
 public:
  explicit FusedBodyKernel(const NodeView& node)
      : body_(Plan::make_unoptimized(*node.node.graphs[0], registry().default_device())) {}
  size_t scratch_bytes() const override { return body_.scratch_bytes(); }
  void run(const KernelArgs& args) const override { body_.run(args.in, args.out, args.scratch); }

 private:
  NestedPlan body_;
};

template <typename K>
std::unique_ptr<Kernel> prepare(const NodeView& node) {
  return std::make_unique<K>(node);
}

}  // namespace

void register_control_kernels(Registry& registry) {
  for (std::string_view device : registry.device_names()) {
    if (!registry.device(device).synchronous()) continue;
    registry.add(device, op::fused, {"op by op", 0, always, prepare<FusedBodyKernel>});
  }
}

uint64_t fold_with_kernels(const OpDef& op, std::span<const Aval> in, std::span<const uint64_t> bits,
                           std::span<const int64_t> attrs) {
  Graph graph;
  std::vector<ValueId> values;
  for (const Aval& aval : in) values.push_back(graph.add_input(aval));
  const Node node = graph.add(op, values, {attrs.begin(), attrs.end()});
  const Choice choice = choose(registry(), registry().default_device(), {graph, node});
  std::vector<const void*> data;
  for (const uint64_t& word : bits) data.push_back(&word);
  uint64_t result = 0;
  void* out[] = {&result};
  std::vector<std::max_align_t> scratch(choice.kernel->scratch_bytes() / sizeof(std::max_align_t) + 8);
  void* aligned = scratch.data();
  size_t room = scratch.size() * sizeof(std::max_align_t);
  std::align(64, choice.kernel->scratch_bytes(), aligned, room);
  choice.kernel->run({data.data(), out, aligned});
  return result;
}

}  // namespace brio
