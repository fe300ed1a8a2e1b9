// brio_soak [PART…] [--share S]: a million steps. The last 1% must cost what the first 1% after the warm-up cost, and
// resident memory must not grow; then ten million updates that nobody reads, a million batches of input through each
// of several pipelines, and a directory of a million pictures. Parts are named below; a share of 0.1 does a tenth.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "brio/brio.h"
#include "brio/data/sources/image_folder.h"
#include "tests/data/many_files.h"
#include "tests/formats/scratch.h"

namespace {

using Clock = std::chrono::steady_clock;

double resident_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

// Medians of slices of the first and the last hundredth, so that a busy moment of the machine does not decide. Where
// threads hand elements over, moments are long: there it is the best tenth of the slices of the first and last tenth.
enum class Work { one_thread, threads };
struct Result {
  double first, last, mb_first, mb_last;
};
template <typename Step>
Result soak(const char* name, long steps, Step step, Work work = Work::one_thread) {
  const bool threads = work == Work::threads;
  const long hundredth = steps / 100, slice = std::max<long>(1, hundredth / 50);
  const long compared = threads ? steps / 10 : hundredth;
  for (long i = 0; i < hundredth; ++i) step();  // warm-up
  std::vector<double> first, last;
  Result result{};
  result.mb_first = resident_mb();
  for (long done = 0; done < steps; done += slice) {
    const auto start = Clock::now();
    for (long i = 0; i < slice; ++i) step();
    const double each = std::chrono::duration<double>(Clock::now() - start).count() / static_cast<double>(slice);
    if (done < compared) first.push_back(each);
    if (done >= steps - compared) last.push_back(each);
    if (done % (steps / 20) < slice) {
      std::printf("\r%-22s %3ld%%", name, done * 100 / steps);
      std::fflush(stdout);
    }
  }
  result.mb_last = resident_mb();
  auto typical = [&](std::vector<double>& v) {
    std::ranges::sort(v);
    return v[v.size() / (threads ? 10 : 2)] * 1e6;
  };
  result.first = typical(first);
  result.last = typical(last);
  std::printf("\r%-22s first: %8.3f µs, last: %8.3f µs (%+.1f%%); resident %.1f → %.1f MB\n", name, result.first,
              result.last, 100 * (result.last / result.first - 1), result.mb_first, result.mb_last);
  return result;
}

// Batches of pipelines whose stages keep something: buffers, threads, nested pipelines.
struct Pipeline {
  const char* name;
  brio::data::Dataset batches;  // without an end
};
std::vector<Pipeline> pipelines() {
  using namespace brio;
  using data::Item, data::Sample;
  const Tensor rows = random::normal({10000, 100}, {.seed = 1});
  const data::Dataset slices = data::from_tensor_slices({rows});
  const auto halved = [](Sample& sample) {
    const float* in = sample.read<float>(0);
    float* out = sample.write<float>(0, {100});
    for (int i = 0; i < 100; ++i) out[i] = in[i] / 2;
  };
  return {
      {"shuffled batch", slices.shuffle(10000).repeat().batch(32)},
      {"buffered, mapped batch", slices.repeat().shuffle(500).map(halved).batch(32).prefetch(4)},
      {"recorded map, threads", slices.shuffle(data::kAutotune)
                                    .repeat()
                                    .batch(32)
                                    .map([](const Tensor& x) { return x * 2; }, {.num_parallel_calls = 2})},
      {"joined batch",
       data::sample_from_datasets(
           {data::zip({slices, slices.skip(1)}).repeat().map([](Sample& sample) { sample.pass(0, 0); }),
            slices.repeat()})
           .batch(32)},
      {"nested batch",
       data::range(1'000'000'000).flat_map([slices](const Item&) { return slices.take(320); }).batch(32)},
      {"grouped batch",
       data::range(1'000'000'000)
           .group_by_window([](const Item& item) { return item[0].item<int64_t>() % 3; },
                            [](int64_t, const data::Dataset& window) { return window.batch(32); }, 32)},
  };
}

bool flat(const Result& r, double slower = 1.05) { return r.last <= r.first * slower && r.mb_last <= r.mb_first + 1; }

// A directory of a million pictures: listed, shuffled and read from, within a gigabyte.
bool many_files() {
  constexpr int64_t kFiles = 1'000'000;
  const brio::formats::Scratch scratch;
  brio::data::make_many_pictures(scratch.path(), kFiles);
  const double before = resident_mb();
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const brio::data::ImageFolder folder = brio::data::image_folder(scratch.path(), {.image_size = {2, 2}, .seed = 1});
  const double listed = seconds();
  brio::data::Iterator iterator = folder.iterator();
  brio::data::Item item;
  iterator.next(item);
  const double first = seconds();
  for (int i = 0; i < 1000; ++i) iterator.next(item);
  const double held = resident_mb() - before;
  std::printf("a million files: listed in %.1f s, first batch after %.3f s more; %.0f MB\n", listed, first - listed,
              held);
  return static_cast<int64_t>(folder.file_paths.size()) == kFiles && held < 1000 && first - listed < 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace brio;
  std::vector<std::string> wanted;
  double share = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--share" && i + 1 < argc) share = std::stod(argv[++i]);
    else wanted.emplace_back(argv[i]);
  }
  const std::vector<std::string> parts = {"eager", "function", "update", "input", "files"};
  for (const std::string& name : wanted)
    if (std::ranges::find(parts, name) == parts.end()) {
      std::fprintf(stderr, "brio_soak: there is no part '%s'; there are eager, function, update, input and files\n",
                   name.c_str());
      return 2;
    }
  auto asked = [&](const char* part) { return wanted.empty() || std::ranges::find(wanted, part) != wanted.end(); };
  auto part_of = [&](long steps) { return std::max(10'000L, static_cast<long>(static_cast<double>(steps) * share)); };
  bool good = true;
  const Tensor X({{1, 2}, {3, 4}, {5, 6}}), y({7, 8, 9});
  Variable theta(zeros({2}));
  nn::SGD sgd(0.01);
  auto body = [&] {
    GradientTape tape;
    const Tensor loss = mean(square(matvec(X, theta) - y));
    sgd.apply_gradients(tape.gradient(loss, {theta}), {theta});
  };
  if (asked("eager")) good &= flat(soak("eager step", part_of(1000000), body));
  auto step = function(body);
  if (asked("function")) good &= flat(soak("function step", part_of(1000000), [&] { step(); }));
  Variable counter(zeros({16}));
  const Tensor one = ones({16});
  (void)one.array();
  if (asked("update")) good &= flat(soak("unread update", part_of(10000000), [&] { counter.assign_add(one); }));
  if (asked("input"))
    for (const Pipeline& pipeline : pipelines()) {
      data::Iterator batches = pipeline.batches.iterator(0);
      data::Item item;
      good &= flat(soak(
                       pipeline.name, part_of(1000000), [&] { batches.next(item); }, Work::threads),
                   1.25);
    }
  if (asked("files")) good &= many_files();
  std::puts(
      good ? "flat"
           : "NOT flat: time or memory grew by more than 5% (25% with threads) or 1 MB, or the files took too much");
  return good ? 0 : 1;
}
