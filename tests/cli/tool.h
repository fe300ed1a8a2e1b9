// Runs the tool `brio` as a shell would.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "brio/formats/file.h"
#include "tests/formats/scratch.h"

namespace brio::cli {

struct Outcome {
  int code = -1;
  std::string out, err;
};

inline std::string quoted_word(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

inline Outcome brio(const std::vector<std::string>& words) {
  const formats::Scratch scratch;
  std::string command = BRIO_TOOL;
  for (const std::string& word : words) command += cat(" ", quoted_word(word));
  command += cat(" > ", quoted_word(scratch / "out"), " 2> ", quoted_word(scratch / "err"));
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, formats::read_file(scratch / "out"),
          formats::read_file(scratch / "err")};
}

inline nlohmann::json brio_json(std::vector<std::string> words, int expected = 0) {
  words.push_back("--json");
  const Outcome outcome = brio(words);
  EXPECT_EQ(outcome.code, expected) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

inline void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
}
inline void expect_lines_below(const std::string& text, size_t columns) {
  size_t length = 0;  // characters, of UTF-8
  for (const char c : text) {
    length = c == '\n' ? 0 : length + ((static_cast<unsigned char>(c) & 0xc0) != 0x80);
    EXPECT_LE(length, columns) << text;
  }
}

}  // namespace brio::cli
