// An elementwise op that the loops of the CPU do not know stays outside of them: its neighbours are fused all the
// same.
#include <gtest/gtest.h>

#include <algorithm>

#include "brio/backends/reference/kernel.h"
#include "brio/brio.h"
#include "brio/ir/recording.h"
#include "brio/ir/trace.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/runtime/device_target.h"
#include "brio/runtime/evaluate.h"

namespace brio {
namespace {

void infer_thirded(const OpCall& call, std::vector<Aval>& out) { out.push_back(*call.in[0]); }
const OpDef thirded{.name = "thirded",
                    .summary = "x / 3",
                    .kind = OpKind::elementwise,
                    .min_inputs = 1,
                    .max_inputs = 1,
                    .infer = infer_thirded,
                    .no_grad = "it is there for tests",
                    .cost = elementwise_cost<4>};
void run_thirded(const reference::Call& call) {
  for (int64_t i = 0; i < call.out_shape().elements(); ++i) call.out<float>()[i] = call.in<float>(0)[i] / 3;
}
void register_thirded() {
  static const bool once = [] {
    register_runtime();
    reference::add<run_thirded>(registry(), thirded);
    return true;
  }();
  (void)once;
}

// Four ops before it, three behind it, one beside it.
std::vector<Tensor> chain(const Tensor& x) {
  const Tensor a = exp(sin(x * 2.f) + 1.f);
  return {sqrt(record(thirded, {}, a) + 0.5f) * a, sum(square(a))};
}

TEST(Loops, LeaveOutAnOpWithoutATileFunction) {
  register_thirded();
  const DeviceScope scope("cpu:0");
  const Aval aval{Shape{1000}, f32};
  Graph graph = *trace_body(std::span(&aval, 1), [](const std::vector<Tensor>& in) { return chain(in[0]); }).graph;
  optimize_for(registry().host(), graph);
  size_t loops = 0, steps = 0, alone = 0;
  for (const Node& node : graph.nodes) {
    if (node.op == &thirded) ++alone;
    if (node.op != &op::fused) continue;
    ++loops;
    steps += node.graphs[0]->nodes.size();
    for (const Node& inner : node.graphs[0]->nodes) EXPECT_NE(inner.op, &thirded) << graph.str();
  }
  EXPECT_EQ(alone, 1u) << graph.str();
  EXPECT_EQ(loops, 2u) << graph.str();
  EXPECT_GE(steps, 8u) << graph.str();
  EXPECT_EQ(graph.nodes.size(), loops + alone) << graph.str();
}

TEST(Loops, AroundAnOpWithoutATileFunctionHaveTheBitsOfItsSteps) {
  register_thirded();
  const DeviceScope scope("cpu:0");
  const Tensor x = random::normal({1000}, {.seed = 3});
  const std::vector<Tensor> together = chain(x);
  const auto ready = [](const Tensor& each) {
    (void)each.array();
    return each;
  };
  const Tensor a = ready(exp(ready(ready(sin(ready(x * 2.f))) + 1.f)));
  const Tensor step = ready(record(thirded, {}, a));
  const Tensor apart = ready(sqrt(ready(step + 0.5f))) * a;
  EXPECT_EQ(together[0].to_vector<float>(), apart.to_vector<float>());
}

}  // namespace
}  // namespace brio
