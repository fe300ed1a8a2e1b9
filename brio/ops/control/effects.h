// Effects: what a computation does besides computing. They happen during the run, once, in the order in which they
// were recorded. Reading any later value, flush() or apply_gradients starts the run. Inside function(), branches and
// loops they happen at each call or round, not when the code is traced.
//
//   print("loss:", loss, "after", step);
//   debugging::assert_less(x, limit, "x left its range");
//   const HostFunction look_up = [](const std::vector<Array>& in) { return std::vector{table.look_up(in[0])}; };
//   Tensor y = host_call(look_up, {x}, {aval})[0];
//
// Each effect takes the host's token from the effect before it and returns a new one. So effects are ordered by their
// values, as other ops are. A variable needs no token: its value is one.
#pragma once

#include <concepts>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "brio/ir/graph.h"
#include "brio/ir/recording.h"

namespace brio {

namespace op {
// token, inputs… → token, outputs…; the body is the host's code
extern const OpDef print, assert_true, host_call;
extern const OpDef pure_host_call;  // inputs… → outputs…
}  // namespace op

// A part of what print() prints. Text is part of the plan. Numbers are inputs of the plan: a number that changes
// makes no new plan.
class Printed {
 public:
  Printed(std::string text) : part_(std::move(text)) {}
  Printed(const char* text) : part_(std::string(text)) {}
  template <typename T>
  requires std::convertible_to<const T&, Tensor> Printed(const T& tensor) : part_(static_cast<Tensor>(tensor)) {}
  template <typename T>
  requires std::integral<T> || std::floating_point<T> Printed(T number)
      : part_(host_scalar(to_bits(number), dtype_of<T>)) {}

  const std::string* text() const { return std::get_if<std::string>(&part_); }
  const Tensor& tensor() const { return std::get<Tensor>(part_); }

 private:
  std::variant<std::string, Tensor> part_;
};

struct PrintOptions {
  std::ostream* to = nullptr;  // default: std::cerr; must live until the print has run
  int summarize = 3;           // elements at either end of each axis; -1: all
};

// Like tf.print: parts with a space between them, then a new line.
void print(const std::vector<Printed>& parts, PrintOptions options = {});
template <typename... T>
requires(sizeof...(T) > 0 && (std::convertible_to<const T&, Printed> && ...)) void print(const T&... parts) {
  print(std::vector<Printed>{parts...});
}

namespace debugging {

// Raises InvalidArgument, with the message and the data, if an element of `condition` is false. A run that fails
// changes no variable.
void assert_true(const Tensor& condition, const std::string& message = {}, const std::vector<Tensor>& data = {});

// For every element, with broadcasting.
void assert_equal(const Tensor& x, const Tensor& y, const std::string& message = {});
void assert_less(const Tensor& x, const Tensor& y, const std::string& message = {});
void assert_less_equal(const Tensor& x, const Tensor& y, const std::string& message = {});
void assert_positive(const Tensor& x, const std::string& message = {});
void assert_non_negative(const Tensor& x, const std::string& message = {});
void assert_all_finite(const Tensor& x, const std::string& message = {});  // neither NaN nor infinity

}  // namespace debugging

// A function of the host. If you call it eagerly many times, keep one object: each object has plans of its own.
class HostFunction {
 public:
  using Call = std::function<std::vector<Array>(const std::vector<Array>&)>;
  HostFunction(std::string name, Call call);
  template <typename F>
  requires std::is_invocable_r_v < std::vector<Array>, F,
  const std::vector<Array>& > HostFunction(F call) : HostFunction("host function", Call(std::move(call))) {}

  const std::shared_ptr<const HostCode>& code() const { return code_; }

 private:
  std::shared_ptr<const HostCode> code_;
};

struct HostCallOptions {
  bool stateful = true;  // false: it only computes; it may run again for a gradient, or once for two equal calls
};

// Calls `function` with copies of the inputs during the run; it must return arrays of `outputs`. It may compute with
// its own tensors, but not use variables, functions, or tensors that are not computed yet. Readers of the value get
// its exceptions. It has no gradient: wrap it in custom_gradient to give it one.
std::vector<Tensor> host_call(const HostFunction& function, const std::vector<Tensor>& inputs,
                              const std::vector<Aval>& outputs, HostCallOptions options = {});

// Code of the host in files. A file holds the text of a code: its recipe, or its name if that says everything. The
// first word of the text finds who can record the call again, on inputs of the same types; `said` is the rest.
using CallAgain = Tensor (*)(std::string_view said, std::span<const Tensor> inputs);
void register_host_call(std::string_view word, CallAgain call_again);

bool can_be_saved(const OpDef& op, const HostCode& code);
// The body of a node from the text of its code. Throws InvalidArgument if no code has this text, takes these inputs
// and gives these outputs. Tokens are not counted.
std::shared_ptr<const Graph> revived_body(const OpDef& op, std::string_view text, std::span<const Aval> inputs,
                                          std::span<const Aval> outputs);

// One output from code that only computes. For Brio's own functions, such as those of strings: the code gets the
// memory of the plan, not copies.
Tensor host_compute(const std::shared_ptr<const HostCode>& code, const std::vector<Tensor>& inputs,
                    const Aval& output);

}  // namespace brio
