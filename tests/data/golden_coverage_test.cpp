// No golden case of tf.data lies about unread: the names that tests expect are those that there are.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/data/expect.h"

namespace brio::data {
namespace {

// The tests of a program may run in any order, or one alone; what they expect stands in their sources.
TEST(Goldens, AreAllExpected) {
  std::string sources;
  for (const auto& file : std::filesystem::directory_iterator(BRIO_SOURCE_DIR "/tests/data")) {
    if (file.path().extension() != ".cpp") continue;
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    sources += text.str();
  }
  for (const std::string& name : golden_names()) {
    // Names that end in numbers or options are put together from these: "interleave/" and so on.
    const std::string stem = name.substr(0, name.find('/') == std::string::npos ? name.size() : name.find('/') + 1);
    const bool whole = sources.find("\"" + name + "\"") != std::string::npos;
    EXPECT_TRUE(whole || sources.find("\"" + stem + "\"") != std::string::npos) << name;
  }
}

}  // namespace
}  // namespace brio::data
