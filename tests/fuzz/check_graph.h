// What a random graph must stand: it is run planned, unplanned, by the reference, with a pass off, in as little
// memory as computing values again allows, and by 1, 2 and 7 threads. All must agree: with the reference as closely
// as the caller says; in little memory, and for every number of threads, bit for bit.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "brio/base/thread_pool.h"
#include "brio/passes/pipeline.h"
#include "brio/runtime/interpret.h"
#include "brio/runtime/plan_cache.h"

namespace brio::fuzz {

struct Sample {
  Graph graph;
  std::vector<Array> inputs;
  double tolerance = 2e-5;
};

inline std::vector<Array> run(std::shared_ptr<const Plan> plan, const Sample& sample) {
  const CachedPlan cached(std::move(plan));
  std::vector<Array> inputs;  // copies: donated ones are overwritten
  std::vector<const void*> in;
  for (const Array& array : sample.inputs) {
    inputs.push_back(Array::allocate(array.aval));
    if (array.aval.bytes()) std::memcpy(inputs.back().data(), array.data(), array.aval.bytes());
    in.push_back(inputs.back().data());
  }
  std::vector<BufferRef> fresh;
  std::vector<void*> out;
  for (size_t bytes : cached.plan().fresh_buffers()) {
    fresh.push_back(BufferRef::allocate(bytes, Owner::other));
    out.push_back(fresh.back()->data());
  }
  cached.run(in.data(), out.data());
  std::vector<Array> results;
  for (const Plan::Output& output : cached.plan().outputs()) {
    const BufferRef& buffer = output.is_input ? inputs[output.index].buffer : fresh[output.index];
    results.push_back({output.aval, buffer, output.offset});
  }
  return results;
}

inline double number_at(const Array& array, int64_t i) {
  return visit(array.aval.dtype, [&](auto t) -> double {
    using T = decltype(t);
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return static_cast<float>(array.as<T>()[i]);
    else return static_cast<double>(array.as<T>()[i]);
  });
}

// What differs; empty when nothing does. tolerance < 0: bit for bit.
inline std::string difference(const std::vector<Array>& a, const std::vector<Array>& b, double tolerance) {
  for (size_t k = 0; k < a.size(); ++k) {
    if (!(a[k].aval == b[k].aval)) return cat("output ", k, " has another type");
    if (tolerance < 0) {
      if (a[k].aval.bytes() && std::memcmp(a[k].data(), b[k].data(), a[k].aval.bytes()) != 0)
        return cat("output ", k, " differs in its bits");
      continue;
    }
    for (int64_t i = 0; i < a[k].aval.shape.elements(); ++i) {
      const double x = number_at(a[k], i), y = number_at(b[k], i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!(std::abs(x - y) <= tolerance * std::max({1.0, std::abs(x), std::abs(y)})))
        return cat("output ", k, " element ", i, ": ", x, " against ", y);
    }
  }
  return {};
}

// Says what is not close enough; empty when all is.
using Close = std::function<std::string(const std::vector<Array>& actual, const std::vector<Array>& reference)>;

// A graph through all the comparisons; the report of the first that fails, with the graph as its reproducer. The seed
// chooses the pass that is left out.
inline std::string check(const Sample& sample, uint64_t seed, const Close& close) {
  Device& device = registry().host();
  auto report = [&](std::string_view what, const std::string& problem) {
    return cat("seed ", seed, ": ", what, ": ", problem, "\n", sample.graph.str());
  };
  try {
    if (const Graph again = Graph::parse(sample.graph.str()); again.str() != sample.graph.str())
      return report("text", "printing and parsing are not inverse");
    const std::vector<Array> reference = interpret(sample.graph, sample.inputs);
    const std::vector<Array> planned = run(Plan::make(sample.graph, device), sample);
    if (auto p = close(planned, reference); !p.empty()) return report("planned against reference", p);
    const std::vector<Array> unplanned = run(Plan::make_unoptimized(sample.graph, device), sample);
    if (auto p = close(unplanned, reference); !p.empty()) return report("unplanned against reference", p);
    const Pass& pass = pipeline()[seed % pipeline().size()];
    set_pass_enabled(pass.name, false);
    const std::vector<Array> without = run(Plan::make(sample.graph, device), sample);
    set_pass_enabled(pass.name, true);
    if (auto p = close(without, reference); !p.empty()) return report(cat("without pass ", pass.name), p);
    if (pass.name == "fuse")
      if (auto p = difference(without, planned, -1); !p.empty()) return report("fusing changed bits", p);
    const auto small = Plan::make(sample.graph, device, {.arena_limit = 1});
    if (auto p = difference(run(small, sample), planned, -1); !p.empty()) return report("computing again", p);
    const int before = thread_count();
    for (int threads : {1, 2, 7}) {
      set_thread_count(threads);
      if (auto p = difference(run(Plan::make(sample.graph, device), sample), planned, -1); !p.empty()) {
        set_thread_count(before);
        return report(cat(threads, " threads"), p);
      }
    }
    set_thread_count(before);
  } catch (const std::exception& error) {
    for (const Pass& pass : pipeline()) set_pass_enabled(pass.name, true);
    return report("exception", error.what());
  }
  return {};
}

}  // namespace brio::fuzz
