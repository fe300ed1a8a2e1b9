// Time stamps that cost some nanoseconds: the processor's counter if it runs evenly, otherwise the system's
// clock.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace brio::profile {

namespace detail {
extern bool even_counter;  // the processor's counter runs at one rate on all cores
uint64_t system_ns();
}  // namespace detail

inline uint64_t ticks() {
#if defined(__x86_64__)
  if (detail::even_counter) [[likely]]
    return __rdtsc();
#endif
  return detail::system_ns();
}

double seconds_per_tick();  // measured since the program began; it becomes more exact with time
inline double seconds_of(uint64_t ticks) { return static_cast<double>(ticks) * seconds_per_tick(); }

uint64_t loaded_at();          // when this library was loaded, in ticks
double process_age_at_load();  // seconds since the process began, at that time

}  // namespace brio::profile
