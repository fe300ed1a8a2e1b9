// Sizes as functions of the package compute with them: integers, or, while a function is traced for any size,
// expressions. Users see None in their place.
#include "brio/ops/elementwise.h"
#include "brio/ops/known_sizes.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

template <typename F>
auto binary(F f) {
  return [f](Size a, nb::handle b) { return size_object(f(a, size_from(b))); };
}
template <typename F>
auto reversed(F f) {
  return [f](Size b, nb::handle a) { return size_object(f(size_from(a), b)); };
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
  // Is it known, as numbers or expressions, while a function is traced?
  m.def("_is_size", [](Given x) { return is_tensor(x.object) && known_sizes(tensor_of(x.object)).has_value(); });
}

}  // namespace brio::python
