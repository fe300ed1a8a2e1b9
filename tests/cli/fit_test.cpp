// brio fit and brio bench --explain.
#include "tests/cli/made_pictures.h"
#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

using formats::Scratch;

std::string made_table(const Scratch& scratch, const char* label, int rows) {
  std::string text = cat("a,b,", label, "\n");
  for (int i = 0; i < rows; ++i) text += cat(i % 7, ",", i % 5 - 2.5, ",", i % 7 > 3 ? 1 : 0, "\n");
  formats::write_file(scratch / "t.csv", text);
  return scratch / "t.csv";
}

TEST(Fit, TakesTrainAndValidationForPartsAndNotForClasses) {
  const Scratch scratch;
  make_folder(scratch / "set/train", 12);
  make_folder(scratch / "set/validation", 6);
  const nlohmann::json json = brio_json({"fit", scratch / "set", "--epochs", "2", "--batch", "4", "--size", "16x12"});
  EXPECT_EQ(json["history"]["loss"].size(), 2U);
  EXPECT_EQ(json["history"]["val_loss"].size(), 2U);
  EXPECT_EQ(json["history"]["val_accuracy"].size(), 2U);
  const Outcome outcome = brio({"fit", scratch / "set", "--epochs", "1", "--batch", "4", "--size", "16x12"});
  expect_in(outcome.out, "3/3 ");  // twelve pictures to train on
}

TEST(Fit, TrainsOnPicturesAndExplains) {
  const Scratch scratch;
  make_folder(scratch / "photos", 12);
  const Outcome outcome =
      brio({"fit", scratch / "photos", "--epochs", "2", "--batch", "4", "--size=16x12", "--explain"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "Epoch 2/2\n3/3 ");
  expect_in(outcome.out, "stage                   each    share    timed     holds\nread ");
  expect_in(outcome.out, "\nreader: 6 elements, waited ");
  expect_in(outcome.out, "\nlimited by: ");

  const nlohmann::json json =
      brio_json({"fit", scratch / "photos", "--epochs", "2", "--batch", "4", "--size", "16x12", "--explain"});
  EXPECT_EQ(json["epochs"], 2);
  EXPECT_EQ(json["history"]["loss"].size(), 2U);
  EXPECT_EQ(json["history"]["accuracy"].size(), 2U);
  EXPECT_EQ(json.count("batch_choice"), 0U);
  const nlohmann::json& input = json["input"];
  EXPECT_EQ(input["stages"][0]["name"], "read");
  EXPECT_EQ(input["stages"].back()["name"], "batch");
  EXPECT_GT(input["stages"][0]["seconds_an_element"], 0);
  double share = 0;
  for (const nlohmann::json& stage : input["stages"]) share += stage["share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-6);
  EXPECT_EQ(input["queues"].back()["elements"], 6);
  EXPECT_TRUE(input["limit"].is_string());
  EXPECT_TRUE(input["choices"].is_array());
  EXPECT_EQ(brio_json({"fit", scratch / "photos", "--size", "16x12"}).count("input"), 0U);
}

TEST(Fit, TrainsOnTables) {
  const Scratch scratch;
  std::string table = made_table(scratch, "kind", 400);
  nlohmann::json json = brio_json({"fit", table, "--epochs", "20", "--explain"});
  EXPECT_GT(json["history"]["accuracy"].back(), 0.9);
  EXPECT_EQ(json["input"]["stages"].back()["name"], "batch");

  json = brio_json({"fit", table, "--batch", "auto", "--epochs", "5", "--explain"});
  EXPECT_GE(json["batch_choice"]["batch_size"], 32);
  EXPECT_EQ(json["batch_choice"]["tried"][0]["batch_size"], 32);
  EXPECT_TRUE(json["input"].is_null());
  const Outcome said = brio({"fit", table, "--batch=auto", "--epochs=5", "--explain"});
  EXPECT_EQ(said.code, 0) << said.err;
  expect_in(said.out, "\nbatch_size auto: ");
  expect_in(said.out, "rows in memory: there are no stages of input\n");

  json = brio_json({"fit", table, "--label", "b", "--epochs", "1"});  // a value, not a class
  EXPECT_EQ(json["history"].count("mae"), 1U);
}

TEST(Fit, SaysWhatIsWrong) {
  const Scratch scratch;
  make_folder(scratch / "photos", 2);
  const std::string table = made_table(scratch, "kind", 10);
  formats::write_file(scratch / "text.csv", "a,b\n1,x\n");
  formats::write_file(scratch / "one.csv", "a\n1\n");
  formats::write_file(scratch / "odd.bin", "\1\2\3");
  const auto refused = [](const std::vector<std::string>& words, const std::string& why, int code = 2) {
    const Outcome outcome = brio(words);
    EXPECT_EQ(outcome.code, code) << outcome.out;
    expect_in(outcome.err, why);
  };
  refused({"fit"}, "takes one SRC");
  refused({"fit", table, "--batch", "many"}, "--batch is many; it is a whole number from 1 to");
  refused({"fit", table, "--label", "c"}, "--label is c; the columns of " + table + " are a, b, kind");
  refused({"fit", table, "--size", "8x8"}, "--size is for pictures");
  refused({"fit", scratch / "text.csv", "--label", "a"}, "holds one class alone, 1");
  refused({"fit", scratch / "one.csv"}, "has one column");
  refused({"fit", scratch / "odd.bin"}, "is neither a folder of pictures nor a CSV file nor packed records");
  refused({"fit", scratch / "none.csv"}, "none.csv", 1);
  refused({"fit", scratch / "photos", "--batch", "auto"}, "--batch auto cuts rows that lie in memory");
  refused({"fit", scratch / "photos", "--label", "a"}, "--label is for CSV files");
  refused({"fit", scratch / "photos", "--size", "8"}, "--size is 8; it is HEIGHTxWIDTH");
  refused({"bench", "ops", "--explain"}, "--explain is for workloads that read input");
  expect_lines_below(brio({"fit", "--help"}).out, 120);
}

TEST(Bench, ExplainsTheInput) {
  const nlohmann::json rows = brio_json({"bench", "rows", "--explain"});
  EXPECT_EQ(rows["name"], "rows");
  EXPECT_GT(rows["input"]["queues"].back()["elements"], 1000);
  EXPECT_EQ(rows["input"]["stages"].back()["name"], "batch");
  const Outcome outcome = brio({"bench", "gd", "--explain"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "it reads no input pipeline\n");
}

}  // namespace
}  // namespace brio::cli
