// Batches of pictures that a device makes: the emulated GPU's JPEG engines have libjpeg's samples, so what the GPU's
// kernel makes of them is, bit for bit, what the host makes of the file. Needs a device that decodes pictures:
// scripts/emulate_cuda (`make test-cuda-emulated`). On a real GPU samples differ a little, and so may pixels.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/brio.h"
#include "brio/data/pictures/device_choice.h"
#include "brio/data/pictures/device_decoder.h"
#include "brio/data/pictures/picture_steps.h"
#include "brio/data/sources/image_folder.h"
#include "brio/formats/file.h"
#include "brio/formats/jpeg.h"
#include "brio/formats/plain_jpeg.h"
#include "brio/formats/png.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/device_pictures.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using formats::Scratch;

std::string jpeg_of(int64_t height, int64_t width, int seed, const formats::JpegEncodeOptions& options = {}) {
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < height * width * 3; ++i) {
    const int64_t y = i / 3 / width, x = i / 3 % width;
    pixels.push_back(static_cast<uint8_t>((x * (3 + i % 3) + y * (seed % 5 + 1) + i * seed % 23) % 256));
  }
  return formats::encode_jpeg(pixels.data(), static_cast<size_t>(width * 3), {height, width, 3}, options);
}

std::string bits_of(const Item& item) {
  std::string bits;
  for (const Tensor& part : item) {
    const Array& array = part.array();
    bits += cat(array.aval.shape, ":");
    bits.append(array.as<char>(), array.aval.bytes());
  }
  return bits;
}

// The device of the test, where it decodes pictures by itself.
class DevicePicturesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const name = std::getenv("BRIO_DEVICE");
    if (!name || std::string_view(name).substr(0, 4) != "gpu:") GTEST_SKIP() << "BRIO_DEVICE names no GPU";
    device_ = &registry().device(name);
    if (const std::string why = decoder_obstacle(*device_); !why.empty()) GTEST_SKIP() << why;
    real_ = !std::getenv("BRIO_CUDA_GRAPHS");
  }
  // Exact on the emulated GPU. Elsewhere decoders differ by what they round.
  // `by_host`: how many of them the host is to make; below 0: that depends on the order.
  void expect_equal(const Dataset& dataset, int64_t by_host) {
    Iterator here = dataset.iterator(0), there = dataset.iterator(0, *device_, MadeBy::device);
    Item a, b;
    size_t batches = 0;
    for (; here.next(a); ++batches) {
      ASSERT_TRUE(there.next(b));
      ASSERT_EQ(a.size(), b.size());
      for (size_t part = 0; part < a.size(); ++part) {
        ASSERT_EQ(a[part].aval(), b[part].aval());
        const std::vector<float> x = cast(a[part], f32).to_vector<float>(), y = cast(b[part], f32).to_vector<float>();
        if (!real_ || part > 0) {
          EXPECT_EQ(x, y) << "batch " << batches << " part " << part;
        }
      }
      ASSERT_NE(b[0].impl()->array.buffer->memory().device(), nullptr);
    }
    EXPECT_FALSE(there.next(b));
    EXPECT_GT(batches, 0u);
    const Report report = there.report();
    ASSERT_EQ(report.choices.size(), 1u);
    const std::string counted = by_host < 0 ? " by the host" : cat("and ", by_host, " by the host");
    EXPECT_NE(report.choices[0].find(counted), std::string::npos) << report.choices[0];
  }

  Device* device_ = nullptr;
  bool real_ = false;
};

// Seven of them are as a device takes them; the others are not, each for its reason.
void fill_kinds(const Scratch& scratch) {
  std::filesystem::create_directories(scratch / "a");
  std::filesystem::create_directories(scratch / "b");
  const auto put = [&](const std::string& name, const std::string& bytes) {
    formats::write_file(scratch / name, bytes);
  };
  put("a/0.jpg", jpeg_of(40, 50, 1));
  put("a/1.jpg", jpeg_of(41, 53, 2));
  put("a/2.jpg", jpeg_of(64, 33, 3, {.chroma_downsampling = false}));
  put("a/3.jpg", jpeg_of(100, 70, 4));
  put("b/0.jpg", jpeg_of(17, 16, 5));
  put("b/1.jpg", jpeg_of(31, 90, 6, {.quality = 30}));
  put("b/2.jpg", jpeg_of(48, 49, 7));
  put("b/3.jpg", jpeg_of(60, 47, 8, {.progressive = true}));
  put("b/4.jpg", jpeg_of(9, 30, 9));  // too low for the engines
  const std::vector<uint8_t> grey(30 * 20, 77);
  put("b/5.jpg", formats::encode_jpeg(grey.data(), 30, {20, 30, 1}));
  put("b/6.png", formats::encode_png(std::vector<uint8_t>(24 * 24 * 3, 99).data(), 72, {24, 24, 3}, u8));
}
constexpr int64_t kByHost = 4;

TEST_F(DevicePicturesTest, AreTheHosts) {
  const Scratch scratch;
  fill_kinds(scratch);
  for (const DType dtype : {f32, u8})
    for (const bool crop : {false, true}) {
      SCOPED_TRACE(cat(dtype, crop ? " cropped" : ""));
      expect_equal(image_folder(scratch.path(), {.batch_size = 4,
                                                 .image_size = {24, 37},
                                                 .shuffle = false,
                                                 .crop_to_aspect_ratio = crop,
                                                 .dtype = dtype}),
                   kByHost);
    }
}

TEST_F(DevicePicturesTest, AreFlippedAndNormalisedAsTheHosts) {
  const Scratch scratch;
  fill_kinds(scratch);
  for (const DType dtype : {f32, u8}) {
    SCOPED_TRACE(cat(dtype));
    const Dataset photos =
        image_folder(scratch.path(), {.batch_size = 0, .image_size = {30, 28}, .seed = 4, .dtype = dtype});
    const Dataset flipped = random_flip(photos, {.horizontal = true, .vertical = true, .seed = 3});
    expect_equal(flipped.batch(5), kByHost);
    expect_equal(normalize(flipped, {.mean = {120, 110, 100}, .deviation = {60, 50, 40}}).batch(3), kByHost);
    expect_equal(rescale(normalize(flipped, {.mean = {0.5f}, .deviation = {0.25f}}), {.scale = 2, .offset = 1})
                     .batch(4)
                     .take(2),
                 -1);
  }
}

TEST_F(DevicePicturesTest, AllSamplingsAreSmoothedAsLibjpegDoes) {
  // 4:2:0 as it comes from the encoder, with its sampling factors exchanged: the blocks mean something else then, and
  // are as good as any.
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "a");
  int plain = 0;
  for (const int factors : {0x11, 0x21, 0x12, 0x22}) {
    std::string file = jpeg_of(52, 61, factors, {.chroma_downsampling = true});
    const size_t frame = file.find(std::string("\xff\xc0", 2));
    ASSERT_NE(frame, std::string::npos);
    file[frame + 11] = static_cast<char>(factors);
    const auto jpeg = formats::plain_jpeg(file);
    ASSERT_TRUE(jpeg);
    EXPECT_EQ(jpeg->across, (factors >> 4) - 1);
    EXPECT_EQ(jpeg->down, (factors & 15) - 1);
    formats::write_file(scratch / cat("a/", plain++, ".jpg"), file);
  }
  expect_equal(image_folder(scratch.path(), {.batch_size = 4, .image_size = {52, 61}, .shuffle = false}), 0);
}

// The order, the state and what is read behind a restore: as on the host, from one to the other too.
TEST_F(DevicePicturesTest, GoOnWhereTheyWere) {
  const Scratch scratch;
  fill_kinds(scratch);
  const Dataset dataset = image_folder(scratch.path(), {.batch_size = 2, .image_size = {20, 20}, .seed = 9});
  for (const uint64_t epoch : {0, 3}) {
    std::vector<std::string> all;
    Item item;
    Iterator whole = dataset.iterator(epoch, *device_, MadeBy::device);
    while (whole.next(item)) all.push_back(bits_of(item));
    ASSERT_EQ(all.size(), 6u);
    Iterator one = dataset.iterator(epoch, *device_, MadeBy::device);
    for (size_t at = 0; at < all.size(); ++at) {
      Iterator other = dataset.iterator(0, *device_, MadeBy::device);
      other.restore(one.save());
      for (size_t k = at; k < all.size(); ++k) {
        ASSERT_TRUE(other.next(item));
        EXPECT_EQ(bits_of(item), all[k]) << "from " << at << " at " << k;
      }
      EXPECT_FALSE(other.next(item));
      if (!real_) {
        Iterator host = dataset.iterator(0);
        host.restore(one.save());
        ASSERT_TRUE(host.next(item));
        EXPECT_EQ(bits_of(item), all[at]);
      }
      ASSERT_TRUE(one.next(item));
    }
  }
}

TEST_F(DevicePicturesTest, ABrokenFileIsTheSameError) {
  const Scratch scratch;
  fill_kinds(scratch);
  const std::string path = scratch / "b/2.jpg", good = formats::read_file(path);
  const auto error_of = [](Iterator iterator) {
    try {
      for (Item item; iterator.next(item);) {
      }
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Dataset dataset = image_folder(scratch.path(), {.batch_size = 4, .image_size = {20, 20}, .shuffle = false});
  for (const std::string& bytes :
       {good.substr(0, good.size() / 2), good.substr(0, 30), std::string("no picture"), std::string()}) {
    formats::write_file(path, bytes);
    const std::string here = error_of(dataset.iterator(0));
    EXPECT_NE(here, "no error");
    EXPECT_EQ(error_of(dataset.iterator(0, *device_, MadeBy::device)), here);
  }
}

// Codes that mean nothing, behind a header that is good: the engines refuse the batch, and the host makes all of it.
TEST_F(DevicePicturesTest, ABatchThatIsRefusedIsTheHosts) {
  if (real_) GTEST_SKIP() << "what a real decoder makes of it is its own affair";
  const Scratch scratch;
  fill_kinds(scratch);
  std::string file = formats::read_file(scratch / "a/1.jpg");
  const size_t table = file.find(std::string("\xff\xc4", 2));
  ASSERT_NE(table, std::string::npos);
  file[table + 4] = '\x05';  // a table of another number: the one that the scan asks for is missing
  formats::write_file(scratch / "a/1.jpg", file);
  const Dataset dataset = image_folder(scratch.path(), {.batch_size = 4, .image_size = {20, 20}, .shuffle = false});
  Iterator there = dataset.iterator(0, *device_, MadeBy::device);
  Item item;
  EXPECT_THROW(there.next(item), formats::DataError);
}

TEST_F(DevicePicturesTest, WhatADeviceCannotMakeIsTheHosts) {
  const Scratch scratch;
  fill_kinds(scratch);
  const auto on_host = [&](const Dataset& dataset, const std::string& why) {
    const PictureChoice choice = choose_for_pictures(dataset, *device_, true);
    EXPECT_EQ(choice.batch, nullptr);
    EXPECT_NE(choice.why.find(why), std::string::npos) << choice.why;
    Iterator iterator = dataset.iterator(0, *device_, MadeBy::device);
    Item item;
    ASSERT_TRUE(iterator.next(item));
    EXPECT_EQ(item[0].impl()->array.buffer->memory().device(), nullptr);
  };
  ImageFolderOptions options{.batch_size = 2, .image_size = {20, 20}};
  const auto with = [&](auto change) {
    ImageFolderOptions other = options;
    change(other);
    return image_folder(scratch.path(), other);
  };
  on_host(with([](auto& o) { o.color_mode = ColorMode::grayscale; }), "three channels");
  on_host(with([](auto& o) { o.interpolation = image::Interpolation::area; }), "bilinearly");
  on_host(with([](auto& o) { o.pad_to_aspect_ratio = true; }), "pads");
  on_host(with([](auto& o) { o.reduced_decode = true; }), "full size");
  on_host(with([](auto& o) { o.apply_orientation = true; }), "EXIF");
  on_host(with([](auto& o) { o.on_error = OnError::skip; }), "last step");
  on_host(image_folder(scratch.path(), options).cache(), "last step");
  const Dataset single = with([](auto& o) { o.batch_size = 0; });
  on_host(single, "last step");
}

// What fit and predict are given lies on the device already, and is what they would be given without it.
TEST_F(DevicePicturesTest, TrainAndPredictTheSame) {
  if (real_) GTEST_SKIP() << "pixels differ a little";
  const Scratch scratch;
  fill_kinds(scratch);
  const auto results_with = [&](const char* setting) {
    setenv("BRIO_CUDA_PICTURES", setting, 1);
    random::set_seed(7);
    const nn::Sequential model({nn::InputLayer({8, 8, 3}), nn::Rescaling(1.0 / 255), nn::Flatten(), nn::Dense(1)});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    const Dataset dataset = image_folder(
        scratch.path(), {.label_mode = LabelMode::binary, .batch_size = 4, .image_size = {8, 8}, .seed = 1});
    device_->traffic.bytes_in = 0;
    model.fit(dataset, {.epochs = 2, .verbose = 0});
    const uint64_t bytes = device_->traffic.bytes_in;
    const Dataset ordered = image_folder(
        scratch.path(), {.label_mode = LabelMode::none, .batch_size = 4, .image_size = {8, 8}, .shuffle = false});
    const std::vector<float> predictions = model.predict(ordered).to_vector<float>();
    unsetenv("BRIO_CUDA_PICTURES");
    return std::pair(predictions, bytes);
  };
  const auto [here, copied_here] = results_with("0");
  const auto [there, copied_there] = results_with("1");
  EXPECT_EQ(here, there);
  EXPECT_EQ(here.size(), 11u);
  // Of 22 pictures 14 were not copied.
  EXPECT_EQ(copied_here - copied_there, 14u * 8 * 8 * 3 * sizeof(float));
}

// With "auto" the two are compared once, and the choice is written down: another process makes the same. Without a
// word the host makes them.
TEST_F(DevicePicturesTest, AChoiceIsWrittenDown) {
  const Scratch scratch, cache;
  fill_kinds(scratch);
  const char* const before = std::getenv("BRIO_CACHE");
  const std::string kept = before ? before : "";
  setenv("BRIO_CACHE", cache.path().c_str(), 1);
  const Dataset dataset = image_folder(scratch.path(), {.batch_size = 4, .image_size = {16, 16}, .seed = 1});
  const PictureChoice unasked = choose_for_pictures(dataset, *device_, false);
  setenv("BRIO_CUDA_PICTURES", "auto", 1);
  const PictureChoice first = choose_for_pictures(dataset, *device_, false);
  const std::string written = formats::read_file(cache / "pictures");
  const PictureChoice second = choose_for_pictures(dataset, *device_, false);
  unsetenv("BRIO_CUDA_PICTURES");
  if (before) setenv("BRIO_CACHE", kept.c_str(), 1);
  else unsetenv("BRIO_CACHE");
  EXPECT_EQ(unasked.batch, nullptr);
  EXPECT_NE(first.why.find("pictures a second where the host makes"), std::string::npos) << first.why;
  EXPECT_EQ(first.why, second.why);
  EXPECT_EQ(first.batch, second.batch);
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1) << written;
}

TEST_F(DevicePicturesTest, PassStepsThatLookAtNothing) {
  const Scratch scratch;
  fill_kinds(scratch);
  const Dataset dataset = image_folder(scratch.path(), {.batch_size = 3, .image_size = {20, 20}, .seed = 2})
                              .repeat(2)
                              .prefetch(2)
                              .skip(1);
  expect_equal(dataset.take(5), -1);
}

}  // namespace
}  // namespace brio::data
