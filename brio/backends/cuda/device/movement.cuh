// Elements from one set of strides to another. Bytes are moved: T is an unsigned type of the element's size.
template <typename I, typename D, int RANK> struct Move {
  void* to;
  const void* from;
  I elements;
  D size[RANK];  // outermost first
  I to_stride[RANK], from_stride[RANK];
};
DEVICE i64 as_signed(u32 x) { return (i32)x; }
DEVICE i64 as_signed(i64 x) { return x; }
template <typename T, typename I, typename D, int RANK> DEVICE void strided_copy(const Move<I, D, RANK>& p) {
  const I step = (I)gridDim.x * blockDim.x;
  for (I i = (I)blockIdx.x * blockDim.x + threadIdx.x; i < p.elements; i += step) {
    I rest = i, to = 0, from = 0;
#pragma unroll
    for (int d = RANK - 1; d > 0; --d) {
      const I q = quotient(rest, p.size[d]);
      const I at = rest - q * (I)divisor(p.size[d]);
      to += at * p.to_stride[d];
      from += at * p.from_stride[d];
      rest = q;
    }
    to += rest * p.to_stride[0];
    from += rest * p.from_stride[0];
    ((T*)p.to)[as_signed(to)] = ((const T*)p.from)[as_signed(from)];
  }
}

// batches of rows × columns to columns × rows, by tiles in shared memory: both sides move whole lines.
template <typename T> DEVICE void transpose_tiles(T* to, const T* from, u32 rows, u32 columns) {
  __shared__ T tile[32][33];
  to += (u64)blockIdx.z * rows * columns;
  from += (u64)blockIdx.z * rows * columns;
  const u32 c0 = blockIdx.x * 32, r0 = blockIdx.y * 32;
  for (u32 y = threadIdx.y; y < 32; y += 8)
    if (r0 + y < rows && c0 + threadIdx.x < columns) tile[y][threadIdx.x] = from[(u64)(r0 + y) * columns + c0 + threadIdx.x];
  __syncthreads();
  for (u32 y = threadIdx.y; y < 32; y += 8)
    if (c0 + y < columns && r0 + threadIdx.x < rows) to[(u64)(c0 + y) * rows + r0 + threadIdx.x] = tile[threadIdx.x][y];
}
