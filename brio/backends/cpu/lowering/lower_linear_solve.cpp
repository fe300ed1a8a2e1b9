// solve, triangular_solve, inv and slogdet: plain loops for small matrices, LAPACK for the others.
//
// Row-major memory is the transposed matrix to LAPACK. So a · x = b is xᵀ · aᵀ = bᵀ: a triangle on the right, and
// nothing is transposed.
#include "brio/backends/cpu/linear_algebra/lapack_kernel.h"
#include "brio/backends/cpu/linear_algebra/small_matrices.h"
#include "brio/ops/linear_algebra/linear_solve.h"

namespace brio::cpu {
namespace {

// Runs f(matrix) over a batch of small ones.
template <typename F>
void for_small(const Matrices& m, F&& f) {
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(1, m.elements()));
  parallel_for(m.batch, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// x of a · x = b, or of aᵀ · x = b, in place.
template <typename T>
void small_solve(const OpDef& op, const Shape& shape, int64_t matrix, const T* a, bool transposed, int64_t n, T* b,
                 int64_t columns) {
  if (!all_finite(a, n * n)) {
    std::fill_n(b, n * columns, kNaN<T>);
    return;
  }
  T lu[kSmallMatrix * kSmallMatrix];
  if (transposed) transpose_into(a, n, n, lu);
  else std::copy_n(a, n * n, lu);
  bool odd = false;
  if (!small_lu(lu, n, b, columns, odd)) throw_singular(op, shape, matrix);
  small_triangular_solve(lu, n, n, 1, true, true, b, columns);
  small_triangular_solve(lu, n, n, 1, false, false, b, columns);
}

template <typename T>
class SmallKernel : public Kernel {
 public:
  explicit SmallKernel(const NodeView& view)
      : op_(*view.node.op), shape_(view.in(0).shape), m_(shape_), attrs_(view.node.attrs) {
    description = "small";
  }

 protected:
  const OpDef& op_;
  const Shape shape_;
  const Matrices m_;
  const std::vector<int64_t> attrs_;
};

template <typename T>
class SmallSolve final : public SmallKernel<T> {
 public:
  explicit SmallSolve(const NodeView& view) : SmallKernel<T>(view), columns_(Matrices(view.out(0).shape).columns) {}
  void run(const KernelArgs& args) const override {
    const int64_t n = this->m_.rows, columns = columns_;
    for_small(this->m_, [&](int64_t i) {
      T* out = static_cast<T*>(args.out[0]) + i * n * columns;
      const T* a = static_cast<const T*>(args.in[0]) + i * n * n;
      if (&this->op_ == &op::inv) {
        std::fill_n(out, n * n, T{0});
        for (int64_t d = 0; d < n; ++d) out[d * (n + 1)] = 1;
        small_solve(this->op_, this->shape_, i, a, false, n, out, n);
      } else {
        std::copy_n(static_cast<const T*>(args.in[1]) + i * n * columns, n * columns, out);
        small_solve(this->op_, this->shape_, i, a, solves_adjoint(Attrs(this->attrs_)), n, out, columns);
      }
    });
  }

 private:
  int64_t columns_;
};

template <typename T>
class SmallTriangularSolve final : public SmallKernel<T> {
 public:
  explicit SmallTriangularSolve(const NodeView& view)
      : SmallKernel<T>(view), columns_(Matrices(view.in(1).shape).columns) {}
  void run(const KernelArgs& args) const override {
    const int64_t n = this->m_.rows;
    const Attrs attrs(this->attrs_);
    const bool adjoint = solves_adjoint(attrs), lower = solves_lower(attrs) != adjoint;
    for_small(this->m_, [&](int64_t i) {
      T* out = static_cast<T*>(args.out[0]) + i * n * columns_;
      const T* b = static_cast<const T*>(args.in[1]) + i * n * columns_;
      if (out != b) std::copy_n(b, n * columns_, out);
      small_triangular_solve(static_cast<const T*>(args.in[0]) + i * n * n, n, adjoint ? 1 : n, adjoint ? n : 1,
                             lower, false, out, columns_);
    });
  }
  bool allows_in_place(size_t in, size_t) const override { return in == 1; }

 private:
  int64_t columns_;
};

// From the diagonal of u and the parity of the permutation.
template <typename T>
void write_slogdet(const T* lu, int64_t n, bool singular, bool odd, T& sign, T& log) {
  double sum = 0;
  bool negative = odd;
  for (int64_t i = 0; i < n && !singular; ++i) {
    negative ^= lu[i * (n + 1)] < 0;
    sum += std::log(static_cast<double>(std::fabs(lu[i * (n + 1)])));
  }
  sign = singular ? T{0} : negative ? T{-1} : T{1};
  log = singular ? -std::numeric_limits<T>::infinity() : static_cast<T>(sum);
}

template <typename T>
class SmallSlogdet final : public SmallKernel<T> {
 public:
  using SmallKernel<T>::SmallKernel;
  void run(const KernelArgs& args) const override {
    const int64_t n = this->m_.rows;
    for_small(this->m_, [&](int64_t i) {
      const T* a = static_cast<const T*>(args.in[0]) + i * n * n;
      T &sign = static_cast<T*>(args.out[0])[i], &log = static_cast<T*>(args.out[1])[i];
      if (!all_finite(a, n * n)) {
        sign = log = kNaN<T>;
        return;
      }
      T lu[kSmallMatrix * kSmallMatrix];
      std::copy_n(a, n * n, lu);
      bool odd = false;
      const bool regular = small_lu(lu, n, lu, 0, odd);
      write_slogdet(lu, n, !regular, odd, sign, log);
    });
  }
};

// Factors of a copy of the matrix, in scratch memory or in the output.
template <typename T>
class LuKernel : public LapackKernel<T> {
 public:
  explicit LuKernel(const NodeView& view) : LapackKernel<T>(view), pivots_(this->template room<int>(this->m_.rows)) {}

 protected:
  // False for a singular matrix. Only of finite ones.
  bool factor(const T* a, T* lu, char* scratch) const {
    const int n = this->rows();
    int info = 0;
    std::copy_n(a, this->m_.elements(), lu);
    lapack<T>().getrf(&n, &n, lu, &n, pivots(scratch), &info);
    return info == 0;
  }
  int* pivots(char* scratch) const { return this->template at<int>(scratch, pivots_); }

 private:
  size_t pivots_;
};

template <typename T>
class Solve final : public LuKernel<T> {
 public:
  explicit Solve(const NodeView& view)
      : LuKernel<T>(view),
        adjoint_(solves_adjoint(view.attrs())),
        columns_(Matrices(view.in(1).shape).columns),
        lu_(this->template room<T>(this->m_.elements())) {}

 private:
  void one(const KernelArgs& args, int64_t matrix, char* scratch) const override {
    const int n = this->rows(), k = static_cast<int>(columns_), one = 1;
    const T *a = this->in(args, matrix), alpha = 1;
    T* x = static_cast<T*>(args.out[0]) + matrix * n * columns_;
    T* lu = this->template at<T>(scratch, lu_);
    if (!all_finite(a, this->m_.elements())) {
      std::fill_n(x, n * columns_, kNaN<T>);
      return;
    }
    if (!this->factor(a, lu, scratch)) throw_singular(this->op_, this->shape_, matrix);
    std::copy_n(static_cast<const T*>(args.in[1]) + matrix * n * columns_, n * columns_, x);
    const Lapack<T>& f = lapack<T>();
    const int* pivots = this->pivots(scratch);
    if (k == 1) {
      int info = 0;
      f.getrs(adjoint_ ? "N" : "T", &n, &one, lu, &n, pivots, x, &n, &info, 1);
    } else if (adjoint_) {  // xᵀ · uᵀ · lᵀ · pᵀ = bᵀ
      for (int64_t i = 0; i < n; ++i) swap_rows(x, i, pivots[i] - 1);
      f.trsm("R", "L", "T", "U", &k, &n, &alpha, lu, &n, x, &k, 1, 1, 1, 1);
      f.trsm("R", "U", "T", "N", &k, &n, &alpha, lu, &n, x, &k, 1, 1, 1, 1);
    } else {  // xᵀ · p · l · u = bᵀ
      f.trsm("R", "U", "N", "N", &k, &n, &alpha, lu, &n, x, &k, 1, 1, 1, 1);
      f.trsm("R", "L", "N", "U", &k, &n, &alpha, lu, &n, x, &k, 1, 1, 1, 1);
      for (int64_t i = n - 1; i >= 0; --i) swap_rows(x, i, pivots[i] - 1);
    }
  }
  void swap_rows(T* x, int64_t i, int64_t j) const {
    if (i != j) std::swap_ranges(x + i * columns_, x + (i + 1) * columns_, x + j * columns_);
  }

  bool adjoint_;
  int64_t columns_;
  size_t lu_;
};

template <typename T>
class Inverse final : public LuKernel<T> {
 public:
  explicit Inverse(const NodeView& view) : LuKernel<T>(view) {
    const int n = this->rows(), query = -1;
    T answer = 0;
    int info = 0;
    lapack<T>().getri(&n, nullptr, &n, nullptr, &answer, &query, &info);
    work_size_ = work_size(answer);
    work_ = this->template room<T>(work_size_);
  }

 private:
  void one(const KernelArgs& args, int64_t matrix, char* scratch) const override {
    const int n = this->rows();
    const T* a = this->in(args, matrix);
    T* out = static_cast<T*>(args.out[0]) + matrix * this->m_.elements();
    int info = 0;
    if (!all_finite(a, this->m_.elements())) {
      std::fill_n(out, this->m_.elements(), kNaN<T>);
      return;
    }
    if (!this->factor(a, out, scratch)) throw_singular(this->op_, this->shape_, matrix);
    lapack<T>().getri(&n, out, &n, this->pivots(scratch), this->template at<T>(scratch, work_), &work_size_, &info);
  }

  int work_size_;
  size_t work_;
};

template <typename T>
class Slogdet final : public LuKernel<T> {
 public:
  explicit Slogdet(const NodeView& view) : LuKernel<T>(view), lu_(this->template room<T>(this->m_.elements())) {}

 private:
  void one(const KernelArgs& args, int64_t matrix, char* scratch) const override {
    const T* a = this->in(args, matrix);
    T &sign = static_cast<T*>(args.out[0])[matrix], &log = static_cast<T*>(args.out[1])[matrix];
    if (!all_finite(a, this->m_.elements())) {
      sign = log = kNaN<T>;
      return;
    }
    T* lu = this->template at<T>(scratch, lu_);
    const bool regular = this->factor(a, lu, scratch);
    bool odd = false;
    for (int64_t i = 0; i < this->m_.rows; ++i) odd ^= this->pivots(scratch)[i] != i + 1;
    write_slogdet(lu, this->m_.rows, !regular, odd, sign, log);
  }

  size_t lu_;
};

template <typename T>
class TriangularSolve final : public LapackKernel<T> {
 public:
  explicit TriangularSolve(const NodeView& view)
      : LapackKernel<T>(view),
        adjoint_(solves_adjoint(view.attrs())),
        lower_(solves_lower(view.attrs())),
        columns_(Matrices(view.in(1).shape).columns) {}
  bool allows_in_place(size_t in, size_t) const override { return in == 1; }

 private:
  void one(const KernelArgs& args, int64_t matrix, char*) const override {
    const int n = this->rows(), k = static_cast<int>(columns_), one = 1;
    const T *a = this->in(args, matrix), *b = static_cast<const T*>(args.in[1]) + matrix * n * columns_, alpha = 1;
    T* x = static_cast<T*>(args.out[0]) + matrix * n * columns_;
    if (x != b) std::copy_n(b, n * columns_, x);
    const char* uplo = lower_ ? "U" : "L";
    if (k == 1) lapack<T>().trsv(uplo, adjoint_ ? "N" : "T", "N", &n, a, &n, x, &one, 1, 1, 1);
    else lapack<T>().trsm("R", uplo, adjoint_ ? "T" : "N", "N", &k, &n, &alpha, a, &n, x, &k, 1, 1, 1, 1);
  }

  bool adjoint_, lower_;
  int64_t columns_;
};

}  // namespace

void add_linear_solve_kernels(Registry& registry) {
  constexpr int kBeforeLapack = kPriority + 1;
  registry.add(kDevice, op::solve, {"small", kBeforeLapack, is_small, prepare_float<SmallSolve>});
  registry.add(kDevice, op::inv, {"small", kBeforeLapack, is_small, prepare_float<SmallSolve>});
  registry.add(kDevice, op::triangular_solve,
               {"small", kBeforeLapack, is_small, prepare_float<SmallTriangularSolve>});
  registry.add(kDevice, op::slogdet, {"small", kBeforeLapack, is_small, prepare_float<SmallSlogdet>});
  registry.add(kDevice, op::solve, {"lapack", kPriority, has_lapack, prepare_float<Solve>});
  registry.add(kDevice, op::inv, {"lapack", kPriority, has_lapack, prepare_float<Inverse>});
  registry.add(kDevice, op::triangular_solve, {"lapack", kPriority, has_lapack, prepare_float<TriangularSolve>});
  registry.add(kDevice, op::slogdet, {"lapack", kPriority, has_lapack, prepare_float<Slogdet>});
}

}  // namespace brio::cpu
