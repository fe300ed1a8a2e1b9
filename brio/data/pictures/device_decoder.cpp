#include "brio/data/pictures/device_decoder.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "brio/base/error.h"
#include "brio/formats/jpeg.h"
#include "brio/formats/plain_jpeg.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/device_pictures.h"

namespace brio::data {
namespace {

// Of 255, on the average of squares: decoders differ by what they round, and by how they smooth chroma.
constexpr double kMostError = 8;

// What is wrong with how the device decodes now; empty: nothing.
std::string fault_of(Device& device) {
  constexpr int64_t kHeight = 70, kWidth = 90, kNumbers = kHeight * kWidth * 3;
  std::vector<uint8_t> pixels(kNumbers), expected(kNumbers), found(kNumbers);
  for (int64_t i = 0; i < kNumbers; ++i) {
    const int64_t y = i / 3 / kWidth, x = i / 3 % kWidth;
    pixels[static_cast<size_t>(i)] = static_cast<uint8_t>((i % 3 == 0 ? 2 * x : i % 3 == 1 ? 3 * y : x + y) % 240);
  }
  const auto file = std::make_shared<const std::string>(
      formats::encode_jpeg(pixels.data(), kWidth * 3, {kHeight, kWidth, 3}, {.quality = 90}));
  formats::JpegDecoder decoder;
  decoder.open(*file, {}, {.channels = 3});
  decoder.decode(expected.data(), kWidth * 3);

  const auto jpeg = formats::plain_jpeg(*file);
  BRIO_CHECK(jpeg, "a JPEG of our own is none that a device takes");
  if (!device.pictures()->takes(*file)) return "it does not take a plain JPEG";
  const DevicePictures::Picture picture{.file = *file,
                                        .height = kHeight,
                                        .width = kWidth,
                                        .across = jpeg->across,
                                        .down = jpeg->down,
                                        .rows = kHeight,
                                        .columns = kWidth};
  const BufferRef batch = BufferRef::allocate(kNumbers, Owner::input, device.memory());
  Stream& stream = device.stream();
  BufferUses uses(stream);
  uses.add(batch.get());
  const DevicePictures::Wanted wanted{.height = kHeight, .width = kWidth, .dtype = u8, .rounded = true};
  std::string refused = device.pictures()->make({&picture, 1}, wanted, batch->data(), stream, file);
  uses.publish();
  if (!refused.empty()) return refused;
  device.memory().copy_to_host(found.data(), *batch.get(), 0, kNumbers);
  double squares = 0;
  for (size_t i = 0; i < found.size(); ++i) squares += std::pow(found[i] - static_cast<double>(expected[i]), 2);
  const double error = std::sqrt(squares / static_cast<double>(kNumbers));
  return error < kMostError ? std::string() : cat("its pixels are ", error, " of 255 from what a file holds");
}

std::string find_way(Device& device) {
  DevicePictures* const pictures = device.pictures();
  if (!pictures) return cat(device.name(), " decodes no pictures");
  std::string obstacle;
  const std::vector<std::string> ways = pictures->ways();
  for (size_t way = 0; way < ways.size(); ++way) {
    std::string why;
    try {
      pictures->use(way);
      why = fault_of(device);
      if (why.empty()) return {};
      why = cat(ways[way], ": ", why);
    } catch (const Error& error) {
      why = error.what();
    }
    if (obstacle.find(why) == std::string::npos) obstacle += cat(obstacle.empty() ? "" : "; ", why);
  }
  return obstacle;
}

}  // namespace

std::string decoder_obstacle(Device& device) {
  static std::mutex mutex;
  static auto* const known = new std::map<const Device*, std::string>;
  const std::lock_guard lock(mutex);
  const auto found = known->find(&device);
  return found != known->end() ? found->second : known->emplace(&device, find_way(device)).first->second;
}

}  // namespace brio::data
