// The parser of SequenceExamples, and the sparse form of ragged results.
#include <algorithm>

#include "brio/formats/example_parser.h"
#include "brio/formats/feature_column.h"
#include "brio/formats/fixed_feature.h"

namespace brio::formats {

namespace {

constexpr std::string_view kSequenceMessage = "tf.train.SequenceExample";

// A feature list of a batch while it is parsed.
class ListOutput {
 public:
  explicit ListOutput(const NamedSpec& named)
      : key_(&named.key),
        sequence_(std::get_if<FixedLenSequence>(&named.spec)),
        kind_(kind_of(sequence_ ? sequence_->dtype : std::get<VarLen>(named.spec).dtype)),
        column_(sequence_ ? sequence_->dtype : std::get<VarLen>(named.spec).dtype) {}

  void add(std::string_view steps, const wire::Message& message) {
    if (!steps.data() && sequence_ && !sequence_->allow_missing)
      fail_missing("feature list", *key_, kind_, "set allow_missing if it may be missing", message);
    int64_t count = 0;
    if (steps.data())
      each_part(steps, 1, message, [&](std::string_view step) {
        add_step(FeatureView(step, message), count, message);
        ++count;
      });
    lengths_.push_back(count);
  }

  ParsedFeature finish() const {
    if (sequence_)
      return {column_.padded(lengths_, sequence_->shape, sequence_->default_value), array_of(lengths_), {}};
    return {column_.flat(), array_of(lengths_), array_of(step_lengths_)};
  }

 private:
  void add_step(const FeatureView& feature, int64_t step, const wire::Message& message) {
    const bool empty = feature.kind() == FeatureKind::none;
    if (!empty && feature.kind() != kind_) fail_kind(*key_, feature, kind_, message);
    const int64_t count = empty ? 0 : column_.append(feature, message);
    if (!sequence_) step_lengths_.push_back(count);
    else if (count != sequence_->shape.elements())
      wire::fail(message, feature.lists().data(),
                 cat("feature list '", *key_, "', step ", step, ": number of ", name_of(kind_),
                     " values != expected: it has ", count, ", but shape ", sequence_->shape, " takes ",
                     sequence_->shape.elements()));
  }

  const std::string* key_;
  const FixedLenSequence* sequence_;  // none: VarLen
  FeatureKind kind_;
  FeatureColumn column_;
  std::vector<int64_t> lengths_, step_lengths_;
};

}  // namespace

SequenceExampleParser::SequenceExampleParser(std::vector<NamedSpec> context, std::vector<NamedSpec> lists)
    : context_(std::move(context)) {
  for (const NamedSpec& named : lists)
    if (std::holds_alternative<FixedLen>(named.spec))
      throw InvalidArgument(cat("[parse_sequence_example] the feature list '", named.key,
                                "' is FixedLen; give it as FixedLenSequence or VarLen"));
  const ExampleParser checked(std::move(lists));
  specs_ = checked.specs_;
  compiled_ = checked.compiled_;
}

SequenceExampleParser::Parsed SequenceExampleParser::parse(std::span<const std::string_view> examples,
                                                           const Origin& origin) const {
  return parse_from(examples, origin, 0);
}

SequenceExampleParser::Parsed SequenceExampleParser::parse_single(std::string_view example,
                                                                  const Origin& origin) const {
  Parsed parsed = parse_from({&example, 1}, origin, -1);
  for (size_t k = 0; k < parsed.context.size(); ++k) drop_batch_axis(parsed.context[k], context_.specs()[k]);
  for (size_t k = 0; k < parsed.lists.size(); ++k) drop_batch_axis(parsed.lists[k], specs_[k]);
  return parsed;
}

SequenceExampleParser::Parsed SequenceExampleParser::parse_from(std::span<const std::string_view> examples,
                                                                const Origin& origin, int64_t first_index) const {
  Parsed parsed{context_.parse_features(examples, origin, kSequenceMessage, first_index), {}};
  std::vector<ListOutput> outputs(specs_.begin(), specs_.end());
  std::vector<std::string_view> values;
  std::vector<uint32_t> order;
  for (size_t i = 0; i < examples.size(); ++i) {
    const wire::Message message{examples[i].data(), origin, kSequenceMessage, first_index + static_cast<int64_t>(i)};
    values.assign(specs_.size(), {});
    each_part(examples[i], 2, message,
              [&](std::string_view lists) { compiled_->keys.locate(lists, message, values.data(), order); });
    for (size_t k = 0; k < outputs.size(); ++k) outputs[k].add(values[k], message);
  }
  for (const ListOutput& output : outputs) parsed.lists.push_back(output.finish());
  return parsed;
}

SequenceExampleParser::Parsed parse_sequence_example(std::span<const std::string_view> examples,
                                                     std::vector<NamedSpec> context, std::vector<NamedSpec> lists) {
  return SequenceExampleParser(std::move(context), std::move(lists)).parse(examples);
}

SparseArrays to_sparse(const ParsedFeature& ragged) {
  if (!ragged.row_lengths.buffer || ragged.values.aval.shape.rank() != 1)
    throw InvalidArgument("[to_sparse] only a VarLen feature has a sparse form; this one is dense already");
  const bool batched = ragged.row_lengths.aval.shape.rank() == 1;
  const auto lengths_of = [](const Array& array) {
    return std::span(array.as<const int64_t>(), static_cast<size_t>(array.aval.shape.elements()));
  };
  const std::span<const int64_t> rows = lengths_of(ragged.row_lengths);
  std::vector<int64_t> indices;
  int64_t most_steps = 0, most_values = 0;
  const auto add_values = [&](std::initializer_list<int64_t> prefix, int64_t count) {
    most_values = std::max(most_values, count);
    for (int64_t i = 0; i < count; ++i) {
      indices.insert(indices.end(), prefix);
      indices.push_back(i);
    }
  };
  const bool steps = static_cast<bool>(ragged.step_lengths.buffer);
  const int64_t* step = steps ? ragged.step_lengths.as<const int64_t>() : nullptr;
  for (int64_t row = 0; row < static_cast<int64_t>(rows.size()); ++row) {
    const int64_t length = rows[static_cast<size_t>(row)];
    most_steps = std::max(most_steps, length);
    if (!steps && batched) add_values({row}, length);
    else if (!steps) add_values({}, length);
    else
      for (int64_t i = 0; i < length; ++i, ++step) {
        if (batched) add_values({row, i}, *step);
        else add_values({i}, *step);
      }
  }
  std::vector<int64_t> dense;
  if (batched) dense.push_back(static_cast<int64_t>(rows.size()));
  if (steps) dense.push_back(most_steps);
  dense.push_back(most_values);
  Array index_array = array_of(indices);
  index_array.aval.shape = {ragged.values.aval.shape[0], static_cast<int64_t>(dense.size())};
  return {std::move(index_array), ragged.values, array_of(dense)};
}

}  // namespace brio::formats
