// Transforms that remember or choose: scan, reduce, unique, take_while, choose_from_datasets, sample_from_datasets.
#include <cmath>
#include <set>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/strings.h"
#include "tests/data/expect.h"

namespace brio::data {
namespace {

using Numbers = std::vector<int64_t>;

Tensor number(int64_t value) { return Tensor::from(Numbers{value}, {}); }
Dataset list(const Numbers& values) {
  return from_tensor_slices({Tensor::from(values, {static_cast<int64_t>(values.size())})});
}

TEST(States, ScanCarriesAState) {
  auto step = [](const Tensor& state, const Tensor& x) { return std::tuple(state + x, state, state * x); };
  const Dataset sums = range(8).scan({number(0)}, step);
  EXPECT_EQ(sums.structure().str(), "(·, ·)");
  EXPECT_EQ(sums.cardinality(), 8);
  expect_golden("scan", sums);
  check_pipeline(sums.repeat(2).batch(3));
  // The state may grow.
  check_pipeline(range(6).scan({Tensor::from(Numbers{}, {0})}, [](const Tensor& seen, const Tensor& x) {
    const Tensor all = concat({seen, reshape(x, {1})}, 0);
    return std::tuple(all, sum(all));
  }));
  const Dataset vectors = range(5).scan({number(1)},
                                        [](const Tensor& state, const Tensor& x) {
                                          return std::vector<Tensor>{state * constant(2, i64), state + x};
                                        },
                                        {.structure = Structure()});
  EXPECT_EQ(numbers(vectors), (Numbers{1, 3, 6, 11, 20}));

  EXPECT_SAYS(invalid([&] { range(3).scan({}, step); }), "[scan] the function takes 2 tensors, but an element has 1");
  EXPECT_SAYS(invalid([&] {
                range(3).scan({number(0), number(0)}, step);
              }),
              "[scan] the function takes 2 tensors, but the state has 2 and an element has 1");
  EXPECT_SAYS(invalid([&] { range(3).scan({Tensor()}, step); }), "[scan] tensor 0 of the initial state is none");
  EXPECT_SAYS(invalid([] { range(3).scan({number(0)}, [](const Tensor& s, const Tensor& x) { return s + x; }); }),
              "[scan] the function returns the 1 tensors of the state and no results");
  EXPECT_SAYS(invalid([] {
                all_of(range(3).scan({number(0)},
                                     [](const Tensor& s, const Tensor& x) { return std::tuple(cast(s, f32), x); }));
              }),
              "[scan] tensor 0 of the state is int64, but the function returned float32");
  EXPECT_SAYS(
      invalid([] {
        all_of(range(3).scan({number(0)}, [](const Tensor& s, const Tensor&) { return std::vector<Tensor>{s}; },
                             {.structure = Structure()}));
      }),
      "[scan] the function returned 1 tensors; it must return the 1 of the state and 1 results");
}

TEST(States, ReduceGivesTheLastState) {
  const std::vector<Tensor> total =
      range(6).reduce({number(0), number(1)}, [](const Tensor& sum, const Tensor& product, const Tensor& x) {
        return std::tuple(sum + x, product * (x + constant(1, i64)));
      });
  ASSERT_EQ(total.size(), 2U);
  expect_golden("reduce", from_tensors(total));
  auto add = [](const Tensor& sum, const Tensor& x) { return sum + x; };
  EXPECT_EQ(range(0).reduce({number(3)}, add)[0].item<int64_t>(), 3);
  EXPECT_EQ(range(1000).prefetch(3).reduce({number(0)}, add)[0].item<int64_t>(), 499'500);
  EXPECT_SAYS(invalid([&] {
                range(3).reduce({number(0), number(1)}, add);
              }),
              "[reduce] the function takes 2 tensors");
  EXPECT_SAYS(invalid([&] { range(3).reduce({Tensor()}, add); }), "[reduce] tensor 0 of the initial state is none");
  EXPECT_SAYS(invalid([&] {
                range(3).reduce({number(0)}, [](const Tensor& s, const Tensor& x) { return std::tuple(s, x); });
              }),
              "[reduce] the function returned 2 tensors; it must return the 1 of the state");
}

TEST(States, UniqueLeavesOutWhatWasThere) {
  expect_golden("unique", list({3, 1, 3, 3, 2, 1, 0, 2}).unique());
  const std::vector<std::string_view> words = {"b", "a", "", "b", "", "c"};
  expect_golden("unique/strings", from_tensor_slices({Tensor(string_array(words, {6}))}).unique());
  EXPECT_EQ(
      numbers(
          range(20).map([](Sample& s) { *s.write<int64_t>(0, {}) = *s.read<int64_t>(0) / 4; }).unique().repeat(2)),
      (Numbers{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  EXPECT_EQ(all_of(growing(4).repeat(3).unique()).size(), 4U);
  EXPECT_EQ(range(3).unique().cardinality(), kUnknown);
  Iterator iterator = list({3, 1, 3}).unique().iterator();
  for (Item item; iterator.next(item);) {
  }
  EXPECT_GE(iterator.report().stages.back().held_bytes, 16);
}

TEST(States, TakeWhileEndsForGood) {
  expect_golden("take_while", range(8).take_while([](const Tensor& x) { return less(x * x, constant(20, i64)); }));
  expect_golden("take_while/gap",
                range(8).take_while([](const Tensor& x) { return not_equal(x, constant(3, i64)); }));
  const Dataset few = range(8).take_while([](const Tensor& x) { return less(x, constant(3, i64)); });
  EXPECT_EQ(few.cardinality(), kUnknown);
  check_pipeline(few.repeat(3).batch(2));
  EXPECT_SAYS(invalid([] { all_of(range(3).take_while([](const Tensor& x) { return x; })); }),
              "[take_while] the function returned i64[]; it must return one bool");
  EXPECT_SAYS(invalid([] { range(3).take_while([](const Tensor& x, const Tensor&) { return x; }); }),
              "[take_while] the function takes 2 tensors, but an element has 1");
}

TEST(States, ChoosesAsIsSaid) {
  const std::vector<Dataset> datasets = {range(10, 13), range(20, 30), range(30, 32)};
  const Dataset choice = list({0, 1, 1, 2, 2, 2, 0, 1, 0, 0, 2, 1});
  expect_golden("choose_from_datasets/stop", choose_from_datasets(datasets, choice));
  const Dataset all = choose_from_datasets(datasets, choice, {.stop_on_empty_dataset = false});
  expect_golden("choose_from_datasets/go_on", all);
  EXPECT_EQ(all.cardinality(), kUnknown);
  check_pipeline(all.repeat(2).batch(3));
  // Ends when all have ended, though the choice never does.
  EXPECT_EQ(
      numbers(choose_from_datasets({range(2), range(5, 6)}, range(2).repeat(), {.stop_on_empty_dataset = false})),
      (Numbers{0, 5, 1}));
  EXPECT_SAYS(invalid([&] { choose_from_datasets({}, choice); }), "[choose_from_datasets] there are no datasets");
  EXPECT_SAYS(invalid([&] {
                choose_from_datasets({range(3), zip({range(3), range(3)})}, choice);
              }),
              "elements of the first dataset are ·, those of dataset 1 (·, ·)");
  EXPECT_SAYS(invalid([&] { choose_from_datasets({range(3)}, zip({range(3), range(3)})); }), "they must be numbers");
  EXPECT_SAYS(invalid([&] {
                all_of(choose_from_datasets({range(3)}, list({0, 1})));
              }),
              "dataset 1 was chosen; there are 1, counted from 0");
  EXPECT_SAYS(invalid([&] { all_of(choose_from_datasets({range(3)}, range(4).batch(2))); }),
              "a choice is i64[2]; it must be one number");
}

TEST(States, SamplesByWeight) {
  const Dataset zeros = list({0}).repeat(), ones = list({1}).repeat(), twos = list({2}).repeat();
  const Dataset mixed = sample_from_datasets({zeros, ones, twos}, {.weights = {1, 0, 3}, .seed = 5});
  std::vector<int64_t> counts(3);
  for (const int64_t value : numbers(mixed, 0, 20'000)) ++counts[static_cast<size_t>(value)];
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(static_cast<double>(counts[0]), 5000, 5 * std::sqrt(20'000 * 0.25 * 0.75));
  EXPECT_EQ(mixed.cardinality(), kInfinite);
  EXPECT_NE(numbers(mixed, 0, 100), numbers(mixed, 1, 100)) << "each epoch draws anew";
  check_pipeline(mixed.batch(3), 20);

  // All elements come, each dataset's in its order.
  const Dataset all = sample_from_datasets({range(10), range(100, 105)}, {.seed = 2});
  EXPECT_EQ(all.cardinality(), 15);
  Numbers first, second;
  for (const int64_t value : numbers(all)) (value < 100 ? first : second).push_back(value);
  EXPECT_EQ(first, numbers(range(10)));
  EXPECT_EQ(second, numbers(range(100, 105)));
  check_pipeline(all);
  check_pipeline(all.repeat(2).batch(4));

  // A stop comes with the first draw of a dataset that has ended, whichever it is.
  size_t short_ones = 0;
  auto stopping = [](uint64_t seed) {
    return sample_from_datasets({range(10), range(100, 102)}, {.seed = seed, .stop_on_empty_dataset = true});
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Numbers drawn = numbers(stopping(seed));
    short_ones += drawn.size() < 12;
    const auto second_part = std::count_if(drawn.begin(), drawn.end(), [](int64_t x) { return x >= 100; });
    EXPECT_TRUE(second_part == 2 || drawn.size() == 10U + static_cast<size_t>(second_part));
  }
  EXPECT_GE(short_ones, 15U);
  const Dataset stops = stopping(3);
  EXPECT_EQ(stops.cardinality(), kUnknown);
  check_pipeline(stops);

  EXPECT_SAYS(invalid([] { sample_from_datasets({}); }), "[sample_from_datasets] there are no datasets");
  EXPECT_SAYS(invalid([] { sample_from_datasets({range(3)}, {.weights = {1, 2}}); }), "2 weights for 1 datasets");
  EXPECT_SAYS(invalid([] { sample_from_datasets({range(3)}, {.weights = {-1}}); }), "a weight is -1");
  EXPECT_SAYS(invalid([] { sample_from_datasets({range(3)}, {.weights = {NAN}}); }), "a weight is nan");
  EXPECT_SAYS(invalid([] { sample_from_datasets({range(3)}, {.weights = {0}}); }), "the weights sum to 0");
}

// Random numbers that a function draws belong to the element, wherever the function stands.
TEST(States, DrawsNumbersOfTheElement) {
  auto coin = [](const Tensor&) { return less(random::uniform({}), constant(0.5, f32)); };
  const Dataset half = range(200).filter(coin);
  const size_t kept = all_of(half).size();
  EXPECT_GT(kept, 60U);
  EXPECT_LT(kept, 140U);
  EXPECT_NE(all_of(half, 0), all_of(half, 1));
  check_pipeline(half, 20);
  const Dataset walk = range(10).scan({Tensor::from(std::vector<float>{0}, {})}, [](const Tensor& at, const Tensor&) {
    const Tensor next = at + random::uniform({});
    return std::tuple(next, next - at);
  });
  const std::vector<std::string> steps = all_of(walk);
  EXPECT_EQ(std::set<std::string>(steps.begin(), steps.end()).size(), 10U);
  check_pipeline(walk);
  check_pipeline(range(200).take_while([](const Tensor&) { return less(random::uniform({}), constant(0.9, f32)); }));
}

TEST(States, AppliesAndCollects) {
  auto tail = [](const Dataset& dataset) { return dataset.skip(7); };
  const std::vector<Item> items = range(10).apply(tail).as_vector();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[2][0].item<int64_t>(), 9);
}

}  // namespace
}  // namespace brio::data
