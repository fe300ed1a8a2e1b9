// Runs in C++ that are slow in one known way: what the doctor says of them, and that it changes nothing.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "brio/base/cpu_count.h"
#include "brio/brio.h"
#include "brio/doctor/verdict.h"
#include "brio/runtime/device_costs.h"
#include "tests/walled_device.h"

namespace brio::doctor {
namespace {

using nlohmann::json;

struct Rows {
  Tensor x, y;
};
Rows made_rows(int64_t n, int64_t width = 32) {
  const Tensor x = random::uniform({n, width}, {.seed = 1});
  return {x, sum(x, 1, true)};
}

nn::Sequential made_model(int64_t width = 64) {
  nn::Sequential model({nn::Dense(width, {.activation = "relu"}), nn::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model;
}

void sleep_ms(double ms) { std::this_thread::sleep_for(std::chrono::duration<double>(ms * 1e-3)); }

// In a process of its own: the recorder is the process's. Returns the report.
template <typename F>
json report_of(F&& train) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      profile::want_trials(true);
      train();
      const Verdict verdict = judge();
      text = json{{"report", json::parse(verdict.json())}, {"screen", verdict.screen()}}.dump();
    } catch (const std::exception& error) {
      text = json{{"error", error.what()}}.dump();
    }
    for (size_t done = 0; done < text.size();)
      done += static_cast<size_t>(write(ends[1], text.data() + done, text.size() - done));
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; (n = read(ends[0], piece, sizeof piece)) > 0;) text.append(piece, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  const json all = json::parse(text);
  if (all.contains("error")) throw std::runtime_error(all["error"]);
  return all;
}

// Under a sanitizer the run and the verdict are checked; what it says of the time is the sanitizer's.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN() GTEST_SKIP() << "a sanitizer's checks take most of the time"
#else
#define SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN() static_cast<void>(0)
#endif

// What other processes do to a run is not the run's fault.
json findings_but(const json& all, std::initializer_list<const char*> passed_over) {
  json rest = json::array();
  for (const json& finding : all["report"]["findings"])
    if (std::ranges::find(passed_over, finding["id"].get<std::string>()) == passed_over.end())
      rest.push_back(finding);
  return rest;
}
json findings_of(const json& all) { return findings_but(all, {"cpu_contention"}); }

void expect_first(const json& all, const std::string& id, const std::string& where) {
  const json findings = findings_of(all);
  ASSERT_FALSE(findings.empty()) << all["screen"].get<std::string>();
  EXPECT_EQ(findings[0]["id"], id) << all["screen"].get<std::string>();
  EXPECT_NE(findings[0]["where"].get<std::string>().find(where), std::string::npos) << findings[0]["where"];
}

TEST(Doctor, NamesACallbackThatIsSlow) {
  struct Slow : train::Callback {
    void on_train_batch_end(train::Progress&, int64_t) override { sleep_ms(1); }
  };
  const json all = report_of([] {
    const Rows rows = made_rows(3200);
    made_model().fit(rows.x, rows.y, {.epochs = 2, .verbose = 0, .callbacks = {std::make_shared<Slow>()}});
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  expect_first(all, "callback_bound", "Slow");
  const json found = findings_of(all)[0];
  EXPECT_EQ(found["gain"]["how"], "computed");
  // Without the callback the rest of the step is left.
  EXPECT_NEAR(1 / found["gain"]["factor"].get<double>(), 1 - all["report"]["time"]["callbacks"].get<double>(), 0.05);
}

TEST(Doctor, NamesAGeneratorThatIsSlow) {
  const json all = report_of([] {
    const auto make = [] {
      auto n = std::make_shared<int>(0);
      return data::Next([n](std::vector<Tensor>& values) {
        if (++*n > 100) return false;
        sleep_ms(1);
        values = {zeros({32}), zeros({1})};
        return true;
      });
    };
    made_model().fit(data::from_generator(make, data::Structure::tuple_of(2)).batch(10), {.epochs = 3, .verbose = 0});
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  expect_first(all, "input_bound", "generator");
  EXPECT_EQ(findings_of(all)[0]["evidence"]["cause"], "one_thread");
}

TEST(Doctor, NamesAMapOfOneThread) {
  const json all = report_of([] {
    const Rows rows = made_rows(400);
    const data::Dataset ds =
        data::from_tensor_slices({rows.x, rows.y})
            .map(
                [](data::Sample& sample) {
                  sleep_ms(0.5);
                  std::memcpy(sample.write<float>(0, {32}), sample.read<float>(0), 32 * sizeof(float));
                  *sample.write<float>(1, {1}) = *sample.read<float>(1);
                },
                {.num_parallel_calls = 1, .results = 2})
            .batch(20);
    made_model().fit(ds, {.epochs = 2, .verbose = 0});
  });
  if (usable_cpus() < 2) GTEST_SKIP() << "one processor: more threads help nobody";
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  expect_first(all, "input_bound", "map");
  EXPECT_EQ(findings_of(all)[0]["evidence"]["cause"], "one_thread");
}

TEST(Doctor, NamesATinyBatch) {
  const json all = report_of([] {
    const Rows rows = made_rows(4000);
    made_model(256).fit(rows.x, rows.y, {.epochs = 1, .batch_size = 1, .verbose = 0});
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  expect_first(all, "tiny_batch", "batch");
  EXPECT_EQ(findings_of(all)[0]["gain"]["how"], "tried");
}

TEST(Doctor, NamesAnEvaluationThatTakesLong) {
  const json all = report_of([] {
    const Rows rows = made_rows(1600), more = made_rows(16000);
    made_model(256).fit(rows.x, rows.y, {.epochs = 8, .validation_data = {.x = more.x, .y = more.y}, .verbose = 0});
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  expect_first(all, "evaluation_bound", "validation");
}

TEST(Doctor, NamesAnEagerLoop) {
  const json all = report_of([] {
    const Rows rows = made_rows(8, 4);
    Variable w(zeros({4, 1}));
    nn::SGD sgd(0.01);
    for (int i = 0; i < 3000; ++i) {
      GradientTape tape;
      Tensor h = matmul(rows.x, w);
      for (int k = 0; k < 20; ++k) h = tanh(h) + h * 0.5f;
      sgd.apply_gradients(tape.gradient(mean(square(h - rows.y)), {w}), {w});
    }
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  expect_first(all, "eager_loop", "loop");
}

TEST(Doctor, FindsNothingInAHealthyRun) {
  const json all = report_of([] {
    const Rows rows = made_rows(20000, 256);
    made_model(512).fit(rows.x, rows.y, {.epochs = 3, .batch_size = 128, .verbose = 0});
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  // It is in float32: where the machine multiplies bf16 faster, saying so is right.
  for (const json& finding : findings_of(all))
    if (finding["id"] != "precision") {
      EXPECT_LT(finding["gain"]["factor"].get<double>(), 1.05) << finding.dump(1);
    }
}

TEST(Doctor, ChangesNoBitOfTheWeights) {
  const auto trained = [](bool doctor) {
    set_random_seed(7);
    const Rows rows = made_rows(2000);
    nn::Sequential model(
        {nn::Dense(64, {.activation = "relu"}), nn::BatchNormalization(), nn::Dropout(0.3), nn::Dense(1)});
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
    std::vector<float> all;
    for (int again = 0; again < 2; ++again) {  // what is tried after the first run is before the second
      model.fit(rows.x, rows.y, {.epochs = 2, .batch_size = 8, .verbose = 0, .doctor = doctor});
      for (const Variable& weight : model.variables()) {
        const std::vector<float> part = cast(weight.value(), f32).to_vector<float>();
        all.insert(all.end(), part.begin(), part.end());
      }
    }
    const std::vector<float> drawn = random::uniform({4}).to_vector<float>();  // the global stream, too
    all.insert(all.end(), drawn.begin(), drawn.end());
    return all;
  };
  testing::internal::CaptureStdout();
  const std::vector<float> with = trained(true);
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_NE(said.find("brio doctor: "), std::string::npos);
  EXPECT_EQ(with, trained(false));
}

// Layers that a cheaper form is tried of, in either precision, and one that keeps states from batch to batch.
TEST(Doctor, ChangesNoBitOfConvolutionsAndStates) {
  for (const char* policy : {"float32", "mixed_bfloat16"}) {
    const auto trained = [&](bool doctor) {
      set_random_seed(11);
      nn::set_global_policy(policy);
      nn::Sequential model({nn::Conv2D(32, {1}), nn::Conv2D(32, {7}, {.padding = "same", .activation = "relu"}),
                            nn::MaxPooling2D(), nn::Reshape({36, 32}), nn::SimpleRNN(8, {.stateful = true}),
                            nn::Dropout(0.2), nn::Dense(1, {.dtype = "float32"})});
      nn::set_global_policy("float32");
      model.compile({.optimizer = "adam", .loss = "mse"});
      const Tensor x = random::uniform({64, 12, 12, 3}, {.seed = 1});
      const Tensor y = mean(x, {1, 2, 3});
      std::vector<float> all;
      for (int again = 0; again < 2; ++again) {
        model.fit(x, y, {.epochs = 2, .batch_size = 16, .shuffle = false, .verbose = 0, .doctor = doctor});
        for (const Variable& weight : model.variables()) {
          const std::vector<float> part = cast(weight.value(), f32).to_vector<float>();
          all.insert(all.end(), part.begin(), part.end());
        }
      }
      const std::vector<float> drawn = random::uniform({4}).to_vector<float>();
      all.insert(all.end(), drawn.begin(), drawn.end());
      return all;
    };
    testing::internal::CaptureStdout();
    const std::vector<float> with = trained(true);
    (void)testing::internal::GetCapturedStdout();
    EXPECT_EQ(with, trained(false)) << policy;
  }
}

TEST(Doctor, NamesALayerThatTakesMostOfAStep) {
  const json all = report_of([] {
    nn::Sequential model({nn::Conv1D(64, {1}),
                          nn::Conv1D(64, {21}, {.padding = "same", .activation = "relu", .name = "wide"}),
                          nn::GlobalAveragePooling1D(), nn::Dense(1)});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    const Tensor x = random::uniform({640, 10, 4}, {.seed = 1});
    model.fit(x, mean(x, {1, 2}), {.epochs = 2, .verbose = 0});
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  // bf16 pays for whatever multiplies much where the machine has the instructions for it: that may come first.
  const json findings = findings_but(all, {"cpu_contention", "precision"});
  ASSERT_FALSE(findings.empty()) << all["screen"].get<std::string>();
  const json found = findings[0];
  EXPECT_EQ(found["id"], "layer_bound") << all["screen"].get<std::string>();
  EXPECT_EQ(found["where"], "wide");
  EXPECT_EQ(found["gain"]["how"], "tried");
  EXPECT_NE(found["remedy"].get<std::string>().find("nn::SeparableConv1D(64, {21}"), std::string::npos)
      << found["remedy"];
}

// On a device that runs behind the host, with costs that are given.
TEST(Doctor, CountsWhatADeviceIsAskedFor) {
  const json all = report_of([] {
    Device& device = test::walled_device(0);
    set_costs(device, {.launch = 50, .copy = 100, .in = 1e3, .out = 1e3, .flops = 1e5, .memory = 1e4});
    set_costs(registry().host(), {.launch = 0.05, .flops = 1e5, .memory = 1e4});
    const DeviceScope scope(device);
    const Rows rows = made_rows(64);
    Variable w(zeros({32, 1}));
    nn::SGD sgd(0.01);
    const auto step = function([&](const Tensor& x, const Tensor& y) {
      GradientTape tape;
      const Tensor loss = mean(square(matmul(x, w) - y));
      sgd.apply_gradients(tape.gradient(loss, {w}), {w});
      return loss;
    });
    for (int i = 0; i < 200; ++i) (void)step(rows.x, rows.y).item<float>();
    const DeviceSteps steps = device_steps();
    if (steps.device != "walled:0" || steps.steps < 150)
      throw std::runtime_error(cat(steps.steps, " on ", steps.device));
    if (steps.copies_out < 1 || steps.bytes_out < 4) throw std::runtime_error(cat(steps.copies_out, " copies"));
    if (steps.launches < 2 || std::abs(steps.launching - steps.launches * 50e-6) > 1e-9)
      throw std::runtime_error(cat(steps.launches, " launches take ", steps.launching, " s"));
    if (steps.on_host <= 0 || steps.on_host > 0.001) throw std::runtime_error(cat("on the host ", steps.on_host));
  });
  SKIP_WHERE_TIMES_ARE_NOT_THE_RUNS_OWN();
  const json findings = findings_of(all);
  EXPECT_TRUE(std::ranges::any_of(findings, [](const json& f) {
    return f["id"] == "small_work_on_device" && f["where"] == "walled:0";
  })) << all["screen"].get<std::string>();
}

TEST(Doctor, TriesThePrecisionThatIsNotOn) {
  for (const char* policy : {"float32", "mixed_bfloat16"}) {
    const json all = report_of([&] {
      nn::set_global_policy(policy);
      const Rows rows = made_rows(2000);
      made_model(256).fit(rows.x, rows.y / 32.f, {.verbose = 0});
      nn::set_global_policy("float32");
      const auto runs = profile::runs();
      const profile::PrecisionTrial& tried = runs.at(0)->trials.precision;
      const char* other = std::string_view(policy) == "float32" ? "mixed_bfloat16" : "float32";
      const bool apart = tried.loss != tried.other_loss;  // each was computed in its own
      const bool near = std::abs(tried.loss - tried.other_loss) <= 0.02 * tried.loss + 1e-3;
      if (tried.now != policy || tried.other != other || tried.seconds <= 0 || tried.at_other <= 0 || !apart ||
          !near || !tried.keeps_loss)
        throw std::runtime_error(cat(tried.now, " ", tried.seconds, " s, loss ", tried.loss, "; ", tried.other, " ",
                                     tried.at_other, " s, loss ", tried.other_loss));
    });
    EXPECT_TRUE(all.contains("report"));
  }
}

TEST(Doctor, FitsTheScreen) {
  Evidence e;
  e.steps = 1000;
  e.step = e.median = e.p90 = 0.01;
  e.parts.fill(0.001);
  Verdict verdict = judge(e);
  for (int i = 0; i < 9; ++i)
    verdict.findings.push_back(
        {.id = "input_bound",
         .where = std::string(100, 'w'),
         .symptom = std::string(300, 's') + " " + std::string(40, 'x') + " and so on and on",
         .remedy = "a remedy µ of many words that go on and on, further than a line has room for, and on",
         .gain = {2, 1.5, 2.5, How::computed},
         .confidence = 0.5});
  const std::string screen = verdict.screen();
  size_t lines = 0, columns = 0;
  for (const char c : screen) {
    if (c == '\n') {
      ++lines;
      EXPECT_LE(columns, 80U) << screen;
      columns = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++columns;
    }
  }
  EXPECT_LE(lines, 24U) << screen;
}

TEST(Doctor, WritesTheFormThatOthersRead) {
  Evidence e;
  e.steps = 10;
  e.step = e.median = e.p90 = 0.01;
  const json report = json::parse(judge(e).json());
  for (const char* key : {"version", "steps", "step_ms", "epoch_s", "time", "findings", "recorder"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report["version"], 1);
  EXPECT_TRUE(report["step_ms"].contains("median") && report["step_ms"].contains("p90"));
  EXPECT_TRUE(report["recorder"].contains("bytes") && report["recorder"].contains("share"));
}

}  // namespace
}  // namespace brio::doctor
