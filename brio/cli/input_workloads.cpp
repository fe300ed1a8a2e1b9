#include "brio/cli/input_workloads.h"

#include <fcntl.h>
#include <unistd.h>

#include <ctime>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "brio/brio.h"
#include "brio/cli/command.h"
#include "brio/data/sources/sources.h"
#include "brio/formats/example.h"
#include "brio/formats/tfrecord.h"

namespace brio::cli {
namespace {

// Reads all of it; returns how many elements there were.
double read_all(data::Iterator& iterator) {
  double elements = 0;
  for (data::Item item; iterator.next(item);) ++elements;
  return elements;
}

// An epoch at a time, each in another order.
Work epochs_of(const data::Dataset& batches) {
  auto iterator = std::make_shared<data::Iterator>(batches.iterator(0));
  return Work(
      [iterator, epoch = uint64_t{0}]() mutable {
        read_all(*iterator);
        iterator->reset(++epoch);
        return 1.;
      },
      iterator);
}

std::string data_directory(const char* name) {
  const char* root = std::getenv("BRIO_DATA");
  std::string path = std::string(root ? root : "../shared/data") + "/" + name;
  if (!std::filesystem::is_directory(path))
    throw ResourceError(cat(path, " is not there; set BRIO_DATA to the directory that holds ", name));
  return path;
}

std::string bench_file(const char* name) {
  const char* root = std::getenv("BRIO_BENCH_DATA");
  const std::filesystem::path directory = root ? root : std::filesystem::temp_directory_path() / "brio-bench-data";
  std::filesystem::create_directories(directory);
  return (directory / name).string();
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

Work make_overlap(void (*step)()) {
  auto input = std::make_shared<data::Iterator>(data::range(1'000'000)
                                                    .map([](data::Sample& sample) {
                                                      work_for(kStep);
                                                      sample.pass(0, 0);
                                                    })
                                                    .repeat()
                                                    .iterator(0));
  return Work(
      [input, step] {
        data::Item item;
        input->next(item);
        step();
        return 1.;
      },
      input);
}

// The system forgets what it holds of the file.
void drop_from_memory(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw ResourceError(cat(path, ": it cannot be opened"));
  ::fsync(fd);
  (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}

Work cold_epochs(data::ShuffleOrder order) {
  constexpr int64_t kRecords = 5000, kNumbers = 5000;
  const std::string file = bench_file("cold.tfrecord");
  if (!std::filesystem::exists(file)) {
    formats::RecordWriter writer(file);
    for (int64_t i = 0; i < kRecords; ++i) {
      const Tensor numbers = random::bits({kNumbers}, {.seed = static_cast<uint64_t>(i)});
      writer.write({numbers.array().as<char>(), static_cast<size_t>(kNumbers) * 4});
    }
    writer.commit();
    formats::write_index(writer.index(), formats::InputFile(file));
  }
  auto iterator = std::make_shared<data::Iterator>(data::tfrecord_dataset({file})
                                                       .shuffle(data::kAutotune, {.seed = 1, .order = order})
                                                       .batch(50)
                                                       .with_options({.ram_budget = 64 << 20})
                                                       .iterator(0));
  return Work(
      [iterator, file, epoch = uint64_t{0}]() mutable {
        drop_from_memory(file);
        iterator->reset(++epoch);
        read_all(*iterator);
        return static_cast<double>(kRecords);
      },
      iterator);
}

// An epoch of batches of 32 out of 10,000 shuffled rows, each row through `step` before its batch.
Work row_epochs(const std::function<data::Dataset(const data::Dataset&)>& step) {
  const Tensor x = random::normal({10'000, 100}, {.seed = 1});
  auto iterator = std::make_shared<data::Iterator>(
      step(data::from_tensor_slices({x}).shuffle(10'000)).batch(32).prefetch().iterator(0));
  return Work(
      [iterator, epoch = uint64_t{0}]() mutable {
        const double batches = read_all(*iterator);
        iterator->reset(++epoch);
        return batches;
      },
      iterator);
}

}  // namespace

// 1,000 raw pictures of 224 × 224 with labels. Whoever comes first, Brio or a peer, writes the file.
Work make_tfrecord() {
  constexpr int64_t kRecords = 1000, kSide = 224;
  const std::string file = bench_file("pictures.tfrecord");
  if (!std::filesystem::exists(file)) {
    formats::RecordWriter writer(file);
    for (int64_t i = 0; i < kRecords; ++i) {
      const Tensor pixels = random::bits({kSide * kSide * 3 / 4}, {.seed = static_cast<uint64_t>(i)});
      formats::Example example;
      example.features["image"] =
          formats::Feature::bytes({std::string(pixels.array().as<char>(), kSide * kSide * 3)});
      example.features["label"] = formats::Feature::ints({i % 10});
      writer.write(example.serialize());
    }
    writer.commit();
  }
  auto iterator = std::make_shared<data::Iterator>(
      data::parse_example(
          data::tfrecord_dataset({file}),
          {{"image", formats::FixedLen{{kSide, kSide, 3}, u8, {}, true}}, {"label", formats::FixedLen{{}, i64}}})
          .shuffle(kRecords)
          .batch(64)
          .iterator(0));
  return Work(
      [iterator, epoch = uint64_t{0}]() mutable {
        read_all(*iterator);
        iterator->reset(++epoch);
        return static_cast<double>(kRecords);
      },
      iterator);
}

// 20 features: 10 floats, 5 integers, 5 short strings; batches of 128 serialized examples in memory, one thread.
Work make_example() {
  constexpr size_t kBatch = 128;
  auto texts = std::make_shared<std::vector<std::string>>();
  for (size_t i = 0; i < kBatch; ++i) {
    formats::Example example;
    for (int k = 0; k < 10; ++k)
      example.features[cat("float_", k)] = formats::Feature::floats({static_cast<float>(i) + 0.5f});
    for (int k = 0; k < 5; ++k)
      example.features[cat("int_", k)] = formats::Feature::ints({static_cast<int64_t>(i) * 1000});
    for (int k = 0; k < 5; ++k) example.features[cat("text_", k)] = formats::Feature::bytes({cat("word ", i)});
    texts->push_back(example.serialize());
  }
  std::vector<formats::NamedSpec> specs;
  for (int k = 0; k < 10; ++k) specs.push_back({cat("float_", k), formats::FixedLen{{}, f32}});
  for (int k = 0; k < 5; ++k) specs.push_back({cat("int_", k), formats::FixedLen{{}, i64}});
  for (int k = 0; k < 5; ++k) specs.push_back({cat("text_", k), formats::FixedLen{{}, DType::string}});
  auto parser = std::make_shared<formats::ExampleParser>(std::move(specs));
  auto views = std::make_shared<std::vector<std::string_view>>(texts->begin(), texts->end());
  return [texts, views, parser] {
    (void)parser->parse(*views);
    return static_cast<double>(kBatch);
  };
}

Work make_cold_full() { return cold_epochs(data::ShuffleOrder::full); }
Work make_cold_blocks() { return cold_epochs(data::ShuffleOrder::blocks); }

Work make_overlap() {
  return make_overlap([] { std::this_thread::sleep_for(kStep); });
}
Work make_overlap_busy() {
  return make_overlap([] { work_for(kStep); });
}

Work make_jpeg() {
  return epochs_of(data::image_folder(data_directory("clothing/train"), {.image_size = {224, 224}, .seed = 1}));
}

Work make_jpeg_train() {
  const data::Dataset photos =
      data::image_folder(data_directory("clothing/train"), {.batch_size = 0, .image_size = {224, 224}, .seed = 1});
  return epochs_of(
      data::normalize(data::random_flip(photos, {.seed = 1}), {.mean = {124, 116, 104}, .deviation = {58, 57, 57}})
          .batch(32));
}

Work make_packed() {
  const std::string source = data_directory("clothing/train"), packed = bench_file("clothing");
  const std::string_view words[] = {source, packed, "--resize", "224x224", "--decode", "--quiet"};
  try {
    run_pack(words);
  } catch (const InvalidArgument&) {  // of other photos, or by an older brio
    std::filesystem::remove_all(packed);
    run_pack(words);
  }
  return epochs_of(data::parse_example(data::tfrecord_dataset({packed + "/*.tfrecord"}),
                                       {{"image", formats::FixedLen{{224, 224, 3}, f32, {}, true, u8}},
                                        {"image/class/label", formats::FixedLen{{}, i64}}})
                       .shuffle(data::kAutotune, {.seed = 1})
                       .batch(32));
}

Work make_rows() {
  return row_epochs([](const data::Dataset& rows) { return rows; });
}

Work make_rows_map() {
  const Tensor mean = random::normal({100}, {.seed = 2}), deviation = exp(random::normal({100}, {.seed = 3}));
  return row_epochs([=](const data::Dataset& rows) {
    return rows.map([=](const Tensor& x) { return relu((x - mean) / deviation); });
  });
}

Work make_shuffle() {
  const data::Dataset batches = data::range(10'000'000).shuffle(data::kAutotune).batch(32);
  auto iterator = std::make_shared<data::Iterator>(batches.iterator(0));
  return Work(
      [batches, iterator, epoch = uint64_t{0}]() mutable {
        *iterator = batches.iterator(++epoch);
        data::Item item;
        iterator->next(item);
        return 1.;
      },
      iterator);
}

}  // namespace brio::cli
