// Where tensors of Python are.
#pragma once

#include <string>

#include "brio/ir/tensor.h"

namespace brio::python {

// "/job:localhost/replica:0/task:0/device:GPU:0"; "" for a value of a trace that was put nowhere.
std::string device_of(const Tensor& x);
// A value from the host that is made inside of tf.device: there.
Tensor in_scope(Tensor x);

}  // namespace brio::python
