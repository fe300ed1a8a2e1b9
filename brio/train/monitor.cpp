#include "brio/train/monitor.h"

#include <cmath>
#include <iostream>
#include <utility>

#include "brio/base/error.h"

namespace brio::train {

// As Keras' metrics say of themselves; of a number of one's own it cannot be told.
std::optional<bool> goes_up(const std::string& monitor) {
  const std::string name = monitor.starts_with("val_") ? monitor.substr(4) : monitor;
  auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  for (const char* part : {"loss", "error", "crossentropy", "hinge", "divergence", "poisson", "false_", "logcosh"})
    if (has(part)) return false;
  for (const char* exact : {"mse", "mae", "mape", "msle", "kld", "bce"})
    if (name == exact) return false;
  for (const char* part : {"acc", "auc", "AUC", "precision", "recall", "f1", "fbeta", "iou", "io_u", "r2", "true_",
                           "cosine", "sensitivity", "specificity", "correlation"})
    if (has(part)) return true;
  return {};
}

Monitor::Monitor(const char* callback, std::string name, Better mode, double min_delta)
    : callback_(callback), name_(std::move(name)), mode_(mode), min_delta_(std::abs(min_delta)) {}

std::optional<double> Monitor::read(const Logs& logs) {
  if (logs.has(name_)) return logs[name_];
  if (!std::exchange(warned_, true)) {
    std::cerr << "brio: [" << callback_ << "] there is no '" << name_ << "' to watch; there is";
    for (const auto& [name, value] : logs) std::cerr << " " << name;
    std::cerr << "\n";
  }
  return {};
}

bool Monitor::improves(double value, std::optional<double> on) {
  if (mode_ == Better::by_name) {
    const std::optional<bool> up = goes_up(name_);
    if (!up)
      throw InvalidArgument(cat("[", callback_, "] cannot tell whether '", name_,
                                "' gets better by going up or down; set mode = Better::up or Better::down"));
    mode_ = *up ? Better::up : Better::down;
  }
  if (!on) return true;
  return mode_ == Better::up ? value - min_delta_ > *on : value + min_delta_ < *on;
}

}  // namespace brio::train
