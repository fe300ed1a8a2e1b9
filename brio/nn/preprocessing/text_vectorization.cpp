#include "brio/nn/preprocessing/text_vectorization.h"

#include <algorithm>
#include <numeric>

#include "brio/base/error.h"
#include "brio/base/utf8.h"
#include "brio/nn/preprocessing/category_modes.h"
#include "brio/nn/preprocessing/lookup_fields.h"
#include "brio/nn/preprocessing/saved_code.h"
#include "brio/nn/preprocessing/vocabulary.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/ops/strings/string_parts.h"

namespace brio::nn {
namespace {

using Options = TextVectorizationOptions;

bool is_punctuation(char c) {  // ASCII's
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}
using strings::is_space;

// The tokens of rows of strings. One object serves one thread: it keeps what tokens point into.
class Tokenizer {
 public:
  explicit Tokenizer(const Options& o) : o_(o) {
    lower_ = o.standardize && o.standardize->starts_with("lower");
    strip_ = o.standardize && o.standardize->ends_with("strip_punctuation");
  }

  bool splits() const { return o_.split_by || o_.split; }

  // Of `n` strings at `elements`, which are one row.
  const std::vector<std::string_view>& tokens(const void* elements, int64_t begin, int64_t n) {
    tokens_.clear();
    texts_.clear();
    texts_.reserve(static_cast<size_t>(n));  // views into them must stay
    for (int64_t i = 0; i < n; ++i) {
      const std::string_view text = standardized(string_at(elements, begin + i));
      if (splits()) split(text);
      else tokens_.push_back(text);
    }
    return o_.ngrams.empty() ? tokens_ : joined_runs();
  }

 private:
  std::string_view standardized(std::string_view text) {
    if (o_.standardize_by) return texts_.emplace_back(o_.standardize_by(text));
    if (!lower_ && !strip_) return text;
    std::string& clean = texts_.emplace_back();
    clean.reserve(text.size());
    for (const char c : text) {
      if (strip_ && is_punctuation(c)) continue;
      clean += lower_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    }
    return clean;
  }

  void split(std::string_view text) {
    if (o_.split_by) {
      own_ = o_.split_by(text);
      tokens_.assign(own_.begin(), own_.end());
      return;
    }
    const bool characters = *o_.split == "character";
    while (!text.empty()) {
      size_t size = 0;
      if (characters) {
        const Utf8Character first = first_character(text);
        size = first.size;
        tokens_.push_back(first.valid ? text.substr(0, size) : kReplacement);
      } else if (is_space(text[0])) {
        size = 1;
      } else {
        while (size < text.size() && !is_space(text[size])) ++size;
        tokens_.push_back(text.substr(0, size));
      }
      text.remove_prefix(size);
    }
  }

  const std::vector<std::string_view>& joined_runs() {
    runs_.clear();
    std::vector<size_t> ends;
    for (const int64_t width : o_.ngrams)
      for (size_t i = 0; i + static_cast<size_t>(width) <= tokens_.size(); ++i) {
        for (size_t k = 0; k < static_cast<size_t>(width); ++k) {
          if (k > 0) runs_ += ' ';
          runs_ += tokens_[i + k];
        }
        ends.push_back(runs_.size());
      }
    tokens_.clear();
    size_t begin = 0;
    for (const size_t end : ends) {
      tokens_.push_back(std::string_view(runs_).substr(begin, end - begin));
      begin = end;
    }
    return tokens_;
  }

  const Options& o_;
  bool lower_, strip_;
  std::vector<std::string> texts_, own_;
  std::string runs_;
  std::vector<std::string_view> tokens_;
};

// Calls f(row, tokens) for every row of `width` strings.
template <typename F>
void for_each_row(const Options& o, const void* elements, int64_t rows, int64_t width, F f) {
  constexpr int64_t kGrain = 32;
  parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
    Tokenizer tokenizer(o);
    for (int64_t row = begin; row < end; ++row) f(row, tokenizer.tokens(elements, row * width, width));
  });
}

LookupOptions<std::string> lookup_options(const Options& o) {
  return {.max_tokens = o.max_tokens,
          .mask_token = "",
          .vocabulary = o.vocabulary,
          .vocabulary_file = o.vocabulary_file,
          .idf_weights = o.idf_weights,
          .output_mode = o.output_mode,
          .pad_to_max_tokens = o.pad_to_max_tokens};
}

// A number n stands for 1 … n.
void ngrams_field(Fields& f, std::vector<int64_t>& ngrams) {
  const auto up_to = [](int64_t n) {
    if (n > 1 << 16) throw_invalid("text_vectorization", cat("ngrams is ", n, "; ", 1 << 16, " is the most"));
    std::vector<int64_t> widths(static_cast<size_t>(std::max<int64_t>(n, 0)));
    std::iota(widths.begin(), widths.end(), 1);
    return widths;
  };
  std::optional<int64_t> most;
  if (!f.reading()) {
    if (!ngrams.empty() && ngrams == up_to(static_cast<int64_t>(ngrams.size()))) most = ngrams.back();
    return most || ngrams.empty() ? f("ngrams", most) : list_field(f, "ngrams", ngrams);
  }
  try {
    f("ngrams", most);
    if (most) ngrams = up_to(*most);
  } catch (const InvalidArgument&) {
    list_field(f, "ngrams", ngrams);
  }
}

void list_fields(Fields& f, Options& o) {
  f("max_tokens", o.max_tokens);
  f("standardize", o.standardize);
  f("split", o.split);
  ngrams_field(f, o.ngrams);
  f("output_mode", o.output_mode);
  f("output_sequence_length", o.output_sequence_length);
  f("pad_to_max_tokens", o.pad_to_max_tokens);
  refuse_sparse(f);
  bool ragged = false;
  f("ragged", ragged);
  if (ragged) throw InvalidArgument("[config] ragged is true, but layers give no ragged tensors; set it to false");
  list_field(f, "vocabulary", o.vocabulary);
  list_field(f, "idf_weights", o.idf_weights);
  std::string encoding = "utf-8";
  f("encoding", encoding);
}

class TextVectorizationModule : public Module {
 public:
  explicit TextVectorizationModule(const Options& o)
      : Module("text_vectorization", {.name = o.name}),
        o_(std::make_shared<const Options>(o)),
        vocabulary_(name(), lookup_options(o)) {
    check_category_mode(*this, o.output_mode, {"int", "multi_hot", "count", "tf_idf"});
    check_name("standardize", o.standardize, {"lower_and_strip_punctuation", "lower", "strip_punctuation"});
    check_name("split", o.split, {"whitespace", "character"});
    for (const int64_t width : o.ngrams)
      if (width < 1 || width > 1 << 16) refuse(cat("ngrams holds ", width, "; give lengths of 1 or more"));
    if (o.output_sequence_length && o.output_mode != "int")
      refuse(cat("output_sequence_length goes with output_mode int, but that is '", o.output_mode, "'"));
    if (o.output_sequence_length && *o.output_sequence_length < 1)
      refuse(cat("output_sequence_length is ", *o.output_sequence_length, "; give 1 or more"));
    changed();
  }
  std::string_view kind() const override { return "TextVectorization"; }
  void describe(Fields& f) override {
    if (o_->standardize_by || o_->split_by) refuse("functions of your own cannot be written to a config");
    Options o = *o_;
    list_fields(f, o);
    std::optional<int64_t> size = vocabulary_.size();
    f("vocabulary_size", size);
  }
  Vocabulary<std::string>& vocabulary() { return vocabulary_; }

  void changed() {
    auto run = [o = o_, numbers = vocabulary_.numbers(), weights = vocabulary_.idf_weights()](const HostRun& r) {
      const int64_t columns = r.out_avals[0].shape[r.out_avals[0].shape.rank() - 1];
      const int64_t rows = columns == 0 ? Size(0) : r.out_avals[0].shape.elements() / columns;
      const int64_t width = rows == 0 ? Size(0) : r.in_avals[0].shape.elements() / rows;
      for_each_row(*o, r.in[0], rows, width, [&](int64_t row, const std::vector<std::string_view>& tokens) {
        if (o->output_mode == "int")
          write_numbers(numbers, tokens, static_cast<int64_t*>(r.out[0]) + row * columns, columns);
        else if (o->output_mode == "tf_idf")
          write_counts(numbers, tokens, static_cast<float*>(r.out[0]) + row * columns, columns, false, weights);
        else
          write_counts(numbers, tokens, static_cast<int64_t*>(r.out[0]) + row * columns, columns,
                       o->output_mode == "multi_hot", {});
      });
    };
    auto recipe = recipe_of([o = o_, all = vocabulary_] {
      const LookupOptions<std::string> learned = all.options_with_tokens();
      Options given = *o;
      given.vocabulary = learned.vocabulary;
      given.vocabulary_file.clear();
      given.idf_weights = learned.idf_weights;
      return TextVectorization(given);
    });
    code_ = std::make_shared<const HostCode>(HostCode{name(), std::move(run), false, std::move(recipe)});
  }

  void adapt(const std::vector<Tensor>& batches) {
    vocabulary_.check_can_learn();
    TokenCounts<std::string> counts;
    for (const Tensor& batch : batches) {
      const Rows rows = rows_of(batch);
      const Array& array = batch.array();
      Tokenizer tokenizer(*o_);
      for (int64_t row = 0; row < rows.shape.elements(); ++row) {
        counts.begin_document();
        for (const std::string_view token : tokenizer.tokens(array.data(), row * rows.width, rows.width))
          counts.add(token);
      }
    }
    vocabulary_.learn(counts);
    changed();
  }

 protected:
  Tensor call(const Tensor& x, const Call&) override {
    const Rows rows = rows_of(x);
    const bool in_order = o_->output_mode == "int";
    if (o_->output_mode == "tf_idf" && vocabulary_.idf_weights().empty())
      refuse("output_mode tf_idf needs idf_weights; call adapt() first");
    Shape shape = rows.shape;
    shape.push_back(in_order ? length_for(x, rows) : Size(vocabulary_.depth()));
    return host_compute(code_, {x}, {shape, o_->output_mode == "tf_idf" ? f32 : i64});
  }

  // While a model is put together the longest text may have any length.
  std::optional<Aval> declared_result(const Aval& input, const Call&) const override {
    const bool splits = o_->split_by || o_->split;
    const int rank = input.shape.rank();
    if (o_->output_mode != "int" || o_->output_sequence_length || !splits || rank == 0) return {};
    Shape shape = rank == 1 ? input.shape : Shape(input.shape.dims().first(static_cast<size_t>(rank - 1)));
    shape.push_back(Size::unknown(kLongestText));
    return Aval{shape, i64};
  }

 private:
  static constexpr uint32_t kLongestText = 1 << 16;  // the number of a size, beyond those of any model's inputs

  struct Rows {
    Shape shape;
    Size width;  // strings that make up one
  };
  Rows rows_of(const Tensor& x) const {
    if (!x.defined()) refuse("got none; give it a tensor of strings");
    if (x.dtype() != DType::string) refuse(cat("takes strings, but got ", x.dtype()));
    const int rank = x.rank();
    if (rank == 0) refuse("the input is a scalar; give it a batch");
    const bool splits = o_->split_by || o_->split;
    if (splits && rank == 1) return {x.shape(), 1};
    if (splits && x.shape()[rank - 1] != 1)
      refuse(cat("splits texts of shape (batch,) or (batch, 1), but got ", x.shape(),
                 "; set split to none where the last axis holds tokens"));
    return {Shape(x.shape().dims().first(static_cast<size_t>(rank - 1))), x.shape()[rank - 1]};
  }

  Size length_for(const Tensor& x, const Rows& rows) {
    if (o_->output_sequence_length) return *o_->output_sequence_length;
    if (!(o_->split_by || o_->split)) {
      if (o_->ngrams.empty()) return rows.width;
      Size n = 0;
      for (const int64_t width : o_->ngrams) n += max(0, rows.width - width + 1);
      return n;
    }
    if (!is_known_now(x))
      throw UnknownValue(cat(
          "[", name(),
          "] the length of its result is that of the longest text, which is not known while a function or model is "
          "traced; give it output_sequence_length"));
    std::vector<int64_t> lengths(static_cast<size_t>(rows.shape.elements()), 0);
    for_each_row(*o_, x.array().data(), rows.shape.elements(), rows.width,
                 [&](int64_t row, const std::vector<std::string_view>& tokens) {
                   lengths[static_cast<size_t>(row)] = static_cast<int64_t>(tokens.size());
                 });
    return lengths.empty() ? 0 : std::ranges::max(lengths);
  }

  void check_name(std::string_view option, const std::optional<std::string>& value,
                  std::initializer_list<std::string_view> names) const {
    if (!value || std::ranges::find(names, *value) != names.end()) return;
    std::string known;
    for (const std::string_view one : names) known += cat(known.empty() ? "" : ", ", one);
    refuse(cat(option, " is '", *value, "'; it is one of ", known, " or none"));
  }

  static void write_numbers(const TokenNumbers<std::string>& numbers, const std::vector<std::string_view>& tokens,
                            int64_t* out, int64_t n) {
    const int64_t known = std::min(n, static_cast<int64_t>(tokens.size()));
    for (int64_t i = 0; i < known; ++i) out[i] = numbers(tokens[static_cast<size_t>(i)]);
    std::fill(out + known, out + n, 0);
  }
  template <typename T>
  static void write_counts(const TokenNumbers<std::string>& numbers, const std::vector<std::string_view>& tokens,
                           T* out, int64_t n, bool once, const std::vector<float>& weights) {
    std::fill(out, out + n, T(0));
    for (const std::string_view token : tokens)
      if (const int64_t number = numbers(token); number >= 0) out[number] = once ? T(1) : out[number] + T(1);
    for (size_t i = 0; i < weights.size(); ++i) out[i] *= static_cast<T>(weights[i]);
  }

  std::shared_ptr<const Options> o_;
  Vocabulary<std::string> vocabulary_;
  std::shared_ptr<const HostCode> code_;
};

TextVectorizationModule& module_of(const Layer& layer) {
  return static_cast<TextVectorizationModule&>(layer.module());
}

}  // namespace

TextVectorization::TextVectorization(TextVectorizationOptions o)
    : Layer(std::make_shared<TextVectorizationModule>(o)) {}
Layer TextVectorization::from_config(Fields& f) {
  Options o{.standardize = {}, .split = {}};  // null means none
  f("name", o.name);
  list_fields(f, o);
  return TextVectorization(o);
}
void TextVectorization::adapt(const Tensor& data) const { adapt(std::vector{data}); }
void TextVectorization::adapt(const std::vector<Tensor>& batches) const { module_of(*this).adapt(batches); }
void TextVectorization::set_vocabulary(const std::vector<std::string>& tokens,
                                       const std::vector<double>& idf_weights) const {
  module_of(*this).vocabulary().set(tokens, idf_weights);
  module_of(*this).changed();
}
std::vector<std::string> TextVectorization::get_vocabulary(bool include_special_tokens) const {
  return module_of(*this).vocabulary().list(include_special_tokens);
}
int64_t TextVectorization::vocabulary_size() const { return module_of(*this).vocabulary().size(); }

}  // namespace brio::nn
