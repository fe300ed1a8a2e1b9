#include "brio/formats/lines.h"

#include <gtest/gtest.h>

#include "tests/formats/picture_golden.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

std::vector<std::string> lines_of(std::string_view bytes, size_t longest = kLongestLine) {
  LineReader reader(in_order(ReadAt(bytes, Origin{"a.txt"})), {"a.txt"}, longest);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}

TEST(Lines, AsTensorFlow) {
  for (const golden::Case& c : golden::load("files_lines.json")) {
    const std::string file = from_hex(c.text("file"));
    EXPECT_EQ(lines_of(file), c.output("lines").texts) << c.name;
    const LineFile by_number{ReadAt(file, Origin{})};
    std::vector<std::string> lines;
    for (int64_t i = 0; i < by_number.size(); ++i) lines.push_back(by_number.read(i));
    EXPECT_EQ(lines, c.output("lines").texts) << c.name;
  }
}

TEST(Lines, ByNumberAndInOrderAreTheSame) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += std::string(static_cast<size_t>(i * 37 % 211), static_cast<char>('a' + i % 26)) + "\r\n";
  text += std::string(200000, 'z') + "\nlast";
  const std::vector<std::string> lines = lines_of(text);
  const LineFile file{ReadAt(text, Origin{"a.txt"})};
  ASSERT_EQ(file.size(), static_cast<int64_t>(lines.size()));
  for (int64_t i = 0; i < file.size(); ++i) ASSERT_EQ(file.read(i), lines[static_cast<size_t>(i)]) << i;
  EXPECT_THROW(file.read(-1), InvalidArgument);
  EXPECT_THROW(file.read(file.size()), InvalidArgument);
}

TEST(Lines, RefusesEndlessOnes) {
  EXPECT_EQ(lines_of("12345\n12345", 5), (std::vector<std::string>{"12345", "12345"}));
  for (const char* text : {"ab\n123456\n", "ab\n123456"}) {
    try {
      lines_of(text, 5);
      FAIL();
    } catch (const DataError& error) {
      EXPECT_STREQ(error.what(), "a.txt: at byte 3: a line has more than the limit of 5 bytes");
    }
  }
}

TEST(Lines, AFileThatChangesIsAnError) {
  const Scratch scratch;
  write_file(scratch / "f", "a\nb\nc\n");
  const LineFile file{ReadAt(scratch / "f")};
  EXPECT_EQ(file.read(2), "c");
  std::fstream(scratch / "f", std::ios::in | std::ios::out) << "abcdef";
  EXPECT_THROW(file.read(2), DataError);
  std::filesystem::resize_file(scratch / "f", 3);
  EXPECT_THROW(file.read(2), DataError);
}

TEST(Lines, OfRealText) {
  const std::string path = data_path("tinyshakespeare/input.txt");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const LineFile file{ReadAt(path)};
  EXPECT_EQ(file.size(), 40000);
  EXPECT_EQ(file.read(0), "First Citizen:");
  EXPECT_EQ(file.read(39999), "Whiles thou art waking.");
}

}  // namespace
}  // namespace brio::formats
