// docs/ops.md is the op table, printed. BRIO_WRITE_DOCS=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "brio/ir/op.h"
#include "brio/runtime/evaluate.h"
#include "tests/source_dir.h"

namespace brio {
namespace {

TEST(OpTable, IsComplete) {
  register_runtime();
  EXPECT_NO_THROW(check_op_table());
}

TEST(OpTable, DocumentationIsUpToDate) {
  register_runtime();
  const std::string path = test::source_dir() + "/docs/ops.md";
  if (std::getenv("BRIO_WRITE_DOCS")) std::ofstream(path) << op_table_markdown();
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), op_table_markdown()) << "write it anew: BRIO_WRITE_DOCS=1 test_ops --gtest_filter=OpTable.*";
}

}  // namespace
}  // namespace brio
