// TextVectorization: texts to numbers of their words, with Keras' names and defaults.
//
//   nn::TextVectorization text({.max_tokens = 20000, .output_sequence_length = 200});
//   text.adapt(reviews);                                              // strings, one a row
//   nn::Sequential model({nn::InputLayer({1}, {.dtype = DType::string}), text, nn::Embedding(20000, 64), …});
//
// In a model it is one step of the plan, which cleans, splits and looks up text by text, on all cores. There it needs
// output_sequence_length: without it the length is that of the longest text, which depends on the data.
#pragma once

#include <functional>
#include <string_view>

#include "brio/nn/module.h"

namespace brio::nn {

struct TextVectorizationOptions {
  std::optional<int64_t> max_tokens = {};
  // Or "lower", "strip_punctuation", none; ASCII's.
  std::optional<std::string> standardize = "lower_and_strip_punctuation";
  std::optional<std::string> split = "whitespace";  // or "character" (UTF-8), none: the last axis holds the tokens
  // Your own functions instead. Several threads may call them at once.
  std::function<std::string(std::string_view)> standardize_by = {};
  std::function<std::vector<std::string>(std::string_view)> split_by = {};
  std::vector<int64_t> ngrams = {};  // lengths of runs of tokens to count as one: {1, 2} is Keras' 2
  std::string output_mode = "int";   // or "multi_hot", "count", "tf_idf"
  std::optional<int64_t> output_sequence_length = {};
  bool pad_to_max_tokens = false;
  std::vector<std::string> vocabulary = {};
  std::string vocabulary_file = {};  // or: one token a line
  std::vector<double> idf_weights = {};
  std::string name = {};
};
class TextVectorization : public Layer {
 public:
  explicit TextVectorization(TextVectorizationOptions options = {});
  static Layer from_config(Fields& fields);

  void adapt(const Tensor& data) const;  // each text is a document
  void adapt(const std::vector<Tensor>& batches) const;
  void set_vocabulary(const std::vector<std::string>& vocabulary, const std::vector<double>& idf_weights = {}) const;
  std::vector<std::string> get_vocabulary(bool include_special_tokens = true) const;
  int64_t vocabulary_size() const;
};

}  // namespace brio::nn
