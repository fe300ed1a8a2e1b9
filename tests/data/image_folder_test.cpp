#include "brio/data/sources/image_folder.h"

#include <filesystem>
#include <fstream>

#include "brio/base/error.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/file.h"
#include "brio/formats/jpeg.h"
#include "brio/formats/png.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/random/random.h"
#include "brio/runtime/evaluate.h"
#include "tests/data/battery.h"
#include "tests/data/many_files.h"
#include "tests/formats/picture_golden.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using formats::Scratch;

template <typename E, typename F>
std::string message(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::string picture(int64_t height, int64_t width, int seed, bool jpeg) {
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < height * width * 3; ++i) pixels.push_back(static_cast<uint8_t>((i * 7 + seed * 31) % 251));
  const auto stride = static_cast<size_t>(width * 3);
  return jpeg ? formats::encode_jpeg(pixels.data(), stride, {height, width, 3})
              : formats::encode_png(pixels.data(), stride, {height, width, 3}, u8);
}

// Three classes of five pictures of several sizes, and what is none.
void fill(const Scratch& scratch) {
  int n = 0;
  for (const char* name : {"cat", "dog", "eel"}) {
    std::filesystem::create_directories(scratch / name);
    for (int i = 0; i < 5; ++i, ++n)
      formats::write_file(scratch / name + "/" + std::to_string(i) + (i % 2 ? ".JPG" : ".png"),
                          picture(20 + n, 33 - n, n, i % 2));
    formats::write_file(scratch / name + "/notes.txt", "no picture");
  }
  std::filesystem::create_directories(scratch / ".hidden");
  formats::write_file(scratch / ".hidden/0.png", picture(9, 9, 0, false));
}

TEST(ImageFolder, LabelsAreTheFolders) {
  const Scratch scratch;
  fill(scratch);
  const ImageFolder all = image_folder(scratch.path(), {.batch_size = 4, .image_size = {10, 12}, .shuffle = false});
  EXPECT_EQ(all.class_names, (std::vector<std::string>{"cat", "dog", "eel"}));
  EXPECT_EQ(all.file_paths.size(), 15U);
  EXPECT_EQ(all.cardinality(), 4);
  Iterator iterator = all.iterator();
  Item item;
  std::vector<int32_t> labels;
  while (iterator.next(item)) {
    EXPECT_EQ(item[0].shape()[1], 10);
    for (const int32_t label : item[1].to_vector<int32_t>()) labels.push_back(label);
  }
  EXPECT_EQ(labels, (std::vector<int32_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
  check_pipeline(all);
  check_pipeline(image_folder(scratch.path(), {.batch_size = 4, .image_size = {10, 12}, .seed = 3}));
  check_pipeline(
      image_folder(scratch.path(), {.batch_size = 0, .image_size = {10, 12}, .pad_to_aspect_ratio = true}));
}

// Each way of resizing is what the recorded ops make of the decoded picture. Those find places in float64, while
// TensorFlow and we here find them in float32: a difference of 1e-6 of a pixel, on a scale of 255.
TEST(ImageFolder, ResizesAsTheOpsDo) {
  const Scratch scratch;
  fill(scratch);
  for (const auto method : {image::Interpolation::bilinear, image::Interpolation::nearest, image::Interpolation::area,
                            image::Interpolation::bicubic}) {
    const ImageFolder folder = image_folder(
        scratch.path(), {.batch_size = 0, .image_size = {13, 40}, .shuffle = false, .interpolation = method});
    Iterator iterator = folder.iterator();
    Item item;
    for (const std::string& path : folder.file_paths) {
      ASSERT_TRUE(iterator.next(item));
      const Tensor whole(formats::decode_picture(formats::read_file(path), {path}, {.channels = 3}));
      const Tensor expected = cast(image::resize(whole, 13, 40, {.interpolation = method}), f32);
      const std::vector<float> a = item[0].to_vector<float>(), b = expected.to_vector<float>();
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-3) << path << " " << i;
    }
  }
}

TEST(ImageFolder, SplitsWithoutOverlap) {
  const Scratch scratch;
  fill(scratch);
  ImageFolderOptions options{.seed = 5, .validation_split = 0.3, .subset = Subset::training};
  std::vector<std::string> both = image_folder(scratch.path(), options).file_paths;
  EXPECT_EQ(both.size(), 11U);
  options.subset = Subset::validation;
  const std::vector<std::string> held = image_folder(scratch.path(), options).file_paths;
  EXPECT_EQ(held.size(), 4U);
  both.insert(both.end(), held.begin(), held.end());
  std::sort(both.begin(), both.end());
  EXPECT_EQ(std::unique(both.begin(), both.end()), both.end());
}

TEST(ImageFolder, SaysWhatIsWrong) {
  const Scratch scratch;
  fill(scratch);
  auto invalid = [&](const ImageFolderOptions& options) {
    return message<InvalidArgument>([&] { image_folder(scratch.path(), options); });
  };
  EXPECT_SAYS(invalid({.class_names = {"cat", "dgo"}}), "no subdirectory of that name; it has: cat, dog, eel");
  EXPECT_SAYS(invalid({.label_mode = LabelMode::binary}), "binary needs two classes; there are 3");
  EXPECT_SAYS(invalid({.batch_size = -1}), "batch_size is -1");
  EXPECT_SAYS(invalid({.image_size = {0, 5}}), "image_size is (0, 5)");
  EXPECT_SAYS(invalid({.validation_split = 0.5}), "together or not at all");
  EXPECT_SAYS(invalid({.validation_split = 1.5, .subset = Subset::training}), "validation_split is 1.5");
  EXPECT_SAYS(invalid({.validation_split = 0.5, .subset = Subset::training}), "needs a seed");
  EXPECT_SAYS(invalid({.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}), "exclude each other");
  EXPECT_SAYS(invalid({.inferred = false, .labels = {1, 2}}), "2 labels were given for the 16 files");
  EXPECT_SAYS(message<ResourceError>([&] { image_folder(scratch / "none"); }), "it cannot be listed");
  std::filesystem::create_directories(scratch / "empty/a");
  EXPECT_SAYS(message<InvalidArgument>([&] { image_folder(scratch / "empty"); }), "holds no files of the kinds .bmp");
}

TEST(ImageFolder, ABrokenPictureIsNamed) {
  const Scratch scratch;
  fill(scratch);
  const std::string path = scratch / "dog/1.JPG", good = formats::read_file(path);
  formats::write_file(path, good.substr(0, good.size() / 2));
  const ImageFolder folder = image_folder(scratch.path(), {.batch_size = 5, .shuffle = false});
  Iterator iterator = folder.iterator();
  Item item;
  ASSERT_TRUE(iterator.next(item));
  EXPECT_SAYS(message<formats::DataError>([&] { iterator.next(item); }), path + ": at byte ");
  ASSERT_TRUE(iterator.next(item));  // the rest follows
  std::filesystem::remove(path);
  EXPECT_SAYS(message<ResourceError>([&] { all_of(folder); }), path + ": it cannot be opened");
}

TEST(ImageFolder, BrokenPicturesCanBeLeftOutAndAreReported) {
  const Scratch scratch;
  fill(scratch);
  const std::string path = scratch / "dog/1.JPG";
  formats::write_file(path, formats::read_file(path).substr(0, 50));
  const ImageFolder folder =
      image_folder(scratch.path(), {.batch_size = 4, .image_size = {8, 8}, .seed = 1, .on_error = OnError::skip});
  const auto all = static_cast<int64_t>(folder.file_paths.size());
  Iterator iterator = folder.iterator(0);
  for (uint64_t epoch = 0; epoch < 3; iterator.reset(++epoch)) {
    int64_t pictures = 0;
    for (Item item; iterator.next(item); pictures += item[0].shape()[0])
      EXPECT_EQ(item[0].shape()[0], std::min<int64_t>(4, all - 1 - pictures));  // batches stay full
    EXPECT_EQ(pictures, all - 1);
  }
  const Skipped skipped = iterator.report().skipped;
  EXPECT_EQ(skipped.count, 3);
  ASSERT_EQ(skipped.first.size(), 1U);
  EXPECT_EQ(skipped.first[0].times, 3);
  EXPECT_SAYS(skipped.first[0].why, path + ": at byte ");
  check_pipeline(folder);
}

TEST(ImageFolder, LinksInACircleEnd) {
  const Scratch scratch;
  fill(scratch);
  std::filesystem::create_directory_symlink(scratch.path(), scratch / "cat/up");
  std::filesystem::create_directory_symlink(scratch / "dog", scratch / "cat/other");
  EXPECT_EQ(image_folder(scratch.path(), {.shuffle = false}).file_paths.size(), 15U);
  const ImageFolder followed = image_folder(scratch.path(), {.shuffle = false, .follow_links = true});
  EXPECT_GT(followed.file_paths.size(), 20U);
  EXPECT_LT(followed.file_paths.size(), 60U);
}

// Where every directory links to every other, the ways through them are countless.
TEST(ImageFolder, LinksInAThicketAreAnError) {
  const Scratch scratch;
  fill(scratch);
  for (int i = 0; i < 16; ++i) {
    std::filesystem::create_directories(scratch / cat("eel/", i));
    for (int k = 0; k < 16; ++k)
      std::filesystem::create_directory_symlink(scratch / cat("eel/", k), scratch / cat("eel/", i, "/to", k));
  }
  EXPECT_EQ(image_folder(scratch.path(), {.shuffle = false}).file_paths.size(), 15U);
  EXPECT_SAYS(message<ResourceError>([&] { image_folder(scratch.path(), {.follow_links = true}); }),
              "links behind links lead to more than 5000 directories; set follow_links to false");
}

// A link to itself, a link to nothing, and a name that is no UTF-8.
TEST(ImageFolder, OddNamesAndLinksHaveTheirPlaces) {
  const Scratch scratch;
  fill(scratch);
  std::filesystem::rename(scratch / "cat/0.png", scratch / "cat/\xff\xfe.png");
  std::filesystem::rename(scratch / "eel", scratch / "\xc3(");
  std::filesystem::create_symlink("self.png", scratch / "dog/self.png");
  std::filesystem::create_symlink("nothing", scratch / "dog/void.png");
  const ImageFolder folder = image_folder(
      scratch.path(), {.batch_size = 0, .image_size = {4, 4}, .shuffle = false, .on_error = OnError::skip});
  EXPECT_EQ(folder.class_names, (std::vector<std::string>{"cat", "dog", "\xc3("}));
  ASSERT_EQ(folder.file_paths.size(), 17U);
  EXPECT_EQ(folder.file_paths[4], scratch / "cat/\xff\xfe.png");
  Iterator iterator = folder.iterator();
  Item item;
  int64_t pictures = 0;
  for (; iterator.next(item); ++pictures) EXPECT_EQ(item[0].shape(), (Shape{4, 4, 3}));
  EXPECT_EQ(pictures, 15);
  const Skipped skipped = iterator.report().skipped;
  ASSERT_EQ(skipped.first.size(), 2U);
  EXPECT_SAYS(skipped.first[0].why, "self.png: it cannot be opened: Too many levels of symbolic links");
  EXPECT_SAYS(skipped.first[1].why, "void.png: it cannot be opened: No such file");
}

// A million in `make soak`.
TEST(ImageFolder, AHundredThousandFiles) {
  const Scratch scratch;
  make_many_pictures(scratch.path(), 100'000);
  const ImageFolder folder = image_folder(scratch.path(), {.image_size = {2, 2}, .seed = 1});
  EXPECT_EQ(folder.file_paths.size(), 100'000U);
  EXPECT_EQ(folder.cardinality(), 100'000 / 32);
  Iterator iterator = folder.iterator();
  Item item;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(iterator.next(item));
    EXPECT_EQ(item[0].shape(), (Shape{32, 2, 2, 3}));
  }
  EXPECT_LT(iterator.save().size(), 100U);
}

// numpy.random.RandomState(7).shuffle(list(range(10)))
TEST(ImageFolder, ShufflesAsNumpy) {
  EXPECT_EQ(numpy_shuffled(10, 7), (std::vector<size_t>{8, 5, 0, 2, 1, 9, 7, 3, 6, 4}));
}

TEST(ImageFolder, IsKerasOnPhotos) {
  const std::string directory = formats::data_path("clothing/validation");
  if (!std::filesystem::exists(directory)) GTEST_SKIP() << directory << " is not there; set BRIO_DATA";
  for (const golden::Case& c : golden::load("folders.json")) {
    SCOPED_TRACE(c.name);
    if (c.has("first")) {
      const ImageFolder split =
          image_folder(directory, {.seed = 7,
                                   .validation_split = 0.3,
                                   .subset = c.name == "split/training" ? Subset::training : Subset::validation});
      EXPECT_EQ(static_cast<double>(split.file_paths.size()), c.number("count"));
      std::string first;
      for (size_t i = 0; i < 12; ++i)
        first += cat(i ? "\n" : "", std::filesystem::relative(split.file_paths[i], directory).string());
      EXPECT_EQ(first, c.text("first"));
      continue;
    }
    const std::vector<double>& shape = c.input("shape").data;
    ImageFolderOptions options{.batch_size = 3,
                               .image_size = {static_cast<int64_t>(shape[1]), static_cast<int64_t>(shape[2])},
                               .shuffle = false};
    if (c.has("interpolation")) options.interpolation = image::interpolation_named(c.text("interpolation"));
    options.crop_to_aspect_ratio = c.has("crop_to_aspect_ratio");
    options.pad_to_aspect_ratio = c.has("pad_to_aspect_ratio");
    if (c.has("color_mode")) options.color_mode = ColorMode::grayscale;
    if (c.has("class_names")) options.class_names = {"hat", "dress"};
    if (c.has("label_mode"))
      options.label_mode = c.text("label_mode") == "categorical" ? LabelMode::categorical
                           : c.text("label_mode") == "binary"    ? LabelMode::binary
                                                                 : LabelMode::none;
    Iterator iterator = image_folder(directory, options).iterator();
    Item item;
    ASSERT_TRUE(iterator.next(item));
    for (size_t axis = 0; axis < shape.size(); ++axis)
      EXPECT_EQ(static_cast<double>(item[0].shape()[static_cast<int>(axis)]), shape[axis]);
    const std::vector<float> pixels = item[0].to_vector<float>();
    const std::vector<double>& expected = c.output("pixels").data;
    const size_t step = std::max<size_t>(1, pixels.size() / 150);
    // TensorFlow's bicubic weights come from a table of 1,024 places between two pixels: half a step off, where the
    // kernel's slope is 1.5 at most.
    const double table = options.interpolation == image::Interpolation::bicubic ? 255 * 1.5 / 2048 : 0;
    // Other kernels are recorded ops, which find places in float64; TensorFlow's are 2^-15 of a pixel off at pixel
    // 400.
    const double places = options.interpolation == image::Interpolation::bilinear ? 0 : 255. / 32768;
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(pixels[i * step], expected[i], 1e-5 * std::abs(expected[i]) + 1e-6 * 255 + table + places)
          << "pixel " << i;
    if (!c.outputs.count("labels")) {
      EXPECT_EQ(item.size(), 1U);
      continue;
    }
    const std::vector<float> labels = cast(item[1], f32).to_vector<float>();
    EXPECT_EQ(std::vector<double>(labels.begin(), labels.end()), c.output("labels").data);
  }
}

}  // namespace
}  // namespace brio::data
