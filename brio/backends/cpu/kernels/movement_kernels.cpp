#include "brio/backends/cpu/kernels/movement_kernels.h"

#include <algorithm>
#include <complex>
#include <cstring>

#include "brio/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/movement_kernels.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "brio/backends/cpu/gemm/gemm_types-inl.h"
#include "brio/backends/cpu/kernels/transpose-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace brio::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Blocks in both directions, so that the lines read and the lines written stay in the first-level cache.
template <typename T>
void transpose(const void* in_bytes, int64_t in_row, int64_t rows, int64_t columns, void* out_bytes,
               int64_t out_row) {
  constexpr int64_t block = 256 / static_cast<int64_t>(sizeof(T));
  const T* in = static_cast<const T*>(in_bytes);
  T* out = static_cast<T*>(out_bytes);
  for (int64_t c = 0; c < columns; c += block)
    for (int64_t r = 0; r < rows; r += block) {
      const int64_t height = std::min(block, rows - r), width = std::min(block, columns - c);
      const T* from = in + r * in_row + c;
      T* to = out + c * out_row + r;
      if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        transpose_any(from, in_row, height, width, to, out_row);
      } else {
        for (int64_t j = 0; j < width; ++j)
          for (int64_t i = 0; i < height; ++i) to[j * out_row + i] = from[i * in_row + j];
      }
    }
}

TransposeFn transpose_for(size_t element_size) {
  switch (element_size) {
    case 1: return &transpose<uint8_t>;
    case 2: return &transpose<uint16_t>;
    case 4: return &transpose<uint32_t>;
    case 8: return &transpose<uint64_t>;
    default: return &transpose<std::complex<double>>;
  }
}

void stream(void* out_bytes, const void* in_bytes, size_t bytes) {
  const hn::ScalableTag<uint8_t> d;
  constexpr size_t lanes = hn::MaxLanes(d);
  uint8_t* out = static_cast<uint8_t*>(out_bytes);
  const uint8_t* in = static_cast<const uint8_t*>(in_bytes);
  const size_t head = std::min(bytes, (lanes - reinterpret_cast<uintptr_t>(out) % lanes) % lanes);
  std::memcpy(out, in, head);
  size_t i = head;
  for (; i + 4 * lanes <= bytes; i += 4 * lanes) {
    const auto v0 = hn::LoadU(d, in + i), v1 = hn::LoadU(d, in + i + lanes);
    const auto v2 = hn::LoadU(d, in + i + 2 * lanes), v3 = hn::LoadU(d, in + i + 3 * lanes);
    hn::Stream(v0, d, out + i);
    hn::Stream(v1, d, out + i + lanes);
    hn::Stream(v2, d, out + i + 2 * lanes);
    hn::Stream(v3, d, out + i + 3 * lanes);
  }
  std::memcpy(out + i, in + i, bytes - i);
  hwy::FlushStream();
}

template <typename T>
void add(void* out_bytes, const void* in_bytes, int64_t n) {
  T* HWY_RESTRICT out = static_cast<T*>(out_bytes);
  const T* HWY_RESTRICT in = static_cast<const T*>(in_bytes);
  for (int64_t i = 0; i < n; ++i) out[i] = from_sum<T>(static_cast<SumType<T>>(to_sum(out[i]) + to_sum(in[i])));
}

template <typename T>
void reverse(const void* in_bytes, int64_t n, void* out_bytes) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* in = static_cast<const T*>(in_bytes);
  T* out = static_cast<T*>(out_bytes);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Reverse(d, hn::LoadU(d, in + n - lanes - i)), d, out + i);
  for (; i < n; ++i) out[i] = in[n - 1 - i];
}

// As many groups as a vector has lanes make kGroup vectors, each of lanes of some of those of the source.
template <int64_t kLanes, int64_t kGroup, typename Index>
struct GroupOrder {
  Index lane[kGroup][kLanes] = {};             // of the source's vector
  Index is_from[kGroup][kGroup][kLanes] = {};  // all bits where it is this one
  bool reads[kGroup][kGroup] = {};

  constexpr GroupOrder() {
    for (int64_t i = 0; i < kGroup * kLanes; ++i) {
      const int64_t from = (kLanes - 1 - i / kGroup) * kGroup + i % kGroup;
      lane[i / kLanes][i % kLanes] = static_cast<Index>(from % kLanes);
      is_from[i / kLanes][from / kLanes][i % kLanes] = -1;
      reads[i / kLanes][from / kLanes] = true;
    }
  }
};

template <typename T, int64_t kGroup>
void reverse_groups(const void* in_bytes, int64_t n, void* out_bytes) {
  const T* in = static_cast<const T*>(in_bytes);
  T* out = static_cast<T*>(out_bytes);
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(d));
  if constexpr (kLanes >= 4) {
    const hn::RebindToSigned<decltype(d)> di;
    static constexpr GroupOrder<kLanes, kGroup, hn::TFromD<decltype(di)>> kOrder;
    for (; n >= kLanes; n -= kLanes, out += kLanes * kGroup) {
      hn::Vec<decltype(d)> source[kGroup];
      for (int64_t k = 0; k < kGroup; ++k) source[k] = hn::LoadU(d, in + (n - kLanes) * kGroup + k * kLanes);
      for (int64_t v = 0; v < kGroup; ++v) {
        const auto lane = hn::SetTableIndices(d, kOrder.lane[v]);
        auto made = hn::Zero(d);
        for (int64_t k = 0; k < kGroup; ++k) {
          if (!kOrder.reads[v][k]) continue;
          const auto here = hn::MaskFromVec(hn::BitCast(d, hn::LoadU(di, kOrder.is_from[v][k])));
          made = hn::IfThenElse(here, hn::TableLookupLanes(source[k], lane), made);
        }
        hn::StoreU(made, d, out + v * kLanes);
      }
    }
  }
  for (; n > 0; --n)
    for (int64_t i = 0; i < kGroup; ++i) *out++ = in[(n - 1) * kGroup + i];
}

template <typename T>
ReorderFn reverse_of(int64_t group) {
  return group == 1 ? &reverse<T> : group == 3 ? &reverse_groups<T, 3> : nullptr;
}
ReorderFn reverse_for(size_t element_size, int64_t group) {
  switch (element_size) {
    case 4: return reverse_of<uint32_t>(group);
    case 8: return reverse_of<uint64_t>(group);
    default: return nullptr;
  }
}

template <typename T>
void every_second(const void* in_bytes, int64_t n, void* out_bytes) {
  const T* in = static_cast<const T*>(in_bytes);
  T* out = static_cast<T*>(out_bytes);
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes < n; i += lanes)  // behind the last one there may be nothing to read
    hn::StoreU(hn::ConcatEven(d, hn::LoadU(d, in + 2 * i + lanes), hn::LoadU(d, in + 2 * i)), d, out + i);
#endif
  for (; i < n; ++i) out[i] = in[2 * i];
}

ReorderFn every_second_for(size_t element_size) {
  switch (element_size) {
    case 1: return &every_second<uint8_t>;
    case 2: return &every_second<uint16_t>;
    case 4: return &every_second<uint32_t>;
    case 8: return &every_second<uint64_t>;
    default: return nullptr;
  }
}

AddToFn add_for(DType dtype) {
  AddToFn fn = nullptr;
  visit(dtype, [&](auto t) {
    using T = decltype(t);
    if constexpr (!std::is_same_v<T, bool>) fn = &add<T>;
  });
  return fn;
}

}  // namespace brio::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {
namespace {
HWY_EXPORT(transpose_for);
HWY_EXPORT(stream);
HWY_EXPORT(reverse_for);
HWY_EXPORT(every_second_for);
HWY_EXPORT(add_for);
}  // namespace

TransposeFn find_transpose(size_t element_size) { return HWY_DYNAMIC_DISPATCH(transpose_for)(element_size); }
void copy_streaming(void* out, const void* in, size_t bytes) { HWY_DYNAMIC_DISPATCH(stream)(out, in, bytes); }
ReorderFn find_reverse(size_t element_size, int64_t group) {
  return HWY_DYNAMIC_DISPATCH(reverse_for)(element_size, group);
}
ReorderFn find_every_second(size_t element_size) { return HWY_DYNAMIC_DISPATCH(every_second_for)(element_size); }
AddToFn find_add_to(DType dtype) { return HWY_DYNAMIC_DISPATCH(add_for)(dtype); }

}  // namespace brio::cpu
#endif  // HWY_ONCE
