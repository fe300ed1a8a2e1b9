// Exceptions on their way into Python.
#pragma once

#include <nanobind/nanobind.h>

namespace brio::python {

// Sets Python's error from the exception that is being handled.
void set_python_error() noexcept;

// f's result, or `failed` with Python's error set: for slots, which nanobind does not guard.
template <typename R, typename F>
R guarded(R failed, F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

void bind_errors(nanobind::module_& m);

}  // namespace brio::python
