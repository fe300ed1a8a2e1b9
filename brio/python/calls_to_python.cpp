// Every call from C++ that may run Python code passes here, nanobind's too: the linker puts __wrap_NAME in NAME's
// place (cmake/BrioPython.cmake reads the rows below). A daemon thread that Python ends in such a call is unwound,
// and destructors of Python objects in our frames would run without the interpreter's lock. Since 3.14 Python itself
// stops such threads where they are instead; here older ones do. 3.9 and 3.10 define PyObject_Vectorcall in a header:
// their calls by it do not pass here.
#include <cxxabi.h>

#include "brio/python/interpreter_lock.h"

namespace {

template <typename Call>
auto or_stop(const Call& call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    brio::python::stop_here();
  }
}

}  // namespace

// Weak: not every version of Python has them all.
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
#define BRIO_CALLS(result, name, parameters, arguments)                  \
  extern "C" result __real_##name parameters __attribute__((weak));      \
  extern "C" result __wrap_##name parameters;                            \
  extern "C" result __wrap_##name parameters {                           \
    return or_stop([&]() -> result { return __real_##name arguments; }); \
  }

using Object = PyObject*;

// clang-format off: a table
BRIO_CALLS(Object, PyObject_Vectorcall, (Object f, Object const* a, size_t n, Object names), (f, a, n, names))
BRIO_CALLS(Object, PyObject_VectorcallMethod, (Object f, Object const* a, size_t n, Object names), (f, a, n, names))
BRIO_CALLS(Object, PyVectorcall_Call, (Object f, Object arguments, Object named), (f, arguments, named))
BRIO_CALLS(Object, PyObject_GetAttr, (Object x, Object name), (x, name))
BRIO_CALLS(Object, PyObject_GetAttrString, (Object x, const char* name), (x, name))
BRIO_CALLS(int, PyObject_SetAttr, (Object x, Object name, Object value), (x, name, value))
BRIO_CALLS(int, PyObject_SetAttrString, (Object x, const char* name, Object value), (x, name, value))
BRIO_CALLS(int, PyObject_HasAttr, (Object x, Object name), (x, name))
BRIO_CALLS(int, PyObject_HasAttrString, (Object x, const char* name), (x, name))
BRIO_CALLS(int, _PyObject_LookupAttr, (Object x, Object name, Object* found), (x, name, found))
BRIO_CALLS(int, PyObject_GetOptionalAttr, (Object x, Object name, Object* found), (x, name, found))
BRIO_CALLS(Object, PyObject_GetItem, (Object x, Object key), (x, key))
BRIO_CALLS(int, PyObject_SetItem, (Object x, Object key, Object value), (x, key, value))
BRIO_CALLS(Object, PySequence_GetItem, (Object x, Py_ssize_t i), (x, i))
BRIO_CALLS(Object, PySequence_Fast, (Object x, const char* error), (x, error))
BRIO_CALLS(Object, PySequence_List, (Object x), (x))
BRIO_CALLS(Object, PySequence_Tuple, (Object x), (x))
BRIO_CALLS(Py_ssize_t, PySequence_Size, (Object x), (x))
BRIO_CALLS(Py_ssize_t, PyObject_Size, (Object x), (x))
BRIO_CALLS(Py_ssize_t, PyObject_LengthHint, (Object x, Py_ssize_t otherwise), (x, otherwise))
BRIO_CALLS(Object, PyObject_GetIter, (Object x), (x))
BRIO_CALLS(Object, PyIter_Next, (Object x), (x))
BRIO_CALLS(Object, PyObject_Str, (Object x), (x))
BRIO_CALLS(Object, PyObject_Repr, (Object x), (x))
BRIO_CALLS(Object, PyObject_Format, (Object x, Object how), (x, how))
BRIO_CALLS(Py_hash_t, PyObject_Hash, (Object x), (x))
BRIO_CALLS(int, PyObject_IsTrue, (Object x), (x))
BRIO_CALLS(int, PyObject_RichCompareBool, (Object a, Object b, int how), (a, b, how))
BRIO_CALLS(Object, PyNumber_Float, (Object x), (x))
BRIO_CALLS(Object, PyNumber_Index, (Object x), (x))
BRIO_CALLS(Object, PyNumber_Long, (Object x), (x))
BRIO_CALLS(double, PyFloat_AsDouble, (Object x), (x))
BRIO_CALLS(long long, PyLong_AsLongLong, (Object x), (x))
BRIO_CALLS(long long, PyLong_AsLongLongAndOverflow, (Object x, int* overflow), (x, overflow))
BRIO_CALLS(Py_complex, PyComplex_AsCComplex, (Object x), (x))
BRIO_CALLS(int, PyObject_GetBuffer, (Object x, Py_buffer* view, int flags), (x, view, flags))
BRIO_CALLS(int, PyList_Sort, (Object x), (x))
BRIO_CALLS(int, PyDict_Update, (Object into, Object from), (into, from))
BRIO_CALLS(int, PyErr_CheckSignals, (), ())
BRIO_CALLS(int, PyErr_WarnEx, (Object category, const char* message, Py_ssize_t level), (category, message, level))
BRIO_CALLS(Object, PyEval_EvalCode, (Object code, Object globals, Object locals), (code, globals, locals))
BRIO_CALLS(Object, PyImport_ImportModule, (const char* name), (name))
BRIO_CALLS(void, _Py_Dealloc, (Object x), (x))
// clang-format on
// NOLINTEND(bugprone-reserved-identifier)
