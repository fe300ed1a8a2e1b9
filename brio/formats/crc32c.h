// CRC-32C (Castagnoli), the checksum of TFRecord files, at the speed of the machine's instruction for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace brio::formats {

// Of these bytes, or of those with the checksum `before` followed by these.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);
// The same by tables, on any CPU. crc32c() takes it where the instruction is missing, and under BRIO_ISA=portable.
uint32_t crc32c_by_tables(std::string_view bytes, uint32_t before = 0);

// A checksum that is stored beside its data is masked: the CRC of data that holds its own CRC means little.
constexpr uint32_t mask_crc(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8U; }
constexpr uint32_t unmask_crc(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8U;
  return rotated >> 17 | rotated << 15;
}
inline uint32_t masked_crc32c(std::string_view bytes) { return mask_crc(crc32c(bytes)); }

}  // namespace brio::formats
