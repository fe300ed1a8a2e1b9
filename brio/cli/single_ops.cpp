#include "brio/cli/single_ops.h"

#include "brio/base/error.h"
#include "brio/brio.h"

namespace brio::cli {
namespace {

using Results = std::vector<Tensor>;

// Inputs are computed before the clock runs.
Tensor ready(const Tensor& x) {
  (void)x.array();
  return x;
}
Tensor normal(const Shape& shape, uint64_t seed = 1) { return ready(random::normal(shape, {.seed = seed})); }
Tensor positive(const Shape& shape, uint64_t seed = 1) {
  return ready(random::uniform(shape, {.low = 0.5, .high = 3, .seed = seed}));
}
Tensor integers(const Shape& shape, int64_t limit, uint64_t seed = 1) {
  return ready(cast(random::uniform(shape, {.high = static_cast<double>(limit), .seed = seed}), i32));
}
Tensor spd(int64_t n, const Shape& batch = {}) {  // symmetric, positive definite
  std::vector<int64_t> dims(batch.dims().begin(), batch.dims().end());
  dims.insert(dims.end(), {n, n});
  const Tensor a = normal(Shape(dims));
  return ready(matmul(a, a, {.transpose_b = true}) + eye(n) * static_cast<float>(n));
}
std::string sizes(const Shape& shape) {
  std::string text;
  for (int64_t size : shape.dims()) text = cat(text, text.empty() ? "" : "x", size);
  return text;
}

const Shape kSmall{32, 32}, kLarge{1024, 1024};

class Rows {
 public:
  std::vector<SingleOp> rows;

  void family(std::string name) { family_ = std::move(name); }
  template <typename Make>
  void add(const std::string& name, Make make) {
    rows.push_back({family_, name, [make]() -> std::function<Results()> {
                      return [call = make()]() mutable {
                        if constexpr (std::is_same_v<decltype(call()), Tensor>) return Results{call()};
                        else return Results(call());
                      };
                    }});
  }
  // One input of normal numbers, of each shape.
  template <typename F>
  void unary(const std::string& name, F f, const std::vector<Shape>& shapes = {kLarge}) {
    for (const Shape& shape : shapes)
      add(cat(name, " ", sizes(shape)), [=] { return [x = normal(shape), f] { return f(x); }; });
  }
  template <typename F>
  void binary(const std::string& name, F f, const std::vector<std::pair<Shape, Shape>>& shapes) {
    for (const auto& [a, b] : shapes)
      add(cat(name, " ", sizes(a), a == b ? std::string() : cat(" ", sizes(b))),
          [=, a = a, b = b] { return [x = normal(a, 1), y = normal(b, 2), f] { return f(x, y); }; });
  }

 private:
  std::string family_;
};

void list_elementwise(Rows& r) {
  r.family("elementwise");
  r.binary("add", [](auto& x, auto& y) { return x + y; }, {{kSmall, kSmall}, {kLarge, kLarge}, {kLarge, {1024}}});
  r.binary("mul", [](auto& x, auto& y) { return x * y; }, {{kSmall, kSmall}, {kLarge, {1024, 1}}});
  r.binary("atan2", [](auto& x, auto& y) { return atan2(x, y); }, {{kLarge, kLarge}});
  r.binary("squared_difference", [](auto& x, auto& y) { return squared_difference(x, y); }, {{kLarge, kLarge}});
  r.unary("exp", [](auto& x) { return exp(x); }, {kSmall, kLarge});
  r.unary("tanh", [](auto& x) { return tanh(x); }, {kSmall, kLarge});
  r.unary("sin", [](auto& x) { return sin(x); });
  r.unary("erf", [](auto& x) { return erf(x); });
  r.unary("power", [](auto& x) { return pow(x, 3); });
  r.unary("sqrt", [](auto& x) { return sqrt(abs(x)); });
  r.unary("round", [](auto& x) { return round(x); });
  r.unary("is_nan", [](auto& x) { return is_nan(x); });
  r.unary("clip", [](auto& x) { return clip_by_value(x, -1.f, 1.f); });
  r.add("log 1024x1024", [] { return [x = positive(kLarge)] { return log(x); }; });
  r.add("lgamma 1024x1024", [] { return [x = positive(kLarge)] { return lgamma(x); }; });
  r.add("digamma 1024x1024", [] { return [x = positive(kLarge)] { return digamma(x); }; });
  r.add("pow 1024x1024", [] { return [x = positive(kLarge, 1), y = normal(kLarge, 2)] { return pow(x, y); }; });
  r.add("less 1024x1024", [] { return [x = normal(kLarge, 1), y = normal(kLarge, 2)] { return x < y; }; });
  r.add("where 1024x1024", [] {
    return [c = ready(normal(kLarge, 3) > 0.f), x = normal(kLarge, 1), y = normal(kLarge, 2)] {
      return select(c, x, y);
    };
  });
  r.add("floordiv i32 1024x1024", [] {
    return [x = integers(kLarge, 1000, 1), y = ready(integers(kLarge, 100, 2) + 1)] { return floordiv(x, y); };
  });
  r.add("bitwise_and i32 1024x1024",
        [] { return [x = integers(kLarge, 1000, 1), y = integers(kLarge, 1000, 2)] { return bitwise_and(x, y); }; });
  r.add("logical_and 1024x1024", [] {
    return [x = ready(normal(kLarge, 1) > 0.f), y = ready(normal(kLarge, 2) > 0.f)] { return logical_and(x, y); };
  });
  r.unary("cast i32", [](auto& x) { return cast(x, i32); });
  r.unary("cast bf16", [](auto& x) { return cast(x, bf16); });
  r.unary("cast f16", [](auto& x) { return cast(x, f16); });

  r.family("activations");
  r.unary("relu", [](auto& x) { return relu(x); }, {kSmall, kLarge});
  r.unary("sigmoid", [](auto& x) { return sigmoid(x); }, {kSmall, kLarge});
  r.unary("gelu", [](auto& x) { return gelu(x); });
  r.unary("silu", [](auto& x) { return silu(x); });
  r.unary("elu", [](auto& x) { return elu(x); });
  r.unary("softplus", [](auto& x) { return softplus(x); });
  r.unary("softmax", [](auto& x) { return softmax(x); }, {kSmall, kLarge});
  r.unary("log_softmax", [](auto& x) { return log_softmax(x); });
}

void list_reductions(Rows& r) {
  r.family("reductions");
  r.unary("sum", [](auto& x) { return sum(x); }, {kSmall, kLarge});
  r.unary("sum axis 0", [](auto& x) { return sum(x, {0}); }, {kSmall, kLarge});
  r.unary("sum axis 1", [](auto& x) { return sum(x, {1}); }, {kSmall, kLarge});
  r.unary("mean axis 1", [](auto& x) { return mean(x, {1}); });
  r.unary("max axis 0", [](auto& x) { return max(x, {0}); });
  r.unary("max axis 1", [](auto& x) { return max(x, {1}); });
  r.unary("prod axis 1", [](auto& x) { return prod(x, {1}); });
  r.unary("argmax axis 0", [](auto& x) { return argmax(x, 0); });
  r.unary("argmax axis 1", [](auto& x) { return argmax(x, 1); }, {kSmall, kLarge});
  r.unary("logsumexp axis 1", [](auto& x) { return logsumexp(x, {1}); });
  r.unary("variance axis 1", [](auto& x) { return variance(x, {1}); });
  r.unary("norm", [](auto& x) { return norm(x); });
  r.add("any axis 1 1024x1024", [] { return [x = ready(normal(kLarge) > 9.f)] { return any(x, {1}); }; });
  r.add("sum i32 1024x1024", [] { return [x = integers(kLarge, 1000)] { return sum(x); }; });
  r.unary("cumsum axis 0", [](auto& x) { return cumsum(x, 0); });
  r.unary("cumsum axis 1", [](auto& x) { return cumsum(x, 1); }, {kSmall, kLarge});
  r.unary("cumprod axis 1", [](auto& x) { return cumprod(x, 1); });
  r.unary("cumulative_logsumexp axis 1", [](auto& x) { return cumulative_logsumexp(x, 1); });
  r.add("bincount 1000000", [] {
    return [x = integers({1000000}, 1000)] { return bincount(x, {.minlength = 1000, .maxlength = 1000}); };
  });
  r.add("histogram 1000000", [] { return [x = normal({1000000})] { return histogram_fixed_width(x, -4, 4, 100); }; });
  r.add("unsorted_segment_sum 100000x16", [] {
    return [x = normal({100000, 16}), ids = integers({100000}, 1000)] { return unsorted_segment_sum(x, ids, 1000); };
  });
  r.add("unsorted_segment_max 100000x16", [] {
    return [x = normal({100000, 16}), ids = integers({100000}, 1000)] { return unsorted_segment_max(x, ids, 1000); };
  });
}

void list_products(Rows& r) {
  r.family("products");
  r.binary("matmul", [](auto& a, auto& b) { return matmul(a, b); },
           {{{16, 16}, {16, 16}},
            {{64, 64}, {64, 64}},
            {{512, 512}, {512, 512}},
            {{64, 64, 64}, {64, 64, 64}},
            {{8, 1024}, {1024, 1024}}});
  r.binary("matmul transposed", [](auto& a, auto& b) { return matmul(a, b, {.transpose_b = true}); },
           {{{256, 512}, {256, 512}}});
  r.binary("matvec", [](auto& a, auto& b) { return matvec(a, b); }, {{kLarge, {1024}}});
  r.binary("einsum bqhd,bkhd->bhqk",
           [](auto& a, auto& b) {
             return einsum("bqhd,bkhd->bhqk", {a, b});
           },
           {{{8, 128, 8, 64}, {8, 128, 8, 64}}});
  r.binary("einsum bi,bj->ij",
           [](auto& a, auto& b) {
             return einsum("bi,bj->ij", {a, b});
           },
           {{{256, 128}, {256, 128}}});
  r.binary("tensordot", [](auto& a, auto& b) { return tensordot(a, b, 2); }, {{{64, 32, 64}, {32, 64, 64}}});
  r.binary("cross", [](auto& a, auto& b) { return cross(a, b); }, {{{100000, 3}, {100000, 3}}});
  r.add("matmul bf16 512x512", [] {
    return [a = ready(cast(normal({512, 512}, 1), bf16)), b = ready(cast(normal({512, 512}, 2), bf16))] {
      return matmul(a, b);
    };
  });
  r.add("attention 8x128x8x64", [] {
    return [q = normal({8, 128, 8, 64}, 1), k = normal({8, 128, 8, 64}, 2), v = normal({8, 128, 8, 64}, 3)] {
      return scaled_dot_product_attention(q, k, v);
    };
  });

  r.family("convolutions");
  auto convolve = [&](const std::string& name, const Shape& x, const Shape& filter, const ConvOptions& options) {
    r.binary(name, [options](auto& a, auto& f) { return conv(a, f, options); }, {{x, filter}});
  };
  convolve("conv2d", {1, 8, 8, 4}, {3, 3, 4, 8}, {.padding = "same"});
  convolve("conv2d", {32, 28, 28, 32}, {3, 3, 32, 64}, {.padding = "same"});
  convolve("conv2d", {8, 14, 14, 256}, {1, 1, 256, 256}, {.padding = "same"});
  convolve("conv2d stride 2", {8, 112, 112, 3}, {7, 7, 3, 64}, {.strides = {2}, .padding = "same"});
  convolve("conv2d dilated", {8, 28, 28, 32}, {3, 3, 32, 32}, {.padding = "same", .dilations = {2}});
  convolve("conv2d groups", {8, 28, 28, 64}, {3, 3, 16, 64}, {.padding = "same"});
  convolve("conv1d", {32, 128, 64}, {5, 64, 64}, {.padding = "same"});
  convolve("conv3d", {2, 16, 16, 16, 16}, {3, 3, 3, 16, 32}, {.padding = "same"});
  r.binary("depthwise_conv2d", [](auto& x, auto& f) { return depthwise_conv2d(x, f, {.padding = "same"}); },
           {{{8, 56, 56, 64}, {3, 3, 64, 1}}});
  r.binary("conv2d_transpose",
           [](auto& x, auto& f) { return conv2d_transpose(x, f, {.strides = {2}, .padding = "same"}); },
           {{{8, 14, 14, 64}, {3, 3, 32, 64}}});
  r.unary("max_pool2d", [](auto& x) { return max_pool2d(x, {2, 2}); }, {{32, 28, 28, 64}});
  r.unary("avg_pool2d", [](auto& x) { return avg_pool2d(x, {2, 2}); }, {{32, 28, 28, 64}});
  r.unary("max_pool2d 3x3 stride 2",
          [](auto& x) {
            return max_pool2d(x, {3, 3}, {.strides = {2}});
          },
          {{8, 57, 57, 64}});
  r.unary("global_avg_pool", [](auto& x) { return global_avg_pool(x); }, {{32, 14, 14, 256}});
}

void list_shapes(Rows& r) {
  r.family("shapes");
  r.unary("transpose", [](auto& x) { return transpose(x); }, {kSmall, kLarge});
  r.unary("transpose 0 3 1 2", [](auto& x) { return transpose(x, {0, 3, 1, 2}); }, {{32, 28, 28, 64}});
  r.unary("reverse axis 1", [](auto& x) { return reverse(x, {1}); });
  r.unary("roll", [](auto& x) { return roll(x, {100}, {1}); });
  r.unary("pad", [](auto& x) { return pad(x, {{}, {1, 1}, {1, 1}, {}}); }, {{32, 28, 28, 64}});
  r.unary("pad reflect",
          [](auto& x) {
            return pad(x, {{}, {1, 1}, {1, 1}, {}}, Mirror::reflect);
          },
          {{32, 28, 28, 64}});
  r.unary("tile 4 4", [](auto& x) { return tile(x, {4, 4}); }, {{256, 256}});
  r.unary("repeat 4", [](auto& x) { return repeat(x, 4, 1); }, {{512, 512}});
  r.unary("slice", [](auto& x) { return slice(x, {{100, 900}, {100, 900}}); });
  r.unary("strided slice", [](auto& x) { return slice(x, {{{}, {}, 2}, {{}, {}, 2}}); });
  r.unary("split 4", [](auto& x) { return split(x, 4, 1); });
  r.unary("broadcast_to", [](auto& x) { return broadcast_to(x, {1024, 1024}); }, {{1, 1024}});
  r.unary("space_to_depth", [](auto& x) { return space_to_depth(x, 2); }, {{32, 28, 28, 64}});
  r.binary("concat axis 1", [](auto& x, auto& y) { return concat({x, y}, 1); }, {{kSmall, kSmall}, {kLarge, kLarge}});
  r.binary("stack", [](auto& x, auto& y) { return stack({x, y}); }, {{kLarge, kLarge}});
}

void list_indexing(Rows& r) {
  using namespace linalg;
  r.family("indexing");
  r.add("gather 10000x128 4096", [] {
    return [x = normal({10000, 128}), i = integers({4096}, 10000)] { return gather(x, i); };
  });
  r.add("gather 32x32 8", [] { return [x = normal({32, 32}), i = integers({8}, 32)] { return gather(x, i); }; });
  r.add("gather axis 1 1024x1024 256",
        [] { return [x = normal(kLarge), i = integers({256}, 1024)] { return gather(x, i, 1); }; });
  r.add("gather_nd 1024x1024 65536", [] {
    return [x = normal(kLarge), i = integers({65536, 2}, 1024)] { return gather_nd(x, i); };
  });
  r.add("take_along_axis 1024x1024",
        [] { return [x = normal(kLarge), i = integers(kLarge, 1024)] { return take_along_axis(x, i, 1); }; });
  r.add("scatter_add 10000x128 4096", [] {
    return [x = normal({10000, 128}), i = integers({4096, 1}, 10000), u = normal({4096, 128})] {
      return tensor_scatter_nd_add(x, i, u);
    };
  });
  r.add("scatter_update 10000x128 4096", [] {
    return [x = normal({10000, 128}), i = integers({4096, 1}, 10000), u = normal({4096, 128})] {
      return tensor_scatter_nd_update(x, i, u);
    };
  });
  r.add("one_hot 4096 1000", [] { return [i = integers({4096}, 1000)] { return one_hot(i, 1000); }; });
  r.add("sequence_mask 1024 1024", [] { return [n = integers({1024}, 1024)] { return sequence_mask(n, 1024); }; });
  r.add("boolean_mask 1000000",
        [] { return [x = normal({1000000}), m = ready(normal({1000000}, 2) > 0.f)] { return boolean_mask(x, m); }; });
  r.add("nonzero 1000000", [] { return [m = ready(normal({1000000}) > 0.f)] { return where(m); }; });
  r.add("unique 100000", [] {
    return [x = integers({100000}, 1000)] {
      const Unique u = unique(x);
      return Results{u.values, u.indices};
    };
  });
  r.unary("band_part", [](auto& x) { return band_part(x, -1, 0); });
  r.unary("diag_part", [](auto& x) { return diag_part(x); });
  r.add("linspace 1000000", [] { return [] { return linspace(0, 1, 1000000); }; });
  r.add("range 1000000", [] { return [] { return range(1000000); }; });
  r.add("eye 1024", [] { return [] { return eye(1024); }; });

  r.family("sorting");
  r.unary("sort", [](auto& x) { return sort(x); }, {kSmall, kLarge, {1000000}});
  r.unary("argsort", [](auto& x) { return argsort(x); }, {kLarge});
  r.unary("top_k 10", [](auto& x) {
    const TopK top = top_k(x, 10);
    return Results{top.values, top.indices};
  });
  r.add("searchsorted 100000 in 10000",
        [] { return [s = ready(sort(normal({10000}))), v = normal({100000}, 2)] { return searchsorted(s, v); }; });
}

void list_linear_algebra(Rows& r) {
  using namespace linalg;
  r.family("linear algebra");
  r.add("cholesky 256x256", [] { return [a = spd(256)] { return cholesky(a); }; });
  r.add("cholesky 512x8x8", [] { return [a = spd(8, {512})] { return cholesky(a); }; });
  r.add("solve 256x256", [] { return [a = spd(256), b = normal({256, 16})] { return solve(a, b); }; });
  r.add("triangular_solve 256x256", [] {
    return [a = ready(cholesky(spd(256))), b = normal({256, 16})] { return triangular_solve(a, b); };
  });
  r.add("inv 256x256", [] { return [a = spd(256)] { return inv(a); }; });
  r.add("inv 512x4x4", [] { return [a = spd(4, {512})] { return inv(a); }; });
  r.add("det 256x256", [] { return [a = ready(spd(256) / 256.f)] { return det(a); }; });
  r.add("slogdet 256x256", [] {
    return [a = spd(256)] {
      const SignAndLog s = slogdet(a);
      return Results{s.sign, s.log_abs_determinant};
    };
  });
  r.unary("qr",
          [](auto& x) {
            const Qr f = qr(x);
            return Results{f.q, f.r};
          },
          {{256, 256}});
  r.unary("svd",
          [](auto& x) {
            const Svd f = svd(x);
            return Results{f.s, f.u, f.v};
          },
          {{128, 128}});
  r.add("eigh 128x128", [] {
    return [a = spd(128)] {
      const Eigh f = eigh(a);
      return Results{f.e, f.v};
    };
  });
  r.add("lstsq 512x32", [] { return [a = normal({512, 32}), b = normal({512, 4}, 2)] { return lstsq(a, b); }; });
}

void list_random(Rows& r) {
  r.family("random");
  r.add("uniform 32x32", [] { return [] { return random::uniform(kSmall); }; });
  r.add("uniform 1024x1024", [] { return [] { return random::uniform(kLarge); }; });
  r.add("normal 1024x1024", [] { return [] { return random::normal(kLarge); }; });
  r.add("truncated_normal 1024x1024", [] { return [] { return random::truncated_normal(kLarge); }; });
  r.add("integers 1024x1024", [] { return [] { return random::integers(kLarge, {.high = 1000}); }; });
  r.add("bernoulli 1024x1024",
        [] { return [p = ready(full(kLarge, 0.3f))] { return random::bernoulli(kLarge, p); }; });
  r.add("gamma 100000", [] { return [a = ready(constant(2.f, f32))] { return random::gamma({100000}, a); }; });
  r.add("poisson 100000", [] { return [a = ready(constant(4.f, f32))] { return random::poisson({100000}, a); }; });
  r.add("categorical 1000x100 10", [] { return [l = normal({1000, 100})] { return random::categorical(l, 10); }; });
  r.add("shuffle 100000", [] { return [x = normal({100000})] { return random::shuffle(x); }; });
  r.add("dropout 1024x1024",
        [] { return [x = normal(kLarge), layer = nn::Dropout(0.5)]() mutable { return layer(x, true); }; });
}

// A layer's result, and with gradients of its input and weights.
template <typename L>
void list_layer(Rows& r, const std::string& name, const Shape& shape, L make) {
  r.add(cat(name, " ", sizes(shape)),
        [=] { return [x = normal(shape), layer = make()]() mutable { return layer(x, true); }; });
  r.add(cat(name, " with gradient ", sizes(shape)), [=] {
    auto layer = make();
    const Tensor x = normal(shape);
    const Tensor g = normal(ready(layer(x, true)).shape(), 2);
    return [x, g, layer]() mutable {
      GradientTape tape;
      tape.watch(x);
      const Tensor y = layer(x, true);
      std::vector<GradientTape::Source> sources{x};
      for (const Variable& v : layer.trainable_variables()) sources.emplace_back(v);
      return tape.gradient(std::span(&y, 1), sources, std::span(&g, 1));
    };
  });
}

void list_layers(Rows& r) {
  r.family("normalisation");
  list_layer(r, "layer_norm", {32, 128, 256}, [] { return nn::LayerNormalization(); });
  list_layer(r, "layer_norm", {8, 16}, [] { return nn::LayerNormalization(); });
  list_layer(r, "batch_norm", {32, 28, 28, 64}, [] { return nn::BatchNormalization(); });
  list_layer(r, "group_norm", {8, 28, 28, 64}, [] { return nn::GroupNormalization({.groups = 8}); });
  list_layer(r, "rms_norm", {32, 128, 256}, [] { return nn::RMSNormalization({.epsilon = 1e-6}); });
  r.family("recurrent");
  list_layer(r, "lstm", {32, 64, 128}, [] { return nn::LSTM(128, {.return_sequences = true}); });
  list_layer(r, "gru", {32, 64, 128}, [] { return nn::GRU(128, {.return_sequences = true}); });
  list_layer(r, "simple_rnn", {32, 64, 128}, [] { return nn::SimpleRNN(128, {.return_sequences = true}); });
  r.family("losses");
  r.add("softmax_xent 1024x1000", [] {
    return [x = normal({1024, 1000}), y = integers({1024}, 1000)] { return softmax_xent(x, y); };
  });
  r.add("sigmoid_xent 1024x1024", [] {
    return [x = normal(kLarge), y = ready(cast(normal(kLarge, 2) > 0.f, f32))] { return sigmoid_xent(x, y); };
  });
  r.binary("mse", [](auto& x, auto& y) { return mean(squared_difference(x, y)); },
           {{kSmall, kSmall}, {kLarge, kLarge}});
}

void list_optimizers(Rows& r) {
  r.family("optimizers");
  auto optimizer = [&](const std::string& name, auto make) {
    r.add(cat(name, " 20x50000"), [=] {
      auto best = std::make_shared<nn::Optimizer>(make());
      std::vector<Variable> weights;
      Results gradients;
      for (uint64_t i = 0; i < 20; ++i) {
        weights.emplace_back(normal({50000}, i));
        gradients.push_back(normal({50000}, i + 100));
      }
      return [=] {
        best->apply_gradients(gradients, weights);
        return Results(weights.begin(), weights.end());
      };
    });
  };
  optimizer("sgd", [] { return nn::SGD(0.01); });
  optimizer("sgd momentum", [] { return nn::SGD(0.01, {.momentum = 0.9}); });
  optimizer("rmsprop", [] { return nn::RMSprop(0.001); });
  optimizer("adam", [] { return nn::Adam(0.001); });
  optimizer("adagrad", [] { return nn::Adagrad(0.001); });
  optimizer("adadelta", [] { return nn::Adadelta(0.001); });
  optimizer("adamax", [] { return nn::Adamax(0.001); });
  optimizer("nadam", [] { return nn::Nadam(0.001); });
}

void list_images(Rows& r) {
  using namespace image;
  r.family("images");
  r.unary("resize bilinear 112x112", [](auto& x) { return resize(x, 112, 112); }, {{8, 224, 224, 3}});
  r.unary("resize bilinear 448x448", [](auto& x) { return resize(x, 448, 448); }, {{2, 224, 224, 3}});
  r.unary("resize nearest 112x112",
          [](auto& x) { return resize(x, 112, 112, {.interpolation = Interpolation::nearest}); }, {{8, 224, 224, 3}});
  r.unary("resize bicubic 112x112",
          [](auto& x) { return resize(x, 112, 112, {.interpolation = Interpolation::bicubic}); }, {{8, 224, 224, 3}});
  r.unary("flip_left_right", [](auto& x) { return flip_left_right(x); }, {{8, 224, 224, 3}});
  r.unary("adjust_contrast", [](auto& x) { return adjust_contrast(x, constant(1.5f, f32)); }, {{8, 224, 224, 3}});
  r.unary("rgb_to_grayscale", [](auto& x) { return rgb_to_grayscale(x); }, {{8, 224, 224, 3}});
}

void list_complex(Rows& r) {
  r.family("complex numbers");
  const auto numbers = [](const Shape& shape, uint64_t seed) {
    return ready(complex(normal(shape, seed), normal(shape, seed + 1)));
  };
  r.add("complex mul 1024x1024", [=] { return [x = numbers(kLarge, 1), y = numbers(kLarge, 3)] { return x * y; }; });
  r.add("complex abs 1024x1024", [=] { return [x = numbers(kLarge, 1)] { return abs(x); }; });
  for (int64_t n : {256, 1024, 1000})
    r.add(cat("fft 64x", n), [=] { return [x = numbers({64, n}, 1)] { return signal::fft(x); }; });
  r.unary("rfft", [](auto& x) { return signal::rfft(x); }, {{64, 1024}});
}

void list_strings(Rows& r) {
  r.family("strings");
  const auto lines = [](int64_t n) {
    std::vector<std::string> all;
    for (int64_t i = 0; i < n; ++i)
      all.push_back(cat("Line ", i, " of some text, with ", i * i % 97, " words in it"));
    return string_tensor(all);
  };
  r.add("strings.length 2", [=] { return [x = lines(2)] { return strings::length(x); }; });
  r.add("strings.length 10000", [=] { return [x = lines(10000)] { return strings::length(x); }; });
  r.add("strings.lower 10000", [=] { return [x = lines(10000)] { return strings::lower(x); }; });
  r.add("strings.split 10000", [=] { return [x = lines(10000)] { return strings::split(x).values; }; });
  r.add("strings.regex_replace 10000",
        [=] { return [x = lines(10000)] { return strings::regex_replace(x, "[0-9]+", "#"); }; });
  r.add("strings.to_hash_bucket_fast 10000",
        [=] { return [x = lines(10000)] { return strings::to_hash_bucket_fast(x, 1000); }; });
}

void list_control(Rows& r) {
  r.family("control");
  r.add("while_loop 100 rounds", [] {
    return [x = ready(zeros({32}))] {
      return while_loop([](const Results& v) { return sum(v[0]) < 3200.f; },
                        [](const Results& v) { return Results{v[0] + 1.f}; }, {x});
    };
  });
  r.add("cond", [] {
    return [x = normal({32, 32}), yes = ready(constant(true, boolean))] {
      return cond(
          yes, [&] { return x + 1.f; }, [&] { return x * 2.f; });
    };
  });
}

}  // namespace

std::vector<SingleOp> single_ops() {
  Rows r;
  list_elementwise(r);
  list_reductions(r);
  list_products(r);
  list_shapes(r);
  list_indexing(r);
  list_linear_algebra(r);
  list_random(r);
  list_layers(r);
  list_optimizers(r);
  list_images(r);
  list_complex(r);
  list_strings(r);
  list_control(r);
  return std::move(r.rows);
}

}  // namespace brio::cli
