// Convolutions of every channel by a filter of its own, over two axes of (batch, height, width, channels): a thread has
// V neighbouring channels. The filter is (taps, channels), its size K1 × K2 known to the compiler.
struct DepthwiseSizes {
  i32 batch, channels;
  i32 size1, size2, count1, count2;  // of x, of y
  i32 stride1, stride2, dilation1, dilation2, low1, low2;
};
DEVICE f32 multiply_add(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
DEVICE f64 multiply_add(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
template <int V, typename T> DEVICE void load_wide(Wide<T>* to, const T* from) {
  const Pack<T, V> p = *(const Pack<T, V>*)from;
#pragma unroll
  for (int v = 0; v < V; ++v) to[v] = wide(p.v[v]);
}
template <int V, typename T> DEVICE void store_narrow(T* out, const Wide<T>* sum) {
  Pack<T, V> w;
#pragma unroll
  for (int v = 0; v < V; ++v) w.v[v] = narrow<T>(sum[v]);
  *(Pack<T, V>*)out = w;
}
// N columns of a line of x, from `first` on; zeros outside of it.
template <int V, int N, typename T> DEVICE void load_line(Wide<T> (&line)[N][V], const T* x, i32 first, i32 size, i32 channels) {
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if (first + i >= 0 && first + i < size) {
      load_wide<V>(line[i], x + (i64)(first + i) * channels);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) line[i][v] = 0;
    }
  }
}

// A thread has STRIP neighbouring results of a row: what their windows share it reads once. FLIP: by the mirrored
// filter, which makes the gradient of x out of y's where windows are one apart.
template <int V, int K1, int K2, int S2, int D2, int STRIP, bool FLIP, typename T>
DEVICE void depthwise(T* out, const T* x, const T* filter, const DepthwiseSizes& s) {
  typedef Wide<T> W;
  constexpr int N = (STRIP - 1) * S2 + (K2 - 1) * D2 + 1;
  const i32 packs = s.channels / V, strips = (s.count2 + STRIP - 1) / STRIP, all = s.batch * s.count1 * strips * packs;
  for (i32 e = blockIdx.x * 256 + threadIdx.x; e < all; e += gridDim.x * 256) {
    const i32 strip = e / packs, channel = (e - strip * packs) * V, line_of_y = strip / strips;
    const i32 first = (strip - line_of_y * strips) * STRIP, n = line_of_y / s.count1, o1 = line_of_y - n * s.count1;
    W sum[STRIP][V];
#pragma unroll
    for (int t = 0; t < STRIP; ++t)
#pragma unroll
      for (int v = 0; v < V; ++v) sum[t][v] = 0;
#pragma unroll
    for (int a = 0; a < K1; ++a) {
      const i32 row = o1 * s.stride1 + a * s.dilation1 - s.low1;
      if (row < 0 || row >= s.size1) continue;
      W line[N][V];
      load_line<V, N>(line, x + (i64)(n * s.size1 + row) * s.size2 * s.channels + channel, first * S2 - s.low2, s.size2, s.channels);
#pragma unroll
      for (int b = 0; b < K2; ++b) {
        W weight[V];
        load_wide<V>(weight, filter + (FLIP ? K1 * K2 - 1 - (a * K2 + b) : a * K2 + b) * s.channels + channel);
#pragma unroll
        for (int t = 0; t < STRIP; ++t)
#pragma unroll
          for (int v = 0; v < V; ++v) sum[t][v] = multiply_add(line[t * S2 + b * D2][v], weight[v], sum[t][v]);
      }
    }
    T* const to = out + ((i64)line_of_y * s.count2 + first) * s.channels + channel;
#pragma unroll
    for (int t = 0; t < STRIP; ++t)
      if (first + t < s.count2) store_narrow<V>(to + (i64)t * s.channels, sum[t]);
  }
}
// y's cotangent → x's, for windows that are further apart: a thread has one vector of x.
template <int V, int K1, int K2, int S1, int S2, typename T>
DEVICE void depthwise_input_grad(T* out, const T* filter, const T* g, const DepthwiseSizes& s) {
  const i32 packs = s.channels / V, all = s.batch * s.size1 * s.size2 * packs;
  for (i32 e = blockIdx.x * 256 + threadIdx.x; e < all; e += gridDim.x * 256) {
    const i32 pixel = e / packs, channel = (e - pixel * packs) * V, line = pixel / s.size2, i2 = pixel - line * s.size2;
    const i32 n = line / s.size1, i1 = line - n * s.size1;
    Wide<T> sum[V], weight[V], given[V];
#pragma unroll
    for (int v = 0; v < V; ++v) sum[v] = 0;
#pragma unroll
    for (int a = 0; a < K1; ++a) {
      const i32 from = i1 + s.low1 - a * s.dilation1, row = from / S1;
      if (from < 0 || row * S1 != from || row >= s.count1) continue;
#pragma unroll
      for (int b = 0; b < K2; ++b) {
        const i32 across = i2 + s.low2 - b * s.dilation2, column = across / S2;
        if (across < 0 || column * S2 != across || column >= s.count2) continue;
        load_wide<V>(weight, filter + (a * K2 + b) * s.channels + channel);
        load_wide<V>(given, g + ((i64)(n * s.count1 + row) * s.count2 + column) * s.channels + channel);
#pragma unroll
        for (int v = 0; v < V; ++v) sum[v] = multiply_add(weight[v], given[v], sum[v]);
      }
    }
    store_narrow<V>(out + (i64)e * V, sum);
  }
}
// x, y's cotangent → the filter's, in parts: blocks of X vectors of channels × 256 / X, which take turns at strips of
// y's rows; a part is some of these rows. partial is (part, taps, channels).
template <int V, int K1, int K2, int S2, int D2, int STRIP, int X, typename T>
DEVICE void depthwise_filter_grad(Wide<T>* partial, const T* x, const T* g, const DepthwiseSizes& s, i32 lines_per_part) {
  typedef Wide<T> W;
  constexpr int Y = 256 / X, N = (STRIP - 1) * S2 + (K2 - 1) * D2 + 1;
  const i32 channel = ((i32)blockIdx.x * X + threadIdx.x) * V, lines = s.batch * s.count1;
  const i32 begin = blockIdx.y * lines_per_part, end = begin + lines_per_part < lines ? begin + lines_per_part : lines;
  const i32 strips = (s.count2 + STRIP - 1) / STRIP;
  W sum[K1 * K2][V];
#pragma unroll
  for (int t = 0; t < K1 * K2; ++t)
#pragma unroll
    for (int v = 0; v < V; ++v) sum[t][v] = 0;
  if (channel < s.channels)
    for (i32 q = begin * strips + threadIdx.y; q < end * strips; q += Y) {
      const i32 line_of_y = q / strips, first = (q - line_of_y * strips) * STRIP;
      const i32 n = line_of_y / s.count1, o1 = line_of_y - n * s.count1;
      W given[STRIP][V];
      load_line<V, STRIP>(given, g + (i64)line_of_y * s.count2 * s.channels + channel, first, s.count2, s.channels);
#pragma unroll
      for (int a = 0; a < K1; ++a) {
        const i32 row = o1 * s.stride1 + a * s.dilation1 - s.low1;
        if (row < 0 || row >= s.size1) continue;
        W line[N][V];
        load_line<V, N>(line, x + (i64)(n * s.size1 + row) * s.size2 * s.channels + channel, first * S2 - s.low2, s.size2, s.channels);
#pragma unroll
        for (int b = 0; b < K2; ++b)
#pragma unroll
          for (int t = 0; t < STRIP; ++t)
#pragma unroll
            for (int v = 0; v < V; ++v) sum[a * K2 + b][v] = multiply_add(line[t * S2 + b * D2][v], given[t][v], sum[a * K2 + b][v]);
      }
    }
  __shared__ W shared[Y][X * V];
#pragma unroll
  for (int t = 0; t < K1 * K2; ++t) {
    __syncthreads();
#pragma unroll
    for (int v = 0; v < V; ++v) shared[threadIdx.y][threadIdx.x * V + v] = sum[t][v];
    __syncthreads();
    for (int i = threadIdx.y * X + threadIdx.x; i < X * V; i += 256) {
      const i32 c = (i32)blockIdx.x * X * V + i;
      if (c >= s.channels) continue;
      W total = shared[0][i];
      for (int y = 1; y < Y; ++y) total = plus(total, shared[y][i]);
      partial[((i64)blockIdx.y * (K1 * K2) + t) * s.channels + c] = total;
    }
  }
}
template <typename T> DEVICE void depthwise_join(T* out, const Wide<T>* partial, i32 elements, i32 parts) {
  const i32 i = blockIdx.x * 32 + threadIdx.x;
  __shared__ Wide<T> shared[8][32];
  Wide<T> sum = 0;
  if (i < elements)
#pragma unroll 4
    for (i32 p = threadIdx.y; p < parts; p += 8) sum = plus(sum, partial[(i64)p * elements + i]);
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || i >= elements) return;
  for (int y = 1; y < 8; ++y) sum = plus(sum, shared[y][threadIdx.x]);
  out[i] = narrow<T>(sum);
}
