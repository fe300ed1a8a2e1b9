// Training steps on a device other than the host, for the doctor: what they ask of the device, by count, and its cost
// according to the machine's measured speeds.
#pragma once

#include <cstdint>
#include <string>

#include "brio/runtime/backend.h"

namespace brio {

class Plan;

struct DeviceSteps {
  std::string device = {};  // "cuda:0"; empty: training runs on the host
  uint64_t last = 0;        // number of the newest counted step
  double steps = 0;         // since the first one
  // Per step. Copies: of batches, results, and values for ops of the host.
  double copies_in = 0, bytes_in = 0, copies_out = 0, bytes_out = 0;
  double launches = 0;        // handed-over steps of its plan
  double fallbacks = 0;       // ops that run on the host for lack of a kernel
  std::string fallback = {};  // the slowest of these
  // Seconds of a step if the device was measured; otherwise 0.
  double copying_in = 0, copying_out = 0, launching = 0;
  double computing = 0;  // on the device: products and memory
  double on_host = 0;    // the same on the host
};

// Counts one step of many, before it runs. `steps` have run by then. Another `key` starts again.
void count_device_step(const void* key, uint64_t steps, Device& device, const Plan& plan);
// The counts since the first step, for the steps that were counted last.
DeviceSteps device_steps();
// Measures the device of those steps and the host, unless they are known. Call it when nothing else runs.
void measure_device_of_steps();

}  // namespace brio
