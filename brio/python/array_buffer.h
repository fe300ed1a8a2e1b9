// Memory shared with Python: the buffer protocol both ways.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "brio/ir/tensor.h"

namespace brio::python {

// A dense copy of what an object exports; none where its elements are of no dtype of ours.
std::optional<Array> copy_of_buffer(nanobind::handle object);

// Slots of the type Tensor: it exports its memory, read-only.
int export_buffer(PyObject* self, Py_buffer* view, int flags) noexcept;
void release_buffer(PyObject* self, Py_buffer* view) noexcept;

}  // namespace brio::python
