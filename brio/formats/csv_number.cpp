#include "brio/formats/csv_number.h"

#include <locale.h>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace brio::formats {

namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// from_chars does not say whether a number out of range is too large or too small. No locale of the program counts.
template <typename T>
T out_of_range(const std::string& text) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  if constexpr (std::is_same_v<T, float>) return strtof_l(text.c_str(), nullptr, plain);
  else return strtod_l(text.c_str(), nullptr, plain);
}

template <typename T>
bool parse(std::string_view text, T& value) {
  text = trimmed(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const char* end = text.data() + text.size();
  if constexpr (std::is_integral_v<T>) {
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stopped == end;
  } else {
    const bool negative = text.starts_with('-');
    const std::string_view digits = text.substr(negative ? 1 : 0);
    const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
    const char* begin = hex ? digits.data() + 2 : text.data();
    if (hex && (begin == end || (!std::isxdigit(static_cast<unsigned char>(*begin)) && *begin != '.'))) return false;
    const auto [stopped, error] =
        std::from_chars(begin, end, value, hex ? std::chars_format::hex : std::chars_format::general);
    if (stopped != end || error == std::errc::invalid_argument) return false;
    if (error == std::errc::result_out_of_range) value = out_of_range<T>(std::string(text));
    else if (hex && negative) value = -value;
    return true;
  }
}

}  // namespace

bool parse_number(std::string_view text, int32_t& value) { return parse(text, value); }
bool parse_number(std::string_view text, int64_t& value) { return parse(text, value); }
bool parse_number(std::string_view text, float& value) { return parse(text, value); }
bool parse_number(std::string_view text, double& value) { return parse(text, value); }

}  // namespace brio::formats
