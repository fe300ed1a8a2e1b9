#include "brio/formats/example.h"

#include <gtest/gtest.h>

#include "brio/formats/decode_raw.h"
#include "brio/formats/example_parser.h"
#include "brio/tensor/strings.h"
#include "tests/formats/hex.h"
#include "tests/formats/message_of.h"

namespace brio::formats {
namespace {

std::string serialized(Features features) { return Example{std::move(features)}.serialize(); }

Array floats(std::vector<float> values, const Shape& shape) {
  Array array = Array::allocate({shape, f32});
  std::copy(values.begin(), values.end(), array.as<float>());
  return array;
}

TEST(Example, IsWalkedInPlace) {
  const std::string bytes = from_hex("0a210a0f0a05696d61676512060a040a02ffd80a0e0a056c6162656c12051a030a0107");
  EXPECT_EQ(serialized({{"image", Feature::bytes({"\xff\xd8"})}, {"label", Feature::ints({7})}}), bytes);
  std::vector<std::string> seen;
  scan_example(bytes, {}, [&](std::string_view key, const FeatureView& feature, const wire::Message& message) {
    EXPECT_TRUE(key.data() > bytes.data() && key.data() < bytes.data() + bytes.size());
    seen.push_back(cat(key, " ", name_of(feature.kind()), " ", feature.count(message)));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"image string 1", "label int64 1"}));
}

TEST(Example, CountsValuesOfEachKind) {
  const std::string bytes =
      serialized({{"a", Feature::bytes({"x", ""})}, {"b", Feature::floats({1, 2, 3})}, {"c", {}}});
  std::vector<std::string> seen;
  scan_example(bytes, {}, [&](std::string_view key, const FeatureView& feature, const wire::Message& message) {
    seen.push_back(cat(key, " ", name_of(feature.kind()), " ", feature.count(message)));
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"a string 2", "b float 3", "c none 0"}));
}

TEST(Example, BrokenMessagesNameTheirPlace) {
  const auto error = [](const char* hex) {
    const std::string bytes = from_hex(hex);
    return message_of<DataError>([&] { Example::parse(bytes, {"f.tfrecord", 100}); });
  };
  const std::string at = "f.tfrecord: at byte ", what = ": tf.train.Example: ";
  EXPECT_EQ(error("0a05616263"), at + "102" + what + "a field of 5 bytes reaches past the end: 3 are left");
  EXPECT_EQ(error("0d616263"), at + "101" + what + "a field of 4 bytes reaches past the end: 3 are left");
  EXPECT_EQ(error("0800ff"), at + "102" + what + "it ends within a number");
  EXPECT_EQ(error("08ffffffffffffffffffff01"), at + "101" + what + "a number has more than 10 bytes");
  EXPECT_EQ(error("0affffffffff01"), at + "101" + what + "a number has more than 5 bytes");
  EXPECT_EQ(error("f8ffffff7f01"), at + "100" + what + "a field has a number past 2^29");
  EXPECT_EQ(error("0200"), at + "101" + what + "a field has the number 0");
  EXPECT_EQ(error("0e"), at + "101" + what + "a field has the wire type 6, which none has here");
  EXPECT_EQ(error("0c"), at + "101" + what + "a field has the wire type 4, which none has here");
  EXPECT_EQ(error("3b0801"), at + "103" + what + "it ends within a group");
  EXPECT_EQ(error("3b34"), at + "102" + what + "a group ends that has not begun");
  std::string deep;
  for (int i = 0; i < 101; ++i) deep += "3b";
  EXPECT_EQ(error(deep.c_str()), at + "201" + what + "groups are nested more than 100 deep");
  EXPECT_EQ(error("0a080a060a016b0a016b"), at + "108" + what + "an entry of a map has two keys or values");
  EXPECT_EQ(error("0a0e0a0c0a016b120712050a03616263"), at + "113" + what + "a packed list of floats has 3 bytes");
}

TEST(ExampleParser, KeepsTheLastOfEqualKeysAndIgnoresTheOthers) {
  // The first has another kind, which is no error.
  const std::string bytes = serialized({{"k", Feature::ints({1, 2})}}) + serialized({{"k", Feature::floats({5})}});
  const auto parsed = parse_single_example(bytes, {{"k", FixedLen{{}, f32}}});
  EXPECT_EQ(parsed[0].values.as<float>()[0], 5);
}

TEST(ExampleParser, FollowsTheOrderOfKeysAsItChanges) {
  std::vector<std::string> bytes;
  std::vector<NamedSpec> specs;
  const std::vector<std::string> keys{
      "a", "b4", "c45", "d456", "e45678", "f4567890", "g4567890123456", "h45678901234567890"};
  for (const std::string& key : keys) specs.push_back({key, FixedLen{{}, i64}});
  for (int i = 0; i < 20; ++i) {
    std::string example;  // each feature in Features of its own, in an order of its own
    for (int k = 0; k < 8; ++k) {
      const int which = (k * (2 * (i % 4) + 1) + i) % 8;
      example += serialized({{keys[static_cast<size_t>(which)], Feature::ints({i * 1000 + which})}});
      if (i % 5 == k) example += serialized({{cat("other", i), Feature::ints({1})}});
    }
    bytes.push_back(example);
  }
  const std::vector<std::string_view> views(bytes.begin(), bytes.end());
  const auto parsed = parse_example(views, specs);
  for (int64_t i = 0; i < 20; ++i)
    for (size_t k = 0; k < 8; ++k) EXPECT_EQ(parsed[k].values.as<int64_t>()[i], i * 1000 + static_cast<int64_t>(k));
}

TEST(ExampleParser, ReadsEveryLengthOfNumbersAndLists) {
  for (int bits = 0; bits < 64; ++bits) {
    const uint64_t power = uint64_t{1} << bits;
    for (const uint64_t pattern : {power, power - 1, ~power}) {
      const auto value = static_cast<int64_t>(pattern);
      const auto parsed =
          parse_single_example(serialized({{"k", Feature::ints({value})}}), {{"k", FixedLen{{1}, i64}}});
      ASSERT_EQ(parsed[0].values.as<int64_t>()[0], value);
    }
  }
  for (const int64_t count : {0, 1, 2, 30, 31, 32, 33, 100, 5000}) {
    std::vector<float> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 0.5F;
    const std::string bytes = serialized({{"k", Feature::floats(values)}});
    const auto fixed = parse_single_example(bytes, {{"k", FixedLen{{count}, f32}}});
    EXPECT_TRUE(std::equal(values.begin(), values.end(), fixed[0].values.as<float>()));
    const auto ragged = parse_single_example(bytes, {{"k", VarLen{f32}}});
    ASSERT_EQ(ragged[0].values.aval.shape, Shape({count}));
    EXPECT_TRUE(std::equal(values.begin(), values.end(), ragged[0].values.as<float>()));
  }
}

TEST(ExampleParser, ErrorsSayWhichExampleAndFeature) {
  const std::vector<std::string> bytes{serialized({{"a", Feature::ints({1, 2})}, {"f", Feature::floats({1})}}),
                                       serialized({})};
  const std::vector<std::string_view> views(bytes.begin(), bytes.end());
  const auto error = [&](FeatureSpec spec, const std::string& key = "a") {
    return message_of<DataError>([&] { parse_example(views, {{key, spec}}); });
  };
  const std::string memory = "(bytes in memory): at byte ";
  EXPECT_EQ(
      error(FixedLen{{2}, i64}),
      memory +
          "0: tf.train.Example 1 of the batch: feature 'a' (data type: int64) is required but could not be found; "
          "give it a default_value if it may be missing");
  EXPECT_EQ(error(FixedLen{{2}, f32}), memory +
                                           "9: tf.train.Example 0 of the batch: feature 'a': data types don't match: "
                                           "it holds int64, but float is expected");
  EXPECT_EQ(error(VarLen{DType::string}), memory +
                                              "9: tf.train.Example 0 of the batch: feature 'a': data types don't "
                                              "match: it holds int64, but string is expected");
  EXPECT_EQ(error(FixedLen{{3}, i64}), memory +
                                           "9: tf.train.Example 0 of the batch: feature 'a': number of int64 values "
                                           "!= expected: it has 2, but shape (3,) takes 3");
  EXPECT_EQ(error(FixedLenSequence{{3}, i64}), memory +
                                                   "9: tf.train.Example 0 of the batch: feature 'a': number of int64 "
                                                   "values is not a multiple of the 3 of an element of "
                                                   "shape (3,): it has 2");
  EXPECT_EQ(message_of<DataError>([&] {
              parse_single_example(views[1], {{"a", FixedLen{{}, f32}}});
            }),
            memory +
                "0: tf.train.Example: feature 'a' (data type: float) is required but could not be found; give it a "
                "default_value if it may be missing");
}

TEST(ExampleParser, ReadsRawBytesToWhereTheyGo) {
  const std::string bytes = serialized(
      {{"u", Feature::bytes({std::string("\1\2\3\4\5\6", 6)})}, {"b", Feature::bytes({std::string("\0\1\2", 3)})}});
  const ExampleParser parser({{"u", FixedLen{{3}, u16, {}, true}},
                              {"b", FixedLen{{3}, boolean, {}, true}},
                              {"f", FixedLen{{2}, f32, floats({1, 2}, {2})}}});
  ASSERT_TRUE(parser.has_rows());
  uint16_t shorts[3];
  bool truths[3];
  float numbers[2];
  void* rows[] = {shorts, truths, numbers};
  parser.parse_rows(bytes, rows);
  EXPECT_EQ(std::vector<int>(shorts, shorts + 3), (std::vector<int>{0x201, 0x403, 0x605}));
  EXPECT_EQ(std::vector<int>(truths, truths + 3), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(numbers[1], 2);
  const auto parsed = parser.parse_single(bytes);
  EXPECT_EQ(parsed[0].values.aval, (Aval{{3}, u16}));
  EXPECT_EQ(parsed[0].values.as<uint16_t>()[2], 0x605);

  const auto error = [&](FixedLen spec) {
    return message_of<DataError>([&] { parse_single_example(bytes, {{"u", spec}}); }).substr(20);
  };
  EXPECT_NE(error({{2}, u16, {}, true}).find("feature 'u': it has 6 raw bytes, but uint16 of shape (2,) takes 4"),
            std::string::npos);
  // Pixels as floats: of any byte, of many and of few.
  for (const size_t n : {size_t{1}, size_t{256}, size_t{3 * 224 * 224}}) {
    std::string pixels(n, '\0');
    for (size_t i = 0; i < n; ++i) pixels[i] = static_cast<char>(i);
    const std::string example = serialized({{"u", Feature::bytes({pixels})}});
    const FixedLen spec{{static_cast<int64_t>(n)}, f32, {}, true, u8};
    const Array got = parse_single_example(example, {{"u", spec}})[0].values;
    EXPECT_EQ(got.aval, (Aval{{static_cast<int64_t>(n)}, f32}));
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(got.as<float>()[i], static_cast<float>(i % 256)) << i;
  }
  EXPECT_NE(error({{2}, f32, {}, true, u8}).find("it has 6 raw bytes, but uint8 of shape (2,) takes 2"),
            std::string::npos);
  const std::string two = serialized({{"u", Feature::bytes({"a", "b"})}});
  EXPECT_NE(message_of<DataError>([&] {
              parse_single_example(two, {{"u", FixedLen{{1}, u8, {}, true}}});
            }).find("number of string values != expected: it has 2, but shape () takes 1"),
            std::string::npos);
  const ExampleParser strings({{"u", FixedLen{{}, DType::string}}});
  EXPECT_FALSE(strings.has_rows());
  EXPECT_THROW(strings.parse_rows(bytes, {}), InvalidArgument);
  EXPECT_FALSE(ExampleParser({{"u", VarLen{f32}}}).has_rows());
}

TEST(ExampleParser, SpecsAreChecked) {
  const auto error = [](std::vector<NamedSpec> specs) {
    return message_of<InvalidArgument>([&] { ExampleParser{specs}; });
  };
  const std::string a = "[parse_example] feature 'a': ";
  const std::string dtype =
      a + "an Example holds float32, int64 or strings, but got int32; parse one of these and cast it";
  EXPECT_EQ(error({{"a", FixedLen{{}, i32}}}), dtype);
  EXPECT_EQ(error({{"a", VarLen{i32}}}), dtype);
  EXPECT_EQ(error({{"a", FixedLenSequence{{}, i32}}}), dtype);
  EXPECT_EQ(error({{"a", FixedLen{{}, DType::string, {}, true}}}),
            a + "raw bytes are read as numbers; a string is not raw");
  EXPECT_EQ(error({{"a", FixedLen{{}, f32, {}, true, u16}}}),
            a + "what is stored as uint16 raw bytes cannot be read as float32; only raw uint8 is read as float32");
  EXPECT_EQ(error({{"a", FixedLen{{}, f32, {}, false, u8}}}),
            a + "what is stored as uint8 values cannot be read as float32; only raw uint8 is read as float32");
  EXPECT_EQ(error({{"a", FixedLen{{2}, f32, floats({1}, {})}}}),
            a + "the default_value is float32 of shape (), but it has to be float32 of shape (2,)");
  EXPECT_EQ(error({{"a", FixedLen{{}, i64, floats({1}, {})}}}),
            a + "the default_value is float32 of shape (), but it has to be int64 of shape ()");
  EXPECT_EQ(error({{"a", FixedLenSequence{{2}, f32, floats({1, 2}, {2})}}}),
            a + "the default_value is float32 of shape (2,), but it has to be float32 of shape ()");
  EXPECT_EQ(error({{"a", FixedLenSequence{{2, 0}, f32}}}),
            a + "the elements of a sequence have one value or more, but got shape (2, 0)");
  EXPECT_EQ(error({{"a", FixedLenSequence{{1, 1, 1, 1, 1, 1, 1}, f32}}}),
            a + "elements of rank 7 leave no room for two axes");
  EXPECT_EQ(error({{"a", FixedLen{{1, 1, 1, 1, 1, 1, 1, 1}, f32}}}),
            a + "elements of rank 8 leave no room for the axis of the batch");
  EXPECT_EQ(error({{"a", VarLen{f32}}, {"b", VarLen{f32}}, {"a", VarLen{i64}}}),
            "[parse_example] the feature 'a' is given twice");
  EXPECT_EQ(message_of<InvalidArgument>([] {
              SequenceExampleParser({}, {{"t", FixedLen{}}});
            }),
            "[parse_sequence_example] the feature list 't' is FixedLen; give it as FixedLenSequence or VarLen");
  const auto dense = parse_single_example(serialized({{"a", Feature::floats({1})}}), {{"a", FixedLen{}}});
  EXPECT_THROW(to_sparse(dense[0]), InvalidArgument);
}

TEST(SequenceExample, ErrorsSayWhichStep) {
  SequenceExample example;
  example.feature_lists["t"] = {Feature::ints({1}), Feature::ints({2, 3}), {}};
  const std::string bytes = example.serialize();
  const std::string_view view = bytes;
  const auto error = [&](const std::string& key, FeatureSpec spec) {
    return message_of<DataError>([&] { parse_sequence_example({&view, 1}, {}, {{key, spec}}); }).substr(17);
  };
  EXPECT_EQ(error("t", FixedLenSequence{{}, i64}),
            ": at byte 18: tf.train.SequenceExample 0 of the batch: feature list 't', step 1: number of int64 values "
            "!= expected: it "
            "has 2, but shape () takes 1");
  EXPECT_EQ(error("t", VarLen{f32}),
            ": at byte 11: tf.train.SequenceExample 0 of the batch: feature 't': data types don't match: it holds "
            "int64, but float is "
            "expected");
  EXPECT_EQ(error("u", FixedLenSequence{{}, i64}),
            ": at byte 0: tf.train.SequenceExample 0 of the batch: feature list 'u' (data type: int64) is required "
            "but could not be "
            "found; set allow_missing if it may be missing");
}

TEST(DecodeRaw, RefusesWhatDoesNotFit) {
  const auto strings = [](std::vector<std::string_view> values) {
    return string_array(values, {static_cast<int64_t>(values.size())});
  };
  const auto error = [](const Array& input, DType dtype) {
    return message_of<InvalidArgument>([&] { decode_raw(input, dtype); });
  };
  EXPECT_EQ(error(strings({"abc"}), i16),
            "[decode_raw] the strings have 3 bytes, which is not a multiple of 2, the size of int16");
  EXPECT_EQ(error(strings({"ab", "abcd"}), i16),
            "[decode_raw] the strings have to be of the same size, but number 1 has 4 bytes and the first has 2");
  EXPECT_EQ(error(floats({1}, {1}), i16), "[decode_raw] decodes strings to numbers, but got float32 and int16");
  EXPECT_EQ(error(strings({"ab"}), DType::string),
            "[decode_raw] decodes strings to numbers, but got string and string");
  const std::string_view one = "a";
  EXPECT_EQ(error(string_array({&one, 1}, {1, 1, 1, 1, 1, 1, 1, 1}), u8),
            "[decode_raw] strings of rank 8 leave no room for an axis of elements");
  EXPECT_EQ(decode_raw(strings({}), i16).aval, (Aval{{0, 0}, i16}));
  EXPECT_EQ(decode_raw(strings({"", ""}), i16).aval, (Aval{{2, 0}, i16}));
}

}  // namespace
}  // namespace brio::formats
