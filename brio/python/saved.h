// Traces of functions, as Python holds them.
#pragma once

#include <memory>

#include "brio/runtime/saved_trace.h"

namespace brio::python {

struct SharedTrace {
  std::shared_ptr<const SavedTrace> trace;
};

}  // namespace brio::python
