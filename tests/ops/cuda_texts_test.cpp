// Kernels of GPUs without a GPU: every op's cases are prepared for a device that is not there, and the texts that
// come of it compiled for it. What they compute is tested where there is a device: `make test-cuda`.
#ifdef BRIO_WITH_CUDA
#include <gtest/gtest.h>

#include <cstdlib>

#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "tests/ops/harness.h"

namespace brio::testing {
namespace {

TEST(CudaTexts, CompileForEveryOp) {
  if (std::getenv("BRIO_ISA") || std::getenv("BRIO_DEVICE")) GTEST_SKIP() << "texts are the same under every setting";
  try {
    cuda::nvrtc();
  } catch (const ResourceError& error) {
    GTEST_SKIP() << error.what();
  }
  Registry devices;
  devices.add_device(std::make_unique<cuda::CudaDevice>(cuda::CudaDevice::Imagined{90}));
  const std::string name(devices.host().name());
  auto& device = static_cast<cuda::CudaDevice&>(devices.host());
  cuda::add_kernels(devices, name, false);
  size_t prepared = 0;
  for (const OpTest& test : op_tests())
    for (size_t d = 0; d < test.dtypes.size(); ++d) {
      // One rank for each dtype: other cases of the op differ in sizes, which are no part of a text.
      const int i = static_cast<int>((d + 2) % 9);
      Rng rng(static_cast<uint64_t>(i) + 1);
      const Case made = test.make(rng, test.dtypes[d], i);
      Graph graph;
      std::vector<ValueId> in;
      for (const Input& input : made.inputs) in.push_back(graph.add_input(input.aval));
      const Node node = graph.add(*test.op, in, made.attrs, made.graphs);
      const NodeView view{graph, node, &device};
      for (const Implementation& implementation : devices.implementations(device, *test.op))
        if (implementation.supports(view).yes) {
          implementation.prepare(view);
          ++prepared;
        }
    }
  EXPECT_GT(prepared, 700u);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return;  // the compiler is not ours to check, and slow so
#endif
  size_t programs = 0;
  for (const std::string& program : device.compiler().waiting_programs()) {
    EXPECT_FALSE(cuda::Compiler::compile(program, 90).empty());
    ++programs;
  }
  EXPECT_GT(programs, 10u);
}

// How many kernels of a label each program holds, in the programs' order.
std::vector<size_t> kernels_of(const std::vector<std::string>& programs, const std::string& label) {
  std::vector<size_t> counts;
  for (const std::string& program : programs) {
    size_t count = 0;
    for (size_t at = program.find("\nkernel brio_" + label); at != program.npos;
         at = program.find("\nkernel brio_" + label, at + 1))
      ++count;
    counts.push_back(count);
  }
  return counts;
}

TEST(CudaTexts, ProgramsAreOfLikeEffortAndTheLongestComesFirst) {
  cuda::Compiler compiler(90);
  const auto ask = [&](const char* label, int number, std::vector<std::string> parts, int effort) {
    return compiler.code(label, cat("kernel NAME(", label, number, ")"), std::move(parts), effort);
  };
  for (int i = 0; i < 20; ++i) ask("loop", i, {"elementwise"}, cuda::Effort::loop);
  for (int i = 0; i < 3; ++i) ask("fold", i, {"elementwise"}, cuda::Effort::fold);
  for (int i = 0; i < 5; ++i) ask("row", i, {"elementwise", "rows"}, cuda::Effort::usual);
  for (int i = 0; i < 2; ++i) ask("long", i, {"elementwise", "depthwise"}, cuda::Effort::program);
  const auto again = ask("loop", 7, {"elementwise"}, cuda::Effort::loop);  // is known
  EXPECT_EQ(again, ask("loop", 7, {"elementwise"}, cuda::Effort::loop));
  const std::vector<std::string> programs = compiler.waiting_programs();
  using Counts = std::vector<size_t>;
  EXPECT_EQ(kernels_of(programs, "fold"), (Counts{3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(kernels_of(programs, "loop"), (Counts{7, 0, 0, 0, 13, 0}));
  EXPECT_EQ(kernels_of(programs, "long"), (Counts{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(kernels_of(programs, "row"), (Counts{0, 0, 0, 4, 0, 1}));
}

}  // namespace
}  // namespace brio::testing
#endif
