#include "brio/backends/cpu/kernels/lstm_gates_kernels.h"

#include "brio/base/isa.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/lstm_gates_kernels.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"
#include "brio/backends/cpu/loops/simd_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

struct Gates {
  V in, forget, candidate, out, c, active;  // c: the new one; active: tanh of it

  // The four gates of some units; load(p) reads them.
  template <class Load>
  HWY_INLINE Gates(const Load& load, const float* x, const float* product, V before, int64_t units) {
    const D d;
    const auto z = [&](int64_t gate)
                       HWY_ATTR { return hn::Add(load(x + gate * units), load(product + gate * units)); };
    in = sigmoid_vector(d, z(0));
    forget = sigmoid_vector(d, z(1));
    candidate = tanh_vector(d, z(2));
    out = sigmoid_vector(d, z(3));
    c = hn::MulAdd(forget, before, hn::Mul(in, candidate));
    active = tanh_vector(d, c);
  }
};

// f(load, store, unit) for each vector of the units.
template <class F>
HWY_INLINE void for_vectors(int64_t units, const F& f) {
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t u = 0;
  for (; u + lanes <= units; u += lanes)
    f([&](const float* p) HWY_ATTR { return hn::LoadU(d, p); }, [&](V v, float* p) HWY_ATTR { hn::StoreU(v, d, p); },
      u);
  if (u == units) return;
  const auto left = static_cast<size_t>(units - u);
  f([&](const float* p) HWY_ATTR { return load_tail(d, p, left); },
    [&](V v, float* p) HWY_ATTR { store_tail(v, d, p, left); }, u);
}

void forward(const LstmGatesCall& k, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r)
    for_vectors(k.units, [&](const auto& load, const auto& store, int64_t u) HWY_ATTR {
      const int64_t at = r * k.units + u, z = r * 4 * k.units + u;
      const Gates g(load, k.x + z, k.product + z, load(k.c + at), k.units);
      store(hn::Mul(g.out, g.active), k.h_out + at);
      store(g.c, k.c_out + at);
    });
}

void backward(const LstmGatesCall& k, int64_t begin, int64_t end) {
  const V one = hn::Set(D(), 1.0f);
  const auto of_sigmoid = [&](V y) HWY_ATTR { return hn::Mul(y, hn::Sub(one, y)); };
  const auto of_tanh = [&](V y) HWY_ATTR { return hn::NegMulAdd(y, y, one); };
  for (int64_t r = begin; r < end; ++r)
    for_vectors(k.units, [&](const auto& load, const auto& store, int64_t u) HWY_ATTR {
      const int64_t at = r * k.units + u, z = r * 4 * k.units + u;
      const V before = load(k.c + at), dh = load(k.dh + at);
      const Gates g(load, k.x + z, k.product + z, before, k.units);
      const V dc = hn::MulAdd(hn::Mul(dh, g.out), of_tanh(g.active), load(k.dc + at));
      float* const dz = k.dz_out + z;
      store(hn::Mul(hn::Mul(dc, g.candidate), of_sigmoid(g.in)), dz);
      store(hn::Mul(hn::Mul(dc, before), of_sigmoid(g.forget)), dz + k.units);
      store(hn::Mul(hn::Mul(dc, g.in), of_tanh(g.candidate)), dz + 2 * k.units);
      store(hn::Mul(hn::Mul(dh, g.active), of_sigmoid(g.out)), dz + 3 * k.units);
      store(hn::Mul(dc, g.forget), k.dc_out + at);
    });
}

LstmGatesFns lstm_gates_fns() { return {forward, backward}; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(lstm_gates_fns);

LstmGatesFns find_lstm_gates_fns() {
  apply_isa_cap();
  return HWY_DYNAMIC_DISPATCH(lstm_gates_fns)();
}

}  // namespace brio::cpu
#endif
