// Seeds: where the numbers of a draw come from (parameters.h).
#include <memory>
#include <unordered_map>

#include "brio/base/error.h"
#include "brio/python/bind.h"
#include "brio/python/journal.h"

namespace brio::python {
namespace {

uint64_t mixed(uint64_t x) {  // as SplitMix64 does
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// The interpreter's lock guards it.
struct Seeds {
  std::optional<uint64_t> global;
  std::unordered_map<uint64_t, uint64_t> calls;  // of each seed in eager code, so far
  // Of draws in traced functions, with the seeds that they start with. Functions draw from them at any time: they are
  // never freed.
  std::vector<std::pair<uint64_t, std::unique_ptr<Generator>>> traced;
};
Seeds& seeds() {
  static auto* all = new Seeds();
  return *all;
}

uint64_t with_global(uint64_t seed) {
  const uint64_t global = seeds().global.value_or(0);
  return global == 0 ? seed : mixed(seed ^ mixed(global));
}

uint64_t next_of_seed(uint64_t seed) {
  constexpr size_t kMost = 1 << 16;  // whoever uses more seeds than this wants one draw of each
  if (seeds().calls.size() >= kMost) seeds().calls.clear();
  const uint64_t call = seeds().calls[seed]++;
  return call == 0 ? with_global(seed) : mixed(with_global(seed) + call);
}

Generator* traced_generator(uint64_t seed) {
  seeds().traced.emplace_back(seed, std::make_unique<Generator>(seed));
  return seeds().traced.back().second.get();
}

bool has_tensors(nb::handle h) {
  if (is_tensor(h)) return true;
  if (!PyList_Check(h.ptr()) && !PyTuple_Check(h.ptr())) return false;
  for (nb::handle item : h)
    if (is_tensor(item)) return true;
  return false;
}

constinit thread_local TracedDraws* traced_draws = nullptr;
constinit thread_local OpDraws* op_draws = nullptr;

}  // namespace

void set_global_seed(uint64_t seed) {
  random::set_seed(seed);
  seeds().global = seed;
  seeds().calls.clear();
  for (auto& [start, generator] : seeds().traced) generator->restore({start, 0});
}

Generator& OpDraws::of(std::optional<uint64_t> seed) {
  for (const auto& [known, generator] : generators_)
    if (known == seed) return *generator;
  constexpr uint64_t kNoGraphSeed = 87654321;  // TensorFlow's
  uint64_t start;
  if (seed) {
    start = mixed(*seed ^ mixed(graph_seed_.value_or(kNoGraphSeed)));
  } else if (graph_seed_) {
    start = mixed(op_ + mixed(*graph_seed_));
  } else {
    const Generator::State next = random::generator().advance(1);
    start = mixed(next.seed ^ mixed(next.counter));
  }
  // Traces draw from it at any time: it is never freed.
  static auto* all = new std::vector<std::unique_ptr<Generator>>();
  all->push_back(std::make_unique<Generator>(start));
  generators_.emplace_back(seed, all->back().get());
  return *all->back();
}

OpDrawsScope::OpDrawsScope(OpDraws& draws) : generator_(draws.of({})), before_(std::exchange(op_draws, &draws)) {}
OpDrawsScope::~OpDrawsScope() { op_draws = before_; }

TracedDraws::TracedDraws() : around_(std::exchange(traced_draws, this)) {}
TracedDraws::~TracedDraws() { traced_draws = around_; }

SourceArgument SourceArgument::of_seed(nb::handle seed) {
  if (current_journal) {
    if (!seed.is_none()) current_journal->draws_with(static_cast<uint64_t>(integer_from(seed)));
    return {};
  }
  if (op_draws) {
    const auto given = seed.is_none() ? std::nullopt : std::optional(static_cast<uint64_t>(integer_from(seed)));
    return {{.generator = &op_draws->of(given)}};
  }
  if (seed.is_none()) {
    if (!is_tracing() || !traced_draws || !seeds().global) return {};
    if (!traced_draws->generator_) traced_draws->generator_ = traced_generator(mixed(*seeds().global));
    return {{.generator = traced_draws->generator_}};
  }
  const auto value = static_cast<uint64_t>(integer_from(seed));
  if (is_tracing()) return {{.generator = traced_generator(with_global(value))}};
  return {{.seed = next_of_seed(value)}};
}

SourceArgument SourceArgument::of_pair(nb::handle seed) {
  if (has_tensors(seed)) {
    const Tensor pair = tensor_of(seed, {.preferred = i64, .as_input = true});
    if (current_journal || !readable(pair)) return {{}, {{pair}}};
  }
  const std::vector<int64_t> numbers = seed.is_none() ? std::vector<int64_t>() : dims_from(seed);
  if (numbers.size() != 2)
    throw InvalidArgument(cat("[random] the seed of a stateless function is two integers, but got ", numbers.size()));
  return {random::stateless({numbers[0], numbers[1]})};
}

DrawSource SourceArgument::read() const {
  if (tensors.empty()) return {source};
  return {{}, std::make_unique<StreamScope>(tensors[0].tensor)};
}

}  // namespace brio::python
