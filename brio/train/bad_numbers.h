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
  warn,  // says so where the loss is read, and goes on, as Keras does
  // With the gate, a look at the gradients within the plan: such a step leaves weights, optimizer, statistics and
  // metrics as they were. It is run again op by op, and the first op whose result is not finite is named, with its
  // layer, its numbers, and the rows of the batch.
  stop,  // throws
  skip,  // goes on with the next batch
};
OnBadNumber on_bad_number_from(std::string_view name);  // throws InvalidArgument: the names that there are

class BadNumberWatch {
 public:
  // `checkpoints` may be null.
  BadNumberWatch(Trainer& trainer, const nn::FitOptions& options, const Checkpoints* checkpoints);
  ~BadNumberWatch();
  BadNumberWatch(const BadNumberWatch&) = delete;

  void after_step(const Batch& batch, const BatchSource& batches, int64_t epoch, int64_t step);
  // Somebody has read it.
  void saw(double loss, int64_t epoch, int64_t step);
  void saw(const Logs& logs, int64_t epoch, int64_t step);
  bool is_bad() const { return bad_; }  // the loss that was read last
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
