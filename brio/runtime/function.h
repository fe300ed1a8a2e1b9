// function(f): traces f once per combination of argument shapes and dtypes, keeps the plans, and skips recording
// afterwards. Host values and captured tensors are frozen at the trace; variables are cells: they are read and
// written at every call. A tensor that the plan may overwrite (a variable that nobody else holds) is updated in
// place.
//
// function(f, Sizes::open): sizes in which arguments differ from call to call are left open, and f is traced once for
// all of them. It must not decide by such a size: x.shape()[0] == 1 is false there, whatever the size will be. Where
// it asks for one as a number, it is traced for each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "brio/ir/tensor.h"
#include "brio/runtime/traced_graph.h"

namespace brio {

enum class Sizes : uint8_t { fixed, open };

namespace detail {

// One step of the plan of a function, as it was tried.
struct TriedStep {
  static constexpr uint32_t kNoNode = ~uint32_t{0};
  double seconds = 0;
  double flops = 0, bytes = 0;
  // Nodes of the trace: the one whose result it makes, and the first that reads the variable which it reads.
  uint32_t makes_that_of = kNoNode, reads_weight_of = kNoNode;
};

class TracedFunction {
 public:
  using Body = BodyFn;
  explicit TracedFunction(Body body, Sizes sizes = Sizes::fixed);
  // For arguments that fit `signature`, whose unknown sizes are symbols, it is traced once, with these left open.
  TracedFunction(Body body, std::vector<Aval> signature);
  ~TracedFunction();
  void call(const Tensor* arguments, size_t n, std::vector<Tensor>& results);
  // The trace for arguments of these kinds, whose unknown sizes are symbols, without a call; calls with arguments
  // that fit will find it. None: the body asks for the number that a size is.
  std::optional<TracedGraph> trace(const std::vector<Aval>& arguments);
  // What it is called where its traces are counted; asked for when there is one to count.
  void set_name(std::function<std::string()> name);
  void set_step_key(const void* key);  // its steps of training are those of others with the same key, too
  size_t traces() const;
  // How long a call with these arguments takes by itself: the median of several, on copies of all that it writes and
  // without taking from random generators. It is not in the middle of a call, nothing that the program can see
  // changes. 0 s: it cannot be tried, as it has effects, runs on a device or there is no memory for it.
  struct Trial {
    double seconds = 0;
    double flops = 0, bytes = 0;        // of products; read and written by the steps of the plan
    std::optional<double> result = {};  // the first one, where that is one number of f32
    std::vector<TriedStep> steps = {};  // of the plan, where they are asked for
  };
  enum class Steps : uint8_t { together, each };
  Trial try_alone(const Tensor* arguments, size_t n, double most_seconds, Steps steps = Steps::together);
  // What a call with these arguments takes beside the arguments and the variables, found without making it: values
  // are computed again where the arena would exceed `arena_limit` (0: never). The plan is kept where that is the
  // limit of calls.
  struct Memory {
    size_t arena = 0, results = 0;  // bytes
    size_t repeated = 0;            // nodes that are computed again, and what that adds to the work, as a share of it
    double repeated_work = 0;
    bool is_new = true;  // there was no such plan
    bool on_host = true;
  };
  Memory memory_of(const Tensor* arguments, size_t n, size_t arena_limit = 0);
  void set_arena_limit(size_t bytes);       // of calls from now on
  Device* last_device() const;              // that a call ran on; null: none has run yet
  std::vector<TracedGraph> graphs() const;  // of the traces that are kept, the newest first

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

template <typename R>
struct Results;  // packs what f returns into a list of tensors, and back
template <>
struct Results<void> {
  static void unpack(std::vector<Tensor>&) {}
};
template <>
struct Results<Tensor> {
  static std::vector<Tensor> pack(Tensor t) { return {std::move(t)}; }
  static Tensor unpack(std::vector<Tensor>& list) { return std::move(list[0]); }
};
template <>
struct Results<std::vector<Tensor>> {
  static std::vector<Tensor> pack(std::vector<Tensor> list) { return list; }
  static std::vector<Tensor> unpack(std::vector<Tensor>& list) { return std::move(list); }
};
template <typename... T>
struct Results<std::tuple<T...>> {
  static std::vector<Tensor> pack(std::tuple<T...> t) {
    return std::apply([](auto&&... x) { return std::vector<Tensor>{std::move(x)...}; }, std::move(t));
  }
  static std::tuple<T...> unpack(std::vector<Tensor>& list) {
    return [&]<size_t... i>(std::index_sequence<i...>) { return std::tuple<T...>{std::move(list[i])...}; }
    (std::index_sequence_for<T...>());
  }
};

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  static constexpr size_t arity = sizeof...(A);
};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...)> : Signature<R (C::*)(A...) const> {};
template <typename R, typename... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  static constexpr size_t arity = sizeof...(A);
};

}  // namespace detail

template <typename F>
class Function {
  using Result = typename detail::Signature<F>::Result;
  static constexpr size_t kArity = detail::Signature<F>::arity;

 public:
  explicit Function(F f, Sizes sizes = Sizes::fixed)
      : traced_(std::make_shared<detail::TracedFunction>(
            [f = std::move(f)](const std::vector<Tensor>& arguments) mutable {
              return [&]<size_t... i>(std::index_sequence<i...>)->std::vector<Tensor> {
                if constexpr (std::is_void_v<Result>) {
                  f(arguments[i]...);
                  return {};
                } else {
                  return detail::Results<Result>::pack(f(arguments[i]...));
                }
              }
              (std::make_index_sequence<kArity>());
            },
            sizes)) {}

  template <typename... A>
  Result operator()(const A&... arguments) const {
    static_assert(sizeof...(A) == kArity, "a function is called with as many tensors as it takes");
    const Tensor list[] = {static_cast<const Tensor&>(arguments)..., Tensor()};
    std::vector<Tensor> results;
    traced_->call(list, kArity, results);
    return detail::Results<Result>::unpack(results);
  }

  size_t traces() const { return traced_->traces(); }

 private:
  std::shared_ptr<detail::TracedFunction> traced_;
};

template <typename F>
Function<std::decay_t<F>> function(F&& f, Sizes sizes = Sizes::fixed) {
  return Function<std::decay_t<F>>(std::forward<F>(f), sizes);
}

}  // namespace brio
