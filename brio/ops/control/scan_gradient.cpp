// The gradient of a scan is a scan the other way, over what was carried into each step. The forward scan is recorded
// again with those saved; merging makes one of the two. Two things keep the way back short:
//
// - Products of the forward step are saved too, unless they are larger than all that is walked along: the rest of a
//   step is cheap to compute again, they are not.
// - Where the gradient of something captured is a product aᵀ·b (the weights of a recurrent cell), the sum over the
//   steps is one product of all a and b, stacked: it is taken after the loop, unless they are larger than that too.
#include "brio/ops/control/scan_gradient.h"

#include <algorithm>
#include <map>
#include <optional>

#include "brio/ir/recording.h"
#include "brio/ir/trace.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

// Where the values of `part` are in `whole`, a graph that begins with the same inputs and holds some of its nodes.
std::vector<ValueId> places_in(const Graph& part, const Graph& whole) {
  std::vector<ValueId> place(part.values.size(), kNone);
  for (size_t i = 0; i < part.inputs.size(); ++i) place[part.inputs[i].value] = whole.inputs[i].value;
  for (const Node& node : part.nodes) {
    std::vector<ValueId> in;
    for (ValueId v : node.in) in.push_back(place[v]);
    if (std::ranges::find(in, kNone) != in.end()) continue;
    const auto twin = std::ranges::find_if(whole.nodes, [&](const Node& other) {
      return other.op == node.op && other.in == in && other.attrs == node.attrs && other.graphs == node.graphs;
    });
    if (twin == whole.nodes.end()) continue;
    for (size_t i = 0; i < node.out.size(); ++i) place[node.out[i]] = twin->out[i];
  }
  return place;
}

const Node* producer(const Graph& graph, ValueId value) {
  for (const Node& node : graph.nodes)
    if (std::ranges::find(node.out, value) != node.out.end()) return &node;
  return nullptr;
}

// One step backwards, as it is taken apart.
class StepBack {
 public:
  StepBack(GradContext& g, const Graph& body, size_t first_captured)
      : body_(body), first_captured_(first_captured), graph_(*reverse_body(g, body, connected_)) {
    for (size_t i = 0, k = 0; i < connected_.size(); ++i)
      gradient_.push_back(connected_[i] ? graph_.outputs[k++] : kNone);
    graph_.outputs.clear();
    for (size_t i = 0; i < first_captured_; ++i) room_ += body_.values[body_.inputs[i].value].open_bytes();
    for (ValueId v : body_.outputs) room_ += body_.values[v].open_bytes();
  }

  // What one step of the forward scan walks along, carries and gives: what else is stacked is to be no larger.
  Size room() const { return room_; }
  Size bytes(ValueId value) const { return graph_.values[value].open_bytes(); }

  // The products of the forward step that are worth saving; they become further inputs.
  std::vector<ValueId> keep_products() {
    Size room = room_;
    const std::vector<ValueId> place = places_in(body_, graph_);
    std::vector<ValueId> kept;
    for (const Node& node : body_.nodes) {
      if (node.op != &op::matmul || place[node.out[0]] == kNone) continue;
      const Size bytes = body_.values[node.out[0]].open_bytes();
      if (!(bytes <= room)) continue;
      room -= bytes;
      const ValueId again = place[node.out[0]];
      std::erase_if(graph_.nodes, [&](const Node& other) { return other.out[0] == again; });
      graph_.inputs.push_back({again, false, {}});
      kept.push_back(node.out[0]);
    }
    return kept;
  }

  bool has_gradient(size_t input) const { return connected_[input]; }

  // a and b where the gradient of this input is aᵀ·b, and neither is captured.
  std::optional<std::pair<ValueId, ValueId>> factors(size_t input) const {
    const Node* node = connected_[input] ? producer(graph_, gradient_[input]) : nullptr;
    if (!node || node->op != &op::matmul || node->attrs[0] == 0 || node->attrs[1] != 0) return {};
    for (ValueId v : node->in)
      if (graph_.values[v].shape.rank() != 2 || is_captured(v)) return {};
    return std::pair(node->in[0], node->in[1]);
  }
  ValueId gradient(size_t input) const { return gradient_[input]; }

  // Where the value is among the results of run(); asking puts it there.
  size_t result(ValueId value) {
    const auto at = std::ranges::find(graph_.outputs, value);
    if (at != graph_.outputs.end()) return static_cast<size_t>(at - graph_.outputs.begin());
    graph_.outputs.push_back(value);
    return graph_.outputs.size() - 1;
  }
  // Which input it is, if it is one.
  std::optional<size_t> input(ValueId value) const {
    for (size_t i = 0; i < graph_.inputs.size(); ++i)
      if (graph_.inputs[i].value == value) return i;
    return {};
  }
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const { return replay(graph_, inputs); }

 private:
  bool is_captured(ValueId v) const {
    const std::optional<size_t> i = input(v);
    return i && *i >= first_captured_ && *i < body_.inputs.size();
  }

  const Graph& body_;
  size_t first_captured_;
  std::vector<bool> connected_;  // inputs of the body that have a gradient
  Graph graph_;
  std::vector<ValueId> gradient_;  // per input of the body
  Size room_ = 0;
};

// (time, rows, columns) → (time · rows, columns)
Tensor rows_of_all(const Tensor& stacked) {
  const Shape& s = stacked.shape();
  return reshape(stacked, {s[0] * s[1], s[2]});
}

}  // namespace

std::vector<TensorImpl*> impls_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorImpl*> impls;
  for (const Tensor& tensor : tensors) impls.push_back(tensor.impl());
  return impls;
}

std::shared_ptr<const Graph> reverse_body(GradContext& g, const Graph& body, std::vector<bool>& connected) {
  const size_t n = body.inputs.size();
  const std::unique_ptr<bool[]> wanted(new bool[n + 1]);
  for (size_t i = 0; i < n; ++i) wanted[i] = is_floating(body.values[body.inputs[i].value].dtype);
  return g.reverse(body, {wanted.get(), n}, connected);
}

std::vector<Tensor> record_scan(const std::vector<Tensor>& in, const ScanLayout& layout,
                                const std::shared_ptr<const Graph>& body) {
  const int64_t attrs[] = {static_cast<int64_t>(layout.carried), static_cast<int64_t>(layout.elements),
                           layout.reverse, layout.saves};
  return record_many(op::scan, impls_of(in), attrs, std::span(&body, 1));
}

// The carried values before each step, stacked, then products of the steps that the way back needs. A scan that saved
// nothing runs again for them.
std::vector<Tensor> saved_values(const std::vector<Tensor>& in, const std::vector<Tensor>& out,
                                 const ScanLayout& layout, const Graph& body, StepBack& step) {
  const auto n = static_cast<std::ptrdiff_t>(layout.carried);
  if (layout.saves) return std::vector<Tensor>(out.end() - n, out.end());
  Graph keeping = body;
  const std::vector<ValueId> products = step.keep_products();
  keeping.outputs.insert(keeping.outputs.end(), products.begin(), products.end());
  const std::vector<Tensor> again =
      record_scan(in, {layout.carried, layout.elements, layout.reverse, true}, intern(std::move(keeping)));
  const auto results = static_cast<std::ptrdiff_t>(body.outputs.size()) - n;
  std::vector<Tensor> saved(again.end() - n, again.end());
  saved.insert(saved.end(), again.begin() + n + results, again.end() - n);
  return saved;
}

// What the step takes, stacked; "none" for what is the same in all steps, or is carried.
std::vector<Tensor> stacked_inputs(const std::vector<Tensor>& in, const std::vector<Tensor>& out,
                                   const std::vector<Tensor>& given, const std::vector<Tensor>& saved,
                                   const ScanLayout& layout, size_t results) {
  const size_t n = layout.carried;
  const auto carried = static_cast<std::ptrdiff_t>(n), elements = static_cast<std::ptrdiff_t>(layout.elements);
  std::vector<Tensor> stacked(saved.begin(), saved.begin() + carried);
  stacked.insert(stacked.end(), in.begin() + carried, in.begin() + carried + elements);
  stacked.resize(in.size() + n);
  for (size_t i = 0; i < results; ++i) stacked.push_back(or_zeros(given[n + i], out[n + i]));
  stacked.insert(stacked.end(), saved.begin() + carried, saved.end());
  return stacked;
}

void grad_scan(GradContext& g) {
  const ScanLayout layout = ScanLayout::of(g.attrs);
  const std::shared_ptr<const Graph> body = without_effects(g.graphs[0]);
  const std::vector<Tensor> in = g.in, out = g.out, given = g.cotangents;
  const size_t n = layout.carried, m = layout.elements, captured_at = n + m;
  const size_t results = body->outputs.size() - n;

  StepBack step(g, *body, captured_at);
  const std::vector<Tensor> saved = saved_values(in, out, layout, *body, step);
  const std::vector<Tensor> stacked = stacked_inputs(in, out, given, saved, layout, results);

  std::vector<size_t> floats, summed, multiplied, float_elements;
  std::vector<Tensor> initial;
  for (size_t i = 0; i < n; ++i)
    if (is_floating(in[i].dtype())) {
      floats.push_back(i);
      initial.push_back(or_zeros(given[i], out[i]));
    }
  for (size_t i = n; i < captured_at; ++i)
    if (g.needs(i) && step.has_gradient(i)) float_elements.push_back(i);

  // What a step leaves behind besides what it carries on: gradients of its elements, and factors that are not among
  // what is stacked already.
  std::vector<size_t> left;           // of the step's results, in the order in which they are stacked
  std::map<ValueId, size_t> left_at;  // a value's place there
  auto leave = [&](ValueId value) {
    if (left_at.emplace(value, left.size()).second) left.push_back(step.result(value));
  };
  for (size_t i : float_elements) leave(step.gradient(i));
  Size room = step.room();
  for (size_t i = captured_at; i < in.size(); ++i) {
    if (!g.needs(i) || !step.has_gradient(i)) continue;
    const auto factors = step.factors(i);
    std::vector<ValueId> missing;
    Size bytes = 0;
    if (factors)
      for (ValueId v : {factors->first, factors->second})
        if (const auto input = step.input(v); (!input || !stacked[*input].defined()) && !left_at.contains(v)) {
          missing.push_back(v);
          bytes += step.bytes(v);
        }
    if (factors && bytes <= room) {
      room -= bytes;
      for (ValueId v : missing) leave(v);
      multiplied.push_back(i);
    } else {
      summed.push_back(i);
      initial.push_back(zeros_like(in[i]));
    }
  }

  std::vector<size_t> carried_result(n), summed_result;
  for (size_t i : floats)
    if (step.has_gradient(i)) carried_result[i] = step.result(step.gradient(i));
  for (size_t i : summed) summed_result.push_back(step.result(step.gradient(i)));

  std::vector<Tensor> elements;
  for (const Tensor& tensor : stacked)
    if (tensor.defined()) elements.push_back(tensor);
  // What is saved of the carried values has cotangents too when the scan that saved them is differentiated again.
  if (layout.saves)
    for (size_t i = 0; i < n; ++i) elements.push_back(or_zeros(given[n + results + i], saved[i]));

  const ScanStep back = scan(
      [&](const std::vector<Tensor>& carried, const std::vector<Tensor>& one) {
        std::vector<Tensor> inputs(stacked.size());
        for (size_t i = 0, k = 0; i < inputs.size(); ++i)
          if (stacked[i].defined()) inputs[i] = one[k++];
        for (size_t i = captured_at; i < in.size(); ++i) inputs[i] = in[i];
        for (size_t i = 0, k = 0; i < n; ++i)
          inputs[in.size() + i] = k < floats.size() && floats[k] == i ? carried[k++] : zeros_like(inputs[i]);
        const std::vector<Tensor> made = step.run(inputs);
        ScanStep next;
        for (size_t i : floats) {
          Tensor gradient = step.has_gradient(i) ? made[carried_result[i]] : zeros_like(inputs[i]);
          if (layout.saves) gradient = add(gradient, one[one.size() - n + i]);
          next.carried.push_back(gradient);
        }
        for (size_t k = 0; k < summed.size(); ++k)
          next.carried.push_back(add(carried[floats.size() + k], made[summed_result[k]]));
        for (size_t r : left) next.results.push_back(made[r]);
        return next;
      },
      initial, elements, {.reverse = !layout.reverse});

  for (size_t k = 0; k < floats.size(); ++k) g.set(floats[k], back.carried[k]);
  for (size_t k = 0; k < summed.size(); ++k) g.set(summed[k], back.carried[floats.size() + k]);
  for (size_t i : float_elements) g.set(i, back.results[left_at.at(step.gradient(i))]);
  for (size_t i : multiplied) {
    auto all = [&](ValueId v) {
      const auto found = left_at.find(v);
      return rows_of_all(found != left_at.end() ? back.results[found->second] : stacked[*step.input(v)]);
    };
    const auto [a, b] = *step.factors(i);
    g.set(i, matmul(all(a), all(b), {.transpose_a = true}));
  }
}

}  // namespace brio
