// function(f): traces f once per combination of argument shapes and dtypes, keeps the plans, and skips recording
// afterwards. Host values and captured tensors are frozen at the trace. Variables are not frozen: every call reads
// and writes them. A tensor that the plan may overwrite, such as the value of a variable that has no other owner, is
// updated in place.
//
// function(f, Sizes::open): sizes in which arguments differ from call to call are left open, and f is traced once for
// all of them. f must not make decisions by such a size: x.shape()[0] == 1 is false there for every size. If f asks
// for such a size as a number, it is traced for each size.
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

// One step of the plan of a function, with its measured time.
struct TriedStep {
  static constexpr uint32_t kNoNode = ~uint32_t{0};
  double seconds = 0;
  double flops = 0, bytes = 0;
  // Nodes of the trace: the one whose result the step makes, and the first one that reads the same variable.
  uint32_t makes_that_of = kNoNode, reads_weight_of = kNoNode;
};

class TracedFunction {
 public:
  using Body = BodyFn;
  explicit TracedFunction(Body body, Sizes sizes = Sizes::fixed);
  // For arguments that fit `signature`: it is traced once, with the unknown sizes (symbols) left open.
  TracedFunction(Body body, std::vector<Aval> signature);
  ~TracedFunction();
  void call(const Tensor* arguments, size_t n, std::vector<Tensor>& results);
  // Makes the trace for such arguments, whose unknown sizes are symbols, without a call; later calls with arguments
  // that fit use it. None: the body asks for an unknown size as a number.
  std::optional<TracedGraph> trace(const std::vector<Aval>& arguments);
  // Sets the name under which its traces are counted; the function is called when there is a trace to count.
  void set_name(std::function<std::string()> name);
  void set_step_key(const void* key);  // its training steps count with those of others with the same key
  size_t traces() const;
  // How long a call with these arguments takes: the median of several calls, on copies of everything that it writes
  // and without drawing from random generators. Nothing that the program can see changes. 0 s: it cannot be tried,
  // because it is being called, has effects, runs on a device, or there is no memory for it.
  struct Trial {
    double seconds = 0;
    double flops = 0, bytes = 0;        // of products; read and written by the steps of the plan
    std::optional<double> result = {};  // the first result, if that is one f32 number
    std::vector<TriedStep> steps = {};  // of the plan, if they are asked for
  };
  enum class Steps : uint8_t { together, each };
  Trial try_alone(const Tensor* arguments, size_t n, double most_seconds, Steps steps = Steps::together);
  // The memory of a call with these arguments, besides the arguments and the variables, found without a call. Values
  // are computed again if the arena would exceed `arena_limit` (0: never). The plan is kept if calls have the same
  // limit.
  struct Memory {
    size_t arena = 0, results = 0;  // bytes
    size_t repeated = 0;            // nodes that are computed again, and the added work as a share of the whole
    double repeated_work = 0;
    bool is_new = true;  // there was no such plan
    bool on_host = true;
  };
  Memory memory_of(const Tensor* arguments, size_t n, size_t arena_limit = 0);
  void set_arena_limit(size_t bytes);       // for calls from now on
  Device* last_device() const;              // the device of the last call; null: no call yet
  std::vector<TracedGraph> graphs() const;  // of the kept traces, the newest first

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

template <typename R>
struct Results;  // packs the results of f into a list of tensors, and unpacks them
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
