#include "brio/formats/fixed_feature.h"

#include <algorithm>
#include <cstring>

namespace brio::formats {

namespace {

// Writes up to `room` values; how many there are.
int64_t read_floats(const FeatureView& feature, const wire::Message& message, char* to, int64_t room) {
  int64_t count = 0;
  feature.each_run<float>(message, [&](std::string_view run) {
    const auto here = static_cast<int64_t>(floats_in(run, message));
    if (const int64_t fit = std::min(here, room - count); fit > 0)
      std::memcpy(to + static_cast<size_t>(count) * sizeof(float), run.data(),
                  static_cast<size_t>(fit) * sizeof(float));
    count += here;
  });
  return count;
}
int64_t read_ints(const FeatureView& feature, const wire::Message& message, int64_t* to, int64_t room) {
  int64_t count = 0;
  feature.each<int64_t>(message, [&](int64_t value) {
    if (count < room) to[count] = value;
    ++count;
  });
  return count;
}

}  // namespace

FixedFeature::FixedFeature(std::string key, FixedLen spec)
    : key_(std::move(key)),
      spec_(std::move(spec)),
      kind_(spec_.raw ? FeatureKind::bytes : kind_of(spec_.dtype)),
      elements_(spec_.shape.elements()),
      row_bytes_(static_cast<size_t>(elements_) * size_of(spec_.dtype)),
      raw_bytes_(static_cast<size_t>(elements_) * size_of(spec_.stored.value_or(spec_.dtype))) {
  if (kind_ == FeatureKind::floats && row_bytes_ + 2 < 0x80)
    head_ = wire::tag(2, wire::kBytes) | static_cast<uint32_t>(row_bytes_ + 2) << 8 |
            wire::tag(1, wire::kBytes) << 16 | static_cast<uint32_t>(row_bytes_) << 24;
}

void FixedFeature::fail_count(const FeatureView& feature, int64_t count, const Shape& shape,
                              const wire::Message& message) const {
  wire::fail(message, feature.lists().data(),
             cat("feature '", key_, "': number of ", name_of(feature.kind()), " values != expected: it has ", count,
                 ", but shape ", shape, " takes ", shape.elements()));
}

FeatureView FixedFeature::view(std::string_view value, const wire::Message& message) const {
  const FeatureView feature = value.data() ? FeatureView(value, message) : FeatureView();
  if (feature.kind() == kind_) return feature;
  if (feature.kind() != FeatureKind::none) fail_kind(key_, feature, kind_, message);
  if (!spec_.default_value)
    fail_missing("feature", key_, kind_, "give it a default_value if it may be missing", message);
  return feature;
}

void FixedFeature::read_any_row(std::string_view value, const wire::Message& message, void* to) const {
  const FeatureView feature = view(value, message);
  if (feature.kind() == FeatureKind::none) {
    if (row_bytes_ > 0) std::memcpy(to, spec_.default_value->data(), row_bytes_);
    return;
  }
  if (spec_.raw) return read_raw(feature, message, to);
  const int64_t count = kind_ == FeatureKind::floats
                            ? read_floats(feature, message, static_cast<char*>(to), elements_)
                            : read_ints(feature, message, static_cast<int64_t*>(to), elements_);
  if (count != elements_) fail_count(feature, count, spec_.shape, message);
}

void FixedFeature::read_raw(const FeatureView& feature, const wire::Message& message, void* to) const {
  int64_t count = 0;
  std::string_view bytes;
  feature.each<std::string_view>(message, [&](std::string_view value) {
    bytes = value;
    ++count;
  });
  if (count != 1) fail_count(feature, count, {}, message);
  if (bytes.size() != raw_bytes_)
    wire::fail(message, bytes.data(),
               cat("feature '", key_, "': it has ", bytes.size(), " raw bytes, but ",
                   spec_.stored.value_or(spec_.dtype), " of shape ", spec_.shape, " takes ", raw_bytes_));
  if (spec_.stored)
    std::transform(bytes.begin(), bytes.end(), static_cast<float*>(to),
                   [](char byte) { return static_cast<float>(static_cast<unsigned char>(byte)); });
  else if (spec_.dtype == boolean)
    std::transform(bytes.begin(), bytes.end(), static_cast<bool*>(to), [](char byte) { return byte != 0; });
  else if (row_bytes_ > 0) std::memcpy(to, bytes.data(), row_bytes_);
}

void FixedFeature::append_strings(std::string_view value, const wire::Message& message, FeatureColumn& to) const {
  const FeatureView feature = view(value, message);
  if (feature.kind() == FeatureKind::none) return to.append(*spec_.default_value);
  constexpr size_t kMany = size_t{1} << 16;  // bytes: an empty string is two of them, and sixteen in the column
  if (value.size() > kMany)
    if (const int64_t count = feature.count(message); count != elements_)
      fail_count(feature, count, spec_.shape, message);
  if (const int64_t count = to.append(feature, message); count != elements_)
    fail_count(feature, count, spec_.shape, message);
}

}  // namespace brio::formats
