// What the progress bar writes.
#include "brio/train/progress_bar.h"

#include <sstream>
#include <thread>

#include "tests/nn/golden_values.h"

namespace brio::train {
namespace {

Logs some_logs() {
  Logs logs;
  logs.set("accuracy", 0.5);
  logs.set("loss", 0.00042);
  return logs;
}

std::string run(int verbose, bool terminal, int64_t steps, std::optional<int64_t> known) {
  std::ostringstream out;
  ProgressBar bar(verbose, out, terminal);
  Progress progress{.epochs = 2, .steps = known, .read = some_logs};
  bar.on_train_begin(progress);
  bar.on_epoch_begin(progress, 0);
  for (int64_t i = 0; i < steps; ++i) bar.on_train_batch_end(progress, i);
  train::Logs logs = some_logs();
  bar.on_epoch_end(progress, 0, logs);
  return out.str();
}

TEST(ProgressBar, PlainLinesWhereThereIsNoTerminal) {
  const std::string text = run(1, false, 13, 13);
  EXPECT_SAYS(text, "Epoch 1/2\n13/13 ━━━━━━━━━━━━━━━━━━━━ 0s ");
  EXPECT_SAYS(text, "us/step - accuracy: 0.5000 - loss: 4.2000e-04\n");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ProgressBar, RedrawsOnATerminalAtMostTenTimesASecond) {
  const std::string text = run(1, true, 100'000, 100'000);
  const auto draws = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(draws, 2);  // the first step and the end
  EXPECT_LE(draws, 12);
  EXPECT_SAYS(text, "\x1b[1m     1/100000\x1b[0m ");
}

TEST(ProgressBar, OneLineForVerbose2AndNothingFor0) {
  const std::string text = run(2, true, 13, 13);
  EXPECT_TRUE(text.starts_with("Epoch 1/2\n13/13 - 0s - ")) << text;
  EXPECT_SAYS(text, "us/step - accuracy: 0.5000 - loss: 4.2000e-04\n");
  EXPECT_EQ(run(0, true, 13, 13), "");
}

TEST(ProgressBar, StepsThatAreNotKnownBeforehand) {
  EXPECT_SAYS(run(1, true, 5, {}), "      1/Unknown ");
  EXPECT_SAYS(run(1, true, 5, {}), "5/5");  // they are at the end
}

TEST(ProgressBar, OfPredictions) {
  std::ostringstream out;
  nn::Sequential model({nn::Dense(3)});
  const nn::Callbacks bar{nullptr, std::make_shared<ProgressBar>(1, out, false)};
  model.predict(random::normal({100, 200}, {.seed = 1}), {.batch_size = 32, .verbose = 0, .callbacks = bar});
  const std::string text = out.str();
  EXPECT_TRUE(text.starts_with("4/4 ━━━━━━━━━━━━━━━━━━━━ 0s ")) << text;
  EXPECT_TRUE(text.ends_with("s/step\n")) << text;
}

TEST(ProgressBar, Durations) {
  EXPECT_EQ(shown_step_time(25e-6), "25us/step");
  EXPECT_EQ(shown_step_time(0.012), "12ms/step");
  EXPECT_EQ(shown_step_time(3), "3s/step");
  EXPECT_EQ(shown_duration(4.2), "4s");
  EXPECT_EQ(shown_duration(65), "1:05");
  EXPECT_EQ(shown_duration(7209), "2:00:09");
  EXPECT_EQ(shown_number(0.25), "0.2500");
  EXPECT_EQ(shown_number(-0.0001), "-1.0000e-04");
}

}  // namespace
}  // namespace brio::train
