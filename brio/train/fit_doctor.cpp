#include "brio/train/fit_doctor.h"

#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/runtime/device_costs.h"
#include "brio/runtime/device_steps.h"
#include "brio/train/trainer.h"

namespace brio::train {
namespace {

constexpr double kFirstWord = 60;  // seconds
// Trials may take this share of the time of the run, each so many seconds of it; short ones so many whatever the run.
constexpr double kShare = 0.05, kMost = 1.5, kShort = 0.3;
constexpr int kTrials = 5;
constexpr int64_t kUsualRows = 32;

// How many times the batch another one has: as large as is usual, or a good deal larger.
int64_t times_larger(int64_t rows) { return rows < kUsualRows ? (kUsualRows + rows - 1) / rows : 4; }

// Its rows so many times over, in memory of its own.
Tensor repeated(const Tensor& x, int64_t times) {
  Aval aval = x.aval();
  aval.shape.set(0, int64_t{aval.shape[0]} * times);
  Array copy = Array::allocate(aval, Owner::other);
  const size_t bytes = x.aval().bytes();
  for (int64_t i = 0; i < times; ++i)
    std::memcpy(copy.as<char>() + static_cast<size_t>(i) * bytes, x.array().data(), bytes);
  return Tensor(copy);
}

Batch repeated(const Batch& batch, int64_t times) {
  Batch copy;
  for (const auto& [from, to] :
       {std::pair{&batch.x, &copy.x}, {&batch.y, &copy.y}, {&batch.sample_weight, &copy.sample_weight}})
    for (const Tensor& x : *from) to->push_back(repeated(x, times));
  return copy;
}

bool can_be_copied(const Batch& batch) {
  for (const TensorList* list : {&batch.x, &batch.y, &batch.sample_weight})
    for (const Tensor& x : *list)
      if (x.rank() == 0 || x.dtype() == DType::string) return false;
  return !batch.x.empty();
}

}  // namespace

FitDoctor::FitDoctor(Trainer& trainer, const nn::FitOptions& options)
    : trainer_(trainer),
      prints_(options.doctor),
      wanted_(options.doctor || profile::trials_wanted()),
      may_trace_(options.doctor_traces && options.accumulate == 1),
      began_(profile::ticks()) {}

void FitDoctor::look(const Batch& batch) {
  const profile::Scope scope(profile::Part::trial);
  ++steps_;
  try {
    if (steps_ == 2 && can_be_copied(batch)) kept_ = repeated(batch, 1);
  } catch (const ResourceError&) {
    kept_ = {};
  }
  if (!prints_ || told_ || profile::seconds_of(profile::ticks() - began_) < kFirstWord) return;
  told_ = true;
  profile::tell_verdict(true, false);
}

void FitDoctor::at_end(profile::FitScope& recorded) {
  if (!wanted_) return;
  const profile::Scope scope(profile::Part::trial);
  if (recorded.records() && !kept_.x.empty()) recorded.set_trials(try_steps());
  measure_device_of_steps();
  kept_ = {};
  profile::tell_verdict(prints_, true);
}

profile::Trials FitDoctor::try_steps() {
  const double passed = profile::seconds_of(profile::ticks() - began_);
  const double each = std::min(kMost, kShare * passed / kTrials);
  const auto affords = [&](double seconds) { return seconds < std::max(each, kShort); };
  profile::Trials trials;
  try {
    const auto step = trainer_.try_step(kept_, each);
    trials.alone = step.seconds;
    if (step.seconds > 0) {
      const DeviceCosts machine = costs_of(registry().host());
      trials.flops = step.flops;
      trials.bytes = step.bytes;
      trials.peak_flops = machine.flops * 1e6;
      trials.peak_memory = machine.memory * 1e6;
    }
    if (trials.alone == 0 || !may_trace_ || trainer_.has_own_step()) return trials;
    if (trials.alone * 4 < each && trainer_.has_metrics())
      trials.without_metrics = trainer_.traced_anew_seconds(kept_, Trainer::Metrics::without, each);
    const int64_t times = times_larger(kept_.rows());
    if (affords(trials.alone * 3 * static_cast<double>(times))) {
      trials.at_other_rows = trainer_.traced_anew_seconds(repeated(kept_, times), Trainer::Metrics::with, each);
      trials.other_rows = static_cast<double>(kept_.rows() * times);
    }
    if (affords(trials.alone * 4)) trials.precision = trainer_.try_precision(kept_, each);
    if (affords(trials.alone * 4)) trials.layer = trainer_.try_layers(kept_, each);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what cannot be tried is not reported
  }
  return trials;
}

}  // namespace brio::train
