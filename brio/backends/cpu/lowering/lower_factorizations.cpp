// cholesky, qr, svd and eigh by LAPACK; small cholesky by plain loops. Row-major memory is the transposed matrix
// there.
#include "brio/backends/cpu/linear_algebra/householder.h"
#include "brio/backends/cpu/linear_algebra/lapack_kernel.h"
#include "brio/backends/cpu/linear_algebra/small_matrices.h"
#include "brio/ops/linear_algebra/factorizations.h"

namespace brio::cpu {
namespace {

template <typename T>
bool lower_is_finite(const T* a, int64_t n) {
  bool finite = true;
  for (int64_t i = 0; i < n; ++i) finite &= all_finite(a + i * n, i + 1);
  return finite;
}

// The factor of one matrix, already copied to `a`, by `factor`, which gives the column it failed at or n.
template <typename T, typename F>
void run_cholesky(const OpDef& op, const Shape& shape, int64_t matrix, T* a, int64_t n, F&& factor) {
  const bool finite = lower_is_finite(a, n);
  if (!finite)
    for (int64_t i = 0; i < n; ++i) std::fill_n(a + i * n, i + 1, kNaN<T>);
  else if (const int64_t column = factor(a); column < n) throw_not_positive(op, shape, matrix, column);
  for (int64_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T{0});
}

template <typename T>
class SmallCholesky final : public Kernel {
 public:
  explicit SmallCholesky(const NodeView& view) : op_(*view.node.op), shape_(view.in(0).shape), m_(shape_) {
    description = "small";
  }
  void run(const KernelArgs& args) const override {
    const int64_t n = m_.rows, size = m_.elements();
    parallel_for(m_.batch, std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(size, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     T* out = static_cast<T*>(args.out[0]) + i * size;
                     std::copy_n(static_cast<const T*>(args.in[0]) + i * size, size, out);
                     run_cholesky(op_, shape_, i, out, n, [&](T* a) { return small_cholesky(a, n); });
                   }
                 });
  }

 private:
  const OpDef& op_;
  const Shape shape_;
  const Matrices m_;
};

template <typename T>
class Cholesky final : public LapackKernel<T> {
 public:
  using LapackKernel<T>::LapackKernel;

 private:
  void one(const KernelArgs& args, int64_t matrix, char*) const override {
    const int n = this->rows();
    T* out = static_cast<T*>(args.out[0]) + matrix * this->m_.elements();
    std::copy_n(this->in(args, matrix), this->m_.elements(), out);
    run_cholesky(this->op_, this->shape_, matrix, out, n, [&](T* a) -> int64_t {
      int info = 0;
      lapack<T>().potrf("U", &n, a, &n, &info, 1);
      return info == 0 ? n : info - 1;
    });
  }
};

template <typename T>
class Qr final : public LapackKernel<T> {
 public:
  explicit Qr(const NodeView& view)
      : LapackKernel<T>(view),
        k_(static_cast<int>(Matrices(view.out(0).shape).columns)),
        factors_(this->rows(), this->columns(), k_) {
    a_ = this->template room<T>(this->m_.rows * std::max<int64_t>(this->m_.columns, k_));
    lent_ = this->template room<T>(factors_.room());
  }

 private:
  void one(const KernelArgs& args, int64_t matrix, char* scratch) const override {
    const int64_t m = this->rows(), n = this->columns();
    T *a = this->template at<T>(scratch, a_), *lent = this->template at<T>(scratch, lent_);
    T *q = static_cast<T*>(args.out[0]) + matrix * m * k_, *r = static_cast<T*>(args.out[1]) + matrix * k_ * n;
    const T* x = this->in(args, matrix);
    const bool finite = all_finite(x, this->m_.elements());
    if (finite) {
      transpose_into(x, m, n, a);
      factors_.factor(a, lent);
    }
    for (int64_t i = 0; i < k_; ++i)
      for (int64_t j = 0; j < n; ++j) r[i * n + j] = i > j ? T{0} : finite ? a[j * m + i] : kNaN<T>;
    if (!finite) {
      std::fill_n(q, this->m_.rows * k_, kNaN<T>);
      return;
    }
    transpose_into(factors_.form_q(a, lent), k_, m, q);
  }

  const int k_;
  const Householder<T> factors_;
  size_t a_, lent_;
};

[[noreturn]] void throw_no_convergence(const OpDef& op, const Shape& shape, int64_t matrix) {
  throw_invalid(op, cat("matrix ", matrix, " of the batch of shape ", shape,
                        ": the iteration did not converge; scale the matrix, or use float64"));
}

// The memory holds aᵀ = v · diag(s) · uᵀ: to LAPACK v comes first, and what it calls vt is u in row-major order.
template <typename T>
class Svd final : public LapackKernel<T> {
 public:
  explicit Svd(const NodeView& view)
      : LapackKernel<T>(view),
        vectors_(svd_has_vectors(view.attrs())),
        full_(vectors_ && svd_is_full(view.attrs()) && this->m_.rows != this->m_.columns),
        complete_factors_(large(), static_cast<int>(this->m_.smaller()), large()) {
    const int m = this->rows(), n = this->columns(), k = static_cast<int>(this->m_.smaller()), query = -1;
    T answer = 0;
    int info = 0;
    lapack<T>().gesdd(job(), &n, &m, nullptr, &n, nullptr, nullptr, &n, nullptr, &k, &answer, &query, nullptr, &info,
                      1);
    work_size_ = work_size(answer);
    a_ = this->template room<T>(this->m_.elements());
    integers_ = this->template room<int>(8 * int64_t{k});
    if (vectors_) {
      u_ = this->template room<T>(int64_t{m} * k);
      v_ = this->template room<T>(int64_t{n} * k);
    }
    if (full_) {
      complete_ = this->template room<T>(int64_t{large()} * large());
      lent_ = this->template room<T>(complete_factors_.room());
    }
    work_ = this->template room<T>(work_size_);
  }

 private:
  const char* job() const { return vectors_ ? "S" : "N"; }
  int large() const { return std::max(this->rows(), this->columns()); }

  void one(const KernelArgs& args, int64_t matrix, char* scratch) const override {
    const int m = this->rows(), n = this->columns(), k = static_cast<int>(this->m_.smaller());
    T *s = static_cast<T*>(args.out[0]) + matrix * k, *a = this->template at<T>(scratch, a_),
      *u = vectors_ ? this->template at<T>(scratch, u_) : nullptr,
      *v = vectors_ ? this->template at<T>(scratch, v_) : nullptr;
    const T* x = this->in(args, matrix);
    if (all_finite(x, this->m_.elements())) {
      int info = 0;
      std::copy_n(x, this->m_.elements(), a);
      lapack<T>().gesdd(job(), &n, &m, a, &n, s, v, &n, u, &k, this->template at<T>(scratch, work_), &work_size_,
                        this->template at<int>(scratch, integers_), &info, 1);
      if (info != 0) throw_no_convergence(this->op_, this->shape_, matrix);
    } else {
      std::fill_n(s, k, kNaN<T>);
      if (vectors_) {
        std::fill_n(u, int64_t{m} * k, kNaN<T>);
        std::fill_n(v, int64_t{n} * k, kNaN<T>);
      }
    }
    if (!vectors_) return;
    for (int64_t j = 0; j < k; ++j) {  // columns of u lie across its rows, those of v one after another
      if (!points_back(u + j, m, k)) continue;
      for (int64_t i = 0; i < m; ++i) u[i * k + j] = -u[i * k + j];
      for (int64_t i = 0; i < n; ++i) v[j * n + i] = -v[j * n + i];
    }
    const int64_t u_columns = full_ ? m : k, v_columns = full_ ? n : k;
    T *to_u = static_cast<T*>(args.out[1]) + matrix * m * u_columns,
      *to_v = static_cast<T*>(args.out[2]) + matrix * n * v_columns;
    if (full_ && m > n) {
      T* complete = this->template at<T>(scratch, complete_);
      transpose_into(u, m, k, complete);
      complete_columns(complete, scratch);
      for (int64_t j = 0; j < k; ++j)
        for (int64_t i = 0; i < m; ++i) complete[j * m + i] = u[i * k + j];
      transpose_into(complete, m, m, to_u);
    } else {
      std::copy_n(u, int64_t{m} * k, to_u);
    }
    if (full_ && n > m) {
      T* complete = this->template at<T>(scratch, complete_);
      std::copy_n(v, int64_t{n} * k, complete);
      complete_columns(complete, scratch);
      std::copy_n(v, int64_t{n} * k, complete);
      transpose_into(complete, n, n, to_v);
    } else {
      transpose_into(v, k, n, to_v);
    }
  }

  // All columns of q of the qr of the first k columns.
  void complete_columns(T* columns, char* scratch) const {
    const int size = large(), k = static_cast<int>(this->m_.smaller());
    if (!all_finite(columns, int64_t{size} * k)) {
      std::fill_n(columns, int64_t{size} * size, kNaN<T>);
      return;
    }
    T* lent = this->template at<T>(scratch, lent_);
    complete_factors_.factor(columns, lent);
    const T* q = complete_factors_.form_q(columns, lent);
    if (q != columns) std::copy_n(q, int64_t{size} * size, columns);
  }

  const bool vectors_, full_;
  const Householder<T> complete_factors_;
  int work_size_;
  size_t a_, integers_, u_ = 0, v_ = 0, complete_ = 0, lent_ = 0, work_;
};

template <typename T>
class Eigh final : public LapackKernel<T> {
 public:
  explicit Eigh(const NodeView& view) : LapackKernel<T>(view), vectors_(eigh_has_vectors(view.attrs())) {
    const int n = this->rows(), query = -1;
    T answer = 0;
    int info = 0;
    lapack<T>().syevd(job(), "U", &n, nullptr, &n, nullptr, &answer, &query, &integers_size_, &query, &info, 1, 1);
    work_size_ = work_size(answer);
    a_ = this->template room<T>(this->m_.elements());
    work_ = this->template room<T>(work_size_);
    integers_ = this->template room<int>(integers_size_);
  }

 private:
  const char* job() const { return vectors_ ? "V" : "N"; }

  void one(const KernelArgs& args, int64_t matrix, char* scratch) const override {
    const int n = this->rows();
    const int64_t size = this->m_.elements();
    const T* x = this->in(args, matrix);
    T *e = static_cast<T*>(args.out[0]) + matrix * n, *a = this->template at<T>(scratch, a_);
    if (lower_is_finite(x, n)) {
      int info = 0;
      std::copy_n(x, size, a);
      lapack<T>().syevd(job(), "U", &n, a, &n, e, this->template at<T>(scratch, work_), &work_size_,
                        this->template at<int>(scratch, integers_), &integers_size_, &info, 1, 1);
      if (info != 0) throw_no_convergence(this->op_, this->shape_, matrix);
    } else {
      std::fill_n(e, n, kNaN<T>);
      std::fill_n(a, size, kNaN<T>);
    }
    if (!vectors_) return;
    for (int64_t j = 0; j < n; ++j)
      if (points_back(a + j * n, n, 1))
        for (int64_t i = 0; i < n; ++i) a[j * n + i] = -a[j * n + i];
    transpose_into(a, n, n, static_cast<T*>(args.out[1]) + matrix * size);
  }

  bool vectors_;
  int work_size_, integers_size_ = 1;
  size_t a_, work_, integers_;
};

}  // namespace

void add_factorization_kernels(Registry& registry) {
  registry.add(kDevice, op::cholesky, {"small", kPriority + 1, is_small, prepare_float<SmallCholesky>});
  registry.add(kDevice, op::cholesky, {"lapack", kPriority, has_lapack, prepare_float<Cholesky>});
  registry.add(kDevice, op::qr, {"lapack", kPriority, has_lapack, prepare_float<Qr>});
  registry.add(kDevice, op::svd, {"lapack", kPriority, has_lapack_for_spectra, prepare_float<Svd>});
  registry.add(kDevice, op::eigh, {"lapack", kPriority, has_lapack_for_spectra, prepare_float<Eigh>});
}

}  // namespace brio::cpu
