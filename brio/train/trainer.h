// Trainer: what compile() makes of a module. Users meet it as nn::Model.
//
// Several threads may use one model. An epoch of fit, an evaluation and a single step take turns, since they count in
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

  // For the doctor, between two steps: how long a step on this batch takes by itself, as it is and without metrics,
  // in at most so many seconds. Nothing changes. 0: it cannot be tried.
  detail::TracedFunction::Trial try_step(const Batch& batch, double most_seconds);
  enum class Metrics : uint8_t { with, without };
  double traced_anew_seconds(const Batch& batch, Metrics metrics, double most_seconds);
  // The step in the other precision, beside it as it is; and the layer that takes most of it, with a cheaper form of
  // that. Nothing is in what comes back where there is nothing to try.
  profile::PrecisionTrial try_precision(const Batch& batch, double most_seconds);
  profile::LayerTrial try_layers(const Batch& batch, double most_seconds);
  // In what layers under the policy "auto" compute, once fit has measured it or a checkpoint said it.
  std::optional<DType> precision() const { return precision_; }
  bool has_metrics() const;

  // For fit(), see bad_numbers.h. With the gate, a step whose numbers are not finite changes nothing.
  void set_gate(bool on);
  bool take_bad_step();  // was the last step one? Asked after each
  // Runs the last step, which the gate left out, op by op: says where numbers stop being finite.
  std::string explain_step(const Batch& batch, const BatchSource& batches);

  void require_compiled(const char* what) const;  // throws InvalidArgument
  // Is a step of the user's own in place of Brio's? What its batches hold is its own affair.
  bool has_own_step() const;
  std::vector<nn::Spec> input_specs() const;  // what the module takes, as far as is known; the batch is unknown

 private:
  class FitRun;
  // One output of the model: what it is judged by, and the means so far.
  struct Output {
    std::string name;
    nn::OutputOptions options;
    nn::Mean loss;
  };
  // A step over a flat list of tensors: so many of x, of y and of weights.
  struct Traced {
    size_t n_x, n_y, n_weights;
    bool gated;
    std::shared_ptr<std::vector<std::string>> names;  // of what a step of the user's own gives
    std::unique_ptr<detail::TracedFunction> function;
  };
  struct Compiled {
    nn::CompileOptions options;
    nn::Mean loss{{.name = "loss"}};
    std::vector<Output> outputs;  // known from the first batch on
    std::vector<size_t> judged;   // which of the model's outputs these are; empty: all
    std::vector<Traced> train, test, part;
    std::unique_ptr<detail::TracedFunction> apply, gated_apply;  // after the parts of a batch
    Tensor class_weights;                                        // by class; the last is for all others
    // What a step of the user's own gave last.
    std::shared_ptr<const std::vector<std::string>> own_names;
    std::vector<Tensor> own_results;
  };

  void forget_steps();  // what is traced holds what has changed
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
  // Traces a step where there is none for as many tensors as the batch has.
  enum class Kind : uint8_t { train, test, part };
  Traced& traced(Kind kind, const Batch& batch);
  void run(Kind kind, const Batch& batch, const Tensor& all_rows = {});
  // How a fit goes through its batches: known from the first one on.
  struct Parts {
    int64_t number = 0;                     // 0: not known yet
    int64_t resumed = 0;                    // of the run that goes on, whose bits depend on it
    std::optional<StepMemory> memory = {};  // of the first step; none: its plan was there already
  };
  // Says or does what it takes for the first step to stay within the memory of the host.
  void plan_first_step(const Batch& batch, const nn::FitOptions& options, Parts& parts);
  void run_parts(const Batch& batch, int64_t parts);
  static Device& device_for(const detail::TracedFunction& step);
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
  // `all_rows`: of the batch that this one is a part of, if it is.
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
  std::recursive_mutex making_;  // weights and traces, which predictions make too
  std::optional<Compiled> compiled_;
  std::vector<Variable> weights_;  // trainable, in the order of the gradients
  Accumulator accumulator_;
  std::unique_ptr<detail::TracedFunction> predict_;
  bool tried_to_build_ = false;              // for a step of the user's own
  std::vector<Aval> seen_;                   // the inputs of the last batch that built or ran the module
  std::vector<Tensor> arguments_, results_;  // working lists of a step
  HandOver hand_over_;
  size_t arena_limit_ = 0;  // of steps that are traced from now on
  Batch part_;              // of a batch that is gone through in parts,
  Tensor all_rows_;         // and how many rows that has
  std::optional<DType> precision_;
  bool asked_precision_ = false;
  bool gated_ = false;
  Variable bad_steps_;  // how many the gate has left out
  int64_t bad_steps_seen_ = 0;
};

}  // namespace brio::train
