// x[…] with TensorFlow's meaning, and with NumPy's where TensorFlow refuses: lists and arrays of indices, masks.
#pragma once

#include "brio/python/convert.h"

namespace brio::python {

nb::object index(nb::handle self, nb::handle key);  // a tensor, a variable or a symbol

}  // namespace brio::python
