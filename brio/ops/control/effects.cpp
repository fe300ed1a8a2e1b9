#include "brio/ops/control/effects.h"

#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>

#include "brio/base/error.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/strings.h"

namespace brio {
namespace {

// ---- the ops

template <size_t tokens>
void infer_host(const OpCall& call, std::vector<Aval>& out) {
  if (call.graphs.size() != 1 || !call.graphs[0]->host)
    throw_invalid(call.op, cat("needs one body of host code, but has ", call.graphs.size(), " bodies"));
  if (tokens == 1) {
    if (!is_token(*call.in[0]))
      throw_invalid(call.op, cat("input 0 must be a token, u8[0], but is ", format_aval(*call.in[0])));
    out.push_back(*call.in[0]);
  }
  for (ValueId v : call.graphs[0]->outputs) {
    out.push_back(call.graphs[0]->values[v]);
    if (out.back().dtype == DType::string)
      throw_invalid(call.op, "gives numbers only; call the function at once, outside, where it is to give strings");
  }
}

void infer_assert(const OpCall& call, std::vector<Aval>& out) {
  infer_host<1>(call, out);
  if (call.in[1]->dtype != boolean || call.in[1]->shape.rank() != 0)
    throw_invalid(call.op, cat("the verdict must be a bool scalar, but is ", format_aval(*call.in[1])));
}

std::shared_ptr<const Graph> body_of(std::shared_ptr<const HostCode> code, const std::vector<Aval>& outputs = {}) {
  Graph body;
  for (const Aval& aval : outputs) body.outputs.push_back(body.add_value(aval));
  body.host = std::move(code);
  return intern(std::move(body));
}

// Records an effect between the token of the one before it and that of the next. Returns its other outputs.
std::vector<Tensor> record_effect(const OpDef& op, const std::vector<Tensor>& inputs,
                                  const std::shared_ptr<const Graph>& body) {
  const Tensor token = current_token();
  std::vector<TensorImpl*> in{token.impl()};
  for (size_t i = 0; i < inputs.size(); ++i) in.push_back(required(op, inputs[i], static_cast<int>(i)).impl());
  std::vector<Tensor> out = record_many(op, in, {}, std::span(&body, 1));
  set_token(std::move(out[0]));
  out.erase(out.begin());
  return out;
}

std::vector<Tensor> record_pure(const std::vector<Tensor>& inputs, const std::shared_ptr<const Graph>& body) {
  std::vector<TensorImpl*> in;
  for (size_t i = 0; i < inputs.size(); ++i)
    in.push_back(required(op::pure_host_call, inputs[i], static_cast<int>(i)).impl());
  return record_many(op::pure_host_call, in, {}, std::span(&body, 1));
}

// ---- values as text, as TensorFlow prints them

// The shortest of two precisions that reads back as the same number.
template <typename T>
std::string number(T value) {
  if constexpr (std::integral<T>) {
    return std::to_string(value);
  } else if constexpr (sizeof(T) == 2) {
    return number(static_cast<float>(value));
  } else {
    constexpr bool wide = sizeof(T) == 8;
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", wide ? DBL_DIG : FLT_DIG, static_cast<double>(value));
    const T read = wide ? static_cast<T>(std::strtod(text, nullptr)) : static_cast<T>(std::strtof(text, nullptr));
    if (read != value && !std::isnan(value))
      std::snprintf(text, sizeof text, "%.*g", wide ? DBL_DIG + 2 : FLT_DIG + 3, static_cast<double>(value));
    return text;
  }
}

std::string number(const StringElement& value) { return cat('"', value.view(), '"'); }

template <typename T>
void summarize(std::string& out, const Shape& shape, int axis, const T* data, int64_t edge) {
  if (axis == shape.rank()) {
    out += number(*data);
    return;
  }
  const int64_t n = shape[axis], stride = row_major(shape)[axis];
  const bool last = axis + 1 == shape.rank(), cut = edge >= 0 && n > 2 * edge;
  const std::string gap = last ? " "
                               : std::string(static_cast<size_t>(shape.rank() - axis - 1), '\n') +
                                     std::string(static_cast<size_t>(axis) + 1, ' ');
  out += "[";
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) out += gap;
    if (cut && i == edge) {
      out += "...";
      i = n - edge - 1;
      continue;
    }
    summarize(out, shape, axis + 1, data + i * stride, edge);
  }
  out += "]";
}

std::string summary(const Aval& aval, const void* data, int64_t edge) {
  std::string text;
  if (aval.dtype == DType::string) {
    summarize(text, aval.shape, 0, static_cast<const StringElement*>(data), edge);
    return text;
  }
  visit(aval.dtype, [&](auto t) {
    using T = decltype(t);
    summarize(text, aval.shape, 0, static_cast<const T*>(data), edge);
  });
  return text;
}

// ---- assert

std::shared_ptr<const HostCode> assert_code(const std::string& text) {
  constexpr int64_t kShown = 3;
  auto fail_unless = [text](const HostRun& run) {
    if (*static_cast<const bool*>(run.in[0])) return;
    std::string error = text;
    for (size_t i = 1; i < run.in_avals.size(); ++i)
      error += cat(i == 1 ? "; the data: " : ", ", summary(run.in_avals[i], run.in[i], kShown));
    throw InvalidArgument(error);
  };
  return std::make_shared<const HostCode>(HostCode{text, fail_unless, true});
}

// `name` is the check that the user called.
void check(std::string_view name, const Tensor& condition, const std::string& rule, const std::string& message,
           const std::vector<Tensor>& data) {
  const std::string text = cat("[", name, "] ", rule, message.empty() ? "" : ": ", message);
  if (required(op::assert_true, condition).dtype() != boolean)
    throw_invalid(op::assert_true,
                  cat("the condition must be bool, but is ", condition.dtype(), "; compare it with something"));
  std::vector<Tensor> inputs{all(condition)};
  inputs.insert(inputs.end(), data.begin(), data.end());
  record_effect(op::assert_true, inputs, body_of(assert_code(text)));
}

// ---- print

// The name is "summarize=3: template": text stands in the template with its braces doubled, a tensor as {}.
constexpr std::string_view kSummarize = "summarize=", kTemplate = ": ";

// Text before, between and after the tensors; none where the name is no print's, or prints to a place of its own.
std::optional<std::vector<std::string>> texts_of(std::string_view name, int& summarize) {
  if (!name.starts_with(kSummarize)) return std::nullopt;
  const char* const end = name.data() + name.size();
  const auto [after, error] = std::from_chars(name.data() + kSummarize.size(), end, summarize);
  std::string_view rest(after, static_cast<size_t>(end - after));
  if (error != std::errc() || !rest.starts_with(kTemplate)) return std::nullopt;
  rest.remove_prefix(kTemplate.size());
  std::vector<std::string> texts{""};
  for (; !rest.empty(); rest.remove_prefix(1)) {
    if (rest[0] == '{' || rest[0] == '}') {
      if (rest.size() < 2) return std::nullopt;
      if (rest.starts_with("{}")) texts.emplace_back();
      else if (rest[0] == rest[1]) texts.back() += rest[0];
      else return std::nullopt;
      rest.remove_prefix(1);
    } else {
      texts.back() += rest[0];
    }
  }
  return texts;
}

std::shared_ptr<const HostCode> print_code(std::string name, std::vector<std::string> texts, PrintOptions options) {
  auto write = [texts = std::move(texts), options](const HostRun& run) {
    std::string line = texts[0];
    for (size_t i = 0; i < run.in_avals.size(); ++i)
      line += summary(run.in_avals[i], run.in[i], options.summarize) + texts[i + 1];
    line += "\n";
    std::ostream& out = options.to ? *options.to : std::cerr;
    out.write(line.data(), static_cast<std::streamsize>(line.size())).flush();
  };
  return std::make_shared<const HostCode>(HostCode{std::move(name), std::move(write), true});
}

// ---- host_call

// A recording of its own: the one of this thread is running.
std::vector<Array> call_apart(const HostFunction::Call& call, const std::vector<Array>& in) {
  Recording own;
  own.in_host_call = true;
  RecordInto scope(own);
  std::vector<Array> out = call(in);
  flush(own);
  return out;
}

void run_host_call(const std::string& name, const HostFunction::Call& call, const HostRun& run) {
  std::vector<Array> in;
  for (size_t i = 0; i < run.in_avals.size(); ++i) {
    if (run.in_avals[i].dtype == DType::string) {
      in.push_back(copy_strings(run.in[i], run.in_avals[i].shape));
      continue;
    }
    in.push_back(Array::allocate(run.in_avals[i]));
    if (in[i].aval.bytes() != 0) std::memcpy(in[i].data(), run.in[i], in[i].aval.bytes());
  }
  std::vector<Array> out;
  try {
    out = call_apart(call, in);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(cat("[host_call] '", name, "' threw: ", error.what()));
  } catch (...) {
    throw Error(cat("[host_call] '", name, "' threw something that is no std::exception"));
  }
  if (out.size() != run.out_avals.size())
    throw_invalid(op::host_call, cat("'", name, "' returned ", out.size(), " arrays, but ", run.out_avals.size(),
                                     " were announced"));
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i].aval != run.out_avals[i])
      throw_invalid(op::host_call, cat("'", name, "' returned ", format_aval(out[i].aval), " as output ", i, ", but ",
                                       format_aval(run.out_avals[i]), " was announced"));
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i].aval.bytes() != 0) std::memcpy(run.out[i], out[i].data(), out[i].aval.bytes());
}

constexpr std::string_view kNoGradOfHostCode = "the host's code is not known; wrap it in custom_gradient";

}  // namespace

namespace op {
const OpDef print{.name = "print",
                  .summary = "prints tensors and text",
                  .kind = OpKind::effect,
                  .min_inputs = 1,
                  .max_inputs = -1,
                  .infer = infer_host<1>,
                  .no_grad = "it has no result",
                  .cost = movement_cost,
                  .also_takes = kStrings};
const OpDef assert_true{.name = "assert_true",
                        .summary = "fails the run unless a bool scalar is true; further inputs are shown then",
                        .kind = OpKind::effect,
                        .min_inputs = 2,
                        .max_inputs = -1,
                        .infer = infer_assert,
                        .no_grad = "it has no result",
                        .cost = movement_cost,
                        .may_fail = true,
                        .also_takes = kStrings};
const OpDef host_call{.name = "host_call",
                      .summary = "calls a function of the host's",
                      .kind = OpKind::effect,
                      .min_inputs = 1,
                      .max_inputs = -1,
                      .infer = infer_host<1>,
                      .no_grad = kNoGradOfHostCode,
                      .cost = movement_cost,
                      .may_fail = true,
                      .also_takes = kStrings};
const OpDef pure_host_call{.name = "pure_host_call",
                           .summary = "calls a function of the host's that has no effects",
                           .kind = OpKind::control,
                           .min_inputs = 0,
                           .max_inputs = -1,
                           .infer = infer_host<0>,
                           .no_grad = kNoGradOfHostCode,
                           .cost = movement_cost,
                           .may_fail = true,
                           .also_takes = kStrings};
static const OpDef* const effect_rows[] = {&print, &assert_true, &host_call, &pure_host_call};
}  // namespace op
void register_effects() { register_ops(op::effect_rows); }

void print(const std::vector<Printed>& parts, PrintOptions options) {
  std::string name = cat(kSummarize, options.summarize);
  if (options.to) name += cat(" to=", static_cast<const void*>(options.to));
  name += kTemplate;
  std::vector<std::string> texts{""};  // before, between and after the tensors
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      name += " ";
      texts.back() += " ";
    }
    if (const std::string* text = parts[i].text()) {
      texts.back() += *text;
      for (char c : *text) name += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    } else {
      tensors.push_back(parts[i].tensor());
      texts.emplace_back();
      name += "{}";
    }
  }
  record_effect(op::print, tensors, body_of(print_code(std::move(name), std::move(texts), options)));
}

// ---- code of the host in files

namespace {

// Filled before main() and when a library is loaded, by whoever has such code.
std::map<std::string, CallAgain, std::less<>>& calls_again() {
  static auto* calls = new std::map<std::string, CallAgain, std::less<>>;
  return *calls;
}

CallAgain call_again_of(std::string_view text) {
  const auto found = calls_again().find(text.substr(0, text.find(' ')));
  return found == calls_again().end() ? nullptr : found->second;
}

std::shared_ptr<const Graph> revived_print(std::string_view text, size_t inputs) {
  PrintOptions options;
  auto texts = texts_of(text, options.summarize);
  if (!texts || texts->size() != inputs + 1) return nullptr;
  return body_of(print_code(std::string(text), std::move(*texts), options));
}

// The call is recorded apart: what it records is checked as any call is, and has the body.
std::shared_ptr<const Graph> revived_call(std::string_view text, std::span<const Aval> inputs,
                                          std::span<const Aval> outputs) {
  const CallAgain call_again = call_again_of(text);
  if (!call_again) return nullptr;
  const size_t space = text.find(' ');
  const std::string_view said = space == text.npos ? std::string_view() : text.substr(space + 1);
  const TracedBody traced =
      trace_body(inputs, [&](const std::vector<Tensor>& in) { return std::vector{call_again(said, in)}; });
  for (const Node& node : traced.graph->nodes) {
    if (node.op != &op::pure_host_call) continue;
    const auto same = [&](const std::vector<ValueId>& values, std::span<const Aval> avals) {
      return std::ranges::equal(values, avals,
                                [&](ValueId value, const Aval& aval) { return traced.graph->values[value] == aval; });
    };
    if (same(node.in, inputs) && same(node.out, outputs)) return node.graphs[0];
  }
  return nullptr;
}

}  // namespace

void register_host_call(std::string_view word, CallAgain call_again) { calls_again().emplace(word, call_again); }

bool can_be_saved(const OpDef& op, const HostCode& code) {
  int summarize = 0;
  if (&op == &op::assert_true) return true;
  if (&op == &op::print) return texts_of(code.name, summarize).has_value();
  return &op == &op::pure_host_call && (code.recipe || (code.name_says_all && call_again_of(code.name)));
}

std::shared_ptr<const Graph> revived_body(const OpDef& op, std::string_view text, std::span<const Aval> inputs,
                                          std::span<const Aval> outputs) {
  std::shared_ptr<const Graph> body;
  if (&op == &op::pure_host_call) body = revived_call(text, inputs, outputs);
  else if (&op == &op::print && outputs.empty()) body = revived_print(text, inputs.size());
  else if (&op == &op::assert_true && outputs.empty()) body = body_of(assert_code(std::string(text)));
  if (!body) throw_invalid(op, cat(quoted(text), " is no code of the host that a file holds"));
  return body;
}

namespace debugging {

void assert_true(const Tensor& condition, const std::string& message, const std::vector<Tensor>& data) {
  check("assert_true", condition, "the condition does not hold", message, data);
}
void assert_equal(const Tensor& x, const Tensor& y, const std::string& message) {
  check("assert_equal", equal(x, y), "x == y does not hold", message, {x, y});
}
void assert_less(const Tensor& x, const Tensor& y, const std::string& message) {
  check("assert_less", less(x, y), "x < y does not hold", message, {x, y});
}
void assert_less_equal(const Tensor& x, const Tensor& y, const std::string& message) {
  check("assert_less_equal", less_equal(x, y), "x <= y does not hold", message, {x, y});
}
void assert_positive(const Tensor& x, const std::string& message) {
  check("assert_positive", greater(x, zeros_like(x)), "x > 0 does not hold", message, {x});
}
void assert_non_negative(const Tensor& x, const std::string& message) {
  check("assert_non_negative", greater_equal(x, zeros_like(x)), "x >= 0 does not hold", message, {x});
}
void assert_all_finite(const Tensor& x, const std::string& message) {
  check("assert_all_finite", is_finite(x), "x has NaN or infinite elements", message, {x});
}

}  // namespace debugging

HostFunction::HostFunction(std::string name, Call call) {
  if (!call) throw_invalid(op::host_call, cat("'", name, "' is no function; give it one that can be called"));
  auto run = [name, call = std::move(call)](const HostRun& host_run) { run_host_call(name, call, host_run); };
  code_ = std::make_shared<const HostCode>(HostCode{std::move(name), std::move(run)});
}

std::vector<Tensor> host_call(const HostFunction& function, const std::vector<Tensor>& inputs,
                              const std::vector<Aval>& outputs, HostCallOptions options) {
  const auto body = body_of(function.code(), outputs);
  return options.stateful ? record_effect(op::host_call, inputs, body) : record_pure(inputs, body);
}

Tensor host_compute(const std::shared_ptr<const HostCode>& code, const std::vector<Tensor>& inputs,
                    const Aval& output) {
  return record_pure(inputs, body_of(code, {output}))[0];
}

}  // namespace brio
