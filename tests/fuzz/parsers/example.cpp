// tf.train.Example and SequenceExample: as values, which must survive being written again, and parsed by fixed sets
// of features, where the result must be what the values say.
#include "brio/formats/example.h"

#include <cstdlib>

#include "brio/formats/example_parser.h"
#include "brio/tensor/strings.h"

namespace {

using namespace brio;
using namespace brio::formats;

const ExampleParser& any_number() {
  static const ExampleParser parser({{"a", VarLen{i64}}, {"b", VarLen{f32}}, {"c", VarLen{DType::string}}});
  return parser;
}
const ExampleParser& fixed() {
  static const ExampleParser parser({{"a", FixedLen{{}, i64}}, {"b", FixedLen{{2}, f32}}});
  return parser;
}
const ExampleParser& others() {
  static const ExampleParser parser({{"a", FixedLenSequence{{2}, i64}}, {"c", FixedLen{{4}, u8, {}, true}}});
  return parser;
}
const SequenceExampleParser& sequences() {
  static const SequenceExampleParser parser({{"a", VarLen{i64}}},
                                            {{"b", VarLen{f32}}, {"c", FixedLenSequence{{}, DType::string}}});
  return parser;
}

template <typename F>
bool accepted(F&& parse) {
  try {
    parse();
  } catch (const DataError&) {
    return false;
  }
  return true;
}

template <typename T>
bool same(const ParsedFeature& parsed, const Features& features, const char* key) {
  const auto found = features.find(key);
  const std::vector<T> none;
  const auto* values = found == features.end() ? nullptr : std::get_if<std::vector<T>>(&found->second.values);
  if (!values) values = &none;
  if (static_cast<size_t>(parsed.values.aval.shape[0]) != values->size()) return false;
  for (size_t i = 0; i < values->size(); ++i) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (string_at(parsed.values, static_cast<int64_t>(i)) != (*values)[i]) return false;
    } else if (std::memcmp(parsed.values.as<T>() + i, &(*values)[i], sizeof(T)) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Example example;
  const bool sound = accepted([&] { example = Example::parse(bytes); });
  if (sound) {
    const std::string again = example.serialize();
    if (Example::parse(again).serialize() != again) std::abort();
  }
  // A parser reads less than all, so it may accept what is broken elsewhere; never the other way round but for kinds.
  std::vector<ParsedFeature> parsed;
  if (accepted([&] { parsed = any_number().parse_single(bytes); }) && sound &&
      !(same<int64_t>(parsed[0], example.features, "a") && same<float>(parsed[1], example.features, "b") &&
        same<std::string>(parsed[2], example.features, "c")))
    std::abort();
  if (accepted([&] { parsed = fixed().parse_single(bytes); }) && sound) {
    ParsedFeature one = parsed[0];
    one.values.aval.shape = {1};
    if (!same<int64_t>(one, example.features, "a") || !same<float>(parsed[1], example.features, "b")) std::abort();
  }
  accepted([&] { others().parse_single(bytes); });
  SequenceExample sequence;
  if (accepted([&] { sequence = SequenceExample::parse(bytes); }) &&
      SequenceExample::parse(sequence.serialize()).serialize() != sequence.serialize())
    std::abort();
  accepted([&] {
    for (const ParsedFeature& list : sequences().parse_single(bytes).lists)
      if (list.step_lengths.buffer) to_sparse(list);
  });
  return 0;
}
