// A dataset as a source of batches. Its elements are x, (x, y) or (x, y, sample_weight). Each of these is a tensor, a
// tuple, or named fields that are matched with the names of the model's inputs and outputs.
#pragma once

#include <string>
#include <vector>

#include "brio/data/dataset.h"
#include "brio/train/batch_source.h"

namespace brio::train {

struct DatasetSourceOptions {
  std::string called_by = "fit";
  std::vector<std::string> inputs = {}, outputs = {};  // names to match fields with; empty: fields keep their order
  // Each epoch continues where the previous one stopped, as steps_per_epoch requires.
  bool continues = false;
  std::optional<int64_t> steps = {};  // batches in an epoch, if the dataset does not know
  bool any_rows = false;              // parts of an element may have different numbers of rows, or be scalars
};

class DatasetSource : public BatchSource {
 public:
  explicit DatasetSource(const data::Dataset& dataset, DatasetSourceOptions options = {});

  void reset(int64_t epoch) override;
  bool next(Batch& batch) override;
  void set_device(Device& device) override;
  std::optional<int64_t> steps() const override;
  std::optional<std::string> position() const override;
  void go_to(std::string_view position) override;

  data::Report report() const { return iterator_.report(); }

 private:
  // Which parts of an element make a list, and in which order.
  using Parts = std::vector<size_t>;
  void fill(const Parts& parts, TensorList& list) const;

  data::Dataset dataset_;
  DatasetSourceOptions options_;
  data::Iterator iterator_;
  Device* device_ = nullptr;  // that the iterator makes elements for; null: the host
  Parts x_, y_, weights_;
  data::Item item_;
  int64_t taken_ = 0;  // batches since the source was last started
  bool ended_ = false;
};

}  // namespace brio::train
