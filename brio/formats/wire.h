// Protobuf's wire format, read in place and written. Every length is checked against the bytes that are there.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "brio/formats/data_error.h"

namespace brio::formats::wire {

static_assert(std::endian::native == std::endian::little, "formats are read in place: they are little-endian");

enum Type : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroup = 3, kEndGroup = 4, kFixed32 = 5 };
constexpr uint32_t tag(uint32_t field, Type type) { return field << 3 | type; }

template <typename T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// The message that readers of its parts point into, so that an error names the position in the file.
struct Message {
  const char* begin;
  const Origin& origin;
  std::string_view what;  // "tf.train.Example"
  int64_t index = -1;     // of the message in its batch, if it is of one
};
[[noreturn]] void fail(const Message& message, const char* at, std::string_view reason);

// The fields of a message or of a part of it:
//   while (reader.next()) switch (reader.tag()) { case wire::tag(1, wire::kBytes): use(reader.bytes()); break;
//                                                 default: reader.skip(); }
// A field of a known number that comes with another type is an unknown field, as for protobuf.
class Reader {
 public:
  Reader(std::string_view bytes, const Message& message)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), message_(&message) {}

  bool next() {
    if (at_ == end_) return false;
    tag_ = static_cast<unsigned char>(*at_) < 0x80 ? static_cast<unsigned char>(*at_++) : long_tag();
    if (tag_ < 8) [[unlikely]]
      fail_here("a field has the number 0");
    return true;
  }
  bool done() const { return at_ == end_; }
  const char* at() const { return at_; }
  std::string_view left() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  void advance(const char* to) { at_ = to; }  // over fields that the caller has read from left()
  uint32_t tag() const { return tag_; }

  uint64_t varint() {
    if (at_ < end_ && static_cast<unsigned char>(*at_) < 0x80) return static_cast<unsigned char>(*at_++);
    return long_varint(10);
  }
  std::string_view bytes() {
    const uint64_t size =
        at_ < end_ && static_cast<unsigned char>(*at_) < 0x80 ? static_cast<unsigned char>(*at_++) : long_varint(5);
    if (size > static_cast<uint64_t>(end_ - at_)) [[unlikely]]
      fail_short(size);
    const char* begin = at_;
    at_ += size;
    return {begin, size};
  }
  template <typename T>
  T fixed() {
    if (static_cast<size_t>(end_ - at_) < sizeof(T)) [[unlikely]]
      fail_short(sizeof(T));
    at_ += sizeof(T);
    return load<T>(at_ - sizeof(T));
  }
  void skip();  // the value of the field

 private:
  uint32_t long_tag();
  uint64_t long_varint(int longest);
  void skip_group();
  [[noreturn]] void fail_here(std::string_view reason) const;
  [[noreturn]] void fail_short(uint64_t size) const;

  const char* at_;
  const char* end_;
  const Message* message_;
  uint32_t tag_ = 0;
};

inline size_t varint_size(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }
inline void append_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}
// Tag and length of a field whose `size` bytes follow.
inline void append_head(std::string& to, uint32_t field, size_t size) {
  append_varint(to, tag(field, kBytes));
  append_varint(to, size);
}
inline void append_bytes(std::string& to, uint32_t field, std::string_view bytes) {
  append_head(to, field, bytes.size());
  to += bytes;
}

}  // namespace brio::formats::wire
