// Checkpoints of a run: a run that was cut off goes on and ends with the same bits, damaged files are passed over,
// and signals end a run in order. Runs that are killed are processes of their own: this program with another filter.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <thread>

#include "brio/brio.h"
#include "brio/formats/file.h"
#include "brio/nn/optimizers/loss_scale_optimizer.h"
#include "brio/train/run_state.h"

namespace brio {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    static int number = 0;
    path_ = fs::temp_directory_path() / cat("brio-resume-", ::getpid(), "-", number++);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

enum class From { rows, dataset, dataset_in_steps };

// Everything that a run has: dropout, batch normalisation, shuffled rows, a schedule of the rate, metrics of which
// one makes its variables late, callbacks with a memory, and the scale of a loss.
struct Job {
  From from = From::rows;
  int64_t epochs = 4;
  std::string log = {};

  train::History run(const nn::Model& model, nn::FitOptions options) const {
    const Tensor x = random::normal({52, 6}, {.seed = 11});
    const Tensor y = cast(random::uniform({52, 1}, {.high = 3, .seed = 12}), i32);
    const Tensor one = one_hot(squeeze(y, {1}), 3);
    options.epochs = epochs;
    options.batch_size = 8;
    options.verbose = 0;
    options.callbacks.push_back(train::early_stopping({.patience = 3, .restore_best_weights = true}));
    options.callbacks.push_back(train::reduce_lr_on_plateau({.monitor = "loss", .patience = 1, .min_delta = 0.5}));
    // It would be applied twice by a run that tells of an epoch's beginning again.
    options.callbacks.push_back(train::learning_rate_scheduler([](int64_t, double rate) { return rate * 0.9; }));
    if (!log.empty()) options.callbacks.push_back(train::csv_logger(log));
    const Tensor held = random::normal({16, 6}, {.seed = 13});
    options.validation_data = {held, one_hot(Tensor::from(std::vector<int32_t>(16, 1), {16}), 3)};
    if (from == From::rows) return model.fit(x, one, options);
    const data::Dataset batches =
        data::from_tensor_slices({x, one}).shuffle(data::kAutotune, {.seed = 5}).batch(8).prefetch(2);
    if (from == From::dataset) return model.fit(batches, options);
    options.steps_per_epoch = 5;
    return model.fit(batches.repeat(), options);
  }
};

nn::Model made_model(bool narrow = false) {
  const std::string policy = narrow ? "mixed_float16" : "float32";
  const nn::Sequential model({nn::Dense(12, {.activation = "relu", .dtype = policy}), nn::BatchNormalization(),
                              nn::Dropout(0.3), nn::Dense(3, {.activation = "softmax", .dtype = "float32"})});
  model.compile({.optimizer = nn::Adam(0.01),
                 .loss = "categorical_crossentropy",
                 .metrics = {"accuracy", nn::F1Score({.average = nn::ClassAverage::macro})}});
  return model;
}

std::vector<std::string> bits_of(const nn::Model& model) {
  std::vector<std::string> all;
  const auto add = [&](const Tensor& value) {
    all.emplace_back(static_cast<const char*>(value.array().data()), value.aval().bytes());
  };
  for (const Tensor& weight : model.get_weights()) add(weight);
  for (const Variable& variable : model.optimizer().variables()) add(variable.value());
  return all;
}

struct CutOff {};
struct CutAt : train::Callback {
  explicit CutAt(int64_t steps) : left(steps) {}
  void on_train_batch_end(train::Progress&, int64_t) override {
    if (--left == 0) throw CutOff();
  }
  int64_t left;
};

void expect_same_history(const train::History& a, const train::History& b) {
  EXPECT_EQ(a.epoch, b.epoch);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (const auto& [name, values] : a.columns) EXPECT_EQ(values, b[name]) << name;
}

void cut_off_and_go_on(const Job& job, bool narrow) {
  set_random_seed(21);
  const nn::Model whole = made_model(narrow);
  const train::History expected = job.run(whole, {});
  const int64_t steps = (job.from == From::dataset_in_steps ? 5 : 7) * static_cast<int64_t>(expected.epoch.size());
  for (const int64_t cut : {1, 3, 5, 7, 8, 10, 14, 15, 22}) {
    if (cut > steps) break;
    const Folder folder;
    const train::CheckpointOptions checkpoint{.directory = folder / "run", .every_steps = 2, .every_seconds = 1e9};
    set_random_seed(21);
    EXPECT_THROW(job.run(made_model(narrow), {.callbacks = {std::make_shared<CutAt>(cut)}, .checkpoint = checkpoint}),
                 CutOff);
    set_random_seed(99);  // another process begins elsewhere
    if (job.from == From::rows) random::uniform({7}).array();
    const nn::Model again = made_model(narrow);
    const train::History history =
        job.run(again, {.callbacks = {std::make_shared<CutAt>(10'000)}, .checkpoint = checkpoint, .resume = true});
    if (cut < 2) continue;  // there was no checkpoint yet: it began anew
    expect_same_history(expected, history);
    EXPECT_EQ(bits_of(whole), bits_of(again)) << "cut off after step " << cut;
  }
}

TEST(Resume, RowsEndWithTheSameBits) { cut_off_and_go_on({.from = From::rows}, false); }
TEST(Resume, DatasetEndsWithTheSameBits) { cut_off_and_go_on({.from = From::dataset}, false); }
TEST(Resume, StepsPerEpochEndWithTheSameBits) { cut_off_and_go_on({.from = From::dataset_in_steps}, false); }
TEST(Resume, LossScaleEndsWithTheSameBits) { cut_off_and_go_on({.from = From::rows}, true); }

// A signal at any point of training or of validation ends the run there.
struct SignalAt : train::Callback {
  explicit SignalAt(int64_t events) : left(events) {}
  void on_train_begin(train::Progress&) override { count(); }
  void on_epoch_begin(train::Progress&, int64_t) override { count(); }
  void on_train_batch_end(train::Progress&, int64_t) override { count(); }
  void on_test_begin(train::Progress&) override { count(); }
  void on_test_batch_end(train::Progress&, int64_t) override { count(); }
  void on_epoch_end(train::Progress&, int64_t, train::Logs&) override { count(); }
  void count() {
    if (--left == 0) std::raise(SIGINT);
  }
  int64_t left;
};

TEST(Resume, SignalAnywhereEndsWithTheSameBits) {
  for (const From from : {From::rows, From::dataset, From::dataset_in_steps}) {
    const Job job{.from = from, .epochs = 3};
    set_random_seed(21);
    const nn::Model whole = made_model();
    const train::History expected = job.run(whole, {});
    for (int64_t at = 1; at < 40; ++at) {
      const Folder folder;
      nn::FitOptions options{
          .checkpoint = {.directory = folder / "run", .every_seconds = 1e9}, .resume = true, .exit_on_signal = false};
      options.callbacks = {std::make_shared<SignalAt>(at)};
      set_random_seed(21);
      testing::internal::CaptureStderr();
      const train::History cut = job.run(made_model(), options);
      const std::string said = testing::internal::GetCapturedStderr();
      if (cut.stopped_by == 0) break;  // it was over
      EXPECT_EQ(cut.stopped_by, SIGINT);
      const bool early = said.find("there was nothing to save yet") != std::string::npos;
      EXPECT_TRUE(early ? at < 3 : said.find("saved as ") != std::string::npos) << at << ": " << said;
      set_random_seed(early ? 21 : 99);
      options.callbacks = {std::make_shared<SignalAt>(10'000)};
      const nn::Model again = made_model();
      expect_same_history(expected, job.run(again, options));
      EXPECT_EQ(bits_of(whole), bits_of(again)) << "at event " << at;
    }
  }
}

TEST(Resume, FinishedRunStaysFinished) {
  const Folder folder;
  const Job job{.log = folder / "log.csv"};
  const nn::FitOptions options{.checkpoint = {.directory = folder / "run", .every_steps = 3}, .resume = true};
  set_random_seed(1);
  const nn::Model model = made_model();
  const train::History first = job.run(model, options);
  const std::string log = formats::read_file(folder / "log.csv");
  const nn::Model again = made_model();
  const train::History second = job.run(again, options);
  expect_same_history(first, second);
  EXPECT_EQ(bits_of(model), bits_of(again));
  EXPECT_EQ(log, formats::read_file(folder / "log.csv"));
  // More epochs go on from its end.
  const train::History third = Job{.epochs = 6, .log = folder / "log.csv"}.run(made_model(), options);
  EXPECT_GE(third.epoch.size(), second.epoch.size());
}

TEST(Resume, LogHasEachEpochOnce) {
  const Folder folder;
  const Job job{.log = folder / "log.csv"};
  const train::CheckpointOptions checkpoint{.directory = folder / "run", .every_steps = 3, .every_seconds = 1e9};
  set_random_seed(21);
  EXPECT_THROW(job.run(made_model(), {.callbacks = {std::make_shared<CutAt>(15)}, .checkpoint = checkpoint}), CutOff);
  job.run(made_model(), {.callbacks = {std::make_shared<CutAt>(10'000)}, .checkpoint = checkpoint, .resume = true});
  std::ifstream log(folder / "log.csv");
  std::vector<std::string> first;
  for (std::string line; std::getline(log, line);) first.push_back(line.substr(0, line.find(',')));
  EXPECT_EQ(first, (std::vector<std::string>{"epoch", "0", "1", "2", "3"}));
}

std::vector<std::string> manifests(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& each : fs::directory_iterator(folder))
    if (each.path().extension() == ".json") found.push_back(each.path().string());
  std::ranges::sort(found);
  return found;
}

TEST(Resume, DamagedCheckpointIsPassedOver) {
  const Folder folder;
  const Job job;
  const train::CheckpointOptions checkpoint{
      .directory = folder / "run", .every_steps = 2, .every_seconds = 1e9, .keep = 3};
  set_random_seed(21);
  const nn::Model whole = made_model();
  job.run(whole, {});
  set_random_seed(21);
  EXPECT_THROW(job.run(made_model(), {.callbacks = {std::make_shared<CutAt>(12)}, .checkpoint = checkpoint}), CutOff);
  const auto there = manifests(folder / "run");
  ASSERT_EQ(there.size(), 3U);
  // One bit of the tensors of the newest, and half of the manifest before it.
  std::string tensors = there[2];
  tensors.replace(tensors.size() - 5, 5, ".safetensors");
  std::string bytes = formats::read_file(tensors);
  bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 16);
  formats::write_file(tensors, bytes);
  formats::write_file(there[1], formats::read_file(there[1]).substr(0, 100));
  testing::internal::CaptureStderr();
  const nn::Model again = made_model();
  job.run(again, {.callbacks = {std::make_shared<CutAt>(10'000)}, .checkpoint = checkpoint, .resume = true});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("a checkpoint is damaged and is not used: " + tensors), std::string::npos) << said;
  EXPECT_NE(said.find("goes on from the checkpoint before, "), std::string::npos) << said;
  EXPECT_EQ(bits_of(whole), bits_of(again));
}

TEST(Resume, AnyFlippedBitOfACheckpointIsFound) {
  const Folder folder;
  train::RunState state{.epoch = 1, .step = 2, .position = "place"};
  state.tensors.emplace_back("w", random::normal({5}, {.seed = 1}).array());
  train::write_run_state(folder / "s", state);
  for (const char* ending : {".json", ".safetensors"}) {
    const std::string path = (folder / "s") + ending, whole = formats::read_file(path);
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string broken = whole;
      broken[at] = static_cast<char>(broken[at] ^ (1 << (at % 8)));
      std::ofstream(path, std::ios::binary) << broken;
      EXPECT_THROW(train::read_run_state(folder / "s"), Error) << ending << " at byte " << at;
    }
    formats::write_file(path, whole);
  }
  EXPECT_EQ(train::read_run_state(folder / "s").position, "place");
}

TEST(Resume, KeepsTheLastAndTheBest) {
  const Folder folder;
  set_random_seed(3);
  const nn::Model model = made_model();
  Job{.epochs = 4}.run(
      model, {.checkpoint = {.directory = folder / "run", .every_steps = 1, .keep = 2, .monitor = "val_loss"}});
  const auto there = manifests(folder / "run");
  EXPECT_GE(there.size(), 2U);
  EXPECT_LE(there.size(), 3U);
  size_t tensors = 0;
  for (const auto& each : fs::directory_iterator(folder / "run"))
    tensors += each.path().extension() == ".safetensors";
  EXPECT_EQ(tensors, there.size());
  // A checkpoint's weights can be loaded by themselves.
  const nn::Sequential alone({nn::Dense(12), nn::BatchNormalization(), nn::Dropout(0.3), nn::Dense(3)},
                             {.input_shape = Shape{6}});
  std::string file = there.back();
  file.replace(file.size() - 5, 5, ".safetensors");
  alone.load_weights(file);
}

TEST(Resume, SaysWhatDoesNotFit) {
  const Folder folder;
  const nn::FitOptions options{.checkpoint = {.directory = folder / "run", .every_steps = 2}};
  const Job job;
  job.run(made_model(), options);
  const auto message = [](const auto& f) -> std::string {
    try {
      f();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message([&] { job.run(made_model(), options); }).find("holds the checkpoints of a run"),
            std::string::npos);
  nn::FitOptions resuming = options;
  resuming.resume = true;
  const nn::Sequential other({nn::Dense(5), nn::BatchNormalization(), nn::Dropout(0.3), nn::Dense(3)});
  other.compile({.optimizer = "adam",
                 .loss = "categorical_crossentropy",
                 .metrics = {"accuracy", nn::F1Score({.average = nn::ClassAverage::macro})}});
  EXPECT_NE(message([&] { job.run(other, resuming); }).find("layers/dense/0 (dense"), std::string::npos);
  EXPECT_NE(message([&] { job.run(made_model(), {.resume = true}); }).find("checkpoint.directory is empty"),
            std::string::npos);
}

// A limit on the size of files stands for a disk that is full.
TEST(Resume, FullDiskDoesNotEndTheRun) {
  const Folder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  set_random_seed(21);
  const nn::Model whole = made_model();
  Job().run(whole, {});
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 600;
  testing::internal::CaptureStderr();
  set_random_seed(21);
  const nn::Model model = made_model();
  setrlimit(RLIMIT_FSIZE, &small);
  Job().run(model, {.checkpoint = {.directory = folder / "run", .every_steps = 5}});
  setrlimit(RLIMIT_FSIZE, &before);
  std::cerr.clear();  // what it wrote to was full, too
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("a checkpoint could not be written, and training goes on"), std::string::npos) << said;
  EXPECT_EQ(bits_of(whole), bits_of(model));
  for (const auto& each : fs::directory_iterator(folder / "run")) ADD_FAILURE() << each.path() << " was left";
}

TEST(Resume, ModelCheckpointWritesFiles) {
  const Folder folder;
  set_random_seed(2);
  const nn::Model model = made_model();
  Job{.epochs = 2}.run(model,
                       {.callbacks = {train::model_checkpoint(folder / "m/{epoch:02d}-{val_loss:.3f}.keras"),
                                      train::model_checkpoint(folder / "best.weights.h5",
                                                              {.save_best_only = true, .save_weights_only = true})}});
  EXPECT_TRUE(fs::exists(folder / "best.weights.h5"));
  std::vector<std::string> files;
  for (const auto& each : fs::directory_iterator(folder / "m")) {
    files.push_back(each.path().filename().string().substr(0, 3));
    nn::load_model(each.path().string());
  }
  std::ranges::sort(files);
  EXPECT_EQ(files, (std::vector<std::string>{"01-", "02-"}));
  EXPECT_THROW(train::model_checkpoint("x.h5"), InvalidArgument);
}

// ---- processes

// The run that is killed: it goes on where the one before it was, and writes its weights at the end.
TEST(ResumeChild, DISABLED_Runs) {
  const std::string folder = std::getenv("BRIO_RESUME_FOLDER");
  const bool rows = std::string_view(std::getenv("BRIO_RESUME_FROM")) == "rows";
  set_random_seed(21);
  const nn::Model model = made_model();
  const Job job{.from = rows ? From::rows : From::dataset, .epochs = 12, .log = folder + "/log.csv"};
  const train::History history = job.run(
      model, {.checkpoint = {.directory = folder + "/run", .every_steps = 3, .every_seconds = 1e9}, .resume = true});
  model.save_weights(folder + "/end.safetensors");
  std::ofstream out(folder + "/history");
  for (const auto& [name, values] : history.columns)
    for (const double value : values) out << name << " " << std::hexfloat << value << "\n";
}

pid_t start(const std::string& folder, const char* from, const char* threads, const std::string& err = "/dev/null") {
  const pid_t child = fork();
  if (child != 0) return child;
  setenv("BRIO_RESUME_FOLDER", folder.c_str(), 1);
  setenv("BRIO_RESUME_FROM", from, 1);
  setenv("BRIO_THREADS", threads, 1);
  for (const char* share : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"})
    unsetenv(share);  // of this process, not the child
  if (!std::freopen("/dev/null", "w", stdout) || !std::freopen(err.c_str(), "a", stderr)) _exit(9);
  execl("/proc/self/exe", "child", "--gtest_also_run_disabled_tests", "--gtest_filter=ResumeChild.*", nullptr);
  _exit(8);
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// As many kills as BRIO_KILLS says, 25 by default, spread over as many runs as that takes.
TEST(Resume, KilledAtAnyInstantEndsWithTheSameBits) {
  const char* wanted = std::getenv("BRIO_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 25;
  std::mt19937 random(20261118);
  int killed = 0;
  for (int run = 0; killed < kills; ++run) {
    const char* from = run % 2 == 0 ? "rows" : "dataset";
    const Folder whole, cut;
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(status_of(start(whole / "", from, "2")), 0);
    const auto took = std::chrono::steady_clock::now() - begin;
    for (;;) {
      const pid_t child = start(cut / "", from, random() % 2 == 0 ? "1" : "2");
      std::this_thread::sleep_for(took * (random() % 1000) / 1200);
      kill(child, SIGKILL);
      const int status = status_of(child);
      if (WIFEXITED(status)) {
        ASSERT_EQ(status, 0) << "a run that went on failed";
        break;
      }
      ++killed;
    }
    EXPECT_EQ(formats::read_file(whole / "end.safetensors"), formats::read_file(cut / "end.safetensors")) << from;
    EXPECT_EQ(formats::read_file(whole / "history"), formats::read_file(cut / "history")) << from;
    EXPECT_EQ(formats::read_file(whole / "log.csv"), formats::read_file(cut / "log.csv")) << from;
  }
}

TEST(Resume, SignalsEndTheRunInOrder) {
  const Folder whole;
  ASSERT_EQ(status_of(start(whole / "", "rows", "1")), 0);
  for (const int signal : {SIGINT, SIGTERM}) {
    const Folder cut;
    bool stopped = false;
    for (int wait = 1; wait < 400 && !stopped; wait += 7) {
      const pid_t child = start(cut / "", "rows", "1", cut / "err");
      while (!fs::exists(cut / "run") || manifests(cut / "run").empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(wait % 20));
      kill(child, signal);
      const int status = status_of(child);
      if (WIFEXITED(status)) {  // it was faster: once more
        fs::remove_all(cut / "run");
        continue;
      }
      stopped = true;
      ASSERT_TRUE(WIFSIGNALED(status));
      EXPECT_EQ(WTERMSIG(status), signal);  // which a shell shows as 130 and 143
      const std::string said = formats::read_file(cut / "err");
      EXPECT_NE(said.find(signal == SIGINT ? "stopped by SIGINT after step" : "stopped by SIGTERM after step"),
                std::string::npos)
          << said;
      EXPECT_NE(said.find("saved as "), std::string::npos) << said;
    }
    ASSERT_TRUE(stopped);
    ASSERT_EQ(status_of(start(cut / "", "rows", "1")), 0);
    EXPECT_EQ(formats::read_file(whole / "end.safetensors"), formats::read_file(cut / "end.safetensors"));
  }
}

}  // namespace
}  // namespace brio
