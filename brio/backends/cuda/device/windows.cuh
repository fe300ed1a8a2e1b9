// Windows over three axes of (batch, spatial…, channels): pooling, and convolutions that no library has. One thread for
// each element of the result, or for V neighbouring channels; sums are in the order of the definition (reference/pooling.cpp, reference/convolution.cpp).
template <typename I> struct WindowAxis {
  I size, window, stride, dilation, low, count;
};
// I: i32 where all positions fit.
template <typename I> struct WindowSizes {
  WindowAxis<I> axis[3];
  I batch, channels;               // pooling
  I groups, in_group, out_group;   // convolution: channels of one group
};
template <typename T, typename I> struct Windowed {
  T* out;
  const T *a, *b;
  WindowSizes<I> s;
};
template <typename I> DEVICE void spatial(I index, I size1, I size2, I* at) {
  at[0] = index / (size1 * size2);
  at[1] = index / size2 % size1;
  at[2] = index % size2;
}
// Where a window's tap lies in x; -1: in the padding.
template <typename I> DEVICE I position_of_tap(const WindowSizes<I>& s, const I* o, const I* tap) {
  I index = 0;
  for (int a = 0; a < 3; ++a) {
    const I i = o[a] * s.axis[a].stride + tap[a] * s.axis[a].dilation - s.axis[a].low;
    if (i < 0 || i >= s.axis[a].size) return -1;
    index = index * s.axis[a].size + i;
  }
  return index;
}
// The window whose tap lies at x's position; -1: none.
template <typename I> DEVICE I window_of_position(const WindowSizes<I>& s, const I* at, const I* tap, I* o) {
  I index = 0;
  for (int a = 0; a < 3; ++a) {
    const I from = at[a] + s.axis[a].low - tap[a] * s.axis[a].dilation;
    if (from < 0 || from % s.axis[a].stride != 0 || from / s.axis[a].stride >= s.axis[a].count) return -1;
    o[a] = from / s.axis[a].stride;
    index = index * s.axis[a].count + o[a];
  }
  return index;
}
template <typename I> DEVICE I sizes_of(const WindowSizes<I>& s) { return s.axis[0].size * s.axis[1].size * s.axis[2].size; }
template <typename I> DEVICE I counts_of(const WindowSizes<I>& s) { return s.axis[0].count * s.axis[1].count * s.axis[2].count; }
#define FOR_TAPS(s, tap) \
  for (tap[0] = 0; tap[0] < s.axis[0].window; ++tap[0]) \
    for (tap[1] = 0; tap[1] < s.axis[1].window; ++tap[1]) \
      for (tap[2] = 0; tap[2] < s.axis[2].window; ++tap[2])
#define FOR_ELEMENTS(i, n) for (I i = (I)blockIdx.x * 256 + threadIdx.x; i < (n); i += (I)gridDim.x * 256)

// The first largest element of a window, for V neighbouring channels: what it is, where it is, and its tap's number.
template <int V, typename T, typename I> struct Largest {
  Wide<T> value[V];
  I at[V];
  i32 tap[V];
  DEVICE Largest(const WindowSizes<I>& s, const T* x, I n, const I* o, I channel) {
    I tap_at[3];
    i32 number = -1;
    bool first = true;
    FOR_TAPS(s, tap_at) {
      ++number;
      const I position = position_of_tap(s, o, tap_at);
      if (position < 0) continue;
      const I i = (n * sizes_of(s) + position) * s.channels + channel;
      const Pack<T, V> p = *(const Pack<T, V>*)(x + i);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const Wide<T> candidate = wide(p.v[v]);
        if (first || candidate > value[v] || (candidate != candidate && value[v] == value[v])) {
          value[v] = candidate;
          at[v] = i + v;
          tap[v] = number;
        }
      }
      first = false;
    }
  }
};
template <int V, typename T, typename I> DEVICE void max_pool(T* out, const T* x, const T* from, const WindowSizes<I>& s) {
  const I counts = counts_of(s), packs = s.channels / V;
  FOR_ELEMENTS(e, s.batch * counts * packs) {
    const I pixel = e / packs, channel = (e - pixel * packs) * V, n = pixel / counts;
    I o[3];
    spatial(pixel - n * counts, s.axis[1].count, s.axis[2].count, o);
    const Largest<V, T, I> largest(s, x, n, o, channel);
    Pack<T, V> w;
#pragma unroll
    for (int v = 0; v < V; ++v) w.v[v] = from == x ? narrow<T>(largest.value[v]) : from[largest.at[v]];
    *(Pack<T, V>*)(out + pixel * s.channels + channel) = w;
  }
}
// For each window the number of the tap that is taken; then each element adds up what those that took it get.
template <int V, typename W, typename T, typename I> DEVICE void max_pool_taken(W* taken, const T* x, const WindowSizes<I>& s) {
  const I counts = counts_of(s), packs = s.channels / V;
  FOR_ELEMENTS(e, s.batch * counts * packs) {
    const I pixel = e / packs, channel = (e - pixel * packs) * V, n = pixel / counts;
    I o[3];
    spatial(pixel - n * counts, s.axis[1].count, s.axis[2].count, o);
    const Largest<V, T, I> largest(s, x, n, o, channel);
    Pack<W, V> w;
#pragma unroll
    for (int v = 0; v < V; ++v) w.v[v] = (W)largest.tap[v];
    *(Pack<W, V>*)(taken + pixel * s.channels + channel) = w;
  }
}
// Both at once, of windows whose taps have numbers of 8 bits.
template <int V, typename T, typename I> DEVICE void max_pool_keeping(T* out, u8* taken, const T* x, const WindowSizes<I>& s) {
  const I counts = counts_of(s), packs = s.channels / V;
  FOR_ELEMENTS(e, s.batch * counts * packs) {
    const I pixel = e / packs, channel = (e - pixel * packs) * V, n = pixel / counts;
    I o[3];
    spatial(pixel - n * counts, s.axis[1].count, s.axis[2].count, o);
    const Largest<V, T, I> largest(s, x, n, o, channel);
    Pack<T, V> value;
    Pack<u8, V> tap;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      value.v[v] = narrow<T>(largest.value[v]);
      tap.v[v] = (u8)largest.tap[v];
    }
    *(Pack<T, V>*)(out + pixel * s.channels + channel) = value;
    *(Pack<u8, V>*)(taken + pixel * s.channels + channel) = tap;
  }
}
template <int V, typename W, typename T, typename I>
DEVICE void max_pool_grad(T* out, const W* taken, const T* g, const WindowSizes<I>& s) {
  const I sizes = sizes_of(s), counts = counts_of(s), packs = s.channels / V;
  FOR_ELEMENTS(e, s.batch * sizes * packs) {
    const I place = e / packs, channel = (e - place * packs) * V, n = place / sizes;
    I at[3], low[3], high[3], o[3];
    spatial(place - n * sizes, s.axis[1].size, s.axis[2].size, at);
    for (int a = 0; a < 3; ++a) {  // the windows that hold it
      const I from = at[a] + s.axis[a].low, before = from - s.axis[a].window + 1;
      low[a] = before <= 0 ? 0 : (before + s.axis[a].stride - 1) / s.axis[a].stride;
      high[a] = from / s.axis[a].stride;
      if (high[a] >= s.axis[a].count) high[a] = s.axis[a].count - 1;
    }
    Wide<T> sum[V];
    for (int v = 0; v < V; ++v) sum[v] = 0;
    for (o[0] = high[0]; o[0] >= low[0]; --o[0])
      for (o[1] = high[1]; o[1] >= low[1]; --o[1])
        for (o[2] = high[2]; o[2] >= low[2]; --o[2]) {
          I tap = 0, window = 0;
          for (int a = 0; a < 3; ++a) {
            tap = tap * s.axis[a].window + at[a] + s.axis[a].low - o[a] * s.axis[a].stride;
            window = window * s.axis[a].count + o[a];
          }
          const I y = (n * counts + window) * s.channels + channel;
          const Pack<W, V> w = *(const Pack<W, V>*)(taken + y);
          const Pack<T, V> given = *(const Pack<T, V>*)(g + y);
#pragma unroll
          for (int v = 0; v < V; ++v)
            if ((I)w.v[v] == tap) sum[v] = plus(sum[v], wide(given.v[v]));
        }
    Pack<T, V> w;
#pragma unroll
    for (int v = 0; v < V; ++v) w.v[v] = narrow<T>(sum[v]);
    *(Pack<T, V>*)(out + place * s.channels + channel) = w;
  }
}
template <typename I> DEVICE I elements_of_window(const WindowSizes<I>& s, const I* o) {
  I tap[3], n = 0;
  FOR_TAPS(s, tap) n += position_of_tap(s, o, tap) >= 0;
  return n;
}
template <typename T, typename I> DEVICE void avg_pool(T* out, const T* x, const WindowSizes<I>& s) {
  const I counts = counts_of(s);
  FOR_ELEMENTS(y, s.batch * counts * s.channels) {
    const I pixel = y / s.channels, n = pixel / counts;
    I o[3], tap[3], elements = 0;
    spatial(pixel % counts, s.axis[1].count, s.axis[2].count, o);
    Wide<T> sum = 0;
    FOR_TAPS(s, tap) {
      const I at = position_of_tap(s, o, tap);
      if (at < 0) continue;
      sum += wide(x[(n * sizes_of(s) + at) * s.channels + y % s.channels]);
      ++elements;
    }
    out[y] = narrow<T>(sum / (Wide<T>)elements);
  }
}
template <typename T, typename I> DEVICE void avg_pool_grad(T* out, const T* g, const WindowSizes<I>& s) {
  const I sizes = sizes_of(s), counts = counts_of(s);
  FOR_ELEMENTS(i, s.batch * sizes * s.channels) {
    const I n = i / s.channels / sizes;
    I at[3], tap[3], o[3];
    spatial(i / s.channels % sizes, s.axis[1].size, s.axis[2].size, at);
    Wide<T> sum = 0;
    FOR_TAPS(s, tap) {
      const I window = window_of_position(s, at, tap, o);
      if (window >= 0) sum += wide(g[(n * counts + window) * s.channels + i % s.channels]) / (Wide<T>)elements_of_window(s, o);
    }
    out[i] = narrow<T>(sum);
  }
}

// x, filter → y; the filter is (taps, channels of a group, channels of the result).
template <typename T, typename I> DEVICE void conv_direct(T* out, const T* x, const T* filter, const WindowSizes<I>& s) {
  const I counts = counts_of(s), outs = s.groups * s.out_group, ins = s.groups * s.in_group;
  FOR_ELEMENTS(y, s.batch * counts * outs) {
    const I pixel = y / outs, c = y % outs, n = pixel / counts, first = c / s.out_group * s.in_group;
    I o[3], tap[3], number = 0;
    spatial(pixel % counts, s.axis[1].count, s.axis[2].count, o);
    Wide<T> sum = 0;
    FOR_TAPS(s, tap) {
      const I at = position_of_tap(s, o, tap);
      if (at >= 0)
        for (I in = 0; in < s.in_group; ++in)
          sum = plus(sum, times(wide(x[(n * sizes_of(s) + at) * ins + first + in]), wide(filter[(number * s.in_group + in) * outs + c])));
      ++number;
    }
    out[y] = narrow<T>(sum);
  }
}
// filter, y's cotangent → x's
template <typename T, typename I> DEVICE void conv_input_grad_direct(T* out, const T* filter, const T* g, const WindowSizes<I>& s) {
  const I sizes = sizes_of(s), counts = counts_of(s), outs = s.groups * s.out_group, ins = s.groups * s.in_group;
  FOR_ELEMENTS(i, s.batch * sizes * ins) {
    const I n = i / ins / sizes, c = i % ins, first = c / s.in_group * s.out_group;
    I at[3], tap[3], o[3], number = 0;
    spatial(i / ins % sizes, s.axis[1].size, s.axis[2].size, at);
    Wide<T> sum = 0;
    FOR_TAPS(s, tap) {
      const I window = window_of_position(s, at, tap, o);
      if (window >= 0)
        for (I k = first; k < first + s.out_group; ++k)
          sum = plus(sum, times(wide(filter[(number * s.in_group + c % s.in_group) * outs + k]), wide(g[(n * counts + window) * outs + k])));
      ++number;
    }
    out[i] = narrow<T>(sum);
  }
}
// x, y's cotangent → the filter's: a block for each element, its threads over the windows.
template <typename T, typename I> DEVICE void conv_filter_grad_direct(T* out, const T* x, const T* g, const WindowSizes<I>& s) {
  typedef Wide<T> W;
  __shared__ W shared[32];
  const I counts = counts_of(s), outs = s.groups * s.out_group, ins = s.groups * s.in_group;
  const I c = blockIdx.x % outs, in = blockIdx.x / outs % s.in_group, number = blockIdx.x / outs / s.in_group;
  I tap[3], o[3];
  spatial(number, s.axis[1].window, s.axis[2].window, tap);
  W sum = 0;
  for (I p = threadIdx.x; p < s.batch * counts; p += 256) {
    spatial(p % counts, s.axis[1].count, s.axis[2].count, o);
    const I at = position_of_tap(s, o, tap);
    if (at >= 0)
      sum = plus(sum, times(wide(x[(p / counts * sizes_of(s) + at) * ins + c / s.out_group * s.in_group + in]), wide(g[p * outs + c])));
  }
  sum = fold_block<FoldSum<W>>(sum, shared, 256);
  if (threadIdx.x == 0) out[blockIdx.x] = narrow<T>(sum);
}
