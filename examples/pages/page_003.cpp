// "Why is my dataset training so slow (236 hours per epoch)?": its three listings; examples/slow_epoch.cpp measures
// what each is worth.
#include <brio/data/sources/sources.h>
#include <brio/formats/decode_picture.h>
#include <brio/ops/image/image_random.h>

#include "listings.h"

using namespace brio;

// 1: pictures are resized twice and flipped at every epoch; by threads, and not in the way of the step.
void preprocess_in_the_loop(const Pictures& pictures) {
  const data::Dataset batches =
      data::image_folder(pictures.folder, {.label_mode = data::LabelMode::binary, .image_size = {256, 256}})
          .map([](const Tensor& x, const Tensor& y) {
            return std::tuple(image::random_flip_left_right(image::resize(x, 224, 224)), y);
          })
          .prefetch();
  const nn::Sequential model = picture_model(1, "sigmoid");
  model.compile({.optimizer = nn::Adam(0.01), .loss = "binary_crossentropy"});
  expect(falls(model.fit(batches, {.epochs = 5, .verbose = 2})["loss"]), "pictures of a folder");
}

// 2: once, before training.
void preprocess_before(const Pictures& pictures) {
  std::vector<Tensor> small;
  for (const std::string& path : pictures.paths) {
    const Tensor picture(formats::decode_picture(formats::read_file(path), {path}, {.channels = 3}));
    small.push_back(cast(image::resize(picture, 224, 224), u8));
  }
  const Tensor labels = Tensor::from(pictures.labels, {static_cast<int64_t>(small.size())});
  const data::Dataset batches = data::from_tensor_slices({stack(small), labels}).batch(64).prefetch();
  const nn::Sequential model = picture_model(2, "softmax");
  model.compile({.optimizer = nn::Adam(0.01), .loss = "sparse_categorical_crossentropy"});
  expect(falls(model.fit(batches, {.epochs = 5, .verbose = 2})["loss"]), "pictures in memory");
}

// 3: from records, which `brio pack` makes of a folder.
void read_records(const Pictures& pictures) {
  const data::Dataset batches =
      data::parse_example(
          data::tfrecord_dataset({pictures.records()}),
          {{"image", formats::FixedLen{{224, 224, 3}, u8, {}, true}}, {"label", formats::FixedLen{{}, i64}}})
          .map([](const Tensor& image, const Tensor& label) { return std::tuple(image, label); })
          .shuffle(10'000)
          .batch(64)
          .prefetch();
  const nn::Sequential model = picture_model(2, "softmax");
  model.compile({.optimizer = nn::Adam(0.01), .loss = "sparse_categorical_crossentropy"});
  expect(falls(model.fit(batches, {.epochs = 5, .verbose = 2})["loss"]), "pictures of records");
}

int main() {
  set_random_seed(1);
  const Pictures pictures;
  preprocess_in_the_loop(pictures);
  preprocess_before(pictures);
  read_records(pictures);
}
