// The gate of a step, and the step that it left out once more, op by op.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/op_origins.h"
#include "brio/nn/optimizers/step_gate.h"
#include "brio/ops/control/body_variables.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/runtime/bad_number.h"
#include "brio/runtime/traced_graph.h"
#include "brio/train/trainer.h"

namespace brio::train {
namespace {

std::string rows_text(const Tensor& bad, int64_t rows, const BatchSource& batches) {
  constexpr size_t kMost = 8;
  if (bad.rank() == 0 || !(bad.shape()[0] == Size(rows)) || rows == 1) return {};
  const std::vector<int64_t> found = rows_not_finite(bad);
  if (found.empty()) return {};
  if (found.size() == static_cast<size_t>(rows)) return cat("\n  in all ", rows, " rows of the batch");
  std::string in_batch, in_data;
  for (size_t i = 0; i < std::min(kMost, found.size()); ++i) {
    in_batch += cat(i > 0 ? ", " : "", found[i]);
    if (const auto position = batches.position_of(found[i])) in_data += cat(in_data.empty() ? "" : ", ", *position);
  }
  const char* more = found.size() > kMost ? ", …" : "";
  return cat("\n  in ", found.size() == 1 ? "row " : cat(found.size(), " rows of the batch: "), in_batch, more,
             found.size() == 1 ? " of the batch" : "",
             in_data.empty() ? std::string() : cat(" (in the data: ", in_data, more, ")"));
}

std::string numbers_text(const std::string& what, const Tensor& x) {
  const std::string numbers = x.dtype() == DType::string ? std::string() : ", " + stats_of(x).str();
  return cat("\n    ", what, ": ", format_aval(x.aval()), numbers);
}

// Of an input of the trace of a step.
std::string input_name(const TracedGraph& trace, size_t i, size_t n_x, size_t n_y) {
  const size_t first_cell = trace.arguments.size() + trace.captured.size();
  const auto numbered = [](const char* name, size_t at, size_t n) {
    return n > 1 ? cat(name, " ", at) : std::string(name);
  };
  if (i < n_x) return numbered("x", i, n_x);
  if (i < n_x + n_y) return numbered("y", i - n_x, n_y);
  if (i < trace.arguments.size()) return "sample_weight";
  if (i < first_cell) return "a tensor that the model holds";
  return cat("the variable '", trace.cells[i - first_cell].variable->name, "'");
}

}  // namespace

// What the step has assigned beside weights and the optimizer's state, whose update has the gate in it.
void Trainer::hold_statistics(const nn::StepGate& gate) {
  const Tensor open = gate.open();
  if (!open.defined()) return;
  std::vector<Variable> updated = compiled_->options.optimizer.variables();
  updated.insert(updated.end(), weights_.begin(), weights_.end());
  gate.hold_all_but(updated);
  bad_steps_.assign(bad_steps_.value() + cast(logical_not(open), i64));
}

void Trainer::set_gate(bool on) {
  gated_ = on;
  if (on && !bad_steps_.impl()) bad_steps_ = nn::zero_variable({Shape(), i64}, "bad_steps", Owner::other);
  if (on) bad_steps_seen_ = bad_steps_.value().item<int64_t>();
}

bool Trainer::take_bad_step() {
  const auto now = *static_cast<const int64_t*>(bad_steps_.value().impl()->data());
  return now != std::exchange(bad_steps_seen_, now);
}

std::string Trainer::explain_step(const Batch& batch, const BatchSource& batches) {
  const Turn turn(turns_);
  const OpOrigins origins;
  list_arguments(batch);
  std::vector<Tensor> inputs = arguments_;
  arguments_.clear();
  std::vector<Aval> avals;
  for (const Tensor& x : inputs) avals.push_back(x.aval());
  const size_t n_x = batch.x.size(), n_y = batch.y.size();
  const TracedGraph trace = trace_graph(
      [&](const std::vector<Tensor>& all) {
        const std::lock_guard lock(making_);
        std::vector<std::string> names;
        return step(batch_of(all, n_x, n_y, batch.sample_weight.size()), true, names);
      },
      avals);
  inputs.insert(inputs.end(), trace.captured.begin(), trace.captured.end());
  for (const TracedGraph::Cell& cell : trace.cells) inputs.push_back(read_variable(cell.variable));
  for (const TracedGraph::Draw& draw : trace.draws) {
    Generator& generator = draw.generator ? *draw.generator : random::generator();
    Generator::State state = generator.state();
    state.counter -= draw.drawn;  // as it was before the step
    for (const uint64_t word : {state.seed, state.counter})
      inputs.push_back(host_scalar(word, trace.graph.values[trace.graph.inputs[inputs.size()].value].dtype));
  }
  const std::optional<BadNumber> bad = first_bad_number(trace.graph, inputs);
  if (!bad) return "  run again op by op, all its numbers are finite";
  if (bad->input != BadNumber::kNone)
    return cat("  first bad number: ", input_name(trace, bad->input, n_x, n_y), " is not finite before the step",
               numbers_text("it", bad->out[0]), rows_text(bad->out[0], batch.rows(), batches));
  const Node& node = trace.graph.nodes[bad->node];
  const OpOrigins::Origin origin = origins.of(static_cast<uint32_t>(bad->node));
  std::string text = cat("  first bad number: ", node.op->name);
  if (origin.gradient_of != brio::kNone)
    text += cat(", in the gradient of ", trace.graph.nodes[origin.gradient_of].op->name);
  if (!origin.place.empty()) text += cat(", in ", origin.place);
  for (size_t i = 0; i < bad->in.size(); ++i) text += numbers_text(cat("input ", i), bad->in[i]);
  const Tensor* const out = &*std::ranges::find_if_not(bad->out, all_finite);
  return cat(text, numbers_text("result", *out), rows_text(*out, batch.rows(), batches), "\n  learning rate ",
             optimizer().learning_rate().item<double>());
}

}  // namespace brio::train
