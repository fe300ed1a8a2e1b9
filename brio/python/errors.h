// Exceptions on their way into Python.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <memory>

#include "brio/base/error.h"
#include "brio/python/interpreter_lock.h"

namespace brio::python {

// An exception of Python's that passes through C++ which lets errors of Brio's pass.
class PythonError : public Error {
 public:
  explicit PythonError(nanobind::python_error error)
      : Error(error.what()), error_(std::make_shared<nanobind::python_error>(std::move(error))) {}
  nanobind::python_error& error() const { return *error_; }

 private:
  std::shared_ptr<nanobind::python_error> error_;
};

// Sets Python's error from the exception that is being handled.
void set_python_error() noexcept;

// f's result, or `failed` with Python's error set: for slots, which nanobind does not guard.
template <typename R, typename F>
R guarded(R failed, F&& f) noexcept {
  try {
    return f();
  } catch (abi::__forced_unwind&) {
    stop_here();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

// Calls Python from C++ that traces for sizes that are not known: where a number is asked for, that comes back as
// what it was before it went through Python.
[[noreturn]] void rethrow_as_unknown_size(nanobind::python_error& error);
template <typename F>
auto traced_call(F&& f) {
  try {
    return f();
  } catch (nanobind::python_error& error) {
    rethrow_as_unknown_size(error);
  }
}

// Was data asked for that a trace does not have?
bool is_unknown_value(const nanobind::python_error& error);

void bind_errors(nanobind::module_& m);

}  // namespace brio::python
