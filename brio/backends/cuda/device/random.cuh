// Philox4x32-10 as base/philox.h defines it: a number is a function of seed, stream and index.
struct Words { u32 w[4]; };
DEVICE Words philox(u64 seed, u64 stream, u64 block) {
  u32 c0 = (u32)block, c1 = (u32)(block >> 32), c2 = (u32)stream, c3 = (u32)(stream >> 32);
  u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u64 p0 = (u64)0xD2511F53u * c0, p1 = (u64)0xCD9E8D57u * c2;
    const u32 n0 = (u32)(p1 >> 32) ^ c1 ^ k0, n2 = (u32)(p0 >> 32) ^ c3 ^ k1;
    c1 = (u32)p1;
    c3 = (u32)p0;
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return Words{{c0, c1, c2, c3}};
}
DEVICE u64 word_pair(const Words& words, int i) { return words.w[2 * i] | (u64)words.w[2 * i + 1] << 32; }
DEVICE f64 unit(u64 word) { return __longlong_as_double((i64)(word >> 12 | 0x3ff0000000000000ull)) - 1.0; }

struct Uniform {
  static DEVICE void make(f32* out, const Words& b) { for (int i = 0; i < 4; ++i) out[i] = (f32)(b.w[i] >> 8) * 0x1p-24f; }
  static DEVICE void make(f16* out, const Words& b) { for (int i = 0; i < 4; ++i) out[i] = narrow<f16>((f32)(b.w[i] >> 21) * 0x1p-11f); }
  static DEVICE void make(bf16* out, const Words& b) { for (int i = 0; i < 4; ++i) out[i] = narrow<bf16>((f32)(b.w[i] >> 24) * 0x1p-8f); }
  static DEVICE void make(f64* out, const Words& b) { for (int i = 0; i < 2; ++i) out[i] = unit(word_pair(b, i)); }
};
struct Normal {
  static DEVICE void make(f32* out, const Words& b) {
    for (int p = 0; p < 2; ++p) {
      const f32 u = ((f32)(i32)(b.w[2 * p] >> 1) + 0.5f) * 0x1p-31f;
      const f32 angle = (f32)(b.w[2 * p + 1] >> 8) * 0x1p-24f * 6.283185307179586476925f;
      const f32 r = sqrtf(-2.0f * logf(u));
      out[2 * p] = r * cosf(angle);
      out[2 * p + 1] = r * sinf(angle);
    }
  }
  template <typename T> static DEVICE void make(T* out, const Words& b) {
    f32 x[4];
    make(x, b);
    for (int i = 0; i < 4; ++i) out[i] = narrow<T>(x[i]);
  }
  static DEVICE void make(f64* out, const Words& b) {
    const f64 u = 1.0 - unit(word_pair(b, 0)), angle = unit(word_pair(b, 1)) * 6.283185307179586476925;
    const f64 r = sqrt(-2.0 * log(u));
    out[0] = r * cos(angle);
    out[1] = r * sin(angle);
  }
};
struct Bits {
  static DEVICE void make(u32* out, const Words& b) { for (int i = 0; i < 4; ++i) out[i] = b.w[i]; }
  static DEVICE void make(u64* out, const Words& b) { for (int i = 0; i < 2; ++i) out[i] = word_pair(b, i); }
};
template <typename Kind, typename T> DEVICE void fill_random(T* out, const u64* seed, const u64* counter, u64 offset, i64 elements) {
  const int PER = sizeof(T) == 8 ? 2 : 4;
  const i64 step = (i64)gridDim.x * 256;
  for (i64 block = (i64)blockIdx.x * 256 + threadIdx.x; block * PER < elements; block += step) {
    T made[4];
    Kind::make(made, philox(*seed, *counter + offset, (u64)block));
    for (int i = 0; i < PER; ++i)
      if (block * PER + i < elements) out[block * PER + i] = made[i];
  }
}
