#include <cstdio>
#include <filesystem>
#include <iostream>

#include "brio/base/error.h"
#include "brio/train/monitor.h"
#include "brio/train/saving.h"

namespace brio::train {
namespace {

// As Python's format(): "{epoch:02d}-{val_loss:.2f}". Throws InvalidArgument for what the logs lack.
std::string filled_in(const std::string& pattern, const Logs& numbers) {
  std::string text;
  for (size_t at = 0; at < pattern.size();) {
    const size_t open = pattern.find('{', at), close = pattern.find('}', open);
    text += pattern.substr(at, open - at);
    if (open == std::string::npos) break;
    if (close == std::string::npos)
      throw InvalidArgument(cat("[ModelCheckpoint] the name ", pattern, " has a { without its }"));
    const std::string inside = pattern.substr(open + 1, close - open - 1);
    const size_t colon = inside.find(':');
    const std::string name = inside.substr(0, colon);
    std::string format = colon == std::string::npos ? std::string() : inside.substr(colon + 1);
    const double value = numbers[name];
    char number[64];
    if (format.find_first_not_of("0123456789.") == std::string::npos && !format.ends_with("d")) format += "g";
    const char kind = format.back();
    format.pop_back();
    if (format.find_first_not_of("0123456789.") != std::string::npos || format.size() > 8 ||
        std::string_view("dfeg").find(kind) == std::string_view::npos)
      throw InvalidArgument(cat("[ModelCheckpoint] the name ", pattern, " has the format '", inside.substr(colon + 1),
                                "'; write one such as 02d or .2f"));
    if (kind == 'd')
      std::snprintf(number, sizeof number, cat("%", format, "lld").c_str(), static_cast<long long>(value));
    else std::snprintf(number, sizeof number, cat("%", format, std::string(1, kind)).c_str(), value);
    text += number;
    at = close + 1;
  }
  return text;
}

class ModelCheckpoint : public Callback {
 public:
  ModelCheckpoint(std::string path, ModelCheckpointOptions o)
      : path_(std::move(path)), o_(std::move(o)), monitor_("ModelCheckpoint", o_.monitor, o_.mode, 0) {
    const bool weights = path_.ends_with(".weights.h5") || path_.ends_with(".safetensors");
    if (o_.save_weights_only ? !weights : !path_.ends_with(".keras"))
      throw InvalidArgument(
          cat("[ModelCheckpoint] ", o_.save_weights_only ? "weights" : "models", " are written to files that end in ",
              o_.save_weights_only ? ".weights.h5 or .safetensors" : ".keras", ", but the name is ", path_));
  }

  void on_train_begin(Progress&) override {
    best_ = o_.initial_value_threshold;
    batches_ = 0;
  }
  void save(CallbackState& state) const override {
    state.set("best", best_);
    state.set("batches", static_cast<double>(batches_));
  }
  void restore(Progress&, const CallbackState& state) override {
    best_ = state.find("best");
    batches_ = state.whole("batches");
  }
  void on_epoch_begin(Progress&, int64_t epoch) override { epoch_ = epoch; }
  void on_train_batch_end(Progress& progress, int64_t step) override {
    if (o_.every_batches <= 0 || ++batches_ < o_.every_batches) return;
    batches_ = 0;
    Logs logs = progress.read();
    logs.set("batch", static_cast<double>(step + 1));
    write(progress, logs);
  }
  void on_epoch_end(Progress& progress, int64_t, Logs& logs) override {
    if (o_.every_batches <= 0) write(progress, logs);
  }

 private:
  void write(const Progress& progress, Logs logs) {
    logs.set("epoch", static_cast<double>(epoch_ + 1));
    if (o_.save_best_only) {
      const std::optional<double> current = monitor_.read(logs);
      if (current && !monitor_.improves(*current, best_)) return;
      if (current) best_ = current;
    }
    const std::string path = filled_in(path_, logs);
    if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
      std::filesystem::create_directories(folder);
    if (o_.verbose) std::cout << "\nEpoch " << epoch_ + 1 << ": saving model to " << path << "\n";
    if (o_.save_weights_only) save_weights(*progress.model, progress.compiled, path);
    else save_model(*progress.model, progress.compiled, path);
  }

  std::string path_;
  ModelCheckpointOptions o_;
  Monitor monitor_;
  std::optional<double> best_;
  int64_t epoch_ = 0, batches_ = 0;
};

}  // namespace

CallbackPtr model_checkpoint(std::string path, ModelCheckpointOptions o) {
  return std::make_shared<ModelCheckpoint>(std::move(path), std::move(o));
}

}  // namespace brio::train
