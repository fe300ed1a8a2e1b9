// The callback that writes what TensorBoard shows.
#include <chrono>
#include <map>

#include "brio/base/error.h"
#include "brio/formats/event_file.h"
#include "brio/nn/layer_graph.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/train/callbacks.h"

namespace brio::train {
namespace {

using formats::EventFile;

class TensorBoard : public Callback {
 public:
  TensorBoard(std::string directory, TensorBoardOptions o) : directory_(std::move(directory)), o_(o) {}

  void on_train_begin(Progress& progress) override {
    if (!progress.resumed) step_ = 0;
    if (!o_.write_graph || !progress.model) return;
    std::vector<EventFile::GraphNode> nodes;
    for (nn::LayerCall& call : nn::layer_graph(progress.model->module()))
      nodes.push_back({std::move(call.name), std::move(call.kind), std::move(call.inputs)});
    if (!nodes.empty()) file("train").graph(nodes);
  }
  void on_epoch_begin(Progress&, int64_t) override {
    began_ = std::chrono::steady_clock::now();
    began_at_ = step_;
  }
  void on_train_batch_end(Progress& progress, int64_t) override {
    ++step_;
    if (o_.update_every == 0 || step_ % o_.update_every != 0) return;
    for (const auto& [name, value] : progress.read()) file("train").scalar("batch_" + name, value, step_ - 1);
  }
  void on_epoch_end(Progress& progress, int64_t epoch, Logs& logs) override {
    for (const auto& [name, value] : logs) {
      const bool validation = name.starts_with("val_");
      file(validation ? "validation" : "train").scalar("epoch_" + (validation ? name.substr(4) : name), value, epoch);
    }
    if (progress.optimizer && !logs.has("learning_rate"))
      file("train").scalar("epoch_learning_rate", progress.optimizer->learning_rate().item<double>(), epoch);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (o_.write_steps_per_second && step_ > began_at_)
      file("train").scalar("epoch_steps_per_second", static_cast<double>(step_ - began_at_) / std::max(took, 1e-9),
                           epoch);
    if (o_.histogram_freq > 0 && epoch % o_.histogram_freq == 0 && progress.model)
      for (const Variable& weight : progress.model->module().variables()) write_histogram(weight, epoch);
    for (auto& [part, open] : files_) open.flush();
  }
  void on_train_end(Progress&, const Logs&) override {
    for (auto& [part, open] : files_) open.flush();  // batches of an epoch that was cut off
    files_.clear();
  }
  void save(CallbackState& state) const override { state.set("step", static_cast<double>(step_)); }
  void restore(Progress&, const CallbackState& state) override { step_ = state.whole("step"); }

 private:
  EventFile& file(const std::string& part) {
    const auto found = files_.find(part);
    if (found != files_.end()) return found->second;
    return files_.try_emplace(part, directory_ + "/" + part, ".v2").first->second;
  }
  void write_histogram(const Variable& weight, int64_t epoch) {
    if (!is_floating(weight.dtype())) return;
    file("train").histogram(weight.name() + "/histogram", cast(weight.value(), f64).to_vector<double>(), epoch);
  }

  const std::string directory_;
  const TensorBoardOptions o_;
  std::map<std::string, EventFile> files_;
  int64_t step_ = 0, began_at_ = 0;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace

CallbackPtr tensorboard(std::string directory, TensorBoardOptions options) {
  if (directory.empty())
    throw InvalidArgument("[tensorboard] the directory has no name; give it one, such as \"logs\"");
  if (options.histogram_freq < 0 || options.update_every < 0)
    throw InvalidArgument(cat("[tensorboard] histogram_freq is ", options.histogram_freq, " and update_every ",
                              options.update_every, "; both must be 0 or more"));
  return std::make_shared<TensorBoard>(std::move(directory), options);
}

}  // namespace brio::train
