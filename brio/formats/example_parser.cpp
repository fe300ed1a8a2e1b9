#include "brio/formats/example_parser.h"

#include <algorithm>
#include <cstring>

#include "brio/formats/feature_column.h"
#include "brio/formats/fixed_feature.h"
#include "brio/tensor/strings.h"

namespace brio::formats {

namespace {

constexpr std::string_view kMessage = "tf.train.Example";

// The bytes of each feature in an Example (or in the context of a SequenceExample); no data(): it is missing. They
// are kept by the thread until its next call, so that parsing allocates nothing but its results.
std::span<const std::string_view> locate(const CompiledSpecs& specs, std::string_view example,
                                         const wire::Message& message) {
  static thread_local std::vector<std::string_view> values;
  static thread_local std::vector<uint32_t> order;
  values.assign(specs.fixed.size(), {});
  each_part(example, 1, message,
            [&](std::string_view features) { specs.keys.locate(features, message, values.data(), order); });
  return values;
}

void check(const NamedSpec& named) {
  const auto fail = [&](const auto&... reason) {
    throw InvalidArgument(cat("[parse_example] feature '", named.key, "': ", reason...));
  };
  const auto check_dtype = [&](DType dtype) {
    if (kind_of(dtype) == FeatureKind::none)
      fail("an Example holds float32, int64 or strings, but got ", dtype, "; parse one of these and cast it");
  };
  const auto check_default = [&](const std::optional<Array>& value, const Shape& shape, DType dtype) {
    if (value && (value->aval.dtype != dtype || !(value->aval.shape == shape)))
      fail("the default_value is ", value->aval.dtype, " of shape ", value->aval.shape, ", but it has to be ", dtype,
           " of shape ", shape);
  };
  if (const auto* fixed = std::get_if<FixedLen>(&named.spec)) {
    if (!fixed->raw) check_dtype(fixed->dtype);
    else if (fixed->dtype == DType::string) fail("raw bytes are read as numbers; a string is not raw");
    if (fixed->stored && !(fixed->raw && *fixed->stored == u8 && fixed->dtype == f32))
      fail("what is stored as ", *fixed->stored, fixed->raw ? " raw bytes" : " values", " cannot be read as ",
           fixed->dtype, "; only raw uint8 is read as float32");
    check_default(fixed->default_value, fixed->shape, fixed->dtype);
    if (fixed->shape.rank() == kMaxRank)
      fail("elements of rank ", kMaxRank, " leave no room for the axis of the batch");
  } else if (const auto* sequence = std::get_if<FixedLenSequence>(&named.spec)) {
    check_dtype(sequence->dtype);
    check_default(sequence->default_value, {}, sequence->dtype);
    if (sequence->shape.elements() == 0)
      fail("the elements of a sequence have one value or more, but got shape ", sequence->shape);
    if (sequence->shape.rank() > kMaxRank - 2)
      fail("elements of rank ", sequence->shape.rank(), " leave no room for two axes");
  } else {
    check_dtype(std::get<VarLen>(named.spec).dtype);
  }
}

Shape with_batch(int64_t batch, const Shape& shape) {
  std::vector<int64_t> dims{batch};
  dims.insert(dims.end(), shape.begin(), shape.end());
  return Shape(dims);
}

constexpr size_t kAlignment = 64;
constexpr size_t kSmallRows = 16384;  // bytes: what one array more or less may keep alive
size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Where rows go. The small ones of a single example lie side by side: twenty scalars are not twenty allocations.
class Rows {
 public:
  explicit Rows(size_t shared_bytes) {
    if (shared_bytes > 0) shared_ = BufferRef::allocate(shared_bytes, Owner::input);
  }
  Array allocate(const Aval& aval) {
    if (!shared_) return Array::allocate(aval, Owner::input);
    const size_t offset = used_;
    used_ += aligned(aval.bytes());
    return {aval, shared_, offset};
  }

 private:
  BufferRef shared_;
  size_t used_ = 0;
};

// A feature of a batch while it is parsed.
class Output {
 public:
  Output(const NamedSpec& named, const FixedFeature& fixed, int64_t batch, Rows& rows)
      : named_(&named),
        fixed_(&fixed),
        is_fixed_(std::holds_alternative<FixedLen>(named.spec)),
        column_(dtype_of_spec(named.spec)) {
    if (!is_fixed_) return;
    const FixedLen& spec = std::get<FixedLen>(named.spec);
    whole_ = with_batch(batch, spec.shape);
    has_rows_ = spec.dtype != DType::string;
    if (!has_rows_) return;
    rows_ = rows.allocate({whole_, spec.dtype});
    next_ = rows_.as<char>();
  }

  void add(std::string_view value, const wire::Message& message) {
    if (has_rows_) {
      fixed_->read_row(value, message, next_);
      next_ += fixed_->row_bytes();
    } else if (is_fixed_) {
      fixed_->append_strings(value, message, column_);
    } else {
      lengths_.push_back(add_any(value, message));
    }
  }

  ParsedFeature finish() const {
    if (has_rows_) return {rows_, {}, {}};
    if (is_fixed_) return {column_.shaped(whole_), {}, {}};
    if (const auto* sequence = std::get_if<FixedLenSequence>(&named_->spec))
      return {column_.padded(lengths_, sequence->shape, sequence->default_value), array_of(lengths_), {}};
    return {column_.flat(), array_of(lengths_), {}};
  }

 private:
  static DType dtype_of_spec(const FeatureSpec& spec) {
    return std::visit([](const auto& one) { return one.dtype; }, spec);
  }
  int64_t add_any(std::string_view value, const wire::Message& message) {
    const FeatureKind expected = kind_of(dtype_of_spec(named_->spec));
    const FeatureView feature = value.data() ? FeatureView(value, message) : FeatureView();
    if (feature.kind() == FeatureKind::none) return 0;
    if (feature.kind() != expected) fail_kind(named_->key, feature, expected, message);
    const int64_t count = column_.append(feature, message);
    const auto* sequence = std::get_if<FixedLenSequence>(&named_->spec);
    if (!sequence) return count;
    const int64_t elements = sequence->shape.elements();
    if (count % elements != 0)
      wire::fail(
          message, feature.lists().data(),
          cat("feature '", named_->key, "': number of ", name_of(expected), " values is not a multiple of the ",
              elements, " of an element of shape ", sequence->shape, ": it has ", count));
    return count / elements;
  }

  const NamedSpec* named_;
  const FixedFeature* fixed_;
  bool is_fixed_;
  Shape whole_;
  Array rows_;
  bool has_rows_ = false;  // numbers of a FixedLen go to their rows at once …
  char* next_ = nullptr;
  FeatureColumn column_;  // … and all others here
  std::vector<int64_t> lengths_;
};

}  // namespace

ExampleParser::ExampleParser(std::vector<NamedSpec> specs) : specs_(std::move(specs)) {
  std::vector<std::string> keys;
  std::vector<FixedFeature> compiled;
  size_t row_bytes = 0;
  has_rows_ = true;
  for (const NamedSpec& named : specs_) {
    check(named);
    keys.push_back(named.key);
    const auto* fixed = std::get_if<FixedLen>(&named.spec);
    has_rows_ = has_rows_ && fixed && fixed->dtype != DType::string;
    if (fixed && fixed->dtype != DType::string) row_bytes += aligned(Aval{fixed->shape, fixed->dtype}.bytes());
    compiled.push_back(fixed ? FixedFeature(named.key, *fixed) : FixedFeature());
  }
  compiled_ = std::make_shared<const CompiledSpecs>(
      CompiledSpecs{KeyTable(std::move(keys)), std::move(compiled), row_bytes <= kSmallRows ? row_bytes : 0});
}

std::vector<ParsedFeature> ExampleParser::parse(std::span<const std::string_view> examples,
                                                const Origin& origin) const {
  return parse_features(examples, origin, kMessage, 0);
}

std::vector<ParsedFeature> ExampleParser::parse_single(std::string_view example, const Origin& origin) const {
  const wire::Message message{example.data(), origin, kMessage};
  const std::span<const std::string_view> values = locate(*compiled_, example, message);
  std::vector<ParsedFeature> results(specs_.size());
  Rows rows(compiled_->small_row_bytes);
  for (size_t k = 0; k < specs_.size(); ++k) {
    const auto* fixed = std::get_if<FixedLen>(&specs_[k].spec);
    if (fixed && fixed->dtype != DType::string) {
      results[k].values = rows.allocate({fixed->shape, fixed->dtype});
      compiled_->fixed[k].read_row(values[k], message, results[k].values.data());
    } else {
      Output output(specs_[k], compiled_->fixed[k], 1, rows);
      output.add(values[k], message);
      results[k] = output.finish();
      drop_batch_axis(results[k], specs_[k]);
    }
  }
  return results;
}

std::vector<ParsedFeature> ExampleParser::parse_features(std::span<const std::string_view> examples,
                                                         const Origin& origin, std::string_view what,
                                                         int64_t first_index) const {
  std::vector<Output> outputs;
  outputs.reserve(specs_.size());
  Rows rows(examples.size() == 1 ? compiled_->small_row_bytes : 0);
  for (size_t k = 0; k < specs_.size(); ++k)
    outputs.emplace_back(specs_[k], compiled_->fixed[k], static_cast<int64_t>(examples.size()), rows);
  for (size_t i = 0; i < examples.size(); ++i) {
    const wire::Message message{examples[i].data(), origin, what, first_index + static_cast<int64_t>(i)};
    const std::span<const std::string_view> values = locate(*compiled_, examples[i], message);
    for (size_t k = 0; k < outputs.size(); ++k) outputs[k].add(values[k], message);
  }
  std::vector<ParsedFeature> results;
  results.reserve(outputs.size());
  for (const Output& output : outputs) results.push_back(output.finish());
  return results;
}

void ExampleParser::parse_rows(std::string_view example, std::span<void* const> rows, const Origin& origin) const {
  if (!has_rows_)
    throw InvalidArgument("[parse_example] only FixedLen features of numbers have rows; parse a batch of the others");
  BRIO_CHECK(rows.size() == specs_.size(), "a row for each feature");
  const wire::Message message{example.data(), origin, kMessage};
  const std::span<const std::string_view> values = locate(*compiled_, example, message);
  for (size_t k = 0; k < specs_.size(); ++k) compiled_->fixed[k].read_row(values[k], message, rows[k]);
}

std::vector<ParsedFeature> parse_example(std::span<const std::string_view> examples, std::vector<NamedSpec> specs) {
  return ExampleParser(std::move(specs)).parse(examples);
}

std::vector<ParsedFeature> parse_single_example(std::string_view example, std::vector<NamedSpec> specs) {
  return ExampleParser(std::move(specs)).parse_single(example);
}

}  // namespace brio::formats
