// fit()'s work for the doctor: keeps a copy of one batch, tries steps on it at the end of the run, and has the
// verdict printed.
#pragma once

#include <string_view>

#include "brio/profile/recorder.h"
#include "brio/train/batch_source.h"
#include "brio/train/model.h"

namespace brio::train {

class Trainer;

// The name of the functions that it tries: their traces do not count as the program's.
inline constexpr std::string_view kTrialName = "a trial of the doctor";

class FitDoctor {
 public:
  FitDoctor(Trainer& trainer, const nn::FitOptions& options);
  void after_step(const Batch& batch) {
    if (wanted_) [[unlikely]]
      look(batch);
  }
  void at_end(profile::FitScope& recorded);

 private:
  void look(const Batch& batch);
  profile::Trials try_steps();

  Trainer& trainer_;
  const bool prints_, wanted_, may_trace_;
  const uint64_t began_;
  int64_t steps_ = 0;
  bool told_ = false;
  Batch kept_;
};

}  // namespace brio::train
