// brio doctor, brio compare and brio fit --doctor.
#include "tests/cli/made_pictures.h"
#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

using formats::Scratch;

TEST(DoctorCommand, RunsAProgramAndWritesItsReport) {
  const Scratch scratch;
  make_folder(scratch / "photos", 24);
  const std::string out = scratch / "report.json", page = scratch / "page.html", trace = scratch / "trace.json";
  const Outcome outcome = brio({"doctor", "--out", out, "--page=" + page, "--trace", trace, "--", BRIO_TOOL, "fit",
                                scratch / "photos", "--epochs", "3", "--batch", "4", "--size", "16x12"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "Epoch 3/3");
  expect_in(outcome.err, "brio doctor: 14 steps of fit, 4 samples each\n");
  const auto report = nlohmann::json::parse(formats::read_file(out));
  EXPECT_EQ(report["steps"], 14);  // 20 of 24 pictures, 3 epochs; the first step is the start
  const std::string html = formats::read_file(page);
  for (const char* part :
       {"<title>brio doctor</title>", "A step: ", "The newest steps", "Memory by owner", "</html>"})
    expect_in(html, part);
  for (const char* loaded : {"http", "<script", "src="}) EXPECT_EQ(html.find(loaded), std::string::npos) << loaded;
  size_t steps = 0;
  const auto events = nlohmann::json::parse(formats::read_file(trace));
  for (const auto& event : events["traceEvents"])
    steps += event["name"] == "step" ? event["args"]["steps"].get<size_t>() : 0;
  EXPECT_EQ(steps, 14u);
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
  EXPECT_EQ(brio({"doctor", "--page"}).code, 2);
}

TEST(FitCommand, PrintsTheVerdictWhereItIsAskedFor) {
  const Scratch scratch;
  make_folder(scratch / "photos", 12);
  const Outcome outcome = brio({"fit", scratch / "photos", "--epochs", "2", "--batch", "4", "--size", "16x12",
                                "--doctor", "--trace", scratch / "trace.json", "--out", scratch / "run"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "brio doctor: 5 steps of fit, 4 samples each\n");
  EXPECT_FALSE(nlohmann::json::parse(formats::read_file(scratch / "trace.json"))["traceEvents"].empty());
  expect_in(formats::read_file(scratch / "run/report.html"), "A step: ");  // the page of the run says where time went
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
  const auto json = nlohmann::json::parse(brio({"compare", scratch / "a.json", scratch / "b.json", "--json"}).out);
  EXPECT_NEAR(json["change"].get<double>(), 0.12, 1e-6);
  EXPECT_NEAR(json["change_by_part"]["input"].get<double>(), 0.09, 1e-3);
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
