// Work on the rows of the last axis: GROUP neighbouring threads (a warp, or a block) have one row.
template <typename F, int GROUP, typename T> DEVICE T fold_row(T x, T* shared) {
  if (GROUP <= 32) return __shfl_sync(0xffffffffu, fold_threads<F>(x, 32), 0);
  x = fold_block<F>(x, shared, GROUP);
  __syncthreads();
  if (threadIdx.x == 0) shared[0] = x;
  __syncthreads();
  x = shared[0];
  __syncthreads();
  return x;
}
template <int GROUP> DEVICE i64 row_of_thread() { return (i64)blockIdx.x * (blockDim.x / GROUP) + threadIdx.x / GROUP; }
template <int GROUP> DEVICE i64 rows_at_once() { return (i64)gridDim.x * (blockDim.x / GROUP); }
template <int GROUP> DEVICE int lane_of_thread() { return threadIdx.x % GROUP; }

// A row: every thread of its group holds PACKS times VEC of its numbers, read once. With PACKS = 0 it holds none, and
// reads them where they lie each time.
template <typename T, int GROUP, int VEC, int PACKS> struct Row {
  typedef Pack<T, VEC> P;
  P r[PACKS];
  int n;
  DEVICE Row(const T* x, int n) : n(n) {
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
      if (column(p) < n) r[p] = *(const P*)(x + column(p));
  }
  static DEVICE int column(int p) { return (p * GROUP + lane_of_thread<GROUP>()) * VEC; }
  template <typename F> DEVICE void each(F f) const {  // f(column, number)
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
      if (column(p) < n) {
#pragma unroll
        for (int v = 0; v < VEC; ++v) f(column(p) + v, wide(r[p].v[v]));
      }
  }
  // f(number, what lies beside it in two other rows); these are read as vectors too.
  template <typename A, typename B, typename F> DEVICE void each_with(const A* a, const B* b, F f) const {
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
      if (column(p) < n) {
        const Pack<A, VEC> as = *(const Pack<A, VEC>*)(a + column(p));
        const Pack<B, VEC> bs = *(const Pack<B, VEC>*)(b + column(p));
#pragma unroll
        for (int v = 0; v < VEC; ++v) f(wide(r[p].v[v]), wide(as.v[v]), wide(bs.v[v]));
      }
  }
  template <typename O, typename A, typename B, typename F> DEVICE void map_with(O* out, const A* a, const B* b, F f) const {
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
      if (column(p) < n) {
        const Pack<A, VEC> as = *(const Pack<A, VEC>*)(a + column(p));
        const Pack<B, VEC> bs = *(const Pack<B, VEC>*)(b + column(p));
        Pack<O, VEC> w;
#pragma unroll
        for (int v = 0; v < VEC; ++v) w.v[v] = narrow<O>(f(wide(r[p].v[v]), wide(as.v[v]), wide(bs.v[v])));
        *(Pack<O, VEC>*)(out + column(p)) = w;
      }
  }
  template <typename O, typename F> DEVICE void map(O* out, F f) const {  // out[column] = f(column, number)
#pragma unroll
    for (int p = 0; p < PACKS; ++p)
      if (column(p) < n) {
        Pack<O, VEC> w;
#pragma unroll
        for (int v = 0; v < VEC; ++v) w.v[v] = narrow<O>(f(column(p) + v, wide(r[p].v[v])));
        *(Pack<O, VEC>*)(out + column(p)) = w;
      }
  }
  DEVICE Wide<T> at(int p, int v) const { return wide(r[p].v[v]); }
  static DEVICE int lane_of(i64 column) { return (int)(column / VEC % GROUP); }
};
template <typename T, int GROUP, int VEC> struct Row<T, GROUP, VEC, 0> {
  const T* x;
  int n;
  DEVICE Row(const T* x, int n) : x(x), n(n) {}
  template <typename F> DEVICE void each(F f) const {
    for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) f(c, wide(x[c]));
  }
  template <typename A, typename B, typename F> DEVICE void each_with(const A* a, const B* b, F f) const {
    for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) f(wide(x[c]), wide(a[c]), wide(b[c]));
  }
  template <typename O, typename A, typename B, typename F> DEVICE void map_with(O* out, const A* a, const B* b, F f) const {
    for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) out[c] = narrow<O>(f(wide(x[c]), wide(a[c]), wide(b[c])));
  }
  template <typename O, typename F> DEVICE void map(O* out, F f) const {
    for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) out[c] = narrow<O>(f(c, wide(x[c])));
  }
  static DEVICE int lane_of(i64 column) { return (int)(column % GROUP); }
};

// PACKS = -1: the row lies in the block's shared memory, where each thread reads what it has put there itself.
template <typename T, int GROUP, int VEC> struct Row<T, GROUP, VEC, -1> {
  typedef Pack<T, VEC> P;
  int n;
  DEVICE Row(const T* x, int n) : n(n) {
    for (int c = first(); c < n; c += GROUP * VEC) copy_ahead(dynamic_memory + c / VEC, (const u128*)(x + c));
    wait_for_copies();
  }
  static DEVICE int first() { return lane_of_thread<GROUP>() * VEC; }
  static DEVICE const P& pack(int c) { return ((const P*)dynamic_memory)[c / VEC]; }
  template <typename F> DEVICE void each(F f) const {
#pragma unroll 2
    for (int c = first(); c < n; c += GROUP * VEC) {
      const P r = pack(c);
#pragma unroll
      for (int v = 0; v < VEC; ++v) f(c + v, wide(r.v[v]));
    }
  }
  template <typename A, typename B, typename F> DEVICE void each_with(const A* a, const B* b, F f) const {
    for (int c = first(); c < n; c += GROUP * VEC) {
      const P r = pack(c);
      const Pack<A, VEC> as = *(const Pack<A, VEC>*)(a + c);
      const Pack<B, VEC> bs = *(const Pack<B, VEC>*)(b + c);
#pragma unroll
      for (int v = 0; v < VEC; ++v) f(wide(r.v[v]), wide(as.v[v]), wide(bs.v[v]));
    }
  }
  template <typename O, typename A, typename B, typename F> DEVICE void map_with(O* out, const A* a, const B* b, F f) const {
    for (int c = first(); c < n; c += GROUP * VEC) {
      const P r = pack(c);
      const Pack<A, VEC> as = *(const Pack<A, VEC>*)(a + c);
      const Pack<B, VEC> bs = *(const Pack<B, VEC>*)(b + c);
      Pack<O, VEC> w;
#pragma unroll
      for (int v = 0; v < VEC; ++v) w.v[v] = narrow<O>(f(wide(r.v[v]), wide(as.v[v]), wide(bs.v[v])));
      *(Pack<O, VEC>*)(out + c) = w;
    }
  }
  template <typename O, typename F> DEVICE void map(O* out, F f) const {
#pragma unroll 2
    for (int c = first(); c < n; c += GROUP * VEC) {
      const P r = pack(c);
      Pack<O, VEC> w;
#pragma unroll
      for (int v = 0; v < VEC; ++v) w.v[v] = narrow<O>(f(c + v, wide(r.v[v])));
      *(Pack<O, VEC>*)(out + c) = w;
    }
  }
  static DEVICE int lane_of(i64 column) { return (int)(column / VEC % GROUP); }
};

// What is rounded to 16 bits need not be known to the last of 24.
template <typename T> DEVICE Wide<T> row_exp(Wide<T> x) { return op_exp(x); }
template <> DEVICE f32 row_exp<f16>(f32 x) { return quick_exp2(x * 1.44269504f); }
template <> DEVICE f32 row_exp<bf16>(f32 x) { return quick_exp2(x * 1.44269504f); }
template <typename T, int GROUP, typename R, typename W> DEVICE void largest_and_sum(const R& row, W* shared, W& most, W& sum) {
  W m = FoldMax<W>::start();
  row.each([&](int, W x) { m = FoldMax<W>::join(m, x); });
  m = fold_row<FoldMax<W>, GROUP>(m, shared);
  W s = 0;
  row.each([&](int, W x) { s += row_exp<T>(x - m); });
  most = m;
  sum = fold_row<FoldSum<W>, GROUP>(s, shared);
}

template <typename T, bool LOG, int GROUP, int VEC, int PACKS>
DEVICE void softmax_rows(T* out, const T* in, i64 rows, int columns) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 at = row_of_thread<GROUP>();
  const Row<T, GROUP, VEC, PACKS> row(in + at * columns, at < rows ? columns : 0);
  W most, sum;
  largest_and_sum<T, GROUP>(row, shared, most, sum);
  const W total = LOG ? op_log(sum) : (W)1 / sum;
  row.map(out + at * columns, [&](int, W x) { return LOG ? x - most - total : row_exp<T>(x - most) * total; });
}

// Losses of rows, and their gradients by the logits. Labels are class numbers (L) or probabilities (T). Values and
// cotangents are of V.
template <typename T, typename V, typename L, bool SPARSE, bool VALUE, bool GRADIENT, int GROUP, int VEC, int PACKS>
DEVICE void xent_rows(V* value, T* gradient, const T* in, const void* labels, const V* cotangent, i64 rows, int columns,
                      const FailureAt& failure) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 at = row_of_thread<GROUP>();
  const bool there = at < rows;
  const int lane = lane_of_thread<GROUP>();
  i64 label = 0;
  int n = there ? columns : 0;
  if (SPARSE && there) {
    label = (i64)((const L*)labels)[at];
    if (label < 0 || label >= columns) {
      if (lane == 0) refuse(failure, label, at);
      n = 0;
    }
  }
  const T* const x = in + at * columns;
  const T* const z = (const T*)labels + at * columns;
  const Row<T, GROUP, VEC, PACKS> row(x, n);
  const W own = SPARSE && n != 0 ? wide(x[label]) : (W)0;  // before gradients are written where it lies
  W most, sum;
  largest_and_sum<T, GROUP>(row, shared, most, sum);
  const W total = most + op_log(sum);
  W mass = 1, loss = 0;
  if (!SPARSE) {
    mass = 0;
    row.each([&](int c, W x) {
      mass += wide(z[c]);
      loss -= wide(z[c]) * (x - total);
    });
    mass = fold_row<FoldSum<W>, GROUP>(mass, shared);
    loss = fold_row<FoldSum<W>, GROUP>(loss, shared);
  } else if (n != 0) {
    loss = total - own;
  }
  if (VALUE && n != 0 && lane == 0) value[at] = narrow<V>(loss);
  if (VALUE && columns == 0 && there && lane == 0) value[at] = narrow<V>((W)0);
  if (!GRADIENT || n == 0) return;
  const W g = wide(cotangent[at]);
  T* const to = gradient + at * columns;
  if (!SPARSE) {
    row.map(to, [&](int c, W x) { return (row_exp<T>(x - total) * mass - wide(z[c])) * g; });
    return;
  }
  row.map(to, [&](int, W x) { return row_exp<T>(x - total) * g; });
  // The label's own is another: the thread that wrote it writes over it, so that no other column is asked.
  if (lane == row.lane_of(label)) to[label] = narrow<T>((row_exp<T>(own - total) - (W)1) * g);
}

template <int GROUP, typename R, typename W>
DEVICE void row_statistics(const R& row, int columns, bool centered, W epsilon, W* shared, W& mean, W& inverse) {
  W sum = 0;
  if (centered) {
    row.each([&](int, W x) { sum += x; });
    sum = fold_row<FoldSum<W>, GROUP>(sum, shared) / (W)columns;
  }
  W squares = 0;
  row.each([&](int, W x) { squares += (x - sum) * (x - sum); });
  squares = fold_row<FoldSum<W>, GROUP>(squares, shared) / (W)columns;
  mean = sum;
  inverse = (W)1 / op_sqrt(squares + epsilon);
}

// Scale and offset are of P.
template <typename T, typename P, int GROUP, int VEC, int PACKS>
DEVICE void row_norm(T* out, const T* in, const P* scale, const P* offset, i64 rows, int columns, int centered, f64 epsilon) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 at = row_of_thread<GROUP>();
  const Row<T, GROUP, VEC, PACKS> row(in + at * columns, at < rows ? columns : 0);
  W mean, inverse;
  row_statistics<GROUP>(row, columns, centered != 0, (W)epsilon, shared, mean, inverse);
  row.map_with(out + at * columns, scale, offset,
               [&](W x, Wide<P> by, Wide<P> more) { return (x - mean) * inverse * (W)by + (W)more; });
}

// The gradient by the rows; leaves each row's mean and 1 / deviation for the others.
template <typename T, typename P, int GROUP, int VEC, int PACKS>
DEVICE void row_norm_grad(T* out, Wide<T>* statistics, const T* in, const P* scale, const T* cotangent, i64 rows, int columns,
                          int centered, f64 epsilon) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 at = row_of_thread<GROUP>();
  const int n = at < rows ? columns : 0;
  const T* const g = cotangent + at * columns;
  const Row<T, GROUP, VEC, PACKS> row(in + at * columns, n);
  W mean, inverse;
  row_statistics<GROUP>(row, columns, centered != 0, (W)epsilon, shared, mean, inverse);
  W sum = 0, dot = 0;
  row.each_with(g, scale, [&](W x, W given, Wide<P> by) {
    const W scaled = given * (W)by;
    sum += scaled;
    dot += scaled * ((x - mean) * inverse);
  });
  sum = fold_row<FoldSum<W>, GROUP>(sum, shared) / (W)columns;
  dot = fold_row<FoldSum<W>, GROUP>(dot, shared) / (W)columns;
  if (centered == 0) sum = 0;
  if (n != 0 && lane_of_thread<GROUP>() == 0) {
    statistics[2 * at] = mean;
    statistics[2 * at + 1] = inverse;
  }
  row.map_with(out + at * columns, g, scale, [&](W x, W given, Wide<P> by) {
    return inverse * (given * (W)by - sum - (x - mean) * inverse * dot);
  });
}
// Both in one pass: warps of a block take the rows of one part in turn, and each thread adds up its columns of them. SUMS:
// `more` is added to the gradient by the rows, and the columns of that are added up too.
template <typename T, typename P, int VEC, int PACKS, bool SUMS>
DEVICE void row_norm_grad_of_part(T* out, Wide<T>* partial, const T* in, const P* scale, const T* cotangent, const T* more, i64 rows,
                                  int columns, int centered, f64 epsilon, i64 per_part) {
  typedef Wide<T> W;
  constexpr int KINDS = SUMS ? 3 : 2;
  __shared__ W shared[KINDS][32 * VEC * PACKS];
  const int warp = threadIdx.x / 32;
  const i64 begin = blockIdx.x * per_part, end = begin + per_part < rows ? begin + per_part : rows;
  W scales[PACKS][VEC], offsets[PACKS][VEC], sums[SUMS ? PACKS : 1][VEC];
#pragma unroll
  for (int p = 0; p < PACKS; ++p)
#pragma unroll
    for (int v = 0; v < VEC; ++v) scales[p][v] = offsets[p][v] = sums[SUMS ? p : 0][v] = 0;
  for (i64 at = begin + warp; at < end; at += 8) {
    typedef Row<T, 32, VEC, PACKS> R;
    const R row(in + at * columns, columns), given(cotangent + at * columns, columns);
    const R around(SUMS ? more + at * columns : in, SUMS ? columns : 0);
    W mean, inverse;
    row_statistics<32>(row, columns, centered != 0, (W)epsilon, (W*)0, mean, inverse);
    W sum = 0, dot = 0;
#pragma unroll
    for (int p = 0; p < PACKS; ++p) {
      if (R::column(p) >= columns) continue;
      const Pack<P, VEC> by = *(const Pack<P, VEC>*)(scale + R::column(p));
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        const W normal = (row.at(p, v) - mean) * inverse, g = given.at(p, v), scaled = g * (W)wide(by.v[v]);
        sum += scaled;
        dot += scaled * normal;
        scales[p][v] += g * normal;
        offsets[p][v] += g;
      }
    }
    sum = fold_row<FoldSum<W>, 32>(sum, (W*)0) / (W)columns;
    dot = fold_row<FoldSum<W>, 32>(dot, (W*)0) / (W)columns;
    if (centered == 0) sum = 0;
#pragma unroll
    for (int p = 0; p < PACKS; ++p) {
      if (R::column(p) >= columns) continue;
      const Pack<P, VEC> by = *(const Pack<P, VEC>*)(scale + R::column(p));
      Pack<T, VEC> w;
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        w.v[v] = narrow<T>(inverse * (given.at(p, v) * (W)wide(by.v[v]) - sum - (row.at(p, v) - mean) * inverse * dot));
        if (SUMS) {
          w.v[v] = narrow<T>(wide(w.v[v]) + around.at(p, v));
          sums[SUMS ? p : 0][v] += wide(w.v[v]);
        }
      }
      *(Pack<T, VEC>*)(out + at * columns + R::column(p)) = w;
    }
  }
  for (int turn = 0; turn < 8; ++turn) {
    if (warp == turn)
#pragma unroll
      for (int p = 0; p < PACKS; ++p)
#pragma unroll
        for (int v = 0; v < VEC; ++v) {
          const int i = (p * VEC + v) * 32 + threadIdx.x % 32;
          shared[0][i] = turn == 0 ? scales[p][v] : shared[0][i] + scales[p][v];
          shared[1][i] = turn == 0 ? offsets[p][v] : shared[1][i] + offsets[p][v];
          if (SUMS) shared[KINDS - 1][i] = turn == 0 ? sums[SUMS ? p : 0][v] : shared[KINDS - 1][i] + sums[SUMS ? p : 0][v];
        }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < KINDS * columns; i += 256) {
    const int which = i / columns, c = i % columns, pack = c / VEC;
    partial[KINDS * (i64)blockIdx.x * columns + i] = shared[which][(pack / 32 * VEC + c % VEC) * 32 + pack % 32];
  }
}
// The gradients by scale and offset, of the rows of one part: blocks of 32 threads × 8 rows, VEC columns a thread.
template <typename T, int VEC>
DEVICE void row_norm_columns(Wide<T>* partial, const Wide<T>* statistics, const T* x, const T* g, i64 rows, int columns, i64 per_part) {
  typedef Wide<T> W;
  __shared__ W shared[2][8][32 * VEC];
  const int c = (blockIdx.x * 32 + threadIdx.x) * VEC;
  const i64 begin = blockIdx.y * per_part, end = begin + per_part < rows ? begin + per_part : rows;
  W scales[VEC], offsets[VEC];
#pragma unroll
  for (int v = 0; v < VEC; ++v) scales[v] = offsets[v] = 0;
  if (c < columns)
#pragma unroll 4
    for (i64 r = begin + threadIdx.y; r < end; r += 8) {
      const Pack<T, VEC> xs = *(const Pack<T, VEC>*)(x + r * columns + c);
      const Pack<T, VEC> gs = *(const Pack<T, VEC>*)(g + r * columns + c);
      const W mean = statistics[2 * r], inverse = statistics[2 * r + 1];
#pragma unroll
      for (int v = 0; v < VEC; ++v) {
        scales[v] += wide(gs.v[v]) * ((wide(xs.v[v]) - mean) * inverse);
        offsets[v] += wide(gs.v[v]);
      }
    }
#pragma unroll
  for (int v = 0; v < VEC; ++v) {
    shared[0][threadIdx.y][threadIdx.x * VEC + v] = scales[v];
    shared[1][threadIdx.y][threadIdx.x * VEC + v] = offsets[v];
  }
  __syncthreads();
  const int thread = threadIdx.y * 32 + threadIdx.x, first = blockIdx.x * 32 * VEC;
  for (int i = thread; i < 2 * 32 * VEC; i += 256) {
    const int which = i / (32 * VEC), column = i % (32 * VEC);
    if (first + column >= columns) continue;
    W sum = shared[which][0][column];
    for (int y = 1; y < 8; ++y) sum += shared[which][y][column];
    partial[(2 * (i64)blockIdx.y + which) * columns + first + column] = sum;
  }
}
template <typename P, typename W> DEVICE void row_norm_join(P* scale, P* offset, const W* partial, int columns, int parts) {
  join_parts(partial, 2 * columns, parts,
             [&](i32 i, W sum) { (i < columns ? scale : offset - columns)[i] = narrow<P>((Wide<P>)sum); });
}
template <typename P, typename T, typename W>
DEVICE void row_norm_join_sums(P* scale, P* offset, T* sums, const W* partial, int columns, int parts) {
  join_parts(partial, 3 * columns, parts, [&](i32 i, W sum) {
    if (i < 2 * columns) (i < columns ? scale : offset - columns)[i] = narrow<P>((Wide<P>)sum);
    else sums[i - 2 * columns] = narrow<T>((Wide<T>)sum);
  });
}
