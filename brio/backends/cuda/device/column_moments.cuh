// Sums and spreads of columns in one pass. A thread takes its numbers less the first of them, so that little cancels; means and
// spreads of several are then joined around the mean of one of them.
template <typename W> struct Spreads {
  W around, n, sum, squares;  // sums of differences from `around`
  DEVICE explicit Spreads(W around) : around(around), n(0), sum(0), squares(0) {}
  DEVICE void add(W count, W mean, W spread) {
    const W apart = mean - around;
    n += count;
    sum += count * apart;
    squares += spread + count * (apart * apart);
  }
  DEVICE W mean() const { return n == 0 ? around : around + sum / n; }
  DEVICE W spread() const { return n == 0 ? (W)0 : squares - sum * (sum / n); }
};
// Blocks of X vectors of columns × 256 / X rows at a time; a part is some rows. partial is (part, mean or spread, columns).
template <int V, int X, int AT_ONCE, typename T>
DEVICE void column_moments(Wide<T>* partial, const T* x, i64 rows, i32 columns, i64 per_part) {
  typedef Wide<T> W;
  constexpr int Y = 256 / X;
  const i32 c = ((i32)blockIdx.x * X + threadIdx.x) * V;
  const i64 begin = blockIdx.y * per_part + threadIdx.y, stop = (blockIdx.y + 1) * per_part, end = stop < rows ? stop : rows;
  W first[V], sum[V], squares[V];
#pragma unroll
  for (int v = 0; v < V; ++v) first[v] = sum[v] = squares[v] = 0;
  W n = 0;
  if (c < columns && begin < end) {
    const Pack<T, V> p = *(const Pack<T, V>*)(x + begin * columns + c);
#pragma unroll
    for (int v = 0; v < V; ++v) first[v] = wide(p.v[v]);
    n = (W)((end - begin + Y - 1) / Y);
#pragma unroll AT_ONCE
    for (i64 r = begin; r < end; r += Y) {
      const Pack<T, V> q = *(const Pack<T, V>*)(x + r * columns + c);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const W apart = wide(q.v[v]) - first[v];
        sum[v] += apart;
        squares[v] += apart * apart;
      }
    }
  }
  __shared__ W counts[Y], means[Y][X * V], spreads[Y][X * V];
  if (threadIdx.x == 0) counts[threadIdx.y] = n;
#pragma unroll
  for (int v = 0; v < V; ++v) {
    const W mean = n == 0 ? (W)0 : sum[v] / n;
    means[threadIdx.y][threadIdx.x * V + v] = first[v] + mean;
    spreads[threadIdx.y][threadIdx.x * V + v] = squares[v] - sum[v] * mean;
  }
  __syncthreads();
  for (int i = threadIdx.y * X + threadIdx.x; i < X * V; i += 256) {
    const i32 column = (i32)blockIdx.x * X * V + i;
    if (column >= columns) continue;
    Spreads<W> all(means[0][i]);
    for (int y = 0; y < Y; ++y) all.add(counts[y], means[y][i], spreads[y][i]);
    partial[2 * (i64)blockIdx.y * columns + column] = all.mean();
    partial[(2 * (i64)blockIdx.y + 1) * columns + column] = all.spread();
  }
}
// Blocks of 32 × 32, as join_parts has them.
template <typename W> DEVICE void column_moments_join(W* sum, W* spread, const W* partial, i64 rows, i32 columns, i64 per_part, i32 parts) {
  __shared__ W shared[3][32][33];
  const i32 c = blockIdx.x * 32 + threadIdx.x, mine = blockIdx.x * 32 + threadIdx.y;
  Spreads<W> all(c < columns ? partial[c] : (W)0);
  if (c < columns)
#pragma unroll 8
    for (i32 p = threadIdx.y; p < parts; p += 32) {
      const i64 left = rows - p * per_part;
      all.add((W)(left < per_part ? left : per_part), partial[2 * (i64)p * columns + c], partial[(2 * (i64)p + 1) * columns + c]);
    }
  shared[0][threadIdx.y][threadIdx.x] = all.n;
  shared[1][threadIdx.y][threadIdx.x] = all.sum;
  shared[2][threadIdx.y][threadIdx.x] = all.squares;
  __syncthreads();
  Spreads<W> total(mine < columns ? partial[mine] : (W)0);
  total.n = fold_threads<FoldSum<W>>(shared[0][threadIdx.x][threadIdx.y], 32);
  total.sum = fold_threads<FoldSum<W>>(shared[1][threadIdx.x][threadIdx.y], 32);
  total.squares = fold_threads<FoldSum<W>>(shared[2][threadIdx.x][threadIdx.y], 32);
  if (threadIdx.x != 0 || mine >= columns) return;
  sum[mine] = total.mean() * total.n;
  spread[mine] = total.spread();
}
