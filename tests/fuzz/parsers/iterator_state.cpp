// The state of an iterator: the first byte chooses a pipeline, the rest is what its stages read; what lies around
// that (length, version, fingerprint, checksum) is put on here, so that it does not end at the checksum. Whatever the
// bytes are, restore() returns or throws within its time, and the iterator can be read, saved and reset afterwards. A
// state that was accepted is one that can be saved: another iterator that gets it goes on with the same elements.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>

#include "brio/base/hashes.h"
#include "brio/data/dataset.h"
#include "brio/data/engine/state.h"
#include "brio/data/sources/sources.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/tensor/strings.h"
#include "tests/fuzz/memory_file.h"

namespace {

using namespace brio;
using namespace brio::data;

Dataset doubled(const Dataset& numbers) {
  return numbers.map([](Sample& sample) { *sample.write<int64_t>(0, {}) = 2 * *sample.read<int64_t>(0); },
                     {.seed = 1});
}
Dataset rows(int64_t n) {  // of shape (3,)
  return range(n).map(
      [](Sample& sample) {
        int64_t* to = sample.write<int64_t>(0, {3});
        for (int64_t i = 0; i < 3; ++i) to[i] = *sample.read<int64_t>(0) + i;
      },
      {.seed = 1});
}
Dataset failing(int64_t n) {
  return range(n).map(
      [](Sample& sample) {
        if (*sample.read<int64_t>(0) % 3 == 0) throw InvalidArgument("bad");
        sample.pass(0, 0);
      },
      {.seed = 1});
}
Dataset endless() {
  return from_generator([] {
    return [i = int64_t{0}](std::vector<Tensor>& parts) mutable {
      parts.push_back(Tensor::from(std::vector<int64_t>{i++}, {}));
      return true;
    };
  });
}
int64_t last_digit(const Item& item) { return item[0].to_vector<int64_t>()[0] % 3; }

std::vector<Dataset> make_pipelines() {
  static const std::string text = "1,a\n2,b\nx,c\n4,d\n5,e\n6,f\n";
  static const fuzz::MemoryFile csv(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  const Tensor zero = Tensor::from(std::vector<int64_t>{0}, {});
  std::vector<Dataset> all;
  all.push_back(doubled(range(50).shuffle(kAutotune, {.seed = 1})).batch(4).repeat(3));
  all.push_back(range(20).repeat().shuffle(7, {.seed = 1}).batch(3));
  all.push_back(endless().take(1'000'000'000'000).enumerate(1));
  all.push_back(doubled(range(30)).window(4, {.shift = 2, .stride = 2}));
  all.push_back(range(30).window(5));
  all.push_back(range(40)
                    .scan({zero}, [](const Tensor& sum, const Tensor& x) { return std::tuple(sum + x, sum * x); })
                    .unique()
                    .take_while([](const Tensor& x) { return x < 2000; }));
  all.push_back(range(5).interleave([](const Item& item) { return range(last_digit(item) + 2); },
                                    {.cycle_length = 3, .block_length = 2}));
  all.push_back(endless().group_by_window(
      last_digit, [](int64_t, const Dataset& window) { return window.batch(4); }, 5));
  all.push_back(sample_from_datasets({range(9), doubled(range(9)).repeat()}, {.weights = {0.7, 0.3}, .seed = 1}));
  all.push_back(choose_from_datasets({range(9), range(5)}, range(2).repeat()));
  all.push_back(rows(12).unbatch().filter([](const Tensor& x) { return x > 3; }).batch(2).rebatch(3));
  all.push_back(zip({range(20).concatenate(range(3)).shard(2, 1), endless().skip(2)}));
  all.push_back(failing(30).ignore_errors().prefetch(2).cache());
  all.push_back(csv_dataset({csv.path()}, {{i32}, {DType::string}}).repeat(2).padded_batch(2));
  all.push_back(range(5000).shuffle(kAutotune, {.seed = 1, .order = ShuffleOrder::blocks}).batch(70).repeat(2));
  for (Dataset& each : all)
    each = each.with_options({.cpu_budget = 1, .ram_budget = 64 << 20, .restore_seconds = 0.05});
  return all;
}
const std::vector<Dataset>& pipelines() {
  static const std::vector<Dataset> all = make_pipelines();
  return all;
}

// What lies before the stages' part, taken from a state that is sound.
std::string complete(const Iterator& iterator, std::string_view of_stages) {
  const std::string sound = iterator.save();
  StateReader whole(sound);
  StateReader body(whole.text());
  StateWriter head;
  const uint64_t version = body.number();
  head.number(version);
  head.number(body.number());
  const std::string bytes = head.bytes() + std::string(of_stages);
  StateWriter result;
  result.text(bytes);
  result.number(murmur_hash64(bytes, version));
  return result.bytes();
}

// Some elements, as text; "!" where one cannot be made, "." at the end.
std::string read_some(Iterator& iterator) {
  std::string text;
  for (int i = 0; i < 6; ++i) {
    Item item;
    try {
      if (!iterator.next(item)) return text + ".";
      for (const Tensor& part : item) {
        text += cat(part.dtype(), part.shape());
        if (part.dtype() == DType::string)
          for (int64_t k = 0; k < part.size(); ++k) text += string_at(part.array(), k);
        else text.append(part.array().as<char>(), part.array().aval.bytes());
      }
    } catch (const Error&) {
      text += "!";
    }
  }
  return text;
}

bool restores(Iterator& iterator, std::string_view state) {
  try {
    iterator.restore(state);
  } catch (const Error&) {  // a DataError, say, where the state leads into the middle of a row
    return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::ostream* const quiet = (std::cerr.setstate(std::ios::failbit), &std::cerr);  // elements are left out
  (void)quiet;
  if (size == 0) return 0;
  const Dataset& dataset = pipelines()[data[0] % pipelines().size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Iterator iterator = dataset.iterator(0);
  restores(iterator, bytes);
  const bool accepted = restores(iterator, complete(dataset.iterator(0), bytes));
  const std::string saved = iterator.save();
  const std::string next = read_some(iterator);
  if (accepted) {
    Iterator other = dataset.iterator(0);
    if (restores(other, saved) && read_some(other) != next) std::abort();
  }
  iterator.reset(1);
  read_some(iterator);
  return 0;
}
