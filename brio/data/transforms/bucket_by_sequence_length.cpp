// bucket_by_sequence_length: padded batches of elements of similar lengths: group_by_window, where the key is a range
// of lengths.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/data/transforms/group_by_window.h"

namespace brio::data {
namespace {

std::string listed(const std::vector<int64_t>& values) {
  std::string text;
  for (const int64_t value : values) text += cat(text.empty() ? "" : ", ", value);
  return text;
}

}  // namespace

// Bucket i holds the lengths from boundary i - 1 up to, and without, boundary i.
Dataset Dataset::bucket_by_sequence_length(KeyFunction element_length, std::vector<int64_t> bucket_boundaries,
                                           const std::vector<int64_t>& bucket_batch_sizes,
                                           BucketOptions options) const {
  const std::string name = "[bucket_by_sequence_length] ";
  if (!element_length) throw InvalidArgument(cat(name, "the function is empty"));
  if (bucket_boundaries.empty()) throw InvalidArgument(cat(name, "there are no bucket_boundaries; give one or more"));
  if (bucket_batch_sizes.size() != bucket_boundaries.size() + 1)
    throw InvalidArgument(cat(name, "there are ", bucket_batch_sizes.size(), " bucket_batch_sizes for ",
                              bucket_boundaries.size(), " bucket_boundaries; there must be one more of them"));
  for (size_t i = 0; i < bucket_boundaries.size(); ++i)
    if (bucket_boundaries[i] < 1 || (i > 0 && bucket_boundaries[i] <= bucket_boundaries[i - 1]))
      throw InvalidArgument(
          cat(name, "bucket_boundaries are ", listed(bucket_boundaries), "; they must be above 0 and rise"));
  for (const int64_t size : bucket_batch_sizes)
    if (size < 1)
      throw InvalidArgument(
          cat(name, "bucket_batch_sizes are ", listed(bucket_batch_sizes), "; each must be 1 or more"));

  PaddedBatchOptions padding{.padded_shapes = std::move(options.padded_shapes),
                             .padding_values = std::move(options.padding_values),
                             .drop_remainder = options.drop_remainder};
  (void)padded_batch(1, padding);  // says what is wrong with the options now, not in the first window

  const auto shared = std::make_shared<const std::vector<int64_t>>(bucket_boundaries);
  Grouping grouping;
  grouping.key = [shared, element_length = std::move(element_length)](const Item& item) {
    const int64_t length = element_length(item);
    return std::upper_bound(shared->begin(), shared->end(), length) - shared->begin();
  };
  grouping.size = [sizes = bucket_batch_sizes](int64_t bucket) { return sizes[static_cast<size_t>(bucket)]; };
  grouping.reduce = [shared, sizes = bucket_batch_sizes, padding, to_boundary = options.pad_to_bucket_boundary](
                        int64_t bucket, const Dataset& window) {
    const auto i = static_cast<size_t>(bucket);
    if (!to_boundary) return window.padded_batch(sizes[i], padding);
    if (i == shared->size())
      throw InvalidArgument(
          cat("[bucket_by_sequence_length] an element is ", shared->back(),
              " long or longer: with pad_to_bucket_boundary none may be as long as the last boundary"));
    PaddedBatchOptions to = padding;
    const int64_t width = (*shared)[i] - 1;
    if (to.padded_shapes.empty()) {
      Iterator first = window.iterator(0);
      Item item;
      if (first.next(item))
        for (const Tensor& part : item) to.padded_shapes.emplace_back(static_cast<size_t>(part.rank()), -1);
    }
    for (auto& dims : to.padded_shapes) std::replace(dims.begin(), dims.end(), int64_t{-1}, width);
    return window.padded_batch(sizes[i], to);
  };
  grouping.in = grouping.out = structure();
  const std::string description = cat("bucket_by_sequence_length(", listed(bucket_boundaries), "; batches of ",
                                      listed(bucket_batch_sizes), options.drop_remainder ? ", drop_remainder)" : ")");
  return grouped(*this, std::move(grouping), description);
}

}  // namespace brio::data
