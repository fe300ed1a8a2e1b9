// The parts of an element that is kept for a while (in a window, a cache, a state), and their bytes.
#pragma once

#include <vector>

#include "brio/data/engine/element.h"
#include "brio/data/engine/state.h"

namespace brio::data {

using Parts = std::vector<Array>;

Parts parts_of(const Element& element);                 // share its memory
Parts copy_parts(const Element& element, Owner owner);  // with their own memory
void share_parts(const Parts& parts, Element& out);
int64_t bytes_of(const Parts& parts);

// Rows [begin, end) along axis 0; they share the memory.
Array rows_of(const Array& array, int64_t begin, int64_t end);

void write_parts(const Parts& parts, StateWriter& to);
// Throw InvalidArgument if the bytes are not parts, or not the expected number.
Parts read_parts(StateReader& from);
Parts read_parts(StateReader& from, size_t expected);

}  // namespace brio::data
