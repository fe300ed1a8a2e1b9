#include "brio/data/pictures/picture_rows.h"

#include <algorithm>
#include <cmath>

#include "brio/base/isa.h"
#include "brio/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/data/pictures/picture_rows.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::data::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// vector(i) for all whole vectors of n numbers, number(i) for the rest.
template <typename Vector, typename Number>
HWY_INLINE void for_each(size_t n, const Vector& vector, const Number& number) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  for (const size_t lanes = hn::Lanes(D()); i + lanes <= n; i += lanes) vector(i);
#else
  (void)vector;
#endif
  for (; i < n; ++i) number(i);
}

void scale(float* HWY_RESTRICT row, float by, size_t n) {
  const D d;
  for_each(
      n, [&](size_t i) HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, row + i), hn::Set(d, by)), d, row + i); },
      [&](size_t i) { row[i] = row[i] * by; });
}

void multiply_add(float* HWY_RESTRICT row, const float* HWY_RESTRICT factor, const float* HWY_RESTRICT offset,
                  size_t n) {
  const D d;
  for_each(
      n,
      [&](size_t i) HWY_ATTR {
        const auto product = hn::Mul(hn::LoadU(d, row + i), hn::LoadU(d, factor + i));
        hn::StoreU(hn::Add(product, hn::LoadU(d, offset + i)), d, row + i);
      },
      [&](size_t i) { row[i] = row[i] * factor[i] + offset[i]; });
}

void normalize(float* HWY_RESTRICT row, const float* HWY_RESTRICT mean, const float* HWY_RESTRICT deviation,
               size_t n) {
  const D d;
  for_each(
      n,
      [&](size_t i) HWY_ATTR {
        const auto rest = hn::Sub(hn::LoadU(d, row + i), hn::LoadU(d, mean + i));
        hn::StoreU(hn::Div(rest, hn::LoadU(d, deviation + i)), d, row + i);
      },
      [&](size_t i) { row[i] = (row[i] - mean[i]) / deviation[i]; });
}

void round(float* HWY_RESTRICT row, size_t n) {
  const D d;
  for_each(
      n,
      [&](size_t i) HWY_ATTR {
        const auto x = hn::Min(hn::Max(hn::LoadU(d, row + i), hn::Zero(d)), hn::Set(d, 255.f));
        const auto whole = hn::Trunc(x);
        const auto up = hn::Ge(hn::Sub(x, whole), hn::Set(d, 0.5f));
        hn::StoreU(hn::Add(whole, hn::IfThenElseZero(up, hn::Set(d, 1.f))), d, row + i);
      },
      [&](size_t i) {
        const float x = std::clamp(row[i], 0.f, 255.f), whole = std::trunc(x);
        row[i] = whole + (x - whole >= 0.5f ? 1.f : 0.f);
      });
}

void to_bytes(const float* HWY_RESTRICT row, uint8_t* HWY_RESTRICT to, size_t n) {
  const D d;
  const hn::Rebind<int32_t, D> di;
  const hn::Rebind<uint8_t, D> du;
  for_each(
      n,
      [&](size_t i) HWY_ATTR { hn::StoreU(hn::DemoteTo(du, hn::ConvertTo(di, hn::LoadU(d, row + i))), du, to + i); },
      [&](size_t i) { to[i] = static_cast<uint8_t>(row[i]); });
}

void to_floats(const uint8_t* HWY_RESTRICT row, float* HWY_RESTRICT to, size_t n) {
  const D d;
  const hn::Rebind<int32_t, D> di;
  const hn::Rebind<uint8_t, D> du;
  for_each(
      n,
      [&](size_t i) HWY_ATTR { hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(du, row + i))), d, to + i); },
      [&](size_t i) { to[i] = static_cast<float>(row[i]); });
}

}  // namespace brio::data::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::data {

HWY_EXPORT(scale);
HWY_EXPORT(multiply_add);
HWY_EXPORT(normalize);
HWY_EXPORT(round);
HWY_EXPORT(to_bytes);
HWY_EXPORT(to_floats);

void scale_row(float* row, float by, size_t n) {
  apply_isa_cap();
  HWY_DYNAMIC_DISPATCH(scale)(row, by, n);
}
void multiply_add_row(float* row, const float* factor, const float* offset, size_t n) {
  apply_isa_cap();
  HWY_DYNAMIC_DISPATCH(multiply_add)(row, factor, offset, n);
}
void normalize_row(float* row, const float* mean, const float* deviation, size_t n) {
  apply_isa_cap();
  HWY_DYNAMIC_DISPATCH(normalize)(row, mean, deviation, n);
}
void round_row(float* row, size_t n) {
  apply_isa_cap();
  HWY_DYNAMIC_DISPATCH(round)(row, n);
}
void bytes_of_row(const float* row, uint8_t* to, size_t n) {
  apply_isa_cap();
  HWY_DYNAMIC_DISPATCH(to_bytes)(row, to, n);
}
void floats_of_row(const uint8_t* row, float* to, size_t n) {
  apply_isa_cap();
  HWY_DYNAMIC_DISPATCH(to_floats)(row, to, n);
}

}  // namespace brio::data
#endif  // HWY_ONCE
