// The bytes of an iterator's position: numbers and texts, one after another. A reader trusts nothing: invalid bytes
// are an InvalidArgument.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace brio::data {

class StateWriter {
 public:
  void number(uint64_t value);
  void text(std::string_view value);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}
  uint64_t number();
  int64_t count() { return count(kMost); }
  int64_t count(int64_t most);  // a number from 0 to `most`
  std::string_view text();
  bool done() const { return left_.empty(); }
  [[noreturn]] static void refuse(std::string_view why);

 private:
  static constexpr int64_t kMost = int64_t{1} << 48;  // the largest count of elements
  std::string_view left_;
};

}  // namespace brio::data
