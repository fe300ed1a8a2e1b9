// Transforms whose elements come from datasets that they open: flat_map, interleave, group_by_window, buckets; and
// windows.
#include <set>
#include <thread>

#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
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

TEST(Nested, WindowsSlide) {
  struct Shape {
    int64_t size, shift, stride;
    bool drop;
  };
  // Numbers are taken as they are; what costs work is made once, and held. Both are the same.
  const Dataset worked = range(7).map([](Sample& sample) { sample.pass(0, 0); });
  for (const auto& [size, shift, stride, drop] :
       {Shape{3, 3, 1, false}, Shape{3, 1, 1, false}, Shape{3, 1, 2, true}, Shape{2, 4, 1, false},
        Shape{2, 5, 3, false}, Shape{3, 2, 2, false}, Shape{4, 1, 3, false}, Shape{1, 1, 1, true}}) {
    const std::string name = cat("window/", size, "/", shift, "/", stride, "/", drop ? 1 : 0);
    const WindowOptions options{.shift = shift, .stride = stride, .drop_remainder = drop};
    for (const Dataset& source : {range(7), worked, worked.prefetch(2)}) {
      const Dataset windows = source.window(size, options);
      expect_golden(name, windows);
      EXPECT_EQ(windows.cardinality(), static_cast<int64_t>(all_of(windows).size())) << name;
    }
  }
  EXPECT_EQ(all_of(range(7).window(3)), all_of(range(7).batch(3)));
  EXPECT_EQ(range(7).repeat().window(3).cardinality(), kInfinite);
  check_pipeline(range(40).window(5, {.shift = 1, .drop_remainder = true}).shuffle(kAutotune, {.seed = 2}).batch(3));
  check_pipeline(worked.shuffle(4, {.seed = 1}).window(3, {.shift = 1}).repeat(2));
  EXPECT_SAYS(invalid([] { range(3).window(0); }), "[window] size is 0");
  EXPECT_SAYS(invalid([] { range(3).window(2, {.shift = -1}); }), "[window] shift is -1");
  EXPECT_SAYS(invalid([] { range(3).window(2, {.stride = 0}); }), "[window] stride is 0");
  EXPECT_SAYS(invalid([] { all_of(growing(4).window(2)); }), "[window] elements of one batch must be alike");
}

// Every window with a bad element says so, also behind a restore; the others come.
TEST(Nested, ABadElementCostsItsWindows) {
  const Dataset bad = range(6).map([](Sample& sample) {
    if (*sample.read<int64_t>(0) == 2) throw InvalidArgument("element 2 is bad");
    sample.pass(0, 0);
  });
  const Dataset windows = bad.window(2, {.shift = 1, .drop_remainder = true});
  Iterator one = windows.iterator(), two = windows.iterator();
  Item item;
  for (Iterator* each : {&one, &two}) {
    ASSERT_TRUE(one.next(item));
    two.restore(one.save());
    for (int i = 0; i < 2; ++i) {
      try {
        each->next(item);
        FAIL() << "window " << i + 1 << " has a bad element";
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "element 2 is bad");
      }
    }
    ASSERT_TRUE(each->next(item));
    EXPECT_EQ(item[0].to_vector<int64_t>(), (Numbers{3, 4}));
    one = windows.iterator();
  }
}

TEST(Nested, GroupsByKey) {
  auto key = [](const Item& item) { return item[0].item<int64_t>() % 3; };
  auto reduce = [](int64_t, const Dataset& window) { return window.batch(5); };
  const Dataset groups = range(10).group_by_window(key, reduce, 2);
  expect_golden("group_by_window", groups);
  EXPECT_EQ(groups.cardinality(), kUnknown);
  expect_golden("group_by_window/sizes",
                range(12).group_by_window([](const Item& item) { return 1 - item[0].item<int64_t>() % 2; },
                                          [](int64_t, const Dataset& window) { return window.batch(2); },
                                          [](int64_t k) { return k + 3; }));
  check_pipeline(range(30).group_by_window(
      [](const Item& item) { return item[0].item<int64_t>() % 4 - 2; },
      [](int64_t k, const Dataset& window) { return window.shuffle(3, {.seed = 1}).enumerate(k).batch(2); }, 5,
      {.structure = Structure::tuple_of(2)}));
  // Seeds that the reduce function draws belong to the window.
  check_pipeline(range(30).group_by_window(
      key, [](int64_t, const Dataset& window) { return window.shuffle(kAutotune); }, 6));
  check_pipeline(growing(12).group_by_window([](const Item& item) { return item[0].shape()[0] % 3; },
                                             [](int64_t, const Dataset& window) { return window.padded_batch(9); },
                                             2));

  EXPECT_SAYS(invalid([&] { range(3).group_by_window(nullptr, reduce, 2); }), "the key function is empty");
  EXPECT_SAYS(invalid([&] { range(3).group_by_window(key, nullptr, 2); }), "the reduce function is empty");
  EXPECT_SAYS(invalid([&] { range(3).group_by_window(key, reduce, nullptr); }), "the window_size function is empty");
  EXPECT_SAYS(invalid([&] { range(3).group_by_window(key, reduce, 0); }), "window_size is 0");
  EXPECT_SAYS(invalid([&] { all_of(range(3).group_by_window(key, reduce, [](int64_t) { return int64_t{-1}; })); }),
              "the window size of key 0 is -1");
  EXPECT_SAYS(invalid([&] {
                all_of(range(3).group_by_window(
                    key, [](int64_t, const Dataset& window) { return window.enumerate(); }, 2));
              }),
              "[group_by_window] the function returned a dataset of elements (·, ·)");
}

TEST(Nested, BucketsByLength) {
  auto length = [](const Item& item) { return item[0].shape()[0]; };
  const Dataset lengths = from_tensor_slices({Tensor::from(Numbers{1, 5, 2, 9, 3, 3, 1, 4, 12, 2, 6, 5, 7}, {13})})
                              .map([](Sample& sample) {
                                const int64_t n = *sample.read<int64_t>(0);
                                std::fill_n(sample.write<int64_t>(0, {n}), n, n);
                              });
  const Numbers boundaries = {3, 5, 8}, sizes = {2, 3, 2, 1};
  auto buckets = [&](const Dataset& from, BucketOptions options) {
    return from.bucket_by_sequence_length(length, boundaries, sizes, std::move(options));
  };
  const std::string name = "bucket_by_sequence_length/";
  expect_golden(name + "plain", buckets(lengths, {}));
  expect_golden(name + "drop", buckets(lengths, {.drop_remainder = true}));
  expect_golden(name + "value", buckets(lengths, {.padding_values = {Tensor::from(Numbers{-1}, {})}}));
  expect_golden(name + "shape", buckets(lengths, {.padded_shapes = {{15}}}));
  const Dataset short_ones =
      lengths.filter([](const Tensor& x) { return constant(x.shape()[0] < 8, DType::boolean); });
  expect_golden(name + "boundary", buckets(short_ones, {.pad_to_bucket_boundary = true}));

  const std::string tag = "[bucket_by_sequence_length] ";
  EXPECT_SAYS(invalid([&] { all_of(buckets(lengths, {.pad_to_bucket_boundary = true})); }),
              tag + "an element is 8 long or longer");
  EXPECT_SAYS(invalid([&] {
                lengths.bucket_by_sequence_length(nullptr, {3}, {1, 1});
              }),
              tag + "the function is empty");
  EXPECT_SAYS(invalid([&] { lengths.bucket_by_sequence_length(length, {}, {1}); }),
              tag + "there are no bucket_bound");
  EXPECT_SAYS(invalid([&] {
                lengths.bucket_by_sequence_length(length, {3, 5}, {1, 1});
              }),
              tag + "there are 2 bucket_batch_sizes for 2 bucket_boundaries");
  EXPECT_SAYS(invalid([&] {
                lengths.bucket_by_sequence_length(length, {5, 3}, {1, 1, 1});
              }),
              tag + "bucket_boundaries are 5, 3; they must be above 0 and rise");
  EXPECT_SAYS(invalid([&] {
                lengths.bucket_by_sequence_length(length, {5}, {1, 0});
              }),
              tag + "bucket_batch_sizes are 1, 0");
  EXPECT_SAYS(invalid([&] { buckets(lengths, {.padded_shapes = {{1}, {2}}}); }), "[padded_batch] there are 2 padded");
}

}  // namespace
}  // namespace brio::data
