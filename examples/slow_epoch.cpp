// "My epoch takes 236 hours": the program of that complaint, and what each remedy makes of it. slow_epoch [FOLDER];
// docs/slow-epoch.md has its numbers for a folder of photos.
#include <brio/brio.h>
#include <brio/data/sources/sources.h>
#include <brio/formats/decode_picture.h>
#include <brio/formats/example.h>
#include <brio/formats/file.h>
#include <brio/formats/jpeg.h>
#include <brio/formats/record_index.h>
#include <brio/formats/tfrecord.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

using namespace brio;

// Some noise, where no photos are at hand.
std::string make_pictures() {
  const std::string folder = cat(std::filesystem::temp_directory_path().string(), "/brio-epoch-", getpid());
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(folder + "/" + name);
    for (int i = 0; i < 16; ++i) {
      const auto pixels = cast(random::uniform({300, 400, 3}, {.high = 255}), u8).to_vector<uint8_t>();
      formats::write_file(cat(folder, "/", name, "/", i, ".jpg"),
                          formats::encode_jpeg(pixels.data(), 1200, {300, 400, 3}));
    }
  }
  return folder;
}

// A batch as it is or its mirror image, each half of the time.
std::tuple<Tensor, Tensor> maybe_flipped(const Tensor& x, const Tensor& y) {
  return {select(random::uniform({}) < 0.5f, image::flip_left_right(x), x), y};
}

double pictures_a_second(const data::Dataset& batches) {
  const auto began = std::chrono::steady_clock::now();
  double pictures = 0;
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    data::Iterator iterator = batches.iterator(epoch);
    for (data::Item item; iterator.next(item);) pictures += static_cast<double>(item[0].shape()[0]);
  }
  return pictures / std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// One picture after the other, by the thread that trains: read, decode, resize, resize again, flip.
double by_hand(const std::vector<std::string>& paths) {
  const auto began = std::chrono::steady_clock::now();
  for (const std::string& path : paths) {
    const Tensor picture(formats::decode_picture(formats::read_file(path), {path}, {.channels = 3}));
    const Tensor small = image::resize(image::resize(picture, 256, 256), 224, 224);
    (void)std::get<0>(maybe_flipped(small, small)).array();
  }
  return static_cast<double>(paths.size()) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// What `brio pack --decode --resize 224x224` does: raw pictures in a record file with an index.
std::string packed(const data::ImageFolder& photos, const std::string& directory) {
  const std::string file = directory + "/photos.tfrecord";
  formats::RecordWriter writer(file);
  data::Iterator iterator = photos.iterator(0);
  for (data::Item item; iterator.next(item);) {
    const Tensor pixels = cast(item[0], u8);
    const auto labels = item[1].to_vector<int32_t>();
    for (size_t i = 0; i < labels.size(); ++i) {
      formats::Example example;
      example.features["image"] =
          formats::Feature::bytes({std::string(pixels.array().as<char>() + i * 224 * 224 * 3, 224 * 224 * 3)});
      example.features["label"] = formats::Feature::ints({labels[i]});
      writer.write(example.serialize());
    }
  }
  writer.commit();
  formats::write_index(writer.index(), formats::InputFile(file));
  return file;
}

int main(int argc, char** argv) {
  set_random_seed(1);
  const std::string folder = argc > 1 ? argv[1] : make_pictures();
  const std::string scratch = cat(std::filesystem::temp_directory_path().string(), "/brio-packed-", getpid());
  std::filesystem::create_directories(scratch);

  const auto large = data::image_folder(folder, {.image_size = {256, 256}, .seed = 1});
  const auto exact = data::image_folder(folder, {.image_size = {224, 224}, .seed = 1});
  const std::string file = packed(exact, scratch);
  const data::Dataset records = data::parse_example(
      data::tfrecord_dataset({file}),
      {{"image", formats::FixedLen{{224, 224, 3}, u8, {}, true}}, {"label", formats::FixedLen{{}, i64}}});
  auto again = [](const Tensor& x, const Tensor& y) { return maybe_flipped(image::resize(x, 224, 224), y); };
  auto flip = [](const Tensor& x, const Tensor& y) { return maybe_flipped(x, y); };

  struct Step {
    const char* what;
    double rate;
  };
  const Step steps[] = {
      {"one after the other, by hand", by_hand(large.file_paths)},
      {"image_folder of 256 x 256, resized again in map", pictures_a_second(large.map(again))},
      {"image_folder of 224 x 224", pictures_a_second(exact.map(flip))},
      {"packed once: raw pictures in records",
       pictures_a_second(records.shuffle(data::kAutotune).batch(32).map(flip))},
      {"kept in memory", pictures_a_second(records.cache().shuffle(data::kAutotune).batch(32).map(flip))},
  };
  std::printf("%-50s %12s %12s\n", "", "pictures/s", "an epoch");
  for (const Step& step : steps)
    std::printf("%-50s %12.0f %10.1f h\n", step.what, step.rate, 236 * steps[0].rate / step.rate);
  std::filesystem::remove_all(scratch);
  if (argc == 1) std::filesystem::remove_all(folder);
}
