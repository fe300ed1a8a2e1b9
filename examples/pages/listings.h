// What the listings share: a check of what they come to, and small pictures of two kinds, dark and light.
#pragma once

#include <brio/brio.h>
#include <brio/formats/example.h>
#include <brio/formats/file.h>
#include <brio/formats/jpeg.h>
#include <brio/formats/tfrecord.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

inline void expect(bool good, const char* what) {
  std::printf("%s: %s\n", good ? "good" : "FAILED", what);
  if (!good) std::exit(1);
}
inline bool falls(const std::vector<double>& losses) { return losses.size() > 1 && losses.back() < losses.front(); }

// In a directory that goes with it.
struct Pictures {
  std::string folder;
  std::vector<std::string> paths;
  std::vector<int32_t> labels;

  explicit Pictures(int count = 24)
      : folder(brio::cat(std::filesystem::temp_directory_path().string(), "/brio-pages-", getpid())) {
    for (int i = 0; i < count; ++i) {
      const char* kind = i % 2 == 0 ? "dark" : "light";
      std::filesystem::create_directories(folder + "/" + kind);
      paths.push_back(brio::cat(folder, "/", kind, "/", i, ".jpg"));
      labels.push_back(i % 2);
      brio::formats::write_file(paths.back(), brio::formats::encode_jpeg(pixels(60, 80, i).data(), 240, {60, 80, 3}));
    }
  }
  Pictures(const Pictures&) = delete;
  ~Pictures() { std::filesystem::remove_all(folder); }

  // The same kinds as raw pictures of 224 × 224 in two TFRecord files; the pattern that finds them.
  std::string records() const {
    for (int shard = 0; shard < 2; ++shard) {
      brio::formats::RecordWriter writer(brio::cat(folder, "/", shard, ".tfrecord"));
      for (int i = 0; i < 12; ++i) {
        const std::vector<uint8_t> raw = pixels(224, 224, i);
        brio::formats::Example example;
        example.features["image"] = brio::formats::Feature::bytes({std::string(raw.begin(), raw.end())});
        example.features["label"] = brio::formats::Feature::ints({i % 2});
        writer.write(example.serialize());
      }
      writer.commit();
    }
    return folder + "/*.tfrecord";
  }

 private:
  static std::vector<uint8_t> pixels(int64_t height, int64_t width, int number) {
    const brio::Tensor noise = brio::random::uniform({height, width, 3}, {.high = 100});
    return cast(noise + (number % 2 == 0 ? 0.f : 150.f), brio::u8).to_vector<uint8_t>();
  }
};

// Tells the two kinds apart.
inline brio::nn::Sequential picture_model(int64_t outputs, const char* last) {
  using namespace brio;
  return nn::Sequential({nn::Rescaling(1 / 255.0), nn::Conv2D(8, {5}, {.strides = {4}, .activation = "relu"}),
                         nn::GlobalAveragePooling2D(), nn::Dense(outputs, {.activation = last})});
}
