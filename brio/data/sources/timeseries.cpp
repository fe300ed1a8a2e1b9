// timeseries_dataset_from_array: windows over the rows of a tensor.
#include <cstring>

#include "brio/base/error.h"
#include "brio/data/sources/sources.h"
#include "brio/ir/graph.h"

namespace brio::data {
namespace {

struct Windows {
  Array data, targets;  // targets: no buffer, there are none
  int64_t count = 0, first = 0, stride = 1, length = 0, rate = 1;
};

Aval row_type_of(const Array& array) {
  Aval row{{}, array.aval.dtype};
  for (int axis = 1; axis < array.aval.shape.rank(); ++axis) row.shape.push_back(array.aval.shape[axis]);
  return row;
}

class WindowStage final : public IndexedStage {
 public:
  WindowStage(Pipeline& pipeline, const Windows& windows)
      : IndexedStage(pipeline, "timeseries"), windows_(windows), row_(row_type_of(windows.data)) {
    window_ = {{windows.length}, row_.dtype};
    for (const int64_t dim : row_.shape) window_.shape.push_back(dim);
  }
  int64_t indexed() const override { return windows_.count; }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    const int64_t at = windows_.first + ticket.index * windows_.stride;
    const size_t bytes = row_.bytes();
    out.resize(windows_.targets.buffer ? 2 : 1);
    auto* to = static_cast<char*>(out.write(0, window_));
    const char* from = windows_.data.as<char>() + static_cast<size_t>(at) * bytes;
    if (windows_.rate == 1) std::memcpy(to, from, window_.bytes());
    else
      for (int64_t i = 0; i < windows_.length; ++i)
        std::memcpy(to + static_cast<size_t>(i) * bytes, from + static_cast<size_t>(i * windows_.rate) * bytes,
                    bytes);
    if (!windows_.targets.buffer) return;
    Array target = windows_.targets;
    target.aval = row_type_of(windows_.targets);
    target.offset += static_cast<size_t>(at) * target.aval.bytes();
    out.share(1, target);
  }

 private:
  const Windows& windows_;
  Aval row_, window_;
};

class TimeseriesNode final : public Node {
 public:
  explicit TimeseriesNode(Windows windows) : windows_(std::move(windows)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<WindowStage>(pipeline, windows_);
  }
  std::string describe() const override {
    return cat("timeseries(", format_aval(windows_.data.aval), ", ", windows_.count, " windows of ", windows_.length,
               " rows from ", windows_.first, " by ", windows_.stride, ", rate ", windows_.rate, ")");
  }
  Structure structure() const override { return windows_.targets.buffer ? Structure::tuple_of(2) : Structure(); }
  int64_t cardinality() const override { return windows_.count; }

 private:
  Windows windows_;
};

template <typename... Args>
[[noreturn]] void refuse(const Args&... reason) {
  throw InvalidArgument(cat("[timeseries_dataset_from_array] ", reason...));
}

}  // namespace

Dataset timeseries_dataset_from_array(const Tensor& data, const Tensor& targets, int64_t sequence_length,
                                      TimeseriesOptions options) {
  if (!data.defined() || data.rank() == 0) refuse("data has no rows; its axis 0 must number them");
  if (data.dtype() == DType::string) refuse("data is of strings; windows are of numbers");
  const int64_t rows = data.shape()[0];
  if (sequence_length < 1) refuse("sequence_length is ", sequence_length, "; it must be 1 or more");
  if (options.batch_size < 0) refuse("batch_size is ", options.batch_size, "; it must be 1 or more, or 0");
  // As Keras has it: both lie below the number of rows.
  const auto check = [&](const char* name, int64_t value, int64_t least) {
    if (value < least || value >= rows)
      refuse(name, " is ", value, "; it must be ", least, " or more and below the ", rows, " rows of data");
  };
  check("sampling_rate", options.sampling_rate, 1);
  check("sequence_stride", options.sequence_stride, 1);
  const int64_t start = options.start_index.value_or(0);
  if (options.start_index && start != 0) check("start_index", start, 0);
  if (options.end_index) check("end_index", *options.end_index, 1);
  const int64_t end = options.end_index.value_or(rows);
  if (end <= start) refuse("end_index is ", end, "; it must be higher than start_index, ", start);
  Windows windows{.data = data.array(),
                  .targets = {},
                  .count = 0,
                  .first = start,
                  .stride = options.sequence_stride,
                  .length = sequence_length,
                  .rate = options.sampling_rate};
  // A window may not begin so late that it would end behind the rows. (length - 1) · rate is compared without it.
  const int64_t span = end - start;
  int64_t starts = (sequence_length - 1) > (span - 1) / options.sampling_rate
                       ? 0
                       : span - (sequence_length - 1) * options.sampling_rate;
  if (targets.defined()) {
    if (targets.rank() == 0) refuse("targets has no rows; its axis 0 must number them");
    windows.targets = targets.array();
    starts = std::min<int64_t>(starts, targets.shape()[0]);
  }
  windows.count = (starts + options.sequence_stride - 1) / options.sequence_stride;
  const int64_t last = start + (windows.count - 1) * options.sequence_stride;
  if (targets.defined() && windows.count > 0 && last >= targets.shape()[0])
    refuse("targets has ", targets.shape()[0], " rows, but the last window begins at row ", last);
  Dataset dataset(std::make_shared<TimeseriesNode>(std::move(windows)));
  if (options.shuffle) dataset = dataset.shuffle(kAutotune, {.seed = options.seed});
  return options.batch_size > 0 ? dataset.batch(options.batch_size) : dataset;
}

}  // namespace brio::data
