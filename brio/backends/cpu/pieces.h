// Pieces of work that need their own memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "brio/base/thread_pool.h"

namespace brio::cpu {

inline size_t round_to_line(size_t bytes) { return (bytes + 63) / 64 * 64; }

// Runs body(piece, slot) for the pieces [0, n). Pieces that run at the same time have different slots; they are cut
// by shape, so which slot a piece gets changes nothing.
template <typename F>
void run_pieces(int64_t n, int64_t slots, const F& body) {
  if (slots <= 1) {
    for (int64_t piece = 0; piece < n; ++piece) body(piece, int64_t{0});
    return;
  }
  std::atomic<int64_t> next{0};
  parallel_for(slots, 1, [&](int64_t slot, int64_t) {
    for (;;) {
      const int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= n) return;
      body(piece, slot);
    }
  });
}

// How many threads pay off for `pieces` that take so many nanoseconds in total.
inline int64_t slots_for(int64_t pieces, double nanoseconds) {
  constexpr double worth_threads = 50e3;
  return nanoseconds < worth_threads ? 1 : std::min<int64_t>(pieces, thread_count());
}

}  // namespace brio::cpu
