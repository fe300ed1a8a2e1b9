#include "brio/python/nest.h"

#include "brio/base/error.h"

namespace brio::python {
namespace {

bool is_number(PyObject* o) { return PyFloat_Check(o) || PyLong_Check(o); }
bool is_array(nb::handle h) {
  return PyObject_CheckBuffer(h.ptr()) && !PyBytes_Check(h.ptr()) && nb::hasattr(h, "dtype");
}

}  // namespace

Nest Nest::flatten(nb::handle h, std::vector<Tensor>& tensors, const Options& options) {
  Nest nest;
  PyObject* o = h.ptr();
  if (is_tensor(h)) {
    nest.kind_ = Kind::tensor;
    tensors.push_back(*nb::inst_ptr<Tensor>(h));
  } else if (PyList_Check(o) || PyTuple_Check(o)) {
    nest.kind_ = PyList_Check(o) ? Kind::list : Kind::tuple;
    if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o) && nb::hasattr(h, "_fields")) {
      nest.kind_ = Kind::named_tuple;
      nest.object_ = nb::borrow(h.type());
    }
    const OneDeeper deeper;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      nest.items_.push_back(flatten(PySequence_Fast_ITEMS(o)[i], tensors, options));
  } else if (PyDict_Check(o)) {
    nest.kind_ = Kind::dict;
    nest.order_ = nest.object_ = owned(PySequence_List(o));
    const nb::object sorted = owned(PySequence_List(o));
    if (PyList_Sort(sorted.ptr()) != 0) PyErr_Clear();  // keys that have no order stay as they are
    else nest.object_ = sorted;
    const OneDeeper deeper;
    for (nb::handle key : nest.object_)
      nest.items_.push_back(flatten(PyDict_GetItemWithError(o, key.ptr()), tensors, options));
  } else if (is_variable(h) ? options.variables  // not by its buffer: what is assigned to it is meant for it
                            : is_array(h) || (options.numbers && is_number(o))) {
    nest.kind_ = Kind::tensor;
    tensors.push_back(tensor_of(h));
  } else {
    nest.object_ = nb::borrow(h);
  }
  return nest;
}

nb::object Nest::unflatten(const std::vector<Tensor>& tensors) const {
  size_t next = 0;
  return unflatten(tensors, next);
}

nb::object Nest::unflatten(const std::vector<Tensor>& tensors, size_t& next) const {
  switch (kind_) {
    case Kind::tensor: BRIO_CHECK(next < tensors.size()); return wrap(tensors[next++]);
    case Kind::other: return object_;
    case Kind::dict: {
      nb::dict dict;
      if (!order_.is(object_))
        for (nb::handle key : order_) dict[key] = nb::none();
      size_t i = 0;
      for (nb::handle key : object_) dict[key] = items_[i++].unflatten(tensors, next);
      return dict;
    }
    case Kind::list: {
      nb::list list;
      for (const Nest& item : items_) list.append(item.unflatten(tensors, next));
      return list;
    }
    default: break;
  }
  nb::object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(items_.size())));
  for (size_t i = 0; i < items_.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), items_[i].unflatten(tensors, next).release().ptr());
  if (kind_ != Kind::named_tuple) return tuple;
  // As named tuples have it: nothing of a class's own comes between.
  return nb::hasattr(object_, "_make") ? nb::object(object_.attr("_make")(tuple)) : nb::object(object_(*tuple));
}

uint64_t Nest::hash() const {
  uint64_t hash = static_cast<uint64_t>(kind_) + 1;
  auto fold = [&](uint64_t word) { hash = (hash ^ word) * 0x9e3779b97f4a7c15ull + (hash >> 29); };
  if (object_.is_valid() && is_variable(object_)) {
    fold(reinterpret_cast<uintptr_t>(nb::inst_ptr<Variable>(object_)->impl().get()));
  } else if (object_.is_valid() && kind_ != Kind::dict) {  // keys of a dictionary are a list, which has none
    const Py_hash_t own = PyObject_Hash(object_.ptr());
    if (own == -1) PyErr_Clear();  // left to the comparison
    else fold(static_cast<uint64_t>(own));
  }
  fold(items_.size());
  for (const Nest& item : items_) fold(item.hash());
  return hash;
}

bool Nest::operator==(const Nest& other) const {
  if (kind_ != other.kind_ || items_.size() != other.items_.size()) return false;
  if (object_.is_valid() && object_.ptr() != other.object_.ptr()) {
    if (Py_TYPE(object_.ptr()) != Py_TYPE(other.object_.ptr())) return false;  // 1, 1.0 and True are three
    if (is_variable(object_))                                                  // several objects may stand for one
      return nb::inst_ptr<Variable>(object_)->impl() == nb::inst_ptr<Variable>(other.object_)->impl();
    const int same = PyObject_RichCompareBool(object_.ptr(), other.object_.ptr(), Py_EQ);
    if (same < 0) PyErr_Clear();
    if (same != 1) return false;
  }
  return items_ == other.items_;
}

}  // namespace brio::python
