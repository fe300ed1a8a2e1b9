#include "brio/cli/input_workloads.h"

#include <ctime>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "brio/brio.h"

namespace brio::cli {
namespace {

// Reads all of it; returns how many elements there were.
double read_all(data::Iterator& iterator) {
  double elements = 0;
  for (data::Item item; iterator.next(item);) ++elements;
  return elements;
}

std::string data_directory(const char* name) {
  const char* root = std::getenv("BRIO_DATA");
  std::string path = std::string(root ? root : "../shared/data") + "/" + name;
  if (!std::filesystem::is_directory(path))
    throw ResourceError(cat(path, " is not there; set BRIO_DATA to the directory that holds ", name));
  return path;
}

void work_for(std::chrono::microseconds time) {
  timespec now{};
  auto cpu_ns = [&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  };
  for (const long long until = cpu_ns() + time.count() * 1000; cpu_ns() < until;) {
  }
}

constexpr std::chrono::microseconds kStep{5000};

std::function<double()> make_overlap(void (*step)()) {
  auto input = std::make_shared<data::Iterator>(data::range(1'000'000)
                                                    .map([](data::Sample& sample) {
                                                      work_for(kStep);
                                                      sample.pass(0, 0);
                                                    })
                                                    .repeat()
                                                    .iterator(0));
  return [input, step] {
    data::Item item;
    input->next(item);
    step();
    return 1.;
  };
}

}  // namespace

std::function<double()> make_overlap() {
  return make_overlap([] { std::this_thread::sleep_for(kStep); });
}
std::function<double()> make_overlap_busy() {
  return make_overlap([] { work_for(kStep); });
}

std::function<double()> make_jpeg() {
  auto folder = std::make_shared<data::Dataset>(
      data::image_folder(data_directory("clothing/train"), {.image_size = {224, 224}, .seed = 1}));
  auto iterator = std::make_shared<data::Iterator>(folder->iterator(0));
  return [folder, iterator, epoch = uint64_t{0}]() mutable {
    read_all(*iterator);
    iterator->reset(++epoch);
    return 1.;
  };
}

std::function<double()> make_rows() {
  const Tensor x = random::normal({10'000, 100}, {.seed = 1});
  auto iterator = std::make_shared<data::Iterator>(
      data::from_tensor_slices({x}).shuffle(10'000).batch(32).prefetch().iterator(0));
  return [iterator, epoch = uint64_t{0}]() mutable {
    const double batches = read_all(*iterator);
    iterator->reset(++epoch);
    return batches;
  };
}

std::function<double()> make_shuffle() {
  return [epoch = uint64_t{0}]() mutable {
    data::Iterator iterator = data::range(10'000'000).shuffle(data::kAutotune).batch(32).iterator(epoch++);
    data::Item item;
    iterator.next(item);
    return 1.;
  };
}

}  // namespace brio::cli
