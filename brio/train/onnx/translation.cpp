#include "brio/train/onnx/translation.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/recording.h"
#include "brio/ops/control/control.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/passes/rewrite.h"
#include "brio/train/onnx/ops.h"

namespace brio::train {

namespace {

// Results of nodes that are needed.
std::vector<bool> used_values(const Graph& graph) {
  std::vector<bool> used(graph.values.size(), false);
  for (const ValueId v : graph.outputs) used[v] = true;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node)
    if (std::ranges::any_of(node->out, [&](ValueId v) { return used[v]; }))
      for (const ValueId v : node->in) used[v] = true;
  return used;
}

bool has_open_extents(const Node& node) {
  size_t at = 0;
  const Attrs attrs(node.attrs);
  for (const AttrSpec& spec : node.op->attrs) {
    if (spec.kind == AttrKind::extents)
      for (size_t i = 0; i < attrs.extents(at).size(); ++i)
        if (!attrs.extents(at)[i].known()) return true;
    at = is_list(spec.kind) ? attrs.after_list(at) : at + 1;
  }
  return false;
}

// Weights are made of weights where the file does not grow by it.
bool is_worth_computing(const Graph& graph, const Node& node) {
  constexpr size_t kSmall = 64 * 1024;
  if (has_open_extents(node)) return false;
  size_t in = 0, out = 0;
  for (const ValueId v : node.in) in += graph.values[v].bytes();
  for (const ValueId v : node.out) {
    if (!graph.values[v].shape.known() || graph.values[v].dtype == DType::string) return false;
    out += graph.values[v].bytes();
  }
  return out <= std::max(kSmall, in);
}

}  // namespace

struct OnnxTranslation::Scope {
  const Graph& graph;
  std::vector<OnnxTranslation::Value> values;
  std::vector<bool> used;

  Scope(const Graph& of, std::vector<OnnxTranslation::Value> inputs)
      : graph(of), values(of.values.size()), used(used_values(of)) {
    for (size_t i = 0; i < inputs.size(); ++i) values[of.inputs[i].value] = std::move(inputs[i]);
  }
  OnnxTranslation::Value& operator[](ValueId v) { return values[v]; }
  const Aval& aval(ValueId v) const { return graph.values[v]; }
};

void OnnxTranslation::refuse(const Node& node, const std::string& why) const {
  throw InvalidArgument(cat("[onnx] op '", node.op->name, "'",
                            to_.place().empty() ? std::string() : cat(" of layer '", to_.place(), "'"),
                            " cannot be written as ONNX: ", why));
}

std::string OnnxTranslation::name(Value& value, const Aval& aval) {
  if (!value.plain.empty()) return value.plain;
  if (value.known.defined()) return value.plain = to_.weight(value.label, value.known);
  if (value.channels_first.empty()) throw InvalidArgument(cat("[onnx] ", value.why_not));
  std::vector<int64_t> order{0};
  for (int64_t axis = 2; axis < aval.shape.rank(); ++axis) order.push_back(axis);
  order.push_back(1);
  return value.plain = to_.node("Transpose", {value.channels_first}, {{"perm", order}});
}

std::string OnnxTranslation::channels_first(Value& value, const Aval& aval) {
  if (!value.channels_first.empty()) return value.channels_first;
  std::vector<int> order{0, aval.shape.rank() - 1};
  for (int axis = 1; axis + 1 < aval.shape.rank(); ++axis) order.push_back(axis);
  if (value.known.defined()) return value.channels_first = to_.weight(value.label, transpose(value.known, order));
  const std::string plain = name(value, aval);
  return value.channels_first =
             to_.node("Transpose", {plain}, {{"perm", std::vector<int64_t>(order.begin(), order.end())}});
}

std::vector<OnnxTranslation::Value> OnnxTranslation::translate(const Graph& graph, std::vector<Value> inputs,
                                                               std::span<const std::string> places) {
  Scope scope(graph, std::move(inputs));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (std::ranges::none_of(node.out, [&](ValueId v) { return scope.used[v]; })) continue;
    if (i < places.size()) to_.set_place(places[i]);
    translate_node(scope, node);
  }
  std::vector<Value> results;
  for (const ValueId v : graph.outputs) results.push_back(scope[v]);
  return results;
}

bool OnnxTranslation::compute(Scope& scope, const Node& node) {
  const OpKind kind = node.op->kind;
  if (kind == OpKind::random || kind == OpKind::control || kind == OpKind::effect) return false;
  std::string label;
  for (const ValueId v : node.in) {
    if (!scope[v].known.defined()) return false;
    if (label.empty()) label = scope[v].label;
  }
  if (!is_worth_computing(scope.graph, node)) return false;
  std::vector<TensorImpl*> in;
  for (const ValueId v : node.in) in.push_back(scope[v].known.impl());
  const std::vector<Tensor> out = record_many(*node.op, in, node.attrs, node.graphs);
  for (size_t i = 0; i < out.size(); ++i) {
    Value& value = scope[node.out[i]];
    value.known = out[i];
    value.label = label.empty() ? cat(to_.place().empty() ? std::string() : to_.place() + "/", node.op->name) : label;
  }
  return true;
}

void OnnxTranslation::translate_node(Scope& scope, const Node& node) {
  if (compute(scope, node)) return;
  if (node.op->kind == OpKind::control) return control(scope, node);
  if (node.op->kind == OpKind::random)
    refuse(node, "it draws random numbers; leave it out of what is exported, or let it draw in training alone");
  if (node.op->kind == OpKind::effect)
    refuse(node, "it does something on the host, which a file does not hold; leave it out of what is exported");
  std::vector<Value*> in, out;
  for (const ValueId v : node.in) {
    Value& value = scope[v];
    if (value.plain.empty() && value.channels_first.empty() && !value.known.defined()) refuse(node, value.why_not);
    in.push_back(&value);
  }
  for (const ValueId v : node.out) out.push_back(scope.used[v] ? &scope[v] : nullptr);
  if (const OnnxRule rule = onnx_rule_of(*node.op)) {
    Call call(*this, scope.graph, node, std::move(in), std::move(out));
    return rule(call);
  }
  if (!node.op->plain) refuse(node, "ONNX has no such op, and neither has it the parts of one");
  const Graph plain = plain_form(scope.graph, node);
  std::vector<Value> given;
  for (const Value* value : in) given.push_back(*value);
  std::vector<Value> made = translate(plain, std::move(given), {});
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i]) *out[i] = std::move(made[i]);
}

// ---- bodies

std::vector<onnx::Value> OnnxTranslation::results_of(const Graph& body, std::vector<OnnxTranslation::Value> results,
                                                     size_t count) {
  std::vector<onnx::Value> named;
  for (size_t i = 0; i < count; ++i) {
    const Aval& aval = body.values[body.outputs[i]];
    const std::string own = to_.unused(cat(to_.place(), "/result"));
    to_.copy(name(results[i], aval), own);
    named.push_back({own, aval.dtype, to_.dimensions(aval.shape)});
  }
  return named;
}

void OnnxTranslation::control(Scope& scope, const Node& node) {
  if (node.op == &op::scan) return scan(scope, node);
  if (node.op == &op::while_loop) return loop(scope, node);
  if (node.op == &op::cond) return branch(scope, node);
  refuse(node, "ONNX has no such op");
}

void OnnxTranslation::branch(Scope& scope, const Node& node) {
  const std::string predicate = name(scope[node.in[0]], scope.aval(node.in[0]));
  Settings bodies;
  size_t at = 1;
  for (const char* which : {"then_branch", "else_branch"}) {
    const Graph& body = *node.graphs[bodies.size()];
    std::vector<Value> given;
    for (size_t i = 0; i < body.inputs.size(); ++i, ++at) {
      name(scope[node.in[at]], scope.aval(node.in[at]));  // made outside of the body
      given.push_back(scope[node.in[at]]);
    }
    to_.begin_body();
    std::vector<Value> made = translate(body, std::move(given), {});
    auto results = results_of(body, std::move(made), node.out.size());
    bodies.emplace_back(which, to_.end_body({}, std::move(results)));
  }
  const std::vector<std::string> out = to_.node("If", {predicate}, node.out.size(), std::move(bodies));
  for (size_t i = 0; i < out.size(); ++i) scope[node.out[i]].plain = out[i];
}

void OnnxTranslation::scan(Scope& scope, const Node& node) {
  const ScanLayout layout = ScanLayout::of(Attrs(node.attrs));
  const Graph& body = *node.graphs[0];
  const size_t own = layout.carried + layout.elements, results = body.outputs.size() - layout.carried;
  for (size_t i = layout.carried + results; i < node.out.size(); ++i)
    if (scope.used[node.out[i]]) refuse(node, "it keeps what it carries at each step, for a gradient");
  std::vector<Value> given;
  std::vector<std::string> in;
  std::vector<onnx::Value> parameters;
  for (size_t i = 0; i < node.in.size(); ++i) {
    Value& outer = scope[node.in[i]];
    const std::string outer_name = name(outer, scope.aval(node.in[i]));
    if (i >= own) {
      given.push_back(outer);
      continue;
    }
    in.push_back(outer_name);
    const Aval& aval = body.values[body.inputs[i].value];
    const std::string inner = to_.unused(cat(to_.place(), i < layout.carried ? "/state" : "/element"));
    parameters.push_back({inner, aval.dtype, to_.dimensions(aval.shape)});
    given.push_back({.plain = inner});
  }
  to_.begin_body();
  std::vector<Value> made = translate(body, std::move(given), {});
  auto named = results_of(body, std::move(made), body.outputs.size());
  const auto step = to_.end_body(std::move(parameters), std::move(named));
  const int64_t backwards = layout.reverse;
  const std::vector<std::string> out =
      to_.node("Scan", in, body.outputs.size(),
               {{"body", step},
                {"num_scan_inputs", static_cast<int64_t>(layout.elements)},
                {"scan_input_directions", std::vector<int64_t>(layout.elements, backwards)},
                {"scan_output_directions", std::vector<int64_t>(results, backwards)}});
  for (size_t i = 0; i < out.size(); ++i) scope[node.out[i]].plain = out[i];
}

void OnnxTranslation::loop(Scope& scope, const Node& node) {
  const auto carried = static_cast<size_t>(node.attrs[0]), of_condition = static_cast<size_t>(node.attrs[1]);
  const int64_t most = node.attrs[2];
  const Graph &condition = *node.graphs[0], &body = *node.graphs[1];
  for (const ValueId v : node.in) name(scope[v], scope.aval(v));
  const auto captured = [&](size_t first, size_t count, std::vector<Value>& to) {
    for (size_t i = first; i < first + count; ++i) to.push_back(scope[node.in[i]]);
  };
  const auto asked = [&](std::vector<Value> values) {
    captured(carried, of_condition, values);
    return translate(condition, std::move(values), {});
  };
  std::vector<Value> initial;
  captured(0, carried, initial);
  std::vector<Value> first = asked(initial);
  const Aval truth{Shape(), boolean};
  std::vector<std::string> in = {most < 0 ? std::string() : to_.scalar(static_cast<double>(most), i64),
                                 name(first[0], truth)};
  const std::string round = to_.unused(cat(to_.place(), "/round")),
                    goes_on = to_.unused(cat(to_.place(), "/goes_on"));
  std::vector<onnx::Value> parameters = {{round, i64, {}}, {goes_on, boolean, {}}};
  std::vector<Value> given;
  for (size_t i = 0; i < carried; ++i) {
    in.push_back(initial[i].plain);
    const Aval& aval = scope.aval(node.in[i]);
    const std::string inner = to_.unused(cat(to_.place(), "/state"));
    parameters.push_back({inner, aval.dtype, to_.dimensions(aval.shape)});
    given.push_back({.plain = inner});
  }
  captured(carried + of_condition, body.inputs.size() - carried, given);
  to_.begin_body();
  std::vector<Value> made = translate(body, std::move(given), {});
  for (size_t i = 0; i < carried; ++i) name(made[i], body.values[body.outputs[i]]);
  std::vector<Value> again = asked({made.begin(), made.begin() + static_cast<std::ptrdiff_t>(carried)});
  auto results = results_of(condition, std::move(again), 1);
  for (auto& each : results_of(body, std::move(made), carried)) results.push_back(std::move(each));
  const auto step = to_.end_body(std::move(parameters), std::move(results));
  const std::vector<std::string> out = to_.node("Loop", in, carried, {{"body", step}});
  for (size_t i = 0; i < out.size(); ++i) scope[node.out[i]].plain = out[i];
}

}  // namespace brio::train
