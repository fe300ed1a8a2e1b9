// Monitor: watches one number of the logs, for callbacks that act when it improves or does not.
#pragma once

#include <optional>
#include <string>

#include "brio/train/callbacks.h"

namespace brio::train {

class Monitor {
 public:
  Monitor(const char* callback, std::string name, Better mode, double min_delta);

  // The number; none, with one warning, if the logs lack it.
  std::optional<double> read(const Logs& logs);
  bool improves(double value, std::optional<double> on);  // throws InvalidArgument if the direction is unknown

 private:
  const char* callback_;
  std::string name_;
  Better mode_;
  double min_delta_;
  bool warned_ = false;
};

}  // namespace brio::train
