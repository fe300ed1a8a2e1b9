// A vocabulary: the numbers of tokens, in Keras' order: the mask, unknown tokens, then the known ones. Used by the
// layers of lookup.h and text_vectorization.h.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "brio/nn/preprocessing/token_table.h"
#include "brio/tensor/aval.h"

namespace brio::nn {

template <typename Token>
Token default_oov_token() {
  if constexpr (std::is_same_v<Token, std::string>) return "[UNK]";
  else return -1;
}

template <typename Token>  // std::string or int64_t
struct LookupOptions {
  std::optional<int64_t> max_tokens = {};        // of the vocabulary, including the mask and the unknown ones
  int64_t num_oov_indices = 1;                   // numbers for unknown tokens; a hash chooses among several
  std::optional<Token> mask_token = {};          // is number 0, or in other modes than "int" nothing
  Token oov_token = default_oov_token<Token>();  // the result of `invert` for an unknown number
  std::vector<Token> vocabulary = {};
  std::string vocabulary_file = {};  // or: one token a line
  std::vector<double> idf_weights = {};
  bool invert = false;              // from numbers to tokens
  std::string output_mode = "int";  // or "one_hot", "multi_hot", "count", "tf_idf"
  bool pad_to_max_tokens = false;
  std::string oov_method = "floormod";  // or "farmhash": how unknown whole numbers share several numbers
  std::vector<uint64_t> salt = {};      // one or two numbers: SipHash under this key instead of FarmHash
  std::string name = {};
};

// One or two numbers as SipHash's key; none if there are none. Throws InvalidArgument for more.
std::optional<std::array<uint64_t, 2>> secret_of(const std::string& layer, const std::vector<uint64_t>& salt);

// The numbers of tokens: copied into the code of runs, which share the table.
template <typename Token>
struct TokenNumbers {
  std::shared_ptr<const TokenTable<Token>> table;
  std::string layer;  // for messages
  std::optional<Token> mask;
  int64_t mask_number, first_unknown, unknown, first;
  bool floormod;
  std::optional<std::array<uint64_t, 2>> secret;

  int64_t operator()(TokenView<Token> token) const {
    if (mask && token == *mask) return mask_number;
    if (const int64_t found = table->find(token); found >= 0) return found + first;
    return unknown == 1 ? first_unknown : shared_unknown(token);
  }

 private:
  int64_t shared_unknown(TokenView<Token> token) const;  // throws InvalidArgument where there is none
};

// How often tokens were met, and in how many documents.
template <typename Token>
class TokenCounts {
 public:
  void begin_document() { ++documents_; }
  void add(TokenView<Token> token) {
    Count& count = counts_[Token(token)];
    ++count.tokens;
    if (count.last != documents_) ++count.documents;
    count.last = documents_;
  }

  struct Count {
    int64_t tokens = 0, documents = 0, last = 0;
  };
  const std::unordered_map<Token, Count>& counts() const { return counts_; }
  int64_t documents() const { return documents_; }

 private:
  std::unordered_map<Token, Count> counts_;
  int64_t documents_ = 0;
};

template <typename Token>
class Vocabulary {
 public:
  // `layer` is the name for messages. Throws InvalidArgument for options that contradict each other.
  Vocabulary(std::string layer, LookupOptions<Token> options);

  const LookupOptions<Token>& options() const { return o_; }
  LookupOptions<Token> options_with_tokens() const;  // as if what was learned had been given
  void set(const std::vector<Token>& vocabulary, const std::vector<double>& idf_weights);
  void learn(const TokenCounts<Token>& counts);
  void check_can_learn() const;
  std::vector<Token> list(bool include_special_tokens) const;
  int64_t size() const { return first() + static_cast<int64_t>(table_->tokens().size()); }
  std::optional<int64_t> known_size() const { return set_ ? std::optional(size()) : std::nullopt; }
  int64_t depth() const;  // of rows; throws InvalidArgument without a vocabulary
  const std::vector<float>& idf_weights() const { return idf_; }

  TokenNumbers<Token> numbers() const;
  Token token(int64_t number) const;  // by `invert`

 private:
  [[noreturn]] void refuse(const std::string& what) const;
  bool counts_mask() const { return o_.mask_token && o_.output_mode == "int"; }
  int64_t first() const { return counts_mask() + o_.num_oov_indices; }
  void take(std::vector<Token> tokens);
  void load_file();

  std::string layer_;
  LookupOptions<Token> o_;
  std::shared_ptr<const TokenTable<Token>> table_;
  std::vector<float> idf_;
  bool set_ = false, given_ = false;
};

}  // namespace brio::nn
