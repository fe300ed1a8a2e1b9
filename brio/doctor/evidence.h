// What the recorder knows of a run, in seconds: what rules look at. A rule that lacks a figure says nothing.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "brio/profile/gauges.h"
#include "brio/profile/named.h"
#include "brio/profile/pipelines.h"
#include "brio/profile/recorder.h"
#include "brio/runtime/device_steps.h"

namespace brio::doctor {

using profile::Part;

// Seconds of one step, or the mean of several short ones.
struct TimedStep {
  double at = 0;  // its end, since the first one that is kept began
  std::array<double, profile::kParts> parts{};
};

struct Evidence {
  profile::RunKind kind{};
  bool from_python = false;  // remedies are lines of Python
  int64_t steps = 0;         // without the first one
  double rows = 0;           // samples of the largest batch; 0: not known
  double step = 0;           // mean seconds of a step, with its share of evaluations and the like, without trials
  double median = 0, p90 = 0;
  double first_step = 0, before_first_step = 0;
  double wall = 0;  // of all these steps
  int64_t epochs = 0, steps_an_epoch = 0, evaluations = 0, epochs_asked = 0;
  double reads_a_step = 0, ops_a_step = 0;
  std::array<double, profile::kParts> parts{};  // of the mean step
  double quick_run = 0;                         // running the plans of a step, in the quickest tenth of the steps
  profile::Trials trials;
  std::vector<profile::OpTime> ops;  // of the plan of a step, seconds of one
  std::vector<float> step_seconds;   // of the newest steps, in order: without input, callbacks and the like
  std::vector<TimedStep> timeline;   // of the same, with them

  std::vector<profile::Named> callbacks, functions, plans, read_lines, tape_lines, notes;
  std::vector<profile::PipelineFacts> pipelines;
  const profile::PipelineFacts* input = nullptr;  // the one that the run waited for
  DeviceSteps device;                             // where they ran elsewhere than on the host

  int cpus = 1, threads = 1;
  double cpu_a_step = 0;   // seconds of all threads; 0: not known
  double waited_cpu = 0;   // share of the time that the training thread could have run and had no processor
  double throttled = 0;    // share of the time that the control group stopped us
  double free_memory = 0;  // bytes
  std::vector<profile::Sample> samples;
  std::vector<std::string> gauges;

  double part(Part which) const { return parts[static_cast<size_t>(which)]; }
  double share(Part which) const { return step > 0 ? part(which) / step : 0; }
  std::vector<Part> parts_by_time() const;  // longest first, without what is too short to be shown
  bool runs_eagerly() const;                // fit() does, as compile() asked for it
  // The step without waiting for input, when nothing else keeps the processors busy.
  double without_input() const;
  // Running a step when it follows the one before at once. After a wait caches are cold and processors asleep.
  double warm_run() const;
};

// Of the run that took longest; steps = 0: there was none.
Evidence gather();

}  // namespace brio::doctor
