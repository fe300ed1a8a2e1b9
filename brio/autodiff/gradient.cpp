#include "brio/autodiff/gradient.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "brio/autodiff/tape.h"
#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/op_origins.h"
#include "brio/ir/trace.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/complex.h"

namespace brio {
namespace {

Tensor handle(const Recording& recording, ValueId value) {
  TensorImpl* impl = recording.values[value];
  impl->refs.increment();
  return Tensor::adopt(impl);
}

class Context final : public GradContext {
 public:
  std::shared_ptr<const Graph> reverse(const Graph& body, std::span<const bool> wanted,
                                       std::vector<bool>& connected) override;
  void through(const Definition& definition) override;
};

// The gradient of a slice: zeros except for a strip along one axis.
struct Strip {
  int axis = -1;
  int64_t low = 0, high = 0;  // zeros before and after it
  std::deque<Tensor> parts;   // the strip, side by side

  // Joins a strip at either end of this one, along an axis of this size; false if there is a gap or an overlap.
  bool join(const Strip& other, int64_t size) {
    if (size - high == other.low) {
      parts.insert(parts.end(), other.parts.begin(), other.parts.end());
      high = other.high;
    } else if (size - other.high == low) {
      parts.insert(parts.begin(), other.parts.begin(), other.parts.end());
      low = other.low;
    } else {
      return false;
    }
    return true;
  }
  Tensor joined() const {
    Tensor inside = concat(std::vector<Tensor>(parts.begin(), parts.end()), axis);
    if (low == 0 && high == 0) return inside;
    std::vector<Padding> paddings(static_cast<size_t>(inside.rank()));
    paddings[static_cast<size_t>(axis)] = {low, high};
    return pad(inside, paddings);
  }
};

// Kept between calls, so that differentiating a small step allocates nothing. A rule may itself differentiate
// (control ops, plain forms), so there is one set per depth.
struct Scratch {
  std::vector<uint8_t> reached;
  std::vector<Tensor> cotangents;
  std::unordered_map<ValueId, Strip> strips;  // cotangents that grow: cotangents[value] is the first part
  std::vector<int64_t> attrs;
  std::vector<std::shared_ptr<const Graph>> graphs;
  Context context;
};
thread_local std::vector<std::unique_ptr<Scratch>> scratch_stack;
thread_local size_t scratch_depth = 0;

class ScratchScope {
 public:
  ScratchScope() {
    if (scratch_depth == scratch_stack.size()) scratch_stack.push_back(std::make_unique<Scratch>());
    scratch_ = scratch_stack[scratch_depth++].get();
  }
  ~ScratchScope() {
    scratch_->cotangents.clear();
    if (!scratch_->strips.empty()) scratch_->strips.clear();
    scratch_->context.in.clear();
    scratch_->context.out.clear();
    scratch_->context.cotangents.clear();
    scratch_->context.result.clear();
    --scratch_depth;
  }
  Scratch& operator*() { return *scratch_; }

 private:
  Scratch* scratch_;
};

const CustomGradient* custom_gradient_of(const Recording& recording, uint32_t node) {
  for (const auto& [index, gradient] : recording.custom_gradients)
    if (index == node) return gradient.get();
  return nullptr;
}

std::optional<Strip> strip_of(const Recording& recording, const Tensor& gradient) {
  auto maker = [&](const Tensor& x, const OpDef& op) -> const RecordedNode* {
    const TensorImpl* impl = x.impl();
    if (impl->recording.load() != &recording || recording.producers[impl->value] == kNone) return nullptr;
    const RecordedNode& node = recording.nodes[recording.producers[impl->value]];
    return node.op == &op ? &node : nullptr;
  };
  const RecordedNode* pad = maker(gradient, op::pad);
  if (!pad) return {};
  const RecordedNode* filler = maker(handle(recording, recording.inputs[pad->input + 1]), op::constant);
  if (!filler || recording.attrs[filler->attr + 1] != 0) return {};  // 0 has no bits in any dtype
  Strip strip;
  const int rank = gradient.rank();
  const int64_t* low = &recording.attrs[pad->attr + 1];
  const int64_t* high = low + rank + 1;
  for (int i = 0; i < rank; ++i) {
    if (low[i] == 0 && high[i] == 0) continue;
    if (strip.axis >= 0) return {};
    strip.axis = i;
    strip.low = low[i];
    strip.high = high[i];
  }
  if (strip.axis < 0) return {};
  const Tensor inside = handle(recording, recording.inputs[pad->input]);
  const RecordedNode* joined = maker(inside, op::concat);
  if (!joined || recording.attrs[joined->attr] != strip.axis) strip.parts = {inside};
  else
    for (uint32_t i = 0; i < joined->n_inputs; ++i)
      strip.parts.push_back(handle(recording, recording.inputs[joined->input + i]));
  return strip;
}

// The complete cotangent of a value, so far.
const Tensor& settled(Scratch& scratch, ValueId value) {
  if (scratch.strips.empty()) return scratch.cotangents[value];
  if (const auto grown = scratch.strips.find(value); grown != scratch.strips.end()) {
    scratch.cotangents[value] = grown->second.joined();
    scratch.strips.erase(grown);
  }
  return scratch.cotangents[value];
}

// Neighbouring strips (gates of a recurrent cell, parts of a split, rows of a loop) are put side by side instead of
// being added with their zeros: all at once, when the cotangent is needed.
void accumulate(const Recording& recording, Scratch& scratch, ValueId value, Tensor gradient) {
  Tensor& into = scratch.cotangents[value];
  if (!into.defined()) {
    into = std::move(gradient);
    return;
  }
  if (const std::optional<Strip> next = strip_of(recording, gradient)) {
    const auto joins = [&](Strip& strip) {
      return strip.axis == next->axis && strip.join(*next, gradient.shape()[strip.axis]);
    };
    const auto grown = scratch.strips.find(value);
    if (grown != scratch.strips.end()) {
      if (joins(grown->second)) return;
    } else if (std::optional<Strip> first = strip_of(recording, into); first && joins(*first)) {
      scratch.strips.emplace(value, std::move(*first));
      return;
    }
  }
  into = add(settled(scratch, value), gradient);
}

// Runs the rule of one node. The node is copied, because recording moves the arrays that hold it.
void run_rule(Recording& recording, uint32_t index, Scratch& scratch) {
  const RecordedNode node = recording.nodes[index];
  Context& c = scratch.context;
  c.op = node.op;
  scratch.attrs.assign(recording.attrs.begin() + node.attr, recording.attrs.begin() + node.attr + node.n_attrs);
  c.attrs = Attrs(scratch.attrs);
  scratch.graphs.clear();
  for (uint32_t i = 0; i < node.n_graphs; ++i) scratch.graphs.push_back(recording.graphs[node.graph + i]);
  c.graphs = scratch.graphs;
  c.in.clear();
  c.out.clear();
  c.cotangents.clear();
  c.needed.resize(node.n_inputs);
  c.result.clear();
  c.result.resize(node.n_inputs);
  for (uint32_t i = 0; i < node.n_inputs; ++i) {
    const ValueId v = recording.inputs[node.input + i];
    c.in.push_back(handle(recording, v));
    c.needed[i] = scratch.reached[v] && has_gradients(c.in.back().dtype());
  }
  for (uint32_t i = 0; i < node.n_values; ++i) {
    c.out.push_back(handle(recording, node.value + i));
    c.cotangents.push_back(settled(scratch, node.value + i));
  }
  if (const CustomGradient* custom = custom_gradient_of(recording, index)) {
    std::vector<Tensor> gradients = (*custom)(c.cotangents);
    for (size_t i = 0; i < gradients.size() && i < c.result.size(); ++i) c.result[i] = std::move(gradients[i]);
  } else if (node.op->grad) {  // null: a tape may watch the result of an op without a gradient
    node.op->grad(c);
  }
  for (uint32_t i = 0; i < node.n_inputs; ++i) {
    if (!c.needed[i] || !c.result[i].defined()) continue;
    BRIO_CHECK(!(c.result[i].impl()->aval() != c.in[i].impl()->aval()), "the gradient of ", node.op->name,
               " for input ", i, " has shape ", c.result[i].shape(), " instead of ", c.in[i].shape());
    // With unknown sizes the shapes must be equal once sizes are known: reshape checks that.
    if (!(c.result[i].shape() == c.in[i].shape())) c.result[i] = reshape(c.result[i], c.in[i].shape());
    accumulate(recording, scratch, recording.inputs[node.input + i], std::move(c.result[i]));
  }
}

}  // namespace

std::vector<Tensor> differentiate(Recording& recording, std::span<const std::pair<ValueId, Tensor>> seeds,
                                  std::span<const ValueId> sources, uint8_t tape_bit) {
  ScratchScope scope;
  Scratch& scratch = *scope;
  const size_t values = recording.values.size();
  scratch.reached.assign(values, 0);
  scratch.cotangents.resize(values);  // all "none": ScratchScope leaves it empty
  ValueId first = static_cast<ValueId>(values);
  for (ValueId source : sources) {
    scratch.reached[source] = 1;
    first = std::min(first, source);
  }
  uint32_t last = 0;  // one past the last node that matters
  for (const auto& [target, cotangent] : seeds) {
    accumulate(recording, scratch, target, cotangent);
    if (recording.producers[target] != kNone) last = std::max(last, recording.producers[target] + 1);
  }
  // Forward: find what depends on a source. Nodes are in order, so one sweep from the first source's users is enough.
  const auto begin = static_cast<uint32_t>(
      std::ranges::lower_bound(recording.nodes, first, {}, [](const RecordedNode& n) { return n.value; }) -
      recording.nodes.begin());
  for (uint32_t n = begin; n < last; ++n) {
    const RecordedNode& node = recording.nodes[n];
    if (!(recording.tracked[node.value] & tape_bit)) continue;
    bool reached = false;
    for (uint32_t i = 0; i < node.n_inputs; ++i) reached |= scratch.reached[recording.inputs[node.input + i]] != 0;
    if (reached)
      for (uint32_t i = 0; i < node.n_values; ++i) scratch.reached[node.value + i] = 1;
  }
  // Backward: the ops of a rule get the place of the node that they belong to.
  const KeepPlace keep(current_recording());
  OpOrigins* const origins = OpOrigins::current();
  for (uint32_t n = last; n-- > begin;) {
    const RecordedNode node = recording.nodes[n];
    if (!(recording.tracked[node.value] & tape_bit)) continue;
    bool from_source = false, has_cotangent = false;
    for (uint32_t i = 0; i < node.n_inputs; ++i)
      from_source |= scratch.reached[recording.inputs[node.input + i]] != 0;
    for (uint32_t i = 0; i < node.n_values; ++i) has_cotangent |= scratch.cotangents[node.value + i].defined();
    if (!from_source || !has_cotangent) continue;
    keep.use(node.place);
    if (origins) origins->begin_gradient(recording, n);
    run_rule(recording, n, scratch);
  }
  std::vector<Tensor> result;
  result.reserve(sources.size());
  for (ValueId source : sources) result.push_back(settled(scratch, source));
  if (origins) origins->end_gradient(recording);
  return result;
}

namespace {

std::shared_ptr<const Graph> Context::reverse(const Graph& body, std::span<const bool> wanted,
                                              std::vector<bool>& connected) {
  std::vector<Aval> parameters;
  for (const Graph::Input& input : body.inputs) parameters.push_back(body.values[input.value]);
  const size_t n = parameters.size();
  for (ValueId v : body.outputs) parameters.push_back(body.values[v]);
  std::vector<Tensor> gradients;
  TracedBody traced = trace_body(parameters, [&](const std::vector<Tensor>& arguments) {
    Recording& recording = current_recording();
    Recording::Tape tape{1, false, {}, &recording};
    recording.tapes.push_back(&tape);
    struct Detach {  // a rule may throw, and the recording outlives the tape
      Recording& recording;
      ~Detach() { recording.tapes.clear(); }
    } detach{recording};
    recording.tapes_active = 1;
    std::vector<ValueId> sources;
    for (size_t i = 0; i < n; ++i)
      if (wanted[i]) {
        sources.push_back(arguments[i].impl()->value);
        recording.tracked[sources.back()] = 1;
      }
    const std::vector<Tensor> outputs = replay(body, std::span(arguments).first(n));
    recording.tapes_active = 0;
    std::vector<std::pair<ValueId, Tensor>> seeds;
    for (size_t i = 0; i < outputs.size(); ++i) {
      TensorImpl* impl = outputs[i].impl();
      if (has_gradients(impl->aval().dtype)) seeds.emplace_back(impl->value, arguments[n + i]);
    }
    gradients = differentiate(recording, seeds, sources, 1);
    std::vector<Tensor> results;
    connected.assign(n, false);
    for (size_t i = 0, k = 0; i < n; ++i)
      if (wanted[i] && gradients[k++].defined()) {
        connected[i] = true;
        results.push_back(gradients[k - 1]);
      }
    gradients.clear();
    return results;
  });
  BRIO_CHECK(traced.captured.empty(), "a body's gradient captured a value from outside");
  return traced.graph;
}

// The definition is recorded here again (equal expressions merge).
void Context::through(const Definition& definition) {
  const std::vector<Tensor> inputs = in, given = cotangents;
  const std::vector<uint8_t> wanted = needed;
  Recording& recording = current_recording();
  GradientTape tape({.persistent = false, .watch_accessed_variables = false});
  std::vector<Tensor> copies;
  std::vector<GradientTape::Source> sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    copies.push_back(wanted[i] ? identity(inputs[i]) : inputs[i]);
    if (!wanted[i]) continue;
    tape.watch(copies[i]);
    sources.emplace_back(copies[i]);
  }
  const std::vector<Tensor> outputs = definition(copies);
  std::vector<Tensor> targets, target_cotangents;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (given[i].defined()) {
      targets.push_back(outputs[i]);
      target_cotangents.push_back(given[i]);
    }
  BRIO_CHECK(&recording == &current_recording());
  const std::vector<Tensor> gradients = tape.gradient(targets, sources, target_cotangents);
  for (size_t i = 0, k = 0; i < inputs.size(); ++i)
    if (wanted[i]) result[i] = gradients[k++];
}

}  // namespace
}  // namespace brio
