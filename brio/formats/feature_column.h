// What the parsers of Example and SequenceExample share: the values of one feature, gathered over the messages of a
// batch.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/formats/example_parser.h"
#include "brio/formats/example_scan.h"

namespace brio::formats {

FeatureKind kind_of(DType dtype);  // of a feature with results of this dtype; none: there is no such

// A feature whose kind is not the spec's, which says `expected`.
[[noreturn]] void fail_kind(const std::string& key, const FeatureView& feature, FeatureKind expected,
                            const wire::Message& message);
[[noreturn]] void fail_missing(std::string_view what, const std::string& key, FeatureKind expected,
                               std::string_view advice, const wire::Message& message);

class FeatureColumn {
 public:
  explicit FeatureColumn(DType dtype) : dtype_(dtype) {}

  // Appends the values of a feature, which is of this kind; their number.
  int64_t append(const FeatureView& feature, const wire::Message& message);
  void append(const Array& values);  // of this dtype
  int64_t size() const;

  // (all values,), or in the given shape.
  Array flat() const { return shaped({size()}); }
  Array shaped(const Shape& shape) const;
  // (rows, longest, …shape), from elements of `shape`, lengths[i] of them in row i; padded with a scalar.
  Array padded(std::span<const int64_t> lengths, const Shape& shape, const std::optional<Array>& pad) const;

 private:
  DType dtype_;
  std::vector<float> floats_;  // the one of the dtype is used
  std::vector<int64_t> ints_;
  std::vector<std::string_view> texts_;
};

void drop_batch_axis(ParsedFeature& feature, const NamedSpec& named);
Array array_of(std::span<const int64_t> values);

}  // namespace brio::formats
