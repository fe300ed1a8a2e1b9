// TFRecord files, messages, and what is parsed from them, beside TensorFlow's (tests/golden/records_….json).
#include <gtest/gtest.h>

#include <cstring>

#include "brio/formats/decode_raw.h"
#include "brio/formats/example.h"
#include "brio/formats/example_parser.h"
#include "brio/formats/tfrecord.h"
#include "brio/tensor/strings.h"
#include "tests/formats/hex.h"
#include "tests/formats/scratch.h"
#include "tests/golden/golden.h"

namespace brio::formats {
namespace {

using nlohmann::json;

Feature feature_of(const json& shown) {
  const std::string kind = shown.at(0);
  const auto texts = shown.at(1).get<std::vector<std::string>>();
  Feature feature;
  if (kind == "string") {
    Feature::Bytes values;
    for (const std::string& text : texts) values.push_back(from_hex(text));
    feature = Feature::bytes(values);
  } else if (kind == "float") {
    Feature::Floats values;
    for (const std::string& text : texts) values.push_back(wire::load<float>(from_hex(text).data()));
    feature = Feature::floats(values);
  } else if (kind == "int64") {
    Feature::Ints values;
    for (const std::string& text : texts) values.push_back(std::stoll(text));
    feature = Feature::ints(values);
  }
  return feature;
}

TEST(RecordsGolden, FilesAreReadAndWrittenAsByTensorFlow) {
  const Scratch scratch;
  for (const golden::Case& c : golden::load("records_files.json")) {
    for (const Compression compression : {Compression::none, Compression::gzip, Compression::zlib}) {
      const std::string name = compression == Compression::none   ? "plain"
                               : compression == Compression::gzip ? "gzip"
                                                                  : "zlib";
      SCOPED_TRACE(c.name + " " + name);
      write_file(scratch / "theirs", from_hex(c.text(name)));
      RecordWriter writer(scratch / "ours", {compression});
      for (const std::string& record : c.input("records").texts) writer.write(from_hex(record));
      writer.commit();
      if (compression == Compression::none) {
        EXPECT_EQ(to_hex(read_file(scratch / "ours")), c.text("plain"));
      }
      const InputFile ours(scratch / "ours");
      EXPECT_EQ(to_hex(InputStream(ours, compression).read_all()), c.text("plain"));
      for (const char* file : {"ours", "theirs"}) {
        RecordReader reader(scratch / file, {compression});
        std::string_view record;
        for (const std::string& expected : c.input("records").texts) {
          ASSERT_TRUE(reader.next(record));
          EXPECT_EQ(to_hex(record), expected);
        }
        EXPECT_FALSE(reader.next(record));
      }
    }
  }
}

TEST(RecordsGolden, MessagesHaveTheBytesOfProtobuf) {
  for (const golden::Case& c : golden::load("records_messages.json")) {
    SCOPED_TRACE(c.name);
    const json content = json::parse(c.text("content"));
    const std::string bytes = from_hex(c.text("bytes"));
    if (c.name.starts_with("example/")) {
      Example example;
      for (const auto& [key, feature] : content.items()) example.features[key] = feature_of(feature);
      EXPECT_EQ(to_hex(example.serialize()), c.text("bytes"));
      EXPECT_EQ(to_hex(Example::parse(bytes).serialize()), c.text("bytes"));
    } else {
      SequenceExample example;
      for (const auto& [key, feature] : content.at(0).items()) example.context[key] = feature_of(feature);
      for (const auto& [key, steps] : content.at(1).items()) {
        example.feature_lists[key];
        for (const json& step : steps) example.feature_lists[key].push_back(feature_of(step));
      }
      EXPECT_EQ(to_hex(example.serialize()), c.text("bytes"));
      EXPECT_EQ(to_hex(SequenceExample::parse(bytes).serialize()), c.text("bytes"));
    }
  }
}

// Other encodings than a writer's, and broken ones: protobuf says what they mean.
TEST(RecordsGolden, HostileMessagesAreTakenAsByProtobuf) {
  int accepted = 0;
  for (const golden::Case& c : golden::load("records_hostile.json")) {
    SCOPED_TRACE(c.name);
    const json verdict = json::parse(c.text("verdict"));
    const std::string bytes = from_hex(c.text("bytes"));
    if (verdict.is_string()) {
      EXPECT_THROW(Example::parse(bytes), DataError);
      continue;
    }
    ++accepted;
    Example expected;
    for (const auto& [key, feature] : verdict.items()) expected.features[from_hex(key)] = feature_of(feature);
    EXPECT_EQ(to_hex(Example::parse(bytes).serialize()), to_hex(expected.serialize()));
  }
  EXPECT_GT(accepted, 40);
}

Array array_of_texts(const std::vector<std::string>& texts, DType dtype, const Shape& shape) {
  if (dtype == DType::string) {
    StringWriter writer;
    for (const std::string& text : texts) writer.add(from_hex(text));
    return writer.finish(shape);
  }
  Array array = Array::allocate({shape, dtype});
  for (size_t i = 0; i < texts.size(); ++i) {
    if (dtype == f32) array.as<float>()[i] = std::stof(texts[i]);
    else array.as<int64_t>()[i] = std::stoll(texts[i]);
  }
  return array;
}

std::vector<NamedSpec> specs_of(const std::string& text) {
  std::vector<NamedSpec> specs;
  for (const json& one : json::parse(text)) {
    const Shape shape(one.at("shape").get<std::vector<int64_t>>());
    const DType dtype = dtype_from_name(one.at("dtype").get<std::string>());
    std::optional<Array> otherwise;
    if (const json& d = one.at("default"); !d.is_null())
      otherwise = array_of_texts(d.at("values"), dtype, Shape(d.at("shape").get<std::vector<int64_t>>()));
    const std::string type = one.at("type");
    FeatureSpec spec = VarLen{dtype};
    if (type == "FixedLenFeature") spec = FixedLen{shape, dtype, otherwise};
    else if (type == "FixedLenSequenceFeature")
      spec = FixedLenSequence{shape, dtype, otherwise, one.at("allow_missing").get<bool>()};
    specs.push_back({one.at("key"), spec});
  }
  return specs;
}

void expect_same(const Array& array, const golden::Array& expected) {
  ASSERT_EQ(array.aval.shape, Shape(expected.shape));
  for (int64_t i = 0; i < array.aval.shape.elements(); ++i) {
    const auto k = static_cast<size_t>(i);
    if (array.aval.dtype == f32) EXPECT_EQ(array.as<float>()[i], static_cast<float>(expected.data.at(k)));
    else if (array.aval.dtype == i64) EXPECT_EQ(array.as<int64_t>()[i], std::stoll(expected.texts.at(k)));
    else EXPECT_EQ(string_at(array, i), expected.texts.at(k));
  }
}

void expect_same(const golden::Case& c, const std::vector<NamedSpec>& specs,
                 const std::vector<ParsedFeature>& parsed) {
  ASSERT_EQ(parsed.size(), specs.size());
  for (size_t k = 0; k < specs.size(); ++k) {
    SCOPED_TRACE(specs[k].key);
    const std::string key = specs[k].key + "/";
    if (std::holds_alternative<VarLen>(specs[k].spec)) {
      const SparseArrays sparse = to_sparse(parsed[k]);
      expect_same(sparse.indices, c.output(key + "indices"));
      expect_same(sparse.values, c.output(key + "values"));
      expect_same(sparse.dense_shape, c.output(key + "dense_shape"));
    } else {
      expect_same(parsed[k].values, c.output(key + "values"));
      if (c.outputs.count(key + "lengths") != 0) expect_same(parsed[k].row_lengths, c.output(key + "lengths"));
    }
  }
}

struct Serialized {
  explicit Serialized(const golden::Case& c) {
    for (const std::string& text : c.input("serialized").texts) bytes.push_back(from_hex(text));
    views.assign(bytes.begin(), bytes.end());
  }
  std::vector<std::string> bytes;
  std::vector<std::string_view> views;
};

TEST(RecordsGolden, ExamplesAreParsedAsByTensorFlow) {
  for (const golden::Case& c : golden::load("records_parsing.json")) {
    SCOPED_TRACE(c.name);
    const Serialized serialized(c);
    const std::vector<NamedSpec> specs = specs_of(c.text("specs"));
    const ExampleParser parser(specs);
    const auto parse = [&] {
      return c.number("single") != 0 ? parser.parse_single(serialized.views.at(0)) : parser.parse(serialized.views);
    };
    if (c.has("error")) EXPECT_THROW(parse(), DataError);
    else expect_same(c, specs, parse());
  }
}

TEST(RecordsGolden, SequenceExamplesAreParsedAsByTensorFlow) {
  for (const golden::Case& c : golden::load("records_sequences.json")) {
    SCOPED_TRACE(c.name);
    const Serialized serialized(c);
    const std::vector<NamedSpec> context = specs_of(c.text("context_specs")), lists = specs_of(c.text("list_specs"));
    const SequenceExampleParser parser(context, lists);
    const auto parse = [&] {
      return c.number("single") != 0 ? parser.parse_single(serialized.views.at(0)) : parser.parse(serialized.views);
    };
    if (c.has("error")) {
      EXPECT_THROW(parse(), DataError);
      continue;
    }
    const SequenceExampleParser::Parsed parsed = parse();
    expect_same(c, context, parsed.context);
    expect_same(c, lists, parsed.lists);
  }
}

TEST(RecordsGolden, RawBytesAreDecodedAsByTensorFlow) {
  for (const golden::Case& c : golden::load("records_raw.json")) {
    SCOPED_TRACE(c.name);
    const golden::Array& strings = c.input("strings");
    const Array input = array_of_texts(strings.texts, DType::string, Shape(strings.shape));
    const Array y = decode_raw(input, dtype_from_name(c.text("dtype")), c.number("little_endian") != 0);
    std::vector<int64_t> shape(y.aval.shape.begin(), y.aval.shape.end());
    EXPECT_EQ(std::vector<double>(shape.begin(), shape.end()), c.output("shape").data);
    EXPECT_EQ(to_hex({y.as<char>(), y.aval.bytes()}), c.text("y"));
  }
}

}  // namespace
}  // namespace brio::formats
