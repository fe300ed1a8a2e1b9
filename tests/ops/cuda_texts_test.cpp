// Kernels of GPUs without a GPU: every op's cases are prepared for a device that is not there, and the texts that
// come of it compiled for it. What they compute is tested where there is a device: `make test-cuda`.
#ifdef BRIO_WITH_CUDA
#include <gtest/gtest.h>

#include <cstdlib>

#include "brio/backends/cuda/lower.h"
#include "brio/base/error.h"
#include "brio/ops/elementwise/fusion.h"
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

// A loop over a table of which there are rows and places; `body` makes %4 of the table, which is %3.
std::string loop_over_rows(std::string_view table, std::string_view rows, std::string_view body,
                           std::string_view result) {
  const std::string inputs =
      cat("%0: f32[", rows, "], %1: i32[", table.substr(0, table.find(',')), "], %2: f32[", table, "]");
  return cat("(", inputs, ") {\n%3 = fused %0, %1, %2 (", inputs, ") {\n%3 = spread_rows %0, %1 : f32[", table, "]\n",
             body, "\nreturn %4\n} : ", result, "\nreturn %3\n}");
}

TEST(CudaTexts, LoopsReadTablesAsRows) {
  Registry devices;
  devices.add_device(std::make_unique<cuda::CudaDevice>(cuda::CudaDevice::Imagined{90}));
  auto& device = static_cast<cuda::CudaDevice&>(devices.host());
  cuda::add_kernels(devices, devices.host().name(), false);
  const auto prepared = [&](const std::string& text) -> std::string {
    const Graph graph = Graph::parse(text);
    const NodeView view{graph, graph.nodes[0], &device};
    for (const Implementation& each : devices.implementations(device, op::fused)) {
      if (each.name != "loop") continue;
      const Support support = each.supports(view);
      if (support.yes) each.prepare(view);
      return support.yes ? "" : support.reason;
    }
    return "no loops";
  };
  const std::string sum = "%4 = reduce_sum %3 {keepdims=false, axes=[";
  EXPECT_EQ(prepared(loop_over_rows("50,8", "4,8", "%4 = mul %3, %2 : f32[50,8]", "f32[50,8]")), "");
  EXPECT_EQ(prepared(loop_over_rows("50,8", "4,8", sum + "0]} : f32[8]", "f32[8]")), "");
  EXPECT_EQ(prepared(loop_over_rows("50,8", "4,8", sum + "1]} : f32[50]", "f32[50]")), "");
  EXPECT_EQ(prepared(loop_over_rows("50,8", "4,8", sum + "0,1]} : f32[]", "f32[]")), "");
  EXPECT_EQ(prepared(loop_over_rows("50,8,4", "4,8,4", sum + "1]} : f32[50,4]", "f32[50,4]")), "");
  EXPECT_NE(prepared(loop_over_rows("1,8", "4,8", "%4 = mul %3, %2 : f32[1,8]", "f32[1,8]")), "");
  EXPECT_NE(prepared(loop_over_rows("50,3", "4,3", "%4 = mul %3, %2 : f32[50,3]", "f32[50,3]")), "");
  EXPECT_NE(prepared(loop_over_rows("50,1", "4,1", "%4 = mul %3, %2 : f32[50,1]", "f32[50,1]")), "");
  EXPECT_NE(prepared(loop_over_rows("40,40", "40,40", "%4 = mul %3, %0 : f32[40,40]", "f32[40,40]")), "");
  std::string all;
  for (const std::string& program : device.compiler().waiting_programs()) all += program;
  EXPECT_NE(all.find("row0 = row_at(((const i32*)p.in[1])[k0], p.last[0])"), all.npos);
  EXPECT_NE(all.find("row0 = row_at(((const i32*)p.in[1])[f0], p.last[0])"), all.npos);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  try {
    cuda::nvrtc();
  } catch (const ResourceError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const std::string& program : device.compiler().waiting_programs())
    EXPECT_FALSE(cuda::Compiler::compile(program, 90).empty());
#endif
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

// Vectors of three do not exist: channels that three divides, of a filter for which a thread has sums of three, go
// two or one at a time.
TEST(CudaTexts, DepthwiseGradientsOfSixChannelsCompile) {
  Registry devices;
  devices.add_device(std::make_unique<cuda::CudaDevice>(cuda::CudaDevice::Imagined{90}));
  auto& device = static_cast<cuda::CudaDevice&>(devices.host());
  cuda::add_kernels(devices, devices.host().name(), false);
  const Graph graph = Graph::parse(R"((%0: f32[2,9,16,6], %1: f32[2,7,4,6]) {
    %2 = conv_filter_grad %0, %1 {groups=6, stride=[1,3], dilation=[1,2], low=[0,0], high=[0,0], size=[3,4]} : f32[3,4,1,6]
    return %2
  })");
  const NodeView view{graph, graph.nodes[0], &device};
  size_t prepared = 0;
  for (const Implementation& each : devices.implementations(device, *graph.nodes[0].op))
    if (each.supports(view).yes) {
      each.prepare(view);
      ++prepared;
    }
  EXPECT_GT(prepared, 0u);
  std::string all;
  for (const std::string& program : device.compiler().waiting_programs()) all += program;
  EXPECT_NE(all.find("depthwise_filter_grad<2,"), all.npos);
  EXPECT_EQ(all.find("depthwise_filter_grad<3,"), all.npos);
}

TEST(CudaFailures, NameWhatWasUnderWay) {
  cuda::UnderWay under_way;
  EXPECT_EQ(cuda::named(under_way.since(0)), "nothing is known to have been under way");
  under_way.add(1, "gather");
  under_way.add(2, "matmul");
  EXPECT_EQ(cuda::named(under_way.since(1)), "the op is matmul");
  under_way.add(3, std::make_shared<const cuda::OpNames>(cuda::OpNames{"softmax", "matmul", "adam_update"}));
  EXPECT_EQ(cuda::named(under_way.since(0)), "it is one of these ops: gather, matmul, softmax, adam_update");
  EXPECT_EQ(cuda::named(under_way.since(2)), "it is one of these ops: softmax, matmul, adam_update");
  for (uint64_t ticket = 4; ticket < 200; ++ticket) under_way.add(ticket, "relu");  // it forgets what is long ago
  EXPECT_EQ(cuda::named(under_way.since(0)), "the op is relu");
}

}  // namespace
}  // namespace brio::testing
#endif
