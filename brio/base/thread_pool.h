// The one thread pool of the process. A caller of parallel_for helps with the work, so nesting cannot deadlock and a
// pool of one thread is a plain loop. How work is cut depends on the arguments alone, never on the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace brio {

// Threads that take part, the caller included. Default: the CPUs this process may use, or BRIO_THREADS.
int thread_count();
void set_thread_count(int threads);  // throws InvalidArgument unless 1 ≤ threads ≤ 1024

// Runs body(begin, end) over [0, n) cut into pieces of `grain` (the last may be smaller). Pieces are claimed from an
// atomic counter; body must not depend on who runs which. One piece, or one thread: runs inline, starts nothing.
// An exception of a body reaches the caller after all pieces have ended.
void parallel_for(int64_t n, int64_t grain, void (*body)(void* context, int64_t begin, int64_t end), void* context);

template <typename F>
void parallel_for(int64_t n, int64_t grain, F&& body) {
  using Body = std::remove_reference_t<F>;
  parallel_for(
      n, grain, [](void* context, int64_t begin, int64_t end) { (*static_cast<Body*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace brio
