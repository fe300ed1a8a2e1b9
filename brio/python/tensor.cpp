// tf.Tensor.
#include <cstring>

#include "brio/base/error.h"
#include "brio/nn/mask.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/strings/strings.h"
#include "brio/python/array_buffer.h"
#include "brio/python/bind.h"
#include "brio/python/devices.h"
#include "brio/python/errors.h"
#include "brio/python/imported.h"
#include "brio/python/indexing.h"
#include "brio/python/operators.h"
#include "brio/python/symbols.h"
#include "brio/tensor/strings.h"

namespace brio::python {
namespace {

// ---- number slots: one function serves x + y whichever side the tensor is on

bool takes_part(nb::handle h) { return is_symbol(h) || is_tensor_like(h); }

template <Binary F>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    if (!takes_part(a) || !takes_part(b)) Py_RETURN_NOTIMPLEMENTED;
    return perform_binary(F, a, b).release().ptr();
  });
}
template <Tensor (*F)(const Tensor&)>
PyObject* unary(PyObject* x) noexcept {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    nb::object made = perform([](const Tensor& t) { return F(t); }, std::tuple{Parameter<Tensor>::take(Given{x})});
    if (is_symbol(x)) [[unlikely]]
      made = described(std::move(made), F == neg ? "Negative" : F == brio::abs ? "Absolute" : nullptr, {x});
    return made.release().ptr();
  });
}

PyObject* raised(PyObject* a, PyObject* b, PyObject* modulo) noexcept {
  if (modulo != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow() of tensors takes no modulus");
    return nullptr;
  }
  return binary<power>(a, b);
}
PyObject* positive(PyObject* x) noexcept { return nb::borrow(x).release().ptr(); }

PyObject* compare(PyObject* a, PyObject* b, int what) noexcept {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    if (!takes_part(b)) {
      if (what == Py_EQ) Py_RETURN_FALSE;
      if (what == Py_NE) Py_RETURN_TRUE;
      Py_RETURN_NOTIMPLEMENTED;
    }
    constexpr Binary kCompare[] = {less, less_equal, equal, not_equal, greater, greater_equal};
    return perform_binary(kCompare[what], a, b).release().ptr();
  });
}

// Whoever asks for it looks at its shape, and says so where it reads the value.
Tensor self_of(PyObject* self) {
  Tensor x = tensor_of(self, {.as_input = true});
  if (current_journal) [[unlikely]]
    tell_journal_shape(x);
  return x;
}
nb::object shape_seen(const Tensor& x) {
  if (current_journal) [[unlikely]]
    tell_journal_shape(x);
  return shape_object(x.shape());
}

// The only element, as Python's own number.
nb::object item(const Tensor& x, const char* what) {
  if (x.size() != 1)
    throw nb::type_error(cat(what, " needs a tensor of one element, but this one has shape ", x.shape()).c_str());
  read_array(x);
  const void* data = x.impl()->data();
  if (is_complex(x.dtype()) || x.dtype() == DType::string) return numpy_of(x).attr("item")();
  return visit(x.dtype(), [&](auto t) -> nb::object {
    using T = decltype(t);
    T value;
    std::memcpy(static_cast<void*>(&value), data, sizeof(T));
    if constexpr (std::is_same_v<T, bool>) return nb::bool_(value);
    else if constexpr (std::is_integral_v<T>) return nb::int_(value);
    else return nb::float_(static_cast<double>(value));
  });
}

int truth(PyObject* self) noexcept {
  return guarded(-1, [&] {
    const Tensor x = self_of(self);
    if (x.size() != 1)
      throw InvalidArgument(
          cat("the truth of a tensor of shape ", x.shape(), " is not one bool; use tf.reduce_any or tf.reduce_all"));
    if (x.dtype() == DType::string) return static_cast<int>(!string_at(read_array(x), 0).empty());
    return PyObject_IsTrue(item(x, "bool()").ptr());
  });
}
PyObject* as_float(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return PyNumber_Float(item(self_of(self), "float()").ptr()); });
}
PyObject* as_int(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&] { return PyNumber_Long(item(self_of(self), "int()").ptr()); });
}
PyObject* as_index(PyObject* self) noexcept {
  return guarded<PyObject*>(nullptr, [&]() -> PyObject* {
    const Tensor x = self_of(self);
    if (!is_integer(x.dtype()) || x.rank() != 0)
      throw nb::type_error(cat("only integer scalars can be used as an index, but the tensor has shape ", x.shape(),
                               " and dtype ", x.dtype())
                               .c_str());
    return item(x, "an index").release().ptr();
  });
}

Py_ssize_t length(PyObject* self) noexcept {
  return guarded<Py_ssize_t>(-1, [&]() -> Py_ssize_t {
    const Tensor x = self_of(self);
    if (x.rank() == 0) throw nb::type_error("a scalar tensor has no len()");
    return x.shape()[0];
  });
}
PyObject* row(PyObject* self, Py_ssize_t at) noexcept {  // of a loop over the tensor
  return guarded<PyObject*>(nullptr, [&] { return index(self, nb::int_(at)).release().ptr(); });
}
PyObject* subscript(PyObject* self, PyObject* key) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    nb::object made = index(self, key);
    if (is_symbol(self)) [[unlikely]]
      made = described(std::move(made), "GetItem", {self, key});
    if (is_variable(self)) made = part_of_variable(self, key, std::move(made));
    return made.release().ptr();
  });
}

#define SLOT(id, f) \
  { id, reinterpret_cast<void*>(f) }
}  // namespace

// What tensors and symbols both do.
#define OPERATORS                                                                                                  \
  SLOT(Py_nb_add, binary<plus>), SLOT(Py_nb_subtract, binary<sub>), SLOT(Py_nb_multiply, binary<mul>),             \
      SLOT(Py_nb_true_divide, binary<true_divide>), SLOT(Py_nb_floor_divide, binary<floordiv>),                    \
      SLOT(Py_nb_remainder, binary<floormod>), SLOT(Py_nb_power, raised),                                          \
      SLOT(Py_nb_matrix_multiply, binary<product>), SLOT(Py_nb_and, binary<both>), SLOT(Py_nb_or, binary<either>), \
      SLOT(Py_nb_xor, binary<one_of>), SLOT(Py_nb_negative, unary<neg>), SLOT(Py_nb_positive, positive),           \
      SLOT(Py_nb_absolute, unary<brio::abs>), SLOT(Py_nb_invert, unary<invert>), SLOT(Py_tp_richcompare, compare), \
      SLOT(Py_mp_subscript, subscript)

PyType_Slot value_slots[] = {OPERATORS,
                             SLOT(Py_nb_bool, truth),
                             SLOT(Py_nb_float, as_float),
                             SLOT(Py_nb_int, as_int),
                             SLOT(Py_nb_index, as_index),
                             SLOT(Py_mp_length, length),
                             SLOT(Py_sq_length, length),
                             SLOT(Py_sq_item, row),
                             SLOT(Py_bf_getbuffer, export_buffer),
                             SLOT(Py_bf_releasebuffer, release_buffer),
                             {0, nullptr}};
PyType_Slot symbol_slots[] = {OPERATORS, {0, nullptr}};
#undef OPERATORS
#undef SLOT

namespace {

nb::object as_strings(const Tensor& x) {
  const Array& array = read_array(x);
  if (x.rank() == 0) {
    const auto text = string_at(array, 0);
    return nb::bytes(text.data(), text.size());
  }
  nb::list flat;
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto text = string_at(array, i);
    flat.append(nb::bytes(text.data(), text.size()));
  }
  return imported(Imported::numpy_helpers).attr("of_bytes")(flat, shape_object(x.shape()));
}

Tensor restored(const std::string& dtype, nb::handle dims, nb::handle values) {
  const DType d = dtype_from_name(dtype);
  if (d == DType::string) return tensor_of(values, {.required = d});
  const auto bytes = given_as<nb::bytes>(values);
  const Aval aval{shape_from(dims), d};
  if (bytes.size() != aval.bytes())
    throw InvalidArgument("a pickled tensor is damaged: its bytes do not fill its shape");
  return Tensor::from_bytes(bytes.c_str(), aval);
}

}  // namespace

nb::object numpy_view(const Tensor& x) {
  if (x.dtype() == DType::string) return as_strings(x);
  read_array(x);  // here, where an error is told: NumPy would ask __array__ where the buffer cannot be had
  static PyObject* const asarray = nb::object(imported(Imported::numpy).attr("asarray")).release().ptr();
  if (x.dtype() == bf16) {
    Array bits = read_array(x);
    bits.aval.dtype = u16;
    return imported(Imported::numpy_helpers).attr("from_bfloat16_bits")(nb::handle(asarray)(wrap(Tensor(bits))));
  }
  return nb::handle(asarray)(wrap(x));
}

nb::object numpy_of(const Tensor& x) {
  if (x.dtype() == DType::string) return as_strings(x);
  const nb::object view = numpy_view(x);
  return x.rank() == 0 ? nb::object(view[nb::tuple()]) : nb::object(view.attr("copy")());
}

// tf.experimental.numpy.experimental_enable_numpy_behavior(): operands of different dtypes become what NumPy says.
namespace {
bool joins_dtypes = false;

void join_dtypes(Tensor& x, Tensor& y) {
  const DType joined =
      dtype_from(imported(Imported::numpy_dtypes).attr("joined")(dtype_object(x.dtype()), dtype_object(y.dtype())));
  x = cast(x, joined);
  y = cast(y, joined);
}
}  // namespace

namespace {
// Of the class that Keras writes an operator of symbols as; null where it has none.
const char* name_in_keras(Binary f) {
  constexpr std::pair<Binary, const char*> kNames[] = {{plus, "Add"},
                                                       {sub, "Subtract"},
                                                       {mul, "Multiply"},
                                                       {true_divide, "TrueDivide"},
                                                       {floordiv, "FloorDivide"},
                                                       {floormod, "Mod"},
                                                       {power, "Power"},
                                                       {product, "Matmul"},
                                                       {less, "Less"},
                                                       {less_equal, "LessEqual"},
                                                       {equal, "Equal"},
                                                       {not_equal, "NotEqual"},
                                                       {greater, "Greater"},
                                                       {greater_equal, "GreaterEqual"}};
  for (const auto& [function, name] : kNames)
    if (function == f) return name;
  return nullptr;
}

// x ** 2 costs a twentieth of a power, and so does its gradient.
bool is_two(nb::handle h) {
  if (PyFloat_CheckExact(h.ptr())) return PyFloat_AS_DOUBLE(h.ptr()) == 2;
  int overflow = 0;
  return PyLong_CheckExact(h.ptr()) && PyLong_AsLongAndOverflow(h.ptr(), &overflow) == 2;
}
}  // namespace

nb::object perform_binary(Binary f, nb::handle a, nb::handle b) {
  if (is_symbol(a) || is_symbol(b)) [[unlikely]] {
    auto side = [](nb::handle h, nb::handle other) -> TensorArgument {
      if (is_symbol(h)) return {{}, h};
      return {tensor_of(h, {.preferred = nb::inst_ptr<nn::Symbol>(other)->dtype()}),
              {},
              is_variable(h) ? h : nb::handle()};
    };
    return described(perform(f, std::tuple{side(a, b), side(b, a)}), name_in_keras(f), {a, b});
  }
  auto [x, y] = operands_of(a, b);
  if (joins_dtypes && x.dtype() != y.dtype()) [[unlikely]]
    join_dtypes(x, y);
  if (f == power && is_two(b) && (is_integer(x.dtype()) || is_floating(x.dtype()) || is_complex(x.dtype())))
    return perform([](const Tensor& t) { return square(t); }, std::tuple{TensorArgument{x, {}}});
  if (current_journal || is_tracing()) [[unlikely]]
    return perform(f, std::tuple{TensorArgument{x, {}}, TensorArgument{y, {}}});
  return wrap(f(x, y));
}

void bind_tensor(nb::module_& m) {
  nb::class_<Tensor> type(m, "Tensor", nb::type_slots(value_slots), nb::is_weak_referenceable(),
                          "An immutable array of elements of one dtype, which may not be computed yet.");
  types.tensor = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro("shape", shape_seen, "The sizes of its axes.")
      .def_prop_ro(
          "dtype", [](const Tensor& x) { return dtype_object(x.dtype()); }, "The type of its elements.")
      .def_prop_ro(
          "ndim", [](nb::handle self) { return self_of(self.ptr()).rank(); }, "How many axes it has.")
      .def_prop_ro(
          "device", [](const Tensor& x) { return device_of(x); },
          "Where it is: '/job:localhost/replica:0/task:0/device:CPU:0'.")
      .def_prop_ro("_keras_mask", [](const Tensor& x) { return wrap(nn::mask_of(x)); })
      .def("get_shape", shape_seen, "The sizes of its axes.")
      .def(
          "set_shape",
          [](const Tensor& x, Given shape) {
            const std::vector<int64_t> dims = dims_from(shape.object);
            bool same = static_cast<int>(dims.size()) == x.rank();
            for (int i = 0; same && i < x.rank(); ++i)
              same = dims[static_cast<size_t>(i)] < 0 || dims[static_cast<size_t>(i)] == x.shape()[i];
            if (!same)
              throw InvalidArgument(cat("[set_shape] the tensor has shape ", x.shape(), ", which is another"));
          },
          "Checks that the shape is this one; a size may be None.")
      .def(
          "numpy", [](const Tensor& x) { return numpy_of(x); },
          "The values as a NumPy array of its own, or as a NumPy scalar.")
      .def(
          "__array__",
          [](const Tensor& x, nb::object dtype, nb::object copy) {
            nb::object view = numpy_view(x);
            if (!dtype.is_none()) return nb::object(view.attr("astype")(dtype));
            if (!copy.is_none() && given_as<bool>(copy)) return nb::object(view.attr("copy")());
            return view;
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("__repr__",
           [](const Tensor& x) {
             if (!readable(x)) return cat("<tf.Tensor: shape=", x.shape(), ", dtype=", x.dtype(), ", traced>");
             return cat("<tf.Tensor: shape=", x.shape(), ", dtype=", x.dtype(), ", numpy=",
                        given_as<std::string>(imported(Imported::numpy_helpers).attr("text_of")(numpy_view(x))), ">");
           })
      .def("__str__",
           [](const Tensor& x) {
             if (current_journal) tell_journal_value(x);
             return readable(x) ? x.str() : cat("Tensor(shape=", x.shape(), ", dtype=", x.dtype(), ", traced)");
           })
      .def("__format__",
           [](const Tensor& x, const std::string& how) -> nb::object {
             if (how.empty()) return nb::str(wrap(x));
             return owned(PyObject_Format(numpy_of(x).ptr(), nb::str(how.c_str()).ptr()));
           })
      .def("__iter__",
           [](nb::handle self) {
             if (self_of(self.ptr()).rank() == 0) throw nb::type_error("a scalar tensor cannot be iterated over");
             return owned(PySeqIter_New(self.ptr()));
           })
      .def(
          "ref", [](nb::handle self) { return imported(Imported::numpy_helpers).attr("Reference")(self); },
          "A key for sets and dicts: tensors themselves compare element by element.")
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def("__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); })
      .def("__reduce__", [](const Tensor& x) {
        const nb::object make = imported(Imported::numpy_helpers).attr("restored");
        nb::object values;
        if (x.dtype() == DType::string) values = as_strings(x).attr("tolist")();
        else {
          read_array(x);
          values = nb::bytes(static_cast<const char*>(x.impl()->data()), x.aval().bytes());
        }
        return nb::make_tuple(make,
                              nb::make_tuple(std::string(info(x.dtype()).name), shape_object(x.shape()), values));
      });
  type.attr("__array_priority__") = 100;
  type.attr("__hash__") = nb::none();
  m.def("_join_dtypes", [](bool on) { joins_dtypes = on; });
  m.def("_restored", [](const std::string& dtype, nb::handle dims, nb::handle values) {
    return wrap(restored(dtype, dims, values));
  });
  m.def(
      "convert_to_tensor",
      [](Given value, Given dtype, Given dtype_hint, Given) -> nb::object {
        if (is_symbol(value.object)) return nb::borrow(value.object);
        Wanted wanted{.as_input = true};
        if (!dtype.object.is_none()) wanted.required = dtype_from(dtype.object);
        else if (!dtype_hint.object.is_none()) wanted.preferred = dtype_from(dtype_hint.object);
        if (is_tensor(value.object) && !wanted.required) return nb::borrow(value.object);
        return wrap(in_scope(tensor_of(value.object, wanted)));
      },
      nb::arg("value"), nb::arg("dtype") = nb::none(), nb::arg("dtype_hint") = nb::none(),
      nb::arg("name") = nb::none(), "A tensor of a number, a list, an array, a variable or a tensor.");
  m.def(
      "is_tensor", [](Given x) { return is_tensor(x.object) || is_variable(x.object) || is_symbol(x.object); },
      nb::arg("x").none(), "Is this a tensor, a variable or a symbol of a model?");
}

}  // namespace brio::python
