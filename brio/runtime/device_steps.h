// Steps of training on a device other than the host, for the doctor: what they ask of it, by count, and what that
// costs by what the machine was measured to do.
#pragma once

#include <cstdint>
#include <string>

#include "brio/runtime/backend.h"

namespace brio {

class Plan;

struct DeviceSteps {
  std::string device = {};  // "cuda:0"; empty: training runs on the host
  uint64_t last = 0;        // number of the newest step that was counted
  double steps = 0;         // from the first one on
  // Of one of them. Copies: of batches, results, and values that ops of the host need.
  double copies_in = 0, bytes_in = 0, copies_out = 0, bytes_out = 0;
  double launches = 0;        // steps of its plan that are handed over
  double fallbacks = 0;       // ops that run on the host, for want of a kernel
  std::string fallback = {};  // the one that takes longest
  // Seconds of a step, where the device was measured; else 0.
  double copying_in = 0, copying_out = 0, launching = 0;
  double computing = 0;  // on the device: products and memory
  double on_host = 0;    // the same on the host
};

// One step of many, before it runs. `steps` were run by then. Another `key` begins anew.
void count_device_step(const void* key, uint64_t steps, Device& device, const Plan& plan);
// The counts since the first step, of the steps that were counted last.
DeviceSteps device_steps();
// Measures the device of those steps and the host, unless they are known: for who asks while nothing else runs.
void measure_device_of_steps();

}  // namespace brio
