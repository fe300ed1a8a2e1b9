#include "brio/backends/cpu/kernels/softmax_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "brio/backends/cpu/kernels/stream_copy.h"
#include "brio/base/error.h"
#include "brio/base/isa.h"
#include "brio/base/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "brio/backends/cpu/kernels/softmax_cross_entropy.cpp"
#include "brio/base/simd_targets.h"  // first

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <hwy/cache_control.h>

#include "brio/backends/cpu/loops/simd_loops-inl.h"
#include "brio/backends/cpu/loops/simd_math-inl.h"

#ifndef BRIO_CPU_ROWS_CALLS
#define BRIO_CPU_ROWS_CALLS
namespace brio::cpu {

// Rows [begin, end) of a call. `stream`: results go past the cache.
struct RowsCall {
  SoftmaxXent xent;  // softmax itself uses logits, grad, rows and classes
  bool logarithm;    // log_softmax
  bool stream;
  void (*stream_copy)(void*, const void*, size_t);
};
using RowsFn = void (*)(const RowsCall& call, int64_t begin, int64_t end);
enum class RowsKind { softmax, xent_classes, xent_probabilities };

inline int64_t class_number(const void* labels, DType dtype, int64_t row) {
  switch (dtype) {
    case i8: return static_cast<const int8_t*>(labels)[row];
    case i16: return static_cast<const int16_t*>(labels)[row];
    case i32: return static_cast<const int32_t*>(labels)[row];
    case i64: return static_cast<const int64_t*>(labels)[row];
    case u8: return static_cast<const uint8_t*>(labels)[row];
    case u16: return static_cast<const uint16_t*>(labels)[row];
    case u32: return static_cast<const uint32_t*>(labels)[row];
    case u64: {
      const uint64_t label = static_cast<const uint64_t*>(labels)[row];
      return label > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? -1 : static_cast<int64_t>(label);
    }
    default: return -1;
  }
}

}  // namespace brio::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace brio::cpu {
namespace HWY_NAMESPACE {
namespace {

// Sums run over this many elements in T and continue in double, so that the length of a row does not matter.
template <typename T>
constexpr size_t kSumPiece = 64 * hn::MaxLanes(hn::ScalableTag<T>());

template <typename T>
T largest(const T* x, size_t n) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto lowest = hn::Set(d, -std::numeric_limits<T>::infinity());
  auto m0 = lowest, m1 = lowest, m2 = lowest, m3 = lowest;
  size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    m0 = hn::Max(m0, hn::LoadU(d, x + i));
    m1 = hn::Max(m1, hn::LoadU(d, x + i + lanes));
    m2 = hn::Max(m2, hn::LoadU(d, x + i + 2 * lanes));
    m3 = hn::Max(m3, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) m0 = hn::Max(m0, hn::LoadU(d, x + i));
  if (i < n) m1 = hn::Max(m1, hn::IfThenElse(hn::FirstN(d, n - i), load_tail(d, x + i, n - i), lowest));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
}

// The row before, whose results are on their way to memory while this row computes: out[i] = e[i] · scale.
template <typename T>
struct Outgoing {
  const T* e = nullptr;
  T scale = 0;
  T* out = nullptr;  // null: there is none
};

// e[i] = exp(x[i] - shift) (not stored when e is null) for one piece; returns the sum. Fetches what lies `ahead`
// elements further on, where that is not 0.
template <bool kOutgoing, typename T>
T exp_piece(const T* x, T shift_, T* e, size_t ahead, const Outgoing<T>& outgoing, size_t n) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, shift_), scale = hn::Set(d, outgoing.scale);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d);
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const auto e0 = exp_vector(d, hn::Sub(hn::LoadU(d, x + i), shift));
    const auto e1 = exp_vector(d, hn::Sub(hn::LoadU(d, x + i + lanes), shift));
    if (ahead) {
      for (size_t b = 0; b < 2 * lanes * sizeof(T); b += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(x + i + ahead) + b, 0, 2);
    }
    if constexpr (kOutgoing) {
      hn::Stream(hn::Mul(hn::Load(d, outgoing.e + i), scale), d, outgoing.out + i);
      hn::Stream(hn::Mul(hn::Load(d, outgoing.e + i + lanes), scale), d, outgoing.out + i + lanes);
    }
    if (e) {
      hn::StoreU(e0, d, e + i);
      hn::StoreU(e1, d, e + i + lanes);
    }
    s0 = hn::Add(s0, e0);
    s1 = hn::Add(s1, e1);
  }
  for (; i < n; i += lanes) {
    const size_t left = HWY_MIN(lanes, n - i);
    if (left == lanes) {
      const auto e0 = exp_vector(d, hn::Sub(hn::LoadU(d, x + i), shift));
      if (e) hn::StoreU(e0, d, e + i);
      s0 = hn::Add(s0, e0);
    } else {
      const auto e0 = exp_vector(d, hn::Sub(load_tail(d, x + i, left), shift));
      if (e) store_tail(e0, d, e + i, left);
      s1 = hn::Add(s1, hn::IfThenElseZero(hn::FirstN(d, left), e0));
    }
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
}

template <typename T>
double exp_row(const T* x, T shift, T* e, size_t ahead, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i += kSumPiece<T>)
    sum += exp_piece<false, T>(x + i, shift, e ? e + i : nullptr, ahead, {}, HWY_MIN(kSumPiece<T>, n - i));
  return sum;
}
// The same sum, while the row before goes out. n is a multiple of two vectors.
template <typename T>
double exp_row_and_send(const T* x, T shift, T* e, size_t ahead, Outgoing<T> outgoing, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i += kSumPiece<T>) {
    sum += exp_piece<true, T>(x + i, shift, e + i, ahead, outgoing, HWY_MIN(kSumPiece<T>, n - i));
    outgoing.e += kSumPiece<T>, outgoing.out += kSumPiece<T>;
  }
  return sum;
}

// out[i] = a[i] · scale - b[i] · g, b being null for zero; streamed through a piece that stays in the L1 cache.
template <typename T>
void scale_piece(const T* a, T scale_, const T* b, T g_, T* out, size_t n) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, scale_), g = hn::Set(d, g_);
  size_t i = 0;
  if (b) {
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(hn::NegMulAdd(hn::LoadU(d, b + i), g, hn::Mul(hn::LoadU(d, a + i), scale)), d, out + i);
    if (i < n)
      store_tail(hn::NegMulAdd(load_tail(d, b + i, n - i), g, hn::Mul(load_tail(d, a + i, n - i), scale)), d, out + i,
                 n - i);
  } else {
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, a + i), scale), d, out + i);
    if (i < n) store_tail(hn::Mul(load_tail(d, a + i, n - i), scale), d, out + i, n - i);
  }
}

// Two sums that probabilities as labels need: Σ l and Σ l · (x - shift).
template <typename T>
void label_sums(const T* labels, const T* x, T shift_, size_t n, double& total, double& weighted) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto shift = hn::Set(d, shift_);
  total = weighted = 0;
  for (size_t begin = 0; begin < n; begin += kSumPiece<T>) {
    const size_t end = HWY_MIN(n, begin + kSumPiece<T>);
    auto t = hn::Zero(d), w = hn::Zero(d);
    size_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      const auto l = hn::LoadU(d, labels + i);
      t = hn::Add(t, l);
      w = hn::MulAdd(l, hn::Sub(hn::LoadU(d, x + i), shift), w);
    }
    if (i < end) {
      const auto l = load_tail(d, labels + i, end - i);
      t = hn::Add(t, l);
      w = hn::Add(
          w, hn::IfThenElseZero(hn::FirstN(d, end - i), hn::Mul(l, hn::Sub(load_tail(d, x + i, end - i), shift))));
    }
    total += hn::GetLane(hn::SumOfLanes(d, t));
    weighted += hn::GetLane(hn::SumOfLanes(d, w));
  }
}

template <typename T>
void subtract_constant(const T* x, T constant_, T* out, size_t n) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const auto constant = hn::Set(d, constant_);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Sub(hn::LoadU(d, x + i), constant), d, out + i);
  if (i < n) store_tail(hn::Sub(load_tail(d, x + i, n - i), constant), d, out + i, n - i);
}

// Applies f(from, piece destination, count) to a row: in place, or through a buffer that is then streamed.
template <typename T, typename F>
void write_row(const RowsCall& call, T* out, size_t n, F&& f) {
  if (!call.stream) return f(size_t{0}, out, n);
  HWY_ALIGN T piece[1024];
  for (size_t i = 0; i < n; i += 1024) {
    const size_t count = HWY_MIN(size_t{1024}, n - i);
    f(i, piece, count);
    call.stream_copy(out + i, piece, count * sizeof(T));
  }
}

// Streaming from two buffers on the stack needs rows that are neither too long nor ragged.
template <typename T>
bool can_overlap(const RowsCall& call) {
  const size_t bytes = static_cast<size_t>(call.xent.classes) * sizeof(T);
  return call.stream && !call.logarithm && bytes % 128 == 0 && bytes <= (size_t{256} << 10) &&
         reinterpret_cast<uintptr_t>(call.xent.grad) % 64 == 0;
}

template <typename T, RowsKind kKind>
void streamed_rows_here(const RowsCall& call, int64_t begin, int64_t end);

template <typename T, RowsKind kKind>
void rows_here(const RowsCall& call, int64_t begin, int64_t end) {
  const SoftmaxXent& xent = call.xent;
  const size_t n = static_cast<size_t>(xent.classes);
  if constexpr (kKind != RowsKind::xent_probabilities)
    if (can_overlap<T>(call)) return streamed_rows_here<T, kKind>(call, begin, end);
  // The exponentials stay here when the result must not be touched twice; a row that is too long for the stack is.
  constexpr size_t kLongestBuffer = size_t{256} << 10;
  const bool buffered = call.stream && n * sizeof(T) <= kLongestBuffer;
  T* buffer = nullptr;
  if (buffered) buffer = static_cast<T*>(__builtin_alloca_with_align(n * sizeof(T) + 64, 512));

  for (int64_t row = begin; row < end; ++row) {
    const T* x = static_cast<const T*>(xent.logits) + static_cast<size_t>(row) * n;
    constexpr bool kSoftmax = kKind == RowsKind::softmax;  // always has a result; only it has a logarithm
    T* out = kSoftmax || xent.grad ? static_cast<T*>(xent.grad) + static_cast<size_t>(row) * n : nullptr;
    T* e = kSoftmax && call.logarithm ? nullptr : buffered ? buffer : out;
    const size_t ahead = row + 1 < end && n * sizeof(T) >= 8192 ? n : 0;
    const T shift = largest(x, n);

    int64_t label = 0;
    T at_label = 0;
    double label_total = 1, label_weighted = 0;
    const T* labels = nullptr;
    if constexpr (kKind == RowsKind::xent_classes) {
      label = class_number(xent.labels, xent.label_dtype, row);
      at_label = x[label] - shift;  // before `out`, which may be x, is written
    } else if constexpr (kKind == RowsKind::xent_probabilities) {
      labels = static_cast<const T*>(xent.labels) + static_cast<size_t>(row) * n;
      label_sums(labels, x, shift, n, label_total, label_weighted);
    }
    const double sum = exp_row(x, shift, e, ahead, n);

    if constexpr (kSoftmax) {
      if (call.logarithm) {
        const T log_sum = static_cast<T>(std::log(sum));
        write_row(call, out, n, [&](size_t from, T* piece, size_t count) HWY_ATTR {
          subtract_constant(x + from, shift, piece, count);
          subtract_constant(piece, log_sum, piece, count);
        });
      } else {
        const T scale = static_cast<T>(1 / sum);
        write_row(call, out, n, [&](size_t from, T* piece, size_t count) HWY_ATTR {
          scale_piece<T>(e + from, scale, nullptr, T{0}, piece, count);
        });
      }
      continue;
    }
    if (xent.loss) {
      const double value = kKind == RowsKind::xent_classes ? std::log(sum) - static_cast<double>(at_label)
                                                           : std::log(sum) * label_total - label_weighted;
      static_cast<T*>(xent.loss)[row] = static_cast<T>(value);
    }
    if (out) {
      const T g = static_cast<const T*>(xent.g)[xent.g_is_scalar ? 0 : row];
      const T scale = static_cast<T>(static_cast<double>(g) * label_total / sum);
      const T e_label = kKind == RowsKind::xent_classes ? e[label] : T{0};
      write_row(call, out, n, [&](size_t from, T* piece, size_t count) HWY_ATTR {
        scale_piece<T>(e + from, scale, labels ? labels + from : nullptr, g, piece, count);
        if (kKind == RowsKind::xent_classes && static_cast<size_t>(label) - from < count)
          piece[static_cast<size_t>(label) - from] =
              static_cast<T>((static_cast<double>(e_label) / sum - 1) * static_cast<double>(g));
      });
    }
  }
}

// Value and gradient for class numbers, or softmax, of rows that are whole numbers of lines, when the results are
// streamed: the results of a row leave while the next one is computed, so that memory is never idle.
template <typename T, RowsKind kKind>
void streamed_rows_here(const RowsCall& call, int64_t begin, int64_t end) {
  const SoftmaxXent& xent = call.xent;
  const size_t n = static_cast<size_t>(xent.classes);
  T* buffers[2];
  for (T*& buffer : buffers) buffer = static_cast<T*>(__builtin_alloca_with_align(n * sizeof(T) + 64, 512));
  const auto out_of = [&](int64_t row) { return static_cast<T*>(xent.grad) + static_cast<size_t>(row) * n; };
  constexpr int64_t kRows = 64;
  T at_labels[kRows];  // results at the labels of these rows, written after the streams have ended
  for (int64_t first = begin; first < end; first += kRows) {
    const int64_t last = std::min(end, first + kRows);
    Outgoing<T> outgoing;
    for (int64_t row = first; row < last; ++row) {
      const T* x = static_cast<const T*>(xent.logits) + static_cast<size_t>(row) * n;
      T* e = buffers[row & 1];
      const size_t ahead = row + 1 < xent.rows ? n : 0;
      const T shift = largest(x, n);
      const double sum =
          outgoing.out ? exp_row_and_send(x, shift, e, ahead, outgoing, n) : exp_row(x, shift, e, ahead, n);
      outgoing = {e, static_cast<T>(1 / sum), out_of(row)};
      if constexpr (kKind == RowsKind::xent_classes) {
        const int64_t label = class_number(xent.labels, xent.label_dtype, row);
        const T g = static_cast<const T*>(xent.g)[xent.g_is_scalar ? 0 : row];
        if (xent.loss)
          static_cast<T*>(xent.loss)[row] = static_cast<T>(std::log(sum) - static_cast<double>(x[label] - shift));
        outgoing.scale = static_cast<T>(static_cast<double>(g) / sum);
        at_labels[row - first] = static_cast<T>((static_cast<double>(e[label]) / sum - 1) * static_cast<double>(g));
      }
    }
    write_row(call, outgoing.out, n, [&](size_t from, T* piece, size_t count) HWY_ATTR {
      scale_piece<T>(outgoing.e + from, outgoing.scale, nullptr, T{0}, piece, count);
    });
    if constexpr (kKind == RowsKind::xent_classes) {
      hwy::FlushStream();
      for (int64_t row = first; row < last; ++row)
        out_of(row)[class_number(xent.labels, xent.label_dtype, row)] = at_labels[row - first];
    }
  }
}

}  // namespace

RowsFn find_rows_here(RowsKind kind, bool single) {
  switch (kind) {
    case RowsKind::softmax:
      return single ? rows_here<float, RowsKind::softmax> : rows_here<double, RowsKind::softmax>;
    case RowsKind::xent_classes:
      return single ? rows_here<float, RowsKind::xent_classes> : rows_here<double, RowsKind::xent_classes>;
    case RowsKind::xent_probabilities:
      return single ? rows_here<float, RowsKind::xent_probabilities>
                    : rows_here<double, RowsKind::xent_probabilities>;
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace brio::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace brio::cpu {

HWY_EXPORT(find_rows_here);

namespace {

constexpr double kNanosecondsPerElement = 0.6, kParallelNanoseconds = 50'000;
constexpr int64_t kPieceElements = 1 << 18;

void run_rows(RowsCall& call, RowsKind kind) {
  const SoftmaxXent& xent = call.xent;
  if (xent.rows == 0 || xent.classes == 0) return;
  BRIO_CHECK(xent.dtype == f32 || xent.dtype == f64, "rows of ", xent.dtype);
  apply_isa_cap();
  const RowsFn rows = HWY_DYNAMIC_DISPATCH(find_rows_here)(kind, xent.dtype == f32);
  const double elements = static_cast<double>(xent.rows) * static_cast<double>(xent.classes);
  const size_t bytes = static_cast<size_t>(xent.rows * xent.classes) * size_of(xent.dtype);
  call.stream = xent.grad && xent.grad != xent.logits && bytes > streaming_threshold();
  call.stream_copy = find_stream_copy();
  const auto piece = [&](int64_t begin, int64_t end) {
    rows(call, begin, end);
    if (call.stream) finish_streaming();
  };
  if (elements * kNanosecondsPerElement < kParallelNanoseconds) return piece(0, xent.rows);
  parallel_for(xent.rows, std::max<int64_t>(1, kPieceElements / xent.classes), piece);
}

void run_softmax(DType dtype, const void* x, void* out, int64_t rows, int64_t classes, bool logarithm) {
  RowsCall call{};
  call.xent.dtype = dtype;
  call.xent.rows = rows;
  call.xent.classes = classes;
  call.xent.logits = x;
  call.xent.grad = out;
  call.logarithm = logarithm;
  run_rows(call, RowsKind::softmax);
}

}  // namespace

void softmax_rows(DType dtype, const void* x, void* out, int64_t rows, int64_t classes) {
  run_softmax(dtype, x, out, rows, classes, false);
}
void log_softmax_rows(DType dtype, const void* x, void* out, int64_t rows, int64_t classes) {
  run_softmax(dtype, x, out, rows, classes, true);
}

bool softmax_xent(const SoftmaxXent& xent) {
  const bool by_class = is_integer(xent.label_dtype);
  BRIO_CHECK(by_class || xent.label_dtype == xent.dtype, "labels of ", xent.label_dtype, " for ", xent.dtype);
  if (by_class)
    for (int64_t row = 0; row < xent.rows; ++row) {
      const int64_t label = class_number(xent.labels, xent.label_dtype, row);
      if (label < 0 || label >= xent.classes) return false;
    }
  RowsCall call{};
  call.xent = xent;
  run_rows(call, by_class ? RowsKind::xent_classes : RowsKind::xent_probabilities);
  return true;
}

}  // namespace brio::cpu
#endif
