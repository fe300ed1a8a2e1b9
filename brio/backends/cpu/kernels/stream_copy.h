// Stores that bypass the cache, for outputs that would only push other data out of it.
#pragma once

#include <cstddef>

namespace brio::cpu {

// Like memcpy, for the instruction set in use at the time of the look-up. After the last call of a thread,
// finish_streaming() makes the stores visible to other threads.
using StreamCopy = void (*)(void* out, const void* source, size_t bytes);
StreamCopy find_stream_copy();
void finish_streaming();

// Outputs of at least this many bytes in one pass are streamed.
size_t streaming_threshold();

}  // namespace brio::cpu
