// Convolutions of pictures with few channels, in 16 bits, on tensor cores: libraries gather the windows of such pictures
// badly. A block has a strip of one line of the result; the lines of x that its windows reach lie in shared memory, and
// the operands of m16n8k16 products are gathered from there. In a product's fragments lane = 4 g + t.
struct FewSizes {
  i32 batch, size1, size2;      // of x
  i32 stride1, low1, low2;      // of the windows
  i32 count1, count2;           // of the result: of the convolution, or pooled
  i32 x_vectors, y_vectors;     // may lines of x, and pixels of the result, be moved 16 bytes at a time?
};
constexpr i32 kFewColumns = 128;  // of a strip of the result

template <typename T> struct Tensor16;
#define TENSOR16(T, ptx, one_, infinity_) \
  template <> struct Tensor16<T> { \
    static const u32 one = one_, infinity = infinity_; \
    static DEVICE void multiply(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) { \
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." ptx "." ptx ".f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};" \
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); \
    } \
    static DEVICE u32 round2(f32 low, f32 high) { \
      u32 d; \
      asm("cvt.rn." ptx "x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low)); \
      return d; \
    } \
    static DEVICE u32 add2(u32 a, u32 b) { \
      u32 d; \
      asm("fma.rn." ptx "x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(one_ | one_ << 16), "r"(b)); \
      return d; \
    } \
    static DEVICE u32 max2(u32 a, u32 b) { \
      u32 d; \
      asm("max.NaN." ptx "x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); \
      return d; \
    } \
  };
TENSOR16(f16, "f16", 0x3c00u, 0x7c00u)
TENSOR16(bf16, "bf16", 0x3f80u, 0x7f80u)
#undef TENSOR16
DEVICE u32 pair(u16 low, u16 high) { return (u32)low | (u32)high << 16; }
// Four matrices of 8 × 8, each lane giving the address of one row, transposed: what lanes take of the second operand.
DEVICE void load_transposed(u32 (&r)[4], const u16* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((u32)__cvta_generic_to_shared(row)));
}

// Numbers of a line in shared memory: windows over COLUMNS columns, room to begin at a multiple of 8.
template <int C, int KW, int S, int COLUMNS> struct Line {
  static const int pitch = (((COLUMNS - 1) * S + KW) * C + 14) / 8 * 8;
};
// Lines of one picture, so that number `start` - low2 · C of a line lies at lines[shift]; zeros around the picture.
template <int ROWS, int PITCH, int C> DEVICE i32 load_lines(u16* lines, const u16* x, i32 first, i32 start, const FewSizes& s) {
  const i32 length = s.size2 * C, lead = (s.low2 * C + 7) & ~7;
  for (i32 i = threadIdx.x; i < ROWS * (PITCH / 8); i += blockDim.x) {
    const i32 r = i / (PITCH / 8), row = first + r, at = start + (i - r * (PITCH / 8)) * 8 - lead;
    Pack<u16, 8> p;
    const u16* const from = x + (i64)row * length + at;
    if (row >= 0 && row < s.size1 && s.x_vectors && at >= 0 && at + 8 <= length) {
      p = *(const Pack<u16, 8>*)from;
    } else {
#pragma unroll
      for (int v = 0; v < 8; ++v) p.v[v] = row >= 0 && row < s.size1 && at + v >= 0 && at + v < length ? from[v] : (u16)0;
    }
    *(Pack<u16, 8>*)(lines + i * 8) = p;
  }
  return lead - s.low2 * C;
}
// Where number k of a window lies, from its first one on. There are K; what stands for others is read and not used.
template <int C, int KH, int KW, int PITCH> DEVICE i32 place_in_window(i32 k) {
  return k < KH * KW * C ? k / (KW * C) * PITCH + k % (KW * C) : 0;
}

// The bits of numbers k and k + 1 that are part of a window.
template <int K> DEVICE u32 used(i32 k) { return k + 1 < K ? 0xffffffffu : k < K ? 0xffffu : 0u; }

// x, filter (K, N), bias → relu(x ∗ filter + bias), the largest of windows of 2 × 2, and which of them it was. A product has
// 8 columns of two lines, so that the four elements of a pool are in one lane and the next but three; channels are dealt to
// lanes so that each stores neighbours.
template <typename T, int C, int KH, int KW, int N>
DEVICE void conv_relu_pool(u16* out, u8* which, const u16* x, const u16* filter, const u16* bias, const FewSizes& s) {
  constexpr int K = KH * KW * C, KS = (K + 15) / 16, NT = N / 8, ROWS = KH + 1, PITCH = Line<C, KW, 1, 2 * kFewColumns>::pitch;
  __shared__ alignas(16) u16 lines[ROWS * PITCH];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  const bool odd = g & 1;
  u32 b[NT][KS][2], added[NT];
  i32 places[KS][2][2];
#pragma unroll
  for (int nt = 0; nt < NT; ++nt) {
    const int mine = g / 2 * 2 * NT + nt * 2 + (g & 1), stored = t * 2 * NT + nt * 2;
#pragma unroll
    for (int ks = 0; ks < KS; ++ks)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int k = ks * 16 + h * 8 + t * 2;
        b[nt][ks][h] = pair(k < K ? filter[k * N + mine] : (u16)0, k + 1 < K ? filter[(k + 1) * N + mine] : (u16)0);
      }
    added[nt] = pair(bias[stored], bias[stored + 1]);
  }
#pragma unroll
  for (int ks = 0; ks < KS; ++ks)
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int j = 0; j < 2; ++j) places[ks][h][j] = place_in_window<C, KH, KW, PITCH>(ks * 16 + h * 8 + t * 2 + j);

  const i32 strips = (s.count2 + kFewColumns - 1) / kFewColumns, units = s.batch * s.count1 * strips;
  for (i32 unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const i32 line = unit / strips, first = (unit - line * strips) * kFewColumns, n = line / s.count1, row = line - n * s.count1;
    __syncthreads();
    const i32 shift = load_lines<ROWS, PITCH, C>(lines, x + (i64)n * s.size1 * s.size2 * C, 2 * row - s.low1, 2 * first * C, s);
    __syncthreads();
    const i32 columns = s.count2 - first < kFewColumns ? s.count2 - first : kFewColumns;
    for (i32 tile = warp; tile < (columns + 3) / 4; tile += blockDim.x / 32) {
      f32 c[NT][4];
#pragma unroll
      for (int nt = 0; nt < NT; ++nt)
#pragma unroll
        for (int i = 0; i < 4; ++i) c[nt][i] = 0;
      const u16* const window = lines + shift + (tile * 8 + g) * C;
#pragma unroll
      for (int ks = 0; ks < KS; ++ks) {
        u32 a[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const u16* const from = window + (q & 1) * PITCH;
          a[q] = pair(from[places[ks][q >> 1][0]], from[places[ks][q >> 1][1]]) & used<K>(ks * 16 + (q >> 1) * 8 + t * 2);
        }
#pragma unroll
        for (int nt = 0; nt < NT; ++nt) Tensor16<T>::multiply(c[nt], a, b[nt][ks][0], b[nt][ks][1]);
      }
      // As the plain ops: the convolution's result is rounded, then its sum with the bias.
      u32 z[2][NT];
#pragma unroll
      for (int nt = 0; nt < NT; ++nt)
#pragma unroll
        for (int r = 0; r < 2; ++r) z[r][nt] = Tensor16<T>::add2(Tensor16<T>::round2(c[nt][2 * r], c[nt][2 * r + 1]), added[nt]);
      // Of two lanes with a pool's columns each takes half of the channels.
      Pack<u32, NT / 2> most;
      Pack<u8, NT> taken;
#pragma unroll
      for (int h = 0; h < NT / 2; ++h) {
        u32 of[2][2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          const u32 kept = odd ? z[r][NT / 2 + h] : z[r][h], other = __shfl_xor_sync(0xffffffffu, odd ? z[r][h] : z[r][NT / 2 + h], 4);
          of[r][0] = odd ? other : kept;
          of[r][1] = odd ? kept : other;
        }
        const u32 m = Tensor16<T>::max2(Tensor16<T>::max2(Tensor16<T>::max2(of[0][0], of[0][1]), Tensor16<T>::max2(of[1][0], of[1][1])), 0u);
        most.v[h] = m;
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const u32 bits = m >> 16 * j & 0xffffu;
          const bool above = bits - 1 < Tensor16<T>::infinity;  // neither 0 nor NaN
          const bool is0 = (of[0][0] >> 16 * j & 0xffffu) == bits, is1 = (of[0][1] >> 16 * j & 0xffffu) == bits, is2 = (of[1][0] >> 16 * j & 0xffffu) == bits;
          taken.v[2 * h + j] = (u8)(!above ? 4 : is0 ? 0 : is1 ? 1 : is2 ? 2 : 3);
        }
      }
      const i32 column = tile * 4 + g / 2;
      if (column < columns) {
        const i64 at = ((i64)line * s.count2 + first + column) * N + t * 2 * NT + (odd ? NT : 0);
        if (s.y_vectors) {
          *(Pack<u32, NT / 2>*)(out + at) = most;
          *(Pack<u8, NT>*)(which + at) = taken;
        } else {
#pragma unroll
          for (int i = 0; i < NT; ++i) {
            out[at + i] = (u16)(most.v[i / 2] >> 16 * (i & 1));
            which[at + i] = taken.v[i];
          }
        }
      }
    }
  }
}

// x, filter (K, N) → x ∗ filter. A warp has 32 columns of a line: two products, for which it reads the filter once. That
// lies in shared memory as lanes take it, since it is more than registers hold.
template <typename T, int C, int KH, int KW, int S, int N>
DEVICE void few_conv(u16* out, const u16* x, const u16* filter, const FewSizes& s) {
  constexpr int K = KH * KW * C, KS = (K + 15) / 16, NT = N / 8, PITCH = Line<C, KW, S, kFewColumns>::pitch;
  __shared__ alignas(16) u16 lines[KH * PITCH];
  __shared__ alignas(16) Pack<u32, 2> weights[KS * NT * 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  for (int i = threadIdx.x; i < KS * NT * 32; i += blockDim.x) {
    const int of = i & 31, nt = i / 32 % NT, k = i / 32 / NT * 16 + (of & 3) * 2, channel = (of >> 2) / 2 * 2 * NT + nt * 2 + (of >> 2 & 1);
    const auto at = [&](int row) { return row < K ? filter[row * N + channel] : (u16)0; };
    weights[i].v[0] = pair(at(k), at(k + 1));
    weights[i].v[1] = pair(at(k + 8), at(k + 9));
  }
  i32 places[KS][2][2];
#pragma unroll
  for (int ks = 0; ks < KS; ++ks)
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int j = 0; j < 2; ++j) places[ks][h][j] = place_in_window<C, KH, KW, PITCH>(ks * 16 + h * 8 + t * 2 + j);

  const i32 strips = (s.count2 + kFewColumns - 1) / kFewColumns, units = s.batch * s.count1 * strips;
  for (i32 unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const i32 line = unit / strips, first = (unit - line * strips) * kFewColumns, n = line / s.count1, row = line - n * s.count1;
    __syncthreads();
    const i32 shift = load_lines<KH, PITCH, C>(lines, x + (i64)n * s.size1 * s.size2 * C, row * s.stride1 - s.low1, first * S * C, s);
    __syncthreads();
    const i32 columns = s.count2 - first < kFewColumns ? s.count2 - first : kFewColumns;
    for (i32 tile = warp; tile < (columns + 31) / 32; tile += blockDim.x / 32) {
      f32 c[2][NT][4];
#pragma unroll
      for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int nt = 0; nt < NT; ++nt)
#pragma unroll
          for (int i = 0; i < 4; ++i) c[m][nt][i] = 0;
      const u16* const window = lines + shift + (tile * 32 + g) * S * C;
#pragma unroll
      for (int ks = 0; ks < KS; ++ks) {
        u32 a[2][4];
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
          for (int q = 0; q < 4; ++q) {
            const u16* const from = window + (m * 16 + (q & 1) * 8) * S * C;
            a[m][q] = pair(from[places[ks][q >> 1][0]], from[places[ks][q >> 1][1]]) & used<K>(ks * 16 + (q >> 1) * 8 + t * 2);
          }
#pragma unroll
        for (int nt = 0; nt < NT; ++nt) {
          const Pack<u32, 2> b = weights[(ks * NT + nt) * 32 + lane];
#pragma unroll
          for (int m = 0; m < 2; ++m) Tensor16<T>::multiply(c[m][nt], a[m], b.v[0], b.v[1]);
        }
      }
#pragma unroll
      for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const i32 column = tile * 32 + m * 16 + h * 8 + g;
          if (column >= columns) continue;
          Pack<u32, NT> p;
#pragma unroll
          for (int nt = 0; nt < NT; ++nt) p.v[nt] = Tensor16<T>::round2(c[m][nt][2 * h], c[m][nt][2 * h + 1]);
          u16* const to = out + ((i64)line * s.count2 + first + column) * N + t * 2 * NT;
          if (s.y_vectors) {
            *(Pack<u32, NT>*)to = p;
          } else {
#pragma unroll
            for (int i = 0; i < 2 * NT; ++i) to[i] = (u16)(p.v[i / 2] >> 16 * (i & 1));
          }
        }
    }
  }
}

// x and what the result is given → the gradient of the filter, in parts: partial is (block, rows, N). POOLED: what the pooled
// result is given, with `which`; then there is one row more, the bias. The inner axis of a product is 16 elements of the
// convolution's result: 16 columns of a line, or four pools. WM warps share out the rows, MT tiles of 16 each; WT strips of
// the result.
template <typename T, int C, int KH, int KW, int S, int N, bool POOLED, int MT, int WM, int WT>
DEVICE void few_filter_grad(f32* partial, const u16* x, const u16* given, const u8* which, const FewSizes& s) {
  constexpr int K = KH * KW * C, M = K + (POOLED ? 1 : 0), NT = N / 8, ROWS = KH + (POOLED ? 1 : 0);
  constexpr int PITCH = Line<C, KW, S, (POOLED ? 2 : 1) * kFewColumns>::pitch, GIVEN = N + 8;  // so that banks differ
  constexpr int TILE = POOLED ? 4 : 16;  // columns of what is given
  constexpr int BYTES = kFewColumns * GIVEN * 2, SUMS = WT > 1 ? MT * 16 * N * 4 : 0;
  __shared__ alignas(16) u16 lines[ROWS * PITCH];
  __shared__ alignas(16) u8 shared[BYTES > SUMS ? BYTES : SUMS];
  __shared__ alignas(16) u8 takens[POOLED ? kFewColumns * N : 16];
  u16* const d = (u16*)shared;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3, wm = warp % WM, wt = warp / WM;
  f32 c[MT][NT][4];
  i32 places[MT * 2];
#pragma unroll
  for (int m = 0; m < MT; ++m)
#pragma unroll
    for (int nt = 0; nt < NT; ++nt)
#pragma unroll
      for (int i = 0; i < 4; ++i) c[m][nt][i] = 0;
#pragma unroll
  for (int i = 0; i < MT * 2; ++i) places[i] = place_in_window<C, KH, KW, PITCH>((wm * MT * 2 + i) * 8 + g);

  const i32 strips = (s.count2 + kFewColumns - 1) / kFewColumns, units = s.batch * s.count1 * strips;
  for (i32 unit = blockIdx.x; unit < units; unit += gridDim.x) {
    const i32 line = unit / strips, first = (unit - line * strips) * kFewColumns, n = line / s.count1, row = line - n * s.count1;
    const i32 columns = s.count2 - first < kFewColumns ? s.count2 - first : kFewColumns;
    const i64 from = ((i64)line * s.count2 + first) * N;
    __syncthreads();
    const i32 shift = load_lines<ROWS, PITCH, C>(lines, x + (i64)n * s.size1 * s.size2 * C, row * s.stride1 * (POOLED ? 2 : 1) - s.low1,
                                                 first * (POOLED ? 2 : 1) * S * C, s);
    // Up to the end of a tile: zeros.
    const i32 filled = (columns + TILE - 1) / TILE * TILE;
    for (i32 i = threadIdx.x; i < filled * (N / 8); i += blockDim.x) {
      const i32 column = i / (N / 8), at = i * 8;
      Pack<u16, 8> p;
      if (column >= columns)
#pragma unroll
        for (int v = 0; v < 8; ++v) p.v[v] = 0;
      else if (s.y_vectors) p = *(const Pack<u16, 8>*)(given + from + at);
      else
#pragma unroll
        for (int v = 0; v < 8; ++v) p.v[v] = given[from + at + v];
      *(Pack<u16, 8>*)(d + at + column * (GIVEN - N)) = p;
    }
    if (POOLED)
      for (i32 i = threadIdx.x; i < columns * (N / 16); i += blockDim.x) {
        if (s.y_vectors) ((u128*)takens)[i] = ((const u128*)(which + from))[i];
        else
          for (int v = 0; v < 16; ++v) takens[i * 16 + v] = which[from + i * 16 + v];
      }
    __syncthreads();
    for (i32 tile = wt; tile < filled / TILE; tile += WT) {
      u32 b[NT][2];
      if (POOLED) {
        const i32 at = tile * 4 + t;
#pragma unroll
        for (int nt = 0; nt < NT; ++nt) {
          const u16 v = d[at * GIVEN + nt * 8 + g];
          const u32 tap = takens[at * N + nt * 8 + g];
          b[nt][0] = tap == 0 ? (u32)v : tap == 1 ? (u32)v << 16 : 0u;
          b[nt][1] = tap == 2 ? (u32)v : tap == 3 ? (u32)v << 16 : 0u;
        }
      } else {
#pragma unroll
        for (int nt = 0; nt < NT; nt += 2) {
          u32 r[4];
          load_transposed(r, d + (tile * 16 + (lane & 15)) * GIVEN + (nt + (lane >> 4)) * 8);
          b[nt][0] = r[0];
          b[nt][1] = r[1];
          b[nt + 1][0] = r[2];
          b[nt + 1][1] = r[3];
        }
      }
      const u16* const window = lines + shift + (tile * (POOLED ? 8 : 16) + 2 * t) * S * C;
#pragma unroll
      for (int m = 0; m < MT; ++m) {
        u32 a[4];
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          const i32 p = places[m * 2 + (q & 1)], k = (wm * MT * 2 + m * 2 + (q & 1)) * 8 + g;
          const u16* const at = window + (q >> 1) * (POOLED ? PITCH : 8 * S * C);
          a[q] = pair(at[p], at[p + S * C]);  // rows beyond the last are written nowhere
          if (POOLED && k == K) a[q] = Tensor16<T>::one | Tensor16<T>::one << 16;
        }
#pragma unroll
        for (int nt = 0; nt < NT; ++nt) Tensor16<T>::multiply(c[m][nt], a, b[nt][0], b[nt][1]);
      }
    }
  }
  // The sums of the warps that took turns, one after another.
  f32* const sums = (f32*)shared;
  for (int turn = 0; turn < WT; ++turn) {
    if (WT > 1) __syncthreads();
    if (wt == turn)
#pragma unroll
      for (int m = 0; m < MT; ++m)
#pragma unroll
        for (int nt = 0; nt < NT; ++nt)
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const int r = m * 16 + g + i / 2 * 8, row = wm * MT * 16 + r, at = nt * 8 + t * 2 + (i & 1);
            f32 sum = c[m][nt][i];
            if (turn > 0) sum += sums[r * N + at];
            if (turn + 1 < WT) sums[r * N + at] = sum;
            else if (row < M) partial[((i64)blockIdx.x * M + row) * N + at] = sum;
          }
  }
}
// Elements from `first` on belong to the second result.
template <typename T> DEVICE void few_join(T* filter, T* bias, const f32* partial, i32 elements, i32 first, i32 parts) {
  join_parts(partial, elements, parts, [&](i32 i, f32 sum) { (i < first ? filter : bias - first)[i] = narrow<T>(sum); });
}
