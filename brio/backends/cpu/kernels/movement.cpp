#include "brio/backends/cpu/kernels/movement.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "brio/backends/cpu/kernels/movement_kernels.h"
#include "brio/base/error.h"
#include "brio/base/thread_pool.h"

namespace brio::cpu {
namespace {

constexpr int64_t kCopyPiece = 256 << 10;      // some tens of microseconds of copying
constexpr int64_t kStreamingBytes = 16 << 20;  // outputs from here on would only push other things out of the cache

struct Pair {  // of 8 bytes each: complex128
  uint64_t first, second;
};

// Calls f with a value of the unsigned type of that size.
template <typename F>
void visit_size(size_t element_size, F&& f) {
  switch (element_size) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    case 8: return f(uint64_t{});
    case 16: return f(Pair{});
    default: BRIO_CHECK(false, "element size ", element_size);
  }
}

template <typename F>
void visit_index(DType dtype, const void* indices, F&& f) {
  BRIO_CHECK(dtype == i32 || dtype == i64, "indices of ", dtype);
  if (dtype == i32) f(static_cast<const int32_t*>(indices));
  else f(static_cast<const int64_t*>(indices));
}

void copy_parallel(void* out, const void* in, int64_t bytes) {
  parallel_for(bytes, kCopyPiece, [&](int64_t begin, int64_t end) {
    char* to = static_cast<char*>(out) + begin;
    const char* from = static_cast<const char*>(in) + begin;
    if (bytes >= kStreamingBytes) copy_streaming(to, from, static_cast<size_t>(end - begin));
    else std::memcpy(to, from, static_cast<size_t>(end - begin));
  });
}

}  // namespace

// ---- strided copies

StridedCopy::StridedCopy(size_t element_size, std::span<const int64_t> sizes, std::span<const int64_t> in_strides,
                         std::span<const int64_t> out_strides)
    : element_size_(element_size), kind_(Kind::elements) {
  BRIO_CHECK(sizes.size() <= kMaxRank && sizes.size() == in_strides.size() && sizes.size() == out_strides.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    elements_ *= sizes[d];
    if (sizes[d] != 1) dims_[rank_++] = {sizes[d], in_strides[d], out_strides[d]};
  }
  if (elements_ == 0) {
    kind_ = Kind::nothing;
    return;
  }
  // Write in the order of addresses, then merge dimensions that are one run in both arrays.
  std::stable_sort(dims_, dims_ + rank_,
                   [](const Dim& a, const Dim& b) { return std::abs(a.out) > std::abs(b.out); });
  int merged = 0;
  for (int d = 0; d < rank_; ++d) {
    Dim* before = merged ? &dims_[merged - 1] : nullptr;
    if (before && before->in == dims_[d].size * dims_[d].in && before->out == dims_[d].size * dims_[d].out)
      *before = {before->size * dims_[d].size, dims_[d].in, dims_[d].out};
    else dims_[merged++] = dims_[d];
  }
  rank_ = merged;
  if (rank_ == 0) dims_[rank_++] = {1, 1, 1};

  const Dim& last = dims_[rank_ - 1];
  if (last.in == 1 && last.out == 1) {
    kind_ = rank_ == 1 ? Kind::copy : Kind::runs;
    outer_ = rank_ - 1;
  } else {
    // A dimension that is dense in `in`, together with the last, dense in `out`, makes a transpose.
    int dense = -1;
    for (int d = 0; d + 1 < rank_; ++d)
      if (dims_[d].in == 1 && dims_[d].size >= 4) dense = d;
    if (dense >= 0 && last.out == 1 && last.size >= 4 && last.in != 0) {
      std::rotate(dims_ + dense, dims_ + dense + 1, dims_ + rank_ - 1);
      kind_ = Kind::transpose;
      outer_ = rank_ - 2;
    } else {
      outer_ = rank_ - 1;
    }
  }
  for (int d = 0; d < outer_; ++d) {
    dims_[d].in *= static_cast<int64_t>(element_size);
    dims_[d].out *= static_cast<int64_t>(element_size);
  }
}

const char* StridedCopy::kernel() const {
  switch (kind_) {
    case Kind::nothing: return "nothing";
    case Kind::copy: return "copy";
    case Kind::runs: return "runs";
    case Kind::transpose: return "transpose";
    case Kind::elements: return "elements";
  }
  __builtin_unreachable();
}

// One run a row: short ones of a known length are moved without a loop, so that narrow rows cost what their bytes do.
template <typename T, int64_t kLength>
void copy_short_rows(const char* in, char* out, int64_t rows, int64_t in_step, int64_t out_step) {
  for (int64_t r = 0; r < rows; ++r) std::memcpy(out + r * out_step, in + r * in_step, kLength * sizeof(T));
}

template <typename T>
void copy_rows(const char* in, char* out, int64_t rows, int64_t in_step, int64_t out_step, int64_t length) {
  switch (length) {
    case 1: return copy_short_rows<T, 1>(in, out, rows, in_step, out_step);
    case 2: return copy_short_rows<T, 2>(in, out, rows, in_step, out_step);
    case 3: return copy_short_rows<T, 3>(in, out, rows, in_step, out_step);
    case 4: return copy_short_rows<T, 4>(in, out, rows, in_step, out_step);
    default: break;
  }
  const auto bytes = static_cast<size_t>(length) * sizeof(T);
  for (int64_t r = 0; r < rows; ++r, in += in_step, out += out_step) {
    if (bytes >= 64) {
      std::memcpy(out, in, bytes);
      continue;
    }
    const T* from = reinterpret_cast<const T*>(in);
    T* to = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < length; ++i) to[i] = from[i];
  }
}

template <typename T, int64_t kLength>
void fill_short_rows(const char* in, char* out, int64_t rows, int64_t in_step) {  // rows follow one another
  T* to = reinterpret_cast<T*>(out);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < kLength; ++i) *to++ = *reinterpret_cast<const T*>(in + r * in_step);
}

// `rows` steps of the innermost of the outer dimensions.
template <typename T>
void StridedCopy::run_inner(const char* in_bytes, char* out_bytes, int64_t rows) const {
  const Dim& last = dims_[rank_ - 1];
  const int64_t in_step = outer_ ? dims_[outer_ - 1].in : 0, out_step = outer_ ? dims_[outer_ - 1].out : 0;
  if (const int64_t row = last.size * static_cast<int64_t>(sizeof(T));
      kind_ == Kind::runs && in_step == -row && out_step == row)
    if (const ReorderFn reverse = find_reverse(sizeof(T), last.size))
      return reverse(in_bytes + (rows - 1) * in_step, rows, out_bytes);
  if (kind_ == Kind::runs) return copy_rows<T>(in_bytes, out_bytes, rows, in_step, out_step, last.size);
  if (kind_ == Kind::elements && last.in == 0 && last.out == 1 &&
      out_step == last.size * static_cast<int64_t>(sizeof(T))) {
    if (last.size == 2) return fill_short_rows<T, 2>(in_bytes, out_bytes, rows, in_step);
    if (last.size == 3) return fill_short_rows<T, 3>(in_bytes, out_bytes, rows, in_step);
    if (last.size == 4) return fill_short_rows<T, 4>(in_bytes, out_bytes, rows, in_step);
  }
  const ReorderFn reverse = last.in == -1 && last.out == 1 ? find_reverse(sizeof(T), 1) : nullptr;
  const ReorderFn every_second = last.in == 2 && last.out == 1 ? find_every_second(sizeof(T)) : nullptr;
  for (int64_t r = 0; r < rows; ++r, in_bytes += in_step, out_bytes += out_step) {
    const T* in = reinterpret_cast<const T*>(in_bytes);
    T* out = reinterpret_cast<T*>(out_bytes);
    if (kind_ == Kind::transpose) {
      const Dim& dense = dims_[rank_ - 2];
      find_transpose(sizeof(T))(in, last.in, last.size, dense.size, out, dense.out);
    } else if (last.in == 0 && last.out == 1) {
      std::fill_n(out, last.size, *in);
    } else if (reverse) {
      reverse(in - last.size + 1, last.size, out);
    } else if (every_second) {
      every_second(in, last.size, out);
    } else {
      for (int64_t i = 0; i < last.size; ++i) out[i * last.out] = in[i * last.in];
    }
  }
}

// The inner kernel for the outer positions begin … end, counted in the order of dims_.
void StridedCopy::run_part(const char* in, char* out, int64_t begin, int64_t end) const {
  int64_t at[kMaxRank] = {};
  for (int64_t rest = begin, d = outer_ - 1; d >= 0; --d) {
    at[d] = rest % dims_[d].size;
    rest /= dims_[d].size;
    in += at[d] * dims_[d].in;
    out += at[d] * dims_[d].out;
  }
  const int innermost = outer_ - 1;
  visit_size(element_size_, [&](auto t) {
    for (int64_t position = begin; position < end;) {
      const int64_t rows = innermost < 0 ? 1 : std::min(end - position, dims_[innermost].size - at[innermost]);
      run_inner<decltype(t)>(in, out, rows);
      position += rows;
      if (innermost < 0) continue;
      in += rows * dims_[innermost].in;
      out += rows * dims_[innermost].out;
      at[innermost] += rows;
      for (int d = innermost; d >= 0 && at[d] == dims_[d].size; --d) {
        in -= dims_[d].size * dims_[d].in;
        out -= dims_[d].size * dims_[d].out;
        at[d] = 0;
        if (d == 0) break;
        in += dims_[d - 1].in;
        out += dims_[d - 1].out;
        ++at[d - 1];
      }
    }
  });
}

void StridedCopy::run(const void* in, void* out) const {
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(out);
  if (kind_ == Kind::nothing) return;
  const int64_t size = static_cast<int64_t>(element_size_);
  if (kind_ == Kind::copy) return copy_parallel(out, in, elements_ * size);
  int64_t positions = 1;
  for (int d = 0; d < outer_; ++d) positions *= dims_[d].size;
  const int64_t inner_bytes = elements_ / positions * size;
  if (positions >= 8 || inner_bytes <= 2 * kCopyPiece) {
    const int64_t grain = std::max<int64_t>(1, kCopyPiece / inner_bytes);
    parallel_for(positions, grain, [&](int64_t begin, int64_t end) { run_part(from, to, begin, end); });
    return;
  }
  // Few and large: each is cut along the dimension whose rows are written apart.
  const int cut = kind_ == Kind::transpose ? rank_ - 2 : rank_ - 1;
  // A strip of a transpose must not be narrow: every row of it lies in another page.
  const int64_t narrowest = kind_ == Kind::transpose ? 256 : 16;
  const int64_t step = std::max(narrowest, dims_[cut].size * kCopyPiece / inner_bytes / 16 * 16);
  for (int64_t position = 0; position < positions; ++position)
    parallel_for(dims_[cut].size, step, [&](int64_t begin, int64_t end) {
      StridedCopy part = *this;
      part.dims_[cut].size = end - begin;
      part.run_part(from + begin * dims_[cut].in * size, to + begin * dims_[cut].out * size, position, position + 1);
    });
}

void strided_fill(size_t element_size, std::span<const int64_t> sizes, std::span<const int64_t> out_strides,
                  const void* value, void* out) {
  const int64_t repeat[kMaxRank] = {};
  StridedCopy(element_size, sizes, std::span(repeat, sizes.size()), out_strides).run(value, out);
}

// ---- gather and scatter

int64_t first_bad_index(DType index_dtype, const void* indices, int64_t count, int64_t limit) {
  int64_t bad = -1;
  visit_index(index_dtype, indices, [&](const auto* index) {
    using Unsigned = std::make_unsigned_t<std::remove_cvref_t<decltype(*index)>>;
    // A block at a time without a branch inside, so that the compiler vectorises it.
    constexpr int64_t block = 256;
    for (int64_t begin = 0; begin < count; begin += block) {
      const int64_t end = std::min(count, begin + block);
      bool any = false;
      if (limit > static_cast<int64_t>(std::numeric_limits<std::make_signed_t<Unsigned>>::max())) {
        for (int64_t i = begin; i < end; ++i) any |= index[i] < 0;
      } else {
        for (int64_t i = begin; i < end; ++i) any |= static_cast<Unsigned>(index[i]) >= static_cast<Unsigned>(limit);
      }
      if (!any) continue;
      for (int64_t i = begin; i < end; ++i)
        if (index[i] < 0 || static_cast<int64_t>(index[i]) >= limit) {
          bad = i;
          return;
        }
    }
  });
  return bad;
}

int64_t gather(size_t element_size, int64_t outer, int64_t axis, int64_t inner, DType index_dtype,
               const void* indices, int64_t count, const void* in, void* out) {
  const int64_t bad = first_bad_index(index_dtype, indices, count, axis);
  const int64_t row = inner * static_cast<int64_t>(element_size);
  if (bad >= 0 || outer == 0 || count == 0 || row == 0) return bad;
  visit_index(index_dtype, indices, [&](const auto* index) {
    const int64_t grain = std::max<int64_t>(1, kCopyPiece / std::max<int64_t>(row, 16));
    auto rows = [&](int64_t begin, int64_t end, auto&& copy) {
      for (int64_t position = begin; position < end;) {
        const int64_t o = position / count, first = position % count, many = std::min(end - position, count - first);
        const char* from = static_cast<const char*>(in) + o * axis * row;
        char* to = static_cast<char*>(out) + position * row;
        for (int64_t i = 0; i < many; ++i) copy(to + i * row, from + static_cast<int64_t>(index[first + i]) * row);
        position += many;
      }
    };
    parallel_for(outer * count, grain, [&](int64_t begin, int64_t end) {
      switch (row) {  // short rows: no call per copy
        case 1: return rows(begin, end, [](char* to, const char* from) { *to = *from; });
        case 2: return rows(begin, end, [](char* to, const char* from) { std::memcpy(to, from, 2); });
        case 4: return rows(begin, end, [](char* to, const char* from) { std::memcpy(to, from, 4); });
        case 8: return rows(begin, end, [](char* to, const char* from) { std::memcpy(to, from, 8); });
        case 12: return rows(begin, end, [](char* to, const char* from) { std::memcpy(to, from, 12); });
        case 16: return rows(begin, end, [](char* to, const char* from) { std::memcpy(to, from, 16); });
        default:
          return rows(begin, end,
                      [&](char* to, const char* from) { std::memcpy(to, from, static_cast<size_t>(row)); });
      }
    });
  });
  return -1;
}

int64_t scatter_add(DType dtype, int64_t outer, int64_t axis, int64_t inner, DType index_dtype, const void* indices,
                    int64_t count, const void* updates, const void* base, void* out) {
  BRIO_CHECK(dtype != boolean, "scatter_add of bool");
  const int64_t bad = first_bad_index(index_dtype, indices, count, axis);
  if (bad >= 0) return bad;
  const int64_t size = static_cast<int64_t>(size_of(dtype));
  if (out != base) copy_parallel(out, base, outer * axis * inner * size);
  if (outer == 0 || inner == 0 || count == 0) return -1;
  // Pieces are slices of the inner dimension of one outer position; each takes all updates in their order.
  const int64_t row_bytes = count * inner * size;
  const int64_t slices = std::clamp<int64_t>(row_bytes / kCopyPiece, 1, (inner * size + 255) / 256);  // no narrower
  const int64_t width = (inner + slices - 1) / slices;
  const int64_t grain = std::max<int64_t>(1, kCopyPiece / std::max<int64_t>(1, row_bytes / slices));
  const AddToFn add_to = find_add_to(dtype);
  visit_index(index_dtype, indices, [&](const auto* index) {
    parallel_for(outer * slices, grain, [&](int64_t first, int64_t last) {
      for (int64_t piece = first; piece < last; ++piece) {
        const int64_t o = piece / slices, begin = piece % slices * width, end = std::min(inner, begin + width);
        if (begin >= end) continue;
        for (int64_t i = 0; i < count; ++i)
          add_to(static_cast<char*>(out) + ((o * axis + static_cast<int64_t>(index[i])) * inner + begin) * size,
                 static_cast<const char*>(updates) + ((o * count + i) * inner + begin) * size, end - begin);
      }
    });
  });
  return -1;
}

void one_hot(size_t element_size, int64_t outer, int64_t depth, int64_t inner, DType index_dtype, const void* indices,
             const void* on, void* out) {
  if (outer == 0 || depth == 0 || inner == 0) return;
  visit_index(index_dtype, indices, [&](const auto* index) {
    visit_size(element_size, [&](auto t) {
      using T = decltype(t);
      const int64_t grain = std::max<int64_t>(1, kCopyPiece / (depth * inner * static_cast<int64_t>(sizeof(T))));
      parallel_for(outer, grain, [&](int64_t begin, int64_t end) {
        T* to = static_cast<T*>(out);
        std::memset(to + begin * depth * inner, 0, static_cast<size_t>((end - begin) * depth * inner) * sizeof(T));
        for (int64_t o = begin; o < end; ++o)
          for (int64_t i = 0; i < inner; ++i) {
            const int64_t d = static_cast<int64_t>(index[o * inner + i]);
            if (d >= 0 && d < depth) to[(o * depth + d) * inner + i] = *static_cast<const T*>(on);
          }
      });
    });
  });
}

}  // namespace brio::cpu
