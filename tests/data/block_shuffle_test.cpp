// Shuffling blocks, where elements lie in files that are slow to read here and there: the order, how it is chosen,
// and that it stays what it was.
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "brio/data/engine/block_order.h"
#include "brio/data/engine/read_costs.h"
#include "brio/data/sources/sources.h"
#include "brio/data/transforms/shuffle.h"
#include "brio/formats/npy.h"
#include "brio/formats/tfrecord.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/tensor/strings.h"
#include "tests/data/expect.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using formats::Scratch;
using Numbers = std::vector<int64_t>;

Numbers order_of(int64_t n, BlockOrder::Sizes sizes, uint64_t seed) {
  BlockOrder order(n, sizes, seed);
  Numbers list;
  for (int64_t i = 0; i < n; ++i) list.push_back(order(i));
  return list;
}

TEST(BlockOrder, HasEveryElementOnce) {
  for (const int64_t n : {1, 2, 7, 10, 99, 1000, 1024, 70'001})
    for (const BlockOrder::Sizes sizes : {BlockOrder::Sizes{1, 1}, {1, 5}, {7, 3}, {10, 2}, {64, 4}, {100, 100}})
      for (const uint64_t seed : {1, 2, 3}) {
        Numbers order = order_of(n, sizes, seed);
        std::sort(order.begin(), order.end());
        for (int64_t i = 0; i < n; ++i)
          ASSERT_EQ(order[static_cast<size_t>(i)], i)
              << n << " " << sizes.block << " " << sizes.window << " " << seed;
      }
}

TEST(BlockOrder, IsAPureFunctionOfPlaceAndSeed) {
  const Numbers order = order_of(1003, {10, 7}, 5);
  BlockOrder jumping(1003, {10, 7}, 5);
  for (const int64_t place : {900, 3, 1002, 500, 501, 0, 1002, 69, 70})
    EXPECT_EQ(jumping(place), order[static_cast<size_t>(place)]);
  EXPECT_NE(order, order_of(1003, {10, 7}, 6));
}

// Within a window few blocks are read, each wholly.
TEST(BlockOrder, ReadsFewPlacesAtATime) {
  const int64_t block = 10, window = 7;
  const Numbers order = order_of(1003, {block, window}, 5);
  BlockOrder places(1003, {block, window}, 5);
  EXPECT_EQ(places.blocks(), 101);
  std::map<int64_t, std::set<int64_t>> blocks;
  for (int64_t i = 0; i < 1003; ++i) blocks[places.position(i).window].insert(order[static_cast<size_t>(i)] / block);
  ASSERT_EQ(blocks.size(), 15U);
  std::set<int64_t> seen;
  for (const auto& [number, of_window] : blocks) {
    EXPECT_LE(of_window.size(), static_cast<size_t>(window));
    for (const int64_t each : of_window) EXPECT_TRUE(seen.insert(each).second) << "block " << each << " came before";
    std::set<int64_t> announced;
    for (int64_t k = number * window; k < std::min(places.blocks(), (number + 1) * window); ++k)
      announced.insert(places.elements(k).first / block);
    EXPECT_EQ(announced, of_window);
  }
}

// Where an element comes in the order says nothing of where it lies: neither its block's place, nor its own. Ranks of
// neighbours are as far apart as by chance within a window, and over many seeds every element comes to every place.
TEST(BlockOrder, MixesWell) {
  const int64_t n = 40'000;
  const Numbers order = order_of(n, {50, 40}, 7);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += (static_cast<double>(order[static_cast<size_t>(i)]) - n / 2.) * (static_cast<double>(i) - n / 2.);
  // 800 blocks: the correlation of a random order of those has deviation 1 / √800.
  EXPECT_LT(std::abs(sum / (static_cast<double>(n) * n * n / 12.)), 4 / std::sqrt(800.));
  // Neighbours in the order come from the same block in one of 40 cases, by chance.
  int together = 0;
  for (size_t i = 1; i < order.size(); ++i) together += order[i] / 50 == order[i - 1] / 50;
  EXPECT_NEAR(together / static_cast<double>(n), 49. / 1999, 0.005);
  std::vector<int> seen(100);
  const int rounds = 10'000;
  for (uint64_t seed = 0; seed < rounds; ++seed) ++seen[static_cast<size_t>(BlockOrder(1000, {7, 6}, seed)(17) / 10)];
  double chi = 0;
  for (const int count : seen) chi += (count - rounds / 100.) * (count - rounds / 100.) / (rounds / 100.);
  EXPECT_LT(chi, 180);  // 99 degrees of freedom
}

// ---- how it is chosen

// Numbers that lie in a make-believe file of 100 kB each, on a make-believe disk: reading moves its clock.
struct Disk {
  double seek = 0, byte = 1e-9;
  mutable double now = 0;
  mutable int64_t reads = 0;
  mutable std::mutex mutex = {};  // announced by threads of the pipeline
  mutable std::vector<std::pair<int64_t, int64_t>> announced = {};

  std::vector<std::pair<int64_t, int64_t>> taken() const {
    const std::lock_guard lock(mutex);
    return std::exchange(announced, {});
  }
};

class DiskStage final : public IndexedStage, StoredElements {
 public:
  DiskStage(Pipeline& pipeline, const Disk& disk, int64_t n) : IndexedStage(pipeline, "disk"), disk_(disk), n_(n) {}
  int64_t indexed() const override { return n_; }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    out.resize(1);
    *static_cast<int64_t*>(out.write(0, {{}, i64})) = ticket.index;
  }
  const StoredElements* stored_elements() const override { return this; }

 private:
  int64_t stored() const override { return n_; }
  uint64_t stored_bytes() const override { return static_cast<uint64_t>(n_) * 100'000; }
  void read_stored(int64_t i, size_t bytes) const override {
    EXPECT_GE(i, 0);
    EXPECT_LT(i, n_);
    disk_.now += disk_.seek + static_cast<double>(bytes) * disk_.byte;
    ++disk_.reads;
  }
  void announce(int64_t first, int64_t end) const override {
    const std::lock_guard lock(disk_.mutex);
    disk_.announced.emplace_back(first, end);
  }
  const Disk& disk_;
  int64_t n_;
};

class DiskNode final : public Node {
 public:
  DiskNode(const Disk& disk, int64_t n) : disk_(disk), n_(n) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<DiskStage>(pipeline, disk_, n_);
  }
  std::string describe() const override { return cat("disk(", n_, ")"); }
  Structure structure() const override { return {}; }
  int64_t cardinality() const override { return n_; }

 private:
  const Disk& disk_;
  int64_t n_;
};

Dataset shuffled_from(const Disk& disk, int64_t n, ShuffleOptions options = {.seed = 3}) {
  return Dataset(shuffled(std::make_shared<DiskNode>(disk, n), kAutotune, options, [&disk] { return disk.now; }))
      .with_options({.ram_budget = int64_t{1} << 30});
}

std::string choice_of(const Dataset& dataset) {
  std::string text;
  for (const std::string& choice : dataset.iterator(0).report().choices) text += choice;
  return text;
}

TEST(BlockShuffle, IsChosenWhereReadsAreSlowAtRandom) {
  Disk spinning{.seek = 8e-3}, solid{.seek = 1e-4}, large{.seek = 2e-3, .byte = 1e-7};
  const Dataset blocks = shuffled_from(spinning, 1003), full = shuffled_from(solid, 1003);
  EXPECT_SAYS(choice_of(blocks), "shuffle: blocks of 10 elements, 256 at a time: ");
  EXPECT_SAYS(choice_of(blocks), "an element takes 8.1 ms to read alone, 0.86");
  EXPECT_SAYS(choice_of(full), "shuffle: in full: an element takes 0.2 ms to read alone");
  EXPECT_SAYS(choice_of(shuffled_from(large, 1003)), "in full");  // pieces cost as much
  EXPECT_LE(spinning.reads, 6) << "some places are tried, once for a dataset";
  EXPECT_LE(solid.reads, 7);
  for (const Dataset& each : {blocks, full}) {
    Numbers order = numbers(each, 4, 2000);
    EXPECT_EQ(order, numbers(each, 4, 2000));
    EXPECT_NE(order, numbers(each, 5, 2000));
    std::sort(order.begin(), order.end());
    Numbers expected(1003);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
    check_pipeline(each.take(50));
    check_pipeline(each.batch(40));
  }
  // Sources in memory are not measured.
  EXPECT_EQ(choice_of(range(100).shuffle(kAutotune)), "");
}

TEST(BlockShuffle, IsWhatWasAskedFor) {
  const Disk spinning{.seek = 8e-3}, solid{.seek = 1e-4};
  EXPECT_SAYS(choice_of(shuffled_from(spinning, 1003, {.seed = 3, .order = ShuffleOrder::full})),
              "in full: as asked");
  const Dataset blocks = shuffled_from(solid, 1003, {.seed = 3, .order = ShuffleOrder::blocks});
  EXPECT_SAYS(choice_of(blocks), "blocks of 10 elements");
  EXPECT_SAYS(choice_of(blocks), "as asked");
  EXPECT_EQ(spinning.reads + solid.reads, 0);
  EXPECT_EQ(numbers(blocks, 2, 2000), numbers(shuffled_from(spinning, 1003), 2, 2000));
  // Of any numbered elements; nothing is known of their sizes then.
  const Dataset in_memory = range(5000).shuffle(kAutotune, {.seed = 1, .order = ShuffleOrder::blocks});
  EXPECT_SAYS(choice_of(in_memory), "blocks of 1000 elements");
  EXPECT_EQ(Numbers(numbers(in_memory, 0, 9000)).size(), 5000U);
  check_pipeline(in_memory.batch(97));
  const Dataset counted = from_generator([] { return [](std::vector<Tensor>&) { return false; }; });
  EXPECT_SAYS(invalid([&] { counted.shuffle(kAutotune, {.order = ShuffleOrder::blocks}).iterator(); }),
              "[shuffle] order blocks needs elements that are numbered");
  EXPECT_SAYS(invalid([&] { range(50).shuffle(10, {.order = ShuffleOrder::blocks}); }),
              "[shuffle] order blocks is a shuffle of all elements, but buffer_size is 10");
}

// A state is of the order that it was saved with, whatever this machine would choose.
TEST(BlockShuffle, KeepsItsOrderAcrossMachines) {
  const Disk spinning{.seek = 8e-3}, solid{.seek = 1e-4};
  for (const bool to_solid : {true, false}) {
    const Dataset from = shuffled_from(to_solid ? spinning : solid, 500);
    const Dataset to = shuffled_from(to_solid ? solid : spinning, 500);
    const Numbers expected = numbers(from, 6);
    ASSERT_NE(numbers(to, 6), expected);
    Iterator walking = from.iterator(6);
    Item item;
    for (int i = 0; i < 123; ++i) ASSERT_TRUE(walking.next(item));
    Iterator other = to.iterator(0);
    other.restore(walking.save());
    for (size_t i = 123; i < expected.size(); ++i) {
      ASSERT_TRUE(other.next(item));
      ASSERT_EQ(item[0].item<int64_t>(), expected[i]) << i;
    }
    EXPECT_FALSE(other.next(item));
    std::string says;
    for (const std::string& choice : other.report().choices) says += choice;
    EXPECT_SAYS(says, "as in the state that was restored");
    other.reset(0);  // its own again
    Numbers again;
    while (other.next(item)) again.push_back(item[0].item<int64_t>());
    EXPECT_EQ(again, numbers(to, 0));
  }
}

// What will be read is announced before it is, block by block, and each block once.
TEST(BlockShuffle, AnnouncesWhatItWillRead) {
  const Disk spinning{.seek = 8e-3};
  const Dataset dataset = shuffled_from(spinning, 10'007).with_options({.ram_budget = 64 << 20});
  EXPECT_SAYS(choice_of(dataset), "blocks of 10 elements, 16 at a time");
  (void)spinning.taken();
  std::set<int64_t> known;
  Iterator iterator = dataset.iterator(1);
  for (Item item; iterator.next(item);) {
    for (const auto& [first, end] : spinning.taken())
      for (int64_t i = first; i < end; ++i) ASSERT_TRUE(known.insert(i).second) << i << " was announced twice";
    ASSERT_TRUE(known.contains(item[0].item<int64_t>()));
  }
  EXPECT_EQ(known.size(), 10'007U);
}

TEST(BlockShuffle, ReadsRecordsAndArrays) {
  const Scratch scratch;
  for (int shard = 0; shard < 3; ++shard) {
    formats::RecordWriter writer(scratch / cat("r", shard));
    for (int i = 0; i < 700; ++i) writer.write(cat(shard, "-", i, std::string(static_cast<size_t>(i % 50), 'x')));
    writer.commit();
  }
  const ShuffleOptions blocks{.seed = 4, .order = ShuffleOrder::blocks};
  const Dataset records = tfrecord_dataset({scratch / "r*"}, {.by_place = ByPlace::always});
  const std::vector<std::string> in_order = all_of(records, 0, 9999);
  for (const Dataset& shuffled :
       {records.shuffle(kAutotune, blocks), records.shuffle(kAutotune, {.seed = 4}),
        records.skip(100).shuffle(kAutotune, blocks), records.shard(2, 1).shuffle(kAutotune, blocks)}) {
    const std::vector<std::string> got = all_of(shuffled, 0, 9999);
    EXPECT_EQ(static_cast<int64_t>(std::set<std::string>(got.begin(), got.end()).size()), shuffled.cardinality());
    EXPECT_NE(got, in_order);
  }
  EXPECT_SAYS(choice_of(records.shuffle(kAutotune)), "in full: an element takes");
  check_pipeline(records.shuffle(kAutotune, blocks).batch(100));
  // A file that went away is an error of its elements, not of the choice.
  const Dataset gone = tfrecord_dataset({scratch / "r0"}, {.by_place = ByPlace::always}).shuffle(kAutotune);
  std::filesystem::remove(scratch / "r0");
  EXPECT_SAYS(choice_of(gone), "in full: reads could not be measured");

  std::vector<float> numbers(3000 * 4);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  formats::write_npy(scratch / "a.npy", Tensor::from(numbers, {3000, 4}).array());
  const Dataset rows = npy_dataset({scratch / "a.npy"}, {.load_below = 0});
  EXPECT_SAYS(choice_of(rows.shuffle(kAutotune)), "in full: an element takes");
  const std::vector<std::string> got = all_of(rows.shuffle(kAutotune, blocks), 0, 9999);
  EXPECT_EQ(std::set<std::string>(got.begin(), got.end()).size(), 3000U);
  check_pipeline(rows.shuffle(kAutotune, blocks).batch(100));
  // In Fortran's order the numbers of a row lie apart: no block of rows is in one place.
  std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (3000, 4), }";
  header.resize(118 - 1, ' ');
  std::string bytes = cat("\x93NUMPY\x01", std::string(1, '\0'), "v", std::string(1, '\0'), header, "\n");
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  formats::write_file(scratch / "f.npy", bytes);
  const Dataset scattered = npy_dataset({scratch / "f.npy"}, {.load_below = 0}).shuffle(kAutotune, {.seed = 1});
  EXPECT_EQ(choice_of(scattered), "");
  EXPECT_EQ(all_of(scattered, 0, 9999).size(), 3000U);
}

}  // namespace
}  // namespace brio::data
