// tf.train.Example and SequenceExample walked in place: keys and features as views of the message, no copy, no
// allocation. What the parser of a fixed set of features and the tools that show files stand on.
#pragma once

#include <cstdint>
#include <string_view>

#include "brio/formats/wire.h"

namespace brio::formats {

enum class FeatureKind : uint8_t { none, bytes, floats, ints };  // the numbers of the oneof's members
std::string_view name_of(FeatureKind kind);                      // TensorFlow's: "string", "float", "int64"

// A Feature in place. The last member of the oneof counts; lists of it that follow each other are one.
class FeatureView {
 public:
  FeatureView() = default;
  FeatureView(std::string_view feature, const wire::Message& message);

  FeatureKind kind() const { return kind_; }
  std::string_view lists() const { return lists_; }  // the fields of the Feature that hold the values
  int64_t count(const wire::Message& message) const;

  // Calls visit(value) with each value: std::string_view, float or int64_t, the type being the kind's.
  template <typename T, typename Visit>
  void each(const wire::Message& message, Visit&& visit) const;

 private:
  FeatureKind kind_ = FeatureKind::none;
  std::string_view lists_;
};

// Calls visit(key, feature bytes) for each entry of the Features message, in the order of the file: of equal keys the
// last one counts.
template <typename Visit>
void each_entry(std::string_view features, const wire::Message& message, Visit&& visit) {
  for (wire::Reader reader(features, message); reader.next();) {
    if (reader.tag() != wire::tag(1, wire::kBytes)) {
      reader.skip();
      continue;
    }
    std::string_view key, value;
    for (wire::Reader entry(reader.bytes(), message); entry.next();) {
      if (entry.tag() == wire::tag(1, wire::kBytes)) key = entry.bytes();
      else if (entry.tag() == wire::tag(2, wire::kBytes)) value = entry.bytes();
      else entry.skip();
    }
    visit(key, value);
  }
}

// Calls visit with the bytes of each field of this number that has bytes: the Features of an Example (1), the context
// (1) and feature lists (2) of a SequenceExample, the Features of a FeatureList (1).
template <typename Visit>
void each_part(std::string_view bytes, uint32_t field, const wire::Message& message, Visit&& visit) {
  for (wire::Reader reader(bytes, message); reader.next();) {
    if (reader.tag() == wire::tag(field, wire::kBytes)) visit(reader.bytes());
    else reader.skip();
  }
}

// Calls visit(key, FeatureView, message) for each feature of a serialized Example.
template <typename Visit>
void scan_example(std::string_view example, const Origin& origin, Visit&& visit) {
  const wire::Message message{example.data(), origin, "tf.train.Example"};
  each_part(example, 1, message, [&](std::string_view features) {
    each_entry(features, message, [&](std::string_view key, std::string_view feature) {
      visit(key, FeatureView(feature, message), message);
    });
  });
}

// The same of a SequenceExample: context(key, FeatureView, message) and step(key, index, FeatureView, message).
// list(key, message) comes before the steps of a list, which may have none.
template <typename Context, typename List, typename Step>
void scan_sequence_example(std::string_view example, const Origin& origin, Context&& context, List&& list,
                           Step&& step) {
  const wire::Message message{example.data(), origin, "tf.train.SequenceExample"};
  each_part(example, 1, message, [&](std::string_view features) {
    each_entry(features, message, [&](std::string_view key, std::string_view feature) {
      context(key, FeatureView(feature, message), message);
    });
  });
  each_part(example, 2, message, [&](std::string_view lists) {
    each_entry(lists, message, [&](std::string_view key, std::string_view steps) {
      list(key, message);
      int64_t index = 0;
      each_part(steps, 1, message,
                [&](std::string_view feature) { step(key, index++, FeatureView(feature, message), message); });
    });
  });
}

template <typename T, typename Visit>
void FeatureView::each(const wire::Message& message, Visit&& visit) const {
  for (wire::Reader lists(lists_, message); lists.next();) {
    if (lists.tag() != wire::tag(static_cast<uint32_t>(kind_), wire::kBytes)) {
      lists.skip();
      continue;
    }
    for (wire::Reader list(lists.bytes(), message); list.next();) {
      if constexpr (std::is_same_v<T, std::string_view>) {
        if (list.tag() == wire::tag(1, wire::kBytes)) visit(list.bytes());
        else list.skip();
      } else if constexpr (std::is_same_v<T, float>) {
        if (list.tag() == wire::tag(1, wire::kFixed32)) {
          visit(list.fixed<float>());
        } else if (list.tag() == wire::tag(1, wire::kBytes)) {
          const std::string_view packed = list.bytes();
          if (packed.size() % sizeof(float) != 0)
            wire::fail(message, packed.data(), cat("a packed list of floats has ", packed.size(), " bytes"));
          for (size_t i = 0; i < packed.size(); i += sizeof(float)) {
            float value;
            std::memcpy(&value, packed.data() + i, sizeof(float));
            visit(value);
          }
        } else {
          list.skip();
        }
      } else {
        static_assert(std::is_same_v<T, int64_t>);
        if (list.tag() == wire::tag(1, wire::kVarint)) {
          visit(static_cast<int64_t>(list.varint()));
        } else if (list.tag() == wire::tag(1, wire::kBytes)) {
          for (wire::Reader packed(list.bytes(), message); !packed.done();)
            visit(static_cast<int64_t>(packed.varint()));
        } else {
          list.skip();
        }
      }
    }
  }
}

}  // namespace brio::formats
