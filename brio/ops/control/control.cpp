#include "brio/ops/control/control.h"

#include <algorithm>

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ir/trace.h"
#include "brio/ops/check.h"
#include "brio/ops/control/body_variables.h"
#include "brio/ops/control/scan_gradient.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr AttrSpec kWhileAttrs[] = {
    {"carried", AttrKind::integer}, {"condition_captured", AttrKind::integer}, {"max_iterations", AttrKind::integer}};
constexpr AttrSpec kScanAttrs[] = {{"carried", AttrKind::integer},
                                   {"elements", AttrKind::integer},
                                   {"reverse", AttrKind::flag},
                                   {"saves", AttrKind::flag}};

const Aval& output_aval(const Graph& graph, size_t i) { return graph.values[graph.outputs[i]]; }
const Aval& input_aval(const Graph& graph, size_t i) { return graph.values[graph.inputs[i].value]; }

void expect_graphs(const OpCall& call, size_t n) {
  if (call.graphs.size() != n) throw_invalid(call.op, cat("needs ", n, " bodies, but has ", call.graphs.size()));
}

void expect_aval(const OpCall& call, std::string_view what, size_t i, const Aval& got, const Aval& wanted) {
  if (!(got != wanted)) return;
  const std::string why = cat("[", call.op.name, "] ", what, " ", i, " is ", got.dtype, " of shape ", got.shape,
                              ", but ", wanted.dtype, " of shape ", wanted.shape, " is needed");
  if (got.dtype != wanted.dtype) throw InvalidArgument(why);
  throw UnknownValue(why);  // which branch, or how many rounds, decides the shape: without a trace it works
}

void infer_cond(const OpCall& call, std::vector<Aval>& out) {
  expect_graphs(call, 2);
  if (call.in[0]->dtype != boolean || call.in[0]->shape.rank() != 0)
    throw_invalid(call.op, cat("the predicate must be a bool scalar, but is ", call.in[0]->dtype, " of shape ",
                               call.in[0]->shape, "; reduce it with any() or all()"));
  const Graph &yes = *call.graphs[0], &no = *call.graphs[1];
  if (yes.outputs.size() != no.outputs.size())
    throw_invalid(call.op, cat("one branch returns ", yes.outputs.size(), " tensors, the other ", no.outputs.size()));
  if (call.in.size() != 1 + yes.inputs.size() + no.inputs.size())
    throw_invalid(call.op, cat("the branches take ", yes.inputs.size() + no.inputs.size(), " inputs, but got ",
                               call.in.size() - 1));
  for (size_t i = 0; i + 1 < call.in.size(); ++i)
    expect_aval(call, "input", i, *call.in[i + 1],
                i < yes.inputs.size() ? input_aval(yes, i) : input_aval(no, i - yes.inputs.size()));
  for (size_t i = 0; i < yes.outputs.size(); ++i) {
    expect_aval(call, "result of the second branch", i, output_aval(no, i), output_aval(yes, i));
    out.push_back(output_aval(yes, i));
  }
}

void infer_while(const OpCall& call, std::vector<Aval>& out) {
  expect_graphs(call, 2);
  const WhileLayout layout = WhileLayout::of(call.attrs);
  const Graph &condition = *call.graphs[0], &body = *call.graphs[1];
  if (condition.outputs.size() != 1 || output_aval(condition, 0).dtype != boolean ||
      output_aval(condition, 0).shape.rank() != 0)
    throw_invalid(call.op, "the condition must return one bool scalar; reduce it with any() or all()");
  if (body.outputs.size() != layout.carried)
    throw_invalid(call.op, cat("the body returns ", body.outputs.size(), " tensors, but was given ", layout.carried));
  const size_t captured = layout.condition_captured;
  if (condition.inputs.size() != layout.carried + captured || body.inputs.size() < layout.carried ||
      call.in.size() != body.inputs.size() + captured)
    throw_invalid(call.op, cat("got ", call.in.size(), " inputs, ", layout.carried, " of them carried and ", captured,
                               " captured by the condition, but the condition takes ", condition.inputs.size(),
                               " and the body ", body.inputs.size()));
  for (size_t i = 0; i < condition.inputs.size(); ++i)
    expect_aval(call, "input of the condition", i, *call.in[i], input_aval(condition, i));
  for (size_t i = 0; i < body.inputs.size(); ++i)
    expect_aval(call, "input of the body", i, *call.in[i < layout.carried ? i : i + captured], input_aval(body, i));
  for (size_t i = 0; i < layout.carried; ++i) {
    expect_aval(call, "result of the body", i, output_aval(body, i), *call.in[i]);
    out.push_back(*call.in[i]);
  }
}

void infer_while_grad(const OpCall& call, std::vector<Aval>& out) {
  expect_graphs(call, 3);
  const Graph& step = *call.graphs[2];
  for (size_t i = 0; i < step.outputs.size(); ++i) out.push_back(output_aval(step, i));
}

void infer_scan(const OpCall& call, std::vector<Aval>& out) {
  expect_graphs(call, 1);
  const ScanLayout layout = ScanLayout::of(call.attrs);
  const Graph& body = *call.graphs[0];
  if (layout.elements == 0) throw_invalid(call.op, "needs elements to walk along; give it at least one tensor");
  if (call.in.size() != body.inputs.size() || call.in.size() < layout.carried + layout.elements)
    throw_invalid(call.op, cat("the body takes ", body.inputs.size(), " inputs, but got ", call.in.size(), " with ",
                               layout.carried, " carried and ", layout.elements, " walked along"));
  if (body.outputs.size() < layout.carried)
    throw_invalid(call.op,
                  cat("the body returns ", body.outputs.size(), " carried tensors, but was given ", layout.carried));
  Size length = -1;
  for (size_t i = 0; i < layout.elements; ++i) {
    const Shape& shape = call.in[layout.carried + i]->shape;
    if (shape.rank() == 0)
      throw_invalid(call.op, cat("elements ", i, " are a scalar, which has no first axis to walk along"));
    if (i > 0 && shape[0] != length)
      throw_invalid(call.op, cat("elements ", i, " have length ", shape[0], ", but the first have ", length));
    length = shape[0];
  }
  for (size_t i = 0; i < call.in.size(); ++i) {
    Aval given = *call.in[i];
    if (i >= layout.carried && i < layout.carried + layout.elements)
      given.shape = Shape(given.shape.dims().subspan(1));
    expect_aval(call, "input of the body", i, given, input_aval(body, i));
  }
  for (size_t i = 0; i < layout.carried; ++i) {
    expect_aval(call, "carried result", i, output_aval(body, i), *call.in[i]);
    out.push_back(*call.in[i]);
  }
  auto stacked = [&](const Aval& aval) {
    std::vector<Size> dims{length};
    dims.insert(dims.end(), aval.shape.begin(), aval.shape.end());
    return Aval{checked_shape(call.op, dims), aval.dtype};
  };
  for (size_t i = layout.carried; i < body.outputs.size(); ++i) out.push_back(stacked(output_aval(body, i)));
  if (layout.saves)
    for (size_t i = 0; i < layout.carried; ++i) out.push_back(stacked(*call.in[i]));
}

Cost graph_cost(const Graph& graph) {
  Cost cost;
  for (const Node& node : graph.nodes) {
    std::vector<const Aval*> in;
    std::vector<Aval> out;
    std::vector<const Graph*> bodies;
    for (ValueId v : node.in) in.push_back(&graph.values[v]);
    for (ValueId v : node.out) out.push_back(graph.values[v]);
    for (const auto& body : node.graphs) bodies.push_back(body.get());
    const Cost one = node.op->cost({*node.op, in, Attrs(node.attrs), bodies}, out);
    cost.flops += one.flops;
    cost.bytes += one.bytes;
  }
  return cost;
}

// The dearer branch; one round of a loop whose length is not known; all steps of a scan.
Cost cond_cost(const OpCall& call, std::span<const Aval>) {
  const Cost a = graph_cost(*call.graphs[0]), b = graph_cost(*call.graphs[1]);
  return {std::max(a.flops, b.flops), std::max(a.bytes, b.bytes)};
}
Cost while_cost(const OpCall& call, std::span<const Aval>) {
  Cost cost;
  for (const Graph* graph : call.graphs) {
    const Cost one = graph_cost(*graph);
    cost.flops += one.flops;
    cost.bytes += one.bytes;
  }
  return cost;
}
Cost scan_cost(const OpCall& call, std::span<const Aval> out) {
  const Cost one = graph_cost(*call.graphs[0]);
  const auto steps = static_cast<double>(call.in[ScanLayout::of(call.attrs).carried]->shape[0]);
  return {one.flops * steps, std::max(one.bytes * steps, total_bytes(call, out))};
}

std::vector<Aval> avals_of(const std::vector<Tensor>& tensors) {
  std::vector<Aval> avals;
  for (const Tensor& tensor : tensors) avals.push_back(tensor.aval());
  return avals;
}

// The gradients of a body's inputs, "none" where there is none, from the inputs and the cotangents of its results.
std::vector<Tensor> reversed(GradContext& g, const Graph& body, const std::vector<Tensor>& inputs,
                             const std::vector<Tensor>& cotangents) {
  std::vector<bool> connected;
  const auto graph = reverse_body(g, body, connected);
  std::vector<Tensor> arguments = inputs;
  arguments.insert(arguments.end(), cotangents.begin(), cotangents.end());
  const std::vector<Tensor> made = replay(*graph, arguments);
  std::vector<Tensor> result(inputs.size());
  for (size_t i = 0, k = 0; i < inputs.size(); ++i)
    if (connected[i]) result[i] = made[k++];
  return result;
}

void grad_cond(GradContext& g) {
  const std::shared_ptr<const Graph> branches[] = {without_effects(g.graphs[0]), without_effects(g.graphs[1])};
  const std::vector<Tensor> in = g.in;
  std::vector<Tensor> cotangents;
  for (size_t i = 0; i < g.out.size(); ++i) cotangents.push_back(or_zeros(g.cotangents[i], g.out[i]));
  std::vector<size_t> wanted;  // inputs of the node that get a gradient
  for (size_t i = 1; i < in.size(); ++i)
    if (g.needs(i)) wanted.push_back(i);
  auto gradient_of_branch = [&](size_t which) {
    const size_t first = which == 0 ? 1 : 1 + branches[0]->inputs.size(), n = branches[which]->inputs.size();
    const std::vector<Tensor> own(in.begin() + static_cast<std::ptrdiff_t>(first),
                                  in.begin() + static_cast<std::ptrdiff_t>(first + n));
    const std::vector<Tensor> gradients = reversed(g, *branches[which], own, cotangents);
    std::vector<Tensor> result;
    for (size_t i : wanted)
      result.push_back(i >= first && i < first + n ? or_zeros(gradients[i - first], in[i]) : zeros_like(in[i]));
    return result;
  };
  const std::vector<Tensor> gradients =
      cond(in[0], Branch([&] { return gradient_of_branch(0); }), Branch([&] { return gradient_of_branch(1); }));
  for (size_t i = 0; i < wanted.size(); ++i) g.set(wanted[i], gradients[i]);
}

// One step backwards is a graph (carried, captured, cotangents of the floating-point carried, sums so far) →
// (cotangents, sums). The op runs the loop forwards once more, keeps what was carried on a stack, and walks back.
void grad_while(GradContext& g) {
  const WhileLayout layout = WhileLayout::of(g.attrs);
  const std::shared_ptr<const Graph> condition = g.graphs[0], body = without_effects(g.graphs[1]);
  const std::vector<Tensor> in = g.in;
  const size_t captured_at = layout.carried + layout.condition_captured;
  const size_t captured = in.size() - captured_at;
  std::vector<size_t> floats, summed;  // carried tensors with a cotangent; captured tensors with a gradient
  std::vector<Tensor> cotangents;
  for (size_t i = 0; i < layout.carried; ++i)
    if (is_floating(in[i].dtype())) {
      floats.push_back(i);
      cotangents.push_back(or_zeros(g.cotangents[i], g.out[i]));
    }
  for (size_t i = 0; i < captured; ++i)
    if (g.needs(captured_at + i)) summed.push_back(i);

  std::vector<Aval> parameters;
  for (const Graph::Input& input : body->inputs) parameters.push_back(body->values[input.value]);
  for (size_t i : floats) parameters.push_back(in[i].aval());
  for (size_t i : summed) parameters.push_back(in[captured_at + i].aval());
  const size_t n = body->inputs.size();
  TracedBody step = trace_body(parameters, [&](const std::vector<Tensor>& p) {
    const std::vector<Tensor> inputs(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(n));
    std::vector<Tensor> given;
    for (size_t i = 0, k = 0; i < layout.carried; ++i)
      given.push_back(k < floats.size() && floats[k] == i ? p[n + k++] : zeros_like(inputs[i]));
    const std::vector<Tensor> gradients = reversed(g, *body, inputs, given);
    std::vector<Tensor> result;
    for (size_t i : floats) result.push_back(or_zeros(gradients[i], inputs[i]));
    for (size_t k = 0; k < summed.size(); ++k) {
      const Tensor& so_far = p[n + floats.size() + k];
      const Tensor& gradient = gradients[layout.carried + summed[k]];
      result.push_back(gradient.defined() ? add(so_far, gradient) : identity(so_far));
    }
    return result;
  });
  BRIO_CHECK(step.captured.empty(), "a loop's gradient captured a value from outside");
  std::vector<Tensor> inputs = in;
  inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
  const std::shared_ptr<const Graph> graphs[] = {condition, body, step.graph};
  const std::vector<int64_t> attrs(g.attrs.words().begin(), g.attrs.words().end());
  const std::vector<Tensor> gradients = record_many(op::while_grad, impls_of(inputs), attrs, graphs);
  for (size_t k = 0; k < floats.size(); ++k) g.set(floats[k], gradients[k]);
  for (size_t k = 0; k < summed.size(); ++k) g.set(captured_at + summed[k], gradients[floats.size() + k]);
}

std::vector<Tensor> joined(std::span<const Tensor> a, std::span<const Tensor> b) {
  std::vector<Tensor> both(a.begin(), a.end());
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

// What while_grad computes, in terms of while_loop: counts the rounds, then walks back, and finds the values before a
// round by running the loop up to it. That is quadratic in the rounds where the kernel, which keeps a stack, is
// linear; but it can be differentiated, again and again.
std::vector<Tensor> define_while_grad(std::span<const Tensor> in, const WhileLayout& layout,
                                      std::span<const std::shared_ptr<const Graph>> graphs) {
  const Graph &condition = *graphs[0], &body = *graphs[1], &step = *graphs[2];
  const size_t n = layout.carried, captured_at = n + layout.condition_captured;
  const size_t cotangents_at = captured_at + body.inputs.size() - n;
  const auto captured = in.subspan(captured_at, body.inputs.size() - n);
  auto next_round = [&](const std::vector<Tensor>& s) {  // carried, rounds so far
    std::vector<Tensor> next = replay(body, joined(std::span(s).first(n), captured));
    next.push_back(add(s[n], constant(1, i64)));
    return next;
  };
  const std::vector<Tensor> start = joined(in.first(n), std::vector{constant(0, i64)});
  const Tensor rounds = while_loop(
                            [&](const std::vector<Tensor>& s) {
                              const auto test_captured = in.subspan(n, layout.condition_captured);
                              return replay(condition, joined(std::span(s).first(n), test_captured))[0];
                            },
                            next_round, start, {layout.max_iterations})
                            .back();
  std::vector<Tensor> back = joined(std::vector{rounds}, in.subspan(cotangents_at));
  for (size_t i = in.size() - cotangents_at; i < step.outputs.size(); ++i)
    back.push_back(zeros(output_aval(step, i).shape, output_aval(step, i).dtype));
  back = while_loop([](const std::vector<Tensor>& s) { return greater(s[0], constant(0, i64)); },
                    [&](const std::vector<Tensor>& s) {  // rounds left, cotangents, sums
                      const Tensor left = sub(s[0], constant(1, i64));
                      const std::vector<Tensor> before = while_loop(
                          [&](const std::vector<Tensor>& t) { return less(t[n], left); }, next_round, start);
                      const std::vector<Tensor> values = joined(std::span(before).first(n), captured);
                      return joined(std::vector{left}, replay(step, joined(values, std::span(s).subspan(1))));
                    },
                    back);
  back.erase(back.begin());
  return back;
}

void grad_while_grad(GradContext& g) {
  const WhileLayout layout = WhileLayout::of(g.attrs);
  const std::vector<std::shared_ptr<const Graph>> graphs(g.graphs.begin(), g.graphs.end());
  g.through([&](std::span<const Tensor> in) { return define_while_grad(in, layout, graphs); });
}

}  // namespace

namespace op {
const OpDef cond{.name = "cond",
                 .summary = "one of two graphs, by a bool scalar",
                 .kind = OpKind::control,
                 .min_inputs = 1,
                 .max_inputs = -1,
                 .infer = infer_cond,
                 .grad = grad_cond,
                 .cost = cond_cost,
                 .grad_needs = kNeedsInputs};
const OpDef while_loop{.name = "while_loop",
                       .summary = "repeats a graph while another says so",
                       .kind = OpKind::control,
                       .min_inputs = 1,
                       .max_inputs = -1,
                       .attrs = kWhileAttrs,
                       .infer = infer_while,
                       .grad = grad_while,
                       .cost = while_cost,
                       .grad_needs = kNeedsInputs};
const OpDef while_grad{.name = "while_grad",
                       .summary = "the gradient of while_loop: runs it again, then backwards",
                       .kind = OpKind::control,
                       .min_inputs = 1,
                       .max_inputs = -1,
                       .attrs = kWhileAttrs,
                       .infer = infer_while_grad,
                       .grad = grad_while_grad,
                       .cost = while_cost,
                       .grad_needs = kNeedsInputs};
const OpDef scan{.name = "scan",
                 .summary = "a graph step by step along the first axis, carrying values",
                 .kind = OpKind::control,
                 .min_inputs = 1,
                 .max_inputs = -1,
                 .attrs = kScanAttrs,
                 .infer = infer_scan,
                 .grad = grad_scan,
                 .cost = scan_cost,
                 .grad_needs = kNeedsInputs};
static const OpDef* const control_rows[] = {&cond, &while_loop, &while_grad, &scan};
}  // namespace op
void register_control() { register_ops(op::control_rows); }

namespace {

// Makes a branch take a token, as a captured value, and give one as its last result.
void pass_token(BodyTrace& branch, const Tensor& token) {
  Recording& recording = branch.recording();
  {
    RecordInto scope(recording);
    current_token();
  }
  branch.add_captured(recording.token_parameter, token);
  branch.add_result(branch.results(), recording.token.impl()->value);
}

std::vector<VariableRef> assigned_in_either(const Recording& a, const Recording& b) {
  std::vector<VariableRef> variables = assigned_in(a);
  for (const VariableRef& variable : assigned_in(b))
    if (std::ranges::find(variables, variable) == variables.end()) variables.push_back(variable);
  return variables;
}

// Makes a branch give what a variable is at its end as its last result.
void give_variable(BodyTrace& branch, const VariableRef& variable) {
  Recording& recording = branch.recording();
  const RecordInto scope(recording);
  TensorImpl* impl = read_variable(variable).impl();
  branch.add_result(branch.results(), impl->recording.load() == &recording ? impl->value : recording.leaf(impl));
}

// Loops carry the variables that their bodies assign: behind the user's values, unseen by him.
std::vector<Tensor> with_variables(std::vector<Tensor> carried, const std::vector<VariableRef>& variables) {
  for (const VariableRef& variable : variables) carried.push_back(read_variable(variable));
  return carried;
}
// In a body: takes them over, and gives the user's values alone.
std::vector<Tensor> enter_with(const std::vector<Tensor>& carried, const std::vector<VariableRef>& variables) {
  const size_t n = carried.size() - variables.size();
  for (size_t i = 0; i < variables.size(); ++i) carry_variable(variables[i], carried[n + i]);
  return {carried.begin(), carried.begin() + static_cast<std::ptrdiff_t>(n)};
}
void assign_last(std::vector<Tensor>& out, const std::vector<VariableRef>& variables) {
  const size_t n = out.size() - variables.size();
  for (size_t i = 0; i < variables.size(); ++i) assign_variable(variables[i], out[n + i]);
  out.resize(n);
}

// Makes a loop body carry, from place `at` on, what it needs beside the user's values. Returns their initial values.
std::vector<Tensor> carry_hidden(BodyTrace& body, size_t at) {
  std::vector<Tensor> initial;
  Recording& recording = body.recording();
  if (body.has_effects()) {
    body.add_parameter(at, recording.token_parameter);
    body.add_result(at, recording.token.impl()->value);
    initial.push_back(current_token());
  }
  for (const Recording::Draw& draw : recording.draws) {
    TensorImpl* counter = recording.values[draw.counter];
    body.add_parameter(at + initial.size(), draw.counter);
    {
      RecordInto scope(recording);
      const Tensor drawn = constant(draw.drawn, u64);
      TensorImpl* const in[] = {counter, drawn.impl()};
      body.add_result(at + initial.size(), record(op::add, in).impl()->value);
    }
    initial.push_back(constant(0, u64));
    body.add_captured(draw.seed, random::bits({}, {.dtype = u64, .generator = draw.generator}));
  }
  return initial;
}

// What a loop gave from place `at` on is not for the user.
void take_hidden(std::vector<Tensor>& out, size_t at, const BodyTrace& body, size_t hidden) {
  if (body.has_effects()) set_token(out[at]);
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(at);
  out.erase(first, first + static_cast<std::ptrdiff_t>(hidden));
}

}  // namespace

std::vector<Tensor> cond(const Tensor& predicate, const Branch& if_true, const Branch& if_false) {
  BodyTrace yes(Recording::Kind::branch, {}, [&](const std::vector<Tensor>&) { return if_true(); });
  BodyTrace no(Recording::Kind::branch, {}, [&](const std::vector<Tensor>&) { return if_false(); });
  const std::vector<VariableRef> assigned = assigned_in_either(yes.recording(), no.recording());
  const size_t variables_at = yes.results();
  for (const VariableRef& variable : assigned) {
    give_variable(yes, variable);
    give_variable(no, variable);
  }
  const bool effects = yes.has_effects() || no.has_effects();
  if (effects) {
    const Tensor token = current_token();
    pass_token(yes, token);
    pass_token(no, token);
  }
  const TracedBody taken = yes.finish(), other = no.finish();
  std::vector<Tensor> in{predicate};
  in.insert(in.end(), taken.captured.begin(), taken.captured.end());
  in.insert(in.end(), other.captured.begin(), other.captured.end());
  const std::shared_ptr<const Graph> graphs[] = {taken.graph, other.graph};
  std::vector<Tensor> out = record_many(op::cond, impls_of(in), {}, graphs);
  if (effects) {
    set_token(std::move(out.back()));
    out.pop_back();
  }
  for (size_t i = 0; i < assigned.size(); ++i) assign_variable(assigned[i], out[variables_at + i]);
  out.resize(variables_at);
  return out;
}

Tensor cond(const Tensor& predicate, const std::function<Tensor()>& if_true,
            const std::function<Tensor()>& if_false) {
  return cond(predicate, Branch([&] { return std::vector{if_true()}; }),
              Branch([&] { return std::vector{if_false()}; }))[0];
}

namespace {

// A condition that has effects or draws is asked once before the loop and then at the end of each round: the loop
// carries its verdict.
std::vector<Tensor> carrying_verdict(const LoopCondition& condition, const LoopBody& body,
                                     const std::vector<Tensor>& initial, WhileOptions options) {
  std::vector<Tensor> start = initial;
  start.push_back(condition(initial));
  std::vector<Tensor> out = while_loop(
      [](const std::vector<Tensor>& carried) { return carried.back(); },
      [&](const std::vector<Tensor>& carried) {
        std::vector<Tensor> next = body({carried.begin(), carried.end() - 1});
        if (next.size() + 1 != carried.size())
          throw_invalid(op::while_loop,
                        cat("the body returns ", next.size(), " tensors, but was given ", carried.size() - 1));
        next.push_back(condition(next));
        return next;
      },
      start, options);
  out.pop_back();
  return out;
}

std::vector<Tensor> carrying_variables(const std::vector<VariableRef>& variables, const LoopCondition& condition,
                                       const LoopBody& body, const std::vector<Tensor>& initial,
                                       WhileOptions options) {
  std::vector<Tensor> out =
      while_loop([&](const std::vector<Tensor>& carried) { return condition(enter_with(carried, variables)); },
                 [&](const std::vector<Tensor>& carried) {
                   return with_variables(body(enter_with(carried, variables)), variables);
                 },
                 with_variables(initial, variables), options);
  assign_last(out, variables);
  return out;
}

}  // namespace

std::vector<Tensor> while_loop(const LoopCondition& condition, const LoopBody& body,
                               const std::vector<Tensor>& initial, WhileOptions options) {
  for (size_t i = 0; i < initial.size(); ++i)
    if (!initial[i].defined()) throw_invalid(op::while_loop, cat("carried tensor ", i, " is none; give it a tensor"));
  const std::vector<Aval> parameters = avals_of(initial);
  BodyTrace test(Recording::Kind::loop, parameters,
                 [&](const std::vector<Tensor>& p) { return std::vector{condition(p)}; });
  if (test.has_effects() || test.has_draws() || !assigned_in(test.recording()).empty())
    return carrying_verdict(condition, body, initial, options);
  BodyTrace step(Recording::Kind::loop, parameters, body);
  if (const std::vector<VariableRef> assigned = assigned_in(step.recording()); !assigned.empty())
    return carrying_variables(assigned, condition, body, initial, options);
  if (initial.empty()) throw_invalid(op::while_loop, "needs at least one tensor to carry");
  const size_t n = initial.size();
  if (step.results() != n)
    throw_invalid(op::while_loop, cat("the body returns ", step.results(), " tensors, but was given ", n));
  const std::vector<Tensor> hidden = carry_hidden(step, n);
  for (size_t i = 0; i < hidden.size(); ++i)
    test.add_parameter(n + i, add_parameter(test.recording(), hidden[i].aval()).impl()->value);
  const TracedBody tested = test.finish(), stepped = step.finish();
  std::vector<Tensor> in = initial;
  in.insert(in.end(), hidden.begin(), hidden.end());
  in.insert(in.end(), tested.captured.begin(), tested.captured.end());
  in.insert(in.end(), stepped.captured.begin(), stepped.captured.end());
  const int64_t attrs[] = {static_cast<int64_t>(n + hidden.size()), static_cast<int64_t>(tested.captured.size()),
                           options.max_iterations};
  const std::shared_ptr<const Graph> graphs[] = {tested.graph, stepped.graph};
  std::vector<Tensor> out = record_many(op::while_loop, impls_of(in), attrs, graphs);
  take_hidden(out, n, step, hidden.size());
  return out;
}

ScanStep scan(const ScanBody& body, const std::vector<Tensor>& initial, const std::vector<Tensor>& elements,
              ScanOptions options) {
  std::vector<Tensor> in = initial;
  in.insert(in.end(), elements.begin(), elements.end());
  std::vector<Aval> parameters;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in[i].defined()) throw_invalid(op::scan, cat("input ", i, " is none; give it a tensor"));
    Aval aval = in[i].aval();
    if (i >= initial.size()) {
      if (aval.shape.rank() == 0)
        throw_invalid(op::scan,
                      cat("elements ", i - initial.size(), " are a scalar, which has no first axis to walk along"));
      aval.shape = Shape(aval.shape.dims().subspan(1));
    }
    parameters.push_back(aval);
  }
  const size_t n = initial.size();
  BodyTrace trace(Recording::Kind::loop, parameters, [&](const std::vector<Tensor>& p) {
    ScanStep step = body({p.begin(), p.begin() + static_cast<std::ptrdiff_t>(n)},
                         {p.begin() + static_cast<std::ptrdiff_t>(n), p.end()});
    if (step.carried.size() != n)
      throw_invalid(op::scan, cat("the body returns ", step.carried.size(), " carried tensors, but was given ", n));
    step.carried.insert(step.carried.end(), step.results.begin(), step.results.end());
    return step.carried;
  });
  if (const std::vector<VariableRef> assigned = assigned_in(trace.recording()); !assigned.empty()) {
    ScanStep last = scan(
        [&](const std::vector<Tensor>& carried, const std::vector<Tensor>& one) {
          ScanStep step = body(enter_with(carried, assigned), one);
          step.carried = with_variables(std::move(step.carried), assigned);
          return step;
        },
        with_variables(initial, assigned), elements, options);
    assign_last(last.carried, assigned);
    return last;
  }
  const std::vector<Tensor> hidden = carry_hidden(trace, n);
  const TracedBody traced = trace.finish();
  in.insert(in.begin() + static_cast<std::ptrdiff_t>(n), hidden.begin(), hidden.end());
  in.insert(in.end(), traced.captured.begin(), traced.captured.end());
  const ScanLayout layout{n + hidden.size(), elements.size(), options.reverse, false};
  std::vector<Tensor> out = record_scan(in, layout, traced.graph);
  take_hidden(out, n, trace, hidden.size());
  return {{out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n)},
          {out.begin() + static_cast<std::ptrdiff_t>(n), out.end()}};
}

}  // namespace brio
