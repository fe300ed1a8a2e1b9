// Layers that turn tokens into numbers, with Keras' names and defaults: Hashing puts them into bins; StringLookup and
// IntegerLookup use a vocabulary, which is given or learned by adapt().
//
//   nn::StringLookup lookup({.vocabulary = {"red", "green"}});
//   lookup(string_tensor({"green", "blue"}));                       // [2, 0]: what is not in it is number 0
//   nn::Sequential model({nn::InputLayer({1}, {.dtype = DType::string}), lookup, nn::Embedding(3, 8)});
//
// A function or model that was traced keeps the vocabulary from its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "brio/nn/module.h"
#include "brio/nn/preprocessing/vocabulary.h"

namespace brio::nn {

struct HashingOptions {
  std::variant<std::monostate, int64_t, std::string> mask_value = {};  // goes to bin 0, and nothing else does
  std::vector<uint64_t> salt = {};                                     // one or two numbers: SipHash under this key
  std::string output_mode = "int";                                     // or "one_hot", "multi_hot", "count"
  Policy dtype = {};  // of the result; for "int" int32 or int64, which is the default there
  std::string name = {};
};
class Hashing : public Layer {  // strings, or whole numbers by their text
 public:
  explicit Hashing(int64_t num_bins, HashingOptions options = {});
  static Layer from_config(Fields& fields);
};

// Token: std::string or int64_t.
template <typename Token>
class Lookup : public Layer {
 public:
  explicit Lookup(LookupOptions<Token> options = {});
  static Layer from_config(Fields& fields);

  // The vocabulary: the tokens of the data, the most frequent first. Each row is a document, for "tf_idf".
  void adapt(const Tensor& data) const;
  void adapt(const std::vector<Tensor>& batches) const;  // a batch of rank 1 is one document
  void set_vocabulary(const std::vector<Token>& vocabulary, const std::vector<double>& idf_weights = {}) const;
  std::vector<Token> get_vocabulary(bool include_special_tokens = true) const;
  int64_t vocabulary_size() const;
};
using StringLookup = Lookup<std::string>;
using IntegerLookup = Lookup<int64_t>;
using StringLookupOptions = LookupOptions<std::string>;
using IntegerLookupOptions = LookupOptions<int64_t>;

}  // namespace brio::nn
