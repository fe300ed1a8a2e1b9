// matmul, linear and linear_sum through cuBLASLt. It thinks in columns: a row-major product is that of the transposed
// matrices in the other order.
#include <cublasLt.h>

#include <algorithm>

#include "brio/backends/cuda/lower.h"
#include "brio/backends/cuda/product_tuning.h"
#include "brio/base/error.h"
#include "brio/base/tensor_float.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/fusion.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/network/composites.h"
#include "brio/ops/network/residuals.h"

namespace brio::cuda {
namespace {

constexpr size_t kMostWorkspace = size_t{128} << 20;  // of 32, weight gradients divide their sums worse
constexpr double kWorthTuning = 4e9;                  // operations: some 8 µs

// Which inputs a product has beside its operands; 0: it has none such.
struct ProductInputs {
  size_t more = 0, bias = 0, flags = 0;  // `flags`: where the attributes about transposing are
  explicit ProductInputs(const Node& node) {
    if (node.op == &op::linear) {
      bias = 2;
      flags = 1;
    } else if (node.op == &op::linear_sum) {
      more = 2;
      bias = node.in.size() > 3 ? 3 : 0;
    }
  }
};

cudaDataType_t data_type(DType dtype) {
  switch (dtype) {
    case DType::f64: return CUDA_R_64F;
    case DType::f16: return CUDA_R_16F;
    case DType::bf16: return CUDA_R_16BF;
    case DType::c64: return CUDA_C_32F;
    case DType::c128: return CUDA_C_64F;
    default: return CUDA_R_32F;
  }
}

Support supports_product(const NodeView& node) {
  const DType dtype = node.in(0).dtype;
  if (!is_floating(dtype) && !is_complex(dtype)) return Support::cannot(cat("no product of ", dtype));
  if (node.node.op != &op::matmul && is_complex(dtype)) return Support::cannot("no bias for complex numbers");
  for (size_t i = 0; i < 2; ++i)
    if (node.in(i).shape.elements() == 0) return Support::cannot("an operand is empty");
  return Support::can();
}
// A small product has a kernel of its own, and a loop after it costs little.
Support supports_sum(const NodeView& node) {
  constexpr double kLeast = 1e8;
  if (const Support product = supports_product(node); !product.yes) return product;
  const double columns = static_cast<double>(node.out(0).shape.elements());
  const double operations = 2 * columns * static_cast<double>(node.in(0).shape[node.attrs()[0] != 0 ? 0 : 1]);
  return operations < kLeast ? Support::cannot("a small product") : Support::can();
}

// One operand as cuBLASLt sees it: `rows` × `columns` by columns, to be transposed or not.
struct Matrix {
  int64_t rows, columns, leading;
  bool transposed;
  std::vector<int64_t> batch;  // elements from one matrix to the next, per dim of the result's batch

  // A row-major [.., r, c] (or its transpose) as the operand r × c of a row-major product.
  static Matrix of(const Shape& shape, bool transposed, bool vector_is_row, const Shape& batch) {
    const int rank = shape.rank();
    const Strides strides = row_major(shape);
    Matrix m{};
    if (rank == 1) {
      // A row of n is n × 1 by columns; a column is 1 × n.
      m = vector_is_row ? Matrix{shape[0], 1, shape[0], false, {}} : Matrix{shape[0], 1, shape[0], true, {}};
    } else {
      m = {shape[rank - 1], shape[rank - 2], shape[rank - 1], transposed, {}};
    }
    const int own = std::max(0, rank - 2), shift = batch.rank() - own;
    for (int i = 0; i < batch.rank(); ++i)
      m.batch.push_back(i < shift || shape[i - shift] == 1 ? 0 : strides[i - shift]);
    return m;
  }
};

struct Layout {
  cublasLtMatrixLayout_t handle = nullptr;
  Layout(cudaDataType_t type, int64_t rows, int64_t columns, int64_t leading, int32_t count, int64_t step) {
    const CublasLt& c = cublas();
    check(c.cublasLtMatrixLayoutCreate(&handle, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                                       leading),
          "describing a matrix");
    if (count > 1) {
      check(c.cublasLtMatrixLayoutSetAttribute(handle, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)),
            "describing a batch");
      check(c.cublasLtMatrixLayoutSetAttribute(handle, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step,
                                               sizeof(step)),
            "describing a batch");
    }
  }
  ~Layout() { cublas().cublasLtMatrixLayoutDestroy(handle); }
  Layout(const Layout&) = delete;
};

// An operation, how it is carried out, and what follows it over the result, in place.
struct Way {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  bool adds_bias = false;
  std::unique_ptr<Kernel> then;
  Way() = default;
  Way(const Way&) = delete;
  ~Way() {
    if (operation) cublas().cublasLtMatmulDescDestroy(operation);
  }
};

class ProductKernel final : public CudaKernel {
 public:
  explicit ProductKernel(const NodeView& node)
      : device_(device_of(node)), dtype_(node.in(0).dtype), inputs_(node.node) {
    const size_t flags = inputs_.flags;
    const Shape &a = node.in(0).shape, &b = node.in(1).shape;
    const bool transpose_a = node.attrs()[flags] != 0 && a.rank() > 1;
    const bool transpose_b = node.attrs()[flags + 1] != 0 && b.rank() > 1;
    const MatmulShape sizes = MatmulShape::of(a, b, transpose_a, transpose_b);
    Matrix left = Matrix::of(a, transpose_a, true, sizes.batch);
    const Matrix right = Matrix::of(b, transpose_b, false, sizes.batch);
    int64_t m = sizes.m;
    std::vector<int64_t> batch(sizes.batch.begin(), sizes.batch.end());
    // Leading dimensions of A that B does not share are more rows of one product.
    if (b.rank() <= 2 && a.rank() > 2 && !transpose_a) {
      m *= static_cast<int64_t>(sizes.batch.elements());
      left.columns = m;
      batch.clear();
    }
    out_step_ = m * sizes.n;
    bias_elements_ = sizes.n;
    divide_batch(batch, left, right);
    const cudaDataType_t type = data_type(dtype_);
    const auto count = static_cast<int32_t>(count_);
    first_ = std::make_unique<Layout>(type, right.rows, right.columns, right.leading, count, right_step_);
    second_ = std::make_unique<Layout>(type, left.rows, left.columns, left.leading, count, left_step_);
    result_ = std::make_unique<Layout>(type, sizes.n, m, sizes.n, count, out_step_);

    // Views may begin anywhere: then the product goes by itself, and what follows it too.
    const FusedActivation activation =
        node.node.op == &op::linear ? linear_activation(node.attrs()) : FusedActivation::none;
    const bool joined = inputs_.bias && dtype_ != f64;  // there is no bias for double precision
    describe(aligned_, left, right, joined, activation);
    describe(any_, left, right, false, activation);
    description =
        cat(inputs_.bias ? "cuBLASLt with bias, " : "cuBLASLt, ", inputs_.more ? "onto what is there, " : "", m,
            " x ", sizes.n, " x ", sizes.k, count_ > 1 ? cat(", batch ", count_) : std::string(), ", ", dtype_);
    const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(sizes.n) *
                              static_cast<double>(sizes.k) * static_cast<double>(count_);
    tunes_ = tunes_products() && outer_.empty() && operations >= kWorthTuning && dtype_ != f64 && !is_complex(dtype_);
    choose_algorithm(aligned_, kVectorBytes, left, right, activation);
    tunes_ = false;
    choose_algorithm(any_, static_cast<uint32_t>(std::min<size_t>(size_of(dtype_), kVectorBytes)), left, right,
                     activation);
    if (inputs_.bias) {
      const bool by_library = joined && (activation == FusedActivation::none || activation == FusedActivation::relu);
      if (!by_library) aligned_.then = after(node, !joined, activation);
      any_.then = after(node, true, activation);
    }
  }
  size_t scratch_needed() const override { return workspace_; }
  bool allows_in_place(size_t in, size_t out) const override {
    return inputs_.more && in == inputs_.more && out == 0;
  }

  void enqueue(const KernelArgs& args, CudaStream& stream) const override {
    const void* const bias = inputs_.bias ? args.in[inputs_.bias] : nullptr;
    const void* const onto = inputs_.more ? args.in[inputs_.more] : nullptr;
    const Way& way = is_aligned({args.in[0], args.in[1], args.out[0], bias, onto}) ? aligned_ : any_;
    std::vector<int64_t> at(outer_.size(), 0);
    int64_t number = 0;
    const auto element = static_cast<int64_t>(size_of(dtype_));
    for (bool more = true; more; ++number) {
      int64_t left = 0, right = 0;
      for (size_t i = 0; i < outer_.size(); ++i) {
        left += at[i] * outer_[i].left;
        right += at[i] * outer_[i].right;
      }
      const int64_t out = number * count_ * out_step_ * element;
      multiply(way, static_cast<const char*>(args.in[0]) + left * element,
               static_cast<const char*>(args.in[1]) + right * element, bias,
               onto ? static_cast<const char*>(onto) + out : nullptr, static_cast<char*>(args.out[0]) + out,
               args.scratch, stream);
      more = false;
      for (size_t i = 0; i < outer_.size() && !more; ++i) {
        more = ++at[i] < outer_[i].size;
        if (!more) at[i] = 0;
      }
    }
    if (!way.then) return;
    const void* const operands[] = {args.out[0], bias};
    static_cast<const CudaKernel&>(*way.then).enqueue({operands, args.out, nullptr}, stream);
  }

 private:
  struct Outer {
    int64_t size, left, right;
  };

  // One dim of the batch is the library's, others are a loop of the host: those that run on from each other merge.
  void divide_batch(const std::vector<int64_t>& batch, const Matrix& left, const Matrix& right) {
    for (size_t i = batch.size(); i-- > 0;) {
      if (batch[i] == 1) continue;
      const bool runs_on = left.batch[i] == left_step_ * count_ && right.batch[i] == right_step_ * count_;
      if (count_ == 1 && outer_.empty()) {
        count_ = batch[i];
        left_step_ = left.batch[i];
        right_step_ = right.batch[i];
      } else if (runs_on && outer_.empty()) {
        count_ *= batch[i];
      } else {
        outer_.push_back({batch[i], left.batch[i], right.batch[i]});  // innermost first
      }
    }
    // A matrix within a batch must begin as the first does.
    const auto element = static_cast<int64_t>(size_of(dtype_));
    for (const Outer& outer : outer_)
      outer_aligned_ &=
          (outer.left * element | outer.right * element | count_ * out_step_ * element) % int64_t{kVectorBytes} == 0;
  }

  void describe(Way& way, const Matrix& left, const Matrix& right, bool bias, FusedActivation activation) {
    const CublasLt& c = cublas();
    const cudaDataType_t type = data_type(dtype_);
    const bool wide = dtype_ == f64 || dtype_ == DType::c128;
    const cudaDataType_t scale = is_complex(dtype_) ? type : wide ? CUDA_R_64F : CUDA_R_32F;
    const bool short_products = (dtype_ == f32 || dtype_ == DType::c64) && tensor_float_32();
    check(c.cublasLtMatmulDescCreate(&way.operation,
                                     wide             ? CUBLAS_COMPUTE_64F
                                     : short_products ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                      : CUBLAS_COMPUTE_32F,
                                     scale),
          "describing a product");
    const auto set = [&](cublasLtMatmulDescAttributes_t what, const auto& value) {
      check(c.cublasLtMatmulDescSetAttribute(way.operation, what, &value, sizeof(value)), "describing a product");
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, right.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, left.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    way.adds_bias = bias;
    if (!bias) return;
    set(CUBLASLT_MATMUL_DESC_EPILOGUE,
        activation == FusedActivation::relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, type);
  }

  void choose_algorithm(Way& way, uint32_t alignment, const Matrix& left, const Matrix& right,
                        FusedActivation activation) {
    const CublasLt& c = cublas();
    if (!outer_aligned_) alignment = static_cast<uint32_t>(std::min<size_t>(size_of(dtype_), kVectorBytes));
    device_.enter();
    cublasLtMatmulPreference_t preference = nullptr;
    check(c.cublasLtMatmulPreferenceCreate(&preference), "asking for a product");
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) {
      check(c.cublasLtMatmulPreferenceSetAttribute(preference, what, &value, sizeof(value)), "asking for a product");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace);
    for (auto what : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                      CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
      prefer(what, alignment);
    int found = 0;
    cublasLtMatmulHeuristicResult_t chosen[kProductWays]{};
    cublasStatus_t status = c.cublasLtMatmulAlgoGetHeuristic(device_.products(), way.operation, first_->handle,
                                                             second_->handle, result_->handle, result_->handle,
                                                             preference, tunes_ ? kProductWays : 1, chosen, &found);
    c.cublasLtMatmulPreferenceDestroy(preference);
    if (status == CUBLAS_STATUS_SUCCESS && found == 0) status = CUBLAS_STATUS_NOT_SUPPORTED;
    check(status, "choosing a product");
    size_t best = 0;
    if (tunes_ && found > 1) {
      const size_t element = size_of(dtype_);
      const auto bytes = [&](int64_t rows, int64_t columns, int64_t step) {
        const int64_t one = rows * columns;
        return static_cast<size_t>(step == 0 ? one : one + step * (count_ - 1)) * element;
      };
      const size_t first = bytes(right.rows, right.columns, right_step_),
                   second = bytes(left.rows, left.columns, left_step_);
      best = quickest_way(device_,
                          {cat(description, right.transposed ? ", t" : ", n", left.transposed ? "t" : "n",
                               activation == FusedActivation::relu ? ", relu" : "", tensor_float_32() ? ", tf32" : "",
                               right_step_ == 0 ? ", one" : "", left_step_ == 0 ? ", one" : ""),
                           way.operation, first_->handle, second_->handle, result_->handle, first, second,
                           static_cast<size_t>(out_step_ * count_) * element,
                           way.adds_bias ? static_cast<size_t>(bias_elements_) * element : 0, inputs_.more != 0,
                           std::span(chosen, static_cast<size_t>(found))});
    }
    way.algorithm = chosen[best].algo;
    workspace_ = std::max(workspace_, chosen[best].workspaceSize);
  }

  // What the library does not do itself: a loop over the result and the bias.
  std::unique_ptr<Kernel> after(const NodeView& node, bool bias, FusedActivation activation) {
    Graph body;
    const Aval& of_bias = node.in(inputs_.bias);
    const ValueId x = body.add_input(node.out(0)), b = body.add_input(of_bias);
    ValueId y = x;
    if (bias) y = body.add(op::add, {x, b}).out[0];
    if (activation == FusedActivation::relu) y = body.add(op::relu, {y}).out[0];
    if (activation == FusedActivation::sigmoid) y = body.add(op::sigmoid, {y}).out[0];
    if (activation == FusedActivation::tanh) y = body.add(op::tanh, {y}).out[0];
    body.outputs = {y};
    Graph graph;
    const ValueId product = graph.add_input(node.out(0)), given = graph.add_input(of_bias);
    const Node made = graph.add(op::fused, {product, given}, {}, {std::make_shared<const Graph>(std::move(body))});
    return choose(registry(), device_, {graph, made}).kernel;
  }

  void multiply(const Way& way, const void* left, const void* right, const void* bias, const void* onto, void* out,
                void* scratch, CudaStream& stream) const {
    const CublasLt& c = cublas();
    std::unique_lock<std::mutex> lock;
    if (way.adds_bias) {
      // The description is the kernel's, and the bias the run's: runs of several threads take turns.
      lock = std::unique_lock(mutex_);
      check(c.cublasLtMatmulDescSetAttribute(way.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias)),
            "adding a bias");
    }
    // The scale is of the type that is computed in; complex ones are two numbers.
    const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
    const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    const bool wide = dtype_ == f64 || dtype_ == DType::c128;
    const void* one = wide ? static_cast<const void*>(one_d) : one_f;
    const void* zero = wide ? static_cast<const void*>(zero_d) : zero_f;
    check(c.cublasLtMatmul(device_.products(), way.operation, one, right, first_->handle, left, second_->handle,
                           onto ? one : zero, onto ? onto : out, result_->handle, out, result_->handle,
                           &way.algorithm, scratch, workspace_, stream.handle()),
          description);
  }

  CudaDevice& device_;
  DType dtype_;
  const ProductInputs inputs_;
  bool tunes_ = false;
  int64_t bias_elements_ = 0;
  int64_t count_ = 1, left_step_ = 0, right_step_ = 0, out_step_ = 0;
  std::vector<Outer> outer_;
  bool outer_aligned_ = true;
  std::unique_ptr<Layout> first_, second_, result_;
  Way aligned_, any_;
  size_t workspace_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace

void add_products(Kernels& kernels) {
  kernels.add<ProductKernel>(op::matmul, "cublas", supports_product);
  kernels.add<ProductKernel>(op::linear, "cublas", supports_product);
  kernels.add<ProductKernel>(op::linear_sum, "cublas", supports_sum);
}

}  // namespace brio::cuda
