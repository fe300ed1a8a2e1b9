// tf.train.Example and SequenceExample walked in place: keys and features as views of the message, no copy, no
// allocation. What the parser of a fixed set of features and the tools that show files stand on.
#pragma once

#include <cstdint>
#include <string_view>

#include "brio/formats/wire.h"

namespace brio::formats {

enum class FeatureKind : uint8_t { none, bytes, floats, ints };  // the numbers of the oneof's members
std::string_view name_of(FeatureKind kind);                      // TensorFlow's: "string", "float", "int64"

// The number of floats that are packed there.
inline size_t floats_in(std::string_view packed, const wire::Message& message) {
  if (packed.size() % sizeof(float) != 0) [[unlikely]]
    wire::fail(message, packed.data(), cat("a packed list of floats has ", packed.size(), " bytes"));
  return packed.size() / sizeof(float);
}

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
  // Calls visit(bytes) with runs of values: packed ones as they lie there, and others one by one. Bytes stand with
  // their length before them.
  template <typename T, typename Visit>
  void each_run(const wire::Message& message, Visit&& visit) const;

 private:
  void find_kind(std::string_view feature, const wire::Message& message);

  FeatureKind kind_ = FeatureKind::none;
  std::string_view lists_;
};

// Key and value of an entry of a map; an entry with two keys or values is refused.
struct MapEntry {
  void read(std::string_view entry, const wire::Message& message);
  // The same of the entry that `fields` begin with, if it is what nearly all are: below 128 bytes, key, then value.
  bool read_short(std::string_view fields);

  std::string_view key, value;
};

// Calls visit(key, value) for each entry of the map that a Features or FeatureLists message is, in the order of the
// file: of equal keys the last one counts.
template <typename Visit>
void each_entry(std::string_view map, const wire::Message& message, Visit&& visit) {
  wire::Reader reader(map, message);
  while (!reader.done()) {
    if (MapEntry entry; entry.read_short(reader.left())) {
      reader.advance(entry.value.data() + entry.value.size());
      visit(entry.key, entry.value);
      continue;
    }
    reader.next();
    if (reader.tag() == wire::tag(1, wire::kBytes)) {
      MapEntry entry;
      entry.read(reader.bytes(), message);
      visit(entry.key, entry.value);
    } else {
      reader.skip();
    }
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

inline bool MapEntry::read_short(std::string_view fields) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(fields[i]); };
  if (fields.size() < 6 || byte(0) != wire::tag(1, wire::kBytes) || byte(2) != wire::tag(1, wire::kBytes))
    return false;
  const size_t size = byte(1), key_size = byte(3);
  if (size >= 0x80 || size + 2 > fields.size() || key_size + 4 > size) return false;
  const size_t at = 4 + key_size;  // of the value's tag
  if (byte(at) != wire::tag(2, wire::kBytes) || byte(at + 1) != size - key_size - 4) return false;
  key = fields.substr(4, key_size);
  value = fields.substr(at + 2, size - key_size - 4);
  return true;
}

inline FeatureView::FeatureView(std::string_view feature, const wire::Message& message) : lists_(feature) {
  // As a rule there is one list, and it is short.
  if (feature.size() >= 2 && static_cast<size_t>(feature[1]) == feature.size() - 2) {
    const uint32_t tag = static_cast<unsigned char>(feature[0]);
    if ((tag & 7) == wire::kBytes && tag >= 8 && tag < 32) {
      kind_ = static_cast<FeatureKind>(tag >> 3);
      return;
    }
  }
  find_kind(feature, message);
}

template <typename T, typename Visit>
void FeatureView::each_run(const wire::Message& message, Visit&& visit) const {
  const wire::Type single = std::is_same_v<T, std::string_view> ? wire::kBytes
                            : std::is_same_v<T, float>          ? wire::kFixed32
                                                                : wire::kVarint;
  each_part(lists_, static_cast<uint32_t>(kind_), message, [&](std::string_view bytes) {
    for (wire::Reader list(bytes, message); list.next();) {
      if (list.tag() == wire::tag(1, single)) {
        const char* const begin = list.at();
        list.skip();
        visit(std::string_view(begin, static_cast<size_t>(list.at() - begin)));
      } else if (list.tag() == wire::tag(1, wire::kBytes)) {
        visit(list.bytes());
      } else {
        list.skip();
      }
    }
  });
}

template <typename T, typename Visit>
void FeatureView::each(const wire::Message& message, Visit&& visit) const {
  each_run<T>(message, [&](std::string_view run) {
    if constexpr (std::is_same_v<T, float>) {
      for (size_t i = 0; i < floats_in(run, message); ++i) visit(wire::load<float>(run.data() + i * sizeof(float)));
    } else {
      for (wire::Reader values(run, message); !values.done();) {
        if constexpr (std::is_same_v<T, std::string_view>) visit(values.bytes());
        else visit(static_cast<int64_t>(values.varint()));
      }
    }
  });
}

}  // namespace brio::formats
