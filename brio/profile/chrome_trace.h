// The newest steps as a trace that chrome://tracing and Perfetto show.
#pragma once

#include <cstdint>
#include <string>

namespace brio::profile {

// Of steps that ended since then (ticks); 0: all that are kept.
std::string chrome_trace(uint64_t since);
// The events alone, with commas between them.
std::string trace_events(uint64_t since);

}  // namespace brio::profile
