// Strings as elements (docs/decisions/strings.md). An element says where its characters are, counted from itself, and
// how many there are; they lie behind the elements in the same buffer. So a contiguous view of a string array is one
// too, wherever it begins, and a copy of the elements alone is none.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/tensor/aval.h"

namespace brio {

struct StringElement {
  int64_t offset;  // of the first character from this element
  uint64_t size;   // bytes

  std::string_view view() const { return {reinterpret_cast<const char*>(this) + offset, size}; }
};
static_assert(sizeof(StringElement) == 16);

inline std::string_view string_at(const void* elements, int64_t i) {
  return static_cast<const StringElement*>(elements)[i].view();
}
inline std::string_view string_at(const Array& array, int64_t i) { return string_at(array.data(), i); }

// An array of strings that are written one after another.
class StringWriter {
 public:
  void add(std::string_view text) {
    characters_ += text;
    end();
  }
  std::string& characters() { return characters_; }  // to append to; end() ends a string
  void end() { ends_.push_back(characters_.size()); }
  int64_t size() const { return static_cast<int64_t>(ends_.size()); }
  Array finish(const Shape& shape) const { return finish({this, 1}, shape); }    // as many as were written
  static Array finish(std::span<const StringWriter> parts, const Shape& shape);  // one after the other

 private:
  std::string characters_;
  std::vector<size_t> ends_;
};

Array string_array(std::span<const std::string_view> values, const Shape& shape);
// Strings of an array at these positions.
Array take_strings(const Array& from, std::span<const int64_t> positions, const Shape& shape);
// A copy of what lies at `elements`.
Array copy_strings(const void* elements, const Shape& shape);

// Do all strings of the array lie in its buffer? One that was not made here may hold anything.
bool strings_are_sound(const Array& array);

// Python's text of bytes: b'abc\n'.
std::string bytes_literal(std::string_view text);
// The same for an error: cut where it is long.
std::string quoted(std::string_view text);

}  // namespace brio
