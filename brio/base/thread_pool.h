// The one thread pool of the process. A caller of parallel_for helps with the work, so nesting cannot deadlock and a
// pool of one thread is a plain loop. How work is cut depends only on the arguments, not on the threads.
//
//   parallel_for(rows, 16, [&](int64_t begin, int64_t end) { for (int64_t i = begin; i < end; ++i) …; });
//
// Workers start at the first call that can use them. They spin for some tens of microseconds after their last job and
// then sleep. They run a body in the floating-point mode of its caller (see float_mode.h) and with OpenMP set to one
// thread, block all signals, and are started again in the child of a fork.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace brio {

// The threads that take part, including the caller. Default: the CPUs this process may use, or BRIO_THREADS.
int thread_count();                  // throws InvalidArgument if BRIO_THREADS is not a number from 1 to 1024
void set_thread_count(int threads);  // throws InvalidArgument unless 1 ≤ threads ≤ 1024; safe at any time

// Runs body(begin, end) over [0, n), cut into pieces of `grain` (the last may be smaller; a grain below 1 counts as
// 1). Pieces are claimed in order from an atomic counter; body must not depend on the thread that runs it. With one
// piece or one thread it runs inline and starts nothing. It allocates nothing. If bodies throw, pieces that have not
// begun are dropped, and after all others have ended the caller gets the exception of the lowest piece: the same one
// for any number of threads.
void parallel_for(int64_t n, int64_t grain, void (*body)(void* context, int64_t begin, int64_t end), void* context);

template <typename F>
void parallel_for(int64_t n, int64_t grain, F&& body) {
  using Body = std::remove_reference_t<F>;
  parallel_for(
      n, grain, [](void* context, int64_t begin, int64_t end) { (*static_cast<Body*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace brio
