// Characters in UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace brio {

inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD, which stands for what is no character

inline bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

struct Utf8Character {
  size_t size;  // bytes
  bool valid;
};
// The first of a text that is not empty. What is no character is as long as it could have begun one, as Unicode
// advises.
inline Utf8Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xc2 || lead > 0xf4) return {1, false};
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // No long forms of small numbers, no surrogates, nothing past U+10FFFF.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < size; ++i)
    if (i >= text.size() || byte(i) < (i == 1 ? low : 0x80) || byte(i) > (i == 1 ? high : 0xbf)) return {i, false};
  return {size, true};
}

}  // namespace brio
