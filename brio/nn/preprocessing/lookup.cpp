#include "brio/nn/preprocessing/lookup.h"

#include <charconv>

#include "brio/base/error.h"
#include "brio/nn/preprocessing/category_modes.h"
#include "brio/nn/preprocessing/lookup_fields.h"
#include "brio/nn/preprocessing/saved_code.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/ops/strings/string_parts.h"

namespace brio::nn {
namespace {

template <typename Token>
TokenView<Token> element(const void* data, int64_t i) {
  if constexpr (std::is_same_v<Token, std::string>) return string_at(data, i);
  else return static_cast<const int64_t*>(data)[i];
}

// int64 numbers of all elements, by f(token).
template <typename Token, typename F>
std::shared_ptr<const HostCode> code_for_each(std::string name, std::function<std::string()> recipe, F f) {
  auto run = [f = std::move(f)](const HostRun& r) {
    auto* out = static_cast<int64_t*>(r.out[0]);
    strings::for_each_element(r.out_avals[0].shape.elements(),
                              [&](int64_t i) { out[i] = f(element<Token>(r.in[0], i)); });
  };
  return std::make_shared<const HostCode>(HostCode{std::move(name), std::move(run), false, std::move(recipe)});
}

Policy policy_for(const HashingOptions& o) {
  return o.output_mode == "int" && is_floating(o.dtype.compute()) ? Policy(i64) : o.dtype;
}

// A field that is text, a whole number or nothing.
void mask_field(Fields& f, std::string_view name, std::variant<std::monostate, int64_t, std::string>& value) {
  std::optional<int64_t> number;
  std::optional<std::string> text;
  if (const auto* n = std::get_if<int64_t>(&value)) number = *n;
  if (const auto* s = std::get_if<std::string>(&value)) text = *s;
  if (!f.reading()) return text ? f(name, text) : f(name, number);
  try {
    f(name, number);
  } catch (const InvalidArgument&) {
    f(name, text);
  }
  if (number) value = *number;
  if (text) value = *text;
}

void list_fields(Fields& f, int64_t& num_bins, HashingOptions& o) {
  f("num_bins", num_bins);
  list_field(f, "salt", o.salt);
  mask_field(f, "mask_value", o.mask_value);
  f("output_mode", o.output_mode);
  refuse_sparse(f);
}

class HashingModule : public Module {
 public:
  HashingModule(int64_t num_bins, HashingOptions o)
      : Module("hashing", {.dtype = policy_for(o), .name = o.name}), bins_(num_bins), o_(std::move(o)) {
    check_category_mode(*this, o_.output_mode, {"int", "one_hot", "multi_hot", "count"});
    if (num_bins < 1) refuse(cat("num_bins is ", num_bins, "; give 1 or more"));
    const DType dtype = policy().compute();
    if (o_.output_mode == "int" && dtype != i32 && dtype != i64)
      refuse(cat("output_mode int gives int32 or int64, not ", dtype));
    autocast_ = false;
    const auto secret = secret_of(name(), o_.salt);
    const bool masked = o_.mask_value.index() != 0 && bins_ > 1;
    const auto bins = static_cast<uint64_t>(masked ? bins_ - 1 : bins_);
    const auto bin = [secret, bins, masked](std::string_view text) {
      const uint64_t hash = secret ? sip_hash(text, *secret) : fingerprint64(text);
      return static_cast<int64_t>(hash % bins) + masked;
    };
    const auto* text_mask = masked ? std::get_if<std::string>(&o_.mask_value) : nullptr;
    const auto recipe = recipe_of([num_bins, o = o_] { return Hashing(num_bins, o); });
    strings_ = code_for_each<std::string>(
        name(), recipe, [bin, mask = text_mask ? std::optional(*text_mask) : std::nullopt](std::string_view text) {
          return mask && text == *mask ? 0 : bin(text);
        });
    const auto* number_mask = masked ? std::get_if<int64_t>(&o_.mask_value) : nullptr;
    numbers_ = code_for_each<int64_t>(
        name(), recipe, [bin, mask = number_mask ? std::optional(*number_mask) : std::nullopt](int64_t number) {
          if (mask && number == *mask) return int64_t{0};
          char digits[24];
          return bin({digits, static_cast<size_t>(std::to_chars(digits, digits + 24, number).ptr - digits)});
        });
  }
  std::string_view kind() const override { return "Hashing"; }
  void describe(Fields& f) override { list_fields(f, bins_, o_); }

 protected:
  Tensor call(const Tensor& x, const Call&) override {
    const bool text = x.dtype() == DType::string;
    if (o_.mask_value.index() != 0 && text != std::holds_alternative<std::string>(o_.mask_value))
      refuse(cat("the input is ", x.dtype(), ", which mask_value is not"));
    const Tensor numbers = host_compute(text ? strings_ : numbers_, {text ? x : cast(x, i64)}, {x.shape(), i64});
    const DType dtype = policy().compute();
    return o_.output_mode == "int" ? cast(numbers, dtype) : encoded_categories(numbers, o_.output_mode, bins_, dtype);
  }

 private:
  int64_t bins_;
  HashingOptions o_;
  std::shared_ptr<const HostCode> strings_, numbers_;
};

template <typename Token>
void list_fields(Fields& f, LookupOptions<Token>& o) {
  constexpr bool text = std::is_same_v<Token, std::string>;
  f("invert", o.invert);
  f("max_tokens", o.max_tokens);
  f("num_oov_indices", o.num_oov_indices);
  f("oov_token", o.oov_token);
  f("mask_token", o.mask_token);
  f("output_mode", o.output_mode);
  refuse_sparse(f);
  f("pad_to_max_tokens", o.pad_to_max_tokens);
  if (std::string dtype = "int64"; !text) f("vocabulary_dtype", dtype);
  list_field(f, "idf_weights", o.idf_weights);
  list_field(f, "vocabulary", o.vocabulary);
  f("oov_method", o.oov_method);
  list_field(f, "salt", o.salt);
  if (std::string encoding = "utf-8"; text) f("encoding", encoding);
}

template <typename Token>
class LookupModule : public Module {
 public:
  static constexpr bool kText = std::is_same_v<Token, std::string>;

  explicit LookupModule(const LookupOptions<Token>& o)
      : Module(kText ? "string_lookup" : "integer_lookup", {.name = o.name}), vocabulary_(name(), o) {
    check_category_mode(*this, o.output_mode, {"int", "one_hot", "multi_hot", "count", "tf_idf"});
    autocast_ = false;
    changed();
  }
  std::string_view kind() const override { return kText ? "StringLookup" : "IntegerLookup"; }
  void describe(Fields& f) override {
    LookupOptions<Token> o = vocabulary_.options();
    list_fields(f, o);
    std::optional<int64_t> size = vocabulary_.known_size();
    f("vocabulary_size", size);
  }
  Vocabulary<Token>& vocabulary() { return vocabulary_; }

  void changed() {
    auto recipe = recipe_of([all = vocabulary_] { return Lookup<Token>(all.options_with_tokens()); });
    if constexpr (!kText) {
      if (vocabulary_.options().invert) {
        code_ = code_for_each<int64_t>(name(), std::move(recipe),
                                       [all = vocabulary_](int64_t number) { return all.token(number); });
        return;
      }
    }
    code_ = code_for_each<Token>(name(), std::move(recipe), vocabulary_.numbers());
  }

  void adapt(const std::vector<Tensor>& batches) {
    vocabulary_.check_can_learn();
    TokenCounts<Token> counts;
    for (const Tensor& batch : batches) {
      if (!batch.defined()) refuse("adapt got none; give it a tensor");
      const Tensor data = tokens_in(batch);
      const Array& array = data.array();
      const int64_t size = data.size(), rows = data.rank() < 2 ? 1 : int64_t{data.shape()[0]},
                    width = rows == 0 ? 0 : size / rows;
      for (int64_t row = 0; row < rows; ++row) {
        counts.begin_document();
        for (int64_t i = 0; i < width; ++i) counts.add(element<Token>(array.data(), row * width + i));
      }
    }
    vocabulary_.learn(counts);
    changed();
  }

 protected:
  Tensor call(const Tensor& input, const Call&) override {
    const LookupOptions<Token>& o = vocabulary_.options();
    if (o.invert) return inverted(input);
    const Tensor x = tokens_in(input);
    const bool rows = o.output_mode != "int";
    const int64_t depth = rows ? vocabulary_.depth() : 0;
    Tensor numbers = host_compute(code_, {x}, {x.shape(), i64});
    if (!rows) return numbers;
    if (o.output_mode != "tf_idf") return encoded_categories(numbers, o.output_mode, depth, i64);
    if (vocabulary_.idf_weights().empty()) refuse("output_mode tf_idf needs idf_weights; call adapt() first");
    return encoded_categories(numbers, "count", depth, f32) * Tensor::from(vocabulary_.idf_weights(), {depth});
  }

 private:
  Tensor tokens_in(const Tensor& x) const {
    if ((x.dtype() == DType::string) != kText)
      refuse(cat("takes ", kText ? "strings" : "whole numbers", ", but got ", x.dtype()));
    return kText ? x : cast(x, i64);
  }
  Tensor inverted(const Tensor& input) {
    if (!is_integer(input.dtype())) refuse(cat("takes numbers of tokens, but got ", input.dtype()));
    const Tensor x = cast(input, i64);
    if constexpr (kText) {
      if (!is_known_now(x))
        refuse(
            "gives strings, which are computed at once: it cannot be part of a function or model; call it outside");
      StringWriter writer;
      for (const int64_t number : x.to_vector<int64_t>()) writer.add(vocabulary_.token(number));
      return Tensor(writer.finish(x.shape()));
    } else {
      return host_compute(code_, {x}, {x.shape(), i64});
    }
  }

  Vocabulary<Token> vocabulary_;
  std::shared_ptr<const HostCode> code_;
};

template <typename Token>
LookupModule<Token>& module_of(const Layer& layer) {
  return static_cast<LookupModule<Token>&>(layer.module());
}

}  // namespace

Hashing::Hashing(int64_t num_bins, HashingOptions o)
    : Layer(std::make_shared<HashingModule>(num_bins, std::move(o))) {}
Layer Hashing::from_config(Fields& f) {
  auto o = options_from<HashingOptions>(f);
  int64_t bins = 0;
  list_fields(f, bins, o);
  return Hashing(bins, o);
}

template <typename Token>
Lookup<Token>::Lookup(LookupOptions<Token> o) : Layer(std::make_shared<LookupModule<Token>>(o)) {}
template <typename Token>
Layer Lookup<Token>::from_config(Fields& f) {
  LookupOptions<Token> o;
  f("name", o.name);
  list_fields(f, o);
  return Lookup(o);
}
template <typename Token>
void Lookup<Token>::adapt(const Tensor& data) const {
  adapt(std::vector{data.defined() && data.rank() == 1 ? expand_dims(data, 1) : data});
}
template <typename Token>
void Lookup<Token>::adapt(const std::vector<Tensor>& batches) const {
  module_of<Token>(*this).adapt(batches);
}
template <typename Token>
void Lookup<Token>::set_vocabulary(const std::vector<Token>& tokens, const std::vector<double>& idf_weights) const {
  module_of<Token>(*this).vocabulary().set(tokens, idf_weights);
  module_of<Token>(*this).changed();
}
template <typename Token>
std::vector<Token> Lookup<Token>::get_vocabulary(bool include_special_tokens) const {
  return module_of<Token>(*this).vocabulary().list(include_special_tokens);
}
template <typename Token>
int64_t Lookup<Token>::vocabulary_size() const {
  return module_of<Token>(*this).vocabulary().size();
}

template class Lookup<std::string>;
template class Lookup<int64_t>;

}  // namespace brio::nn
