// Casts of many tensors: a block has kPerBlock elements of one of them.
const int kTensors = 96, kPerBlock = 4096;
struct CastMany {
  const void* in[kTensors];
  void* out[kTensors];
  i64 elements[kTensors];
  u32 first_block[kTensors + 1];
  int count;
};
template <int V, typename To, typename From> DEVICE void cast_many(const CastMany& m) {
  int t = 0;
  for (int step = 64; step > 0; step /= 2)
    if (t + step < m.count && m.first_block[t + step] <= blockIdx.x) t += step;
  const From* const in = (const From*)m.in[t];
  To* const out = (To*)m.out[t];
  const i64 begin = (i64)(blockIdx.x - m.first_block[t]) * kPerBlock, n = m.elements[t];
#pragma unroll
  for (int i = 0; i < kPerBlock / 256 / V; ++i) {
    const i64 at = begin + (i * 256 + threadIdx.x) * V;
    if (at + V <= n) {
      const Pack<From, V> p = *(const Pack<From, V>*)(in + at);
      Pack<To, V> w;
#pragma unroll
      for (int v = 0; v < V; ++v) w.v[v] = narrow<To>(op_cast<To>(wide(p.v[v])));
      *(Pack<To, V>*)(out + at) = w;
    } else {
      for (i64 e = at; e < n; ++e) out[e] = narrow<To>(op_cast<To>(wide(in[e])));
    }
  }
}
