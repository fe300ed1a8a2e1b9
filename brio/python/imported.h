// The Python modules that C++ asks for functions and classes: no other file names one.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace brio::python {

enum class Imported : uint8_t {
  atexit,
  builtins,
  inspect,
  sys,
  weakref,
  numpy,
  errors,            // the exceptions
  function,          // tf.function
  numpy_dtypes,      // how NumPy joins dtypes
  numpy_helpers,     // arrays, limits of dtypes, pickling
  shape,             // TensorShape
  variable_methods,  // what is assigned to parts of variables
};

nanobind::module_ imported(Imported which);

}  // namespace brio::python
