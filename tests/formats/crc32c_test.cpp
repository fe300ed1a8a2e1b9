#include "brio/formats/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace brio::formats {
namespace {

std::string noise(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 12345;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

// A bit at a time, as the definition says.
uint32_t by_definition(std::string_view bytes) {
  uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0);
  }
  return ~crc;
}

TEST(Crc32c, HasTheValuesOfRfc3720) {
  std::string rising(32, '\0');
  for (size_t i = 0; i < 32; ++i) rising[i] = static_cast<char>(i);
  for (const auto crc : {crc32c, crc32c_by_tables}) {
    EXPECT_EQ(crc("", 0), 0U);
    EXPECT_EQ(crc("123456789", 0), 0xe3069283U);
    EXPECT_EQ(crc(std::string(32, '\0'), 0), 0x8a9136aaU);
    EXPECT_EQ(crc(std::string(32, '\xff'), 0), 0x62a8ab43U);
    EXPECT_EQ(crc(rising, 0), 0x46dd794eU);
  }
}

TEST(Crc32c, BothPathsFollowTheDefinitionAtEveryLengthAndAlignment) {
  const std::string bytes = noise(30000);
  const std::string_view all(bytes);
  for (size_t begin = 0; begin < 8; ++begin)
    for (size_t size = 0; size < 420; ++size) {
      const std::string_view part = all.substr(begin, size);
      const uint32_t expected = by_definition(part);
      ASSERT_EQ(crc32c(part), expected) << begin << ' ' << size;
      ASSERT_EQ(crc32c_by_tables(part), expected) << begin << ' ' << size;
    }
  for (const size_t size : {1535, 1536, 1543, 3000, 12287, 12288, 12289, 14000, 29999}) {
    EXPECT_EQ(crc32c(all.substr(1, size)), by_definition(all.substr(1, size))) << size;
    EXPECT_EQ(crc32c_by_tables(all.substr(1, size)), by_definition(all.substr(1, size))) << size;
  }
}

TEST(Crc32c, GoesOnFromAnEarlierPart) {
  const std::string bytes = noise(20000);
  const std::string_view all(bytes);
  for (const size_t cut : {0, 1, 7, 200, 13000, 20000}) {
    EXPECT_EQ(crc32c(all.substr(cut), crc32c(all.substr(0, cut))), crc32c(all));
    EXPECT_EQ(crc32c_by_tables(all.substr(cut), crc32c_by_tables(all.substr(0, cut))), crc32c(all));
  }
}

TEST(Crc32c, MasksAndUnmasks) {
  EXPECT_EQ(masked_crc32c("123456789"), 0xc78ab0e5U);
  for (const uint32_t crc : {0U, 1U, 0x8a9136aaU, 0xffffffffU}) EXPECT_EQ(unmask_crc(mask_crc(crc)), crc);
}

}  // namespace
}  // namespace brio::formats
