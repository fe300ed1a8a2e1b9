#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

TEST(DevicesCommand, ListsWhatThereIs) {
  const Outcome outcome = brio({"devices"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("cpu:0      /device:CPU:0"), std::string::npos) << outcome.out;
  const nlohmann::json list = brio_json({"devices"});
  EXPECT_EQ(list[0]["name"], "cpu:0");
  EXPECT_EQ(list[0]["kind"], "CPU");
  EXPECT_EQ(list[0]["number"], 0);
  EXPECT_EQ(brio({"devices", "all"}).code, 2);
}

TEST(DevicesCommand, AnUnknownWordToExplainIsNamed) {
  setenv("BRIO_EXPLAIN", "kernel", 1);
  const formats::Scratch scratch;
  const Outcome outcome =
      brio({"demo", "--out", scratch / "demo", "--pictures", "10", "--epochs", "1", "--python", "/none"});
  unsetenv("BRIO_EXPLAIN");
  EXPECT_NE(outcome.err.find("BRIO_EXPLAIN knows no 'kernel'; there are: kernels, plans, placement"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace brio::cli
