#include "brio/backends/cpu/kernels/attention_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/attention_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/kernels/attention_unit-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// ---- forward: the softmax is kept up to date while tiles of keys pass by

template <typename T>
int64_t forward_scratch_here(const AttentionForm& form) {
  using P = Pieces<T>;
  const Packed<T> sizes(form);
  return P::line(sizes.keys * form.depth) + P::line(form.keys * sizes.value_depth) +
         P::line(Packed<T>::kPanel * form.depth) + P::line(kBlock * sizes.depth) + P::line(kBlock * kTile) +
         P::line(kBlock * sizes.value_depth) + 2 * P::line(kTile) + 2 * P::line(kBlock);
}

template <typename T>
void forward_here(const AttentionTask& task, const AttentionPointers& p, int64_t unit_number, void* scratch) {
  const Unit<T> unit(task, p, unit_number);
  const AttentionForm& form = task.form;
  const Packed<T>& sizes = unit.sizes;
  Pieces<T> pieces{static_cast<T*>(scratch)};
  T* const keys = pieces.take(sizes.keys * form.depth);
  T* const values = pieces.take(form.keys * sizes.value_depth);
  T* const rows = pieces.take(Packed<T>::kPanel * form.depth);
  T* const queries = pieces.take(kBlock * sizes.depth);
  T* const weights = pieces.take(kBlock * kTile);
  T* const sums = pieces.take(kBlock * sizes.value_depth);
  T* const buffer = pieces.take(kTile);
  T* const kept = pieces.take(kTile);
  T* const most = pieces.take(kBlock);   // the largest logit so far
  T* const total = pieces.take(kBlock);  // the sum of exponentials so far
  unit.load_panels(p.key, form.depth, keys, rows);
  unit.load_keys(p.value, form.value_depth, values, sizes.value_depth);

  unit.each_block([&](int64_t head, int64_t first, int64_t count) HWY_ATTR {
    unit.load_queries(head, first, count, queries, sizes.depth);
    std::fill_n(most, count, -std::numeric_limits<T>::infinity());
    std::fill_n(total, count, T{0});
    std::fill_n(sums, count * sizes.value_depth, T{0});
    for (int64_t key = 0; key < form.keys; key += kTile) {
      // Past the diagonal nothing is seen, which matters only to a query that has seen nothing else.
      if (form.causal && key >= first + count &&
          std::all_of(most, most + count, [](T x) { return !(x <= static_cast<T>(kMaskedLogit)); }))
        break;
      const int64_t n = std::min(kTile, form.keys - key), whole = rounded_up(n, kLanes<T>);
      multiply_panels<T>({.k = form.depth,
                          .a = queries,
                          .a_row = sizes.depth,
                          .a_col = 1,
                          .b = keys + key * form.depth,
                          .c = weights,
                          .c_row = kTile},
                         count, n);
      for (int64_t i = 0; i < count; ++i) {
        T* row = weights + i * kTile;
        unit.finish_logits(row, head, first + i, key, n, buffer);
        const T now = std::max(most[i], largest(row, whole));
        const T correction = most[i] == now ? T{1} : std::exp(most[i] - now);
        most[i] = now;
        // Nothing but -inf so far: exponentials of it are 0.
        const T sum = exponentials(row, now == -std::numeric_limits<T>::infinity() ? T{0} : now, whole);
        total[i] = total[i] * correction + sum;
        if (correction != T{1}) multiply_row(sums + i * sizes.value_depth, correction, sizes.value_depth);
        if (form.dropout > 0) {
          unit.make_kept(kept, head, first + i, key, n);
          for (int64_t j = 0; j < whole; ++j) row[j] *= kept[j];
        }
      }
      multiply<T>({.k = n,
                   .a = weights,
                   .a_row = kTile,
                   .a_col = 1,
                   .b = values + key * sizes.value_depth,
                   .b_row = sizes.value_depth,
                   .c = sums,
                   .c_row = sizes.value_depth,
                   .accumulate = true},
                  count, sizes.value_depth);
    }
    for (int64_t i = 0; i < count; ++i) {
      T* row = sums + i * sizes.value_depth;
      if (form.keys > 0) multiply_row(row, T{1} / total[i], sizes.value_depth);
      unit.store(row, p.out, unit.bytes_to(form.queries, form.heads, form.value_depth, first + i, head),
                 form.value_depth);
    }
  });
}

// ---- gradient: all weights of one block of queries at a time, computed again

template <typename T>
int64_t gradient_scratch_here(const AttentionForm& form) {
  using P = Pieces<T>;
  const Packed<T> sizes(form);
  return P::line(sizes.keys * form.depth) + P::line(sizes.keys * form.value_depth) +
         P::line(form.keys * sizes.depth) + P::line(Packed<T>::kPanel * std::max(form.depth, form.value_depth)) +
         2 * P::line(kBlock * sizes.depth) + P::line(kBlock * sizes.value_depth) + 2 * P::line(kBlock * sizes.row()) +
         P::line(sizes.row());
}
template <typename T>
int64_t sums_here(const AttentionForm& form) {
  const Packed<T> sizes(form);
  return Pieces<T>::line(form.keys * sizes.depth) + Pieces<T>::line(form.keys * sizes.value_depth);
}

template <typename T>
void gradient_here(const AttentionTask& task, const AttentionPointers& p, int64_t unit_number, void* sums,
                   void* scratch) {
  const Unit<T> unit(task, p, unit_number);
  const AttentionForm& form = task.form;
  const Packed<T>& sizes = unit.sizes;
  const int64_t row_length = sizes.row();
  Pieces<T> left{static_cast<T*>(sums)};
  T* const key_sums = left.take(form.keys * sizes.depth);
  T* const value_sums = left.take(form.keys * sizes.value_depth);
  std::fill_n(key_sums, form.keys * sizes.depth, T{0});
  std::fill_n(value_sums, form.keys * sizes.value_depth, T{0});
  Pieces<T> pieces{static_cast<T*>(scratch)};
  T* const key_panels = pieces.take(sizes.keys * form.depth);
  T* const value_panels = pieces.take(sizes.keys * form.value_depth);
  T* const keys = pieces.take(form.keys * sizes.depth);
  T* const rows = pieces.take(Packed<T>::kPanel * std::max(form.depth, form.value_depth));
  T* const queries = pieces.take(kBlock * sizes.depth);
  T* const query_gradient = pieces.take(kBlock * sizes.depth);
  T* const cotangent = pieces.take(kBlock * sizes.value_depth);
  T* const weights = pieces.take(kBlock * row_length);
  T* const slopes = pieces.take(kBlock * row_length);
  T* const buffer = pieces.take(row_length);
  unit.load_panels(p.key, form.depth, key_panels, rows);
  unit.load_panels(p.value, form.value_depth, value_panels, rows);
  unit.load_keys(p.key, form.depth, keys, sizes.depth);

  unit.each_block([&](int64_t head, int64_t first, int64_t count) HWY_ATTR {
    unit.load_queries(head, first, count, queries, sizes.depth);
    unit.load_rows(p.cotangent, form.queries, form.heads, form.value_depth, head, first, count, cotangent,
                   sizes.value_depth);
    int64_t n = form.causal ? std::min(form.keys, first + count) : form.keys;
    bool blind[kBlock] = {};  // queries that see nothing: their weights do not depend on the logits
    for (bool again = true; again;) {
      again = false;
      multiply_panels<T>({.k = form.depth,
                          .a = queries,
                          .a_row = sizes.depth,
                          .a_col = 1,
                          .b = key_panels,
                          .c = weights,
                          .c_row = row_length},
                         count, n);
      for (int64_t i = 0; i < count && !again; ++i) {
        T* row = weights + i * row_length;
        const int64_t whole = rounded_up(n, kLanes<T>);
        unit.finish_logits(row, head, first + i, 0, n, buffer);
        const T most = largest(row, whole);
        blind[i] = most == static_cast<T>(kMaskedLogit);
        again = most <= static_cast<T>(kMaskedLogit) && n < form.keys;  // it weighs the keys past the diagonal too
        multiply_row(row, T{1} / exponentials(row, most, whole), whole);
      }
      if (again) n = form.keys;
    }
    const int64_t whole = rounded_up(n, kLanes<T>);
    multiply_panels<T>({.k = form.value_depth,
                        .a = cotangent,
                        .a_row = sizes.value_depth,
                        .a_col = 1,
                        .b = value_panels,
                        .c = slopes,
                        .c_row = row_length},
                       count, n);
    for (int64_t i = 0; i < count; ++i) {
      if (form.dropout > 0) unit.make_kept(buffer, head, first + i, 0, n);
      softmax_slopes(weights + i * row_length, slopes + i * row_length, form.dropout > 0 ? buffer : nullptr, blind[i],
                     whole);
    }
    MicroTile<T> turned{.k = count,
                        .a = weights,
                        .a_row = 1,
                        .a_col = row_length,
                        .b = cotangent,
                        .b_row = sizes.value_depth,
                        .c = value_sums,
                        .c_row = sizes.value_depth,
                        .accumulate = true};
    multiply(turned, n, sizes.value_depth);
    turned.a = slopes;
    turned.b = queries;
    turned.c = key_sums;
    turned.b_row = turned.c_row = sizes.depth;
    multiply(turned, n, sizes.depth);
    multiply<T>({.k = n,
                 .a = slopes,
                 .a_row = row_length,
                 .a_col = 1,
                 .b = keys,
                 .b_row = sizes.depth,
                 .c = query_gradient,
                 .c_row = sizes.depth},
                count, sizes.depth);
    multiply_row(query_gradient, static_cast<T>(form.scale), count * sizes.depth);
    for (int64_t i = 0; i < count; ++i)
      unit.store(query_gradient + i * sizes.depth, p.out,
                 unit.bytes_to(form.queries, form.heads, form.depth, first + i, head), form.depth);
  });
}

template <typename T>
void finish_here(const AttentionTask& task, const AttentionPointers& p, int64_t batch_and_head, void* sums_bytes) {
  const Unit<T> unit(task, p, batch_and_head * task.parts);
  const AttentionForm& form = task.form;
  T* const sums = static_cast<T*>(sums_bytes);
  const int64_t stride = sums_here<T>(form);
  for (int64_t part = 1; part < task.parts; ++part)
    for (int64_t i = 0; i < stride; ++i) sums[i] += sums[part * stride + i];
  const T* values = sums + Pieces<T>::line(form.keys * unit.sizes.depth);
  for (int64_t s = 0; s < form.keys; ++s) {
    const auto offset = [&](int64_t depth) {
      return unit.bytes_to(form.keys, form.key_heads, depth, s, unit.key_head);
    };
    unit.store(sums + s * unit.sizes.depth, p.key_gradient, offset(form.depth), form.depth);
    unit.store(values + s * unit.sizes.value_depth, p.value_gradient, offset(form.value_depth), form.value_depth);
  }
}

int64_t blocks_here(const AttentionForm& form) { return blocks_of(form.queries) * form.group(); }

template <typename T>
AttentionFns fns() {
  return {blocks_here,      forward_scratch_here<T>, gradient_scratch_here<T>, sums_here<T>, forward_here<T>,
          gradient_here<T>, finish_here<T>};
}

}  // namespace

AttentionFns find_attention_here(bool in_double) { return in_double ? fns<double>() : fns<float>(); }

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_attention_here);

AttentionFns find_attention_fns(DType dtype) {
  apply_isa_cap();
  return HWY_DYNAMIC_DISPATCH(find_attention_here)(dtype == f64);
}

}  // namespace brio::cpu
#endif
