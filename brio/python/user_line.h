// The line of the user's program that is being run: of the innermost frame outside of this package.
#pragma once

#include <string>

#include "brio/profile/named.h"

namespace brio::python {

std::string user_line();  // "train.py:12"; empty: there is none. With the interpreter's lock.

// Counts the line that reads a value or opens a tape, now and then: looking for it costs more than the rest.
class LineCounter {
 public:
  explicit constexpr LineCounter(profile::NameKind kind) : kind_(kind) {}
  void count() {
    const uint32_t n = seen_++;
    if (n < 8 || n % 61 == 0) look();
  }

 private:
  void look();
  profile::NameKind kind_;
  uint32_t seen_ = 0;  // the lock of the interpreter guards it
};

}  // namespace brio::python
