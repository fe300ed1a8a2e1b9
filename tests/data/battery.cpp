#include "tests/data/battery.h"

#include "brio/base/error.h"
#include "brio/ir/graph.h"
#include "brio/runtime/evaluate.h"
#include "brio/tensor/strings.h"

namespace brio::data {

std::string fingerprint(const Item& item) {
  std::string text;
  for (const Tensor& part : item) {
    const Array& array = part.array();
    text += format_aval(array.aval);
    text += ':';
    if (array.aval.dtype == DType::string)
      for (int64_t i = 0; i < array.aval.shape.elements(); ++i) text += cat(string_at(array, i), "|");
    else text.append(array.as<char>(), array.aval.bytes());
    text += ';';
  }
  return text;
}

std::vector<std::string> all_of(const Dataset& dataset, uint64_t epoch, size_t most) {
  std::vector<std::string> list;
  Iterator iterator = dataset.iterator(epoch);
  for (Item item; list.size() < most && iterator.next(item);) list.push_back(fingerprint(item));
  return list;
}

void check_pipeline(const Dataset& dataset, size_t most) {
  SCOPED_TRACE(dataset.describe());
  const std::vector<std::string> expected = all_of(dataset, 1, most);
  for (const int64_t threads : {1, 2, 5}) {
    // A fixed read-ahead has threads from the first element on; the tuner would spare them for so little work.
    EXPECT_EQ(all_of(dataset.prefetch(threads), 1, most), expected) << "prefetch(" << threads << ")";
    EXPECT_EQ(all_of(dataset.map(
                         [](Sample& sample) {
                           for (size_t i = 0; i < sample.size(); ++i) sample.pass(i, i);
                         },
                         {.num_parallel_calls = threads, .results = dataset.structure().parts()}),
                     1, most),
              expected)
        << threads << " threads";
  }
  for (const Dataset& each : {dataset, dataset.prefetch(3)}) {
    Iterator walking = each.iterator(1);
    for (size_t at = 0; at <= expected.size(); ++at) {
      const std::string state = walking.save();
      Iterator again = each.iterator(7);  // another epoch: the state brings its own
      again.restore(state);
      EXPECT_EQ(again.save(), state) << "after " << at;
      Item item;
      for (size_t k = at; k < std::min(expected.size(), at + 3); ++k) {
        ASSERT_TRUE(again.next(item)) << "element " << k << " is missing after a restore at " << at;
        ASSERT_EQ(fingerprint(item), expected[k]) << "element " << k << " after a restore at " << at;
      }
      if (expected.size() < most && at + 3 >= expected.size()) {
        EXPECT_FALSE(again.next(item)) << "after " << at;
      }
      if (at < expected.size()) {
        ASSERT_TRUE(walking.next(item));
      }
    }
  }
}

std::vector<int64_t> numbers(const Dataset& dataset, uint64_t epoch, size_t most) {
  std::vector<int64_t> list;
  Iterator iterator = dataset.iterator(epoch);
  for (Item item; list.size() < most && iterator.next(item);)
    for (const int64_t value : item[0].to_vector<int64_t>()) list.push_back(value);
  return list;
}

}  // namespace brio::data
