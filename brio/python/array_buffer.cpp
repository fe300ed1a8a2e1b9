#include "brio/python/array_buffer.h"

#include <cstring>

#include "brio/base/error.h"
#include "brio/python/convert.h"
#include "brio/python/errors.h"

namespace brio::python {
namespace {

// struct's letters, native byte order and alignment. NumPy's int64 is C's long: of two for a dtype, the first is
// given.
struct Letter {
  DType dtype;
  const char* format;
};
constexpr Letter kLetters[] = {{f64, "d"}, {f32, "f"},     {f16, "e"},         {i8, "b"},
                               {i16, "h"}, {i32, "i"},     {i64, "l"},         {u8, "B"},
                               {u16, "H"}, {u32, "I"},     {u64, "L"},         {i64, "q"},
                               {u64, "Q"}, {boolean, "?"}, {DType::c64, "Zf"}, {DType::c128, "Zd"}};

std::optional<DType> dtype_of_format(const char* format, Py_ssize_t size) {
  if (!format) return u8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;  // this machine's order
  for (const Letter& letter : kLetters)
    if (!std::strcmp(letter.format, format) && static_cast<Py_ssize_t>(size_of(letter.dtype)) == size)
      return letter.dtype;
  return {};
}

const char* format_of(DType dtype) {
  for (const Letter& letter : kLetters)
    if (letter.dtype == dtype) return letter.format;
  return nullptr;
}

struct Held {
  Py_buffer view{};
  bool held = false;
  ~Held() {
    if (held) PyBuffer_Release(&view);
  }
};

}  // namespace

std::optional<Array> copy_of_buffer(nb::handle object) {
  Held held;
  if (PyObject_GetBuffer(object.ptr(), &held.view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();  // such as an array of text, which exports none
    return {};
  }
  held.held = true;
  Py_buffer& view = held.view;  // Python 3.9 asks for one that is not const
  const auto dtype = dtype_of_format(view.format, view.itemsize);
  if (!dtype || view.suboffsets) return {};
  // A moment of NumPy's shows its bytes, which are no numbers.
  if (*dtype == u8)
    for (const char* moment : {"numpy.datetime64", "numpy.timedelta64"})
      if (std::strcmp(Py_TYPE(object.ptr())->tp_name, moment) == 0) return {};
  if (view.ndim > kMaxRank)
    throw InvalidArgument(
        cat("an array of ", view.ndim, " axes cannot become a tensor, which has at most ", kMaxRank));
  Shape shape;
  for (int i = 0; i < view.ndim; ++i) shape.push_back(view.shape[i]);
  Array array = Array::allocate({shape, *dtype});
  if (array.aval.bytes() == 0) return array;
  const bool large = view.len >= (1 << 20);
  std::optional<Unlocked> release;
  if (large && PyBuffer_IsContiguous(&view, 'C')) release.emplace();
  if (PyBuffer_IsContiguous(&view, 'C')) std::memcpy(array.data(), view.buf, static_cast<size_t>(view.len));
  else if (PyBuffer_ToContiguous(array.data(), &view, view.len, 'C') != 0) throw nb::python_error();
  return array;
}

namespace {
struct Exported {
  Array array;  // keeps the memory
  Py_ssize_t shape[kMaxRank], strides[kMaxRank];
};
}  // namespace

int export_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  view->obj = nullptr;
  return guarded(-1, [&] {
    const Tensor tensor = is_variable(self) ? nb::inst_ptr<Variable>(nb::handle(self))->value()
                                            : *nb::inst_ptr<Tensor>(nb::handle(self));
    const char* format = format_of(tensor.dtype());
    if (!format) {
      PyErr_SetString(PyExc_BufferError, cat("tensors of ", tensor.dtype(), " have no buffer; use numpy()").c_str());
      return -1;
    }
    if (flags & PyBUF_WRITABLE) {
      PyErr_SetString(PyExc_BufferError, "a tensor's memory is read-only; numpy() gives a copy");
      return -1;
    }
    auto exported = std::make_unique<Exported>();
    exported->array = read_array(tensor);
    if (!exported->array.buffer) {  // a host number: give it memory
      exported->array = Array::allocate(tensor.aval());
      std::memcpy(exported->array.data(), tensor.impl()->data(), tensor.aval().bytes());
    }
    exported->array.buffer->mark_exported();
    const Shape& shape = tensor.shape();
    const Strides strides = row_major(shape);
    const auto size = static_cast<Py_ssize_t>(size_of(tensor.dtype()));
    for (int i = 0; i < shape.rank(); ++i) {
      exported->shape[i] = shape[i];
      exported->strides[i] = strides[i] * size;
    }
    view->buf = exported->array.data();
    view->len = static_cast<Py_ssize_t>(tensor.aval().bytes());
    view->readonly = 1;
    view->itemsize = size;
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
    view->ndim = shape.rank();
    view->shape = exported->shape;
    view->strides = exported->strides;
    view->suboffsets = nullptr;
    view->internal = exported.release();
    view->obj = self;
    Py_INCREF(self);
    return 0;
  });
}

void release_buffer(PyObject*, Py_buffer* view) noexcept { delete static_cast<Exported*>(view->internal); }

}  // namespace brio::python
