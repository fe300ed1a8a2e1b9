// The job: brio fit --out, brio predict and brio eval.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>

#include "brio/brio.h"
#include "tests/cli/made_pictures.h"
#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

using formats::Scratch;

// Flowers of three kinds that are easily told apart; some petals were not measured.
std::string flowers(const Scratch& scratch, bool header, const char* name = "flowers.csv") {
  std::string text = header ? "length,width,colour,kind\n" : "";
  for (int i = 0; i < 150; ++i) {
    const int kind = i % 3;
    text += cat(i % 10 == 7 ? std::string() : cat(kind * 2 + i % 5 * 0.1), ",", 5 - kind + i % 4 * 0.05, ",",
                i % 2 == 0 ? "red" : "blue", ",",
                kind == 0   ? "rose"
                : kind == 1 ? "tulip"
                            : "lily",
                "\n");
  }
  formats::write_file(scratch / name, text);
  return scratch / name;
}

TEST(Job, TakesTablesAsStrangersWriteThem) {
  const Scratch scratch;
  const auto rows = [](const char* header, const std::function<std::string(int)>& row, int count = 60) {
    std::string text = header;
    for (int i = 0; i < count; ++i) text += row(i);
    return text;
  };
  const auto trained = [&](const std::string& text, const std::string& why,
                           const std::vector<std::string>& more = {}) {
    formats::write_file(scratch / "t.csv", text);
    std::vector<std::string> words = {"fit", scratch / "t.csv", "--epochs", "1"};
    words.insert(words.end(), more.begin(), more.end());
    expect_in(brio_json(words)["warnings"].dump(), why);
  };
  const auto kind = [](int i) { return i % 7 > 3 ? "yes" : "no"; };
  trained(rows("a,a,kind\n", [&](int i) { return cat(i % 7, ",", i % 5, ",", kind(i), "\n"); }),
          "more than one column is called a: the next one is a_2");
  trained(rows("a;kind\n", [&](int i) { return cat(i % 7, ",5;", kind(i), "\n"); }),
          "column a: its commas are taken for decimal points");
  trained(
      rows("a,v\n", [&](int i) { return cat(i % 11 == 0 ? std::string("inf") : cat(i % 7), ",", i % 7, ".5\n"); }),
      "column a: 6 of 60 cells are missing");
  trained(rows(
              "v\n", [&](int i) { return i % 10 == 3 ? std::string("\n") : cat(i % 5, "\n"); }, 200),
          "20 cells are missing; they count as the value before", {"--forecast", "v"});
}

TEST(Job, RefusesPicturesOfOneClassAlone) {
  const Scratch scratch;
  make_folder(scratch / "set", 6);
  std::filesystem::remove_all(scratch / "set/b");
  std::filesystem::create_directories(scratch / "set/b");
  const Outcome outcome = brio({"fit", scratch / "set"});
  EXPECT_EQ(outcome.code, 2);
  expect_in(outcome.err, "holds pictures of one class alone");
}

TEST(Job, TableBecomesAModel) {
  const Scratch scratch;
  const std::string table = flowers(scratch, true), run = scratch / "run";
  const nlohmann::json json = brio_json({"fit", table, "--out", run});
  EXPECT_GT(json["validation"]["accuracy"], 0.95);
  EXPECT_EQ(json["validation"]["samples"], 30);
  const std::string warnings = json["warnings"].dump();
  expect_in(warnings, "column length: 15 of 150 cells are missing; they count as the median");
  expect_in(warnings, "column colour: categories blue, red");
  expect_in(json["found"].dump(), "one of lily 50, rose 50, tulip 50 (3 classes)");
  for (const char* file : {"model.keras", "report.html", "log.csv", "summary.json", "job.json"})
    EXPECT_TRUE(std::filesystem::exists(run + "/" + file)) << file;
  const std::string page = formats::read_file(run + "/report.html");
  for (const char* part : {"<svg", "polyline", "is \\ said", "tulip", "Where the time of the input went"})
    expect_in(page, part);
  EXPECT_EQ(page.find("http"), std::string::npos);  // nothing is loaded

  const nlohmann::json scores = brio_json({"eval", run + "/model.keras", table});
  EXPECT_GT(scores["accuracy"], 0.95);
  EXPECT_EQ(scores["samples"], 150);

  // Rows without the label, with a colour that was never met, in another order of columns.
  formats::write_file(scratch / "new.csv", "colour,width,length\nred,5,0.2\ngreen,3.1,4.1\n,4,2.1\n");
  const Outcome said = brio({"predict", run + "/model.keras", scratch / "new.csv"});
  ASSERT_EQ(said.code, 0) << said.err;
  expect_in(said.out, "file,class,probability\n");
  expect_in(said.out, "new.csv:1,rose,0.");
  expect_in(said.out, "new.csv:2,lily,0.");
  expect_in(said.err, "column colour: 1 cells hold what was not met in training, such as 'green'");
  const Outcome lines = brio({"predict", run + "/model.keras", scratch / "new.csv", "--json", "--all"});
  EXPECT_EQ(nlohmann::json::parse(lines.out.substr(0, lines.out.find('\n')))["probabilities"].size(), 3U);
  formats::write_file(scratch / "poor.csv", "colour,width\nred,5\n");
  const Outcome poor = brio({"predict", run + "/model.keras", scratch / "poor.csv"});
  EXPECT_EQ(poor.code, 1);
  expect_in(poor.err, "has no column length, which the model was trained with");
}

TEST(Job, FirstRowOfAFileWithoutHeaderCounts) {
  const Scratch scratch;
  const std::string table = flowers(scratch, false);
  const nlohmann::json json = brio_json({"fit", table, "--epochs", "2"});
  expect_in(json["found"][0], "a table of 150 rows and 4 columns");
  expect_in(json["warnings"].dump(), "the first row holds values, not names");
  // One that is all text has a header where its first row differs from what is below.
  formats::write_file(scratch / "words.csv", "a;b\nx;yes\ny;no\nx;yes\ny;no\n");
  const nlohmann::json words = brio_json({"fit", scratch / "words.csv", "--epochs", "1"});
  expect_in(words["found"][0], "a table of 4 rows and 2 columns, with their names");
  expect_in(words["warnings"].dump(), "fields are parted by ';'");
}

TEST(Job, ValuesArePredictedInTheirUnits) {
  const Scratch scratch;
  std::string text = "a,b,price\n";
  for (int i = 0; i < 200; ++i)
    text += cat(i % 17, ",", i % 13, ",", 1000 + 50 * (i % 17) - 20 * (i % 13) + 0.5, "\n");
  text += "3,4,\n";
  formats::write_file(scratch / "prices.csv", text);
  const std::string run = scratch / "run";
  const nlohmann::json json = brio_json({"fit", scratch / "prices.csv", "--out", run});
  expect_in(json["warnings"].dump(), "1 of 201 rows have no price, and are left out");
  EXPECT_GT(json["validation"]["r2"], 0.9);
  const Outcome said = brio({"predict", run + "/model.keras", scratch / "prices.csv"});
  expect_in(said.out, "file,value\n");
  const double first = std::stod(said.out.substr(said.out.find("csv:1,") + 6));
  EXPECT_NEAR(first, 1000.5, 120);
}

TEST(Job, PicturesBecomeAModel) {
  const Scratch scratch;
  make_folder(scratch / "set/train", 24);
  make_folder(scratch / "set/validation", 8);
  const std::string run = scratch / "run";
  const nlohmann::json json =
      brio_json({"fit", scratch / "set", "--out", run, "--epochs", "3", "--batch", "4", "--size", "16x16"});
  expect_in(json["found"].dump(), "24 to train (");
  expect_in(json["found"].dump(), "8 to validate (");
  const nlohmann::json scores = brio_json({"eval", run + "/model.keras", scratch / "set/validation"});
  EXPECT_EQ(scores["samples"], 8);
  EXPECT_EQ(scores["accuracy"], json["validation"]["accuracy"]);
  const Outcome said =
      brio({"predict", run + "/model.keras", scratch / "set/validation", "--out", scratch / "p.csv"});
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string csv = formats::read_file(scratch / "p.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 9);

  // The same through `brio pack`.
  ASSERT_EQ(brio({"pack", scratch / "set/train", scratch / "packed", "--quiet"}).code, 0);
  const nlohmann::json packed =
      brio_json({"fit", scratch / "packed", "--epochs", "1", "--batch", "4", "--size", "16x16"});
  expect_in(packed["found"].dump(), "packed pictures in 1 shard");
  EXPECT_EQ(packed["history"]["val_accuracy"].size(), 1U);
  // And a model to train further.
  const nlohmann::json further = brio_json(
      {"fit", scratch / "set", "--model", run + "/model.keras", "--epochs", "1", "--batch", "4", "--size", "16x16"});
  EXPECT_EQ(further["epochs"], 1);
}

TEST(Job, SeriesAreForecast) {
  const Scratch scratch;
  std::string text = "when,load\n";
  for (int i = 0; i < 600; ++i)
    text += cat("2026-01-", 1 + i / 24 % 28, ",", i == 40 ? std::string() : cat(100 + 30 * std::sin(i * 0.26)), "\n");
  formats::write_file(scratch / "load.csv", text);
  const std::string run = scratch / "run";
  const nlohmann::json json = brio_json(
      {"fit", scratch / "load.csv", "--forecast", "load", "--window", "24", "--horizon", "3", "--out", run});
  EXPECT_LT(json["validation"]["mae"].get<double>(), 0.3 * json["last_value_mae"].get<double>());
  expect_in(json["warnings"].dump(), "1 cells are missing; they count as the value before");
  const Outcome said = brio({"predict", run + "/model.keras", scratch / "load.csv"});
  EXPECT_EQ(std::ranges::count(said.out, '\n'), 4) << said.out;  // three values that follow
  expect_in(said.out, "load.csv:600+1,");
  EXPECT_NEAR(std::stod(said.out.substr(said.out.find(":600+1,") + 7)), 100 + 30 * std::sin(600 * 0.26), 4);
  const nlohmann::json scores = brio_json({"eval", run + "/model.keras", scratch / "load.csv"});
  EXPECT_EQ(scores["samples"], (600 - 24 - 3 + 1) * 3);
  const Outcome wrong = brio({"fit", scratch / "load.csv", "--forecast", "when"});
  EXPECT_EQ(wrong.code, 2);
  expect_in(wrong.err, "which is no number");
  EXPECT_EQ(brio({"fit", scratch / "load.csv", "--horizon", "2"}).code, 2);
}

TEST(Job, BadInputIsSaid) {
  const Scratch scratch;
  const auto refused = [](const std::vector<std::string>& words, const std::string& why, int code = 2) {
    const Outcome outcome = brio(words);
    EXPECT_EQ(outcome.code, code) << outcome.out;
    expect_in(outcome.err, why);
  };
  make_folder(scratch / "set/test", 4);
  refused({"fit", scratch / "set"}, "but no folder named train; without it the parts would be taken for classes");
  std::filesystem::create_directories(scratch / "empty");
  refused({"fit", scratch / "empty"}, "has no subfolders; put the pictures of each class into a folder of its name");
  formats::write_file(scratch / "same.csv", "a,b\n1,x\n2,x\n");
  refused({"fit", scratch / "same.csv"}, "holds one class alone, x");
  formats::write_file(scratch / "ragged.csv", "a,b\n1,2\n3,4\n5\n");
  refused({"fit", scratch / "ragged.csv"}, "it has 1 fields, but the first row has 2", 1);
  formats::write_file(scratch / "some.keras", "no model");
  refused({"predict", scratch / "some.keras", scratch / "same.csv"}, "some.keras", 1);
  refused({"predict", scratch / "some.keras"}, "takes a MODEL and FILES");
  refused({"fit", scratch / "same.csv", "--resume"}, "--resume needs --out RUN");
  refused({"fit", scratch / "same.csv", "--task", "both"}, "--task is both; it is classes or values");
  // With --json the error is an object, too.
  const Outcome outcome = brio({"fit", scratch / "same.csv", "--json"});
  EXPECT_EQ(outcome.code, 2);
  expect_in(nlohmann::json::parse(outcome.out)["error"], "holds one class alone");
}

TEST(Job, CutOffRunGoesOn) {
  const Scratch scratch;
  const std::string table = flowers(scratch, true);
  const std::vector<std::string> words = {"fit", table, "--epochs", "40", "--batch", "4", "--out"};
  const auto with = [&](const std::string& run, bool resume = false) {
    std::vector<std::string> all = words;
    all.push_back(run);
    if (resume) all.emplace_back("--resume");
    return all;
  };
  const auto begin = std::chrono::steady_clock::now();
  const nlohmann::json whole = brio_json(with(scratch / "whole"));
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // Ended by a signal: 130, and a line that says where it is kept.
  bool stopped = false;
  for (int i = 0; i < 50 && !stopped; ++i) {
    std::filesystem::remove_all(scratch / "cut");
    std::string command = cat("timeout --preserve-status --signal=INT ", took * (i % 10 + 1) / 11, " ", BRIO_TOOL);
    for (const std::string& word : with(scratch / "cut")) command += cat(" ", quoted_word(word));
    const int status = std::system(cat(command, " > /dev/null 2> ", quoted_word(scratch / "err")).c_str());
    const std::string said = formats::read_file(scratch / "err");
    // It may come too late, or too early: before the first step there is nothing to save.
    stopped = said.find("stopped by SIGINT after step") != std::string::npos &&
              said.find("after step 0 ") == std::string::npos;
    if (!stopped) continue;
    EXPECT_EQ(WEXITSTATUS(status), 130) << said;
    expect_in(said, "saved as ");
    EXPECT_FALSE(std::filesystem::exists(scratch / "cut/model.keras"));
  }
  ASSERT_TRUE(stopped);
  const Outcome again = brio(with(scratch / "cut"));
  EXPECT_EQ(again.code, 2);
  expect_in(again.err, "holds a run; --resume goes on with it");
  const nlohmann::json json = brio_json(with(scratch / "cut", true));
  EXPECT_EQ(json["history"], whole["history"]);
  EXPECT_EQ(json["validation"], whole["validation"]);
  EXPECT_EQ(formats::read_file(scratch / "cut/log.csv"), formats::read_file(scratch / "whole/log.csv"));
  // Every file of a run has a checksum, and the log and the page none.
  const nlohmann::json verified = brio_json({"verify", scratch / "cut/checkpoints", scratch / "cut/model.keras"});
  EXPECT_TRUE(verified["broken"].empty()) << verified;
  const Outcome other = brio({"fit", table, "--out", scratch / "cut", "--resume", "--seed", "7"});
  expect_in(other.err, "--seed is 7, but the run in ");
}

TEST(Job, VerifyResumeKillsAndCompares) {
  const Scratch scratch;
  const std::string table = flowers(scratch, true);
  const nlohmann::json json = brio_json({"verify-resume", table, "--epochs", "30", "--batch", "4", "--kills", "6"});
  EXPECT_EQ(json["kills"], 6);
  EXPECT_EQ(json["same_bits"], true);
  const Outcome wrong = brio({"verify-resume", table, "--label", "none"});
  EXPECT_EQ(wrong.code, 1);
  expect_in(wrong.err, "a run failed: ");
}

}  // namespace
}  // namespace brio::cli
