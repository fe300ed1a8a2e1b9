#include "brio/python/parameters.h"

#include "brio/base/error.h"

namespace brio::python {

Scalar scalar_from(nb::handle h) {
  PyObject* o = h.ptr();
  if (PyBool_Check(o)) return o == Py_True;
  if (PyLong_Check(o)) return integer_from(h);
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  const Tensor x = tensor_of(h);
  if (x.size() != 1 || !is_real(x.dtype()))
    throw InvalidArgument(
        cat("one number is asked for, but the tensor has shape ", x.shape(), " and dtype ", x.dtype()));
  const Array& array = read_array(x);
  const void* data = array.buffer ? array.data() : x.impl()->data();
  if (is_integer(x.dtype())) return integer_at(data, x.dtype(), 0);
  const nb::object number = owned(PyNumber_Float(wrap(x).ptr()));
  return PyFloat_AS_DOUBLE(number.ptr());
}

std::vector<TensorArgument> alike(std::initializer_list<nb::handle> objects) {
  Wanted wanted{.as_input = true};
  for (nb::handle h : objects) {
    if (is_symbol(h)) wanted.preferred = nb::inst_ptr<nn::Symbol>(h)->dtype();
    else if (is_tensor(h)) wanted.preferred = nb::inst_ptr<Tensor>(h)->dtype();
    else if (is_variable(h)) wanted.preferred = nb::inst_ptr<Variable>(h)->value().dtype();
    if (wanted.preferred) break;
  }
  // An array, then a float, before an integer.
  if (!wanted.preferred)
    for (nb::handle h : objects)
      if (PyObject_CheckBuffer(h.ptr()) && !PyBytes_Check(h.ptr())) wanted.preferred = tensor_of(h).dtype();
  if (!wanted.preferred)
    for (nb::handle h : objects) {
      const DType dtype = tensor_of(h).dtype();
      if (!wanted.preferred || (is_integer(*wanted.preferred) && is_floating(dtype))) wanted.preferred = dtype;
    }
  std::vector<TensorArgument> list;
  for (nb::handle h : objects)
    list.push_back(is_symbol(h) ? TensorArgument{{}, h}
                                : TensorArgument{tensor_of(h, wanted), {}, is_variable(h) ? h : nb::handle()});
  return list;
}

std::vector<Padding> paddings_from(const Tensor& x) {
  if (x.rank() != 2 || x.shape()[1] != 2 || !is_integer(x.dtype()))
    throw InvalidArgument(cat("paddings are pairs of integers, one for each axis, but got shape ", x.shape(),
                              " and dtype ", x.dtype()));
  const Array& array = read_array(x);
  std::vector<Padding> paddings;
  for (int64_t i = 0; i < x.shape()[0]; ++i)
    paddings.push_back({integer_at(array.data(), x.dtype(), 2 * i), integer_at(array.data(), x.dtype(), 2 * i + 1)});
  return paddings;
}
std::vector<TensorArgument> one_or_many(nb::handle h) {
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr())) return Parameter<std::vector<Tensor>>::take({h});
  return {Parameter<Tensor>::take({h})};
}

}  // namespace brio::python
