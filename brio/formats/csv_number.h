// Numbers in text, as TensorFlow reads them: spaces around are ignored, a sign may stand before; what is too large
// for a floating type is infinite.
#pragma once

#include <cstdint>
#include <string_view>

namespace brio::formats {

// False where the text is no such number.
bool parse_number(std::string_view text, int32_t& value);
bool parse_number(std::string_view text, int64_t& value);
bool parse_number(std::string_view text, float& value);
bool parse_number(std::string_view text, double& value);

}  // namespace brio::formats
