#include "brio/formats/example.h"

namespace brio::formats {

namespace {

void append_values(std::string& to, const Feature::Bytes& values) {
  for (const std::string& value : values) wire::append_bytes(to, 1, value);
}
void append_values(std::string& to, const Feature::Floats& values) {
  if (values.empty()) return;
  wire::append_head(to, 1, values.size() * sizeof(float));
  to.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}
void append_values(std::string& to, const Feature::Ints& values) {
  if (values.empty()) return;
  size_t size = 0;
  for (const int64_t value : values) size += wire::varint_size(static_cast<uint64_t>(value));
  wire::append_head(to, 1, size);
  for (const int64_t value : values) wire::append_varint(to, static_cast<uint64_t>(value));
}

std::string bytes_of(const Feature& feature) {
  std::string list;
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) append_values(list, values);
      },
      feature.values);
  std::string bytes;
  if (feature.kind() != FeatureKind::none) wire::append_bytes(bytes, static_cast<uint32_t>(feature.kind()), list);
  return bytes;
}

std::string bytes_of(const std::vector<Feature>& list) {
  std::string bytes;
  for (const Feature& feature : list) wire::append_bytes(bytes, 1, bytes_of(feature));
  return bytes;
}

template <typename Map>
std::string bytes_of_map(const Map& map) {
  std::string bytes, entry;
  for (const auto& [key, value] : map) {
    entry.clear();
    wire::append_bytes(entry, 1, key);
    wire::append_bytes(entry, 2, bytes_of(value));
    wire::append_bytes(bytes, 1, entry);
  }
  return bytes;
}

Feature copy_of(const FeatureView& view, const wire::Message& message) {
  Feature feature;
  const auto fill = [&](auto values, auto type) {
    using T = decltype(type);
    view.each<T>(message, [&](T value) { values.emplace_back(value); });
    feature.values = std::move(values);
  };
  if (view.kind() == FeatureKind::bytes) fill(Feature::Bytes(), std::string_view());
  else if (view.kind() == FeatureKind::floats) fill(Feature::Floats(), float{});
  else if (view.kind() == FeatureKind::ints) fill(Feature::Ints(), int64_t{});
  return feature;
}

}  // namespace

std::string Example::serialize() const {
  std::string bytes;
  wire::append_bytes(bytes, 1, bytes_of_map(features));
  return bytes;
}

Example Example::parse(std::string_view bytes, const Origin& origin) {
  Example example;
  scan_example(bytes, origin, [&](std::string_view key, const FeatureView& view, const wire::Message& message) {
    example.features[std::string(key)] = copy_of(view, message);
  });
  return example;
}

std::string SequenceExample::serialize() const {
  std::string bytes;
  if (!context.empty()) wire::append_bytes(bytes, 1, bytes_of_map(context));
  if (!feature_lists.empty()) wire::append_bytes(bytes, 2, bytes_of_map(feature_lists));
  return bytes;
}

SequenceExample SequenceExample::parse(std::string_view bytes, const Origin& origin) {
  SequenceExample example;
  std::vector<Feature>* steps = nullptr;
  scan_sequence_example(
      bytes, origin,
      [&](std::string_view key, const FeatureView& view, const wire::Message& message) {
        example.context[std::string(key)] = copy_of(view, message);
      },
      [&](std::string_view key, const wire::Message&) {
        steps = &example.feature_lists[std::string(key)];
        steps->clear();
      },
      [&](std::string_view, int64_t, const FeatureView& view, const wire::Message& message) {
        steps->push_back(copy_of(view, message));
      });
  return example;
}

}  // namespace brio::formats
