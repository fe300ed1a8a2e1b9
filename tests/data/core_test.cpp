// The spine of the input pipeline: sources, map, batch, shuffle, repeat, take, skip, filter, prefetch.
#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

#include "brio/base/hashes.h"
#include "brio/data/engine/parallel.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/random/random.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/runtime/evaluate.h"
#include "brio/tensor/memory.h"
#include "brio/tensor/strings.h"
#include "tests/data/expect.h"

namespace brio::data {
namespace {

using Numbers = std::vector<int64_t>;

Tensor column(int64_t n, int64_t width = 1) {
  std::vector<float> values(static_cast<size_t>(n * width));
  std::iota(values.begin(), values.end(), 0.f);
  return Tensor::from(values, {n, width});
}

TEST(Dataset, RangesCountAsPythonDoes) {
  EXPECT_EQ(numbers(range(5)), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers(range(2, 9, 3)), (Numbers{2, 5, 8}));
  EXPECT_EQ(numbers(range(5, 0, -2)), (Numbers{5, 3, 1}));
  EXPECT_EQ(numbers(range(5, 5)), Numbers{});
  EXPECT_EQ(numbers(range(5, 9, -1)), Numbers{});
  EXPECT_SAYS(invalid([] { range(0, 5, 0); }), "step is 0");
  EXPECT_SAYS(invalid([] { range(INT64_MIN, INT64_MAX); }), "too many");
  check_pipeline(range(2, 40, 3));
}

TEST(Dataset, TakeAndSkipCountFromTheFront) {
  EXPECT_EQ(numbers(range(10).take(3)), (Numbers{0, 1, 2}));
  EXPECT_EQ(numbers(range(10).skip(7)), (Numbers{7, 8, 9}));
  EXPECT_EQ(numbers(range(10).take(-1)).size(), 10U);
  EXPECT_EQ(numbers(range(10).skip(-1)), Numbers{});
  EXPECT_EQ(numbers(range(10).skip(12)), Numbers{});
  EXPECT_EQ(numbers(range(10).skip(2).take(5).skip(1)), (Numbers{3, 4, 5, 6}));
  EXPECT_EQ(range(10).skip(2).take(5).cardinality(), 5);
  EXPECT_EQ(range(10).repeat().take(5).cardinality(), 5);
  EXPECT_EQ(range(10).repeat().cardinality(), kInfinite);
  check_pipeline(range(30).skip(3).take(20));
}

TEST(Dataset, BatchesAreRowsOfANewAxis) {
  const Dataset rows = from_tensor_slices({column(10, 3), column(10)});
  Iterator iterator = rows.batch(4).iterator();
  Item item;
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[0].shape(), (Shape{4, 3}));
  EXPECT_EQ(item[1].shape(), (Shape{4, 1}));
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[0].to_vector<float>(), (std::vector<float>{12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[0].shape(), (Shape{2, 3}));
  EXPECT_FALSE(iterator.next(item));
  EXPECT_FALSE(iterator.next(item));
  EXPECT_EQ(rows.batch(4).cardinality(), 3);
  EXPECT_EQ(rows.batch(4, {.drop_remainder = true}).cardinality(), 2);
  EXPECT_EQ(all_of(rows.batch(4, {.drop_remainder = true})).size(), 2U);
  EXPECT_EQ(all_of(rows.batch(4).batch(2)).size(), 2U);
  check_pipeline(rows.batch(4));
  check_pipeline(range(40).batch(3, {.drop_remainder = true}).batch(2));
  EXPECT_SAYS(invalid([&] { rows.batch(0); }), "batch_size is 0");
}

TEST(Dataset, AShuffleVisitsEveryElementOnce) {
  for (const int64_t n : {1, 2, 10, 1000, 70'000}) {
    const Numbers order = numbers(range(n).shuffle(kAutotune, {.seed = 3}).batch(100), 0, 1'000'000);
    Numbers sorted = order;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(static_cast<int64_t>(sorted.size()), n);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(sorted[static_cast<size_t>(i)], i);
    if (n >= 10) {
      EXPECT_NE(order, sorted);
    }
  }
  const Dataset all = range(50).shuffle(kAutotune, {.seed = 3});
  EXPECT_NE(numbers(all, 0), numbers(all, 1)) << "each epoch has an order of its own";
  EXPECT_EQ(numbers(all, 1), numbers(all, 1));
  const Dataset same = range(50).shuffle(50, {.seed = 3, .reshuffle_each_iteration = false});
  EXPECT_EQ(numbers(same, 0), numbers(same, 1));
  check_pipeline(all.batch(4));
  check_pipeline(range(50).shuffle(7, {.seed = 1}));
  check_pipeline(range(5).shuffle(3, {.seed = 1}).repeat(4));
  check_pipeline(range(5).shuffle(kAutotune, {.seed = 1}).repeat().batch(3), 30);
  EXPECT_EQ(numbers(range(5).repeat(7).skip(32)), (Numbers{2, 3, 4}));
  EXPECT_EQ(numbers(range(5).repeat(7).skip(35)), Numbers{});
  EXPECT_EQ(numbers(range(5).repeat().skip((int64_t{1} << 40) * 5 + 1).take(2)), (Numbers{1, 2}));
  EXPECT_SAYS(invalid([] { range(3).shuffle(0); }), "buffer_size is 0");
}

// A buffer of n places gives element k out at place k - n + 1 at the earliest, as TensorFlow's does.
TEST(Dataset, ABufferShufflesNoFurtherThanItReaches) {
  const Numbers order = numbers(range(1000).shuffle(10, {.seed = 5}));
  ASSERT_EQ(order.size(), 1000U);
  EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), 1000U);
  for (size_t place = 0; place < order.size(); ++place) EXPECT_LE(order[place], static_cast<int64_t>(place) + 9);
}

// What a place holds over many epochs is spread evenly: chi-square with 99 degrees of freedom, far in its tail.
TEST(Dataset, EveryElementComesToEveryPlace) {
  for (const int64_t n : {100, 100'000}) {
    std::vector<int> seen(100);
    const int rounds = 10'000;
    for (int e = 0; e < rounds; ++e) {
      Iterator iterator = range(n).shuffle(kAutotune, {.seed = 9}).skip(17).iterator(static_cast<uint64_t>(e));
      Item item;
      ASSERT_TRUE(iterator.next(item));
      ++seen[static_cast<size_t>(item[0].item<int64_t>() * 100 / n)];
    }
    double chi = 0;
    for (const int count : seen) chi += (count - rounds / 100.) * (count - rounds / 100.) / (rounds / 100.);
    EXPECT_LT(chi, 160);
    EXPECT_GT(chi, 55);
  }
}

TEST(Dataset, MapRunsSamplesAndTensors) {
  const Dataset tenfold =
      range(20).map([](Sample& sample) { *sample.write<int64_t>(0, {}) = *sample.read<int64_t>(0) * 10; });
  EXPECT_EQ(numbers(tenfold.take(3)), (Numbers{0, 10, 20}));
  const Dataset both = from_tensor_slices({column(12, 3), column(12)}).map([](const Tensor& x, const Tensor& y) {
    return std::tuple(x * 2.0 + y, sum(x));
  });
  EXPECT_EQ(both.structure(), Structure::tuple_of(2));
  Iterator iterator = both.skip(1).iterator();
  Item item;
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[0].to_vector<float>(), (std::vector<float>{7, 9, 11}));
  EXPECT_EQ(item[1].item<float>(), 12);
  check_pipeline(tenfold);
  check_pipeline(both.batch(5));
  check_pipeline(both.batch(5).map([](const Tensor& x, const Tensor& y) { return sum(x, {1}) * y; }));
  EXPECT_SAYS(invalid([&] { both.map([](const Tensor& x) { return x; }); }), "takes 1 tensors, but an element has 2");
  EXPECT_SAYS(invalid([] { numbers(range(3).map([](Sample& s) { s.read<float>(0); })); }), "part 0 is int64");
  EXPECT_SAYS(invalid([] { numbers(range(3).map([](Sample& s) { s.read<float>(1); })); }), "an element has 1");
  EXPECT_SAYS(invalid([] { numbers(range(3).map([](Sample&) {})); }), "wrote 0 parts");
  EXPECT_SAYS(invalid([] { all_of(range(3).map([](const Tensor& x) {
                             return std::vector<Tensor>{x, x};
                           })); }),
              "[map] the function returned 2 tensors; its structure has 1");
  EXPECT_SAYS(invalid([] { range(3).map([](Sample&) {}, {.num_parallel_calls = 0}); }), "num_parallel_calls is 0");
}

// Random numbers belong to the sample, not to the thread that draws them.
TEST(Dataset, RandomNumbersBelongToTheSample) {
  const Dataset noisy =
      range(30).map([](const Tensor& x) { return cast(x, f32) + random::uniform({2}); }, {.seed = 4});
  check_pipeline(noisy);
  check_pipeline(noisy.shuffle(10, {.seed = 1}).batch(4));
  EXPECT_NE(all_of(noisy, 0), all_of(noisy, 1));
  const Dataset words = range(30).map(
      [](Sample& sample) { *sample.write<float>(0, {}) = sample.random().uniform_f32(0); }, {.seed = 4});
  check_pipeline(words);
  const std::vector<std::string> drawn = all_of(words);
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), 30U);
}

TEST(Dataset, FilterKeepsWhatPasses) {
  const Dataset even =
      range(20).filter([](const Tensor& x) { return equal(floormod(x, constant(2, i64)), constant(0, i64)); });
  EXPECT_EQ(numbers(even.take(4)), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(even.cardinality(), kUnknown);
  check_pipeline(even);
  check_pipeline(even.shuffle(4, {.seed = 1}).repeat(2).batch(3));
  EXPECT_SAYS(invalid([] { numbers(range(3).filter([](const Tensor& x) { return x; })); }), "must return one bool");
}

// Such functions may look at values, as nothing is recorded.
TEST(Dataset, FunctionsOverElementsMayBeCalledAsTheyAre) {
  const ElementFunction odd_threefold{[](const std::vector<Tensor>& x) {
                                        const int64_t n = x[0].item<int64_t>();
                                        return std::vector<Tensor>{n % 2 ? x[0] * 3 : x[0]};
                                      },
                                      false};
  EXPECT_EQ(numbers(range(6).map(odd_threefold)), (Numbers{0, 3, 2, 9, 4, 15}));
  const ElementFunction odd{[](const std::vector<Tensor>& x) {
                              return std::vector<Tensor>{Tensor(x[0].item<int64_t>() % 2 != 0, boolean)};
                            },
                            false};
  EXPECT_EQ(numbers(range(6).filter(odd)), (Numbers{1, 3, 5}));
  EXPECT_EQ(numbers(range(1, 6).take_while(odd)), Numbers{1});
  const ElementFunction sum{[](const std::vector<Tensor>& x) {
                              const int64_t total = x[0].item<int64_t>() + x[1].item<int64_t>();
                              return std::vector<Tensor>{Tensor(total, i64)};
                            },
                            false};
  EXPECT_EQ(range(5).reduce({Tensor(0, i64)}, sum)[0].item<int64_t>(), 10);
  const ElementFunction drawn{[](const std::vector<Tensor>&) { return std::vector<Tensor>{random::uniform({})}; },
                              false};
  const std::vector<Item> twice[] = {range(5).map(drawn, {.seed = 3}).as_vector(),
                                     range(5).map(drawn, {.seed = 3}).as_vector()};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(twice[0][i][0].item<float>(), twice[1][i][0].item<float>());
  EXPECT_NE(twice[0][0][0].item<float>(), twice[0][1][0].item<float>());
  EXPECT_SAYS(invalid([] { range(5).map(ElementFunction{}); }), "the function is empty");
}

TEST(Dataset, GeneratorsAreCalledAnewForEachEpoch) {
  const Dataset squares = from_generator([] {
    return [i = int64_t{0}](std::vector<Tensor>& out) mutable {
      if (i == 12) return false;
      out.push_back(Tensor::from(std::vector<int64_t>{i * i}, {}));
      ++i;
      return true;
    };
  });
  EXPECT_EQ(numbers(squares.repeat(2).skip(10).take(4)), (Numbers{100, 121, 0, 1}));
  check_pipeline(squares);
  check_pipeline(squares.shuffle(5, {.seed = 2}).repeat(2).batch(4));
  const Dataset wrong = from_generator([] { return [](std::vector<Tensor>&) { return true; }; });
  EXPECT_SAYS(invalid([&] { numbers(wrong); }), "element 0 has 0 tensors; 1 were promised");
}

TEST(Dataset, StringsTravel) {
  const std::vector<std::string_view> words = {"a", "", "longer than sixteen bytes", "d", "e"};
  const Dataset texts = from_tensor_slices({Tensor(string_array(words, {5}))});
  check_pipeline(texts);
  check_pipeline(texts.shuffle(3, {.seed = 1}).batch(2));
  check_pipeline(texts.map([](Sample& s) { s.write_text(0, cat(s.text(0), "!")); }).batch(2).batch(2));
}

TEST(Dataset, NamesFieldsOfElements) {
  const Dataset named =
      from_tensor_slices({column(4, 2), column(4)}, Structure::named_tensors({"image", "label"})).batch(2);
  Iterator iterator = named.iterator();
  Item item;
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item["label"].to_vector<float>(), (std::vector<float>{0, 1}));
  EXPECT_SAYS(invalid([&] { (void)item["lable"]; }), "it has image, label");
  EXPECT_EQ(named.structure().str(), "{image: ·, label: ·}");
}

TEST(Dataset, RowsOfABatchMustBeAlike) {
  const Dataset growing = range(6).map([](Sample& sample) {
    const int64_t n = *sample.read<int64_t>(0) / 3 + 1;
    float* to = sample.write<float>(0, {n});
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(n);
  });
  check_pipeline(growing.batch(3));  // shapes may change from batch to batch
  EXPECT_SAYS(invalid([&] { all_of(growing.batch(4)); }), "the first has f32[1], element 3 has f32[2]");
}

TEST(Dataset, AnErrorComesAtItsPlaceAndTheRestFollows) {
  const Dataset bad = range(10).map([](Sample& sample) {
    const int64_t value = *sample.read<int64_t>(0);
    if (value % 4 == 2) throw InvalidArgument(cat("element ", value, " is bad"));
    *sample.write<int64_t>(0, {}) = value;
  });
  for (const Dataset& each : {bad, bad.prefetch(3)}) {
    Iterator iterator = each.iterator();
    Item item;
    Numbers seen;
    for (int64_t i = 0; i < 10; ++i) {
      if (i % 4 == 2) {
        EXPECT_SAYS(invalid([&] { iterator.next(item); }), cat("element ", i, " is bad"));
      } else {
        ASSERT_TRUE(iterator.next(item));
        EXPECT_EQ(item[0].item<int64_t>(), i);
      }
    }
    EXPECT_FALSE(iterator.next(item));
  }
  EXPECT_SAYS(invalid([&] { all_of(bad.batch(8)); }), "element 2 is bad");  // the lowest of two
}

TEST(Dataset, KeepsWhatTheReaderHolds) {
  Iterator iterator = range(100).batch(2).iterator();
  std::vector<Item> kept(50);
  for (Item& item : kept) ASSERT_TRUE(iterator.next(item));
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i][0].to_vector<int64_t>(),
              (Numbers{static_cast<int64_t>(2 * i), static_cast<int64_t>(2 * i + 1)}));
}

TEST(Dataset, RefusesForeignStates) {
  Iterator iterator = range(10).batch(2).iterator();
  const std::string state = iterator.save();
  Iterator other = range(10).batch(3).iterator();
  EXPECT_SAYS(invalid([&] { other.restore(state); }), "a pipeline of other steps");
  for (size_t cut = 0; cut < state.size(); ++cut)
    EXPECT_SAYS(invalid([&] { iterator.restore(std::string_view(state).substr(0, cut)); }), "not the state");
  for (size_t i = 0; i < state.size(); ++i) {
    std::string damaged = state;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_SAYS(invalid([&] { iterator.restore(damaged); }), "not the state");
  }
}

// Behind a checksum that fits, anything may stand: it is refused or obeyed, and nothing breaks or hangs.
TEST(Dataset, BelievesNoState) {
  const Dataset pipelines[] = {
      range(10).shuffle(kAutotune, {.seed = 1}).repeat().batch(2),
      range(10).shuffle(4, {.seed = 1}).skip(2).take(5),
      range(10).map([](const Tensor& x) { return x; }).prefetch(2).batch(3),
  };
  for (const Dataset& dataset : pipelines) {
    Iterator iterator = dataset.iterator();
    Item item;
    iterator.next(item);
    const std::string saved = iterator.save(), body(StateReader(saved).text());
    for (uint32_t seed = 0; seed < 300; ++seed) {
      const RandomStream numbers{seed, 0};
      std::string forged = body;
      for (uint32_t k = 0; k <= seed % 3; ++k)
        forged[11 + numbers.u32(2 * k) % (forged.size() - 11)] = static_cast<char>(numbers.u32(2 * k + 1));
      StateWriter state;
      state.text(forged);
      state.number(murmur_hash64(forged, 1));
      Iterator fresh = dataset.iterator();
      try {
        fresh.restore(state.bytes());
        for (int i = 0; i < 3 && fresh.next(item); ++i) {
        }
      } catch (const InvalidArgument&) {
      }
    }
  }
}

// Elements without numbers are claimed again, and that has an end.
TEST(Dataset, ARestoreMayTakeSoLong) {
  const auto slow = [](double seconds) {
    return from_generator([] {
             return [i = int64_t{0}](std::vector<Tensor>& parts) mutable {
               std::this_thread::sleep_for(std::chrono::milliseconds(1));
               parts.push_back(Tensor::from(std::vector<int64_t>{i++}, {}));
               return true;
             };
           })
        .with_options({.restore_seconds = seconds});
  };
  Iterator iterator = slow(60).iterator(0);
  Item item;
  for (int i = 0; i < 200; ++i) iterator.next(item);
  const std::string state = iterator.save();
  Iterator patient = slow(60).iterator(0), hasty = slow(0.02).iterator(0);
  patient.restore(state);
  patient.next(item);
  EXPECT_EQ(item[0].item<int64_t>(), 200);
  EXPECT_SAYS(invalid([&] { hasty.restore(state); }),
              "to claim so many elements again takes longer than the 0.02 s that Options::restore_seconds allows");
  hasty.next(item);
  EXPECT_EQ(item[0].item<int64_t>(), 0);  // it is where it began
  EXPECT_SAYS(invalid([&] { slow(0); }), "restore_seconds is 0; it must be above 0");
}

TEST(Dataset, ABufferFitsItsBudget) {
  auto large = [](Sample& s) {
    float* to = s.write<float>(0, {1000});
    std::fill_n(to, 1000, static_cast<float>(*s.read<int64_t>(0)));
  };
  const Dataset records = range(500).map(large, {.num_parallel_calls = 1});  // no longer numbered
  EXPECT_SAYS(invalid([&] { all_of(records.shuffle(400).with_options({.ram_budget = 400'000})); }),
              "does not fit the RAM budget of 400000 bytes; the largest that fits is 9");
  const Dataset fitting = records.shuffle(kAutotune, {.seed = 1}).with_options({.ram_budget = 400'000});
  EXPECT_EQ(all_of(fitting).size(), 500U);
  check_pipeline(fitting.take(40));
}

TEST(Dataset, StopsItsThreadsAtOnce) {
  std::atomic<int> running{0};
  const Dataset slow = range(1'000'000).map(
      [&](Sample& sample) {
        ++running;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        sample.pass(0, 0);
        --running;
      },
      {.num_parallel_calls = 4});
  // The best of three: another process may have the CPU for longer than that.
  auto best = std::chrono::steady_clock::duration::max();
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::optional<Iterator> iterator = slow.iterator();
    Item item;
    for (int i = 0; i < 5; ++i) iterator->next(item);
    const auto began = std::chrono::steady_clock::now();
    iterator.reset();
    best = std::min(best, std::chrono::steady_clock::now() - began);
  }
  EXPECT_LT(best, std::chrono::milliseconds(100));
  EXPECT_EQ(running, 0);
}

TEST(Dataset, ReadAheadStaysInsideItsBudgetWhateverIsAskedFor) {
  std::atomic<int> made = 0;
  const Dataset large = range(100).map([&](Sample& s) {
    ++made;
    s.write<float>(0, {1000});
  });
  for (const int64_t asked : {int64_t{10}, int64_t{100}, int64_t{1'000'000'000'000}}) {
    made = 0;
    const Dataset ahead = large.prefetch(asked).with_options({.ram_budget = 40'000});
    Iterator iterator = ahead.iterator(0);
    Item item;
    ASSERT_TRUE(iterator.next(item));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_LE(made, 13) << asked;  // what was read, ten that fit, and what was under way when the first said its size
    EXPECT_EQ(all_of(ahead).size(), 100U);
  }
  EXPECT_EQ(all_of(range(1000).prefetch(int64_t{1} << 62)).size(), 1000U);
}

int64_t input_bytes() {
  for (const LedgerRow& row : memory_ledger())
    if (row.owner == Owner::input) return row.bytes;
  return -1;
}

// Batches of pictures are large: more than is read ahead must not be kept, however many were read.
TEST(Dataset, HoldsNoMoreThanIsReadAhead) {
  constexpr int64_t kBytes = 1 << 20, kAhead = 3;
  const int64_t before = input_bytes(), before_ahead = bytes_read_ahead();
  {
    Iterator iterator = range(200)
                            .map([](Sample& s) { std::fill_n(s.write<uint8_t>(0, {kBytes}), kBytes, uint8_t{1}); })
                            .prefetch(kAhead)
                            .iterator(0);
    Item item, held;
    for (int i = 0; i < 150; ++i) {
      ASSERT_TRUE(iterator.next(item));
      held = item;  // as a loop does that looks at the one before
    }
    const int64_t most = (kAhead + 6) * kBytes;  // two that the loop holds, one being read, and spare ones
    EXPECT_LE(input_bytes() - before, most);
    EXPECT_GE(bytes_read_ahead() - before_ahead, kAhead * kBytes);
    EXPECT_LE(bytes_read_ahead() - before_ahead, most);
  }
  EXPECT_EQ(bytes_read_ahead(), before_ahead);
}

// Work that is worth threads gets them, and the report says so.
TEST(Dataset, TunesInTheOpen) {
  const Dataset slow = range(400).map([](Sample& sample) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    sample.pass(0, 0);
  });
  Iterator iterator = slow.with_options({.cpu_budget = 3}).iterator();
  Item item;
  while (iterator.next(item)) {
  }
  const Report report = iterator.report();
  ASSERT_FALSE(report.threads.back().decisions.empty());
  EXPECT_EQ(report.threads.back().decisions[0].what, "threads");
  EXPECT_LE(report.threads.back().workers, 3);
  EXPECT_EQ(report.limit, "map");
  EXPECT_SAYS(report.str(), "limited by: map");
  EXPECT_EQ(slow.take(10).explain().threads.back().elements, 10);
  const Dataset quick = range(2000);
  Iterator inline_ = quick.iterator();
  while (inline_.next(item)) {
  }
  EXPECT_EQ(inline_.report().threads.back().workers, 0) << "threads would cost more than they bring";
}

}  // namespace
}  // namespace brio::data
