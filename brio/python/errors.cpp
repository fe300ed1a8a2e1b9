#include "brio/python/errors.h"

#include <stdexcept>
#include <typeinfo>

#include "brio/base/error.h"
#include "brio/base/interrupt.h"
#include "brio/formats/data_error.h"
#include "brio/formats/file.h"
#include "brio/python/imported.h"
#include "brio/python/interpreter_lock.h"

namespace brio::python {
namespace {

// Classes of brio.errors, by name; they are made there.
PyObject* error_class(const char* name) {
  nanobind::object found = imported(Imported::errors).attr(name);
  return found.release().ptr();
}

}  // namespace

void set_python_error() noexcept {
  try {
    throw;
  } catch (nanobind::python_error& e) {
    e.restore();
  } catch (const PythonError& e) {
    e.error().restore();
  } catch (const Interrupted& e) {  // the check threw a KeyboardInterrupt, or what a handler of the user's raised
    // Or nobody walks on over the pipeline whose thread this is: the code of the user's that walks over another one
    // in it ends as a generator does that is closed.
    if (!e.why()) return PyErr_SetNone(PyExc_GeneratorExit);
    try {
      std::rethrow_exception(e.why());
    } catch (...) {
      set_python_error();
    }
  } catch (const nanobind::builtin_exception& e) {
    switch (e.type()) {
      case nanobind::exception_type::stop_iteration: PyErr_SetString(PyExc_StopIteration, e.what()); break;
      case nanobind::exception_type::index_error: PyErr_SetString(PyExc_IndexError, e.what()); break;
      case nanobind::exception_type::key_error: PyErr_SetString(PyExc_KeyError, e.what()); break;
      case nanobind::exception_type::value_error: PyErr_SetString(PyExc_ValueError, e.what()); break;
      case nanobind::exception_type::type_error: PyErr_SetString(PyExc_TypeError, e.what()); break;
      case nanobind::exception_type::attribute_error: PyErr_SetString(PyExc_AttributeError, e.what()); break;
      default: PyErr_SetString(PyExc_RuntimeError, e.what());
    }
  } catch (const formats::DataError& e) {
    static PyObject* const type = error_class("DataLossError");
    PyErr_SetString(type, e.what());
  } catch (const UnknownSize& e) {
    static PyObject* const type = error_class("_UnknownSizeError");
    PyErr_SetString(type, e.what());
  } catch (const UnknownValue& e) {
    static PyObject* const type = error_class("_UnknownValueError");
    PyErr_SetString(type, e.what());
  } catch (const InvalidArgument& e) {
    static PyObject* const type = error_class("InvalidArgumentError");
    PyErr_SetString(type, e.what());
  } catch (const formats::FileNotFound& e) {
    static PyObject* const type = error_class("NotFoundError");
    PyErr_SetString(type, e.what());
  } catch (const ResourceError& e) {
    static PyObject* const type = error_class("ResourceExhaustedError");
    PyErr_SetString(type, e.what());
  } catch (const Error& e) {
    static PyObject* const type = error_class("InternalError");
    PyErr_SetString(type, e.what());
  } catch (const std::bad_alloc&) {
    static PyObject* const type = error_class("ResourceExhaustedError");
    PyErr_SetString(type, "there is not enough memory left for this call; make batches or tensors smaller");
  } catch (const std::length_error&) {
    static PyObject* const type = error_class("ResourceExhaustedError");
    PyErr_SetString(type, "this call asks for more memory than an address can name");
  } catch (const std::bad_cast&) {
    PyErr_SetString(PyExc_TypeError, "an argument is of a type that this function does not take");
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception of an unknown kind");
  }
}

void rethrow_as_unknown_size(nanobind::python_error& error) {
  static PyObject* const type = error_class("_UnknownSizeError");
  if (!error.matches(type)) throw;
  throw UnknownSize(nanobind::cast<std::string>(nanobind::str(error.value())));
}

bool is_unknown_value(const nanobind::python_error& error) {
  static PyObject* const type = error_class("_UnknownValueError");
  return error.matches(type);
}

void bind_errors(nanobind::module_&) {
  static const unsigned long main_thread = PyThread_get_thread_ident();
  set_interrupt_check([] {
    if (PyThread_get_thread_ident() != main_thread) return;  // Python handles signals there alone
    const Locked locked;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  });
  nanobind::register_exception_translator(
      [](const std::exception_ptr& p, void*) {
        try {
          std::rethrow_exception(p);
        } catch (const Error&) {
          set_python_error();
        } catch (const Interrupted&) {
          set_python_error();
        } catch (const std::bad_alloc&) {
          set_python_error();
        } catch (const std::length_error&) {
          set_python_error();
        } catch (const std::bad_cast&) {
          set_python_error();
        }
      },
      nullptr);
}

}  // namespace brio::python
