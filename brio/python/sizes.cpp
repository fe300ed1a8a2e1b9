// Sizes as functions of the package compute with them: integers, or, while a function is traced for any size,
// expressions. Users see None in their place.
#include "brio/nn/module.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/known_sizes.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// What a size is computed with. Beside anything else the number counts that it is, which throws UnknownSize.
Size other(Size size, nb::handle h) {
  if (PyLong_Check(h.ptr()) || nb::isinstance<Size>(h)) return size_from(h);
  if (is_tensor(h))
    if (const auto sizes = known_sizes(tensor_of(h)); sizes && sizes->size() == 1) return sizes->front();
  return int64_t{size};
}

template <typename F>
auto binary(F f) {
  return [f](Size a, nb::handle b) { return size_object(f(a, other(a, b))); };
}
template <typename F>
auto reversed(F f) {
  return [f](Size b, nb::handle a) { return size_object(f(other(b, a), b)); };
}
template <typename F>
auto comparison(F f) {
  return [f](Size a, nb::handle b) { return f(a, size_from(b)); };
}

}  // namespace

nb::object size_object(Size size) {
  if (size.known()) return nb::int_(int64_t{size});
  nb::object made = nb::inst_alloc(nb::type<Size>());
  new (nb::inst_ptr<Size>(made)) Size(size);
  nb::inst_mark_ready(made);
  return made;
}

void bind_open_sizes(nb::module_& m) {
  constexpr auto add = [](Size a, Size b) { return a + b; };
  constexpr auto sub = [](Size a, Size b) { return a - b; };
  constexpr auto mul = [](Size a, Size b) { return a * b; };
  constexpr auto div = [](Size a, Size b) { return a / b; };
  constexpr auto mod = [](Size a, Size b) { return a % b; };
  nb::class_<Size>(m, "_Size")
      .def("__add__", binary(add))
      .def("__radd__", reversed(add))
      .def("__sub__", binary(sub))
      .def("__rsub__", reversed(sub))
      .def("__mul__", binary(mul))
      .def("__rmul__", reversed(mul))
      .def("__floordiv__", binary(div))
      .def("__rfloordiv__", reversed(div))
      .def("__mod__", binary(mod))
      .def("__neg__", [](Size a) { return size_object(Size(0) - a); })
      // As in C++: equal and unequal where it is so for every size; an order that depends on the size is an error.
      .def("__eq__",
           [](Size a, nb::handle b) {
             return (PyLong_Check(b.ptr()) || nb::isinstance<Size>(b)) && a == size_from(b);
           })
      .def("__ne__",
           [](Size a, nb::handle b) {
             return !(PyLong_Check(b.ptr()) || nb::isinstance<Size>(b)) || a != size_from(b);
           })
      .def("__lt__", comparison([](Size a, Size b) { return a < b; }))
      .def("__le__", comparison([](Size a, Size b) { return a <= b; }))
      .def("__gt__", comparison([](Size a, Size b) { return a > b; }))
      .def("__ge__", comparison([](Size a, Size b) { return a >= b; }))
      .def("__hash__", [](Size a) { return a.word(); })
      .def("__index__", [](Size a) { return int64_t{a}; })
      .def("__truediv__", [](Size a, nb::handle) { return static_cast<double>(int64_t{a}); })  // throws, both
      .def("__rtruediv__", [](Size a, nb::handle) { return static_cast<double>(int64_t{a}); })
      .def("__float__", [](Size a) { return static_cast<double>(int64_t{a}); })
      .def("__bool__", [](Size a) { return a > 0; })
      .def("__repr__", &Size::str)
      .def("__tf_tensor__", [](Size a, nb::args, nb::kwargs) { return wrap(size_number(a, i32)); });
  m.def(
      "_sizes",
      [](Given x) {
        nb::list sizes;
        for (const Size size : tensor_of(x.object, {.as_input = true}).shape()) sizes.append(size_object(size));
        return nb::tuple(sizes);
      },
      nb::arg("x"));
  // Whatever the sizes are: what functions refuse.
  m.def("_surely_less", [](Given a, Given b) { return surely_less(size_from(a.object), size_from(b.object)); });
  m.def(
      "_size_symbol", [](uint32_t number) { return size_object(Size::unknown(number)); }, nb::arg("number"));
  // The sizes that a list or a tensor holds.
  m.def("_sizes_from", [](Given sizes) {
    nb::list all;
    for (const Size size : sizes_from(sizes.object)) all.append(size_object(size));
    return all;
  });
  // A tensor of integers that are these sizes.
  m.def(
      "_sizes_tensor",
      [](Given sizes, Given dtype, Given shape) {
        const std::vector<Size> all = sizes_from(sizes.object);
        const auto made = [&] {
          return reshape(sizes_tensor(all, dtype_from(dtype.object)), shape_from(shape.object));
        };
        if (!std::ranges::all_of(all, &Size::known)) return wrap(made());
        const nn::EagerScope eager;  // numbers are read where they are asked for
        Tensor numbers = made();
        read_array(numbers);
        return wrap(numbers);
      },
      nb::arg("sizes"), nb::arg("dtype"), nb::arg("shape"));
  // What it holds, in a row, where each is known as a number or an expression; else None.
  m.def(
      "_known_sizes",
      [](Given x) -> nb::object {
        const auto sizes = known_sizes(tensor_of(x.object));
        if (!sizes) return nb::none();
        nb::list all;
        for (const Size size : *sizes) all.append(size_object(size));
        return nb::tuple(all);
      },
      nb::arg("x"));
  // Is it known, as numbers or expressions, while a function is traced?
  m.def("_is_size", [](Given x) { return is_tensor(x.object) && known_sizes(tensor_of(x.object)).has_value(); });
}

}  // namespace brio::python
