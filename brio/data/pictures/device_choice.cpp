#include "brio/data/pictures/device_choice.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <mutex>
#include <sstream>

#include "brio/base/cache_folder.h"
#include "brio/base/cpu_count.h"
#include "brio/base/error.h"
#include "brio/base/hashes.h"
#include "brio/base/warning.h"
#include "brio/data/pictures/device_batch.h"
#include "brio/data/pictures/device_decoder.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/device_pictures.h"
#include "brio/runtime/explain.h"

namespace brio::data {
namespace {

// By so much it has to be faster, and so near its pixels have to be.
constexpr double kFaster = 1.2, kFewestDecibels = 30;
constexpr size_t kMostKept = 200;  // choices that are kept on disk

struct Trial {
  double by_device = 0, by_host = 0;  // pictures a second
  double decibels = 0;                // of the device's pixels against the host's
  bool device_wins() const { return by_device >= kFaster * by_host && decibels >= kFewestDecibels; }
  std::string str() const {
    std::ostringstream text;
    text << std::fixed << std::setprecision(0) << by_device << " pictures a second where the host makes " << by_host
         << std::setprecision(1) << ", " << decibels << " dB from its pixels";
    return text.str();
  }
};

// ---- On disk: a line for each choice, `by_device by_host decibels key`, the newest last.

std::filesystem::path choices_file() {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "pictures";
}
std::vector<std::string> read_choices() {
  std::vector<std::string> lines;
  std::ifstream in(choices_file());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}
std::optional<Trial> find_choice(const std::string& key) {
  for (const std::string& line : read_choices()) {
    Trial trial;
    std::istringstream words(line);
    std::string known;
    if (words >> trial.by_device >> trial.by_host >> trial.decibels >> std::ws && std::getline(words, known) &&
        known == key)
      return trial;
  }
  return {};
}
// Aside and renamed; where it cannot be written the next process measures again.
void keep_choice(const std::string& key, const Trial& trial) {
  const std::filesystem::path file = choices_file();
  if (file.empty()) return;
  std::vector<std::string> lines = read_choices();
  lines.push_back(cat(trial.by_device, " ", trial.by_host, " ", trial.decibels, " ", key));
  if (lines.size() > kMostKept) lines.erase(lines.begin());
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  const std::filesystem::path aside = file.string() + "." + std::to_string(getpid());
  std::ofstream out(aside);
  for (const std::string& line : lines) out << line << "\n";
  out.close();
  if (out) std::filesystem::rename(aside, file, failed);
  else std::filesystem::remove(aside, failed);
}

// ---- Measuring

void wait_for(const Item& item) {
  const BufferRef& buffer = item[0].impl()->array.buffer;
  if (buffer->use.stream) buffer->use.stream->pass(buffer->use.ticket);
}

// Pictures a second, once its threads have had time to start; and the first batch.
double rate_of(Iterator iterator, Tensor& first) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  Item item;
  if (!iterator.next(item)) return 0;
  wait_for(item);
  first = item[0];
  Clock::time_point begun = Clock::now();
  int64_t pictures = 0;
  bool warm = false;
  while (seconds_since(begun) < (warm ? 0.3 : 0.1) && iterator.next(item)) {
    pictures += item[0].shape()[0];
    if (warm || seconds_since(begun) < 0.1) continue;
    wait_for(item);
    begun = Clock::now();
    pictures = 0;
    warm = true;
  }
  if (!item.empty()) wait_for(item);
  return static_cast<double>(pictures) / std::max(seconds_since(begun), 1e-6);
}

// Of the difference against the range of the first.
double decibels_between(const Tensor& a, const Tensor& b) {
  const std::vector<float> x = cast(a, f32).to_vector<float>(), y = cast(b, f32).to_vector<float>();
  if (x.size() != y.size() || x.empty()) return 0;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  double squares = 0;
  for (size_t i = 0; i < x.size(); ++i) squares += std::pow(static_cast<double>(x[i]) - y[i], 2);
  const double range = static_cast<double>(*high) - *low;
  if (squares == 0) return 100;
  return std::min(100.0, 10 * std::log10(range * range * static_cast<double>(x.size()) / squares));
}

Trial measure(const Dataset& dataset, Device& device) {
  const DeviceScope host(registry().host());
  Trial trial;
  Tensor here, there;
  trial.by_host = rate_of(dataset.iterator(0), here);
  trial.by_device = rate_of(dataset.iterator(0, device, MadeBy::device), there);
  if (here.defined() && there.defined()) trial.decibels = decibels_between(here, there);
  return trial;
}

PictureChoice by_trial(const Dataset& dataset, Device& device, const Node& batch) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const std::string key = cat(device.description(), ", ", device.pictures()->way(), ", ", usable_cpus(),
                              " CPUs, dataset ", murmur_hash64(dataset.describe(), 1));
  static auto* const known = new std::map<std::string, Trial>;
  std::optional<Trial> trial;
  if (const auto found = known->find(key); found != known->end()) trial = found->second;
  if (!trial) trial = find_choice(key);
  if (!trial) {
    try {
      trial = measure(dataset, device);
    } catch (const Error& error) {  // it is for the elements to fail
      return {nullptr, cat("it could not be measured: ", error.what())};
    }
    keep_choice(key, *trial);
  }
  known->emplace(key, *trial);
  return {trial->device_wins() ? &batch : nullptr, cat(device.pictures()->way(), ", ", trial->str())};
}

PictureChoice maker_of(const Dataset& dataset, Device& device, bool asked) {
  const char* const setting = std::getenv("BRIO_CUDA_PICTURES");
  const std::string_view word = setting ? setting : "";
  if (word != "1" && word != "auto" && !asked) return {nullptr, "BRIO_CUDA_PICTURES does not ask for it"};
  PictureChoice choice;
  choice.batch = batch_for_device(*dataset.node(), choice.why);
  if (!choice.batch) return choice;
  if (const std::string obstacle = decoder_obstacle(device); !obstacle.empty()) return {nullptr, obstacle};
  if (!asked && word != "1") return by_trial(dataset, device, *choice.batch);
  choice.why = cat(device.pictures()->way(), ", as asked for");
  return choice;
}

}  // namespace

PictureChoice choose_for_pictures(const Dataset& dataset, Device& device, bool asked) {
  PictureChoice choice = maker_of(dataset, device, asked);
  if (!asked && explains(Explain::placement))
    std::fprintf(stderr, "brio: pictures for %s are made by %s: %s\n", std::string(device.name()).c_str(),
                 choice.batch ? "itself" : "the host", choice.why.c_str());
  return choice;
}

}  // namespace brio::data
