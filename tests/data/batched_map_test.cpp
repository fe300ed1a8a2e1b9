// map(f) before batch(n): f is run for several elements at once where that gives the same bits, and one by one where
// that cannot be shown.
#include <random>

#include "brio/ops/control/variable.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/image/image.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/strings.h"
#include "tests/data/expect.h"

namespace brio::data {
namespace {

constexpr int64_t kRows = 50, kBatch = 8;
const std::string kAtOnce = "elements at a time, which gives the same bits";

Tensor numbers_of(const Shape& shape, uint64_t seed, DType dtype = f32) {
  const Tensor x = random::normal(shape, {.seed = seed}) * 3.0;
  return dtype == boolean ? greater(x, 0.0) : cast(x, dtype);
}

// What the stages of a whole epoch chose.
std::string choices(const Dataset& dataset) {
  Iterator iterator = dataset.iterator(1);
  for (Item item; iterator.next(item);) {
  }
  std::string text;
  for (const std::string& choice : iterator.report().choices) text += choice + "\n";
  return text;
}

// The same pipeline with threads of the map's own, which computes one by one.
void expect_same_bits(const Dataset& rows, const ElementFunction& f, const Structure& results, bool at_once) {
  const Dataset batched = rows.map(f, {.seed = 3, .structure = results}).batch(kBatch);
  const Dataset single = rows.map(f, {.num_parallel_calls = 1, .seed = 3, .structure = results}).batch(kBatch);
  const std::string chose = choices(batched);
  if (at_once) EXPECT_SAYS(chose, kAtOnce);
  else EXPECT_SAYS(chose, "one element at a time");
  EXPECT_EQ(choices(single), "");
  const std::vector<std::string> expected = all_of(single, 1);
  ASSERT_EQ(expected.size(), static_cast<size_t>((kRows + kBatch - 1) / kBatch));
  EXPECT_EQ(all_of(batched, 1), expected);
  check_pipeline(batched);
}

template <typename F>
void expect_same_bits(const Dataset& rows, F f, bool at_once) {
  using Signature = brio::detail::Signature<F>;
  expect_same_bits(rows, ElementFunction{detail::over_tensors(f)},
                   detail::structure_of<typename Signature::Result>::make(1), at_once);
}

Dataset pictures_and_labels() {
  return from_tensor_slices({numbers_of({kRows, 5, 4, 3}, 1, u8), numbers_of({kRows}, 2, i32)});
}

TEST(BatchedMap, RunsElementwiseFunctionsForSeveralRows) {
  const Tensor mean = numbers_of({3}, 7), whole = numbers_of({5, 4, 3}, 8);
  expect_same_bits(
      pictures_and_labels(),
      [=](const Tensor& x, const Tensor& y) {
        const Tensor scaled = cast(x, f32) / 255.0 - mean;
        return std::tuple(tanh(scaled) * whole + cast(y, f32), one_hot(y, 4));
      },
      true);
}

TEST(BatchedMap, KnowsOpsThatMoveElements) {
  expect_same_bits(
      pictures_and_labels(),
      [](const Tensor& x, const Tensor& y) {
        const Tensor turned = transpose(x, {1, 0, 2}), part = slice(x, {{1, 4}, {{}, {}, 2}});
        return std::tuple(reshape(turned, {60}), pad(part, {{1, 0}, {0, 2}, {0, 0}}, 9), concat({x, x}, 2),
                          expand_dims(y, 0), broadcast_to(y, {2, 3}), max(cast(x, i32), {0, 1}));
      },
      true);
}

TEST(BatchedMap, PassesPartsAndConstantsThrough) {
  const Tensor constant = numbers_of({2}, 3);
  expect_same_bits(
      pictures_and_labels(), [=](const Tensor& x, const Tensor& y) { return std::tuple(y, constant, x); }, true);
}

TEST(BatchedMap, ReadsVariables) {
  const Variable scale(numbers_of({3}, 4));
  expect_same_bits(
      pictures_and_labels(), [=](const Tensor& x, const Tensor&) { return cast(x, f32) * scale.value(); }, true);
}

TEST(BatchedMap, AssignsVariablesForEachElement) {
  Variable seen(Tensor::from(std::vector<float>{0}, {}));
  const Dataset rows = pictures_and_labels()
                           .map([=](const Tensor& x, const Tensor&) mutable {
                             seen.assign_add(Tensor::from(std::vector<float>{1}, {}));
                             return cast(x, f32) * 2.0;
                           })
                           .batch(kBatch);
  EXPECT_SAYS(choices(rows),
              "one element at a time: [map] the function prints, draws random numbers or assigns a variable");
  EXPECT_EQ(seen.value().item<float>(), static_cast<float>(kRows));
}

TEST(BatchedMap, FollowsFunctionsBelowIt) {
  const Dataset rows = pictures_and_labels();
  auto lighter = [](const Tensor& x, const Tensor& y) { return std::tuple(cast(x, f32) + 1.0, y); };
  auto averaged = [](const Tensor& x, const Tensor& y) { return std::tuple(mean(cast(x, f32)), y); };
  auto both = [](const Tensor& x, const Tensor& y) { return sigmoid(x) + cast(y, f32); };
  const Dataset at_once = rows.map(lighter).map(both).batch(kBatch);
  const Dataset single =
      rows.map(lighter, {.num_parallel_calls = 1}).map(both, {.num_parallel_calls = 1}).batch(kBatch);
  EXPECT_EQ(all_of(at_once), all_of(single));
  EXPECT_EQ(choices(at_once).find("one element"), std::string::npos) << choices(at_once);
  check_pipeline(at_once);
  // The mean is taken one by one, what follows is not.
  const Dataset partly = rows.map(averaged).map(both).batch(kBatch);
  EXPECT_EQ(all_of(partly), all_of(rows.map(averaged).map(both, {.num_parallel_calls = 1}).batch(kBatch)));
  EXPECT_SAYS(choices(partly), kAtOnce);
  check_pipeline(partly);
}

TEST(BatchedMap, SeesThroughStepsThatChangeTheOrder) {
  auto f = [](const Tensor& x, const Tensor& y) { return std::tuple(exp(cast(x, f32) / 100.0), y); };
  const Dataset rows = pictures_and_labels();
  auto ordered = [](const Dataset& d) {
    return d.skip(3)
        .shuffle(kAutotune, {.seed = 4})
        .repeat(2)
        .shuffle(7, {.seed = 5})
        .take(71)
        .shard(2, 1)
        .batch(kBatch);
  };
  const Dataset at_once = ordered(rows.map(f));
  EXPECT_SAYS(choices(at_once), kAtOnce);
  EXPECT_EQ(all_of(at_once, 2), all_of(ordered(rows).map([&](const Tensor& x, const Tensor& y) {
              return std::tuple(exp(cast(x, f32) / 100.0), y);
            }),
                                       2));
  check_pipeline(at_once);
}

TEST(BatchedMap, GoesOneByOneWhereBitsMayDiffer) {
  const Tensor weights = numbers_of({3, 2}, 5);
  expect_same_bits(
      pictures_and_labels(), [](const Tensor& x, const Tensor&) { return sum(cast(x, f32), {0}); }, false);
  expect_same_bits(
      pictures_and_labels(), [=](const Tensor& x, const Tensor&) { return matmul(cast(x, f32), weights); }, false);
  expect_same_bits(
      pictures_and_labels(),
      [](const Tensor& x, const Tensor&) {
        return cast(x, f32) + random::normal({5, 4, 3});
      },
      false);
  expect_same_bits(
      pictures_and_labels(), [](const Tensor& x, const Tensor&) { return image::resize(cast(x, f32), 3, 3); }, false);
  expect_same_bits(
      from_tensor_slices({numbers_of({kRows, 1, 1, 1, 1, 1, 1}, 1)}),
      [](const Tensor& x) {
        return reshape(x, {1, 1, 1, 1, 1, 1, 1}) * 2.0;
      },
      true);
}

TEST(BatchedMap, LeavesLargeElementsAlone) {
  const Dataset rows = from_tensor_slices({numbers_of({3, 40'000}, 1)}).map([](const Tensor& x) { return x * 2.0; });
  EXPECT_SAYS(choices(rows.batch(2)), "one element at a time: each has 320000 bytes");
  // Several blocks to a batch.
  const Dataset blocks = from_tensor_slices({numbers_of({23, 5000}, 1)});
  auto twice = [](const Tensor& x) { return x * 2.0; };
  EXPECT_SAYS(choices(blocks.map(twice).batch(10)), "up to 6 elements");
  EXPECT_EQ(all_of(blocks.map(twice).batch(10)), all_of(blocks.map(twice, {.num_parallel_calls = 1}).batch(10)));
  check_pipeline(blocks.map(twice).batch(10));
}

// Shapes that change: the function is run as the rows allow, and errors are those of a batch.
TEST(BatchedMap, TakesRowsOfAnyShape) {
  auto rows = [](bool equal) {
    return range(60).map(
        [=](Sample& sample) {
          const int64_t i = *sample.read<int64_t>(0), length = equal ? i / 20 : i % 3;
          auto* out = sample.write<float>(0, {1 + length});
          for (int64_t k = 0; k <= length; ++k) out[k] = static_cast<float>(10 * i + k);
        },
        {.results = 1});
  };
  auto twice = [](const Tensor& x) { return x * 2.0; };
  auto even = [](const Tensor& x) { return reshape(broadcast_to(slice(x, {{0, 1}}), {3}), {3, 1}) + 1.0; };
  check_pipeline(rows(true).map(twice).batch(10));
  EXPECT_EQ(all_of(rows(true).map(twice).batch(10)),
            all_of(rows(true).map(twice, {.num_parallel_calls = 1}).batch(10)));
  check_pipeline(rows(false).map(even).batch(10));
  EXPECT_EQ(all_of(rows(false).map(even).batch(10)),
            all_of(rows(false).map(even, {.num_parallel_calls = 1}).batch(10)));
  EXPECT_SAYS(choices(rows(false).map(even).batch(10)), kAtOnce);
  const Dataset unlike = rows(false).map(twice).batch(10);
  EXPECT_SAYS(invalid([&] { all_of(unlike); }),
              "[batch] elements of one batch must be alike: the first has f32[1], "
              "element 1 has f32[2]");
}

TEST(BatchedMap, PassesStringsOneByOne) {
  const std::string_view words[] = {"a", "bb", "", "c"};
  const Dataset texts = from_tensor_slices({Tensor(string_array(words, {4})), numbers_of({4, 2}, 1)});
  auto f = [](const Tensor& text, const Tensor& x) { return std::tuple(text, x * 2.0); };
  EXPECT_SAYS(choices(texts.map(f).batch(3)), "one element at a time");
  EXPECT_EQ(all_of(texts.map(f).batch(3)), all_of(texts.map(f, {.num_parallel_calls = 1}).batch(3)));
}

TEST(BatchedMap, SaysTheSameOfErrors) {
  const Dataset rows = from_tensor_slices({numbers_of({20, 3}, 1)});
  auto unfitting = [](const Tensor& x) { return x + Tensor::from(std::vector<float>{1, 2}, {2}); };
  EXPECT_EQ(invalid([&] { all_of(rows.map(unfitting).batch(4)); }),
            invalid([&] { all_of(rows.map(unfitting, {.num_parallel_calls = 1}).batch(4)); }));
  auto two = [](const std::vector<Tensor>& x) { return std::vector<Tensor>{x[0], x[0]}; };
  EXPECT_SAYS(invalid([&] { all_of(rows.map(ElementFunction{two}).batch(4)); }), "the function returned 2 tensors");
  // Of a row below: the batch that holds it fails, the others come.
  const Dataset broken = range(20).map(
      [](Sample& sample) {
        if (*sample.read<int64_t>(0) == 9) throw InvalidArgument("nine is broken");
        sample.pass(0, 0);
      },
      {.results = 1});
  auto twice = [](const Tensor& x) { return x * 2; };
  Iterator iterator = broken.map(twice).batch(4).iterator(0);
  std::vector<std::string> seen;
  for (;;) {
    Item item;
    try {
      if (!iterator.next(item)) break;
      seen.push_back(fingerprint(item));
    } catch (const InvalidArgument& error) {
      seen.emplace_back(error.what());
    }
  }
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(seen[2], "nine is broken");
}

// Functions of a random shape: each step takes what was made so far, or a constant, of any rank that fits.
TEST(BatchedMap, GivesTheSameBitsForRandomFunctions) {
  const DType dtypes[] = {f32, f64, f16, bf16, i32, i64, u8, i16};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 draw(static_cast<uint32_t>(seed));
    const DType dtype = dtypes[seed % std::size(dtypes)];
    const Shape shapes[] = {{}, {3}, {1}, {2, 3}, {2, 1}, {4, 1, 3}};
    const Shape whole = seed % 3 == 0 ? Shape{4, 2, 3} : seed % 3 == 1 ? Shape{4, 2, 1} : Shape{67};
    const Shape part = seed % 3 == 2 ? Shape{} : shapes[draw() % 3 == 0 ? 0 : 4];
    auto stacked_shape = [](const Shape& row) {
      Shape all{kRows};
      for (const int64_t dim : row) all.push_back(dim);
      return all;
    };
    const Dataset rows = from_tensor_slices(
        {numbers_of(stacked_shape(whole), seed, dtype), numbers_of(stacked_shape(part), seed + 99, dtype)});
    const Tensor constant = numbers_of(seed % 3 == 2 ? Shape{1} : shapes[draw() % 6 == 5 ? 5 : 0], seed + 5, dtype);
    std::vector<uint32_t> steps(2 + draw() % 8);
    for (uint32_t& step : steps) step = draw();
    auto f = [=](const Tensor& x, const Tensor& y) {
      std::vector<Tensor> made{x, y, constant};
      for (const uint32_t step : steps) {
        const Tensor &a = made[step % made.size()], &b = made[step / 16 % made.size()];
        Tensor next;
        switch (step / 256 % 12) {
          case 0: next = a + b; break;
          case 1: next = a * b; break;
          case 2: next = a - b; break;
          case 3: next = maximum(a, b); break;
          case 4: next = minimum(b, a); break;
          case 5: next = select(less(a, b), a, b); break;
          case 6: next = abs(a) + b; break;
          case 7: next = square(a); break;
          case 8: next = is_floating(dtype) ? exp(minimum(a, 3)) : maximum(a, 0) + b; break;
          case 9: next = is_floating(dtype) ? tanh(a) / (abs(b) + 1) : floor_div(a, b); break;
          case 10: next = is_floating(dtype) ? sin(a) * sigmoid(b) : cast(sqrt(cast(abs(a), f32)), dtype); break;
          default: next = is_floating(dtype) ? log1p(abs(a)) : mod(a, b); break;
        }
        made.push_back(cast(next, dtype));
      }
      return std::tuple(made.back(), made[made.size() - 2], cast(made.back() + x, f32));
    };
    const Dataset batched = rows.map(f).batch(kBatch), single = rows.map(f, {.num_parallel_calls = 1}).batch(kBatch);
    EXPECT_SAYS(choices(batched), kAtOnce);
    ASSERT_EQ(all_of(batched), all_of(single));
  }
}

}  // namespace
}  // namespace brio::data
