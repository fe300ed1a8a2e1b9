// JPEGs of a folder to batches, by the host and by a device that decodes:
//
//   BRIO_DEVICE=gpu:0 lab_pictures FOLDER [SECONDS] [BATCH]
//
// Decoding alone, by each way that the device has; then the whole dataset (read, decode, resize to 224 × 224, f32 and
// bytes), shuffled, in batches of BATCH (128); the host's own rate; how near the pixels are, how many pictures the
// host made; and fit on such batches. Each is timed for SECONDS (2).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "brio/brio.h"
#include "brio/data/pictures/device_decoder.h"
#include "brio/data/sources/image_folder.h"
#include "brio/formats/plain_jpeg.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/device_pictures.h"

namespace {

using namespace brio;
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double seconds_each = 2;
int64_t batch_size = 128;

void wait_for(const Tensor& tensor) {
  const BufferRef& buffer = tensor.impl()->array.buffer;
  if (buffer->use.stream) buffer->use.stream->pass(buffer->use.ticket);
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".jpg" || entry.path().extension() == ".jpeg")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

// ---- Decoding from memory, by one thread or several

struct Loaded {
  std::vector<std::string> bytes;
  std::vector<formats::PlainJpeg> plain;  // of those that a device takes, by the same number
  double megabytes = 0;
  size_t others = 0;
};
Loaded load(const std::vector<std::string>& files) {
  Loaded all;
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const auto plain = formats::plain_jpeg(bytes);
    if (!plain) {
      ++all.others;
      continue;
    }
    all.megabytes += static_cast<double>(bytes.size()) / 1e6;
    all.bytes.push_back(std::move(bytes));
    all.plain.push_back(*plain);
  }
  return all;
}

// So many from the first on, round and round. False: it cannot.
bool decode_batch(Device& device, const Loaded& all, size_t first, int64_t size, const BufferRef& batch) {
  std::vector<DevicePictures::Picture> pictures;
  for (int64_t i = 0; i < batch_size; ++i) {
    const size_t at = (first + static_cast<size_t>(i)) % all.bytes.size();
    const formats::PlainJpeg& p = all.plain[at];
    pictures.push_back({.file = all.bytes[at],
                        .height = p.height,
                        .width = p.width,
                        .across = p.across,
                        .down = p.down,
                        .rows = p.height,
                        .columns = p.width,
                        .place = i});
  }
  Stream& stream = device.stream();
  BufferUses uses(stream);
  uses.add(batch.get());
  const std::string refused = device.pictures()->make(pictures, {.height = size, .width = size, .dtype = f16},
                                                      batch->data(), stream, nullptr);
  uses.publish();
  if (!refused.empty()) std::printf("    refused: %s\n", refused.c_str());
  return refused.empty();
}

void time_decoding(Device& device, const Loaded& all, int64_t size, int threads) {
  std::vector<std::thread> helpers;
  std::atomic<int64_t> pictures{0};
  std::atomic<bool> failed{false};
  const auto begin = Clock::now();
  const auto work = [&](int number) {
    try {
      const auto bytes = static_cast<size_t>(batch_size * size * size * 3 * 2);
      BufferRef batches[4];
      for (BufferRef& batch : batches) batch = BufferRef::allocate(bytes, Owner::input, device.memory());
      size_t first = static_cast<size_t>(number) * 977;
      for (int64_t i = 0; seconds_since(begin) < seconds_each && !failed; ++i) {
        const BufferRef& batch = batches[i % 4];
        if (batch->use.stream) batch->use.stream->pass(batch->use.ticket);
        if (!decode_batch(device, all, first, size, batch)) failed = true;
        first += static_cast<size_t>(batch_size);
        pictures += batch_size;
      }
      for (const BufferRef& batch : batches)
        if (batch->use.stream) batch->use.stream->wait(batch->use.ticket);
    } catch (const std::exception& error) {
      std::printf("    %s\n", error.what());
      failed = true;
    }
  };
  for (int i = 1; i < threads; ++i) helpers.emplace_back(work, i);
  work(0);
  for (std::thread& helper : helpers) helper.join();
  const double seconds = seconds_since(begin);
  if (failed) std::printf("    %d threads, to %lld: FAILED\n", threads, static_cast<long long>(size));
  else
    std::printf("    %d threads, to %3lld × %3lld f16: %8.0f photos/s\n", threads, static_cast<long long>(size),
                static_cast<long long>(size), static_cast<double>(pictures) / seconds);
  std::fflush(stdout);
}

bool try_to_use(Device& device, size_t way) {
  try {
    device.pictures()->use(way);
    return true;
  } catch (const std::exception& error) {
    std::printf("    %s\n", error.what());
    return false;
  }
}

void time_ways(Device& device, const Loaded& all) {
  std::printf("decoding %zu JPEGs, %.1f kB each, from memory (%zu more are not for a device), batches of %lld\n",
              all.bytes.size(), 1000 * all.megabytes / static_cast<double>(all.bytes.size()), all.others,
              static_cast<long long>(batch_size));
  const std::vector<std::string> ways = device.pictures()->ways();
  for (size_t way = 0; way < ways.size(); ++way) {
    std::printf("  %s\n", ways[way].c_str());
    std::fflush(stdout);
    if (!try_to_use(device, way)) continue;
    for (const int threads : {1, 4}) time_decoding(device, all, 8, threads);  // next to no resizing
    time_decoding(device, all, 224, 4);
  }
}

// ---- Whole datasets

data::Dataset dataset_of(const std::string& folder, DType dtype, uint32_t seed, bool shuffle) {
  return data::image_folder(
             folder,
             {.batch_size = batch_size, .image_size = {224, 224}, .shuffle = shuffle, .seed = seed, .dtype = dtype})
      .repeat();
}

void time_dataset(const char* who, data::Iterator iterator) {
  data::Item item;
  Clock::time_point begin = Clock::now();
  while (seconds_since(begin) < 1.5 && iterator.next(item)) {  // threads start
  }
  if (!item.empty()) wait_for(item[0]);
  begin = Clock::now();
  int64_t pictures = 0;
  while (seconds_since(begin) < seconds_each && iterator.next(item)) pictures += item[0].shape()[0];
  wait_for(item[0]);
  const double seconds = seconds_since(begin);
  std::printf("  %-32s %8.0f photos/s\n", who, static_cast<double>(pictures) / seconds);
  for (const std::string& choice : iterator.report().choices) std::printf("    %s\n", choice.c_str());
  std::fflush(stdout);
}

void compare(const std::string& folder, Device& device) {
  const data::Dataset dataset =
      data::image_folder(folder, {.batch_size = batch_size, .image_size = {224, 224}, .shuffle = false});
  data::Iterator here = dataset.iterator(0), there = dataset.iterator(0, device, data::MadeBy::device);
  data::Item a, b;
  double squares = 0, worst = 1e9, most = 0;
  int64_t count = 0;
  while (here.next(a) && there.next(b)) {
    const Array x = a[0].array(), y = b[0].array();
    const int64_t numbers = 224 * 224 * 3;
    for (int64_t row = 0; row < a[0].shape()[0]; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < numbers; ++i) {
        const double d = static_cast<double>(x.as<float>()[row * numbers + i]) - y.as<float>()[row * numbers + i];
        sum += d * d;
        most = std::max(most, std::abs(d));
      }
      squares += sum / static_cast<double>(numbers);
      worst = std::min(worst, 10 * std::log10(255.0 * 255.0 * static_cast<double>(numbers) / std::max(sum, 1e-9)));
      ++count;
    }
  }
  std::printf("  %lld photos: %.2f dB from the host's pixels, the worst %.2f, the largest difference %.1f\n",
              static_cast<long long>(count),
              10 * std::log10(255.0 * 255.0 * static_cast<double>(count) / std::max(squares, 1e-9)), worst, most);
  for (const std::string& choice : there.report().choices) std::printf("    %s\n", choice.c_str());
  std::fflush(stdout);
}

// A small convnet, so that input is what there is to wait for.
void time_fit(const std::string& folder, const char* setting) {
  setenv("BRIO_CUDA_PICTURES", setting, 1);
  const nn::Sequential model({nn::InputLayer({224, 224, 3}), nn::Rescaling(1.0 / 255),
                              nn::Conv2D(8, {3}, {.strides = {4, 4}, .activation = "relu"}),
                              nn::GlobalAveragePooling2D(), nn::Dense(100)});
  model.compile({.optimizer = "adam", .loss = nn::SparseCategoricalCrossentropy({.from_logits = true})});
  const data::Dataset dataset = dataset_of(folder, f32, 5, true);
  model.fit(dataset, {.epochs = 1, .verbose = 0, .steps_per_epoch = 10});
  const auto begin = Clock::now();
  const auto steps = static_cast<int64_t>(std::max(10.0, 40 * seconds_each));
  model.fit(dataset, {.epochs = 1, .verbose = 0, .steps_per_epoch = steps});
  std::printf("  fit, BRIO_CUDA_PICTURES=%-4s %8.0f photos/s\n", setting,
              static_cast<double>(steps * batch_size) / seconds_since(begin));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::printf("BRIO_DEVICE=gpu:0 lab_pictures FOLDER [SECONDS] [BATCH]\n");
    return 2;
  }
  if (argc > 2) seconds_each = std::stod(argv[2]);
  if (argc > 3) batch_size = std::stoll(argv[3]);
  const std::string folder = argv[1];
  try {
    Device& device = current_device();
    std::printf("%s: %s\n", std::string(device.name()).c_str(), device.description().c_str());
    const Loaded all = load(files_of(folder));
    const auto begin = Clock::now();
    const std::string obstacle = data::decoder_obstacle(device);
    const bool can = obstacle.empty() && !all.bytes.empty();
    std::printf("decoder: %s (%.2f s to start)\n", can ? device.pictures()->way().c_str() : obstacle.c_str(),
                seconds_since(begin));
    if (can) {
      const std::string chosen = device.pictures()->way();
      time_ways(device, all);
      for (size_t way = 0; way < 5 && device.pictures()->way() != chosen; ++way) try_to_use(device, way);
    }
    std::printf("datasets, shuffled, 224 × 224, batches of %lld\n", static_cast<long long>(batch_size));
    for (const DType dtype : {f32, u8}) {
      const data::Dataset dataset = dataset_of(folder, dtype, 3, true);
      time_dataset(dtype == f32 ? "the host, f32" : "the host, u8", dataset.iterator(0));
      if (can)
        time_dataset(dtype == f32 ? "the device, f32" : "the device, u8",
                     dataset.iterator(0, device, data::MadeBy::device));
    }
    if (can) compare(folder, device);
    for (const char* setting : {"0", "1", "auto"}) time_fit(folder, setting);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  return 0;
}
