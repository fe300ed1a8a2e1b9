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

// Tried: the step takes half as long in the other precision.
Evidence tried_in(const char* now, const char* other) {
  Evidence e = healthy();
  e.trials.alone = 0.0098;
  e.trials.precision = {.now = now,
                        .other = other,
                        .seconds = 0.0096,
                        .at_other = 0.0048,
                        .loss = 0.5,
                        .other_loss = 0.502,
                        .keeps_loss = true};
  return e;
}

TEST(Rules, AnotherPrecisionThatPays) {
  Evidence e = tried_in("float32", "mixed_bfloat16");
  const auto finding = found(e, "precision");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "float32");
  EXPECT_EQ(finding->remedy,
            "tf.keras.mixed_precision.set_global_policy(\"mixed_bfloat16\")  # before the model is made");
  EXPECT_EQ(finding->gain.how, How::tried);
  EXPECT_NEAR(finding->gain.factor, 10.0 / (10 - 9.8 / 2), 1e-6);
  EXPECT_EQ(number(*finding, "step_ms_in_float32"), 9.6);
  EXPECT_EQ(number(*finding, "step_ms_in_mixed_bfloat16"), 4.8);
  EXPECT_EQ(number(*finding, "loss_in_float32"), 0.5);
  EXPECT_EQ(number(*finding, "loss_in_mixed_bfloat16"), 0.502);
  e.from_python = false;
  EXPECT_EQ(found(e, "precision")->remedy, "nn::set_global_policy(\"mixed_bfloat16\");  // before the model is made");
  e = tried_in("mixed_bfloat16", "float32");
  EXPECT_EQ(found(e, "precision")->where, "mixed_bfloat16");
}

TEST(Rules, AnotherPrecisionThatDoesNotPay) {
  Evidence e = tried_in("float32", "mixed_bfloat16");
  e.trials.precision.keeps_loss = false;
  EXPECT_FALSE(found(e, "precision"));
  e = tried_in("float32", "mixed_bfloat16");
  e.trials.precision.at_other = 0.0086;  // digits are worth more than 10 %
  EXPECT_FALSE(found(e, "precision"));
  e.trials.precision.other = "float32";  // they cost nothing
  EXPECT_TRUE(found(e, "precision"));
  e.trials.precision.at_other = 0.0094;  // 2 % less
  EXPECT_FALSE(found(e, "precision"));
  e.trials.precision.at_other = 0.02;
  EXPECT_FALSE(found(e, "precision"));
  EXPECT_FALSE(found(healthy(), "precision"));  // nobody has tried it
  Input input;
  e = input.evidence();
  e.input = &e.pipelines[0];
  e.trials.precision = tried_in("float32", "mixed_bfloat16").trials.precision;
  EXPECT_FALSE(found(e, "precision"));  // the steps would only wait longer
}

TEST(Rules, ALayerThatTakesMostOfAStep) {
  Evidence e = healthy();
  profile::LayerTrial& layer = e.trials.layer;
  layer = {.layer = "conv2d_1",
           .seconds = 0.008,
           .step = 0.010,
           .reached = 0.4,
           .form = profile::LayerTrial::Form::separable,
           .axes = 2,
           .filters = 64,
           .window = 7,
           .as_it_is = 0.006,
           .cheaper = 0.0015};
  auto finding = found(e, "layer_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "conv2d_1");
  EXPECT_TRUE(finding->remedy.starts_with("tf.keras.layers.SeparableConv2D(64, 7, ...)  # for conv2d_1,"))
      << finding->remedy;
  EXPECT_EQ(finding->gain.how, How::tried);
  EXPECT_NEAR(finding->gain.factor, 10 / (10 - 9.8 * 0.8 * 0.75), 1e-6);  // of 80 % of computing a fourth is left
  layer.form = profile::LayerTrial::Form::strided;
  layer.stride = 2;
  finding = found(e, "layer_bound");
  ASSERT_TRUE(finding);
  EXPECT_TRUE(
      finding->remedy.starts_with("tf.keras.layers.Conv2D(64, 7, ..., strides=2)  # for conv2d_1, and without"))
      << finding->remedy;
  layer.cheaper = 0.005;  // a little less is not worth another model
  EXPECT_FALSE(found(e, "layer_bound"));
  layer.form = profile::LayerTrial::Form::none;
  layer.cheaper = 0.001;
  EXPECT_FALSE(found(e, "layer_bound"));
}

// 500 steps of 10 ms on a device, nearly all of it computing there.
Evidence on_a_device() {
  Evidence e = healthy();
  e.device = {.device = "cuda:0",
              .steps = 480,
              .copies_in = 2,
              .bytes_in = 1e6,
              .copies_out = 0.1,
              .bytes_out = 4,
              .launches = 100,
              .copying_in = 0.0001,
              .copying_out = 1e-6,
              .launching = 0.0005,
              .computing = 0.009,
              .on_host = 0.5};
  return e;
}

TEST(Rules, FindNothingInAHealthyRunOnADevice) { EXPECT_TRUE(judge(on_a_device()).findings.empty()); }

TEST(Rules, BatchesThatAreLongOnTheirWay) {
  Evidence e = on_a_device();
  e.device.bytes_in = 80e6;
  e.device.copying_in = 0.0094;
  auto finding = found(e, "copy_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "to cuda:0");
  EXPECT_NE(finding->remedy.find("tf.cast(x, tf.float16)"), std::string::npos) << finding->remedy;
  EXPECT_NEAR(finding->gain.factor, 10 / (10 - 4.7), 1e-6);
  e.device.copying_in = 0.005;  // beside a step that takes longer
  EXPECT_FALSE(found(e, "copy_bound"));
  e.kind = profile::RunKind::function_loop;  // who copies by hand waits for it
  EXPECT_TRUE(found(e, "copy_bound"));
}

TEST(Rules, ResultsThatAreReadFromADevice) {
  Evidence e = on_a_device();
  e.kind = profile::RunKind::function_loop;
  e.device.bytes_out = 60e6;
  e.device.copying_out = 0.006;
  e.read_lines = {{.name = "train.py:12", .detail = "", .count = 500, .ticks = 0}};
  const auto finding = found(e, "copy_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "from cuda:0, train.py:12");
  EXPECT_EQ(finding->remedy, "if step % 100 == 0:  # around the line that reads");
  EXPECT_NEAR(finding->gain.factor, 10 / (4 + 0.06), 1e-6);
}

TEST(Rules, AnOpThatADeviceLacks) {
  Evidence e = on_a_device();
  e.device.fallbacks = 3;
  e.device.fallback = "unique";
  e.device.copying_in = 0.003;
  e.device.copying_out = 0.004;
  e.device.on_host = 0.004;
  const auto finding = found(e, "copy_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "unique on cuda:0");
  EXPECT_EQ(number(*finding, "fallbacks_a_step"), 3);
  e.device.on_host = 0.5;  // it would be no better off there
  EXPECT_FALSE(found(e, "copy_bound"));
}

TEST(Rules, MoreLaunchesThanWork) {
  Evidence e = on_a_device();
  e.device.launching = 0.009;
  e.device.computing = 0.001;
  const auto finding = found(e, "launch_bound");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "cuda:0");
  EXPECT_EQ(finding->remedy, "model.fit(..., batch_size=256)");
  EXPECT_NEAR(finding->gain.factor, 10 / (9.0 / 4 + 1), 1e-6);
  e.device.on_host = 0.001;  // whatever the batch, it is done sooner there
  EXPECT_FALSE(found(e, "launch_bound"));
  EXPECT_TRUE(found(e, "small_work_on_device"));
  e.device.on_host = 0;
  e.device.computing = 0.006;  // there is work to hide them behind
  EXPECT_FALSE(found(e, "launch_bound"));
}

TEST(Rules, WorkThatTheHostDoesSooner) {
  Evidence e = on_a_device();
  e.device.on_host = 0.001;
  const auto finding = found(e, "small_work_on_device");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->where, "cuda:0");
  EXPECT_EQ(finding->remedy, "with tf.device(\"CPU:0\"):  # around training");
  EXPECT_NEAR(finding->gain.factor, 10 / (0.2 + 1), 1e-6);
  e.device.on_host = 0.009;  // reckoned, and too near to be sure
  EXPECT_FALSE(found(e, "small_work_on_device"));
  e.device.on_host = 0;  // the machine was not measured
  EXPECT_FALSE(found(e, "small_work_on_device"));
}

}  // namespace
}  // namespace brio::doctor
