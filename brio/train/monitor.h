// Monitor: watches one number of the logs, for callbacks that act when it gets better or does not.
#pragma once

#include <optional>
#include <string>

#include "brio/train/callbacks.h"

namespace brio::train {

class Monitor {
 public:
  Monitor(const char* callback, std::string name, Better mode, double min_delta);

  // The number, or none with one warning when the logs lack it.
  std::optional<double> read(const Logs& logs);
  bool improves(double value, std::optional<double> on);  // throws InvalidArgument: which way is better?

 private:
  const char* callback_;
  std::string name_;
  Better mode_;
  double min_delta_;
  bool warned_ = false;
};

}  // namespace brio::train
