// What the attention kernels are made of: packed operands, rows of logits, one unit of work. Included once per
// instruction set.
#if defined(BRIO_CPU_ATTENTION_UNIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BRIO_CPU_ATTENTION_UNIT_INL_H_
#undef BRIO_CPU_ATTENTION_UNIT_INL_H_
#else
#define BRIO_CPU_ATTENTION_UNIT_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <limits>

#include "brio/backends/cpu/gemm/gemm_micro-inl.h"
#include "brio/backends/cpu/kernels/attention_kernels.h"
#include "brio/backends/cpu/kernels/random_fill.h"
#include "brio/backends/cpu/kernels/transpose-inl.h"
#include "brio/backends/cpu/loops/simd_math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {
namespace {

constexpr int64_t kBlock = 48;  // queries taken together: whole tiles of the micro-kernel, and panels stay in L1
constexpr int64_t kTile = 256;  // keys between two corrections of the running softmax

inline int64_t rounded_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }
inline int64_t blocks_of(int64_t queries) { return (queries + kBlock - 1) / kBlock; }

// Sizes of packed operands: columns are whole vectors, so that no product has a tail.
template <typename T>
struct Packed {
  static constexpr int64_t kPanel = kMaxVectors<T> * kLanes<T>;  // columns of one micro-kernel
  int64_t keys, depth, value_depth;
  explicit Packed(const AttentionForm& form)
      : keys(rounded_up(form.keys, kPanel)),
        depth(rounded_up(form.depth, kLanes<T>)),
        value_depth(rounded_up(form.value_depth, kLanes<T>)) {
    static_assert(kTile % kPanel == 0);
  }
  // A row of the gradient's weights. A line more than the keys: rows must not all lie in one set of the cache.
  int64_t row() const { return keys + 64 / static_cast<int64_t>(sizeof(T)); }
};

// Takes pieces of a scratch.
template <typename T>
struct Pieces {
  T* at;
  T* take(int64_t n) {
    T* piece = at;
    at += rounded_up(n, 64 / static_cast<int64_t>(sizeof(T)));
    return piece;
  }
  static int64_t line(int64_t n) { return rounded_up(n, 64 / static_cast<int64_t>(sizeof(T))); }
};

// c[rows, columns] (+)= a · b, all columns whole vectors.
template <typename T>
void multiply(MicroTile<T> tile, int64_t rows, int64_t columns) {
  for (int64_t left = columns; left > 0; left -= Packed<T>::kPanel) {
    const int64_t now = std::min(left, Packed<T>::kPanel);
    run_row_blocks(tile, rows, now);
    tile.b += now;
    tile.c += now;
  }
}
// c = a · panels, one panel of columns after the other.
template <typename T>
void multiply_panels(MicroTile<T> tile, int64_t rows, int64_t columns) {
  constexpr int64_t panel = Packed<T>::kPanel;
  tile.b_row = panel;
  for (int64_t left = columns; left > 0; left -= panel) {
    run_row_blocks(tile, rows, panel);
    tile.b += tile.k * panel;
    tile.c += panel;
  }
}

template <typename T>
T largest(const T* x, int64_t n) {  // n in whole vectors
  const hn::ScalableTag<T> d;
  auto most = hn::Set(d, -std::numeric_limits<T>::infinity());
  for (int64_t i = 0; i < n; i += kLanes<T>) most = hn::Max(most, hn::LoadU(d, x + i));
  return hn::GetLane(hn::MaxOfLanes(d, most));
}
// x = exp(x - shift); returns the sum.
template <typename T>
T exponentials(T* x, T shift_, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto shift = hn::Set(d, shift_);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 2 * kLanes<T> <= n; i += 2 * kLanes<T>) {
    const auto a = exp_vector(d, hn::Sub(hn::LoadU(d, x + i), shift));
    const auto b = exp_vector(d, hn::Sub(hn::LoadU(d, x + i + kLanes<T>), shift));
    hn::StoreU(a, d, x + i);
    hn::StoreU(b, d, x + i + kLanes<T>);
    s0 = hn::Add(s0, a);
    s1 = hn::Add(s1, b);
  }
  if (i < n) {
    const auto a = exp_vector(d, hn::Sub(hn::LoadU(d, x + i), shift));
    hn::StoreU(a, d, x + i);
    s0 = hn::Add(s0, a);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}
template <typename T>
void multiply_row(T* x, T factor_, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto factor = hn::Set(d, factor_);
  for (int64_t i = 0; i < n; i += kLanes<T>) hn::StoreU(hn::Mul(hn::LoadU(d, x + i), factor), d, x + i);
}

// weights: softmax; slopes: the cotangent of the weights as they were multiplied. Both become what products need:
// weights after dropout, slopes of the logits.
template <typename T>
void softmax_slopes(T* weights, T* slopes, const T* kept, bool blind, int64_t n) {
  const hn::ScalableTag<T> d;
  auto mean_lanes = hn::Zero(d);
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    auto slope = hn::LoadU(d, slopes + i);
    if (kept) {
      slope = hn::Mul(slope, hn::LoadU(d, kept + i));
      hn::StoreU(slope, d, slopes + i);
    }
    mean_lanes = hn::MulAdd(hn::LoadU(d, weights + i), slope, mean_lanes);
  }
  const auto mean = hn::Set(d, hn::GetLane(hn::SumOfLanes(d, mean_lanes)));
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    const auto weight = hn::LoadU(d, weights + i);
    const auto slope = hn::Mul(weight, hn::Sub(hn::LoadU(d, slopes + i), mean));
    hn::StoreU(blind ? hn::Zero(d) : slope, d, slopes + i);
    if (kept) hn::StoreU(hn::Mul(weight, hn::LoadU(d, kept + i)), d, weights + i);
  }
}

// One unit: a batch, a key head, and the blocks of queries of its part.
template <typename T>
struct Unit {
  const AttentionTask& task;
  const AttentionPointers& p;
  const AttentionForm& form;
  const Packed<T> sizes;
  int64_t batch, key_head, part;

  Unit(const AttentionTask& of, const AttentionPointers& pointers, int64_t unit)
      : task(of), p(pointers), form(of.form), sizes(of.form) {
    part = unit % task.parts;
    key_head = unit / task.parts % form.key_heads;
    batch = unit / task.parts / form.key_heads;
  }

  template <typename F>
  void each_block(F&& f) const {
    const int64_t per_head = blocks_of(form.queries), blocks = per_head * form.group();
    for (int64_t i = blocks * part / task.parts; i < blocks * (part + 1) / task.parts; ++i) {
      const int64_t first = i % per_head * kBlock;
      f(key_head * form.group() + i / per_head, first, std::min(kBlock, form.queries - first));
    }
  }

  // Where the vector of a position and head begins, of tensors (batch, length, heads, depth).
  size_t bytes_to(int64_t length, int64_t heads, int64_t depth, int64_t position, int64_t head) const {
    return static_cast<size_t>(((batch * length + position) * heads + head) * depth) * size_of(task.dtype);
  }
  void load(const void* base, size_t offset, T* out, int64_t n) const {
    const void* from = static_cast<const char*>(base) + offset;
    if (task.widen) task.widen(out, from, nullptr, nullptr, static_cast<size_t>(n));
    else std::memcpy(out, from, static_cast<size_t>(n) * sizeof(T));
  }
  void store(const T* from, void* base, size_t offset, int64_t n) const {
    void* to = static_cast<char*>(base) + offset;
    if (task.narrow) task.narrow(to, from, nullptr, nullptr, static_cast<size_t>(n));
    else std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  }
  // Rows [first, first + count) of one head, padded with zeros to `columns`.
  void load_rows(const void* base, int64_t length, int64_t heads, int64_t depth, int64_t head, int64_t first,
                 int64_t count, T* out, int64_t columns) const {
    for (int64_t i = 0; i < count; ++i, out += columns) {
      load(base, bytes_to(length, heads, depth, first + i, head), out, depth);
      std::fill(out + depth, out + columns, T{0});
    }
  }
  void load_keys(const void* base, int64_t depth, T* out, int64_t columns) const {
    load_rows(base, form.keys, form.key_heads, depth, key_head, 0, form.keys, out, columns);
  }
  // Transposed, in panels of columns; `rows` has room for a panel of keys.
  void load_panels(const void* base, int64_t depth, T* out, T* rows) const {
    constexpr int64_t panel = Packed<T>::kPanel;
    for (int64_t first = 0; first < form.keys; first += panel, out += depth * panel) {
      const int64_t count = std::min(panel, form.keys - first);
      load_rows(base, form.keys, form.key_heads, depth, key_head, first, count, rows, depth);
      if (count < panel) std::fill_n(out, depth * panel, T{0});
      transpose_any(rows, depth, count, depth, out, panel);
    }
  }
  T* load_queries(int64_t head, int64_t first, int64_t count, T* out, int64_t columns) const {
    load_rows(p.query, form.queries, form.heads, form.depth, head, first, count, out, columns);
    multiply_row(out, static_cast<T>(form.scale), count * columns);
    return out;
  }

  // From products to logits: bias and masks, for query t and keys [first, first + count), and -inf up to whole
  // vectors. `buffer` has room for `count`.
  void finish_logits(T* x, int64_t head, int64_t t, int64_t first, int64_t count, T* buffer) const {
    constexpr T masked = static_cast<T>(kMaskedLogit);
    if (form.has_bias) {
      const int64_t* stride = task.bias_strides;
      const int64_t at = batch * stride[0] + head * stride[1] + t * stride[2] + first * stride[3];
      load(p.bias, static_cast<size_t>(at) * size_of(task.dtype), buffer, stride[3] ? count : 1);
      for (int64_t i = 0; i < count; ++i) x[i] += buffer[stride[3] ? i : 0];
    }
    if (form.has_mask) {
      const int64_t* stride = task.mask_strides;
      const bool* mask = p.mask + batch * stride[0] + head * stride[1] + t * stride[2] + first * stride[3];
      if (stride[3]) {
        for (int64_t i = 0; i < count; ++i) x[i] = mask[i] ? x[i] : masked;
      } else if (!*mask) {
        std::fill_n(x, count, masked);
      }
    }
    if (form.causal) std::fill(x + std::clamp<int64_t>(t + 1 - first, 0, count), x + count, masked);
    std::fill(x + count, x + rounded_up(count, kLanes<T>), -std::numeric_limits<T>::infinity());
  }

  // What dropout multiplies the weights by, for as many keys in whole vectors.
  void make_kept(T* kept, int64_t head, int64_t t, int64_t first, int64_t count) const {
    float* unit = reinterpret_cast<float*>(kept);  // float or wider: filled from the front, read from the back
    fill_uniform_f32(unit, static_cast<size_t>(count), p.stream,
                     static_cast<uint64_t>(((batch * form.heads + head) * form.queries + t) * form.keys + first));
    const auto rate = static_cast<float>(form.dropout);
    const T grown = static_cast<T>(1 / (1 - form.dropout));
    for (int64_t i = count; i-- > 0;) {
      float drawn;
      std::memcpy(&drawn, unit + i, sizeof drawn);
      kept[i] = drawn >= rate ? grown : T{0};
    }
    std::fill(kept + count, kept + rounded_up(count, kLanes<T>), T{0});
  }
};

}  // namespace
}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
