// Bias, ReLU and pooling by windows W0 × W1 × W2 that lie side by side, and the way back: a thread has one window of V
// neighbouring channels. I: i32 where all positions fit.
template <typename T, typename I> struct ReluPooled {
  T* out;
  u8* which;
  const T *y, *bias;
  I batch, channels;
  I size[3], count[3];
};
// Calls f(number of the tap, its element of y).
template <int W0, int W1, int W2, typename I, typename F>
DEVICE void for_elements_of_window(const I* size, I n, const I* o, F f) {
#pragma unroll
  for (int a = 0; a < W0; ++a)
#pragma unroll
    for (int b = 0; b < W1; ++b)
#pragma unroll
      for (int c = 0; c < W2; ++c) {
        const I i0 = o[0] * W0 + a, i1 = o[1] * W1 + b, i2 = o[2] * W2 + c;
        if (i0 < size[0] && i1 < size[1] && i2 < size[2]) f((a * W1 + b) * W2 + c, ((n * size[0] + i0) * size[1] + i1) * size[2] + i2);
      }
}
template <int V, int W0, int W1, int W2, typename T, typename I> DEVICE void relu_pool(const ReluPooled<T, I>& p) {
  const I counts = p.count[0] * p.count[1] * p.count[2], packs = p.channels / V;
  for (I e = (I)blockIdx.x * 256 + threadIdx.x; e < p.batch * counts * packs; e += (I)gridDim.x * 256) {
    const I pixel = e / packs, channel = (e - pixel * packs) * V, n = pixel / counts, place = pixel - n * counts;
    const I o[3] = {place / (p.count[1] * p.count[2]), place / p.count[2] % p.count[1], place % p.count[2]};
    const Pack<T, V> bias = *(const Pack<T, V>*)(p.bias + channel);
    Wide<T> most[V];
    u8 taken[V];
#pragma unroll
    for (int v = 0; v < V; ++v) {
      most[v] = 0;
      taken[v] = W0 * W1 * W2;
    }
    for_elements_of_window<W0, W1, W2>(p.size, n, o, [&](int tap, I i) {
      const Pack<T, V> y = *(const Pack<T, V>*)(p.y + i * p.channels + channel);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const Wide<T> z = rounded<T>(plus(wide(y.v[v]), wide(bias.v[v])));
        if (z > most[v]) {
          most[v] = z;
          taken[v] = (u8)tap;
        } else if (z != z) {
          most[v] = z;
        }
      }
    });
    Pack<T, V> out;
    Pack<u8, V> which;
#pragma unroll
    for (int v = 0; v < V; ++v) {
      out.v[v] = narrow<T>(most[v]);
      which.v[v] = most[v] > 0 ? taken[v] : (u8)(W0 * W1 * W2);
    }
    *(Pack<T, V>*)(p.out + pixel * p.channels + channel) = out;
    *(Pack<u8, V>*)(p.which + pixel * p.channels + channel) = which;
  }
}
// p.y is the cotangent and p.out its way back to y. What is left over at the end of an axis gets zeros.
template <int V, int W0, int W1, int W2, typename T, typename I> DEVICE void relu_pool_grad(const ReluPooled<T, I>& p) {
  const I n0 = (p.size[0] + W0 - 1) / W0, n1 = (p.size[1] + W1 - 1) / W1, n2 = (p.size[2] + W2 - 1) / W2;
  const I places = n0 * n1 * n2, packs = p.channels / V;
  for (I e = (I)blockIdx.x * 256 + threadIdx.x; e < p.batch * places * packs; e += (I)gridDim.x * 256) {
    const I pixel = e / packs, channel = (e - pixel * packs) * V, n = pixel / places, place = pixel - n * places;
    const I o[3] = {place / (n1 * n2), place / n2 % n1, place % n2};
    Pack<T, V> given;
    Pack<u8, V> which;
    if (o[0] < p.count[0] && o[1] < p.count[1] && o[2] < p.count[2]) {
      const I at = (((n * p.count[0] + o[0]) * p.count[1] + o[1]) * p.count[2] + o[2]) * p.channels + channel;
      given = *(const Pack<T, V>*)(p.y + at);
      which = *(const Pack<u8, V>*)(p.which + at);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) which.v[v] = W0 * W1 * W2;
    }
    for_elements_of_window<W0, W1, W2>(p.size, n, o, [&](int tap, I i) {
      Pack<T, V> out;
#pragma unroll
      for (int v = 0; v < V; ++v) out.v[v] = which.v[v] == tap ? given.v[v] : narrow<T>((Wide<T>)0);
      *(Pack<T, V>*)(p.out + i * p.channels + channel) = out;
    });
  }
}
