// Work on the rows of the last axis: GROUP neighbouring threads (a warp, or a block of 256) have one row.
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
template <int GROUP> DEVICE i64 row_of_thread() { return (i64)blockIdx.x * (256 / GROUP) + threadIdx.x / GROUP; }
template <int GROUP> DEVICE int lane_of_thread() { return threadIdx.x % GROUP; }

template <int GROUP, typename T> DEVICE void largest_and_sum(const T* x, int columns, Wide<T>* shared, Wide<T>& most, Wide<T>& sum) {
  typedef Wide<T> W;
  most = FoldMax<W>::start();
  for (int c = lane_of_thread<GROUP>(); c < columns; c += GROUP) most = FoldMax<W>::join(most, wide(x[c]));
  most = fold_row<FoldMax<W>, GROUP>(most, shared);
  sum = 0;
  for (int c = lane_of_thread<GROUP>(); c < columns; c += GROUP) sum += op_exp(wide(x[c]) - most);
  sum = fold_row<FoldSum<W>, GROUP>(sum, shared);
}

template <typename T, bool LOG, int GROUP> DEVICE void softmax_rows(T* out, const T* in, i64 rows, int columns) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 row = row_of_thread<GROUP>();
  const int n = row < rows ? columns : 0;
  const T* const x = in + row * columns;
  W most, sum;
  largest_and_sum<GROUP>(x, n, shared, most, sum);
  const W total = LOG ? op_log(sum) : (W)1 / sum;
  for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) {
    const W shifted = wide(x[c]) - most;
    out[row * columns + c] = narrow<T>(LOG ? shifted - total : op_exp(shifted) * total);
  }
}

// Losses of rows, and their gradients by the logits. Labels are class numbers (L) or probabilities (T).
template <typename T, typename L, bool SPARSE, bool VALUE, bool GRADIENT, int GROUP>
DEVICE void xent_rows(T* value, T* gradient, const T* in, const void* labels, const T* cotangent, i64 rows, int columns,
                      const FailureAt& failure) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 row = row_of_thread<GROUP>();
  const bool there = row < rows;
  const int lane = lane_of_thread<GROUP>();
  i64 label = 0;
  int n = there ? columns : 0;
  if (SPARSE && there) {
    label = (i64)((const L*)labels)[row];
    if (label < 0 || label >= columns) {
      if (lane == 0) refuse(failure, label, row);
      n = 0;
    }
  }
  const T* const x = in + row * columns;
  const T* const z = (const T*)labels + row * columns;
  W most, sum;
  largest_and_sum<GROUP>(x, n, shared, most, sum);
  const W total = most + op_log(sum);
  W mass = 1, loss = 0;
  if (!SPARSE) {
    mass = 0;
    for (int c = lane; c < n; c += GROUP) {
      mass += wide(z[c]);
      loss -= wide(z[c]) * (wide(x[c]) - total);
    }
    mass = fold_row<FoldSum<W>, GROUP>(mass, shared);
    loss = fold_row<FoldSum<W>, GROUP>(loss, shared);
  } else if (n != 0) {
    loss = total - wide(x[label]);
  }
  if (VALUE && n != 0 && lane == 0) value[row] = narrow<T>(loss);
  if (VALUE && columns == 0 && there && lane == 0) value[row] = narrow<T>((W)0);
  if (!GRADIENT || n == 0) return;
  const W g = wide(cotangent[row]);
  for (int c = lane; c < n; c += GROUP) {
    const W probability = op_exp(wide(x[c]) - total);
    const W target = SPARSE ? (W)(c == label) : wide(z[c]);
    gradient[row * columns + c] = narrow<T>((probability * mass - target) * g);
  }
}

template <int GROUP, typename T, typename W>
DEVICE void row_statistics(const T* x, int columns, int n, bool centered, W epsilon, W* shared, W& mean, W& inverse) {
  mean = 0;
  if (centered) {
    for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) mean += wide(x[c]);
    mean = fold_row<FoldSum<W>, GROUP>(mean, shared) / (W)columns;
  }
  W squares = 0;
  for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) {
    const W d = wide(x[c]) - mean;
    squares += d * d;
  }
  squares = fold_row<FoldSum<W>, GROUP>(squares, shared) / (W)columns;
  inverse = (W)1 / op_sqrt(squares + epsilon);
}

template <typename T, int GROUP>
DEVICE void row_norm(T* out, const T* in, const T* scale, const T* offset, i64 rows, int columns, int centered, f64 epsilon) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 row = row_of_thread<GROUP>();
  const int n = row < rows ? columns : 0;
  const T* const x = in + row * columns;
  W mean, inverse;
  row_statistics<GROUP>(x, columns, n, centered != 0, (W)epsilon, shared, mean, inverse);
  for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP)
    out[row * columns + c] = narrow<T>((wide(x[c]) - mean) * inverse * wide(scale[c]) + wide(offset[c]));
}

// The gradient by the rows; leaves each row's mean and 1 / deviation for the others.
template <typename T, int GROUP>
DEVICE void row_norm_grad(T* out, Wide<T>* statistics, const T* in, const T* scale, const T* cotangent, i64 rows, int columns,
                          int centered, f64 epsilon) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const i64 row = row_of_thread<GROUP>();
  const int n = row < rows ? columns : 0;
  const T* const x = in + row * columns;
  const T* const g = cotangent + row * columns;
  W mean, inverse;
  row_statistics<GROUP>(x, columns, n, centered != 0, (W)epsilon, shared, mean, inverse);
  W sum = 0, dot = 0;
  for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP) {
    const W scaled = wide(g[c]) * wide(scale[c]);
    sum += scaled;
    dot += scaled * ((wide(x[c]) - mean) * inverse);
  }
  sum = fold_row<FoldSum<W>, GROUP>(sum, shared) / (W)columns;
  dot = fold_row<FoldSum<W>, GROUP>(dot, shared) / (W)columns;
  if (centered == 0) sum = 0;
  if (n != 0 && lane_of_thread<GROUP>() == 0) {
    statistics[2 * row] = mean;
    statistics[2 * row + 1] = inverse;
  }
  for (int c = lane_of_thread<GROUP>(); c < n; c += GROUP)
    out[row * columns + c] =
        narrow<T>(inverse * (wide(g[c]) * wide(scale[c]) - sum - (wide(x[c]) - mean) * inverse * dot));
}
// The gradients by scale and offset, of the rows of one part: blocks of 32 columns × 8 rows.
template <typename T>
DEVICE void row_norm_columns(Wide<T>* partial, const Wide<T>* statistics, const T* x, const T* g, i64 rows, int columns, i64 per_part) {
  typedef Wide<T> W;
  __shared__ W shared[2][8][32];
  const int c = blockIdx.x * 32 + threadIdx.x;
  const i64 begin = blockIdx.y * per_part, end = begin + per_part < rows ? begin + per_part : rows;
  W scales = 0, offsets = 0;
  if (c < columns)
    for (i64 r = begin + threadIdx.y; r < end; r += 8) {
      const W d = wide(g[r * columns + c]);
      scales += d * ((wide(x[r * columns + c]) - statistics[2 * r]) * statistics[2 * r + 1]);
      offsets += d;
    }
  shared[0][threadIdx.y][threadIdx.x] = scales;
  shared[1][threadIdx.y][threadIdx.x] = offsets;
  __syncthreads();
  if (threadIdx.y != 0 || c >= columns) return;
  for (int y = 1; y < 8; ++y) {
    scales += shared[0][y][threadIdx.x];
    offsets += shared[1][y][threadIdx.x];
  }
  partial[(2 * (i64)blockIdx.y) * columns + c] = scales;
  partial[(2 * (i64)blockIdx.y + 1) * columns + c] = offsets;
}
template <typename T> DEVICE void row_norm_join(T* scale, T* offset, const Wide<T>* partial, int columns, int parts) {
  const int c = blockIdx.x * 256 + threadIdx.x;
  if (c >= columns) return;
  Wide<T> scales = 0, offsets = 0;
  for (int i = 0; i < parts; ++i) {
    scales += partial[2 * (i64)i * columns + c];
    offsets += partial[(2 * (i64)i + 1) * columns + c];
  }
  scale[c] = narrow<T>(scales);
  offset[c] = narrow<T>(offsets);
}
