#include "brio/backends/cpu/kernels/optimizer_kernels.h"

#include <algorithm>
#include <cmath>

#include "brio/backends/cpu/tiles/tile_families.h"
#include "brio/base/error.h"
#include "brio/base/isa.h"
#include "brio/base/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/optimizer_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"

#ifndef BRIO_CPU_OPTIMIZER_SCALARS
#define BRIO_CPU_OPTIMIZER_SCALARS
namespace brio::cpu {

// The numbers of a rule in the dtype of the parameters, in the order that its kernel takes them.
template <typename T>
struct UpdateScalars {
  T value[5];
  bool decays;
  T decay, rate;  // of the decay

  UpdateScalars(std::initializer_list<T> values, const WeightDecay& weight_decay, double learning_rate)
      : decays(weight_decay.present), decay(static_cast<T>(weight_decay.value)), rate(static_cast<T>(learning_rate)) {
    std::copy(values.begin(), values.end(), value);
  }
};
// Elements [begin, end) of one tensor, whose gradients are at `grad`.
template <typename T>
using UpdateRange = void (*)(const UpdateTensor& tensor, const T* grad, const UpdateScalars<T>& scalars,
                             int64_t begin, int64_t end);

enum class UpdateKind {
  sgd,
  sgd_momentum,
  sgd_nesterov,
  rmsprop,
  rmsprop_momentum,
  rmsprop_centered,
  rmsprop_centered_momentum,
  adam,
  amsgrad
};

}  // namespace brio::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// One vector of a parameter with its gradient and slots; a rule updates it in place.
template <class V>
struct UpdateVector {
  V param, grad, slot[3];
};

template <int kSlotCount>
struct Sgd {
  static constexpr int kSlots = kSlotCount;
  template <class D, class V, typename T>
  static HWY_INLINE void run(D d, UpdateVector<V>& u, const UpdateScalars<T>& s) {
    const V step = hn::Mul(u.grad, hn::Set(d, s.value[0]));
    if constexpr (kSlots == 0) {
      u.param = hn::Sub(u.param, step);
    } else {
      u.slot[0] = hn::Sub(hn::Mul(u.slot[0], hn::Set(d, s.value[1])), step);
      u.param = hn::Add(u.param, u.slot[0]);
    }
  }
};

struct SgdNesterov {
  static constexpr int kSlots = 1;
  template <class D, class V, typename T>
  static HWY_INLINE void run(D d, UpdateVector<V>& u, const UpdateScalars<T>& s) {
    const V momentum = hn::Set(d, s.value[1]);
    const V step = hn::Mul(u.grad, hn::Set(d, s.value[0]));
    u.slot[0] = hn::Sub(hn::Mul(u.slot[0], momentum), step);
    u.param = hn::Add(u.param, hn::Sub(hn::Mul(u.slot[0], momentum), step));
  }
};

// Scalars: learning rate, rho, 1 - rho, epsilon, momentum.
template <bool kCentered, bool kMomentum>
struct Rmsprop {
  static constexpr int kSlots = 1 + kCentered + kMomentum;
  template <class D, class V, typename T>
  static HWY_INLINE void run(D d, UpdateVector<V>& u, const UpdateScalars<T>& s) {
    const V rho = hn::Set(d, s.value[1]), rest = hn::Set(d, s.value[2]);
    u.slot[0] = hn::Add(hn::Mul(rho, u.slot[0]), hn::Mul(rest, hn::Mul(u.grad, u.grad)));
    V denominator = u.slot[0];
    if constexpr (kCentered) {
      V& average = u.slot[kSlots - 1];
      average = hn::Add(hn::Mul(rho, average), hn::Mul(rest, u.grad));
      denominator = hn::Sub(denominator, hn::Mul(average, average));
    }
    const V root = hn::Sqrt(hn::Add(denominator, hn::Set(d, s.value[3])));
    const V increment = hn::Div(hn::Mul(hn::Set(d, s.value[0]), u.grad), root);
    if constexpr (kMomentum) {
      u.slot[1] = hn::Add(hn::Mul(hn::Set(d, s.value[4]), u.slot[1]), increment);
      u.param = hn::Sub(u.param, u.slot[1]);
    } else {
      u.param = hn::Sub(u.param, increment);
    }
  }
};

// Scalars: alpha, 1 - beta_1, 1 - beta_2, epsilon.
template <bool kAmsgrad>
struct Adam {
  static constexpr int kSlots = 2 + kAmsgrad;
  template <class D, class V, typename T>
  static HWY_INLINE void run(D d, UpdateVector<V>& u, const UpdateScalars<T>& s) {
    V &m = u.slot[0], &v = u.slot[1];
    m = hn::Add(m, hn::Mul(hn::Sub(u.grad, m), hn::Set(d, s.value[1])));
    v = hn::Add(v, hn::Mul(hn::Sub(hn::Mul(u.grad, u.grad), v), hn::Set(d, s.value[2])));
    V velocity = v;
    if constexpr (kAmsgrad) {  // the maximum of the tile op "max": NaN wins
      V& largest = u.slot[2];
      velocity = largest = hn::IfThenElse(hn::Or(hn::Gt(largest, v), hn::IsNaN(largest)), largest, v);
    }
    const V denominator = hn::Add(hn::Sqrt(velocity), hn::Set(d, s.value[3]));
    u.param = hn::Sub(u.param, hn::Div(hn::Mul(m, hn::Set(d, s.value[0])), denominator));
  }
};

template <class Rule, class D, class V, typename T>
HWY_INLINE void decay_and_update(D d, UpdateVector<V>& u, const UpdateScalars<T>& s) {
  if (s.decays) u.param = hn::Sub(u.param, hn::Mul(hn::Mul(u.param, hn::Set(d, s.decay)), hn::Set(d, s.rate)));
  Rule::run(d, u, s);
}

template <class Rule, typename T>
void update_range(const UpdateTensor& tensor, const T* grad, const UpdateScalars<T>& scalars, int64_t begin,
                  int64_t end) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const T* param = static_cast<const T*>(tensor.param_in) + begin;
  T* param_out = static_cast<T*>(tensor.param_out) + begin;
  const T* slot[3];
  T* slot_out[3];
  for (int k = 0; k < Rule::kSlots; ++k) {
    slot[k] = static_cast<const T*>(tensor.slot_in[k]) + begin;
    slot_out[k] = static_cast<T*>(tensor.slot_out[k]) + begin;
  }
  const size_t n = static_cast<size_t>(end - begin);
  UpdateVector<hn::Vec<decltype(d)>> u;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    u.param = hn::LoadU(d, param + i);
    u.grad = hn::LoadU(d, grad + i);
    for (int k = 0; k < Rule::kSlots; ++k) u.slot[k] = hn::LoadU(d, slot[k] + i);
    decay_and_update<Rule>(d, u, scalars);
    hn::StoreU(u.param, d, param_out + i);
    for (int k = 0; k < Rule::kSlots; ++k) hn::StoreU(u.slot[k], d, slot_out[k] + i);
  }
  if (i == n) return;
  const size_t left = n - i;
  u.param = load_tail(d, param + i, left);
  u.grad = load_tail(d, grad + i, left);
  for (int k = 0; k < Rule::kSlots; ++k) u.slot[k] = load_tail(d, slot[k] + i, left);
  decay_and_update<Rule>(d, u, scalars);
  store_tail(u.param, d, param_out + i, left);
  for (int k = 0; k < Rule::kSlots; ++k) store_tail(u.slot[k], d, slot_out[k] + i, left);
}

template <typename T>
UpdateRange<T> find_range(UpdateKind kind) {
  switch (kind) {
    case UpdateKind::sgd: return update_range<Sgd<0>, T>;
    case UpdateKind::sgd_momentum: return update_range<Sgd<1>, T>;
    case UpdateKind::sgd_nesterov: return update_range<SgdNesterov, T>;
    case UpdateKind::rmsprop: return update_range<Rmsprop<false, false>, T>;
    case UpdateKind::rmsprop_momentum: return update_range<Rmsprop<false, true>, T>;
    case UpdateKind::rmsprop_centered: return update_range<Rmsprop<true, false>, T>;
    case UpdateKind::rmsprop_centered_momentum: return update_range<Rmsprop<true, true>, T>;
    case UpdateKind::adam: return update_range<Adam<false>, T>;
    case UpdateKind::amsgrad: return update_range<Adam<true>, T>;
  }
  return nullptr;
}

}  // namespace

UpdateRange<float> find_update_f32_here(UpdateKind kind) { return find_range<float>(kind); }
UpdateRange<double> find_update_f64_here(UpdateKind kind) { return find_range<double>(kind); }

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_update_f32_here);
HWY_EXPORT(find_update_f64_here);

namespace {

// About 50 µs of work on one thread; pieces of a quarter of it.
constexpr int64_t kParallelElements = 1 << 16, kPieceElements = 1 << 14;

template <typename T>
UpdateRange<T> find_update(UpdateKind kind) {
  apply_isa_cap();
  if constexpr (sizeof(T) == 4) return HWY_DYNAMIC_DISPATCH(find_update_f32_here)(kind);
  else return HWY_DYNAMIC_DISPATCH(find_update_f64_here)(kind);
}

// Row by row; several rows at once where there is no gradient.
template <typename T>
void update_spread(UpdateRange<T> update, const UpdateTensor& tensor, const UpdateScalars<T>& scalars, int64_t begin,
                   int64_t end) {
  const int64_t width = tensor.width;
  const T* grad = static_cast<const T*>(tensor.grad);
  T others[1024];  // copies of the last row, as many as fit
  const int64_t at_once = std::max<int64_t>(1, static_cast<int64_t>(std::size(others)) / width);
  if (at_once > 1)
    for (int64_t i = 0; i < at_once; ++i) std::copy_n(grad + tensor.last * width, width, others + i * width);
  const auto place = [&](int64_t row) { return std::min(static_cast<uint32_t>(tensor.places[row]), tensor.last); };
  for (int64_t row = begin / width; begin < end;) {
    const T* here = grad + place(row) * width + (begin - row * width);
    int64_t rows = 1;
    if (at_once > 1 && begin == row * width && place(row) == tensor.last) {
      here = others;
      while (rows < at_once && (row + rows) * width < end && place(row + rows) == tensor.last) ++rows;
    }
    row += rows;
    const int64_t stop = std::min(end, row * width);
    update(tensor, here, scalars, begin, stop);
    begin = stop;
  }
}

template <typename T>
void update_part(UpdateRange<T> update, const UpdateTensor& tensor, const UpdateScalars<T>& scalars, int64_t begin,
                 int64_t end) {
  if (tensor.places) update_spread(update, tensor, scalars, begin, end);
  else update(tensor, static_cast<const T*>(tensor.grad) + begin, scalars, begin, end);
}

template <typename T>
void update_all(std::span<const UpdateTensor> tensors, UpdateKind kind, const UpdateScalars<T>& scalars) {
  const UpdateRange<T> update = find_update<T>(kind);
  int64_t total = 0;
  for (const UpdateTensor& tensor : tensors) total += tensor.n;
  if (total < kParallelElements) {
    for (const UpdateTensor& tensor : tensors)
      if (tensor.n > 0) update_part(update, tensor, scalars, 0, tensor.n);
    return;
  }
  parallel_for(total, kPieceElements, [&](int64_t begin, int64_t end) {
    int64_t offset = 0;  // of the current tensor in the sequence of all elements
    for (const UpdateTensor& tensor : tensors) {
      const int64_t from = std::max(begin - offset, int64_t{0}), to = std::min(end - offset, tensor.n);
      if (from < to) update_part(update, tensor, scalars, from, to);
      offset += tensor.n;
      if (offset >= end) return;
    }
  });
}

// bases[k]^exponent by the elementwise kernel, so it has the bits of the plain definition.
template <typename T>
void powers(T (&bases)[2], T exponent) {
  const T exponents[2] = {exponent, exponent};
  find_float_function("pow", dtype_of<T>)(bases, bases, exponents, nullptr, 2);
}

template <typename F>
void for_dtype(DType dtype, F&& f) {
  BRIO_CHECK(dtype == f32 || dtype == f64, "an optimizer update of ", dtype);
  if (dtype == f32) f(float{});
  else f(double{});
}

}  // namespace

void update_sgd(DType dtype, std::span<const UpdateTensor> tensors, const SgdRule& rule) {
  for_dtype(dtype, [&](auto t) {
    using T = decltype(t);
    const UpdateKind kind = !rule.has_momentum ? UpdateKind::sgd
                            : rule.nesterov    ? UpdateKind::sgd_nesterov
                                               : UpdateKind::sgd_momentum;
    update_all<T>(
        tensors, kind,
        {{static_cast<T>(rule.learning_rate), static_cast<T>(rule.momentum)}, rule.decay, rule.learning_rate});
  });
}

void update_rmsprop(DType dtype, std::span<const UpdateTensor> tensors, const RmspropRule& rule) {
  for_dtype(dtype, [&](auto t) {
    using T = decltype(t);
    const UpdateKind kind =
        rule.centered ? (rule.has_momentum ? UpdateKind::rmsprop_centered_momentum : UpdateKind::rmsprop_centered)
                      : (rule.has_momentum ? UpdateKind::rmsprop_momentum : UpdateKind::rmsprop);
    update_all<T>(tensors, kind,
                  {{static_cast<T>(rule.learning_rate), static_cast<T>(rule.rho), static_cast<T>(1 - rule.rho),
                    static_cast<T>(rule.epsilon), static_cast<T>(rule.momentum)},
                   rule.decay,
                   rule.learning_rate});
  });
}

void update_adam(DType dtype, std::span<const UpdateTensor> tensors, const AdamRule& rule) {
  apply_isa_cap();
  for_dtype(dtype, [&](auto t) {
    using T = decltype(t);
    T decay[2] = {static_cast<T>(rule.beta_1), static_cast<T>(rule.beta_2)};
    powers(decay, static_cast<T>(rule.step + 1));
    const T alpha = static_cast<T>(rule.learning_rate) * std::sqrt(T{1} - decay[1]) / (T{1} - decay[0]);
    update_all<T>(
        tensors, rule.amsgrad ? UpdateKind::amsgrad : UpdateKind::adam,
        {{alpha, static_cast<T>(1 - rule.beta_1), static_cast<T>(1 - rule.beta_2), static_cast<T>(rule.epsilon)},
         rule.decay,
         rule.learning_rate});
  });
}

}  // namespace brio::cpu
#endif
