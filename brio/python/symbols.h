// Operators of symbols, as configs name them.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>

namespace brio::python {

namespace nb = nanobind;

// The result of an operator of symbols, which a config calls by this name of Keras'; none: it cannot be written to
// one.
nb::object described(nb::object made, const char* name, std::initializer_list<nb::handle> arguments);

}  // namespace brio::python
