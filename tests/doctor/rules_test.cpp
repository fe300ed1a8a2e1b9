// Rules whose causes a test cannot bring about at will (a full memory, a slow disk, other processes), on evidence
// that is made up; and each of them without its cause.
#include <gtest/gtest.h>

#include "brio/doctor/verdict.h"

namespace brio::doctor {
namespace {

using profile::StageKind;

// A run of fit() that is healthy: 500 steps of 10 ms, nearly all of it computing.
Evidence healthy() {
  Evidence e;
  e.kind = profile::RunKind::fit;
  e.from_python = true;
  e.steps = 500;
  e.rows = 64;
  e.step = e.median = e.p90 = 0.010;
  e.wall = 5;
  e.epochs = e.epochs_asked = 5;
  e.steps_an_epoch = 100;
  e.parts[static_cast<size_t>(Part::run)] = 0.0098;
  e.parts[static_cast<size_t>(Part::host)] = 0.0002;
  e.cpus = e.threads = 4;
  e.free_memory = 8e9;
  for (int i = 0; i < 10; ++i) {
    profile::Sample sample;
    sample.at = static_cast<uint64_t>(i) * 1'000'000'000;
    sample.rss = 1'000'000'000;
    e.samples.push_back(sample);
  }
  return e;
}

std::optional<Finding> found(const Evidence& e, const std::string& id) {
  for (const Finding& finding : judge(e).findings)
    if (finding.id == id) return finding;
  return {};
}

double number(const Finding& finding, const std::string& name) {
  for (const auto& [each, figure] : finding.evidence)
    if (each == name) return std::get<double>(figure);
  ADD_FAILURE() << finding.id << " has no figure " << name;
  return 0;
}

TEST(Rules, FindNothingInAHealthyRun) { EXPECT_TRUE(judge(healthy()).findings.empty()); }

TEST(Rules, MemoryThatIsSwappedOut) {
  Evidence e = healthy();
  e.samples.back().swap = 64'000'000;
  const auto finding = found(e, "memory_pressure");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "swap");
  EXPECT_EQ(number(*finding, "swapped_bytes"), 64e6);
  EXPECT_EQ(finding->gain.how, How::none);  // nobody has tried it with more memory
}

TEST(Rules, PagesThatAreReadAgain) {
  Evidence e = healthy();
  e.samples.back().major_faults = 5000;
  EXPECT_FALSE(found(e, "memory_pressure"));  // a file that is mapped is read once: memory is not short
  e.free_memory = 10e6;
  const auto finding = found(e, "memory_pressure");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "page faults");
  EXPECT_EQ(number(*finding, "major_faults_a_step"), 10);
}

TEST(Rules, AThreadWithoutAProcessor) {
  Evidence e = healthy();
  e.waited_cpu = 0.5;
  e.cpu_a_step = 0.5 * e.step;
  EXPECT_EQ(found(e, "cpu_contention")->where, "other processes");
  e.cpu_a_step = 4 * e.step;  // all processors are busy with our own work
  EXPECT_FALSE(found(e, "cpu_contention"));
  e.threads = 16;
  auto finding = found(e, "cpu_contention");
  EXPECT_EQ(finding->where, "threads");
  EXPECT_EQ(finding->remedy, "BRIO_THREADS=4");
  e = healthy();
  e.throttled = 0.4;
  finding = found(e, "cpu_contention");
  EXPECT_EQ(finding->where, "the control group's quota");
  EXPECT_NEAR(finding->gain.factor, 1 / 0.6, 1e-6);
  e.throttled = 0.05;
  EXPECT_FALSE(found(e, "cpu_contention"));
}

TEST(Rules, AStartThatTakesLong) {
  Evidence e = healthy();
  e.before_first_step = 2;
  e.first_step = 1;
  EXPECT_FALSE(found(e, "slow_start"));
  e.before_first_step = 60;
  EXPECT_EQ(found(e, "slow_start")->where, "the program before training");
  e.before_first_step = 1;
  e.first_step = 30;
  EXPECT_EQ(found(e, "slow_start")->where, "the first step");
  e.wall = 3600;  // an hour of training: half a minute is no matter
  EXPECT_FALSE(found(e, "slow_start"));
}

TEST(Rules, ShapesThatDoNotComeBack) {
  Evidence e = healthy();
  e.parts[static_cast<size_t>(Part::plan)] = 0.004;
  e.parts[static_cast<size_t>(Part::run)] = 0.0058;
  EXPECT_FALSE(found(e, "shape_churn"));  // nobody knows of what
  e.plans = {{.name = "eager code", .detail = "(64, 17) x (17, 8)", .count = 200, .ticks = 1000}};
  const auto finding = found(e, "shape_churn");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "eager code");
  EXPECT_NEAR(finding->gain.factor, 10.0 / 6, 1e-6);
  e.plans[0].count = 2;  // of the beginning
  EXPECT_FALSE(found(e, "shape_churn"));
  e.plans.clear();
  e.functions = {{.name = "the step of fit", .detail = "", .count = 1, .ticks = 1000}};
  EXPECT_EQ(found(e, "shape_churn")->where, "the step of fit");
}

// Steps that wait 6 of 10 ms for batches of 32, read and decoded by two threads.
struct Input {
  static profile::StageFacts stage(const char* name, StageKind kind, double seconds) {
    profile::StageFacts facts;
    facts.name = name;
    facts.kind = kind;
    facts.elements = 32;
    facts.seconds = seconds;
    facts.cpu = 1;
    return facts;
  }
  profile::StageFacts source = stage("list_files", StageKind::source, 0);
  profile::StageFacts read = stage("read", StageKind::read, 0.001), map = stage("map", StageKind::map, 0.001);
  profile::RingFacts ring{.stage = "map", .elements = 500, .workers = 3, .depth = 4};
  int64_t epochs = 1;

  Evidence evidence() const {
    Evidence e = healthy();
    e.parts[static_cast<size_t>(Part::input)] = 0.006;
    e.parts[static_cast<size_t>(Part::run)] = 0.0038;
    e.epochs = e.epochs_asked = epochs;
    profile::PipelineFacts facts;
    facts.key = 1;
    facts.read = 500;
    facts.bytes = 1'000'000;
    facts.stages = {source, read, map};
    facts.rings = {ring};
    facts.rings[0].waited = 3;
    e.pipelines = {facts};
    return e;
  }
  Finding finding() const {
    Evidence e = evidence();
    e.input = &e.pipelines[0];
    const auto finding = found(e, "input_bound");
    EXPECT_TRUE(finding);
    return finding.value_or(Finding());
  }
};

std::string cause(const Finding& finding) {
  for (const auto& [each, figure] : finding.evidence)
    if (each == "cause") return std::get<std::string>(figure);
  return "";
}

TEST(Rules, FilesOfASlowDisk) {
  Input input;
  input.read.seconds = 0.040;
  input.read.cpu = 0.1;
  const Finding finding = input.finding();
  EXPECT_EQ(cause(finding), "read");
  EXPECT_EQ(finding.where, "read");
}

TEST(Rules, FilesThatAreReadOneByOne) {
  Input input;
  input.read.seconds = 0.040;
  input.read.cpu = 0.95;
  const Finding finding = input.finding();
  EXPECT_EQ(cause(finding), "not_packed");
  EXPECT_NE(finding.remedy.find("brio pack"), std::string::npos);
}

TEST(Rules, BatchesThatComeUnevenly) {
  Input input;
  input.map.seconds = 0.010;  // with four threads a fourth of that: less than a step takes
  input.ring.found_full = 40;
  input.ring.found_empty = 60;
  Evidence e = input.evidence();
  e.parts[static_cast<size_t>(Part::input)] = 0.002;
  e.parts[static_cast<size_t>(Part::run)] = 0.0078;
  e.pipelines[0].rings[0].waited = 1;
  e.input = &e.pipelines[0];
  const auto finding = found(e, "input_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(cause(*finding), "small_prefetch");
  EXPECT_EQ(finding->remedy, ".prefetch(tf.data.AUTOTUNE)");
  EXPECT_NEAR(finding->gain.factor, 10.0 / 8, 0.01);
}

TEST(Rules, ACacheIsFilledOnce) {
  Input input;
  input.read.seconds = 0.040;
  input.read.pure = true;
  input.epochs = 5;
  const Finding finding = input.finding();
  EXPECT_NE(finding.remedy.find(".cache()"), std::string::npos);
  EXPECT_NEAR(finding.gain.factor, 10.0 / ((10 + 4 * 4) / 5.0), 0.01);  // one epoch of five as before, four without
}

}  // namespace
}  // namespace brio::doctor
