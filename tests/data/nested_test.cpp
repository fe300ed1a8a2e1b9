// Transforms whose elements come from datasets that they open: flat_map, interleave, group_by_window, buckets; and
// windows.
#include <set>
#include <thread>

#include "brio/ops/elementwise.h"
#include "brio/ops/random.h"
#include "tests/data/expect.h"

namespace brio::data {
namespace {

using Numbers = std::vector<int64_t>;

// The element as often as `times` says.
template <typename F>
DatasetFunction repeated(F times) {
  return [times](const Item& item) { return from_tensors({item[0]}).repeat(times(item[0].item<int64_t>())); };
}

TEST(Nested, FlatMapGoesThroughOneAfterTheOther) {
  expect_golden("flat_map", range(6).flat_map(repeated([](int64_t x) { return x % 3; })));
  EXPECT_EQ(range(6).flat_map([](const Item&) { return range(2); }).cardinality(), kUnknown);
  const Dataset pairs = range(4).flat_map(
      [](const Item& item) {
        return zip({range(item[0].item<int64_t>()), range(10)}).batch(2);
      },
      {.structure = Structure::tuple_of(2)});
  EXPECT_EQ(pairs.structure().str(), "(·, ·)");
  check_pipeline(pairs);
  check_pipeline(pairs.unbatch().shuffle(3, {.seed = 1}).repeat(2).batch(3));
  check_pipeline(range(5).flat_map([](const Item& item) {
    return range(3).flat_map(
        [base = item[0].item<int64_t>()](const Item& inner) { return range(base, base + inner[0].item<int64_t>()); });
  }));
  EXPECT_SAYS(invalid([] { range(3).flat_map(nullptr); }), "[flat_map] the function is empty");
  EXPECT_SAYS(invalid([] { all_of(range(3).flat_map([](const Item&) {
                             return zip({range(1), range(1)});
                           })); }),
              "[flat_map] the function returned a dataset of elements (·, ·); the options promise ·");
}

// Seeds that the function draws belong to the element.
TEST(Nested, DrawsSeedsOfTheElement) {
  const Dataset noisy = range(6).flat_map([](const Item&) {
    return range(4).shuffle(kAutotune).map([](const Tensor& x) { return cast(x, f32) + random::uniform({}); });
  });
  check_pipeline(noisy);
  check_pipeline(noisy.batch(5));
  const std::vector<std::string> all = all_of(noisy);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  EXPECT_NE(all_of(noisy, 0), all_of(noisy, 1));
}

TEST(Nested, InterleaveTakesTurnsAsTensorFlowDoes) {
  const auto make = repeated([](int64_t x) { return x * 2 % 5; });
  for (const int64_t cycle : {1, 2, 3, 9})
    for (const int64_t block : {1, 2, 4}) {
      const std::string name = cat("interleave/", cycle, "/", block);
      expect_golden(name, range(7).interleave(make, {.cycle_length = cycle, .block_length = block}));
    }
  expect_golden("interleave/3/2",
                range(7).interleave(make, {.cycle_length = 3, .block_length = 2, .num_parallel_calls = 3}));
  check_pipeline(
      range(9)
          .interleave(
              [](const Item& item) { return range(item[0].item<int64_t>()).shuffle(3, {.seed = 5}).batch(2); },
              {.cycle_length = 3})
          .unbatch()
          .repeat(2));
  EXPECT_SAYS(invalid([&] { range(3).interleave(nullptr); }), "[interleave] the function is empty");
  EXPECT_SAYS(invalid([&] { range(3).interleave(make, {.cycle_length = 0}); }), "[interleave] cycle_length is 0");
  EXPECT_SAYS(invalid([&] { range(3).interleave(make, {.block_length = 0}); }), "[interleave] block_length is 0");
  EXPECT_SAYS(invalid([&] { range(3).interleave(make, {.num_parallel_calls = 0}); }),
              "[interleave] num_parallel_calls is 0");
}

TEST(Nested, AnErrorCostsOneElement) {
  const Dataset bad = range(5).flat_map([](const Item& item) {
    const int64_t x = item[0].item<int64_t>();
    if (x == 1) throw InvalidArgument("no dataset of 1");
    return range(2).map([x](Sample& sample) {
      if (x == 3 && *sample.read<int64_t>(0) == 0) throw InvalidArgument("no element 0 of 3");
      *sample.write<int64_t>(0, {}) = x;
    });
  });
  Iterator iterator = bad.iterator();
  Numbers seen;
  std::vector<std::string> errors;
  for (Item item;;) {
    try {
      if (!iterator.next(item)) break;
      seen.push_back(item[0].item<int64_t>());
    } catch (const InvalidArgument& error) {
      errors.emplace_back(error.what());
    }
  }
  EXPECT_EQ(seen, (Numbers{0, 0, 2, 2, 3, 4, 4}));
  EXPECT_EQ(errors, (std::vector<std::string>{"no dataset of 1", "no element 0 of 3"}));
}

TEST(Nested, StopsAtOnce) {
  const auto began = [] {
    Iterator iterator = range(1'000'000)
                            .interleave([](const Item&) {
                              return range(1000)
                                  .map([](Sample& sample) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                    sample.pass(0, 0);
                                  })
                                  .prefetch(4);
                            })
                            .prefetch(3)
                            .iterator();
    Item item;
    for (int i = 0; i < 5; ++i) iterator.next(item);
    return std::chrono::steady_clock::now();
  }();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(100));
}

}  // namespace
}  // namespace brio::data
