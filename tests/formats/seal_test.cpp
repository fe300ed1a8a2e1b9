#include "brio/formats/seal.h"

#include <gtest/gtest.h>

#include "brio/formats/crc32c.h"
#include "brio/formats/data_error.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

TEST(Seal, FindsEveryFlippedBit) {
  const Scratch scratch;
  const std::string whole = sealed_json("{\n \"a\": [1, 2],\n \"b\": \"text\"\n}"), path = scratch / "m.json";
  write_file(path, whole);
  EXPECT_TRUE(check_seal(InputFile(path), Seal::json));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    write_file(path, flipped);
    EXPECT_THROW(check_seal(InputFile(path), Seal::json), DataError) << "bit " << bit;
  }
}

TEST(Seal, FilesOfOthersHaveNone) {
  const Scratch scratch;
  for (const Seal seal : {Seal::binary, Seal::json, Seal::text, Seal::safetensors})
    for (const std::string& bytes : {std::string(), std::string("{}"), std::string(100, 'x')}) {
      write_file(scratch / "f", bytes);
      EXPECT_FALSE(check_seal(InputFile(scratch / "f"), seal));
    }
}

// As python/brio/_safetensors.py writes it.
TEST(Seal, IsInTheHeaderOfSafetensors) {
  const Scratch scratch;
  const std::string path = scratch / "w.safetensors";
  std::string bytes =
      std::string("\x38\0\0\0\0\0\0\0", 8) + "{\"__metadata__\":{\"brio_crc32c\":\"00000000\"}}             ";
  bytes.resize(8 + 0x38, ' ');
  bytes += "12345678";
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", crc32c(bytes));
  bytes.replace(8 + 32, 8, digits);
  write_file(path, bytes);
  EXPECT_TRUE(check_seal(InputFile(path), Seal::safetensors));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    write_file(path, flipped);
    EXPECT_THROW(check_seal(InputFile(path), Seal::safetensors), DataError) << "bit " << bit;
  }
}

}  // namespace
}  // namespace brio::formats
