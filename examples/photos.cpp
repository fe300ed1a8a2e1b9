// Trains a small network on a folder of pictures whose subfolders are classes, and says where the time of the input
// went. photos [FOLDER]; without one, coloured noise stands in for photos.
#include <brio/brio.h>
#include <brio/formats/file.h>
#include <brio/formats/jpeg.h>

#include <unistd.h>

#include <filesystem>
#include <iostream>

using namespace brio;

// 40 pictures of each of two classes: reddish and bluish.
std::string make_pictures() {
  const std::string folder = cat(std::filesystem::temp_directory_path().string(), "/brio-photos-", getpid());
  for (const char* name : {"blue", "red"}) {
    std::filesystem::create_directories(folder + "/" + name);
    for (int i = 0; i < 40; ++i) {
      const Tensor noise = random::uniform({60, 80, 3}, {.high = 160});
      const Tensor tint = name[0] == 'r' ? Tensor({90, 0, 0}) : Tensor({0, 0, 90});
      const std::vector<uint8_t> pixels = cast(noise + tint, u8).to_vector<uint8_t>();
      formats::write_file(cat(folder, "/", name, "/", i, ".jpg"),
                          formats::encode_jpeg(pixels.data(), 240, {60, 80, 3}));
    }
  }
  return folder;
}

int main(int argc, char** argv) {
  set_random_seed(1);
  const std::string folder = argc > 1 ? argv[1] : make_pictures();
  data::ImageFolderOptions options{.batch_size = 16, .image_size = {32, 32}, .seed = 1, .validation_split = 0.2};
  options.subset = data::Subset::training;
  auto train = data::image_folder(folder, options);
  options.subset = data::Subset::validation;
  auto held = data::image_folder(folder, options);

  // Recorded once, run by the threads of the pipeline.
  auto to_unit = [](const Tensor& x, const Tensor& y) { return std::tuple(x / 255.0, y); };
  nn::Sequential model({nn::Conv2D(8, {3, 3}, {.activation = "relu"}), nn::MaxPooling2D(), nn::Flatten(),
                        nn::Dense(static_cast<int64_t>(train.class_names.size()), {.activation = "softmax"})});
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  nn::FitOptions how{.epochs = 4, .validation_data = {.dataset = held.map(to_unit)}, .verbose = 2};
  auto history = model.fit(train.map(to_unit), how);

  data::Iterator iterator = train.iterator();
  for (data::Item batch; iterator.next(batch);) {
  }
  std::cout << iterator.report().str();
  if (argc > 1) return 0;
  std::filesystem::remove_all(folder);
  return history["val_accuracy"].back() < 0.9;
}
