#include "brio/python/quick_call.h"

#include <structmember.h>

#include <cstddef>

#include "brio/python/errors.h"

namespace brio::python {
namespace {

struct Quick {
  PyObject_HEAD vectorcallfunc call;
  PyObject* general;  // as it was bound
  Py_ssize_t arity;
  union {
    Unary unary;
    Binary binary;
    Reduction reduction;
  };
};

template <typename F>
PyObject* called(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names, F&& f) {
  auto* quick = reinterpret_cast<Quick*>(self);
  if (PyVectorcall_NARGS(nargsf) != quick->arity || (names && PyTuple_GET_SIZE(names) > 0))
    return PyObject_Vectorcall(quick->general, args, nargsf, names);
  return guarded<PyObject*>(nullptr, [&] { return f(*quick).release().ptr(); });
}

bool has_value(nb::handle h) { return is_tensor(h) || is_variable(h); }

PyObject* call_unary(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  return called(self, args, nargsf, names, [&](Quick& quick) {
    if (has_value(args[0]) && !current_journal && !is_tracing()) [[likely]]
      return wrap(quick.unary(tensor_of(args[0])));
    return perform([f = quick.unary](const Tensor& x) { return f(x); },
                   std::tuple{Parameter<Tensor>::take({args[0]})});
  });
}
PyObject* call_binary(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  return called(self, args, nargsf, names,
                [&](Quick& quick) { return perform_binary(quick.binary, args[0], args[1]); });
}
PyObject* call_reduction(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* names) {
  return called(self, args, nargsf, names, [&](Quick& quick) {
    if (has_value(args[0]) && !current_journal && !is_tracing()) [[likely]]
      return wrap(quick.reduction(tensor_of(args[0]), Axes(), false));
    return perform([f = quick.reduction](const Tensor& x) { return f(x, Axes(), false); },
                   std::tuple{Parameter<Tensor>::take({args[0]})});
  });
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  return PyObject_GetAttr(reinterpret_cast<Quick*>(self)->general, name);
}
PyObject* text(PyObject* self) { return PyObject_Repr(reinterpret_cast<Quick*>(self)->general); }
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<Quick*>(self)->general);
  return 0;
}
void destroy(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(reinterpret_cast<Quick*>(self)->general);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Quick, call), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_members, members},
                       {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                       {Py_tp_repr, reinterpret_cast<void*>(text)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                       {0, nullptr}};
PyType_Spec spec = {"brio._core.function", sizeof(Quick), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | _Py_TPFLAGS_HAVE_VECTORCALL, slots};

Quick& replace(nb::module_& m, const char* name, Py_ssize_t arity, vectorcallfunc call) {
  static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) throw nb::python_error();
  auto* quick = PyObject_GC_New(Quick, type);
  if (!quick) throw nb::python_error();
  quick->call = call;
  quick->general = nb::object(m.attr(name)).release().ptr();
  quick->arity = arity;
  m.attr(name) = nb::steal(reinterpret_cast<PyObject*>(quick));
  return *quick;
}

}  // namespace

void make_quick(nb::module_& m, const char* name, Unary f) { replace(m, name, 1, call_unary).unary = f; }
void make_quick(nb::module_& m, const char* name, Binary f) { replace(m, name, 2, call_binary).binary = f; }
void make_quick(nb::module_& m, const char* name, Reduction f) { replace(m, name, 1, call_reduction).reduction = f; }

}  // namespace brio::python
