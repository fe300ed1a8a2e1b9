// cache() and ignore_errors().
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "brio/formats/data_error.h"
#include "brio/formats/file.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/tensor/strings.h"
#include "tests/data/expect.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using Numbers = std::vector<int64_t>;

struct Counted {
  std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);
  Dataset dataset;
  explicit Counted(const Dataset& from)
      : dataset(from.map([made = made](Sample& sample) {
          ++*made;
          sample.pass(0, 0);
        })) {}
};

// Not numbered: what a cache cannot fill in any order.
Dataset serial(int64_t n) {
  return from_generator([n] {
    return [n, i = int64_t{0}](std::vector<Tensor>& out) mutable {
      if (i == n) return false;
      out.push_back(Tensor::from(Numbers{i++}, {}));
      return true;
    };
  });
}

size_t files_in(const formats::Scratch& scratch) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(scratch.path()), {}));
}

int64_t ledger() {
  trim_host_memory();  // blocks that wait to be used again stand in the same row
  for (const LedgerRow& row : memory_ledger())
    if (row.owner == Owner::cache) return row.bytes;
  return -1;
}

TEST(Cache, MakesElementsOnce) {
  const formats::Scratch scratch;
  int number = 0;
  for (const std::string file : {"", "file"})
    for (const Dataset& source : {range(12), serial(12)}) {
      SCOPED_TRACE(cat(file, " ", source.describe()));
      const Counted counted(source);
      const Dataset cached = counted.dataset.cache(file.empty() ? file : scratch / cat(file, number++)).prefetch(2);
      const Numbers all = numbers(source);
      for (uint64_t epoch = 0; epoch < 3; ++epoch) EXPECT_EQ(numbers(cached, epoch), all);
      EXPECT_EQ(numbers(cached.repeat(2)).size(), 24U);
      EXPECT_EQ(*counted.made, 12);
    }
  expect_golden("cache", range(5).cache().repeat(2));
}

// Each walk begins with an empty cache, or with a full one; a state is good for both.
TEST(Cache, RestoresWithAnyCache) {
  const formats::Scratch scratch;
  int number = 0;
  for (const bool file : {false, true})
    for (const bool numbered : {false, true}) {
      const Dataset source = (numbered ? range(9) : serial(9))
                                 .map(
                                     [](Sample& s) {
                                       *s.write<float>(0, {}) =
                                           s.random().uniform_f32(0);  // new in each epoch, were it not kept
                                     },
                                     {.seed = 3});
      auto fresh = [&] {
        const Dataset cached = source.cache(file ? scratch / cat("fresh", number++) : "");
        return cached.shuffle(4, {.seed = 1}).batch(2);
      };
      const std::vector<std::string> expected = all_of(fresh(), 1);
      EXPECT_EQ(expected.size(), 5U);
      const Dataset full = fresh();
      all_of(full);
      check_pipeline(full);
      for (size_t at = 0; at <= expected.size(); ++at)
        for (const bool from_full : {false, true})
          for (const bool to_full : {false, true}) {
            Iterator one = (from_full ? full : fresh()).iterator(1);
            Item item;
            for (size_t i = 0; i < at; ++i) ASSERT_TRUE(one.next(item));
            Iterator two = (to_full ? full : fresh()).iterator(5);
            two.restore(one.save());
            for (size_t i = at; i < expected.size(); ++i) {
              ASSERT_TRUE(two.next(item));
              EXPECT_EQ(fingerprint(item), expected[i]);
            }
            EXPECT_FALSE(two.next(item));
          }
    }
}

TEST(Cache, IsOnTheLedger) {
  const int64_t before = ledger();
  {
    const Dataset cached = range(10).map([](Sample& s) { s.write<float>(0, {1000}); }).cache();
    Iterator iterator = cached.iterator();
    for (Item item; iterator.next(item);) {
    }
    EXPECT_GE(ledger() - before, 40'000);
    int64_t held = 0;
    for (const StageReport& stage : iterator.report().stages) held += stage.held_bytes;
    EXPECT_EQ(held, ledger() - before);
  }
  EXPECT_EQ(ledger(), before);
}

TEST(Cache, StaysInsideTheBudget) {
  const Dataset large = range(10).map([](Sample& s) { s.write<float>(0, {1000}); }).cache();
  try {
    all_of(large.with_options({.ram_budget = 25'000}));
    FAIL() << "ten elements of 4000 bytes fit 25000";
  } catch (const ResourceError& error) {
    EXPECT_SAYS(std::string(error.what()), "[cache] element 6 of ");
    EXPECT_SAYS(std::string(error.what()), "does not fit beside 6 others in the RAM budget of 25000 bytes");
  }
}

TEST(Cache, AFileIsThereWholeOrNotAtAll) {
  const formats::Scratch scratch;
  const std::string path = scratch / "elements";
  const std::vector<std::string_view> words = {"a", "", "longer than sixteen bytes", "d"};
  const Dataset source = zip({from_tensor_slices({Tensor(string_array(words, {4}))}), growing(4)});
  const Dataset cached = source.cache(path);
  {
    Iterator iterator = cached.iterator();
    Item item;
    ASSERT_TRUE(iterator.next(item));
    ASSERT_TRUE(iterator.next(item));
  }
  EXPECT_EQ(files_in(scratch), 0U);
  EXPECT_EQ(all_of(cached), all_of(source));
  EXPECT_EQ(files_in(scratch), 1U);
  // Another process has its own nodes; it reads the file and makes nothing.
  const Counted other(range(4));
  EXPECT_EQ(all_of(source.cache(path)), all_of(source));
  check_pipeline(source.cache(path).shuffle(kAutotune, {.seed = 2}).repeat(2));

  EXPECT_SAYS(invalid([&] { all_of(range(4).cache(path)); }), "holds the elements of a pipeline of other steps");
  const std::string bytes = formats::read_file(path);
  for (size_t i = 0; i < bytes.size(); ++i) {  // no bit of it is believed
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    formats::write_file(path, damaged);
    EXPECT_THROW(all_of(source.cache(path)), formats::DataError) << "byte " << i;
  }
  for (const size_t cut : {size_t{0}, size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
    formats::write_file(path, bytes.substr(0, cut));
    EXPECT_THROW(all_of(source.cache(path)), formats::DataError) << "cut at " << cut;
  }
  EXPECT_THROW(all_of(source.cache(scratch / "no/such/folder")), ResourceError);
}

TEST(Cache, AFileOfFewerElementsIsRefused) {
  const formats::Scratch scratch;
  auto source = [&](int64_t n) {
    return range(n).map([](Sample& s) { s.pass(0, 0); }).filter([](const Tensor& x) { return equal(x, x); });
  };
  all_of(source(3).cache(scratch / "a"));
  EXPECT_EQ(numbers(source(3).cache(scratch / "a")).size(), 3U);
  EXPECT_SAYS(invalid([&] { all_of(source(4).cache(scratch / "a")); }), "a pipeline of other steps");
}

TEST(Cache, SaysThatTheDiskIsFull) {
  const formats::Scratch scratch;
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  // A limit of this process stands in for the disk; the signal that comes with it is not part of a full one.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 16, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    const Dataset large = range(100).map([](Sample& s) { s.write<float>(0, {100'000}); });
    all_of(large.cache(scratch / "large"));
  } catch (const ResourceError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_SAYS(message, "large");
  EXPECT_EQ(files_in(scratch), 0U);
}

Dataset failing(int64_t n) {
  return range(n).map([](Sample& sample) {
    const int64_t value = *sample.read<int64_t>(0);
    if (value % 3 == 0) throw InvalidArgument(cat("element ", value, " is bad"));
    *sample.write<float>(0, {}) = 1.f / static_cast<float>(value % 3);
  });
}

TEST(IgnoreErrors, CountsAndListsWhatItLeavesOut) {
  expect_golden("ignore_errors", failing(8).ignore_errors());
  Iterator iterator = failing(8).ignore_errors().iterator();
  for (Item item; iterator.next(item);) {
  }
  const Skipped skipped = iterator.report().skipped;
  EXPECT_EQ(skipped.count, 3);
  ASSERT_EQ(skipped.first.size(), 3U);
  EXPECT_EQ(skipped.first[2].why, "element 6 is bad");
  EXPECT_SAYS(iterator.report().str(), "skipped: 3 elements that could not be made\n  element 0 is bad");
  EXPECT_EQ(failing(8).ignore_errors().cardinality(), kUnknown);

  Iterator many = failing(300).ignore_errors().repeat(2).iterator();
  for (Item item; many.next(item);) {
  }
  EXPECT_EQ(many.report().skipped.count, 200);
  EXPECT_EQ(many.report().skipped.first.size(), 20U);
  EXPECT_EQ(many.report().skipped.first[0].times, 2);
  EXPECT_SAYS(many.report().str(), "  element 0 is bad (2 times)\n");
  EXPECT_SAYS(many.report().str(), "and 160 more");
}

// What nobody has asked for is said when the iterator goes.
TEST(IgnoreErrors, IsNeverSilent) {
  const auto said = [](const std::function<void(Iterator&)>& use) {
    testing::internal::CaptureStderr();
    {
      Iterator iterator = failing(8).ignore_errors().iterator();
      use(iterator);
    }
    return testing::internal::GetCapturedStderr();
  };
  Item item;
  const auto all = [&](Iterator& iterator) {
    while (iterator.next(item)) {
    }
  };
  EXPECT_EQ(said(all),
            "brio: [dataset] skipped: 3 elements that could not be made\n  element 0 is bad\n  element 3 is bad\n"
            "  element 6 is bad\n");
  EXPECT_EQ(said([](Iterator&) {}), "");
  EXPECT_EQ(said([&](Iterator& iterator) {
              all(iterator);
              (void)iterator.report();
            }),
            "");
  EXPECT_SAYS(said([&](Iterator& iterator) {  // more since the report
                all(iterator);
                (void)iterator.report();
                iterator.reset(1);
                all(iterator);
              }),
              "skipped: 6 elements that could not be made\n  element 0 is bad (2 times)");
}

// What was skipped before the place where a state was saved is counted once.
TEST(IgnoreErrors, CountsOnceBehindARestore) {
  const Dataset dataset = failing(60).ignore_errors().prefetch(2);
  Iterator one = dataset.iterator(), two = dataset.iterator();
  Item item;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(one.next(item));
  two.next(item);
  two.restore(one.save());
  while (two.next(item)) {
  }
  EXPECT_EQ(two.report().skipped.count, 20);
}

TEST(IgnoreErrors, ReportsThoseOfNestedDatasets) {
  Iterator iterator = range(3).flat_map([](const Item&) { return failing(5).ignore_errors(); }).iterator();
  for (Item item; iterator.next(item);) {
  }
  EXPECT_EQ(iterator.report().skipped.count, 6);
}

// A source that cannot go on ends, and that is no silence either.
TEST(IgnoreErrors, EndsWithASourceThatEnds) {
  const Dataset broken = from_generator([] { return [](std::vector<Tensor>&) { return true; }; });
  Iterator iterator = broken.ignore_errors().iterator();
  Item item;
  EXPECT_FALSE(iterator.next(item));
  EXPECT_EQ(iterator.report().skipped.count, 1);
}

}  // namespace
}  // namespace brio::data
