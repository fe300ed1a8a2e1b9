#include "brio/python/convert.h"
#include "brio/profile/recorder.h"

#include <climits>
#include <cmath>
#include <cstring>

#include "brio/base/error.h"
#include "brio/ir/shapes_only.h"
#include "brio/nn/module.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/known_sizes.h"
#include "brio/ops/strings/strings.h"
#include "brio/python/array_buffer.h"
#include "brio/python/imported.h"
#include "brio/python/operation.h"
#include "brio/python/user_line.h"
#include "brio/tensor/strings.h"

namespace brio::python {

Types types;

namespace {

std::string class_of(nb::handle object) { return nb::type_name(object.type()).c_str(); }

// TensorFlow raises TypeError or ValueError, as the case may be: this one is both.
[[noreturn]] void raise_conversion_error(const std::string& text) {
  const nb::object type = imported(Imported::errors).attr("ConversionError");
  PyErr_SetString(type.ptr(), text.c_str());
  throw nb::python_error();
}

[[noreturn]] void refuse(nb::handle object) {
  raise_conversion_error(cat("a value of type ", class_of(object),
                             " cannot become a tensor; pass a number, a string, a list of them or an array"));
}

// The items of anything that can be walked through. Whatever its code raises reaches the caller.
nb::object list_of(nb::handle sequence) {
  nb::object list = nb::steal(PySequence_List(sequence.ptr()));
  if (list.is_valid()) return list;
  if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
    PyErr_Clear();
    throw ResourceError(cat("a ", class_of(sequence), " has more items than there is memory for"));
  }
  throw nb::python_error();
}

Tensor cast_now(const Tensor& x, DType dtype) {
  const nn::EagerScope eager;
  Tensor y = cast(x, dtype);
  read_array(y);
  return y;
}

// As asked for: an integer array may become float, a float array no integer that it was not asked to be.
Tensor of_wanted(Tensor x, const Wanted& wanted) {
  if (wanted.required && x.dtype() != *wanted.required) return cast_now(x, *wanted.required);
  if (wanted.preferred && x.dtype() != *wanted.preferred && is_real(x.dtype()) && is_real(*wanted.preferred) &&
      (is_floating(*wanted.preferred) || !is_floating(x.dtype())))
    return cast_now(x, *wanted.preferred);
  return x;
}

// ---- nested lists

enum Leaf : uint8_t { kBool = 1, kInt = 2, kReal = 4, kComplexNumber = 8, kText = 16, kOther = 32 };

struct Nested {
  Shape shape;
  uint8_t leaves = 0;  // which kinds there are
  bool wide = false;   // an integer past int32
  bool ended = false;  // a leaf or an empty list was met: it has no more axes
};

Leaf leaf_kind(PyObject* o) {
  if (PyBool_Check(o)) return kBool;
  if (PyLong_CheckExact(o)) return kInt;
  if (PyFloat_CheckExact(o)) return kReal;
  if (PyComplex_CheckExact(o)) return kComplexNumber;
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return kText;
  return kOther;
}

bool is_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

[[noreturn]] void refuse_ragged(const Nested& nested, int depth, int64_t size) {
  throw InvalidArgument(cat("a list of lists must be rectangular to become a tensor, but at depth ", depth,
                            " lists of ", nested.shape[depth], " and of ", size,
                            " elements meet; pad the short ones, or use tf.ragged.constant"));
}

[[noreturn]] void refuse_depth() {
  throw InvalidArgument(cat("lists are nested deeper than ", kMaxRank, ", which is as many axes as a tensor has"));
}

// A list may hold itself.
void check_depth(PyObject* o, int depth) {
  if (!is_sequence(o)) return;
  if (depth >= kMaxRank) refuse_depth();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) check_depth(PySequence_Fast_ITEMS(o)[i], depth + 1);
}

void measure(PyObject* o, int depth, Nested& nested) {
  if (!is_sequence(o)) {
    const Leaf kind = leaf_kind(o);
    nested.leaves |= kind;
    if (kind == kInt) {
      int overflow = 0;
      const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
      nested.wide |= overflow != 0 || value > INT32_MAX || value < INT32_MIN;
    }
    nested.ended = true;
    if (kind != kOther && nested.shape.rank() != depth) refuse_ragged(nested, depth, 0);
    return;
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  if (depth == nested.shape.rank()) {
    if (depth >= kMaxRank) refuse_depth();
    if (nested.ended)
      throw InvalidArgument(cat("a list of lists must be rectangular to become a tensor, but at depth ", depth,
                                " values and lists stand side by side; pad, or use tf.ragged.constant"));
    nested.shape.push_back(n);
    nested.ended = n == 0;
  } else if (nested.shape[depth] != n) {
    refuse_ragged(nested, depth, n);
  }
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    measure(items[i], depth + 1, nested);
    if (nested.leaves & kOther) return;
  }
}

template <typename F>
void each_leaf(PyObject* o, F&& f) {
  if (!is_sequence(o)) return f(o);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) each_leaf(PySequence_Fast_ITEMS(o)[i], f);
}

int64_t to_int64(PyObject* o) {
  const long long value = PyLong_AsLongLong(o);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

Scalar scalar_of(PyObject* o) {
  if (PyBool_Check(o)) return o == Py_True;
  if (PyLong_Check(o)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow > 0) {
      const unsigned long long big = PyLong_AsUnsignedLongLong(o);
      if (!PyErr_Occurred()) return static_cast<uint64_t>(big);
      PyErr_Clear();
    }
    if (overflow) throw InvalidArgument(cat(shown(o), " is past the largest integer, of 64 bits"));
    return static_cast<int64_t>(value);
  }
  return double_from(o);
}

DType default_dtype(uint8_t leaves, bool wide) {
  if (leaves & kComplexNumber) return DType::c128;
  if (leaves & kReal) return f32;
  if (leaves & kInt) return wide ? i64 : i32;
  return leaves & kBool ? boolean : f32;  // [] is float32
}

// Does every leaf have a value of this dtype? As TensorFlow: 1 and True may be 1.0, 1.5 is no integer, 1 is no bool.
bool leaves_fit(uint8_t leaves, DType dtype) {
  if (dtype == DType::string) return (leaves & ~kText) == 0;
  if (leaves & kText) return false;
  if (leaves & kComplexNumber) return is_complex(dtype);
  if (leaves & kReal) return is_floating(dtype) || is_complex(dtype);
  return !(leaves & kInt) || dtype != boolean;
}

DType choose(const Wanted& wanted, uint8_t leaves, bool wide) {
  if (wanted.required) {
    if (!leaves_fit(leaves, *wanted.required))
      throw nb::type_error(cat("values of Python's ",
                               leaves & kText   ? "str"
                               : leaves & kReal ? "float"
                                                : "int",
                               " do not fit a tensor of ", *wanted.required,
                               "; leave the dtype out, or convert them first")
                               .c_str());
    return *wanted.required;
  }
  if (leaves & kText) return DType::string;
  if (wanted.preferred && leaves_fit(leaves, *wanted.preferred)) return *wanted.preferred;
  return default_dtype(leaves, wide);
}

std::string_view text_of(PyObject* o) {
  if (PyBytes_Check(o)) return {PyBytes_AS_STRING(o), static_cast<size_t>(PyBytes_GET_SIZE(o))};
  if (!PyUnicode_Check(o)) raise_conversion_error("text and numbers cannot be mixed in one tensor");
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(o, &size);
  if (!text) throw nb::python_error();
  return {text, static_cast<size_t>(size)};
}

// Python's True is 1 where numbers are wanted, as in TensorFlow.
uint64_t bits_of(PyObject* o, DType dtype) {
  if (PyBool_Check(o) && dtype != boolean) return Scalar(int64_t{o == Py_True}).bits_as(dtype);
  return scalar_of(o).bits_as(dtype);
}

Tensor fill(PyObject* o, const Nested& nested, DType dtype) {
  const Shape& shape = nested.shape;
  if (dtype == DType::string) {
    StringWriter writer;
    each_leaf(o, [&](PyObject* leaf) { writer.add(text_of(leaf)); });
    return Tensor(writer.finish(shape));
  }
  Array array = Array::allocate({shape, dtype});
  char* at = static_cast<char*>(array.data());
  const size_t size = size_of(dtype);
  each_leaf(o, [&](PyObject* leaf) {
    if (dtype == f32 && PyFloat_CheckExact(leaf)) {
      const auto value = static_cast<float>(PyFloat_AS_DOUBLE(leaf));
      std::memcpy(at, &value, 4);
    } else if (is_complex(dtype)) {
      const Py_complex c = PyComplex_AsCComplex(leaf);
      const std::complex<double> value(c.real, c.imag);
      const std::complex<float> narrow(value);
      std::memcpy(at, dtype == DType::c128 ? static_cast<const void*>(&value) : &narrow, size);
    } else {
      const uint64_t bits = bits_of(leaf, dtype);
      std::memcpy(at, &bits, size);
    }
    at += size;
  });
  return Tensor(std::move(array));
}

// The dtype that something in a list brings along, however deep.
std::optional<DType> dtype_inside(PyObject* o) {
  if (is_tensor(o)) return nb::inst_ptr<Tensor>(nb::handle(o))->dtype();
  if (is_variable(o)) return nb::inst_ptr<Variable>(nb::handle(o))->dtype();
  if (!is_sequence(o)) return {};
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
    if (const auto dtype = dtype_inside(PySequence_Fast_ITEMS(o)[i])) return dtype;
  return {};
}

Tensor from_sequence(nb::handle object, const Wanted& wanted) {
  Nested nested;
  measure(object.ptr(), 0, nested);
  if (!(nested.leaves & kOther)) return fill(object.ptr(), nested, choose(wanted, nested.leaves, nested.wide));
  check_depth(object.ptr(), 0);
  Wanted items = wanted;
  items.as_input = true;
  const auto inside = dtype_inside(object.ptr());
  // As TensorFlow: tensors in a list become the dtype that is asked for, where a tensor by itself is refused.
  const bool casts = inside && wanted.required && *inside != *wanted.required && *inside != DType::string &&
                     *wanted.required != DType::string;
  if (casts) items.required = inside;
  else if (inside && !wanted.required) items.preferred = inside;
  const Tensor made = performed(
      [](std::span<const Tensor> x) {
        return std::vector<Tensor>{stack({x.begin(), x.end()})};
      },
      tensors_of(object, items))[0];
  return casts ? cast(made, *wanted.required) : made;
}

// ---- NumPy

Tensor from_array(nb::handle array, const Wanted& wanted);

// Arrays that the buffer protocol cannot describe, or not as one of our dtypes: text, objects, bfloat16, the other
// order of bytes.
Tensor from_odd_array(nb::handle array, const Wanted& wanted) {
  const nb::object dtype = array.attr("dtype");
  const auto kind = given_as<std::string>(dtype.attr("kind"));
  if (kind == "U" || kind == "S" || kind == "O") {
    const nb::object list = array.attr("tolist")();
    if (is_sequence(list.ptr())) return from_sequence(list, wanted);
    return tensor_of(list, wanted);
  }
  if (given_as<std::string>(dtype.attr("name")) == "bfloat16") {
    const Tensor bits = tensor_of(array.attr("view")("uint16"));
    Array same = read_array(bits);
    same.aval.dtype = bf16;
    return of_wanted(Tensor(same), wanted);
  }
  if (!given_as<bool>(dtype.attr("isnative")) && dtype.attr("names").is_none())
    return from_array(array.attr("astype")(dtype.attr("newbyteorder")("=")), wanted);
  raise_conversion_error(
      cat("arrays of ", text_for(dtype),
          " cannot become tensors, which hold numbers, truth values and text; convert with astype() "
          "first, times to numbers since a date of your choice"));
}

Tensor from_array(nb::handle array, const Wanted& wanted) {
  if (std::optional<Array> copy = copy_of_buffer(array)) return of_wanted(Tensor(std::move(*copy)), wanted);
  if (nb::hasattr(array, "dtype")) return from_odd_array(array, wanted);
  refuse(array);
}

}  // namespace

bool is_tensor_like(nb::handle h) {
  PyObject* o = h.ptr();
  return is_tensor(h) || is_variable(h) || PyFloat_Check(o) || PyLong_Check(o) || is_sequence(o) ||
         PyObject_CheckBuffer(o) || PyComplex_Check(o) || PyUnicode_Check(o) || nb::hasattr(h, "__array__");
}

Tensor tensor_of(nb::handle h, const Wanted& wanted) {
  PyObject* o = h.ptr();
  if (is_tensor(h) || is_variable(h)) {
    Tensor x = is_tensor(h) ? *nb::inst_ptr<Tensor>(h) : value_of(*nb::inst_ptr<Variable>(h));
    if (current_journal && !wanted.as_input) [[unlikely]]
      tell_journal_taken(x);
    if (wanted.required && x.dtype() != *wanted.required)
      throw InvalidArgument(cat("a tensor of ", x.dtype(), " was given where ", *wanted.required,
                                " is asked for; use tf.cast(x, tf.", *wanted.required, ")"));
    return x;
  }
  if (PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o)) {
    const Leaf kind = leaf_kind(o);
    const Scalar value = scalar_of(o);
    const bool wide = kind == kInt && (value.integer() > INT32_MAX || value.integer() < INT32_MIN);
    const DType dtype = choose(wanted, kind, wide);
    if (is_complex(dtype)) return fill(o, {}, dtype);
    return host_scalar(bits_of(o, dtype), dtype);
  }
  if (is_sequence(o)) return from_sequence(h, wanted);
  if (PyUnicode_Check(o) || PyBytes_Check(o)) {
    choose(wanted, kText, false);
    return string_tensor(text_of(o));
  }
  if (PyObject_CheckBuffer(o)) return from_array(h, wanted);
  if (is_symbol(h))
    throw nb::type_error(
        "a symbol of a functional model stands for values that are not there yet; this function needs values");
  if (PyComplex_Check(o)) return fill(o, {}, choose(wanted, kComplexNumber, false));
  if (PyLong_Check(o)) return tensor_of(nb::int_(h), wanted);  // a class of the user's
  if (PyFloat_Check(o)) return tensor_of(nb::float_(h), wanted);
  if (nb::hasattr(h, "__tf_tensor__")) return tensor_of(h.attr("__tf_tensor__")(), wanted);
  if (nb::hasattr(h, "__array__")) {
    const nb::object array = imported(Imported::numpy).attr("asarray")(h);
    // A class has __array__ too, and is no array: NumPy puts what it cannot read into one, as it is.
    if (!PyObject_CheckBuffer(array.ptr()) || array.attr("dtype").attr("hasobject").is(nb::handle(Py_True))) {
      const nb::object list = nb::getattr(array, "tolist", nb::none());
      if (list.is_none() || !is_sequence(nb::object(list()).ptr())) refuse(h);
    }
    return from_array(array, wanted);
  }
  if (PyObject_HasAttrString(o, "__len__") && PyObject_HasAttrString(o, "__getitem__") && !PyDict_Check(o))
    return from_sequence(list_of(h), wanted);
  refuse(h);
}

namespace {

// The dtype that an object brings along, if it does.
std::optional<DType> own_dtype(nb::handle h) {
  if (is_tensor(h)) return nb::inst_ptr<Tensor>(h)->dtype();
  if (is_variable(h)) return nb::inst_ptr<Variable>(h)->value().dtype();
  return {};
}

}  // namespace

Operands operands_of(nb::handle a, nb::handle b) {
  if (const auto dtype = own_dtype(a))
    return {tensor_of(a, {.as_input = true}), tensor_of(b, {.preferred = dtype, .as_input = true})};
  if (const auto dtype = own_dtype(b))
    return {tensor_of(a, {.preferred = dtype, .as_input = true}), tensor_of(b, {.as_input = true})};
  // An array says what a number becomes, on either side.
  if (!PyObject_CheckBuffer(a.ptr()) && PyObject_CheckBuffer(b.ptr())) {
    const Tensor y = tensor_of(b);
    return {tensor_of(a, {.preferred = y.dtype()}), y};
  }
  Tensor x = tensor_of(a);
  Tensor y = tensor_of(b, {.preferred = x.dtype()});
  if (y.dtype() != x.dtype()) x = tensor_of(a, {.preferred = y.dtype()});  // 1 + 1.5
  return {x, y};
}

std::vector<Tensor> tensors_of(nb::handle sequence, const Wanted& given) {
  Wanted wanted = given;
  if (is_tensor(sequence) || is_variable(sequence) || PyObject_CheckBuffer(sequence.ptr()))
    return performed([](std::span<const Tensor> x) { return unstack(x[0]); },
                     {tensor_of(sequence, {wanted.required, wanted.preferred, true})});
  const nb::object list = list_of(sequence);
  if (!wanted.required && !wanted.preferred)
    for (nb::handle item : list)
      if ((wanted.preferred = own_dtype(item))) break;
  std::vector<Tensor> tensors;
  for (nb::handle item : list) {
    tensors.push_back(tensor_of(item, wanted));
    if (!wanted.required && !wanted.preferred) wanted.preferred = tensors.back().dtype();
  }
  return tensors;
}

std::vector<Tensor> tensors_with_own_dtype(nb::handle sequence) {
  std::vector<Tensor> tensors;
  for (nb::handle item : nb::iter(sequence)) tensors.push_back(tensor_of(item));
  return tensors;
}

int64_t integer_from(nb::handle h) {
  if (PyLong_Check(h.ptr())) return to_int64(h.ptr());
  if (is_tensor(h) || is_variable(h)) {
    const Tensor x = tensor_of(h);
    if (x.size() != 1 || !is_integer(x.dtype()))
      throw InvalidArgument(
          cat("one integer is asked for, but the tensor has shape ", x.shape(), " and dtype ", x.dtype()));
    return integer_at(read_array(x).data(), x.dtype(), 0);
  }
  const nb::object index = owned(PyNumber_Index(h.ptr()));
  return to_int64(index.ptr());
}

double double_from(nb::handle h) {
  const double value = PyFloat_AsDouble(h.ptr());
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

namespace {

// The sizes that a traced tensor holds; none where they are not known.
std::vector<Size> open_sizes(const Tensor& x) {
  if (auto sizes = known_sizes(x)) return *std::move(sizes);
  std::vector<Size> sizes;
  if (ShapesOnly::lacks_data(x) && is_integer(x.dtype()) && x.shape().known() && x.size() <= kMaxRank)
    while (sizes.size() < static_cast<size_t>(x.size())) sizes.push_back(ShapesOnly::decided_by_data());
  return sizes;
}

}  // namespace

Size size_from(nb::handle h) {
  if (PyLong_Check(h.ptr())) return integer_from(h);
  if (nb::isinstance<Size>(h)) return *nb::inst_ptr<Size>(h);
  if (is_tensor(h) && is_tracing())
    if (const auto sizes = open_sizes(tensor_of(h)); sizes.size() == 1) return sizes.front();
  return integer_from(h);
}

namespace {

template <typename T>
std::vector<T> list_from(nb::handle h) {
  if (PyLong_Check(h.ptr())) return {integer_from(h)};
  if (PyUnicode_Check(h.ptr()) || PyBytes_Check(h.ptr())) refuse_given(h, "a list of whole numbers");
  if (is_tensor(h) || is_variable(h) || (!is_sequence(h.ptr()) && PyObject_CheckBuffer(h.ptr()))) {
    const Tensor x = tensor_of(h);
    if (x.rank() > 1 || !is_integer(x.dtype()))
      throw InvalidArgument(
          cat("sizes are a list of integers, but got a tensor of shape ", x.shape(), " and dtype ", x.dtype()));
    if (is_tracing() && !readable(x))
      if (const auto sizes = open_sizes(x); !sizes.empty()) return {sizes.begin(), sizes.end()};
    const Array& array = read_array(x);
    std::vector<T> all;
    for (int64_t i = 0; i < x.size(); ++i) all.push_back(integer_at(array.data(), x.dtype(), i));
    return all;
  }
  constexpr Py_ssize_t kMost = 1 << 27;  // a range may be longer than any memory
  if (const Py_ssize_t n = PyObject_LengthHint(h.ptr(), 0); n < 0) throw nb::python_error();
  else if (n > kMost) throw InvalidArgument(cat("a list of integers is asked for, but got one of ", n, " of them"));
  std::vector<T> all;
  for (nb::handle item : nb::iter(h)) {
    if (item.is_none()) all.push_back(-1);
    else if constexpr (std::is_same_v<T, Size>) all.push_back(size_from(item));
    else all.push_back(integer_from(item));
  }
  return all;
}

}  // namespace

std::vector<Size> sizes_from(nb::handle h) { return list_from<Size>(h); }
std::vector<int64_t> dims_from(nb::handle h) { return list_from<int64_t>(h); }
Shape shape_from(nb::handle h) { return Shape(sizes_from(h)); }

int small_integer(int64_t value) {
  if (!std::in_range<int>(value))
    throw InvalidArgument(
        cat(value, " does not fit: an integer between ", INT_MIN, " and ", INT_MAX, " is asked for"));
  return static_cast<int>(value);
}

std::vector<int> axis_list_from(nb::handle h) {
  std::vector<int> axes;
  for (const int64_t axis : dims_from(h)) axes.push_back(small_integer(axis));
  return axes;
}

namespace {

std::string utf8_of(const nb::object& text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!bytes) throw nb::python_error();
  return {bytes, static_cast<size_t>(size)};
}

}  // namespace

std::string shown(nb::handle object) {
  constexpr size_t kMost = 300;
  std::string text;
  try {
    text = utf8_of(owned(PyObject_Repr(object.ptr())));
  } catch (nb::python_error& e) {  // its repr() fails: the message is still about something else
    if (!e.matches(PyExc_Exception)) throw;
    text = cat("an object of class ", class_of(object));
  }
  if (text.size() > kMost) text = text.substr(0, kMost) + "…";
  return text;
}
std::string text_for(nb::handle object) { return utf8_of(owned(PyObject_Str(object.ptr()))); }

void refuse_given(nb::handle object, std::string_view wanted) {
  PyErr_Clear();  // of the attempt
  throw nb::type_error(cat(wanted, " is asked for, but got ", shown(object), " (", class_of(object), ")").c_str());
}

Axes axes_from(nb::handle h) { return h.is_none() ? Axes() : Axes(axis_list_from(h)); }

nb::object wrap(Tensor tensor) {
  if (!tensor.defined()) return nb::none();
  if (current_journal) [[unlikely]]
    tell_journal_made(tensor);
  nb::object object = nb::inst_alloc(types.tensor);
  new (nb::inst_ptr<Tensor>(object)) Tensor(std::move(tensor));
  nb::inst_mark_ready(object);
  return object;
}

bool readable(const Tensor& tensor) {
  const TensorImpl* impl = tensor.impl();
  if (impl->computed.load(std::memory_order_acquire)) return true;
  const Recording* home = impl->recording.load(std::memory_order_acquire);
  return home && home->kind == Recording::Kind::eager;
}

const Array& read_array(const Tensor& tensor) {
  if (current_journal) [[unlikely]]
    tell_journal_value(tensor);
  const bool computed = tensor.impl() && tensor.impl()->computed.load(std::memory_order_acquire);
  const bool from_python = PyGILState_Check() != 0;
  if (from_python && profile::is_recording_steps()) {
    static LineCounter lines(profile::NameKind::read_line);
    lines.count();
  }
  struct Told {  // when it is read, the program goes on with it
    bool from_python;
    ~Told() {
      if (from_python) profile::value_read();
    }
  } told{from_python};
  if (computed || !from_python) return tensor.array();
  const Unlocked release;
  return tensor.array();
}

// A class of the Python part: TensorShape is a tuple that knows TensorFlow's methods.
static nb::object shape_of(size_t rank, auto item) {
  nb::object list = owned(PyTuple_New(static_cast<Py_ssize_t>(rank)));
  for (size_t i = 0; i < rank; ++i)
    PyTuple_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), nb::object(item(i)).release().ptr());
  static PyObject* const make = nb::object(imported(Imported::shape).attr("TensorShape")).release().ptr();
  return nb::handle(make)(list);
}
nb::object shape_object(std::span<const int64_t> dims) {
  return shape_of(dims.size(), [&](size_t i) { return dims[i] < 0 ? nb::none() : nb::object(nb::int_(dims[i])); });
}
nb::object shape_object(const Shape& shape) {
  const bool expressions = ShapesOnly::shows_expressions();
  return shape_of(static_cast<size_t>(shape.rank()), [&](size_t i) {
    const Size size = shape[static_cast<int>(i)];
    return expressions || size.known() ? size_object(size) : nb::none();
  });
}

}  // namespace brio::python
