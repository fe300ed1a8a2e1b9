// What the recorder knows of a run, in seconds: the input of the rules. A rule that lacks a figure finds nothing.
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

// The time of one step, or the mean of several short ones.
struct TimedStep {
  double at = 0;  // its end, since the beginning of the first kept one
  std::array<double, profile::kParts> parts{};
};

struct Evidence {
  profile::RunKind kind{};
  bool from_python = false;  // remedies are lines of Python
  int64_t steps = 0;         // without the first one
  double rows = 0;           // samples of the largest batch; 0: unknown
  double step = 0;           // mean seconds of a step, with its share of evaluations and similar work, without trials
  double median = 0, p90 = 0;
  double first_step = 0, before_first_step = 0;
  double wall = 0;  // of all these steps
  int64_t epochs = 0, steps_an_epoch = 0, evaluations = 0, epochs_asked = 0;
  double reads_a_step = 0, ops_a_step = 0;
  std::array<double, profile::kParts> parts{};  // of the mean step
  double quick_run = 0;                         // running the plans of a step, in the fastest tenth of the steps
  profile::Trials trials;
  std::vector<profile::OpTime> ops;  // of the plan of a step, seconds of one
  std::vector<float> step_seconds;   // of the newest steps, in order: without input, callbacks and similar work
  std::vector<TimedStep> timeline;   // of the same, with them

  std::vector<profile::Named> callbacks, functions, plans, read_lines, tape_lines, notes;
  std::vector<profile::PipelineFacts> pipelines;
  const profile::PipelineFacts* input = nullptr;  // the pipeline that the run waited for
  DeviceSteps device;                             // where the steps ran, if not on the host

  int cpus = 1, threads = 1;
  double cpu_a_step = 0;   // seconds of all threads; 0: unknown
  double waited_cpu = 0;   // share of the time in which the training thread was ready and had no processor
  double throttled = 0;    // share of the time in which the control group stopped the process
  double free_memory = 0;  // bytes
  std::vector<profile::Sample> samples;
  std::vector<std::string> gauges;

  double part(Part which) const { return parts[static_cast<size_t>(which)]; }
  double share(Part which) const { return step > 0 ? part(which) / step : 0; }
  std::vector<Part> parts_by_time() const;  // longest first, without those that are too short to show
  bool runs_eagerly() const;                // fit() runs eagerly, because compile() asked for it
  // The step without waiting for input, if nothing else keeps the processors busy.
  double without_input() const;
  // The time of a step that directly follows another. After a wait, caches are cold and processors asleep.
  double warm_run() const;
};

// For the run that took longest; steps = 0: there was none.
Evidence gather();

}  // namespace brio::doctor
