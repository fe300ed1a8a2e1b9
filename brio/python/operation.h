// How a C++ function of tensors becomes a Python function.
//
//   define(m, "square", [](const Tensor& x) { return square(x); }, nb::arg("x"));
//
// Parameters of Tensor, Shape, DType, Axes and lists of tensors take whatever converts to them (convert.h). Every
// such function also takes symbols of functional models in place of tensors: the call is then a step of the model.
// The parameter `name`, which TensorFlow's functions have last, is taken and not used.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <type_traits>

#include "brio/nn/functional.h"
#include "brio/python/convert.h"
#include "brio/runtime/function.h"

namespace brio::python {

// Any object, as it came: conversion is up to the function, so that it can say what is wrong.
struct Given {
  nb::handle object;
};

// What a function of tensors does, with the tensors left open.
using Deferred = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

// One tensor argument: a tensor, or a symbol that will be one. A variable is its value now; where the call is a step
// of a model it is read again each time.
struct TensorArgument {
  Tensor tensor;
  nb::handle symbol = {};
  nb::handle variable = {};
};

// Arguments that are numbers for the function, but may be tensors in Python: while a journal is written, such are
// inputs of the call, read by it, since a replay may have others.
template <typename T>
concept Late = requires(T held) {
  held.tensors;
  held.read();
};
struct IntegerArgument {
  int64_t value;
  std::vector<TensorArgument> tensors = {};  // one: it says

  static IntegerArgument take(nb::handle object);
  int64_t read() const;
};
template <typename T>  // int64_t or Size
struct ListArgument {
  std::vector<T> list;
  std::vector<TensorArgument> tensors = {};  // each gives the number at its place; a tensor of all stands alone
  std::vector<size_t> places = {};
  bool whole = false;

  static ListArgument take(nb::handle object);
  std::vector<T> read() const;
};
using NumbersArgument = ListArgument<int64_t>;
using SizesArgument = ListArgument<Size>;
struct ShapeArgument : SizesArgument {
  Shape read() const { return Shape(SizesArgument::read()); }
};

// ---- from what Python passes (Bound) to what is kept until the call (Held) to what the function takes

template <typename T>
struct Parameter {
  using Bound = T;
  using Held = T;
  static Held take(Bound value) { return value; }
};
template <>
struct Parameter<Tensor> {
  using Bound = Given;
  using Held = TensorArgument;
  static Held take(Given given) {
    if (is_symbol(given.object)) return {{}, given.object};
    return {tensor_of(given.object, {.as_input = true}), {}, is_variable(given.object) ? given.object : nb::handle()};
  }
};
template <>
struct Parameter<std::vector<Tensor>> {
  using Bound = Given;
  using Held = std::vector<TensorArgument>;
  static Held take(Given given);
};
template <>
struct Parameter<std::optional<Tensor>> {
  using Bound = Given;
  using Held = std::optional<TensorArgument>;
  static Held take(Given given) {
    if (given.object.is_none()) return {};
    return Parameter<Tensor>::take(given);
  }
};
template <>
struct Parameter<DType> {
  using Bound = Given;
  using Held = DType;
  static Held take(Given given) { return dtype_from(given.object); }
};
template <>
struct Parameter<std::optional<DType>> {
  using Bound = Given;
  using Held = std::optional<DType>;
  static Held take(Given given) {
    if (given.object.is_none()) return {};
    return dtype_from(given.object);
  }
};
template <>
struct Parameter<Shape> {
  using Bound = Given;
  using Held = ShapeArgument;
  static Held take(Given given) { return {SizesArgument::take(given.object)}; }
};
template <>
struct Parameter<int64_t> {
  using Bound = Given;
  using Held = IntegerArgument;
  static Held take(Given given) { return IntegerArgument::take(given.object); }
};
template <>
struct Parameter<std::vector<int64_t>> {
  using Bound = Given;
  using Held = NumbersArgument;
  static Held take(Given given) { return NumbersArgument::take(given.object); }
};
template <>
struct Parameter<std::vector<Size>> {
  using Bound = Given;
  using Held = SizesArgument;
  static Held take(Given given) { return SizesArgument::take(given.object); }
};
template <>
struct Parameter<Axes> {
  using Bound = Given;
  using Held = Axes;
  static Held take(Given given) { return axes_from(given.object); }
};

// ---- results

inline std::vector<Tensor> pack(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> pack(std::vector<Tensor> list) { return list; }
template <typename... T>
std::vector<Tensor> pack(std::tuple<T...> t) {
  return std::apply([](auto&&... x) { return std::vector<Tensor>{std::move(x)...}; }, std::move(t));
}
inline nb::object to_python(Tensor t) { return wrap(std::move(t)); }
nb::object to_python(std::vector<Tensor> list);  // a Python list
template <typename... T>
nb::object to_python(std::tuple<T...> t) {
  return std::apply([](auto&&... x) { return nb::make_tuple(wrap(std::move(x))...); }, std::move(t));
}
enum class ResultKind : uint8_t { one, list, tuple };
template <typename R>
inline constexpr ResultKind result_kind = ResultKind::tuple;
template <>
inline constexpr ResultKind result_kind<Tensor> = ResultKind::one;
template <>
inline constexpr ResultKind result_kind<std::vector<Tensor>> = ResultKind::list;

// ---- tensors among what is held

template <typename H, typename F>
void each_tensor(H& held, F&& f) {
  using T = std::remove_const_t<H>;
  if constexpr (std::is_same_v<T, TensorArgument>) f(held);
  else if constexpr (std::is_same_v<T, std::vector<TensorArgument>>)
    for (auto& one : held) f(one);
  else if constexpr (Late<T>)
    for (auto& one : held.tensors) f(one);
  else if constexpr (std::is_same_v<T, std::optional<TensorArgument>>)
    if (held) f(*held);
}
template <typename H>
decltype(auto) given_to(H& held) {
  using T = std::remove_const_t<H>;
  if constexpr (std::is_same_v<T, TensorArgument>) return static_cast<const Tensor&>(held.tensor);
  else if constexpr (std::is_same_v<T, std::vector<TensorArgument>>) {
    std::vector<Tensor> list;
    for (auto& one : held) list.push_back(one.tensor);
    return list;
  } else if constexpr (std::is_same_v<T, std::optional<TensorArgument>>) {
    return held ? std::optional<Tensor>(held->tensor) : std::optional<Tensor>();
  } else if constexpr (Late<T>) {
    return held.read();
  } else return static_cast<const T&>(held);
}

// A step of a functional model: `arguments` are all tensors and symbols, in order.
nb::object call_on_symbols(Deferred call, std::vector<TensorArgument> arguments, ResultKind results);

// Tells the journal of this thread what was called. Rare: one thread-local read when there is none.
void write_to_journal(Deferred call, const std::vector<TensorArgument>& arguments,
                      const std::vector<Tensor>& results);

// The tensors of the call are put in from a list, in order.
template <typename F, typename... H>
Deferred defer(F f, std::tuple<H...> held) {
  std::apply([](auto&... h) { (each_tensor(h, [](TensorArgument& a) { a = {}; }), ...); }, held);
  return [f, held](std::span<const Tensor> tensors) {
    auto mine = held;
    size_t i = 0;
    return std::apply(
        [&](auto&... h) {
          (each_tensor(h, [&](TensorArgument& a) { a.tensor = tensors[i++]; }), ...);
          return pack(f(given_to(h)...));
        },
        mine);
  };
}

// What happens inside of a step is none of the journal's business.
template <typename F>
auto without_journal(F&& f) {
  struct Pause {
    Journal* journal = std::exchange(current_journal, nullptr);
    ~Pause() { current_journal = journal; }
  } const pause;
  return f();
}

// What `call` makes of tensors, written down where there is a journal.
std::vector<Tensor> performed(const Deferred& call, const std::vector<Tensor>& inputs);

inline bool is_tracing() { return current_recording().kind != Recording::Kind::eager; }
// A few integers, computed: while a function is traced, what is made of such stays known too, so that sizes can be
// computed of sizes.
inline bool is_known_size(const TensorArgument& argument) {
  const Tensor& x = argument.tensor;
  return x.defined() && is_integer(x.dtype()) && x.shape().known() && x.size() <= 64 &&
         x.impl()->computed.load(std::memory_order_acquire);
}

template <typename H>
bool has_numbers(const H& held) {
  if constexpr (std::is_base_of_v<SizesArgument, H>) return std::ranges::all_of(held.list, &Size::known);
  else return true;
}

// kPure: false for what draws random numbers or has effects, and so is more than its arguments.
template <bool kPure = true, typename F, typename... H>
nb::object perform(const F& f, std::tuple<H...> held) {
  using R = decltype(std::apply([&](auto&... h) { return f(given_to(h)...); }, held));
  bool symbolic = false;
  std::apply([&](auto&... h) { (each_tensor(h, [&](auto& a) { symbolic |= a.symbol.ptr() != nullptr; }), ...); },
             held);
  auto arguments = [&] {
    std::vector<TensorArgument> list;
    std::apply([&](auto&... h) { (each_tensor(h, [&](auto& a) { list.push_back(a); }), ...); }, held);
    return list;
  };
  if (symbolic) [[unlikely]]
    return call_on_symbols(defer(f, held), arguments(), result_kind<R>);
  if (current_journal) [[unlikely]] {
    R result = without_journal([&] { return std::apply([&](auto&... h) { return f(given_to(h)...); }, held); });
    write_to_journal(defer(f, held), arguments(), pack(result));
    return to_python(std::move(result));
  }
  if (kPure && is_tracing()) [[unlikely]] {
    const std::vector<TensorArgument> all = arguments();
    const bool numbers = std::apply([](auto&... h) { return (has_numbers(h) && ...); }, held);
    if (numbers && !all.empty() && std::ranges::all_of(all, is_known_size)) {
      const nn::EagerScope eager;
      R result = std::apply([&](auto&... h) { return f(given_to(h)...); }, held);
      for (const Tensor& x : pack(result))
        if (x.defined()) read_array(x);
      return to_python(std::move(result));
    }
  }
  return to_python(std::apply([&](auto&... h) { return f(given_to(h)...); }, held));
}

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> {
  template <typename F, bool kPure = true>
  static auto bound(F f) {
    return [f](typename Parameter<std::decay_t<A>>::Bound... given, Given /*name*/) {
      return perform<kPure>(f, std::tuple{Parameter<std::decay_t<A>>::take(given)...});
    };
  }
};
template <typename R, typename... A>
struct Signature<R (*)(A...)> : Signature<R (Given::*)(A...) const> {};

// None reaches the conversion of an argument, which says what is wrong with it.
template <typename E>
decltype(auto) with_none(const E& extra) {
  if constexpr (requires { extra.none(); }) return extra.none();
  else return static_cast<const E&>(extra);
}

template <typename F, typename... Extra>
void define(nb::module_& m, const char* name, F f, const Extra&... extra) {
  m.def(name, Signature<F>::template bound<F>(f), with_none(extra)..., nb::arg("name") = nb::none());
}

// A function that draws random numbers: each call gives others.
template <typename F, typename... Extra>
void define_draw(nb::module_& m, const char* name, F f, const Extra&... extra) {
  m.def(name, Signature<F>::template bound<F, false>(f), with_none(extra)..., nb::arg("name") = nb::none());
}

// A function of two operands, each of which may say what the other becomes.
using Binary = Tensor (*)(const Tensor&, const Tensor&);
nb::object perform_binary(Binary f, nb::handle a, nb::handle b);

}  // namespace brio::python

namespace nanobind::detail {
template <>
struct type_caster<brio::python::Given> {
  NB_TYPE_CASTER(brio::python::Given, const_name("object"))
  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    value.object = source;
    return true;
  }
};
}  // namespace nanobind::detail
