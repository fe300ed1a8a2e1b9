#include "brio/nn/preprocessing/vocabulary.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>

#include "brio/base/error.h"
#include "brio/tensor/strings.h"

namespace brio::nn {
namespace {

std::string shown(const std::string& token) { return brio::quoted(token); }
std::string shown(int64_t token) { return std::to_string(token); }

bool token_of(const std::string& line, std::string& token) {
  token = line;
  return true;
}
bool token_of(const std::string& line, int64_t& token) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), token);
  return error == std::errc() && end == line.data() + line.size();
}

}  // namespace

std::optional<std::array<uint64_t, 2>> secret_of(const std::string& layer, const std::vector<uint64_t>& salt) {
  if (salt.empty()) return {};
  if (salt.size() > 2)
    throw InvalidArgument(cat("[", layer, "] salt has ", salt.size(), " numbers; give one or two"));
  return std::array<uint64_t, 2>{salt.front(), salt.back()};
}

template <typename Token>
int64_t TokenNumbers<Token>::shared_unknown(TokenView<Token> token) const {
  if (unknown == 0)
    throw InvalidArgument(cat("[", layer, "] ", shown(Token(token)),
                              " is not in the vocabulary, and num_oov_indices is 0; consider num_oov_indices=1"));
  std::string_view text;
  char digits[24];
  if constexpr (std::is_same_v<Token, std::string>) {
    text = token;
  } else {
    if (floormod) return first_unknown + ((token % unknown) + unknown) % unknown;
    text = {digits, static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, token).ptr - digits)};
  }
  const uint64_t hash = secret ? sip_hash(text, *secret) : fingerprint64(text);
  return first_unknown + static_cast<int64_t>(hash % static_cast<uint64_t>(unknown));
}

template <typename Token>
Vocabulary<Token>::Vocabulary(std::string layer, LookupOptions<Token> options)
    : layer_(std::move(layer)), o_(std::move(options)), table_(std::make_shared<const TokenTable<Token>>()) {
  if (o_.max_tokens && *o_.max_tokens <= 1) refuse(cat("max_tokens is ", *o_.max_tokens, "; give 2 or more"));
  if (o_.pad_to_max_tokens && !o_.max_tokens) refuse("pad_to_max_tokens needs max_tokens");
  if (o_.num_oov_indices < 0) refuse(cat("num_oov_indices is ", o_.num_oov_indices, "; give 0 or more"));
  if (o_.oov_method != "floormod" && o_.oov_method != "farmhash")
    refuse(cat("oov_method is '", o_.oov_method, "'; it is floormod or farmhash"));
  secret_of(layer_, o_.salt);
  if (!o_.salt.empty() && !std::is_same_v<Token, std::string> && o_.oov_method != "farmhash")
    refuse(cat("salt goes with oov_method farmhash, but that is '", o_.oov_method, "'"));
  const bool tf_idf = o_.output_mode == "tf_idf";
  if (o_.invert && o_.output_mode != "int")
    refuse(cat("invert goes with output_mode int, but that is '", o_.output_mode, "'"));
  if (!o_.idf_weights.empty() && !tf_idf)
    refuse(cat("idf_weights go with output_mode tf_idf, but that is '", o_.output_mode, "'"));
  if (!o_.vocabulary.empty() && !o_.vocabulary_file.empty())
    refuse("vocabulary and vocabulary_file are both given; choose one");
  if (!o_.vocabulary.empty()) set(o_.vocabulary, o_.idf_weights);
  if (!o_.vocabulary_file.empty()) load_file();
}

template <typename Token>
void Vocabulary<Token>::refuse(const std::string& what) const {
  throw InvalidArgument(cat("[", layer_, "] ", what));
}

template <typename Token>
void Vocabulary<Token>::take(std::vector<Token> tokens) {
  const int64_t n = first() + static_cast<int64_t>(tokens.size());
  if (n >= std::numeric_limits<uint32_t>::max()) refuse(cat("a vocabulary of ", n, " tokens is too large"));
  const bool fixed = o_.output_mode != "int" && !o_.pad_to_max_tokens;
  if (set_ && fixed && n != size())
    refuse(cat("the vocabulary has ", size(), " tokens, and layers behind may be built for as many; one of ", n,
               " needs pad_to_max_tokens, or a new layer"));
  auto table = std::make_shared<const TokenTable<Token>>(std::move(tokens));
  if (table->repeated())
    refuse(cat("the vocabulary holds ", shown(table->tokens()[*table->repeated()]), " more than once"));
  table_ = std::move(table);
  set_ = true;
}

template <typename Token>
void Vocabulary<Token>::set(const std::vector<Token>& vocabulary, const std::vector<double>& idf_weights) {
  const bool tf_idf = o_.output_mode == "tf_idf";
  if (tf_idf && idf_weights.empty()) refuse("output_mode tf_idf needs idf_weights with a vocabulary");
  if (!tf_idf && !idf_weights.empty())
    refuse(cat("idf_weights go with output_mode tf_idf, but that is '", o_.output_mode, "'"));
  if (vocabulary.empty()) refuse("the vocabulary is empty; give it tokens");
  // The mask and the unknown ones may stand in front, in order, or be left out.
  std::vector<Token> special;
  if (counts_mask()) special.push_back(*o_.mask_token);
  special.insert(special.end(), static_cast<size_t>(o_.num_oov_indices), o_.oov_token);
  const bool has_special =
      vocabulary.size() >= special.size() && std::equal(special.begin(), special.end(), vocabulary.begin());
  const std::vector<Token> tokens(
      vocabulary.begin() + (has_special ? static_cast<std::ptrdiff_t>(special.size()) : 0), vocabulary.end());
  const auto holds = [&](const Token& token) { return std::ranges::find(tokens, token) != tokens.end(); };
  constexpr std::string_view kLeaveOut =
      "; leave mask and unknown tokens out, or put them in front: the mask, then the unknown ones";
  if (o_.mask_token && holds(*o_.mask_token))
    refuse(cat("the vocabulary holds the mask ", shown(*o_.mask_token), " where it does not belong", kLeaveOut));
  if (o_.invert && holds(o_.oov_token))
    refuse(
        cat("the vocabulary holds the unknown token ", shown(o_.oov_token), " where it does not belong", kLeaveOut));
  const auto n = first() + static_cast<int64_t>(tokens.size());
  if (o_.max_tokens && n > *o_.max_tokens)
    refuse(cat("the vocabulary has ", n, " tokens, but max_tokens is ", *o_.max_tokens));
  if (tf_idf && idf_weights.size() != vocabulary.size())
    refuse(cat("there are ", idf_weights.size(), " idf_weights for ", vocabulary.size(), " tokens"));
  take(tokens);
  given_ = true;
  if (!tf_idf) return;
  const double mean =
      std::accumulate(idf_weights.begin(), idf_weights.end(), 0.0) / static_cast<double>(idf_weights.size());
  idf_.assign(has_special ? 0 : static_cast<size_t>(first()), static_cast<float>(mean));
  for (const double weight : idf_weights) idf_.push_back(static_cast<float>(weight));
  idf_.resize(static_cast<size_t>(depth()));
}

template <typename Token>
void Vocabulary<Token>::load_file() {
  if (o_.output_mode == "tf_idf") refuse("output_mode tf_idf takes no vocabulary_file: it has no idf_weights");
  std::ifstream file(o_.vocabulary_file);
  if (!file) refuse(cat("the vocabulary file '", o_.vocabulary_file, "' cannot be read"));
  std::vector<Token> tokens;
  for (std::string line; std::getline(file, line);) {
    std::erase(line, '\r');
    if (!token_of(line, tokens.emplace_back()))
      refuse(cat("line ", tokens.size(), " of '", o_.vocabulary_file, "' is ", shown(line), ", no whole number"));
  }
  if (tokens.empty()) refuse(cat("the vocabulary file '", o_.vocabulary_file, "' is empty"));
  take(std::move(tokens));
  given_ = true;
}

template <typename Token>
void Vocabulary<Token>::check_can_learn() const {
  if (given_) refuse("was given its vocabulary; it has nothing to learn");
}

template <typename Token>
void Vocabulary<Token>::learn(const TokenCounts<Token>& counts) {
  check_can_learn();
  std::vector<std::pair<const Token*, const typename TokenCounts<Token>::Count*>> order;
  for (const auto& [token, count] : counts.counts())
    if (!(o_.mask_token && token == *o_.mask_token) && token != o_.oov_token) order.emplace_back(&token, &count);
  // The most frequent first; of equals the later in the alphabet, as Keras has it.
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.second->tokens != b.second->tokens ? a.second->tokens > b.second->tokens : *a.first > *b.first;
  });
  if (o_.max_tokens)
    order.resize(std::min(order.size(), static_cast<size_t>(std::max<int64_t>(*o_.max_tokens - first(), 0))));
  if (counts.counts().empty()) return;
  std::vector<Token> tokens;
  for (const auto& [token, count] : order) tokens.push_back(*token);
  take(std::move(tokens));
  if (o_.output_mode != "tf_idf") return;
  std::vector<float> weights;
  for (const auto& [token, count] : order)
    weights.push_back(static_cast<float>(
        std::log(1 + static_cast<double>(counts.documents()) / static_cast<double>(1 + count->documents))));
  const double mean =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(std::max<size_t>(1, weights.size()));
  idf_.assign(static_cast<size_t>(first()), static_cast<float>(mean));
  idf_.insert(idf_.end(), weights.begin(), weights.end());
  idf_.resize(static_cast<size_t>(depth()));
}

template <typename Token>
std::vector<Token> Vocabulary<Token>::list(bool include_special_tokens) const {
  std::vector<Token> all;
  if (include_special_tokens) {
    if (counts_mask()) all.push_back(*o_.mask_token);
    all.insert(all.end(), static_cast<size_t>(o_.num_oov_indices), o_.oov_token);
  }
  all.insert(all.end(), table_->tokens().begin(), table_->tokens().end());
  return all;
}

template <typename Token>
LookupOptions<Token> Vocabulary<Token>::options_with_tokens() const {
  LookupOptions<Token> o = o_;
  o.vocabulary = set_ ? list(true) : std::vector<Token>();
  o.vocabulary_file.clear();
  o.idf_weights.assign(idf_.begin(),
                       idf_.begin() + static_cast<std::ptrdiff_t>(std::min(idf_.size(), o.vocabulary.size())));
  return o;
}

template <typename Token>
int64_t Vocabulary<Token>::depth() const {
  if (o_.pad_to_max_tokens) return *o_.max_tokens;
  if (!set_)
    refuse(cat("output_mode ", o_.output_mode, " needs a vocabulary: give it one, call adapt(), or give max_tokens ",
               "and pad_to_max_tokens"));
  return size();
}

template <typename Token>
TokenNumbers<Token> Vocabulary<Token>::numbers() const {
  return {table_,
          layer_,
          o_.mask_token,
          o_.output_mode == "int" ? 0 : -1,
          static_cast<int64_t>(counts_mask()),
          o_.num_oov_indices,
          first(),
          o_.oov_method == "floormod",
          secret_of(layer_, o_.salt)};
}

template <typename Token>
Token Vocabulary<Token>::token(int64_t number) const {
  if (o_.mask_token && number == 0) return *o_.mask_token;
  const auto at = static_cast<uint64_t>(number) - static_cast<uint64_t>(first());
  return at < table_->tokens().size() ? table_->tokens()[at] : o_.oov_token;
}

template struct TokenNumbers<std::string>;
template struct TokenNumbers<int64_t>;
template class Vocabulary<std::string>;
template class Vocabulary<int64_t>;

}  // namespace brio::nn
