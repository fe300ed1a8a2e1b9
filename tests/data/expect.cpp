#include "tests/data/expect.h"

#include <map>
#include <set>

#include "brio/tensor/strings.h"
#include "tests/golden/golden.h"

namespace brio::data {
namespace {

const std::map<std::string, golden::Case>& cases() {
  static const auto all = [] {
    std::map<std::string, golden::Case> map;
    for (const char* file : {"datasets_joined.json", "datasets_nested.json", "datasets_states.json"})
      for (golden::Case& each : golden::load(file)) map.emplace(each.name, each);
    return map;
  }();
  return all;
}

// At the end of a run of all tests, no case lies about unread.
class AllExpected final : public testing::Environment {
 public:
  std::set<std::string> seen;
  void TearDown() override {
    if (GTEST_FLAG_GET(filter) != "*" || testing::UnitTest::GetInstance()->Failed()) return;
    for (const auto& [name, one] : cases()) EXPECT_TRUE(seen.count(name)) << "no test expects golden case " << name;
  }
};
AllExpected* const all_expected = [] {
  auto* made = new AllExpected;
  testing::AddGlobalTestEnvironment(made);  // which owns it
  return made;
}();

std::vector<double> values_of(const Tensor& tensor) {
  auto as_doubles = [&]<typename T>(T) {
    const std::vector<T> values = tensor.to_vector<T>();
    return std::vector<double>(values.begin(), values.end());
  };
  switch (tensor.dtype()) {
    case DType::f32: return as_doubles(float{});
    case DType::i64: return as_doubles(int64_t{});
    default: ADD_FAILURE() << "no golden has this type: " << tensor.dtype(); return {};
  }
}

}  // namespace

void expect_golden(const std::string& name, const Dataset& dataset) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(cases().count(name));
  const golden::Case& expected = cases().at(name);
  all_expected->seen.insert(name);
  Iterator iterator = dataset.iterator(0);
  Item item;
  for (int64_t i = 0; i < static_cast<int64_t>(expected.number("elements")); ++i) {
    ASSERT_TRUE(iterator.next(item)) << "element " << i;
    ASSERT_EQ(expected.outputs.count(cat(i, ".", item.size())), 0U) << "TensorFlow's elements have more parts";
    for (size_t k = 0; k < item.size(); ++k) {
      const golden::Array& part = expected.output(cat(i, ".", k));
      ASSERT_EQ(item[k].shape(), Shape(part.shape)) << "part " << k << " of element " << i;
      if (item[k].dtype() == DType::string) {
        for (size_t t = 0; t < part.texts.size(); ++t)
          EXPECT_EQ(string_at(item[k].array(), static_cast<int64_t>(t)), part.texts[t]) << "element " << i;
      } else {
        EXPECT_EQ(values_of(item[k]), part.data) << "part " << k << " of element " << i;
      }
    }
  }
  EXPECT_FALSE(iterator.next(item));
  check_pipeline(dataset);
}

Dataset growing(int64_t n) {
  return range(n).map([](Sample& sample) {
    const int64_t value = *sample.read<int64_t>(0);
    std::fill_n(sample.write<int64_t>(0, {value}), value, value);
  });
}

}  // namespace brio::data
