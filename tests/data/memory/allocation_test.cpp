// In the steady state a sample costs no allocation: a batch of many samples allocates hardly more than one of few.
#include <gtest/gtest.h>

#include "brio/data/dataset.h"
#include "brio/data/sources/image_folder.h"
#include "brio/formats/file.h"
#include "brio/formats/jpeg.h"
#include "brio/runtime/evaluate.h"
#include "tests/counting_new.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

// Of one batch: the least over several runs, since slots grow until each has held its largest batch.
uint64_t allocations_a_batch(const Dataset& batches) {
  Iterator iterator = batches.repeat().iterator(0);
  Item item;
  uint64_t least = UINT64_MAX;
  for (int run = 0; run < 6; ++run) {
    const uint64_t before = counting_new::count;
    for (int i = 0; i < 10; ++i) iterator.next(item);
    least = std::min(least, (counting_new::count - before + 9) / 10);
  }
  return least;
}

// A batch is made in as many pieces as there are threads or fewer, and a piece has a few words of its own.
constexpr uint64_t kOfPieces = 24;

TEST(Allocation, ASampleCostsNone) {
  const Dataset rows = from_tensor_slices({Tensor(Array::allocate({{512, 7}, f32}))});
  const Dataset mapped = rows.shuffle(512, {.seed = 1}).map([](Sample& s) {
    const float* in = s.read<float>(0);
    float* out = s.write<float>(0, {7});
    for (int i = 0; i < 7; ++i) out[i] = in[i] + s.random().uniform_f32(static_cast<uint64_t>(i));
  });
  for (const Dataset& each : {rows, mapped})
    EXPECT_LE(allocations_a_batch(each.batch(256)), allocations_a_batch(each.batch(4)) + kOfPieces)
        << each.describe();
}

TEST(Allocation, APictureCostsItsFileAlone) {
  const formats::Scratch scratch;
  std::filesystem::create_directories(scratch / "a");
  const std::vector<uint8_t> pixels(50 * 60 * 3, 7);
  for (int i = 0; i < 64; ++i)
    formats::write_file(cat(scratch / "a/", i, ".jpg"), formats::encode_jpeg(pixels.data(), 180, {50, 60, 3}));
  auto photos = [&](int64_t batch) {
    return image_folder(scratch.path(), {.batch_size = batch, .image_size = {20, 20}, .seed = 1});
  };
  // Its name, which an open file keeps for errors.
  EXPECT_LE(allocations_a_batch(photos(64)), allocations_a_batch(photos(4)) + 60 + kOfPieces);
}

}  // namespace
}  // namespace brio::data
