// Between Python's objects and Brio's values.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <vector>

#include "brio/ir/tensor.h"
#include "brio/ops/control/variable.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/python/interpreter_lock.h"

namespace brio::python {

namespace nb = nanobind;

// Types that are made in this module; set when it is loaded.
struct Types {
  PyTypeObject *tensor, *variable, *symbol, *dtype;
  PyTypeObject* part;  // of a variable: a tensor that can be assigned to
};
extern Types types;

inline bool is_tensor(nb::handle object) {
  return Py_TYPE(object.ptr()) == types.tensor || Py_TYPE(object.ptr()) == types.part;
}
inline bool is_variable(nb::handle object) {
  return Py_TYPE(object.ptr()) == types.variable || PyType_IsSubtype(Py_TYPE(object.ptr()), types.variable);
}
inline bool is_symbol(nb::handle object) { return Py_TYPE(object.ptr()) == types.symbol; }

// A tensor from anything that is like one: tensors, variables, numbers, text, nested lists of them, NumPy's arrays
// and whatever has __array__. Numbers become int32 or float32 and arrays keep their dtype, unless one is given:
// `required` must be met, `preferred` gives way where a value has no such dtype. Throws what Python shows.
struct Wanted {
  std::optional<DType> required = {}, preferred = {};
  bool as_input = false;  // it goes to perform(): a journal sees it there, and need not know that it was taken
};
Tensor tensor_of(nb::handle object, const Wanted& wanted = {});
// Tensors of one expression: those that have a dtype say what the others become.
struct Operands {
  Tensor a, b;
};
Operands operands_of(nb::handle a, nb::handle b);
std::vector<Tensor> tensors_of(nb::handle sequence, const Wanted& wanted = {});
std::vector<Tensor> tensors_with_own_dtype(nb::handle sequence);  // each by itself
bool is_tensor_like(nb::handle object);                           // without looking inside

// A DType, TensorFlow's or NumPy's name of one, a NumPy dtype, or float, int, bool, str.
DType dtype_from(nb::handle object);
nb::object dtype_object(DType dtype);  // the one and only of its kind

// From a number, a sequence of numbers (also tensors of one), a TensorShape or a tensor. -1 and None are -1.
std::vector<int64_t> dims_from(nb::handle object);
// Numbers, or what is not known yet of a function that is traced: tensors that tf.shape gave, and what was made of
// them.
std::vector<Size> sizes_from(nb::handle object);
Size size_from(nb::handle object);
nb::object size_object(Size size);  // an integer, where it is known
Shape shape_from(nb::handle object);
nb::object shape_object(const Shape& shape);
nb::object shape_object(std::span<const int64_t> dims);  // -1 is None
int64_t integer_from(nb::handle object);                 // also from a tensor of one element
double double_from(nb::handle object);                   // whatever float() takes
Axes axes_from(nb::handle object);                       // None: all of them
int small_integer(int64_t value);                        // an error where it does not fit: never clamped
std::vector<int> axis_list_from(nb::handle object);

// A new reference from one of Python's functions, or the exception that it set.
inline nb::object owned(PyObject* made) {
  if (!made) throw nb::python_error();
  return nb::steal(made);
}

std::string shown(nb::handle object);     // its repr() for a message: short, and never an exception of its own
std::string text_for(nb::handle object);  // its str()

// What Python passed as what it has to be, or a TypeError that names both: nb::cast's own error names neither.
[[noreturn]] void refuse_given(nb::handle object, std::string_view wanted);
template <typename T>
constexpr std::string_view kWanted = "an object of another class";
template <>
inline constexpr std::string_view kWanted<std::string> = "a text";
template <>
inline constexpr std::string_view kWanted<bool> = "True or False";
template <>
inline constexpr std::string_view kWanted<int64_t> = "a whole number of 64 bits";
template <>
inline constexpr std::string_view kWanted<double> = "a number";
template <>
inline constexpr std::string_view kWanted<nb::dict> = "a dictionary";
template <>
inline constexpr std::string_view kWanted<nb::tuple> = "a tuple";
template <>
inline constexpr std::string_view kWanted<nb::bytes> = "bytes";
template <typename T>
inline constexpr std::string_view kWanted<std::vector<T>> = "a list";

template <typename T>
T given_as(nb::handle object) {
  try {
    return nb::cast<T>(object);
  } catch (const nb::cast_error&) {
    refuse_given(object, kWanted<T>);
  }
}

// What is asked for in numpy(): a copy, as an array or as a scalar of NumPy.
nb::object numpy_of(const Tensor& tensor);
// A view that must not be written to, where NumPy knows the dtype.
nb::object numpy_view(const Tensor& tensor);

nb::object variable_object(const Variable& variable);                    // the same one each time
void know_variable_object(const Variable& variable, nb::handle object);  // that variable_object() gives from now on
nb::object known_variable(const VariableImpl* variable);                 // the same, or None
nb::object wrap(Tensor tensor);                                          // "none" is None

// Keeps a Python object in a place that may be destroyed without the interpreter's lock.
std::shared_ptr<nb::object> kept(nb::object object);

// What Python does with tensors is told to the journal (journal.h) of this thread, where there is one.
class Journal;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Journal* current_journal;
void tell_journal_value(const Tensor& tensor);  // Python sees its value
void tell_journal_shape(const Tensor& tensor);
void tell_journal_taken(const Tensor& tensor);
void tell_journal_made(const Tensor& tensor);
Tensor value_of(const Variable& variable);  // which is read again in a replay
// v[key] of a variable, which can be assigned to.
nb::object part_of_variable(nb::handle variable, nb::handle key, nb::object made);

// False while a function is traced: the value is not there yet.
bool readable(const Tensor& tensor);
// Computes what is pending, without the interpreter's lock, which the caller may have or not.
const Array& read_array(const Tensor& tensor);

}  // namespace brio::python
