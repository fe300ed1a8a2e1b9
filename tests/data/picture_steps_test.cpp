// Flips and arithmetic of pictures: in one pass with resizing, apart from it, and as the recorded ops do them.
#include "brio/data/pictures/picture_steps.h"

#include <filesystem>

#include "brio/data/sources/image_folder.h"
#include "brio/formats/file.h"
#include "brio/formats/png.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/image/image.h"
#include "brio/ops/image/image_color.h"
#include "brio/ops/random/random.h"
#include "brio/ops/shapes/shape_ops.h"
#include "tests/data/expect.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using formats::Scratch;

constexpr int kPictures = 14;

void fill_with_steps(const Scratch& scratch) {
  for (int n = 0; n < kPictures; ++n) {
    const int64_t height = 20 + n % 5, width = 33 - n;
    std::vector<uint8_t> pixels;
    for (int64_t i = 0; i < height * width * 3; ++i) pixels.push_back(static_cast<uint8_t>((i * i + n * 31) % 251));
    const std::string folder = scratch / (n % 2 ? "cat" : "dog");
    std::filesystem::create_directories(folder);
    formats::write_file(folder + "/" + std::to_string(n) + ".png",
                        formats::encode_png(pixels.data(), static_cast<size_t>(width * 3), {height, width, 3}, u8));
  }
}

// The same elements, behind a step that no other sees through.
Dataset apart(const Dataset& pictures) {
  return pictures.map(
      [](Sample& sample) {
        for (size_t i = 0; i < sample.size(); ++i) sample.pass(i, i);
      },
      {.structure = pictures.structure()});
}

std::vector<std::string> stages(const Dataset& dataset) {
  std::vector<std::string> names;
  for (const StageReport& stage : dataset.iterator(0).report().stages) names.push_back(stage.name);
  return names;
}

const NormalizeOptions kNormalize{.mean = {120, 110.5f, 99}, .deviation = {58, 57, 56.25f}};

TEST(PictureSteps, AreOnePassWithTheSameBits) {
  const Scratch scratch;
  fill_with_steps(scratch);
  for (const DType dtype : {f32, u8})
    for (const auto method : {image::Interpolation::bilinear, image::Interpolation::bicubic})
      for (const int fit : {0, 1, 2}) {
        SCOPED_TRACE(cat(dtype, " ", name_of(method), " ", fit));
        const Dataset pictures = image_folder(scratch.path(), {.batch_size = 0,
                                                               .image_size = {11, 13},
                                                               .seed = 4,
                                                               .interpolation = method,
                                                               .crop_to_aspect_ratio = fit == 1,
                                                               .pad_to_aspect_ratio = fit == 2,
                                                               .dtype = dtype});
        auto steps = [](const Dataset& from, auto between) {
          const Dataset flipped = random_flip(between(from), {.vertical = true, .seed = 8});
          const Dataset normal = normalize(between(flipped), kNormalize);
          return rescale(between(normal), {.scale = 0.3f, .offset = -1}).batch(4);
        };
        const Dataset fused = steps(pictures, [](const Dataset& d) { return d; });
        const Dataset plain = steps(pictures, apart);
        EXPECT_EQ(stages(fused),
                  (std::vector<std::string>{"read", "shuffle", "decode", "resize+flip+normalize+rescale", "batch"}));
        EXPECT_EQ(stages(plain).size(), 11U);
        EXPECT_EQ(all_of(fused, 2), all_of(plain, 2));
        EXPECT_NE(all_of(fused, 2), all_of(fused, 3));
        check_pipeline(fused);
      }
}

TEST(PictureSteps, DoWhatTheRecordedOpsDo) {
  const Scratch scratch;
  fill_with_steps(scratch);
  for (const DType dtype : {f32, u8}) {
    const Dataset pictures =
        image_folder(scratch.path(), {.batch_size = 0, .image_size = {11, 13}, .shuffle = false, .dtype = dtype});
    const Tensor mean = Tensor::from(kNormalize.mean, {3}), deviation = Tensor::from(kNormalize.deviation, {3});
    const std::vector<Item> before = pictures.as_vector(), normal = normalize(pictures, kNormalize).as_vector(),
                            scaled = rescale(pictures, {.scale = 0.3f, .offset = -1}).as_vector();
    ASSERT_EQ(normal.size(), static_cast<size_t>(kPictures));
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i][0].dtype(), dtype);
      EXPECT_EQ(normal[i][0].to_vector<float>(), image::normalize(before[i][0], mean, deviation).to_vector<float>());
      EXPECT_EQ(scaled[i][0].to_vector<float>(), (cast(before[i][0], f32) * 0.3f + -1.f).to_vector<float>());
      EXPECT_EQ(fingerprint({normal[i][1]}), fingerprint({before[i][1]}));
    }
  }
}

// Every picture is as it was or turned, about half of them, by draws of each epoch's own.
TEST(PictureSteps, FlipHalfOfThePictures) {
  const Tensor noise = cast(random::uniform({400, 5, 7, 3}, {.seed = 1}) * 255.0, u8);
  for (const DType dtype : {f32, u8}) {
    const Dataset pictures = from_tensor_slices({cast(noise, dtype)});
    const std::vector<Item> before = pictures.as_vector();
    for (const bool vertical : {false, true}) {
      const Dataset flipped = random_flip(pictures, {.horizontal = !vertical, .vertical = vertical, .seed = 3});
      int turned = 0;
      Iterator iterator = flipped.iterator(0);
      for (const Item& was : before) {
        Item is;
        ASSERT_TRUE(iterator.next(is));
        if (fingerprint(is) == fingerprint(was)) continue;
        ++turned;
        const Tensor expected = vertical ? image::flip_up_down(was[0]) : image::flip_left_right(was[0]);
        ASSERT_EQ(fingerprint(is), fingerprint({expected}));
      }
      EXPECT_GT(turned, 150);
      EXPECT_LT(turned, 250);
      EXPECT_NE(all_of(flipped, 0), all_of(flipped, 1));
      EXPECT_EQ(all_of(flipped, 1), all_of(flipped, 1));
    }
    // Twice by the same draws is not at all.
    EXPECT_EQ(all_of(random_flip(random_flip(pictures, {.seed = 5}), {.seed = 5})), all_of(pictures));
    check_pipeline(random_flip(pictures).batch(30));
  }
}

TEST(PictureSteps, BytesAreRoundedFloats) {
  const Scratch scratch;
  fill_with_steps(scratch);
  ImageFolderOptions options{.batch_size = 0, .image_size = {11, 13}, .shuffle = false};
  const std::vector<Item> floats = image_folder(scratch.path(), options).as_vector();
  options.dtype = u8;
  const std::vector<Item> bytes = image_folder(scratch.path(), options).as_vector();
  for (size_t i = 0; i < floats.size(); ++i) {
    const std::vector<float> exact = floats[i][0].to_vector<float>();
    const std::vector<uint8_t> rounded = bytes[i][0].to_vector<uint8_t>();
    ASSERT_EQ(exact.size(), rounded.size());
    for (size_t k = 0; k < exact.size(); ++k) ASSERT_EQ(std::lround(exact[k]), rounded[k]);
  }
  // Bicubic goes beyond what a byte holds.
  options.interpolation = image::Interpolation::bicubic;
  options.image_size = {50, 60};
  for (const Item& item : image_folder(scratch.path(), options).as_vector()) EXPECT_EQ(item[0].dtype(), u8);
  check_pipeline(image_folder(scratch.path(), {.batch_size = 4, .image_size = {11, 13}, .seed = 2, .dtype = u8}));
}

TEST(PictureSteps, SayWhatIsWrong) {
  const Dataset pictures = from_tensor_slices({zeros({4, 5, 7, 3})});
  EXPECT_SAYS(invalid([&] { random_flip(pictures, {.horizontal = false}); }), "neither horizontal nor vertical");
  EXPECT_SAYS(invalid([&] { normalize(pictures, {.mean = {}}); }), "need a number");
  EXPECT_SAYS(invalid([&] { normalize(pictures, {.deviation = {1, 0, 1}}); }), "a deviation is 0");
  EXPECT_SAYS(invalid([&] {
                all_of(normalize(pictures, {.mean = {1, 2}}));
              }),
              "numbers for 2 channels, but a picture has 3");
  EXPECT_SAYS(
      invalid([&] { all_of(random_flip(pictures.batch(2))); }),
      "[flip] takes single pictures (height, width, channels) of float32 or uint8, but part 0 is f32[2,5,7,3]; "
      "put it before batch()");
  EXPECT_SAYS(invalid([&] { all_of(rescale(from_tensor_slices({zeros({4, 5, 7, 3}, i32)}), {})); }), "i32[5,7,3]");
  const Scratch scratch;
  fill_with_steps(scratch);
  EXPECT_SAYS(invalid([&] { image_folder(scratch.path(), {.dtype = i32}); }),
              "dtype is int32; pictures are float32 or uint8");
}

}  // namespace
}  // namespace brio::data
