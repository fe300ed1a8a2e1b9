// For tests: a clock that goes on when they say so.
#pragma once

#include <cstdint>

namespace brio::profile::detail {

// Where even_counter (clock.h) is false, this thread reads its time from here.
extern constinit thread_local const uint64_t* test_clock;

}  // namespace brio::profile::detail
