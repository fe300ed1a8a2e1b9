#include "brio/nn/layers/embedding.h"

#include "brio/nn/config.h"
#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/indexing/indexing.h"
#include "brio/ops/reductions/reduction.h"

namespace brio::nn {
namespace {

void list_fields(Fields& f, int64_t& input_dim, int64_t& output_dim, EmbeddingOptions& o) {
  f("input_dim", input_dim);
  f("output_dim", output_dim);
  f("embeddings_initializer", o.embeddings_initializer);
  f("embeddings_regularizer", o.embeddings_regularizer);
  f("embeddings_constraint", o.embeddings_constraint);
  f("mask_zero", o.mask_zero);
}

class EmbeddingModule : public Module {
 public:
  EmbeddingModule(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
      : Module("embedding", {.dtype = options.dtype, .name = options.name}),
        input_dim_(input_dim),
        output_dim_(output_dim),
        options_(std::move(options)) {
    if (input_dim < 1 || output_dim < 1)
      throw_invalid(name(),
                    cat("input_dim is ", input_dim, " and output_dim ", output_dim, "; both are one or more"));
    will_have_weights();
    supports_masking_ = options_.mask_zero;
    autocast_ = false;
    if (!options_.weights.defined()) return;
    if (options_.weights.shape() != Shape{input_dim, output_dim})
      throw_invalid(name(), cat("weights have shape ", options_.weights.shape(), ", but the embeddings are ",
                                Shape{input_dim, output_dim}));
    build(Shape{1});
    options_.weights = {};
  }
  std::string_view kind() const override { return "Embedding"; }
  void describe(Fields& f) override { list_fields(f, input_dim_, output_dim_, options_); }

  Variable embeddings;

 protected:
  void create_weights(const Shape&) override {
    Initializer start = options_.embeddings_initializer;
    if (options_.weights.defined())
      start = Initializer("weights",
                          [given = options_.weights](const Shape&, DType dtype) { return cast(given, dtype); });
    embeddings = add_weight("embeddings", {input_dim_, output_dim_},
                            {.initializer = start,
                             .regularizer = options_.embeddings_regularizer,
                             .constraint = options_.embeddings_constraint});
  }
  Tensor call(const Tensor& x, const Call&) override {
    const Tensor ids = x.dtype() == i32 || x.dtype() == i64 ? x : cast(x, i32);
    return cast(gather(embeddings, ids), policy().compute());
  }
  Tensor compute_mask(const Tensor& x, const Tensor&) const override {
    return options_.mask_zero ? not_equal(x, constant(0, x.dtype())) : Tensor();
  }

 private:
  int64_t input_dim_, output_dim_;
  EmbeddingOptions options_;
};

class MaskingModule : public Module {
 public:
  explicit MaskingModule(const MaskingOptions& o)
      : Module("masking", {.dtype = o.dtype, .name = o.name}), mask_value_(o.mask_value) {
    supports_masking_ = true;
  }
  std::string_view kind() const override { return "Masking"; }
  void describe(Fields& f) override { f("mask_value", mask_value_); }

 protected:
  void check_input(const Shape& input) const override {
    if (input.rank() < 2) throw_invalid(name(), cat("takes inputs of rank 2 or more, but got shape ", input));
  }
  Tensor call(const Tensor& x, const Call&) override { return select(counts(x, true), x, constant(0, x.dtype())); }
  Tensor compute_mask(const Tensor& x, const Tensor&) const override { return counts(x, false); }

 private:
  Tensor counts(const Tensor& x, bool keepdims) const {
    return any(not_equal(x, constant(mask_value_, x.dtype())), -1, keepdims);
  }
  double mask_value_;
};

}  // namespace

Embedding::Embedding(int64_t input_dim, int64_t output_dim, EmbeddingOptions options)
    : Layer(std::make_shared<EmbeddingModule>(input_dim, output_dim, std::move(options))) {}
Variable Embedding::embeddings() const { return static_cast<EmbeddingModule&>(*module_).embeddings; }
Layer Embedding::from_config(Fields& f) {
  auto o = options_from<EmbeddingOptions>(f);
  int64_t input_dim = 0, output_dim = 0;
  list_fields(f, input_dim, output_dim, o);
  return Embedding(input_dim, output_dim, o);
}

Masking::Masking(MaskingOptions options) : Layer(std::make_shared<MaskingModule>(options)) {}
Layer Masking::from_config(Fields& f) {
  auto o = options_from<MaskingOptions>(f);
  f("mask_value", o.mask_value);
  return Masking(o);
}

}  // namespace brio::nn
