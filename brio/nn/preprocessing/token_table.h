// Finds the number of a token: a flat hash table of strings or whole numbers, for vocabularies.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brio/base/hashes.h"

namespace brio::nn {

// Token: std::string or int64_t. Look-ups use a view.
template <typename Token>
using TokenView = std::conditional_t<std::is_same_v<Token, std::string>, std::string_view, int64_t>;

template <typename Token>
class TokenTable {
 public:
  using View = TokenView<Token>;

  // Tokens in the order of their numbers. Fewer than 2^32.
  explicit TokenTable(std::vector<Token> tokens = {}) : tokens_(std::move(tokens)) {
    slots_.resize(std::bit_ceil(2 * tokens_.size() + 1));
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const uint64_t hash = hash_of(tokens_[i]);
      size_t at = place(hash);
      while (slots_[at].number != 0 && !holds(slots_[at], hash, tokens_[i])) at = next(at);
      if (slots_[at].number == 0) slots_[at] = {static_cast<uint32_t>(hash), static_cast<uint32_t>(i + 1)};
      else if (!repeated_) repeated_ = i;
    }
  }

  const std::vector<Token>& tokens() const { return tokens_; }
  // The position of the first token that occurs a second time.
  std::optional<size_t> repeated() const { return repeated_; }

  // Its number, or -1.
  int64_t find(View token) const {
    const uint64_t hash = hash_of(token);
    for (size_t at = place(hash); slots_[at].number != 0; at = next(at))
      if (holds(slots_[at], hash, token)) return int64_t{slots_[at].number} - 1;
    return -1;
  }

 private:
  struct Slot {
    uint32_t tag = 0;     // the low half of the hash: spares most comparisons of tokens
    uint32_t number = 0;  // plus 1; 0: free
  };

  static uint64_t hash_of(View token) {
    if constexpr (std::is_same_v<Token, std::string>) return fingerprint64(token);
    else return fingerprint64({reinterpret_cast<const char*>(&token), sizeof token});
  }
  size_t place(uint64_t hash) const { return (hash >> 32) & (slots_.size() - 1); }
  size_t next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  bool holds(const Slot& slot, uint64_t hash, View token) const {
    return slot.tag == static_cast<uint32_t>(hash) && View(tokens_[slot.number - 1]) == token;
  }

  std::vector<Token> tokens_;
  std::vector<Slot> slots_;
  std::optional<size_t> repeated_;
};

}  // namespace brio::nn
