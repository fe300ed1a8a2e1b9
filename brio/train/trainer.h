// Trainer: the result of compile() for a module. Users see it as nn::Model.
//
// Several threads may use one model. An epoch of fit, an evaluation and a single step take turns, because they use
// the same metrics; predictions run beside them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "brio/profile/trials.h"
#include "brio/runtime/function.h"
#include "brio/train/accumulator.h"
#include "brio/train/hand_over.h"
#include "brio/train/model.h"
#include "brio/train/turns.h"

namespace brio::nn {
class StepGate;
}

namespace brio::train {

class TimedCallbacks;

inline std::string name_of_precision(DType compute) {
  return compute == f32 ? "float32" : nn::Policy("mixed_bfloat16").name();
}

class Trainer {
 public:
  explicit Trainer(std::shared_ptr<nn::Module> module) : module_(std::move(module)) {}
  ~Trainer();
  Trainer(const Trainer&) = delete;

  void compile(nn::CompileOptions options);
  bool compiled() const { return compiled_.has_value(); }
  nn::Optimizer optimizer() const;
  const nn::CompileOptions& compile_options() const { return compiled_->options; }

  // `validation` may be null.
  History fit(BatchSource& batches, BatchSource* validation, const nn::FitOptions& options);
  Logs evaluate(BatchSource& batches, const nn::EvaluateOptions& options);
  std::vector<Tensor> predict(BatchSource& batches, const nn::PredictOptions& options);
  Logs train_on_batch(const Batch& batch, const std::map<int64_t, double>& class_weight);
  Logs test_on_batch(const Batch& batch);
  void reset_metrics();
  Turns& turns() { return turns_; }

  // For the doctor, between two steps: how long a step on this batch takes, with and without metrics, in at most so
  // many seconds. Nothing changes. 0: it cannot be tried.
  detail::TracedFunction::Trial try_step(const Batch& batch, double most_seconds);
  enum class Metrics : uint8_t { with, without };
  double traced_anew_seconds(const Batch& batch, Metrics metrics, double most_seconds);
  // The step in the other precision and in its own; and the layer that takes most of the step, with a cheaper form of
  // it. The results are empty if there is nothing to try.
  profile::PrecisionTrial try_precision(const Batch& batch, double most_seconds);
  profile::LayerTrial try_layers(const Batch& batch, double most_seconds);
  // The precision of layers under the policy "auto", once fit has measured it or a checkpoint has it.
  std::optional<DType> precision() const { return precision_; }
  bool has_metrics() const;

  // For fit(), see bad_numbers.h. With the gate, a step whose numbers are not finite changes nothing.
  void set_gate(bool on);
  bool take_bad_step();  // whether the last step was bad; called after each step
  // Runs the last step, which the gate left out, op by op, and says where numbers stop being finite.
  std::string explain_step(const Batch& batch, const BatchSource& batches);

  void require_compiled(const char* what) const;  // throws InvalidArgument
  // Whether a user's step replaces Brio's. Such a step defines the content of its batches.
  bool has_own_step() const;
  std::vector<nn::Spec> input_specs() const;  // the module's inputs, as far as known; the batch is unknown

 private:
  class FitRun;
  // One output of the model: its loss and metrics, and the means so far.
  struct Output {
    std::string name;
    nn::OutputOptions options;
    nn::Mean loss;
  };
  // A step over a flat list of tensors: this many of x, of y and of weights.
  struct Traced {
    size_t n_x, n_y, n_weights;
    bool gated;
    std::shared_ptr<std::vector<std::string>> names;  // of the results of a user's step
    std::unique_ptr<detail::TracedFunction> function;
  };
  struct Compiled {
    nn::CompileOptions options;
    nn::Mean loss{{.name = "loss"}};
    std::vector<Output> outputs;  // known after the first batch
    std::vector<size_t> judged;   // the model's outputs that these belong to; empty: all
    std::vector<Traced> train, test, part;
    std::unique_ptr<detail::TracedFunction> apply, gated_apply;  // called after the parts of a batch
    Tensor class_weights;                                        // by class; the last one is for all other classes
    // The names of the last results of a user's step.
    std::shared_ptr<const std::vector<std::string>> own_names;
    std::vector<Tensor> own_results;
  };

  void forget_steps();  // the traces depend on something that has changed
  // The policy "auto": see trainer_precision.cpp.
  void choose_precision(const Batch& batch);
  void take_precision(DType compute);
  Tensor inference_loss(const Batch& batch);
  double loss_in(DType compute, const Batch& batch);
  double loss_alone(const Batch& batch);
  detail::TracedFunction scratch_step(const Batch& batch, Metrics metrics);
  detail::TracedFunction::Trial try_scratch(
      detail::TracedFunction& scratch, const Batch& batch, double most_seconds,
      detail::TracedFunction::Steps steps = detail::TracedFunction::Steps::together);
  bool has_loss() const;
  void make_outputs(size_t n);
  std::vector<std::string> output_names(size_t n) const;
  void set_class_weight(const std::map<int64_t, double>& class_weight);
  void prepare(const char* what, const Batch& batch, bool training);
  void prepare_weights();
  void note_inputs(const Batch& batch);
  void build_for_own_step(const Batch& batch);
  // Traces a step if there is none for the batch's number of tensors.
  enum class Kind : uint8_t { train, test, part };
  Traced& traced(Kind kind, const Batch& batch);
  void run(Kind kind, const Batch& batch, const Tensor& all_rows = {});
  // How a fit splits its batches: known after the first one.
  struct Parts {
    int64_t number = 0;                     // 0: not known yet
    int64_t resumed = 0;                    // of the run that continues; its bits depend on it
    std::optional<StepMemory> memory = {};  // of the first step; none: its plan existed already
  };
  // Reports or does what is needed for the first step to stay within the memory of the host.
  void plan_first_step(const Batch& batch, const nn::FitOptions& options, Parts& parts);
  void run_parts(const Batch& batch, int64_t parts);
  static Device& device_for(const detail::TracedFunction& step);
  static void tell_device(BatchSource& batches);  // where somebody has said which it is
  bool train(Batch& batch, const nn::FitOptions& options, Parts& parts, bool& prepared, BatchSource& batches);
  std::vector<Tensor> step(const Batch& batch, bool training, std::vector<std::string>& names,
                           Metrics metrics = Metrics::with);
  std::vector<Tensor> gated_step(const Batch& batch, std::vector<std::string>& names);
  void hold_statistics(const nn::StepGate& gate);
  static Batch batch_of(const std::vector<Tensor>& all, size_t n_x, size_t n_y, size_t n_weights);
  void list_arguments(const Batch& batch);
  std::vector<Tensor> part_of_step(const Batch& batch, const Tensor& all_rows);
  std::vector<Tensor> forward(const Batch& batch, bool training);
  std::vector<Tensor> own_step(const nn::Step& step, const Batch& batch, std::vector<std::string>& names);
  struct Total {
    Tensor loss, count;      // see nn::Loss::reduce
    bool by_rows = true;     // every loss is a mean over the rows
    bool one_count = false;  // the count holds for all losses
  };
  // `all_rows`: of the whole batch if this is a part of one.
  Total total_loss(const Batch& batch, const std::vector<Tensor>& y_pred, const TensorList& weights,
                   const Tensor& all_rows = {});
  TensorList weights_of(const Batch& batch, bool training) const;
  void update_metrics(const Batch& batch, const std::vector<Tensor>& y_pred, const TensorList& weights);
  Logs run_tests(BatchSource& batches, std::optional<int64_t> steps, Progress& progress,
                 const TimedCallbacks& callbacks);
  int64_t steps_per_execution() const { return compiled_ ? compiled_->options.steps_per_execution : 1; }
  Progress progress_of(int64_t epochs, std::optional<int64_t> steps);

  // A checkpoint of the run: see trainer_resume.cpp.
  RunState state_of_run(const BatchSource& batches, const nn::Callbacks& callbacks, int64_t epoch, int64_t step);
  std::vector<formats::NamedArray> values_of_metrics() const;
  void go_on(const RunState& state, BatchSource& batches);
  std::vector<nn::Metric> metrics() const;

  Logs read_metrics() const;
  double read_loss() const;

  std::shared_ptr<nn::Module> module_;
  Turns turns_;
  std::recursive_mutex making_;  // guards weights and traces, which predictions make, too
  std::optional<Compiled> compiled_;
  std::vector<Variable> weights_;  // trainable, in the order of the gradients
  Accumulator accumulator_;
  std::unique_ptr<detail::TracedFunction> predict_;
  bool tried_to_build_ = false;              // for a user's step
  std::vector<Aval> seen_;                   // the inputs of the last batch that built or ran the module
  std::vector<Tensor> arguments_, results_;  // working lists of a step
  HandOver hand_over_;
  size_t arena_limit_ = 0;  // for steps that are traced from now on
  Batch part_;              // a part of a batch that is processed in parts,
  Tensor all_rows_;         // and the number of rows of that batch
  std::optional<DType> precision_;
  bool asked_precision_ = false;
  bool gated_ = false;
  Variable bad_steps_;  // the number of steps that the gate has left out
  int64_t bad_steps_seen_ = 0;
};

}  // namespace brio::train
