// The floating-point mode of a thread: rounding, masked exceptions, and whether denormals are flushed to zero.
//
//   FloatMode scope;   // until the end of the block: round to nearest, denormals count as zero, nothing traps
//
// The same bits on every thread need the same mode on every thread, so parallel_for hands the mode of its caller to
// the workers that help; only the executor opens a scope of its own.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace brio {

class FloatMode {
 public:
#if defined(__x86_64__)
  using Word = unsigned;
  // All exceptions masked, round to nearest, flush-to-zero and denormals-are-zero.
  static constexpr Word kFlushDenormals = 0x1f80 | 0x8000 | 0x0040;
  static constexpr Word kDefault = 0x1f80;  // what a program starts with
  static Word current() { return _mm_getcsr() & ~kSticky; }

  explicit FloatMode(Word word = kFlushDenormals) : saved_(_mm_getcsr()) {
    changed_ = (saved_ & ~kSticky) != word;
    if (changed_) _mm_setcsr(word);
  }
  ~FloatMode() {
    if (changed_) _mm_setcsr(saved_);
  }

 private:
  static constexpr Word kSticky = 0x3f;  // records of past exceptions, not a mode
  Word saved_;
  bool changed_;
#else
  using Word = unsigned;
  static constexpr Word kFlushDenormals = 0, kDefault = 0;
  static Word current() { return 0; }
  explicit FloatMode(Word = kFlushDenormals) {}
#endif

 public:
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;
};

}  // namespace brio
