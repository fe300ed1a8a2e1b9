// What fit() does about a loss or gradients that are not finite.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace brio::nn {
struct FitOptions;
}

namespace brio::train {

class BatchSource;
class Checkpoints;
class Logs;
class Trainer;
struct Batch;

enum class OnBadNumber : uint8_t {
  warn,  // prints a line where the loss is read, and continues, as in Keras
  // These use the gate, a check of the gradients within the plan: a bad step leaves weights, optimizer, statistics
  // and metrics unchanged. It is run again op by op, and the first op with a result that is not finite is named, with
  // its layer, its numbers, and the rows of the batch.
  stop,  // throws
  skip,  // continues with the next batch
};
OnBadNumber on_bad_number_from(std::string_view name);  // throws InvalidArgument with the valid names

class BadNumberWatch {
 public:
  // `checkpoints` may be null.
  BadNumberWatch(Trainer& trainer, const nn::FitOptions& options, const Checkpoints* checkpoints);
  ~BadNumberWatch();
  BadNumberWatch(const BadNumberWatch&) = delete;

  void after_step(const Batch& batch, const BatchSource& batches, int64_t epoch, int64_t step);
  // Call it when the loss was read.
  void saw(double loss, int64_t epoch, int64_t step);
  void saw(const Logs& logs, int64_t epoch, int64_t step);
  bool is_bad() const { return bad_; }  // the loss that was read last is not finite
  void at_end() const;

 private:
  std::string cause(const Batch& batch, const BatchSource& batches);

  Trainer& trainer_;
  const OnBadNumber what_;
  const Checkpoints* checkpoints_;
  bool bad_ = false, told_ = false;
  int64_t skipped_ = 0;
};

}  // namespace brio::train
