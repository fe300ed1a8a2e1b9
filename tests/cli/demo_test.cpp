// brio demo: the whole path on few pictures.
#include <filesystem>

#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using formats::Scratch;

std::vector<std::string> small_demo(const std::string& out) {
  return {"demo", "--out", out, "--pictures", "20", "--epochs", "2", "--python", "/no/python"};
}

TEST(Demo, ShowsTheProductWithinEightyColumns) {
  const Scratch scratch;
  const Outcome outcome = brio(small_demo(scratch / "d"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"80 pictures of shapes, 32x32", "epoch  2 of 2: loss ", "\nWhere the time went (a step of 16 pictures takes ",
        "layers: convolutions", "\nWhat would be faster", "has neither TensorFlow nor NumPy", "\nMemory by owner:\n",
        "run/report.html"})
    expect_in(outcome.out, part);
  // Lines without a path of ours, which is as long as it is.
  std::string text;
  for (size_t at = 0; at < outcome.out.size();) {
    const size_t end = outcome.out.find('\n', at);
    const std::string line = outcome.out.substr(at, end - at);
    if (line.find(scratch.path()) == std::string::npos) text += line + "\n";
    at = end + 1;
  }
  expect_lines_below(text, 80);
  for (const char* made :
       {"pictures/circle/0000.jpg", "pictures/triangle/0019.png", "run/model.keras", "run/report.html"})
    EXPECT_TRUE(fs::exists(scratch / cat("d/", made))) << made;
  EXPECT_FALSE(fs::exists(scratch / "d/peer"));
}

TEST(Demo, GivesOneObjectAndReplacesWhatItLeft) {
  const Scratch scratch;
  nlohmann::json json = brio_json(small_demo(scratch / "d"));
  EXPECT_EQ(json["pictures"]["files"], 80);
  EXPECT_EQ(json["fit"]["history"]["loss"].size(), 2U);
  EXPECT_TRUE(json["peer"].is_null());
  EXPECT_GT(json["memory"]["parameters"]["bytes"], 0);
  double sum = 0;
  for (const nlohmann::json& row : json["doctor"]["step_in_words"]) sum += row["seconds"].get<double>();
  EXPECT_GT(sum, 0);
  json = brio_json(small_demo(scratch / "d"));  // once more, in the same place
  EXPECT_EQ(json["fit"]["epochs"], 2);
  formats::write_file(scratch / "own.txt", "mine");
  const Outcome refused = brio({"demo", "--out", scratch.path()});
  EXPECT_EQ(refused.code, 2);
  expect_in(refused.err, "holds something that is not an earlier demo's");
  EXPECT_TRUE(fs::exists(scratch / "own.txt"));
}

}  // namespace
}  // namespace brio::cli
