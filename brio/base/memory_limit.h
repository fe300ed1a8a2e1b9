// How many bytes this process may still take: what the machine has free, or its control group when that is less.
#pragma once

#include <cstdint>

namespace brio {

int64_t available_memory();

}  // namespace brio
