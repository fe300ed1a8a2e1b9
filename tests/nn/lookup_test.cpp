// Hashing, lookups and TextVectorization: what adapt() learns beside Keras, use in models, and what they refuse.
// Their results beside Keras are among the cases of layer_golden_test.cpp.
#include <gtest/gtest.h>

#include <brio/brio.h>

#include <cstdio>
#include <fstream>

#include "brio/nn/preprocessing/token_table.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::Case;
using golden::invalid;
using List = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

const DType kString = DType::string;

// ---- adapt() beside Keras

template <typename L, typename Token>
void expect_learnt(const Case& c, const nn::Layer& layer, const std::vector<Tensor>& batches,
                   std::vector<Token> (*tokens)(const golden::Array&)) {
  const auto& learner = static_cast<const L&>(layer);
  if (batches.size() == 1) learner.adapt(batches[0]);
  else learner.adapt(batches);
  EXPECT_EQ(learner.get_vocabulary(), tokens(c.output("vocabulary")));
  EXPECT_EQ(learner.get_vocabulary(false), tokens(c.output("tokens")));
  EXPECT_EQ(learner.vocabulary_size(), static_cast<int64_t>(learner.get_vocabulary().size()));
}

TEST(Lookup, LearnsWhatKerasLearns) {
  const auto words = [](const golden::Array& a) { return a.texts; };
  const auto numbers = [](const golden::Array& a) { return Numbers(a.data.begin(), a.data.end()); };
  size_t cases = 0;
  for (const char* file : {"lookups_adapt_1.json", "lookups_adapt_2.json"})
    for (const Case& c : golden::load(file)) {
      SCOPED_TRACE(c.name);
      ++cases;
      const nn::Layer layer = nn::layer_from_json(c.text("config"));
      std::vector<Tensor> batches;
      for (size_t i = 0; c.inputs.contains(cat("x_", i)); ++i) {
        const Tensor x = golden::tensor(c.input(cat("x_", i)));
        batches.push_back(x.dtype() == kString ? x : cast(x, i64));
      }
      if (c.name.starts_with("string")) expect_learnt<nn::StringLookup, std::string>(c, layer, batches, words);
      else if (c.name.starts_with("integer")) expect_learnt<nn::IntegerLookup, int64_t>(c, layer, batches, numbers);
      else expect_learnt<nn::TextVectorization, std::string>(c, layer, batches, words);
      golden::expect_close(layer(batches[0]), c.output("y"), "y");
    }
  EXPECT_EQ(cases, 70u);
}

// ---- behaviour

TEST(Lookup, TableFindsEveryToken) {
  List words;
  for (int i = 0; i < 5000; ++i) words.push_back(cat("word", i));
  const nn::TokenTable<std::string> table(words);
  for (size_t i = 0; i < words.size(); ++i) ASSERT_EQ(table.find(words[i]), static_cast<int64_t>(i));
  EXPECT_EQ(table.find("word5000"), -1);
  EXPECT_EQ(table.find(""), -1);
  EXPECT_FALSE(table.repeated());
  EXPECT_EQ(nn::TokenTable<int64_t>({3, -7, 3}).repeated(), 2u);
  EXPECT_EQ(nn::TokenTable<int64_t>({3, -7}).find(-7), 1);
  EXPECT_EQ(nn::TokenTable<std::string>().find("a"), -1);
}

TEST(Lookup, WorksWithAnyBytes) {
  const std::string nul("a\0b", 3), large(1 << 20, 'x');
  const nn::StringLookup lookup({.vocabulary = {nul, large, "\xff"}});
  EXPECT_EQ(lookup(string_tensor(List{large, nul, "a", "\xff", ""})).to_vector<int64_t>(), (Numbers{2, 1, 0, 3, 0}));
  EXPECT_TRUE(lookup(string_tensor(List{}, {0, 2})).to_vector<int64_t>().empty());
  EXPECT_SAYS(invalid([&] { nn::to_json(lookup); }), "holds a text that is not UTF-8");
  const nn::TextVectorization text({.vocabulary = {"x", "b"}});
  EXPECT_EQ(text(string_tensor(List{"\xff x", std::string(1 << 20, '.') + "B", std::string("\0 x", 3)}))
                .to_vector<int64_t>(),
            (Numbers{1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(text(string_tensor(List{}, {0, 1})).shape(), Shape({0, 0}));
  EXPECT_EQ(text(string_tensor({"", "  "})).shape(), Shape({2, 0}));
}

TEST(Lookup, InvertGivesTokensBack) {
  const nn::StringLookup lookup({.vocabulary = {"a", "b"}});
  const nn::StringLookup back({.vocabulary = lookup.get_vocabulary(), .invert = true});
  EXPECT_EQ(to_strings(back(lookup(string_tensor({"b", "z", "a"})))), (List{"b", "[UNK]", "a"}));
  EXPECT_EQ(to_strings(back(Tensor({-5, 1 << 30}, i32))), (List{"[UNK]", "[UNK]"}));
  EXPECT_SAYS(invalid([&] { back(string_tensor({"a"})); }), "takes numbers of tokens, but got string");
  const auto traced = function([&](const Tensor& x) { return strings::length(back(x)); });
  EXPECT_SAYS(invalid([&] { traced(Tensor({1}, i64)); }), "call it outside");
}

TEST(Lookup, VocabularyFromAFile) {
  const std::string path = testing::TempDir() + "brio_vocabulary.txt";
  std::ofstream(path, std::ios::binary) << "red\r\ngreen\nblue";
  const nn::StringLookup lookup({.mask_token = "", .vocabulary_file = path});
  EXPECT_EQ(lookup.get_vocabulary(), (List{"", "[UNK]", "red", "green", "blue"}));
  EXPECT_EQ(nn::TextVectorization({.vocabulary_file = path}).vocabulary_size(), 5);
  EXPECT_SAYS(invalid([&] { lookup.adapt(string_tensor({"a"})); }), "nothing to learn");
  EXPECT_SAYS(invalid([&] { nn::IntegerLookup({.vocabulary_file = path}); }), "line 1 of");
  EXPECT_SAYS(invalid([&] { nn::StringLookup({.vocabulary = {"a"}, .vocabulary_file = path}); }), "choose one");
  EXPECT_SAYS(invalid([&] { nn::StringLookup({.vocabulary_file = path, .output_mode = "tf_idf"}); }),
              "takes no vocabulary_file");
  std::ofstream(path) << "7\n-9\n";
  EXPECT_EQ(nn::IntegerLookup({.vocabulary_file = path}).get_vocabulary(), (Numbers{-1, 7, -9}));
  std::ofstream(path) << "a\na\n";
  EXPECT_SAYS(invalid([&] { nn::StringLookup({.vocabulary_file = path}); }), "holds b'a' more than once");
  std::ofstream(path) << "";
  EXPECT_SAYS(invalid([&] { nn::StringLookup({.vocabulary_file = path}); }), "is empty");
  std::remove(path.c_str());
  EXPECT_SAYS(invalid([&] { nn::StringLookup({.vocabulary_file = path}); }), "cannot be read");
}

TEST(Lookup, VocabulariesChange) {
  const nn::StringLookup lookup;
  EXPECT_EQ(lookup(string_tensor({"a"})).to_vector<int64_t>(), Numbers{0});  // none yet
  lookup.adapt(string_tensor({"b", "a", "b"}));
  EXPECT_EQ(lookup(string_tensor({"a", "b"})).to_vector<int64_t>(), (Numbers{2, 1}));
  lookup.adapt(string_tensor({"a"}));  // anew
  EXPECT_EQ(lookup(string_tensor({"a", "b"})).to_vector<int64_t>(), (Numbers{1, 0}));
  lookup.adapt(string_tensor(List{}));
  EXPECT_EQ(lookup.get_vocabulary(false), List{"a"});
  const auto traced = function([&](const Tensor& x) { return lookup(x); });
  EXPECT_EQ(traced(string_tensor({"z"})).to_vector<int64_t>(), Numbers{0});
  lookup.set_vocabulary({"y", "z"});
  EXPECT_EQ(lookup(string_tensor({"z"})).to_vector<int64_t>(), Numbers{2});
  EXPECT_EQ(traced(string_tensor({"z"})).to_vector<int64_t>(), Numbers{0});  // as it was traced
  // Rows of a fixed size stay so.
  const nn::StringLookup rows({.vocabulary = {"a"}, .output_mode = "count"});
  rows.set_vocabulary({"b"});
  EXPECT_SAYS(invalid([&] { rows.set_vocabulary({"b", "c"}); }), "one of 3 needs pad_to_max_tokens");
  const nn::TextVectorization text({.output_mode = "tf_idf"});
  text.set_vocabulary({"a", "b"}, {1, 3});
  EXPECT_EQ(text(string_tensor({"a b b z"})).to_vector<float>(), (std::vector<float>{2, 1, 6}));
}

TEST(Lookup, OwnFunctionsOfTexts) {
  const nn::TextVectorization text({.standardize = {},
                                    .standardize_by = [](std::string_view s) { return cat("<", s, ">"); },
                                    .split_by =
                                        [](std::string_view s) {
                                          const size_t at = s.find('|');
                                          return at == s.npos ? List{std::string(s)}
                                                              : List{std::string(s.substr(0, at)),
                                                                     std::string(s.substr(at + 1))};
                                        },
                                    .vocabulary = {"<a", "b>", "<c>"}});
  EXPECT_EQ(text(string_tensor({"a|b", "c"})).to_vector<int64_t>(), (Numbers{2, 3, 4, 0}));
  EXPECT_SAYS(invalid([&] { nn::to_json(text); }), "cannot be written to a config");
}

// ---- in models

TEST(Lookup, IsPartOfAModel) {
  const nn::TextVectorization text({.output_sequence_length = 3, .vocabulary = {"good", "bad"}});
  const nn::Symbol in = nn::Input({1}, {.dtype = kString});
  const nn::Symbol numbers = text(in);
  EXPECT_EQ(numbers.spec().str(), "(None, 3)");
  nn::Symbol y = nn::Embedding(4, 2)(numbers);
  y = nn::Dense(1)(nn::Flatten()(y));
  const nn::Model model(in, y);
  const Tensor x = string_tensor({"good", "bad bad", "Good, good!", "really bad", "so good", "bad"}, {6, 1});
  EXPECT_EQ(model.predict(x).shape(), Shape({6, 1}));
  const Tensor labels = Tensor({{1}, {0}, {1}, {0}, {1}, {0}});
  model.compile({.optimizer = nn::Adam(0.1), .loss = "mse"});
  auto history = model.fit(x, labels, {.epochs = 40, .batch_size = 4, .verbose = 0});
  EXPECT_LT(history["loss"].back(), 0.05);
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  const std::vector<float> found = model.predict(string_tensor({"good good", "bad bad"}, {2, 1})).to_vector<float>();
  EXPECT_GT(found[0], 0.7f);
  EXPECT_LT(found[1], 0.3f);
}

TEST(Lookup, IsPartOfASequential) {
  const nn::StringLookup lookup({.vocabulary = {"a", "b"}, .output_mode = "multi_hot"});
  const nn::Layer chain = nn::Sequential({nn::InputLayer({2}, {.dtype = kString}), lookup});
  EXPECT_EQ(chain(string_tensor({"a", "b", "z", "b"}, {2, 2})).to_vector<int64_t>(), (Numbers{0, 1, 1, 1, 0, 1}));
  const nn::Layer again = nn::layer_from_json(nn::to_json(chain));
  EXPECT_EQ(again(string_tensor({"a", "b", "z", "b"}, {2, 2})).to_vector<int64_t>(), (Numbers{0, 1, 1, 1, 0, 1}));
  const nn::Layer hashed = nn::Sequential({nn::InputLayer({2}, {.dtype = kString}), nn::Hashing(7)});
  const nn::Layer direct = nn::Hashing(7);
  const Tensor x = string_tensor({"a", "b", "z", "b"}, {2, 2});
  EXPECT_EQ(hashed(x).to_vector<int64_t>(), direct(x).to_vector<int64_t>());
}

TEST(Lookup, LengthsThatDataDecidesRefuseInATrace) {
  const nn::TextVectorization text({.vocabulary = {"a"}});
  const auto traced = function([&](const Tensor& x) { return text(x); });
  EXPECT_SAYS(invalid([&] { traced(string_tensor({"a b"})); }), "give it output_sequence_length");
  // In a model the length is open until there are texts.
  const nn::Symbol input = nn::Input({1}, {.dtype = kString}), numbers = text(input);
  EXPECT_EQ(numbers.spec().str(), "(None, None)");
  EXPECT_EQ(nn::Model({input}, {numbers}).call({string_tensor({"a b c", "a"}, {2, 1})})[0].shape(), Shape({2, 3}));
  const nn::TextVectorization tokens({.split = {}, .ngrams = {1, 2}, .vocabulary = {"a"}});  // the shape says it
  EXPECT_EQ(function([&](const Tensor& x) { return tokens(x); })(string_tensor({"a", "b", "a"}, {1, 3})).shape(),
            Shape({1, 5}));
}

// ---- what is refused

TEST(Lookup, RefusesWrongOptions) {
  using S = nn::StringLookupOptions;
  const auto lookup = [](const S& o) { return invalid([&] { nn::StringLookup l(o); }); };
  EXPECT_SAYS(lookup({.max_tokens = 1}), "max_tokens is 1");
  EXPECT_SAYS(lookup({.pad_to_max_tokens = true}), "pad_to_max_tokens needs max_tokens");
  EXPECT_SAYS(lookup({.num_oov_indices = -1}), "num_oov_indices is -1");
  EXPECT_SAYS(lookup({.oov_method = "mod"}), "oov_method is 'mod'");
  EXPECT_SAYS(lookup({.salt = {1, 2, 3}}), "salt has 3 numbers");
  EXPECT_SAYS(lookup({.output_mode = "ints"}), "output_mode is 'ints'; it is one of int, one_hot");
  EXPECT_SAYS(lookup({.invert = true, .output_mode = "count"}), "invert goes with output_mode int");
  EXPECT_SAYS(lookup({.vocabulary = {"a"}, .idf_weights = {1}}), "idf_weights go with output_mode tf_idf");
  EXPECT_SAYS(lookup({.vocabulary = {"a"}, .output_mode = "tf_idf"}), "needs idf_weights");
  EXPECT_SAYS(lookup({.vocabulary = {"a"}, .idf_weights = {1, 2}, .output_mode = "tf_idf"}),
              "there are 2 idf_weights for 1 tokens");
  EXPECT_SAYS(lookup({.vocabulary = {"a", "b", "a"}}), "holds b'a' more than once");
  EXPECT_SAYS(lookup({.mask_token = "m", .vocabulary = {"a", "m"}}), "holds the mask b'm'");
  EXPECT_SAYS(lookup({.vocabulary = {"a", "[UNK]"}, .invert = true}), "holds the unknown token b'[UNK]'");
  EXPECT_SAYS(lookup({.max_tokens = 2, .vocabulary = {"a", "b"}}), "has 3 tokens, but max_tokens is 2");
  EXPECT_SAYS(invalid([] { nn::IntegerLookup({.salt = {1}}); }), "salt goes with oov_method farmhash");
  const nn::StringLookup plain({.vocabulary = {"a"}}), none({.num_oov_indices = 0, .vocabulary = {"a"}});
  EXPECT_SAYS(invalid([&] { plain.set_vocabulary({}); }), "the vocabulary is empty");
  EXPECT_SAYS(invalid([&] { plain.set_vocabulary({"a"}, {1}); }), "idf_weights go with");
  EXPECT_SAYS(invalid([&] { plain(Tensor({1}, i32)); }), "takes strings, but got int32");
  EXPECT_SAYS(invalid([&] { nn::IntegerLookup()(string_tensor({"a"})); }), "takes whole numbers, but got string");
  EXPECT_SAYS(invalid([&] { plain(string_tensor("a")); }), "scalar");
  EXPECT_SAYS(invalid([&] { none(string_tensor({"a", "b"})).array(); }), "b'b' is not in the vocabulary");
  EXPECT_SAYS(
      invalid([&] { nn::IntegerLookup({.num_oov_indices = 0, .vocabulary = {4}})(Tensor({5}, i64)).array(); }),
      "5 is not in the vocabulary");
  EXPECT_SAYS(invalid([] { nn::StringLookup({.output_mode = "count"})(string_tensor({"a"})); }),
              "needs a vocabulary");
  EXPECT_SAYS(
      invalid([] {
        nn::StringLookup({.max_tokens = 4, .output_mode = "tf_idf", .pad_to_max_tokens = true})(string_tensor({"a"}));
      }),
      "call adapt() first");
  EXPECT_SAYS(invalid([] { nn::StringLookup().adapt(Tensor()); }), "adapt got none");
  EXPECT_SAYS(invalid([] { nn::StringLookup().adapt(Tensor({1}, i32)); }), "takes strings");
}

TEST(Lookup, HashingRefusesWrongOptions) {
  EXPECT_SAYS(invalid([] { nn::Hashing(0); }), "num_bins is 0");
  EXPECT_SAYS(invalid([] { nn::Hashing(3, {.output_mode = "tf_idf"}); }), "output_mode is 'tf_idf'");
  EXPECT_SAYS(invalid([] { nn::Hashing(3, {.salt = {1, 2, 3}}); }), "salt has 3");
  EXPECT_SAYS(invalid([] { nn::Hashing(3, {.dtype = nn::Policy(i16)}); }), "gives int32 or int64, not int16");
  EXPECT_SAYS(invalid([] { nn::Hashing(3, {.mask_value = ""})(Tensor({1}, i32)); }), "which mask_value is not");
  EXPECT_SAYS(invalid([] { nn::Hashing(3, {.mask_value = 5})(string_tensor({"a"})); }), "which mask_value is not");
  EXPECT_EQ(nn::Hashing(1)(string_tensor({"a", "b"})).to_vector<int64_t>(), (Numbers{0, 0}));
}

TEST(Lookup, TextVectorizationRefusesWrongOptions) {
  using T = nn::TextVectorizationOptions;
  const auto text = [](const T& o) { return invalid([&] { nn::TextVectorization l(o); }); };
  EXPECT_SAYS(text({.standardize = "upper"}), "standardize is 'upper'; it is one of lower_and_strip_punctuation");
  EXPECT_SAYS(text({.split = "lines"}), "split is 'lines'");
  EXPECT_SAYS(text({.ngrams = {0}}), "ngrams holds 0");
  EXPECT_SAYS(text({.output_mode = "one_hot"}), "output_mode is 'one_hot'");
  EXPECT_SAYS(text({.output_mode = "count", .output_sequence_length = 3}), "output_sequence_length goes with");
  EXPECT_SAYS(text({.output_sequence_length = 0}), "output_sequence_length is 0");
  const nn::TextVectorization layer({.vocabulary = {"a"}});
  EXPECT_SAYS(invalid([&] { layer(Tensor({1.0f})); }), "takes strings, but got float32");
  EXPECT_SAYS(invalid([&] { layer(string_tensor({"a", "b"}, {1, 2})); }), "splits texts of shape (batch,)");
  EXPECT_SAYS(invalid([&] { layer.adapt(string_tensor({"a"})); }), "nothing to learn");
  const nn::TextVectorization fresh({.output_mode = "tf_idf"});
  EXPECT_SAYS(invalid([&] { fresh.adapt(Tensor()); }), "got none");
  EXPECT_SAYS(invalid([&] { fresh.adapt(string_tensor("a")); }), "is a scalar");
  EXPECT_SAYS(invalid([&] { fresh(string_tensor({"a"})); }), "call adapt() first");
  for (const char* option : {"sparse", "ragged"}) {
    std::string json = nn::to_json(layer);
    const std::string off = cat("\"", option, "\":false"), on = cat("\"", option, "\":true");
    json.replace(json.find(off), off.size(), on);
    EXPECT_SAYS(invalid([&] { nn::layer_from_json(json); }), cat(option, " is true"));
  }
}

}  // namespace
}  // namespace brio
