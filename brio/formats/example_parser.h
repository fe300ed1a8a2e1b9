// tf.io.parse_example and its kin: serialized Examples into arrays, by a set of features that is compiled once.
//
//   const ExampleParser parser({{"image", FixedLen{{28, 28}, u8, {}, true}}, {"label", FixedLen{{}, i64}}});
//   std::vector<ParsedFeature> batch = parser.parse(serialized);   // batch[1].values is (batch,) of int64
//
// What an example holds besides is skipped. Parsers are immutable: any number of threads may use one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "brio/formats/data_error.h"
#include "brio/tensor/aval.h"

namespace brio::formats {

// Each example has just the values of `shape`, or none where there is a default. f32, i64 or string. `raw`: one
// string that holds the elements, of any numeric dtype, as decode_raw reads them; it is copied to where the element
// goes. Pixels can become float32 on that way: dtype f32, stored u8.
struct FixedLen {
  Shape shape;
  DType dtype = f32;
  std::optional<Array> default_value = {};  // of this shape and dtype
  bool raw = false;
  std::optional<DType> stored = {};  // what the raw string holds, where that is not `dtype`
};
// Any number of values. The result is ragged: the values of all examples, and how many each one has.
struct VarLen {
  DType dtype = f32;
};
// Any number of elements of `shape`, padded to the longest of the batch with the default (a scalar; zero or "").
// A SequenceExample that lacks the list is an error unless allow_missing; an Example may always lack it.
struct FixedLenSequence {
  Shape shape;
  DType dtype = f32;
  std::optional<Array> default_value = {};
  bool allow_missing = false;
};
using FeatureSpec = std::variant<FixedLen, VarLen, FixedLenSequence>;
struct NamedSpec {
  std::string key;
  FeatureSpec spec;
};

struct ParsedFeature {
  Array values;       // FixedLen (batch, …shape), FixedLenSequence (batch, longest, …shape), VarLen (all values,)
  Array row_lengths;  // not of FixedLen: int64 (batch,): values, elements or steps of each example
  Array step_lengths;  // VarLen of a SequenceExample: int64 (all steps,): values of each step
};

// TensorFlow's form of VarLen: indices (values, rank), values, dense_shape (rank,).
struct SparseArrays {
  Array indices, values, dense_shape;
};
SparseArrays to_sparse(const ParsedFeature& ragged);  // throws InvalidArgument where it is not of a VarLen

struct CompiledSpecs;

class ExampleParser {
 public:
  explicit ExampleParser(std::vector<NamedSpec> specs);  // throws InvalidArgument
  const std::vector<NamedSpec>& specs() const { return specs_; }

  // One ParsedFeature for each spec, in their order. Throws DataError where an example is broken or does not fit.
  std::vector<ParsedFeature> parse(std::span<const std::string_view> examples, const Origin& origin = {}) const;
  // The same without the batch axis: FixedLen …shape, FixedLenSequence (elements, …shape), VarLen (values,).
  std::vector<ParsedFeature> parse_single(std::string_view example, const Origin& origin = {}) const;

  // Only FixedLen features, and no strings among their results? Then an example can be parsed to where its rows go:
  // rows[i] has room for one element of shape and dtype of specs()[i]. Nothing is allocated.
  bool has_rows() const { return has_rows_; }
  void parse_rows(std::string_view example, std::span<void* const> rows, const Origin& origin = {}) const;

 private:
  friend class SequenceExampleParser;  // its context is what the Features of an Example are
  std::vector<ParsedFeature> parse_features(std::span<const std::string_view> examples, const Origin& origin,
                                            std::string_view what, int64_t first_index) const;

  std::vector<NamedSpec> specs_;
  std::shared_ptr<const CompiledSpecs> compiled_;
  bool has_rows_ = false;
};

// tf.io.parse_sequence_example: the specs of the lists are FixedLenSequence or VarLen.
class SequenceExampleParser {
 public:
  SequenceExampleParser(std::vector<NamedSpec> context, std::vector<NamedSpec> lists);
  struct Parsed {
    std::vector<ParsedFeature> context, lists;
  };
  Parsed parse(std::span<const std::string_view> examples, const Origin& origin = {}) const;
  // Without the batch axis; to_sparse of a VarLen list is then of (step, value).
  Parsed parse_single(std::string_view example, const Origin& origin = {}) const;

 private:
  Parsed parse_from(std::span<const std::string_view> examples, const Origin& origin, int64_t first_index) const;

  ExampleParser context_;
  std::vector<NamedSpec> specs_;
  std::shared_ptr<const CompiledSpecs> compiled_;
};

// For one time; a program that parses many keeps a parser.
std::vector<ParsedFeature> parse_example(std::span<const std::string_view> examples, std::vector<NamedSpec> specs);
std::vector<ParsedFeature> parse_single_example(std::string_view example, std::vector<NamedSpec> specs);
SequenceExampleParser::Parsed parse_sequence_example(std::span<const std::string_view> examples,
                                                     std::vector<NamedSpec> context, std::vector<NamedSpec> lists);

}  // namespace brio::formats
