// Numbers in the bytes of a file, in either order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace brio::formats {

static_assert(std::endian::native == std::endian::little, "files are read in place: they are mostly little-endian");

template <typename T>
T load_little(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
T load_big(const void* from) {
  std::make_unsigned_t<T> value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<std::make_unsigned_t<T>>(value << 8 | static_cast<const unsigned char*>(from)[i]);
  return static_cast<T>(value);
}

template <typename T>
void append_little(std::string& to, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  to.append(bytes, sizeof(T));
}

// Turns the bytes of `count` elements of `size` bytes (1, 2, 4 or 8) each.
void swap_bytes(void* elements, size_t count, size_t size);

}  // namespace brio::formats
