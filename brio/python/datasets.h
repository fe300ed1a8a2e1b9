// What the bindings of datasets share.
#pragma once

#include "brio/data/dataset.h"
#include "brio/python/bind.h"
#include "brio/python/nest.h"
#include "brio/python/replayed.h"

namespace brio::python {

// Of an example of an element, whose leaves are tensors.
data::Structure structure_of(const Nest& nest);
data::Structure structure_of(nb::handle example);

// The function for all threads, and whether it is traced.
data::ElementFunction element_function(const std::shared_ptr<Replayed>& function, bool traced);

inline std::optional<uint64_t> seed_from(nb::handle h) {
  if (h.is_none()) return {};
  return static_cast<uint64_t>(integer_from(h));
}

}  // namespace brio::python
