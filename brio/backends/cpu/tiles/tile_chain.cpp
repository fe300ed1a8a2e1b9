#include "brio/backends/cpu/tiles/tile_chain.h"

#include <atomic>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "brio/backends/cpu/tiles/tile_families.h"
#include "brio/base/error.h"
#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/tiles/tile_chain.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/float_ops-inl.h"
#include "brio/backends/cpu/loops/simd_loops-inl.h"

#ifndef BRIO_CPU_CHAIN_ROW
#define BRIO_CPU_CHAIN_ROW
namespace brio::cpu {

// Where a link's operands are. "value" is the value in flight; a function of one operand has only that.
enum class Form : uint8_t { value, value_value, value_reg, reg_value, value_splat, splat_value };
constexpr size_t kForms = 6;

struct LinkFns {
  void (*wide)();
  void (*single)();
  void (*tail)();
};
struct ChainRow {
  std::string_view name;
  LinkFns forms[kForms];  // null where the function has no such form
};
struct ChainTable {
  const ChainRow* rows;
  size_t count;
  LinkFns load, load_splat, store, end;
  void (*run)(const Chain& chain, void* const* registers, size_t n);
};

}  // namespace brio::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr size_t kLanes = hn::MaxLanes(D());
constexpr size_t kWide = 8;  // as many vectors as are passed in registers

// The links for sizeof...(Vs) vectors from element i on; with kTail, of n < kLanes elements.
template <bool kTail, class... Vs>
struct Links {
  using Fn = void (*)(const ChainLink*, void* const*, size_t, size_t, Vs...);
  using Index = std::index_sequence_for<Vs...>;

  static HWY_INLINE void follow(const ChainLink* link, void* const* r, size_t i, size_t n, Vs... v) {
    reinterpret_cast<Fn>(link->fn)(link, r, i, n, v...);
  }
  static HWY_INLINE V load_one(const float* p, size_t k, size_t n) {
    if constexpr (kTail) return load_tail(D(), p, n);
    else return hn::LoadU(D(), p + k * kLanes);
  }
  static HWY_INLINE void store_one(V v, float* p, size_t k, size_t n) {
    if constexpr (kTail) store_tail(v, D(), p, n);
    else hn::StoreU(v, D(), p + k * kLanes);
  }
  static HWY_INLINE const float* operand(const ChainLink* link, void* const* r) {
    return static_cast<const float*>(r[link->reg]);
  }

  // Calls use(vectors of p…). They are loaded in ascending order, which a compiler does not see a reason for: a cache
  // gives lines that are asked for in disorder at up to 1.3 times the time.
  template <class Use, class... Loaded>
  static HWY_INLINE void with_loaded(const float* p, size_t n, const Use& use, Loaded... loaded) {
    if constexpr (sizeof...(Loaded) == sizeof...(Vs)) {
      use(loaded...);
    } else {
      const V next = load_one(p, sizeof...(Loaded), n);
      std::atomic_signal_fence(std::memory_order_seq_cst);  // no instruction, but what is loaded later stays later
      with_loaded(p, n, use, loaded..., next);
    }
  }
  static void load(const ChainLink* link, void* const* r, size_t i, size_t n, Vs...) {
    with_loaded(operand(link, r) + i, n, [=](auto... x) HWY_ATTR { follow(link + 1, r, i, n, x...); });
  }
  static void load_splat(const ChainLink* link, void* const* r, size_t i, size_t n, Vs... v) {
    const V splat = hn::Set(D(), *operand(link, r));
    follow(link + 1, r, i, n, ((void)v, splat)...);
  }

  template <size_t... k>
  static HWY_INLINE void store_at(std::index_sequence<k...>, const ChainLink* link, void* const* r, size_t i,
                                  size_t n, Vs... v) {
    float* p = static_cast<float*>(r[link->reg]) + i;
    (store_one(v, p, k, n), ...);
    follow(link + 1, r, i, n, v...);
  }
  static void store(const ChainLink* link, void* const* r, size_t i, size_t n, Vs... v) {
    store_at(Index(), link, r, i, n, v...);
  }
  static void end(const ChainLink*, void* const*, size_t, size_t, Vs...) {}

  template <class Op, Form kForm>
  static void apply(const ChainLink* link, void* const* r, size_t i, size_t n, Vs... v) {
    const D d;
    if constexpr (kForm == Form::value) {
      follow(link + 1, r, i, n, Op::run(d, v)...);
    } else if constexpr (kForm == Form::value_value) {
      follow(link + 1, r, i, n, Op::run(d, v, v)...);
    } else if constexpr (kForm == Form::value_reg) {
      with_loaded(operand(link, r) + i, n,
                  [=](auto... x) HWY_ATTR { follow(link + 1, r, i, n, Op::run(d, v, x)...); });
    } else if constexpr (kForm == Form::reg_value) {
      with_loaded(operand(link, r) + i, n,
                  [=](auto... x) HWY_ATTR { follow(link + 1, r, i, n, Op::run(d, x, v)...); });
    } else {
      const V splat = hn::Set(d, *operand(link, r));
      if constexpr (kForm == Form::value_splat) follow(link + 1, r, i, n, Op::run(d, v, splat)...);
      else follow(link + 1, r, i, n, Op::run(d, splat, v)...);
    }
  }
};

using Wide = Links<false, V, V, V, V, V, V, V, V>;
using Single = Links<false, V>;
using Tail = Links<true, V>;

void run_chain(const Chain& chain, void* const* r, size_t n) {
  const V none = hn::Zero(D());
  size_t i = 0;
  for (; i + kWide * kLanes <= n; i += kWide * kLanes)
    Wide::follow(chain.wide.data(), r, i, 0, none, none, none, none, none, none, none, none);
  for (; i + kLanes <= n; i += kLanes) Single::follow(chain.single.data(), r, i, 0, none);
  if (i < n) Tail::follow(chain.tail.data(), r, i, n - i, none);
#if HWY_ARCH_X86 && HWY_MAX_BYTES >= 32
  // The compiler does this by itself, except for calls that take vectors. The next code may use SSE, which on Intel
  // processors waits some 70 ns for the upper halves of the registers.
  _mm256_zeroupper();
#endif
}

template <class Fn>
auto erased(Fn fn) {
  return reinterpret_cast<void (*)()>(fn);
}
#define BRIO_LINK(...) \
  LinkFns { erased(&Wide::__VA_ARGS__), erased(&Single::__VA_ARGS__), erased(&Tail::__VA_ARGS__) }

template <class Op>
ChainRow unary(std::string_view name) {
  return {name, {BRIO_LINK(template apply<Op, Form::value>)}};
}
template <class Op>
ChainRow binary(std::string_view name) {
  return {name,
          {{},
           BRIO_LINK(template apply<Op, Form::value_value>),
           BRIO_LINK(template apply<Op, Form::value_reg>),
           BRIO_LINK(template apply<Op, Form::reg_value>),
           BRIO_LINK(template apply<Op, Form::value_splat>),
           BRIO_LINK(template apply<Op, Form::splat_value>)}};
}

}  // namespace

ChainTable chain_table_here() {
  static const ChainRow kRows[] = {
      binary<Add>("add"),
      binary<Sub>("sub"),
      binary<Mul>("mul"),
      binary<Div>("div"),
      binary<Max>("max"),
      binary<Min>("min"),
      binary<SquaredDifference>("squared_difference"),
      unary<Neg>("neg"),
      unary<Abs>("abs"),
      unary<Sign>("sign"),
      unary<Sqrt>("sqrt"),
      unary<Rsqrt>("rsqrt"),
      unary<Square>("square"),
      unary<Reciprocal>("reciprocal"),
      unary<Relu>("relu"),
  };
  return {kRows,          std::size(kRows), BRIO_LINK(load), BRIO_LINK(load_splat), BRIO_LINK(store),
          BRIO_LINK(end), run_chain};
}
#undef BRIO_LINK

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(chain_table_here);

namespace {

// Of the instruction set in use, which does not change.
struct KnownLinks {
  ChainTable table;
  std::unordered_map<TileFn, const ChainRow*> rows;  // by the kernel that does the same step alone
};
const KnownLinks& known_links() {
  static const KnownLinks known = [] {
    apply_isa_cap();
    KnownLinks made{HWY_DYNAMIC_DISPATCH(chain_table_here)(), {}};
    for (size_t i = 0; i < made.table.count; ++i)
      made.rows.emplace(find_float_arithmetic(made.table.rows[i].name, f32), &made.table.rows[i]);
    return made;
  }();
  return known;
}

const ChainRow* find_row(TileFn fn) {
  const auto found = known_links().rows.find(fn);
  return found == known_links().rows.end() ? nullptr : found->second;
}

class ChainWriter {
 public:
  explicit ChainWriter(std::span<const ChainRegister> registers) : registers_(registers) { chain_.run = table_.run; }

  // Appends a step whose result is register `reg`.
  void add(const TileProgram::Step& step, int32_t reg) {
    const ChainRow* row = find_row(step.fn);
    BRIO_CHECK(row, "a chain has no link for the step of register ", reg);
    const int32_t a = step.src[0], b = step.src[1];
    if (b < 0) {
      take(a);
      link(row->forms[size_t(Form::value)], kNoRegister);
    } else if (b == value_ && a != value_) {
      link(row->forms[size_t(splat(a) ? Form::splat_value : Form::reg_value)], a);
    } else {
      take(a);
      if (b == a) link(row->forms[size_t(Form::value_value)], kNoRegister);
      else link(row->forms[size_t(splat(b) ? Form::value_splat : Form::value_reg)], b);
    }
    value_ = reg;
    if (registers_[static_cast<size_t>(reg)].stored) link(table_.store, reg);
  }

  Chain finish() {
    link(table_.end, kNoRegister);
    return std::move(chain_);
  }

 private:
  static constexpr int32_t kNoRegister = -1;

  bool splat(int32_t reg) const { return registers_[static_cast<size_t>(reg)].splat; }
  void take(int32_t reg) {
    if (reg != value_) link(splat(reg) ? table_.load_splat : table_.load, reg);
  }
  void link(const LinkFns& fns, int32_t reg) {
    chain_.wide.push_back({fns.wide, reg});
    chain_.single.push_back({fns.single, reg});
    chain_.tail.push_back({fns.tail, reg});
  }

  std::span<const ChainRegister> registers_;
  const ChainTable& table_ = known_links().table;
  int32_t value_ = kNoRegister;  // the register in flight
  Chain chain_;
};

}  // namespace

bool chainable(const TileProgram::Step& step) {
  return step.dtype == f32 && step.src[2] < 0 && find_row(step.fn) != nullptr;
}

Chain make_chain(std::span<const TileProgram::Step> steps, int32_t first, std::span<const ChainRegister> registers) {
  ChainWriter writer(registers);
  for (size_t k = 0; k < steps.size(); ++k) writer.add(steps[k], first + static_cast<int32_t>(k));
  return writer.finish();
}

}  // namespace brio::cpu
#endif
