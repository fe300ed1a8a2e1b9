#include "brio/formats/feature_column.h"

#include <algorithm>
#include <cstring>

#include "brio/tensor/strings.h"

namespace brio::formats {

namespace {

template <typename T>
Array copy_of(std::span<const T> values, DType dtype, const Shape& shape) {
  Array array = Array::allocate({shape, dtype}, Owner::input);
  if (!values.empty()) std::memcpy(array.data(), values.data(), values.size_bytes());
  return array;
}

Shape with_rows(int64_t rows, int64_t longest, const Shape& shape) {
  std::vector<int64_t> dims{rows, longest};
  dims.insert(dims.end(), shape.begin(), shape.end());
  return Shape(dims);
}

// Rows of `lengths` elements each to `to`, padded to the longest.
template <typename T>
void pad_rows(const std::vector<T>& values, std::span<const int64_t> lengths, int64_t elements, int64_t longest,
              T pad, T* to) {
  auto from = values.begin();
  for (const int64_t length : lengths) {
    to = std::copy_n(from, length * elements, to);
    to = std::fill_n(to, (longest - length) * elements, pad);
    from += length * elements;
  }
}

}  // namespace

FeatureKind kind_of(DType dtype) {
  if (dtype == DType::string) return FeatureKind::bytes;
  if (dtype == f32) return FeatureKind::floats;
  return dtype == i64 ? FeatureKind::ints : FeatureKind::none;
}

void fail_kind(const std::string& key, const FeatureView& feature, FeatureKind expected,
               const wire::Message& message) {
  wire::fail(message, feature.lists().data(),
             cat("feature '", key, "': data types don't match: it holds ", name_of(feature.kind()), ", but ",
                 name_of(expected), " is expected"));
}

void fail_missing(std::string_view what, const std::string& key, FeatureKind expected, std::string_view advice,
                  const wire::Message& message) {
  wire::fail(
      message, message.begin,
      cat(what, " '", key, "' (data type: ", name_of(expected), ") is required but could not be found; ", advice));
}

int64_t FeatureColumn::append(const FeatureView& feature, const wire::Message& message) {
  const int64_t before = size();
  if (dtype_ == f32) {
    feature.each_run<float>(message, [&](std::string_view run) {
      const size_t count = floats_in(run, message), at = floats_.size();
      floats_.resize(at + count);
      if (count > 0) std::memcpy(floats_.data() + at, run.data(), run.size());
    });
  } else if (dtype_ == i64) {
    feature.each_run<int64_t>(message, [&](std::string_view run) {
      const auto count =
          static_cast<size_t>(std::count_if(run.begin(), run.end(), [](char byte) { return byte >= 0; }));
      size_t at = ints_.size();
      ints_.resize(at + count);
      for (wire::Reader values(run, message); !values.done(); ++at) {
        const uint64_t value = values.varint();  // throws before there is one more than was counted
        ints_[at] = static_cast<int64_t>(value);
      }
    });
  } else {
    feature.each<std::string_view>(message, [&](std::string_view value) { texts_.push_back(value); });
  }
  return size() - before;
}

void FeatureColumn::append(const Array& values) {
  const int64_t count = values.aval.shape.elements();
  if (dtype_ == f32) floats_.insert(floats_.end(), values.as<float>(), values.as<float>() + count);
  else if (dtype_ == i64) ints_.insert(ints_.end(), values.as<int64_t>(), values.as<int64_t>() + count);
  else
    for (int64_t i = 0; i < count; ++i) texts_.push_back(string_at(values, i));
}

int64_t FeatureColumn::size() const { return static_cast<int64_t>(floats_.size() + ints_.size() + texts_.size()); }

Array FeatureColumn::shaped(const Shape& shape) const {
  if (dtype_ == f32) return copy_of(std::span(floats_), f32, shape);
  if (dtype_ == i64) return copy_of(std::span(ints_), i64, shape);
  return string_array(texts_, shape);
}

Array FeatureColumn::padded(std::span<const int64_t> lengths, const Shape& shape,
                            const std::optional<Array>& pad) const {
  const int64_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  const Shape whole = with_rows(static_cast<int64_t>(lengths.size()), longest, shape);
  const int64_t elements = shape.elements();
  if (dtype_ == DType::string) {
    std::vector<std::string_view> texts(static_cast<size_t>(whole.elements()));
    pad_rows(texts_, lengths, elements, longest, pad ? string_at(*pad, 0) : std::string_view(), texts.data());
    return string_array(texts, whole);
  }
  Array result = Array::allocate({whole, dtype_}, Owner::input);
  if (dtype_ == f32)
    pad_rows(floats_, lengths, elements, longest, pad ? *pad->as<float>() : 0.0F, result.as<float>());
  else pad_rows(ints_, lengths, elements, longest, pad ? *pad->as<int64_t>() : int64_t{0}, result.as<int64_t>());
  return result;
}

void drop_batch_axis(ParsedFeature& feature, const NamedSpec& named) {
  if (feature.row_lengths.buffer) feature.row_lengths.aval.shape = {};
  Shape& shape = feature.values.aval.shape;
  if (!std::holds_alternative<VarLen>(named.spec)) shape = Shape(shape.dims().subspan(1));
}

Array array_of(std::span<const int64_t> values) {
  return copy_of(values, i64, {static_cast<int64_t>(values.size())});
}

}  // namespace brio::formats
