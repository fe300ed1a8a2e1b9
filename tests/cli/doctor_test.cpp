// brio doctor, brio compare and brio fit --doctor.
#include "tests/cli/made_pictures.h"
#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

using formats::Scratch;

TEST(DoctorCommand, RunsAProgramAndWritesItsReport) {
  const Scratch scratch;
  make_folder(scratch / "photos", 24);
  const std::string out = scratch / "report.json";
  const Outcome outcome = brio({"doctor", "--out", out, "--", BRIO_TOOL, "fit", scratch / "photos", "--epochs", "3",
                                "--batch", "4", "--size", "16x12"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "Epoch 3/3");
  expect_in(outcome.err, "brio doctor: 14 steps of fit, 4 samples each\n");
  const auto report = nlohmann::json::parse(formats::read_file(out));
  EXPECT_EQ(report["steps"], 14);  // 20 of 24 pictures, 3 epochs; the first step is the start
}

TEST(DoctorCommand, EndsAsTheProgramDoes) {
  const Scratch scratch;
  const std::string out = scratch / "report.json";
  const Outcome failed = brio({"doctor", "--out", out, "--", "sh", "-c", "exit 7"});
  EXPECT_EQ(failed.code, 7);
  expect_in(failed.err, "wrote no report");
  EXPECT_EQ(brio({"doctor", "--out", out, "--", "no-such-program-here"}).code, 127);
  EXPECT_EQ(brio({"doctor"}).code, 2);
  EXPECT_EQ(brio({"doctor", "--nonsense", "--", "true"}).code, 2);
}

TEST(FitCommand, PrintsTheVerdictWhereItIsAskedFor) {
  const Scratch scratch;
  make_folder(scratch / "photos", 12);
  const Outcome outcome =
      brio({"fit", scratch / "photos", "--epochs", "2", "--batch", "4", "--size", "16x12", "--doctor"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "brio doctor: 5 steps of fit, 4 samples each\n");
}

void write_report(const std::string& path, double step_ms, double input) {
  formats::write_file(path, nlohmann::json{{"version", 1},
                                           {"steps", 100},
                                           {"step_ms", {{"median", step_ms}, {"p90", step_ms}}},
                                           {"time", {{"input", input}, {"run", 1 - input}}}}
                                .dump());
}

TEST(CompareCommand, NamesWhatBecameSlower) {
  const Scratch scratch;
  write_report(scratch / "a.json", 10, 0.2);
  write_report(scratch / "b.json", 11.2, 0.259);
  const Outcome outcome = brio({"compare", scratch / "a.json", scratch / "b.json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "12% slower: input +9%, run +3% (a step: 10 ms, then 11.2 ms)");
  expect_in(brio({"compare", scratch / "b.json", scratch / "a.json"}).out, "11% faster: ");
  expect_in(brio({"compare", scratch / "a.json", scratch / "a.json"}).out, "as fast as before");
}

TEST(CompareCommand, SaysWhatIsNoReport) {
  const Scratch scratch;
  formats::write_file(scratch / "x.json", "[1, 2");
  write_report(scratch / "a.json", 10, 0.2);
  const Outcome outcome = brio({"compare", scratch / "a.json", scratch / "x.json"});
  EXPECT_EQ(outcome.code, 2);
  expect_in(outcome.err, "x.json is no report of the doctor");
  EXPECT_EQ(brio({"compare", scratch / "a.json"}).code, 2);
}

}  // namespace
}  // namespace brio::cli
