// Trainer: what compile() makes of a module. Users meet it as nn::Model.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "brio/train/model.h"

namespace brio::train {

class Trainer {
 public:
  explicit Trainer(std::shared_ptr<nn::Module> module) : module_(std::move(module)) {}
  Trainer(const Trainer&) = delete;

  void compile(nn::CompileOptions options);
  bool compiled() const { return compiled_.has_value(); }
  nn::Optimizer optimizer() const;

  // `validation` may be null.
  History fit(BatchSource& batches, BatchSource* validation, const nn::FitOptions& options);
  Logs evaluate(BatchSource& batches, const nn::EvaluateOptions& options);
  Tensor predict(const Tensor& x, const nn::PredictOptions& options);

  void require_compiled(const char* what) const;             // throws InvalidArgument
  const Shape& input_shape() const { return input_shape_; }  // of the last batch that built or ran the module

 private:
  struct Compiled {
    nn::CompileOptions options;
    nn::Mean loss{{.name = "loss"}};
    // Without and with sample weights.
    std::function<void(const Tensor&, const Tensor&)> train, test;
    std::function<void(const Tensor&, const Tensor&, const Tensor&)> train_weighted, test_weighted;
  };

  void make_functions();
  Tensor forward(const Tensor& x, const Tensor& y, const Tensor& weight, bool training);
  void train_step(const Tensor& x, const Tensor& y, const Tensor& weight);
  void test_step(const Tensor& x, const Tensor& y, const Tensor& weight);
  void update_metrics(const Tensor& y, const Tensor& y_pred, const Tensor& weight);
  void run_train(const Batch& batch);
  void run_test(const Batch& batch);
  void check_batch(const char* what, const Batch& batch);
  Logs run_tests(BatchSource& batches, std::optional<int64_t> steps, Progress& progress,
                 const nn::Callbacks& callbacks);

  void reset_metrics();
  Logs read_metrics() const;
  void check_loss(int64_t epoch, int64_t step) const;

  std::shared_ptr<nn::Module> module_;
  std::optional<Compiled> compiled_;
  std::vector<Variable> weights_;  // trainable, in the order of the gradients
  std::function<Tensor(const Tensor&)> predict_;
  Shape input_shape_;
};

}  // namespace brio::train
