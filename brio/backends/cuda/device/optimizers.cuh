// Optimizer updates of many tensors at once, by Keras' formulas, each step rounded to the parameters' type.
const int kTensors = 24;
struct UpdateTensor {
  const void* in[5];  // parameter, gradient, slots
  void* out[4];       // parameter, slots
  const i32* places;  // of a gradient that is rows; null: it is whole
  i64 elements;
  i32 width, last;    // of rows
};
struct Updates {
  UpdateTensor tensor[kTensors];
  u32 first_block[kTensors + 1];
  const f64* scalar[5];
  const i64* step;
  const f64* decay;  // may be null
  const bool* gate;  // may be null
  int count;
};
template <typename T> struct Rounded {
  Wide<T> value;
  DEVICE Rounded() {}
  DEVICE Rounded(Wide<T> x) : value(rounded<T>(x)) {}
};
template <typename T> DEVICE Rounded<T> operator+(Rounded<T> a, Rounded<T> b) { return Rounded<T>(a.value + b.value); }
template <typename T> DEVICE Rounded<T> operator-(Rounded<T> a, Rounded<T> b) { return Rounded<T>(a.value - b.value); }
template <typename T> DEVICE Rounded<T> operator*(Rounded<T> a, Rounded<T> b) { return Rounded<T>(a.value * b.value); }
template <typename T> DEVICE Rounded<T> operator/(Rounded<T> a, Rounded<T> b) { return Rounded<T>(a.value / b.value); }
template <typename T> DEVICE Rounded<T> root(Rounded<T> a) { return Rounded<T>(op_sqrt(a.value)); }
template <typename T> DEVICE Rounded<T> power(Rounded<T> a, Rounded<T> b) { return Rounded<T>(op_pow(a.value, b.value)); }
template <typename T> DEVICE Rounded<T> larger(Rounded<T> a, Rounded<T> b) {
  return a.value > b.value || a.value != a.value ? a : b;
}

// What is the same for all elements.
template <typename T> struct UpdateScalars {
  Rounded<T> s[5], rest[5], alpha, decay;
};
struct Sgd {  // scalars: rate, momentum; slot: momentum
  template <typename T> static DEVICE void prepare(const Updates&, UpdateScalars<T>&) {}
  template <typename T, int FLAGS> static DEVICE void apply(const UpdateScalars<T>& s, Rounded<T>* v, Rounded<T> p, Rounded<T> g) {
    const Rounded<T> step = g * s.s[0];
    if (!(FLAGS & 2)) {
      v[0] = p - step;
      return;
    }
    v[1] = v[1] * s.s[1] - step;
    v[0] = FLAGS & 1 ? p + (v[1] * s.s[1] - step) : p + v[1];
  }
};
struct Rmsprop {  // scalars: rate, rho, momentum, epsilon; slots: velocity, momentum, average
  template <typename T> static DEVICE void prepare(const Updates&, UpdateScalars<T>&) {}
  template <typename T, int FLAGS> static DEVICE void apply(const UpdateScalars<T>& s, Rounded<T>* v, Rounded<T> p, Rounded<T> g) {
    v[1] = s.s[1] * v[1] + s.rest[1] * (g * g);
    Rounded<T> denominator = v[1];
    if (FLAGS & 1) {
      const int kind = FLAGS & 2 ? 3 : 2;
      v[kind] = s.s[1] * v[kind] + s.rest[1] * g;
      denominator = denominator - v[kind] * v[kind];
    }
    const Rounded<T> increment = s.s[0] * g / root(denominator + s.s[3]);
    if (FLAGS & 2) {
      v[2] = s.s[2] * v[2] + increment;
      v[0] = p - v[2];
    } else {
      v[0] = p - increment;
    }
  }
};
struct Adam {  // scalars: rate, (step), beta_1, beta_2, epsilon; slots: momentum, velocity, largest
  template <typename T> static DEVICE void prepare(const Updates& u, UpdateScalars<T>& s) {
    const Rounded<T> one((Wide<T>)1), step((Wide<T>)(*u.step + 1));
    s.alpha = s.s[0] * root(one - power(s.s[3], step)) / (one - power(s.s[2], step));
  }
  template <typename T, int FLAGS> static DEVICE void apply(const UpdateScalars<T>& s, Rounded<T>* v, Rounded<T> p, Rounded<T> g) {
    v[1] = v[1] + (g - v[1]) * s.rest[2];
    v[2] = v[2] + (g * g - v[2]) * s.rest[3];
    if (FLAGS & 1) v[3] = larger(v[3], v[2]);
    v[0] = p - v[1] * s.alpha / (root(FLAGS & 1 ? v[3] : v[2]) + s.s[4]);
  }
};

// Gradients are of G.
template <typename Rule, typename T, typename G, int SLOTS, int FLAGS, int VECTOR> DEVICE void update_all(const Updates& u) {
  typedef Pack<T, VECTOR> P;
  int low = 0, high = u.count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (blockIdx.x >= u.first_block[middle]) low = middle;
    else high = middle;
  }
  const UpdateTensor& t = u.tensor[low];
  P values[1 + SLOTS];
  Pack<G, VECTOR> g;
  const auto load = [&](i64 i) {
    const bool whole = i + VECTOR <= t.elements;
    for (int k = 0; k < 1 + SLOTS; ++k) {
      const T* const from = (const T*)t.in[k == 0 ? 0 : k + 1] + i;
      if (whole) values[k] = *(const P*)from;
      else
        for (int v = 0; v < VECTOR; ++v) values[k].v[v] = from[i + v < t.elements ? v : 0];
    }
    if (t.places == 0 && whole) g = *(const Pack<G, VECTOR>*)((const G*)t.in[1] + i);
    else
      for (int v = 0; v < VECTOR; ++v) {
        i64 at = i + v < t.elements ? i + v : i;
        if (t.places != 0) {
          const i64 row = at / t.width;
          const i32 place = t.places[row];
          at = (i64)(place < 0 || place > t.last ? t.last : place) * t.width + (at - row * t.width);
        }
        g.v[v] = ((const G*)t.in[1])[at];
      }
  };
  const i64 begin = (i64)(blockIdx.x - u.first_block[low]) * 2048;
  const i64 end = begin + 2048 < t.elements ? begin + 2048 : t.elements;
  i64 i = begin + threadIdx.x * VECTOR;
  if (i < end) load(i);  // under way while the scalars are made
  __shared__ UpdateScalars<T> s;
  if (threadIdx.x == 0) {
    for (int n = 0; n < 5; ++n)
      if (u.scalar[n]) {
        s.s[n] = Rounded<T>((Wide<T>)*u.scalar[n]);
        s.rest[n] = Rounded<T>((Wide<T>)(1.0 - *u.scalar[n]));
      }
    if (u.decay) s.decay = Rounded<T>((Wide<T>)*u.decay);
    Rule::prepare(u, s);
  }
  const bool runs = !u.gate || *u.gate;
  __syncthreads();
#pragma unroll 1
  while (i < end) {
    if (runs) {
#pragma unroll
      for (int v = 0; v < VECTOR; ++v) {
        Rounded<T> x[4];
        for (int k = 0; k < 1 + SLOTS; ++k) x[k] = Rounded<T>(wide(values[k].v[v]));
        const Rounded<T> p = u.decay ? x[0] - x[0] * s.decay * s.s[0] : x[0];
        Rule::template apply<T, FLAGS>(s, x, p, Rounded<T>(wide(g.v[v])));
        for (int k = 0; k < 1 + SLOTS; ++k) values[k].v[v] = narrow<T>(x[k].value);
      }
    }
    for (int k = 0; k < 1 + SLOTS; ++k) {
      T* const to = (T*)t.out[k] + i;
      if (i + VECTOR <= t.elements) *(P*)to = values[k];
      else
        for (int v = 0; v < VECTOR; ++v)
          if (i + v < t.elements) to[v] = values[k].v[v];
    }
    i += 256 * VECTOR;
    if (i < end) load(i);
  }
}
