// Transforms that put elements and datasets together: zip, concatenate, enumerate, shard and the batches.
#include "brio/ir/graph.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/tensor/strings.h"
#include "tests/data/expect.h"

namespace brio::data {
namespace {

using Numbers = std::vector<int64_t>;

Dataset without(const Dataset& dataset, int64_t value) {
  return dataset.filter([value](const Tensor& x) { return not_equal(x, constant(value, i64)); });
}

TEST(Joined, ZipEndsWithTheShortest) {
  expect_golden("zip/shortest", zip({range(4), range(10, 17)}));
  expect_golden("zip/shortest", zip({without(range(5), 4), range(10, 17)}));
  expect_golden("zip/nested", zip({range(3), zip({range(5), range(5, 9)})}));
  EXPECT_EQ(zip({range(4), zip({range(3), range(2)})}).structure().str(), "(·, (·, ·))");
  EXPECT_EQ(zip({range(4), range(9)}).cardinality(), 4);
  EXPECT_EQ(zip({range(4).repeat(), range(9)}).cardinality(), 9);
  EXPECT_EQ(zip({range(4).repeat()}).cardinality(), kInfinite);
  EXPECT_EQ(zip({range(4), without(range(9), 1)}).cardinality(), kUnknown);
  EXPECT_EQ(numbers(zip({range(9), range(7)}).skip(5)), (Numbers{5, 6}));
  EXPECT_SAYS(invalid([] { zip({}); }), "[zip] there are no datasets");
  const Dataset named = zip({range(3), range(5)}, {"a", "b"});
  EXPECT_EQ(named.structure().str(), "{a: ·, b: ·}");
  EXPECT_EQ(named.as_vector()[2]["b"].item<int64_t>(), 2);
  EXPECT_SAYS(invalid([] { zip({range(3), range(5)}, {"a"}); }), "1 names were given for 2 fields");
}

TEST(Joined, ZippedNumbersCanBeShuffledInFull) {
  const Dataset pairs = zip({range(100), range(1000, 1100)}).shuffle(kAutotune, {.seed = 4});
  for (const Item& item : pairs.as_vector()) EXPECT_EQ(item[0].item<int64_t>() + 1000, item[1].item<int64_t>());
  check_pipeline(pairs.batch(7));
  check_pipeline(zip({range(20).batch(3), range(10).shuffle(4, {.seed = 1})}).batch(2));
}

TEST(Joined, ConcatenateGoesOnWithTheOther) {
  expect_golden("concatenate", range(3).concatenate(range(10, 14)).concatenate(range(1)));
  expect_golden("concatenate", without(range(4), 3).concatenate(range(10, 14)).concatenate(range(1)));
  const Dataset both = range(20).concatenate(range(100, 130));
  EXPECT_EQ(both.cardinality(), 50);
  EXPECT_EQ(range(2).concatenate(range(2).repeat()).cardinality(), kInfinite);
  EXPECT_EQ(range(2).concatenate(without(range(2), 1)).cardinality(), kUnknown);
  EXPECT_EQ(numbers(both.skip(18).take(3)), (Numbers{18, 19, 100}));
  EXPECT_EQ(numbers(both.skip(60)), Numbers{});
  check_pipeline(both.shuffle(kAutotune, {.seed = 2}).batch(6));
  check_pipeline(both.repeat(2).batch(9));
  EXPECT_SAYS(invalid([] {
                range(2).concatenate(zip({range(2), range(2)}));
              }),
              "[concatenate] elements here are ·, those of the other dataset (·, ·)");
}

TEST(Joined, EnumerateNumbersElements) {
  expect_golden("enumerate", range(10, 14).enumerate(5));
  EXPECT_EQ(numbers(range(3).enumerate(-2)), (Numbers{-2, -1, 0}));
  EXPECT_EQ(range(3).repeat().enumerate().take(5).cardinality(), 5);
  check_pipeline(range(30).shuffle(kAutotune, {.seed = 1}).enumerate().batch(4));
}

TEST(Joined, ShardsAreDisjointAndWhole) {
  expect_golden("shard/3/1", range(10).shard(3, 1));
  expect_golden("shard/4/3", without(range(10), 4).shard(4, 3));
  Numbers all;
  for (int64_t i = 0; i < 4; ++i)
    for (const int64_t value : numbers(range(11).shard(4, i))) all.push_back(value);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers(range(11)));
  EXPECT_EQ(range(11).shard(4, 2).cardinality(), 3);
  EXPECT_EQ(range(11).shard(4, 3).cardinality(), 2);
  EXPECT_EQ(range(2).shard(4, 3).cardinality(), 0);
  EXPECT_EQ(numbers(range(2).shard(4, 3)), Numbers{});
  EXPECT_EQ(numbers(range(20).shard(3, 2).skip(2).take(2)), (Numbers{8, 11}));
  EXPECT_EQ(numbers(range(20).shard(3, 2).skip(100)), Numbers{});
  EXPECT_EQ(numbers(range(INT64_MAX).shard(3, 1).skip(INT64_MAX)), Numbers{});
  check_pipeline(range(40).shuffle(9, {.seed = 3}).shard(3, 1).batch(4));
  check_pipeline(range(40).shard(3, 1).shuffle(kAutotune, {.seed = 3}).batch(4));
  EXPECT_SAYS(invalid([] { range(3).shard(0, 0); }), "[shard] num_shards is 0");
  EXPECT_SAYS(invalid([] { range(3).shard(2, 2); }), "[shard] index is 2; with 2 shards it must be from 0 to 1");
}

Dataset pairs() {
  return range(5).map(
      [](Sample& sample) {
        const int64_t value = *sample.read<int64_t>(0);
        std::fill_n(sample.write<int64_t>(0, {value % 3}), value % 3, value);
        sample.write_text(1, cat(value));
      },
      {.results = 2});
}

// As pairs(), with one or two strings.
Dataset ragged_pairs() {
  return from_generator(
      [] {
        return [i = int64_t{0}](std::vector<Tensor>& out) mutable {
          if (i == 5) return false;
          const Numbers values(static_cast<size_t>(i % 3), i);
          out.push_back(Tensor::from(values, {i % 3}));
          const std::string text = cat(i);
          const std::vector<std::string_view> texts(static_cast<size_t>(i % 2 + 1), text);
          out.emplace_back(string_array(texts, {1, i % 2 + 1}));
          ++i;
          return true;
        };
      },
      Structure::tuple_of(2));
}

Tensor text(std::string_view value) { return Tensor(string_array({&value, 1}, {})); }

TEST(Joined, PaddedBatchesFillUp) {
  expect_golden("padded_batch/longest", growing(7).padded_batch(3));
  expect_golden("padded_batch/drop", growing(7).padded_batch(3, {.drop_remainder = true}));
  const Tensor minus = Tensor::from(Numbers{-1}, {}), seven = Tensor::from(Numbers{7}, {});
  expect_golden("padded_batch/fixed",
                growing(5).padded_batch(2, {.padded_shapes = {{6}}, .padding_values = {minus}}));
  expect_golden("padded_batch/strings", ragged_pairs().padded_batch(3));
  expect_golden("padded_batch/values", ragged_pairs().padded_batch(2, {.padded_shapes = {{-1}, {2, -1}},
                                                                       .padding_values = {seven, text("-")}}));
  EXPECT_EQ(growing(7).padded_batch(3).cardinality(), 3);
  check_pipeline(growing(20).shuffle(kAutotune, {.seed = 1}).padded_batch(4));

  EXPECT_SAYS(invalid([] { range(3).padded_batch(0); }), "[padded_batch] batch_size is 0");
  EXPECT_SAYS(invalid([] {
                range(3).padded_batch(2, {.padded_shapes = {{}, {}}});
              }),
              "2 padded_shapes, but an element has 1 parts");
  EXPECT_SAYS(invalid([] { range(3).padded_batch(2, {.padded_shapes = {{-2}}}); }), "padded_shapes has (-2,)");
  EXPECT_SAYS(invalid([&] {
                range(3).padded_batch(2, {.padding_values = {minus, minus}});
              }),
              "2 padding_values, but an element has 1 parts");
  EXPECT_SAYS(invalid([&] {
                range(3).padded_batch(2, {.padding_values = {Tensor::from(Numbers{1, 2}, {2})}});
              }),
              "a padding value is i64[2]");
  EXPECT_SAYS(invalid([&] { range(3).padded_batch(2, {.padding_values = {Tensor()}}); }), "a padding value is none");
  EXPECT_SAYS(invalid([] { all_of(growing(4).padded_batch(2, {.padded_shapes = {{}}})); }),
              "padded_shapes has () for i64[0]");
  EXPECT_SAYS(invalid([] { all_of(growing(4).padded_batch(4, {.padded_shapes = {{2}}})); }),
              "element 3 of the batch has i64[3], which does not fit padded_shapes (2,)");
  EXPECT_SAYS(invalid([] { all_of(pairs().padded_batch(2, {.padding_values = {text("-")}})); }),
              "the padding value of '0' is string, but the part is int64");
  const Dataset ranks = range(4).map([](Sample& sample) {
    const bool even = *sample.read<int64_t>(0) % 2 == 0;
    *sample.write<float>(0, even ? Shape{1} : Shape{1, 1}) = 1;
  });
  EXPECT_SAYS(invalid([&] { all_of(ranks.padded_batch(2)); }), "the first has f32[1], element 1 has f32[1,1]");
}

TEST(Joined, UnbatchGivesRows) {
  expect_golden("unbatch", growing(4).unbatch());
  const Dataset texts = zip({range(7), range(7).map([](Sample& s) { s.write_text(0, cat(*s.read<int64_t>(0))); })});
  expect_golden("unbatch/parts", texts.batch(3).unbatch());
  EXPECT_EQ(numbers(range(20).batch(6).unbatch().skip(5).take(4)), (Numbers{5, 6, 7, 8}));
  EXPECT_EQ(range(4).batch(2).unbatch().cardinality(), kUnknown);
  EXPECT_EQ(range(0).batch(2).unbatch().cardinality(), 0);
  check_pipeline(range(23).shuffle(5, {.seed = 1}).batch(4).unbatch().batch(3).repeat(2));
  EXPECT_SAYS(invalid([] { all_of(range(3).unbatch()); }), "[unbatch] an element has a scalar i64[]");
  EXPECT_SAYS(invalid([] {
                all_of(zip({range(4).batch(2), range(6).batch(3)}).unbatch());
              }),
              "different numbers of rows: i64[2] and i64[3]");
}

// An element that cannot be made is an error at its place, and what follows is read on.
template <typename F>
Numbers with_errors(const Dataset& dataset, F on_error) {
  Numbers seen;
  Iterator iterator = dataset.iterator();
  for (Item item;;) {
    try {
      if (!iterator.next(item)) return seen;
      for (const int64_t value : item[0].to_vector<int64_t>()) seen.push_back(value);
    } catch (const InvalidArgument& error) {
      on_error(error.what());
      seen.push_back(-1);
    }
  }
}

Dataset failing_at(int64_t bad, int64_t n) {
  return range(n).map([bad](Sample& sample) {
    if (*sample.read<int64_t>(0) == bad) throw InvalidArgument(cat("element ", bad, " is bad"));
    sample.pass(0, 0);
  });
}

TEST(Joined, RowsGoOnBehindABadElement) {
  const Dataset batches = failing_at(2, 8).batch(2);
  auto is_the_one = [](const std::string& text) { EXPECT_EQ(text, "element 2 is bad"); };
  EXPECT_EQ(with_errors(batches.unbatch(), is_the_one), (Numbers{0, 1, -1, 4, 5, 6, 7}));
  EXPECT_EQ(with_errors(batches.rebatch(3), is_the_one), (Numbers{-1, 4, 5, 6, 7}));
  EXPECT_EQ(with_errors(zip({failing_at(2, 4), range(4)}), is_the_one), (Numbers{0, 1, -1, 3}));
  EXPECT_EQ(with_errors(failing_at(2, 4).concatenate(range(1)), is_the_one), (Numbers{0, 1, -1, 3, 0}));
  EXPECT_EQ(with_errors(failing_at(2, 4).padded_batch(2), is_the_one), (Numbers{0, 1, -1}));
}

TEST(Joined, RebatchCutsAnew) {
  const Dataset batches = range(10).batch(4);
  expect_golden("rebatch/3", batches.rebatch(3));
  expect_golden("rebatch/3/drop", batches.rebatch(3, {.drop_remainder = true}));
  expect_golden("rebatch/7", batches.rebatch(7));
  expect_golden("rebatch/1,3", batches.rebatch({1, 3}));
  expect_golden("rebatch/1,0,3", batches.rebatch({1, 0, 3}));
  expect_golden("rebatch/2,5/drop", batches.rebatch({2, 5}, {.drop_remainder = true}));
  EXPECT_EQ(batches.rebatch(3).cardinality(), kUnknown);
  const Dataset texts = zip({range(7), range(7).map([](Sample& s) { s.write_text(0, cat(*s.read<int64_t>(0))); })});
  EXPECT_EQ(all_of(texts.batch(3).rebatch(2)), all_of(texts.batch(2)));
  check_pipeline(texts.batch(3).rebatch(2).repeat(2));
  EXPECT_SAYS(invalid([&] { batches.rebatch(0); }), "[rebatch] batch_size is 0");
  EXPECT_SAYS(invalid([&] { batches.rebatch({2, -1}); }), "[rebatch] a batch size is -1");
  EXPECT_SAYS(invalid([&] { batches.rebatch(Numbers{0}); }), "[rebatch] no batch size is above 0");
  EXPECT_SAYS(invalid([&] { all_of(range(3).rebatch(2)); }), "[rebatch] an element has a scalar");
  EXPECT_SAYS(invalid([] { all_of(growing(4).batch(1).rebatch(2)); }), "rows of one batch must be alike");
}

TEST(Joined, RaggedBatchesKeepTheirLengths) {
  expect_golden("ragged_batch", growing(6).ragged_batch(4));
  const Dataset doubled = growing(6).map([](Sample& sample) {
    const int64_t n = sample.aval(0).shape[0];
    std::fill_n(sample.write<int64_t>(0, {n, 2}), 2 * n, n);
  });
  expect_golden("ragged_batch/drop", doubled.ragged_batch(4, {.drop_remainder = true}));
  const Dataset mixed = zip({growing(5), range(5)}, {"words", "label"}).ragged_batch(2, {.dense_parts = {1}});
  EXPECT_EQ(mixed.structure().str(), "{words: (·, ·), label: ·}");
  EXPECT_EQ(mixed.as_vector()[1]["label"].to_vector<int64_t>(), (Numbers{2, 3}));
  check_pipeline(mixed);
  check_pipeline(zip({pairs()}).map([](Sample& s) { s.pass(1, 0); }).batch(2).ragged_batch(2).repeat(2));
  EXPECT_SAYS(invalid([] { range(3).ragged_batch(0); }), "[ragged_batch] batch_size is 0");
  EXPECT_SAYS(invalid([] { range(3).ragged_batch(2, {.dense_parts = {1}}); }),
              "dense_parts has 1, but an element has 1 parts");
  EXPECT_SAYS(invalid([] { all_of(range(3).ragged_batch(2)); }), "has i64[], which has no length");
  EXPECT_SAYS(invalid([] { all_of(growing(3).ragged_batch(2, {.dense_parts = {0}})); }),
              "the first element of the batch has i64[0], element 1 has i64[1]; a part among dense_parts");
  const Dataset wide = growing(3).map([](Sample& sample) {
    const int64_t n = sample.aval(0).shape[0];
    std::fill_n(sample.write<float>(0, {1, n}), n, 1.f);
  });
  EXPECT_SAYS(invalid([&] { all_of(wide.ragged_batch(2)); }), "only the first dimension may differ");
}

}  // namespace
}  // namespace brio::data
