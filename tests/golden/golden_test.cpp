// The reader of the golden values, and that every file of them can be read.
#include "tests/golden/golden.h"
#include "tests/source_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

namespace {

TEST(Golden, ReadsACase) {
  auto cases = golden::parse(R"([{"name": "a/b", "inputs": {"x": {"shape": [2, 1], "data": [1, -2.5e-3]}},
      "params": {"kind": "sum", "rate": 0.5}, "outputs": {"y": {"shape": [], "data": [3]}}},
      {"name": "c", "inputs": {}, "params": {}, "outputs": {"z": {"shape": [0, 3], "data": []}}}])");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].name, "a/b");
  EXPECT_EQ(cases[0].input("x").shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(cases[0].input("x").data, (std::vector<double>{1, -0.0025}));
  EXPECT_EQ(cases[0].text("kind"), "sum");
  EXPECT_EQ(cases[0].number("rate"), 0.5);
  EXPECT_EQ(cases[0].number("momentum", 0.25), 0.25);
  EXPECT_EQ(cases[0].output("y").data[0], 3);
  EXPECT_TRUE(cases[1].output("z").data.empty());
  EXPECT_THROW(cases[1].input("x"), std::out_of_range);
}

TEST(Golden, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"", "[", "{}", "[{}", "[{\"name\": 1}]", "[{\"nam\": \"a\"}]", "[] x",
        "[{\"inputs\": {\"x\": {\"shape\": [2], \"data\": [1]}}}]", "[{\"params\": {\"x\": null}}]"})
    EXPECT_ANY_THROW(golden::parse(text)) << text;
}

TEST(Golden, AllFilesRead) {
  for (const auto& entry : std::filesystem::directory_iterator(brio::test::source_dir() + "/tests/golden")) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = entry.path().filename();
    std::set<std::string> names;
    for (const golden::Case& c : golden::load(file)) {
      EXPECT_TRUE(names.insert(c.name).second) << file << " has two cases " << c.name;
      // What a file holds, and that it is refused, are parameters; everything else has arrays.
      EXPECT_FALSE(c.inputs.empty() && c.params.empty()) << c.name;
      EXPECT_FALSE(c.outputs.empty() && c.params.empty()) << c.name;
    }
    EXPECT_FALSE(names.empty()) << file;
  }
}

// Values that can be worked out by hand, so that a mistake of the script would show.
TEST(Golden, ValuesAreThoseOfTheFormulas) {
  for (const golden::Case& c : golden::load("activations.json")) {
    if (c.name != "sigmoid") continue;
    const auto &x = c.input("x").data, &y = c.output("y").data;
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], 1 / (1 + std::exp(-x[i])), 1e-6);
  }
  for (const golden::Case& c : golden::load("optimizers_sgd.json")) {
    if (c.name != "sgd/defaults") continue;
    double rate = c.number("learning_rate");
    const auto &g = c.input("w_gradients").data, &after = c.output("w").data;
    auto w = c.input("w").data;
    for (size_t i = 0; i < g.size(); ++i) w[i % w.size()] -= rate * g[i];
    for (size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(after[i], w[i], 1e-6);
  }
}

}  // namespace
