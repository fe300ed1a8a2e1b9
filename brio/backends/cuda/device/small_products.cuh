// Products of small matrices, where a library's kernel spends its time on starting, and on a second one that adds up. A block
// makes 16 × 16 results: it takes 128 elements of their rows and columns at a time into shared memory, all loads under way at
// once, and each thread adds up one result, in the order of the elements.
const int kTile = 16, kDepth = 128;

// One operand: `at` is its row (or column) by element; `count` of these, `k` elements each. BY_ELEMENTS: elements of one are
// neighbours in memory.
template <bool BY_ELEMENTS, typename T>
DEVICE void take_tile(Wide<T> (*tile)[kTile + 1], const T* from, int first, int count, int begin, int k) {
#pragma unroll
  for (int i = 0; i < kTile * kDepth / 256; ++i) {
    const int n = i * 256 + (int)threadIdx.x;
    const int element = BY_ELEMENTS ? n % kDepth : n / kTile, which = BY_ELEMENTS ? n / kDepth : n % kTile;
    const bool there = first + which < count && begin + element < k;
    const int at = BY_ELEMENTS ? (first + which) * k + begin + element : (begin + element) * count + first + which;
    tile[element][which] = there ? wide(from[at]) : (Wide<T>)0;
  }
}

// out (m, n) = then(a · b + bias), where a is (m, k) or (k, m), b (k, n) or (n, k), and bias null or (n).
template <bool TRANSPOSED_A, bool TRANSPOSED_B, typename T, typename Then>
DEVICE void small_product(T* out, const T* a, const T* b, const T* bias, int m, int n, int k, Then then) {
  typedef Wide<T> W;
  __shared__ W rows[kDepth][kTile + 1], columns[kDepth][kTile + 1];
  const int row = threadIdx.x / kTile, column = threadIdx.x % kTile;
  const int across = (n + kTile - 1) / kTile;
  const int first_row = (int)blockIdx.x / across * kTile, first_column = (int)blockIdx.x % across * kTile;
  const int i = first_row + row, j = first_column + column;
  const W added = bias && j < n ? wide(bias[j]) : (W)0;
  W sum = 0;
  for (int begin = 0; begin < k; begin += kDepth) {
    if (begin > 0) __syncthreads();
    take_tile<!TRANSPOSED_A>(rows, a, first_row, m, begin, k);
    take_tile<TRANSPOSED_B>(columns, b, first_column, n, begin, k);
    __syncthreads();
    const int end = k - begin < kDepth ? k - begin : kDepth;
#pragma unroll 16
    for (int element = 0; element < end; ++element) sum += rows[element][row] * columns[element][column];
  }
  if (i < m && j < n) out[i * n + j] = narrow<T>(then(bias ? sum + added : sum));
}
