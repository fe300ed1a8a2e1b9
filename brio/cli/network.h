// The networks that `brio fit` trains, by name, and what each of them wants: the rate, how long, when to stop.
#pragma once

#include <string>

#include "brio/cli/job.h"
#include "brio/train/model.h"

namespace brio::cli {

struct Network {
  nn::Model model;
  std::string name;
  double rate;  // of AdamW, at its highest
};

// "cnn", "separable", "resnet18", "mobilenet", "mlp" or the path of a .keras file; "": what suits the job. Throws
// Misuse.
Network make_network(const std::string& name, const Job& job);

// AdamW under a cosine with a warm-up, for so many steps in all.
void compile(const Network& network, const Job& job, int64_t steps);

}  // namespace brio::cli
