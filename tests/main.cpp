// The main of every unit test program. Each test starts from the same seed, so that a failure returns when it is run
// again, alone or with the others; BRIO_TEST_SEED=N tries other numbers.
#include <gtest/gtest.h>

#include <cstdlib>

#include "brio/ops/random.h"
#include "tests/source_dir.h"

namespace {

class SeedEachTest : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override {
    const char* seed = std::getenv("BRIO_TEST_SEED");
    brio::random::set_seed(seed ? std::strtoull(seed, nullptr, 10) : 1);
  }
};

}  // namespace

std::string brio::test::source_dir() { return BRIO_SOURCE_DIR; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new SeedEachTest);
  return RUN_ALL_TESTS();
}
