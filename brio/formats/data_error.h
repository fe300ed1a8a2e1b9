// What is wrong with a file, and where: the one exception of everything that parses bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "brio/base/error.h"

namespace brio::formats {

// Where the bytes of a parser come from. A parser that is given a part of a file counts from `offset`.
struct Origin {
  std::string_view file = "(bytes in memory)";
  uint64_t offset = 0;
};

// The input is broken: truncated, corrupt, of another format, or larger than the limits admit. The message is
// "file: at byte N: reason".
class DataError : public Error {
 public:
  DataError(const Origin& origin, uint64_t at, std::string_view reason)
      : Error(cat(origin.file, ": at byte ", origin.offset + at, ": ", reason)),
        file_(origin.file),
        offset_(origin.offset + at),
        reason_(reason) {}

  const std::string& file() const { return file_; }
  uint64_t offset() const { return offset_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string file_;
  uint64_t offset_;
  std::string reason_;
};

}  // namespace brio::formats
