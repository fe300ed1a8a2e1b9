#include "brio/backends/cpu/tiles/tile_ops.h"

#include <mutex>
#include <string>
#include <unordered_map>

#include "brio/backends/cpu/tiles/tile_families.h"
#include "brio/base/isa.h"

namespace brio::cpu {
namespace {

// Nanoseconds per f32 element with 256-bit vectors, roughly. Everything else costs about a load and a store.
struct OpCost {
  std::string_view op;
  double f32_cost;
};
constexpr double kPlainCost = 0.06;
constexpr OpCost kCosts[] = {
#define BRIO_TILE_FUNCTION(op, how, vector, scalar, cost) {#op, cost},
#include "brio/backends/cpu/tiles/function_rows.h"
    {"x*sigmoid", 0.8}, {"x*ndtr", 1.0},    {"pow", 3.0}, {"atan2", 3.0}, {"mod", 10.0},  {"polygamma", 200.0},
    {"nextafter", 5.0}, {"floor_div", 0.4}, {"div", 0.2}, {"sqrt", 0.2},  {"rsqrt", 0.4}, {"reciprocal", 0.2}};

double estimate_cost(std::string_view op, DType in) {
  double cost = kPlainCost;
  for (const OpCost& row : kCosts)
    if (row.op == op) cost = row.f32_cost;
  if (in == f64) return cost > kPlainCost ? 6 * cost : 2 * cost;
  if (in == f16 || in == bf16) return cost + 2 * kPlainCost;
  if (is_integer(in) && cost > kPlainCost) return 5.0;
  return cost;
}

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
// What was found for one instruction set, and what it costs: planning asks for each op of each loop again.
struct FoundFns {
  std::mutex mutex;
  size_t isa = 0;
  std::unordered_map<std::string, TileFn, NameHash, std::equal_to<>> by_name[kDTypeCount][kDTypeCount];
  std::unordered_map<TileFn, double> cost;
};
FoundFns& found_fns() {
  static FoundFns table;
  return table;
}

TileFn look_up(std::string_view op, DType in, DType out) {
  if (op == "cast") return find_cast(in, out);
  if (TileFn fn = find_comparison(op, in, out)) return fn;
  if (in != out) return nullptr;
  if (op == "select") return find_selection(in);
  if (TileFn fn = find_float_arithmetic(op, in)) return fn;
  if (TileFn fn = find_float_function(op, in)) return fn;
  return find_integer(op, in);
}

}  // namespace

TileFn find_tile_fn(std::string_view op, DType in, DType out) {
  FoundFns& table = found_fns();
  const std::lock_guard lock(table.mutex);
  auto& named = table.by_name[static_cast<size_t>(in)][static_cast<size_t>(out)];
  if (table.isa == isa_in_use())
    if (const auto before = named.find(op); before != named.end()) return before->second;
  apply_isa_cap();
  const TileFn fn = look_up(op, in, out);
  if (const size_t isa = isa_in_use(); table.isa != isa) {
    for (auto& row : table.by_name)
      for (auto& each : row) each.clear();
    table.isa = isa;
  }
  named.emplace(op, fn);
  if (fn) table.cost.emplace(fn, estimate_cost(op, in));
  return fn;
}

double tile_fn_cost(TileFn fn) {
  FoundFns& table = found_fns();
  const std::lock_guard lock(table.mutex);
  const auto found = table.cost.find(fn);
  return found == table.cost.end() ? kPlainCost : found->second;
}

}  // namespace brio::cpu
