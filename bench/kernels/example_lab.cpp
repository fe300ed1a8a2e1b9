// Parsing tf.train.Examples of 20 small features: a batch at a time, one by one into rows, and the mere walk over
// them.
//   lab_example [FILE]   also writes the examples to FILE, a TFRecord file, for another parser to be timed on the
//   same bytes
#include <cstdio>

#include "bench/kernels/stopwatch.h"
#include "brio/formats/example.h"
#include "brio/formats/example_parser.h"
#include "brio/formats/tfrecord.h"

using namespace brio;
using namespace brio::formats;

namespace {

constexpr int kExamples = 2048, kBatch = 128;

std::string make_example(int i) {
  Example example;
  for (int k = 0; k < 8; ++k) example.features[cat("float_", k)] = Feature::floats({static_cast<float>(i + k) / 3});
  for (int k = 0; k < 6; ++k) example.features[cat("int_", k)] = Feature::ints({int64_t{i} * 37 % 1000 - k * 100});
  for (int k = 0; k < 4; ++k)
    example.features[cat("vector_", k)] = Feature::floats({1.5F, 2.5F, static_cast<float>(i), 3});
  for (int k = 0; k < 2; ++k) example.features[cat("text_", k)] = Feature::bytes({cat("text of ", i)});
  return example.serialize();
}

std::vector<NamedSpec> specs_of(bool texts) {
  std::vector<NamedSpec> specs;
  for (int k = 0; k < 8; ++k) specs.push_back({cat("float_", k), FixedLen{{}, f32}});
  for (int k = 0; k < 6; ++k) specs.push_back({cat("int_", k), FixedLen{{}, i64}});
  for (int k = 0; k < 4; ++k) specs.push_back({cat("vector_", k), FixedLen{{4}, f32}});
  for (int k = 0; k < 2 && texts; ++k) specs.push_back({cat("text_", k), FixedLen{{}, DType::string}});
  return specs;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> bytes;
  for (int i = 0; i < kExamples; ++i) bytes.push_back(make_example(i));
  const std::vector<std::string_view> examples(bytes.begin(), bytes.end());
  if (argc > 1) {
    RecordWriter writer(argv[1]);
    for (const std::string& example : bytes) writer.write(example);
    writer.commit();
  }

  const ExampleParser parser(specs_of(true)), numbers(specs_of(false));
  const std::vector<ParsedFeature> first = parser.parse(std::span(examples).first(kBatch));
  for (int i = 0; i < kBatch; ++i)
    if (first[0].values.as<float>()[i] != static_cast<float>(i) / 3 || first[14].values.as<float>()[4 * i + 2] != i) {
      std::printf("example %d is parsed wrongly\n", i);
      return 1;
    }

  std::printf("%d examples of 20 features, %zu bytes each; ns an example\n", kExamples, bytes[0].size());
  const auto report = [](const char* what, double time) {
    std::printf("  %-28s %7.0f\n", what, time / kExamples * 1e3);
  };
  int64_t keys = 0;
  report("walk", best_microseconds([&] {
           for (const std::string_view example : examples)
             scan_example(example, {}, [&](std::string_view, const FeatureView&, const wire::Message&) { ++keys; });
         }));
  report("batches of 128", best_microseconds([&] {
           for (int at = 0; at < kExamples; at += kBatch) parser.parse(std::span(examples).subspan(at, kBatch));
         }));
  report("batches of 128, numbers", best_microseconds([&] {
           for (int at = 0; at < kExamples; at += kBatch) numbers.parse(std::span(examples).subspan(at, kBatch));
         }));
  report("one by one", best_microseconds([&] {
           for (const std::string_view example : examples) parser.parse_single(example);
         }));
  std::vector<float> room(18 * 4);
  std::vector<void*> rows;
  for (int i = 0; i < 18; ++i) rows.push_back(&room[static_cast<size_t>(i) * 4]);
  report("into rows, numbers", best_microseconds([&] {
           for (const std::string_view example : examples) numbers.parse_rows(example, rows);
         }));
}
