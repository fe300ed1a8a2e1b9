// Convolutions: every implementation that can run a shape, checked against the first and timed in turn, by the CPU
// time of one thread.   build/release/lab_conv [filter]
#include <ctime>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "brio/backends/cpu/lowering/lower.h"
#include "brio/base/error.h"
#include "brio/base/philox.h"
#include "brio/base/thread_pool.h"
#include "brio/ops/network/convolution.h"
#include "brio/ops/network/pooling.h"
#include "brio/runtime/evaluate.h"

namespace {

using namespace brio;

double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Array random_array(const Aval& aval, uint64_t seed) {
  Array array = Array::allocate(aval);
  const RandomStream stream{seed, 0};
  visit(aval.dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (!std::is_integral_v<T>)
      for (int64_t i = 0; i < aval.shape.elements(); ++i)
        array.as<T>()[i] = static_cast<T>(static_cast<float>(stream.uniform_f64(static_cast<uint64_t>(i)) - 0.5));
  });
  return array;
}

struct Runner {
  std::string_view name;
  std::unique_ptr<Kernel> kernel;
  Array out, scratch;
  double best = 1e30;
};

void time_node(const std::string& title, const OpDef& op, const std::vector<Aval>& in, std::vector<int64_t> attrs) {
  Graph graph;
  std::vector<ValueId> ids;
  std::vector<Array> arrays;
  std::vector<const void*> data;
  for (const Aval& aval : in) {
    ids.push_back(graph.add_input(aval));
    arrays.push_back(random_array(aval, arrays.size() + 1));
    data.push_back(arrays.back().data());
  }
  graph.outputs = graph.add(op, ids, std::move(attrs)).out;
  const NodeView view{graph, graph.nodes[0]};
  const Aval out = view.out(0);
  std::vector<Runner> runners;
  for (const Implementation& implementation : registry().implementations(registry().default_device(), op)) {
    if (implementation.priority == 0 || !implementation.supports(view).yes) continue;
    Runner runner{implementation.name, implementation.prepare(view), Array::allocate(out), {}};
    runner.scratch = Array::allocate({Shape{static_cast<int64_t>(runner.kernel->scratch_bytes())}, u8});
    runners.push_back(std::move(runner));
  }
  std::vector<const Aval*> avals;
  for (const Aval& aval : in) avals.push_back(&aval);
  const Cost cost = op.cost({op, avals, view.attrs(), {}}, std::span<const Aval>(&out, 1));
  const int rounds = std::clamp(static_cast<int>(1.5e10 / (cost.flops + cost.bytes * 8)), 3, 200);
  for (int round = 0; round < rounds; ++round)
    for (Runner& runner : runners) {
      void* to[] = {runner.out.data()};
      const double start = now();
      runner.kernel->run({data.data(), to, runner.scratch.data()});
      runner.best = std::min(runner.best, now() - start);
    }
  std::printf("%-44s %-17s", title.c_str(), std::string(op.name).c_str());
  for (Runner& runner : runners) {
    double error = 0, scale = 0;
    if (out.dtype == f32)
      for (int64_t i = 0; i < out.shape.elements(); ++i) {
        error = std::max(error,
                         std::fabs(static_cast<double>(runner.out.as<float>()[i] - runners[0].out.as<float>()[i])));
        scale = std::max(scale, std::fabs(static_cast<double>(runners[0].out.as<float>()[i])));
      }
    std::printf(" | %s %.0f us %.1f GF/s %.1f GB/s%s [%s]", std::string(runner.name).c_str(), runner.best * 1e6,
                cost.flops / runner.best * 1e-9, cost.bytes / runner.best * 1e-9,
                error > 1e-4 * scale ? " WRONG" : "", runner.kernel->description.substr(0, 60).c_str());
  }
  std::printf("\n");
  std::fflush(stdout);
}

struct Problem {
  int64_t batch, size, in, window, out, stride, groups;
};

void time_conv(const Problem& p, DType dtype, const std::string& filter) {
  std::string title =
      cat(info(dtype).name, " ", p.batch, "x", p.size, "x", p.size, "x", p.in, " by ", p.window, "x", p.window,
          " to ", p.out, " /", p.stride, p.groups > 1 ? cat(" in ", p.groups, " groups") : "");
  if (title.find(filter) == std::string::npos) return;
  const int64_t total = std::max<int64_t>(0, ((p.size + p.stride - 1) / p.stride - 1) * p.stride + p.window - p.size);
  const int64_t low = total / 2, high = total - low, out = (p.size + p.stride - 1) / p.stride;
  const std::vector<int64_t> attrs{p.groups, 2, p.stride, p.stride, 2, 1, 1, 2, low, low, 2, high, high};
  auto with = [&](int64_t size) {
    std::vector<int64_t> words = attrs;
    words.insert(words.end(), {2, size, size});
    return words;
  };
  const Aval x{Shape{p.batch, p.size, p.size, p.in}, dtype},
      f{Shape{p.window, p.window, p.in / p.groups, p.out}, dtype}, y{Shape{p.batch, out, out, p.out}, dtype};
  time_node(title, op::conv, {x, f}, attrs);
  time_node(title, op::conv_input_grad, {f, y}, with(p.size));
  time_node(title, op::conv_filter_grad, {x, y}, with(p.window));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string filter = argc > 1 ? argv[1] : "";
  register_runtime();
  set_thread_count(1);
  for (const DType dtype : {f32, bf16})
    for (const Problem& p :
         {Problem{8, 112, 3, 3, 32, 1, 1}, Problem{8, 112, 3, 7, 64, 2, 1}, Problem{8, 28, 1, 3, 32, 1, 1},
          Problem{8, 56, 64, 3, 64, 1, 1}, Problem{8, 56, 64, 3, 128, 2, 1}, Problem{8, 28, 128, 3, 128, 1, 1},
          Problem{8, 14, 256, 3, 256, 1, 1}, Problem{8, 7, 512, 3, 512, 1, 1}, Problem{8, 56, 64, 1, 256, 1, 1},
          Problem{8, 56, 256, 1, 128, 2, 1}, Problem{8, 32, 16, 5, 32, 1, 1}, Problem{8, 32, 8, 3, 32, 1, 1},
          Problem{8, 56, 128, 3, 128, 1, 32}, Problem{8, 56, 64, 3, 64, 1, 64}, Problem{8, 56, 64, 3, 64, 2, 64},
          Problem{8, 28, 192, 5, 192, 1, 192}})
      time_conv(p, dtype, filter);
  if (std::string("pool").find(filter) == std::string::npos) return 0;
  const Aval x{Shape{8, 112, 112, 64}, f32}, y{Shape{8, 56, 56, 64}, f32};
  const std::vector<int64_t> pool{2, 2, 2, 2, 2, 2, 2, 0, 0, 2, 0, 0};
  time_node("pool 8x112x112x64 by 2x2 /2", op::max_pool, {x}, pool);
  time_node("pool 8x112x112x64 by 2x2 /2", op::max_pool_grad, {x, y}, pool);
  time_node("pool 8x112x112x64 by 2x2 /2", op::avg_pool, {x}, pool);
}
