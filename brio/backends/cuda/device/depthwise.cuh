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
// For windows whose elements are neighbours and an even number of channels: a thread has two channels of STRIP columns of y and
// walks down s.rows lines of them. It keeps the K1 lines of x that a window reaches as they are stored, and reads those of the
// next line while it computes. What a strip reads of one line is N columns, of which those in `inside` are of x.
template <typename T> struct Two {  // channels, as they lie in memory; those of 16 bits stay in one register
  Pack<T, 2> p;
  DEVICE Two() {}
  DEVICE explicit Two(const T* from) : p(*(const Pack<T, 2>*)from) {}
  DEVICE void clear() { p.v[0] = p.v[1] = narrow<T>((Wide<T>)0); }
  DEVICE Wide<T> at(int v) const { return wide(p.v[v]); }
};
template <> struct Two<bf16> {
  u32 word;
  DEVICE Two() {}
  DEVICE explicit Two(const bf16* from) : word(*(const u32*)from) {}
  DEVICE void clear() { word = 0; }
  DEVICE f32 at(int v) const { return __uint_as_float(v == 0 ? word << 16 : word & 0xffff0000u); }
};
template <> struct Two<f16> {
  u32 word;
  DEVICE Two() {}
  DEVICE explicit Two(const f16* from) : word(*(const u32*)from) {}
  DEVICE void clear() { word = 0; }
  DEVICE f32 at(int v) const { return wide(f16{(u16)(v == 0 ? word : word >> 16)}); }
};
template <int N, typename T> struct Strip {
  const T* x;  // its first column, which may be outside, in the picture's first line
  i32 channels, size1, size2;
  u32 inside;
  DEVICE Strip(const T* picture, i32 first, i32 channel, const DepthwiseSizes& s)
      : x(picture + (i64)first * s.channels + channel), channels(s.channels), size1(s.size1), size2(s.size2), inside(0) {
#pragma unroll
    for (int i = 0; i < N; ++i) inside |= first + i >= 0 && first + i < size2 ? 1u << i : 0u;
  }
  DEVICE void load(Two<T> (&line)[N], i32 row) const {
    const T* const from = x + (i64)row * size2 * channels;
    const bool there = row >= 0 && row < size1;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (there && (inside >> i & 1)) line[i] = Two<T>(from + i * channels);
      else line[i].clear();
    }
  }
};
// Calls f(line of y, the K1 lines of x that its windows reach) for the lines from `begin` to `end`.
template <int K1, int S1, int N, typename T, typename F>
DEVICE void walk_down(const Strip<N, T>& strip, i32 begin, i32 end, i32 low1, F f) {
  Two<T> lines[K1][N], next[S1][N];
#pragma unroll
  for (int a = 0; a < K1; ++a) strip.load(lines[a], begin * S1 - low1 + a);
  for (i32 o = begin; o < end; ++o) {
    if (o + 1 < end)
#pragma unroll
      for (int a = 0; a < S1; ++a) strip.load(next[a], (o + 1) * S1 - low1 + K1 - S1 + a);
    f(o, lines);
#pragma unroll
    for (int a = 0; a < K1; ++a)
#pragma unroll
      for (int i = 0; i < N; ++i) lines[a][i] = a + S1 < K1 ? lines[a + S1 < K1 ? a + S1 : 0][i] : next[a + S1 - K1 >= 0 ? a + S1 - K1 : 0][i];
  }
}
struct Walk {  // where a thread's strip is
  i32 n, first, begin, end;
  DEVICE Walk(i32 index, i32 strips, i32 segments, i32 columns, i32 rows, i32 count1) {
    const i32 line = index / strips, segment = line % segments;
    first = (index - line * strips) * columns;
    n = line / segments;
    begin = segment * rows;
    end = begin + rows < count1 ? begin + rows : count1;
  }
};
template <int K1, int K2, int S1, int S2, int STRIP, bool FLIP, typename T>
DEVICE void depthwise_walk(T* out, const T* x, const T* filter, const DepthwiseSizes& s, i32 rows) {
  typedef Wide<T> W;
  constexpr int N = (STRIP - 1) * S2 + K2;
  const i32 pairs = s.channels / 2, strips = (s.count2 + STRIP - 1) / STRIP, segments = (s.count1 + rows - 1) / rows;
  const i32 e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= s.batch * segments * strips * pairs) return;
  const i32 index = e / pairs, channel = (e - index * pairs) * 2;
  const Walk at(index, strips, segments, STRIP, rows, s.count1);
  Two<T> weights[K1 * K2];
#pragma unroll
  for (int t = 0; t < K1 * K2; ++t) weights[t] = Two<T>(filter + (FLIP ? K1 * K2 - 1 - t : t) * s.channels + channel);
  const Strip<N, T> strip(x + (i64)at.n * s.size1 * s.size2 * s.channels, at.first * S2 - s.low2, channel, s);
  T* const to = out + ((i64)at.n * s.count1 * s.count2 + at.first) * s.channels + channel;
  walk_down<K1, S1>(strip, at.begin, at.end, s.low1, [&](i32 o, const Two<T> (&lines)[K1][N]) {
    W sum[STRIP][2];
#pragma unroll
    for (int t = 0; t < STRIP; ++t) sum[t][0] = sum[t][1] = 0;
#pragma unroll
    for (int a = 0; a < K1; ++a)
#pragma unroll
      for (int i = 0; i < N; ++i)
#pragma unroll
        for (int v = 0; v < 2; ++v) {
          const W value = lines[a][i].at(v);
#pragma unroll
          for (int t = 0; t < STRIP; ++t)
            if (i - t * S2 >= 0 && i - t * S2 < K2) sum[t][v] = multiply_add(value, weights[a * K2 + (i - t * S2 >= 0 && i - t * S2 < K2 ? i - t * S2 : 0)].at(v), sum[t][v]);
        }
#pragma unroll
    for (int t = 0; t < STRIP; ++t)
      if (at.first + t < s.count2) store_narrow<2>(to + ((i64)o * s.count2 + t) * s.channels, sum[t]);
  });
}
// x, y's cotangent → the filter's, in parts: blocks of X pairs of channels × Y threads, which take turns at strips; a part is
// some of these. partial is (part, taps, channels).
template <int K1, int K2, int S1, int S2, int STRIP, int X, int Y, typename T>
DEVICE void depthwise_filter_walk(Wide<T>* partial, const T* x, const T* g, const DepthwiseSizes& s, i32 rows, i32 strips_per_part) {
  typedef Wide<T> W;
  constexpr int N = (STRIP - 1) * S2 + K2;
  const i32 channel = ((i32)blockIdx.x * X + threadIdx.x) * 2;
  const i32 strips = (s.count2 + STRIP - 1) / STRIP, segments = (s.count1 + rows - 1) / rows, all = s.batch * segments * strips;
  const i32 begin = blockIdx.y * strips_per_part, end = begin + strips_per_part < all ? begin + strips_per_part : all;
  W sum[K1 * K2][2];
#pragma unroll
  for (int t = 0; t < K1 * K2; ++t) sum[t][0] = sum[t][1] = 0;
  if (channel < s.channels)
    for (i32 q = begin + threadIdx.y; q < end; q += Y) {
      const Walk at(q, strips, segments, STRIP, rows, s.count1);
      const Strip<N, T> strip(x + (i64)at.n * s.size1 * s.size2 * s.channels, at.first * S2 - s.low2, channel, s);
      const T* const from = g + ((i64)at.n * s.count1 * s.count2 + at.first) * s.channels + channel;
      walk_down<K1, S1>(strip, at.begin, at.end, s.low1, [&](i32 o, const Two<T> (&lines)[K1][N]) {
#pragma unroll
        for (int t = 0; t < STRIP; ++t) {
          if (at.first + t >= s.count2) continue;
          const Two<T> given(from + ((i64)o * s.count2 + t) * s.channels);
#pragma unroll
          for (int a = 0; a < K1; ++a)
#pragma unroll
            for (int b = 0; b < K2; ++b)
#pragma unroll
              for (int v = 0; v < 2; ++v)
                sum[a * K2 + b][v] = multiply_add(lines[a][t * S2 + b].at(v), given.at(v), sum[a * K2 + b][v]);
        }
      });
    }
  __shared__ W shared[Y][X * 2];
#pragma unroll
  for (int t = 0; t < K1 * K2; ++t) {
    __syncthreads();
    shared[threadIdx.y][threadIdx.x * 2] = sum[t][0];
    shared[threadIdx.y][threadIdx.x * 2 + 1] = sum[t][1];
    __syncthreads();
    for (int i = threadIdx.y * X + threadIdx.x; i < X * 2; i += X * Y) {
      const i32 c = (i32)blockIdx.x * X * 2 + i;
      if (c >= s.channels) continue;
      W total = shared[0][i];
      for (int y = 1; y < Y; ++y) total = plus(total, shared[y][i]);
      partial[((i64)blockIdx.y * (K1 * K2) + t) * s.channels + c] = total;
    }
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
  join_parts(partial, elements, parts, [&](i32 i, Wide<T> sum) { out[i] = narrow<T>(sum); });
}
