#include "brio/train/dataset_source.h"

#include "brio/base/error.h"
#include "brio/data/engine/state.h"
#include "brio/runtime/backend.h"

namespace brio::train {
namespace {

using data::Structure;

// The tensors of one of x, y, sample_weight: in the order of `names` where they are named.
std::vector<size_t> parts_of(const Structure& structure, size_t first, const std::vector<std::string>& names,
                             const std::string& caller) {
  std::vector<size_t> parts;
  const bool by_name = structure.kind() == Structure::Kind::named && !names.empty();
  if (!by_name) {
    for (size_t i = 0; i < structure.parts(); ++i) parts.push_back(first + i);
    return parts;
  }
  for (const std::string& name : names) {
    const size_t item = structure.find(name);
    if (structure.items()[item].kind() != Structure::Kind::tensor)
      throw InvalidArgument(
          cat("[", caller, "] the field '", name, "' is not one tensor but ", structure.items()[item].str()));
    parts.push_back(first + structure.first_part(item));
  }
  return parts;
}

}  // namespace

DatasetSource::DatasetSource(const data::Dataset& dataset, DatasetSourceOptions options)
    : dataset_(dataset), options_(std::move(options)), iterator_(dataset.iterator(0)) {
  const Structure structure = dataset.structure();
  if (structure.kind() != Structure::Kind::tuple) {
    x_ = parts_of(structure, 0, options_.inputs, options_.called_by);
    return;
  }
  const std::vector<Structure>& items = structure.items();
  if (items.empty() || items.size() > 3)
    throw InvalidArgument(cat("[", options_.called_by, "] an element of the dataset is ", structure.str(),
                              "; give x, (x, y) or (x, y, sample_weight)"));
  x_ = parts_of(items[0], 0, options_.inputs, options_.called_by);
  if (items.size() > 1) y_ = parts_of(items[1], structure.first_part(1), options_.outputs, options_.called_by);
  if (items.size() > 2) weights_ = parts_of(items[2], structure.first_part(2), options_.outputs, options_.called_by);
}

void DatasetSource::reset(int64_t epoch) {
  if (options_.continues && taken_ > 0 && !ended_ && taken_ != steps().value_or(-1)) return;
  iterator_.reset(static_cast<uint64_t>(epoch));
  taken_ = 0;
  ended_ = false;
}

void DatasetSource::set_device(Device& device) {
  if (&device == device_ || (device.is_host() && !device_)) return;
  iterator_ = device.is_host() ? dataset_.iterator(0) : dataset_.iterator(0, device);
  device_ = device.is_host() ? nullptr : &device;
  taken_ = 0;
  ended_ = false;
}

void DatasetSource::fill(const Parts& parts, TensorList& list) const {
  list.clear();
  for (const size_t part : parts) list.push_back(item_[part]);
}

bool DatasetSource::next(Batch& batch) {
  batch = {};                              // its memory may be used again
  if (ended_ || !iterator_.next(item_)) {  // go_to() may have put it at the end
    ended_ = true;
    return false;
  }
  ++taken_;
  fill(x_, batch.x);
  fill(y_, batch.y);
  fill(weights_, batch.sample_weight);
  item_.clear();
  if (options_.any_rows) return true;
  for (const TensorList* list : {&batch.x, &batch.y, &batch.sample_weight})
    for (const Tensor& each : *list)
      if (each.rank() == 0 || each.shape()[0] != batch.x[0].shape()[0])
        throw InvalidArgument(cat("[", options_.called_by, "] a batch of the dataset has x of shape ",
                                  batch.x[0].shape(), " beside a tensor of shape ", each.shape(),
                                  "; axis 0 of each must number the samples: call batch() on the dataset"));
  return true;
}

std::optional<std::string> DatasetSource::position() const {
  data::StateWriter state;
  state.number(static_cast<uint64_t>(taken_));
  state.number(ended_ ? 1 : 0);
  state.text(ended_ ? std::string() : iterator_.save());
  return state.bytes();
}

void DatasetSource::go_to(std::string_view position) {
  data::StateReader state(position);
  taken_ = state.count();
  ended_ = state.count(1) == 1;
  const std::string_view place = state.text();
  if (!ended_) iterator_.restore(place);
}

std::optional<int64_t> DatasetSource::steps() const {
  const int64_t n = dataset_.cardinality();
  return n < 0 ? options_.steps : std::optional(n);
}

}  // namespace brio::train
