// tf.train.Example and SequenceExample as values: to build, serialize, and look at them. Programs that read many use
// the parser (example_parser.h), which makes no such values.
//
//   Example example;
//   example.features["label"] = Feature::ints({7});
//   writer.write(example.serialize());
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "brio/formats/example_scan.h"

namespace brio::formats {

struct Feature {
  using Bytes = std::vector<std::string>;
  using Floats = std::vector<float>;
  using Ints = std::vector<int64_t>;
  std::variant<std::monostate, Bytes, Floats, Ints> values;  // in the order of FeatureKind

  static Feature bytes(Bytes values) { return {std::move(values)}; }
  static Feature floats(Floats values) { return {std::move(values)}; }
  static Feature ints(Ints values) { return {std::move(values)}; }
  FeatureKind kind() const { return static_cast<FeatureKind>(values.index()); }
  bool operator==(const Feature&) const = default;
};

// The order of the keys, so that equal messages have equal bytes: that of a deterministic SerializeToString of
// TensorFlow's Python, where of two keys of which one begins with the other the longer comes first.
struct KeyOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const {
    const size_t common = std::min(a.size(), b.size());
    const int order = a.substr(0, common).compare(b.substr(0, common));
    return order != 0 ? order < 0 : a.size() > b.size();
  }
};
using Features = std::map<std::string, Feature, KeyOrder>;

struct Example {
  Features features;

  std::string serialize() const;
  static Example parse(std::string_view bytes, const Origin& origin = {});  // throws DataError
  bool operator==(const Example&) const = default;
};

struct SequenceExample {
  Features context;
  std::map<std::string, std::vector<Feature>, KeyOrder> feature_lists;

  std::string serialize() const;  // an empty context is left out, and so are empty lists of lists
  static SequenceExample parse(std::string_view bytes, const Origin& origin = {});
  bool operator==(const SequenceExample&) const = default;
};

}  // namespace brio::formats
