// The main of every unit test program. Each test starts from the same seed, so that a failure returns when it is run
// again, alone or with the others; BRIO_TEST_SEED=N tries other numbers.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "brio/ops/random/random.h"
#include "tests/source_dir.h"
#include "tests/walled_device.h"

namespace {

class AroundEachTest : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    const char* seed = std::getenv("BRIO_TEST_SEED");
    brio::random::set_seed(seed ? std::strtoull(seed, nullptr, 10) : 1);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    const std::string strays = brio::test::stray_accesses();
    if (strays.empty()) return;
    std::fprintf(stderr, "%s.%s: %s", test.test_suite_name(), test.name(), strays.c_str());
    failed = true;
  }

 public:
  bool failed = false;
};

}  // namespace

std::string brio::test::source_dir() { return BRIO_SOURCE_DIR; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  auto* const around = new AroundEachTest;
  testing::UnitTest::GetInstance()->listeners().Append(around);
  if (const char* device = std::getenv("BRIO_DEVICE"); device && std::string_view(device).starts_with("walled"))
    for (const int number : {0, 1}) brio::test::walled_device(number);
  const int result = RUN_ALL_TESTS();
  return around->failed ? 1 : result;
}
