// Rows where indices say. Elements are moved as unsigned types of their size.
// [outer, size, inner] by indices → [outer, indices, inner]
template <typename T, typename L>
DEVICE void gather_rows(T* out, const T* in, const L* indices, i64 total, i64 count, i64 size, i64 inner, const FailureAt& failure) {
  for (i64 i = (i64)blockIdx.x * 256 + threadIdx.x; i < total; i += (i64)gridDim.x * 256) {
    const i64 row = i / inner, o = row / count, k = row - o * count;
    const i64 index = (i64)indices[k];
    if (index < 0 || index >= size) refuse(failure, index, k);
    else out[i] = in[(o * size + index) * inner + (i - row * inner)];
  }
}
template <typename L> DEVICE void check_range(const L* numbers, i64 count, i64 size, const FailureAt& failure) {
  for (i64 i = (i64)blockIdx.x * 256 + threadIdx.x; i < count; i += (i64)gridDim.x * 256) {
    const i64 number = (i64)numbers[i];
    if (number < 0 || number >= size) refuse(failure, number, i);
  }
}
// In the order of the indices: each thread walks them all for one place within rows.
template <typename T, typename L>
DEVICE void scatter_add_rows(T* out, const T* in, const L* indices, const T* updates, i64 outer, i64 count, i64 size, i64 inner,
                             const FailureAt& failure) {
  const i64 lane = (i64)blockIdx.x * 256 + threadIdx.x;
  if (lane >= outer * inner) return;
  const i64 o = lane / inner, i = lane - o * inner;
  if (out != in)
    for (i64 s = 0; s < size; ++s) out[(o * size + s) * inner + i] = in[(o * size + s) * inner + i];
  for (i64 k = 0; k < count; ++k) {
    const i64 index = (i64)indices[k];
    if (index < 0 || index >= size) {
      refuse(failure, index, k);
      return;
    }
    T& at = out[(o * size + index) * inner + i];
    at = narrow<T>(plus(wide(at), wide(updates[(o * count + k) * inner + i])));
  }
}
template <typename T, typename L> DEVICE void one_hot(T* out, const L* indices, i64 total, i64 depth, i64 inner) {
  for (i64 i = (i64)blockIdx.x * 256 + threadIdx.x; i < total; i += (i64)gridDim.x * 256) {
    const i64 in = i % inner, d = i / inner % depth, o = i / inner / depth;
    out[i] = narrow<T>((Wide<T>)((i64)indices[o * inner + in] == d));
  }
}
template <typename T> DEVICE void iota(T* out, i64 total) {
  for (i64 i = (i64)blockIdx.x * 256 + threadIdx.x; i < total; i += (i64)gridDim.x * 256) out[i] = narrow<T>((Wide<T>)i);
}
// Tables of rows: places → rows.
template <typename T> DEVICE void spread_rows(T* out, const T* rows, const i32* places, i64 total, i64 width, i32 last) {
  for (i64 i = (i64)blockIdx.x * 256 + threadIdx.x; i < total; i += (i64)gridDim.x * 256) {
    const i64 row = i / width;
    const i32 place = places[row];
    out[i] = rows[(i64)(place < 0 || place > last ? last : place) * width + (i - row * width)];
  }
}
// Rows of equal index summed in the order of the indices, without a sort: `first` has for each row of the table the first
// position that names it, `named` how many do; positions that are their own first are counted to find the place of each
// sum.
template <typename L>
DEVICE void find_first(i32* first, i32* named, const L* indices, i32 count, i64 size, const FailureAt& failure) {
  const i32 k = blockIdx.x * 256 + threadIdx.x;
  if (k >= count) return;
  const i64 index = (i64)indices[k];
  if (index < 0 || index >= size) refuse(failure, index, k);
  else {
    atomicMin(&first[index], k);
    atomicAdd(&named[index], 1);
  }
}
DEVICE void fill_i32(i32* out, i32 value, i64 count) {
  for (i64 i = (i64)blockIdx.x * 256 + threadIdx.x; i < count; i += (i64)gridDim.x * 256) out[i] = value;
}
// One block of 1024: ids in the order of their first positions, and for each position the place of its sum, or -1.
template <typename L> DEVICE void number_firsts(i32* ids, i32* place, const i32* first, const L* indices, i32 count, i64 size) {
  __shared__ i32 warps[32], total;
  i32 before = 0;
  for (i32 start = 0; start < count; start += 1024) {
    const i32 k = start + threadIdx.x;
    const i64 index = k < count ? (i64)indices[k] : -1;
    const bool is = index >= 0 && index < size && first[index] == k;
    const u32 votes = __ballot_sync(0xffffffffu, is);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) warps[warp] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
      total = 0;
      for (int w = 0; w < 32; ++w) {
        const i32 n = warps[w];
        warps[w] = total;
        total += n;
      }
    }
    __syncthreads();
    if (k < count) {
      const i32 number = before + warps[warp] + __popc(votes & ((1u << lane) - 1));
      place[k] = is ? number : -1;
      if (is) ids[number] = (i32)index;
    }
    before += total;
    __syncthreads();
  }
  for (i32 k = before + threadIdx.x; k < count; k += 1024) ids[k] = -1;
}
// Adds all rows from position `first` on that have this index, `left` of them, to a sum, in their order. A block works on
// it, and looks at 2048 positions at once.
template <typename T, typename L>
DEVICE void add_equal_rows(T* sum, const T* rows, const L* indices, L index, i32 first, i32 left, i32 count, i64 width) {
  constexpr int kWords = 64;
  __shared__ u32 found[kWords];  // a bit for each position
  for (i32 start = first; start < count && left > 0; start += 32 * kWords) {
    bool any = false;
#pragma unroll
    for (int word = threadIdx.x / 32; word < kWords; word += 8) {
      const i32 j = start + word * 32 + threadIdx.x % 32;
      const bool is = j < count && indices[j] == index;
      const u32 votes = __ballot_sync(0xffffffffu, is);
      if (threadIdx.x % 32 == 0) found[word] = votes;
      any |= is;
    }
    if (__syncthreads_or(any) == 0) continue;
    for (i64 c = threadIdx.x; c < width; c += 256) {
      Wide<T> x = wide(sum[c]);
      for (int word = 0; word < kWords; ++word)
        for (u32 bits = found[word]; bits != 0; bits &= bits - 1)
          x = rounded<T>(plus(x, wide(rows[(i64)(start + word * 32 + __ffs(bits) - 1) * width + c])));
      sum[c] = narrow<T>(x);
    }
    for (int word = 0; word < kWords; ++word) left -= __popc(found[word]);
    __syncthreads();
  }
}
// A block for each position: that of a first sums all that follow with its index.
template <typename T, typename L>
DEVICE void sum_equal_rows(T* out, const T* rows, const L* indices, const i32* place, const i32* named, i32 count, i64 width) {
  const i32 k = blockIdx.x;
  if (k >= count || place[k] < 0) return;
  T* const sum = out + (i64)place[k] * width;
  for (i64 c = threadIdx.x; c < width; c += 256) sum[c] = rows[(i64)k * width + c];
  __syncthreads();
  add_equal_rows(sum, rows, indices, indices[k], k + 1, named[(i64)indices[k]] - 1, count, width);
}
// The same onto a table, which holds what it is added to.
template <typename T, typename L>
DEVICE void scatter_equal_rows(T* table, const T* rows, const L* indices, const i32* first, const i32* named, i32 count, i64 size,
                               i64 width) {
  const i32 k = blockIdx.x;
  const i64 index = (i64)indices[k];
  if (index < 0 || index >= size || first[index] != k) return;
  T* const sum = table + index * width;
  const T* const own = rows + (i64)k * width;
  for (i64 c = threadIdx.x; c < width; c += 256) sum[c] = narrow<T>(plus(wide(sum[c]), wide(own[c])));
  __syncthreads();
  add_equal_rows(sum, rows, indices, indices[k], k + 1, named[index] - 1, count, width);
}
// Sums that nobody has are zero.
template <typename T> DEVICE void clear_unused_rows(T* out, const i32* ids, i32 count, i64 width) {
  const i32 k = blockIdx.x;
  if (k < count && ids[k] >= 0) return;
  for (i64 c = threadIdx.x; c < width; c += 256) out[(i64)k * width + c] = narrow<T>((Wide<T>)0);
}
DEVICE void place_rows(i32* places, const i32* ids, i32 count, i64 size) {
  const i32 k = blockIdx.x * 256 + threadIdx.x;
  if (k < count && ids[k] >= 0 && ids[k] < size) places[ids[k]] = k;
}
template <typename T> DEVICE void subtract_placed(T* out, const T* table, const T* rows, const i32* places, i64 total, i64 width) {
  for (i64 i = (i64)blockIdx.x * 256 + threadIdx.x; i < total; i += (i64)gridDim.x * 256) {
    const i64 row = i / width;
    out[i] = narrow<T>(minus(wide(table[i]), wide(rows[(i64)places[row] * width + (i - row * width)])));
  }
}
