// tf.linalg: matrices, which are the last two axes.
#include "brio/base/error.h"
#include "brio/ops/elementwise/complex.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/elementwise/maths.h"
#include "brio/ops/linear_algebra/einsum.h"
#include "brio/ops/linear_algebra/factorizations.h"
#include "brio/ops/linear_algebra/linear_algebra.h"
#include "brio/ops/linear_algebra/linear_solve.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/linear_algebra/tensor_products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/reductions/statistics.h"
#include "brio/ops/shapes/arrange.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// tf.norm: `ord` is 'euclidean', 'fro', a number or infinity; two axes are a matrix's.
Tensor norm_of(const Tensor& x, Given ord, const std::optional<std::vector<int>>& axis, bool keepdims) {
  if (axis && (axis->empty() || axis->size() > 2))
    throw InvalidArgument(cat("[norm] axis is one or two axes, but got ", axis->size()));
  const bool matrix = axis && axis->size() == 2;
  if (PyUnicode_Check(ord.object.ptr())) {
    const std::string name = given_as<std::string>(ord.object);
    if (name == "euclidean" || (name == "fro" && matrix))
      return euclidean_norm(x, axis ? Axes(*axis) : Axes(), keepdims);
    if (name == "fro") throw InvalidArgument("[norm] ord 'fro' is a norm of matrices; give axis as two axes");
    throw InvalidArgument(cat("[norm] ord is '", name, "'; it is 'euclidean', 'fro', 1, 2, np.inf or a number"));
  }
  const double order = scalar_from(ord.object).real();
  if (!matrix) {
    if (axis) return norm(x, order, (*axis)[0], keepdims);
    return norm(x, order, {}, keepdims);
  }
  const MatrixNorm which = order == 1   ? MatrixNorm::one
                           : order == 2 ? MatrixNorm::spectral
                           : std::isinf(order)
                               ? MatrixNorm::infinity
                               : throw InvalidArgument(cat("[norm] of matrices takes ord 1, 2, np.inf, 'fro' or "
                                                           "'euclidean', but got ",
                                                           order));
  return matrix_norm(x, which, (*axis)[0], (*axis)[1], keepdims);
}

void bind_products(nb::module_& m, nb::module_& linalg) {
  m.def(
      "einsum",
      [](const std::string& equation, nb::args inputs, nb::kwargs) {
        return perform([equation](const std::vector<Tensor>& x) { return einsum(equation, x); },
                       std::tuple{Parameter<std::vector<Tensor>>::take({inputs})});
      },
      nb::arg("equation"), nb::arg("inputs"), nb::arg("kwargs"),
      "Einstein's summation: products of tensors over labelled axes.");
  m.def(
      "tensordot",
      [](Given a, Given b, Given axes, Given) {
        auto operands = alike({a.object, b.object});
        nb::handle h = axes.object;
        if (PyLong_Check(h.ptr()))
          return perform([n = axis_from(h)](const std::vector<Tensor>& x) { return tensordot(x[0], x[1], n); },
                         std::tuple{operands});
        if (nb::len(h) != 2) throw InvalidArgument("[tensordot] axes is a number, or two lists of axes");
        const std::vector<int> of_a = axis_list_from(nb::object(h[0])), of_b = axis_list_from(nb::object(h[1]));
        return perform([=](const std::vector<Tensor>& x) { return tensordot(x[0], x[1], of_a, of_b); },
                       std::tuple{operands});
      },
      nb::arg("a"), nb::arg("b"), nb::arg("axes"), nb::arg("name") = nb::none(),
      "The sum of products over axes of a with axes of b.");
  linalg.def(
      "matvec",
      [](Given a, Given b, bool transpose_a, bool adjoint_a, Given, Given, Given) {
        auto has_value = [](nb::handle h) { return is_tensor(h) || is_variable(h); };
        if (has_value(a.object) && has_value(b.object) && !current_journal && !adjoint_a)
          return wrap(matvec(tensor_of(a.object), tensor_of(b.object), transpose_a));
        return perform(
            [=](const std::vector<Tensor>& x) {
              return matvec(adjoint_a ? conj(x[0]) : x[0], x[1], transpose_a || adjoint_a);
            },
            std::tuple{alike({a.object, b.object})});
      },
      nb::arg("a"), nb::arg("b"), nb::arg("transpose_a") = false, nb::arg("adjoint_a") = false,
      nb::arg("a_is_sparse") = false, nb::arg("b_is_sparse") = false, nb::arg("name") = nb::none(),
      "The product of matrices and vectors.");
  m.def(
      "norm",
      [](Given tensor, Given ord, Given axis, Given keepdims, Given) {
        const auto axes = Parameter<std::optional<std::vector<int>>>::take(axis);
        const bool keeps = !keepdims.object.is_none() && given_as<bool>(keepdims.object);
        const auto held = kept(nb::borrow(ord.object));
        return perform([=](const Tensor& x) { return norm_of(x, {*held}, axes, keeps); },
                       std::tuple{Parameter<Tensor>::take(tensor)});
      },
      nb::arg("tensor"), nb::arg("ord") = "euclidean", nb::arg("axis") = nb::none(), nb::arg("keepdims") = nb::none(),
      nb::arg("name") = nb::none(), "The length of vectors, or a norm of matrices.");
  linalg.def(
      "cross",
      [](Given a, Given b, Given) {
        return perform([](const std::vector<Tensor>& x) { return cross(x[0], x[1]); },
                       std::tuple{alike({a.object, b.object})});
      },
      nb::arg("a"), nb::arg("b"), nb::arg("name") = nb::none(), "The cross product of vectors of length 3.");
  linalg.def(
      "global_norm",
      [](const std::vector<nb::object>& t_list, Given) {
        std::vector<Tensor> tensors;
        for (const nb::object& t : t_list)
          if (!t.is_none()) tensors.push_back(tensor_of(t));
        return wrap(global_norm(tensors));
      },
      nb::arg("t_list"), nb::arg("name") = nb::none(), "The length of all tensors together.");
}

void bind_parts(nb::module_& m) {
  // Diagonals of one k; TensorFlow's bands of several are not here.
  m.def(
      "diag",
      [](Given diagonal, Given, Given k, Given num_rows, Given num_cols, Given padding_value, Given) {
        const int64_t at = integer_from(k.object);
        const int64_t rows = integer_from(num_rows.object), columns = integer_from(num_cols.object);
        const Scalar filler = scalar_from(padding_value.object);
        return perform(
            [=](const Tensor& x) {
              const Tensor square = linalg::diag(x, at);
              const int64_t n = x.rank() == 0 ? Size(1) : x.shape()[x.rank() - 1];
              const int64_t r = rows < 0 ? (columns < 0 ? n + std::abs(at) : n + std::max<int64_t>(-at, 0)) : rows;
              const int64_t c = columns < 0 ? (rows < 0 ? n + std::abs(at) : n + std::max<int64_t>(at, 0)) : columns;
              if (std::min(r + std::min<int64_t>(at, 0), c - std::max<int64_t>(at, 0)) != n)
                throw InvalidArgument(cat("[diag] a diagonal of ", n, " elements does not fit a matrix of (", r, ", ",
                                          c, ") at k = ", at));
              std::vector<Range> ranges(static_cast<size_t>(square.rank()));
              std::vector<Padding> more(static_cast<size_t>(square.rank()));
              const int64_t size = square.shape()[square.rank() - 1];
              ranges[ranges.size() - 2] = {0, std::min(r, size), 1};
              ranges[ranges.size() - 1] = {0, std::min(c, size), 1};
              more[more.size() - 2] = {0, std::max<int64_t>(r - size, 0)};
              more[more.size() - 1] = {0, std::max<int64_t>(c - size, 0)};
              Tensor y = pad(slice(square, ranges), more);
              if (filler.real() == 0) return y;
              return linalg::set_diag(add(zeros_like(y), filler), x, at);
            },
            std::tuple{Parameter<Tensor>::take(diagonal)});
      },
      nb::arg("diagonal"), nb::arg("name") = "diag", nb::arg("k") = 0, nb::arg("num_rows") = -1,
      nb::arg("num_cols") = -1, nb::arg("padding_value") = 0, nb::arg("align") = "RIGHT_LEFT",
      "Matrices with this diagonal and zeros elsewhere.");
  m.def(
      "diag_part",
      [](Given input, Given, Given k, Given, Given) {
        return perform([at = integer_from(k.object)](const Tensor& x) { return linalg::diag_part(x, at); },
                       std::tuple{Parameter<Tensor>::take(input)});
      },
      nb::arg("input"), nb::arg("name") = "diag_part", nb::arg("k") = 0, nb::arg("padding_value") = 0,
      nb::arg("align") = "RIGHT_LEFT", "A diagonal of matrices.");
  m.def(
      "set_diag",
      [](Given input, Given diagonal, Given, Given k, Given) {
        return perform(
            [at = integer_from(k.object)](const std::vector<Tensor>& x) { return linalg::set_diag(x[0], x[1], at); },
            std::tuple{alike({input.object, diagonal.object})});
      },
      nb::arg("input"), nb::arg("diagonal"), nb::arg("name") = "set_diag", nb::arg("k") = 0,
      nb::arg("align") = "RIGHT_LEFT", "Matrices with another diagonal.");
  define(
      m, "band_part",
      [](const Tensor& x, int64_t lower, int64_t upper) { return linalg::band_part(x, lower, upper); },
      nb::arg("input"), nb::arg("num_lower"), nb::arg("num_upper"),
      "Matrices with zeros outside of a band around the main diagonal.");
  define(
      m, "trace", [](const Tensor& x) { return linalg::trace(x); }, nb::arg("x"), "The sum of the main diagonal.");
  m.def(
      "matrix_transpose",
      [](Given a, Given, bool conjugate) {
        return perform([=](const Tensor& x) { return linalg::matrix_transpose(conjugate ? conj(x) : x); },
                       std::tuple{Parameter<Tensor>::take(a)});
      },
      nb::arg("a"), nb::arg("name") = "matrix_transpose", nb::arg("conjugate") = false, "The last two axes swapped.");
  define(
      m, "adjoint", [](const Tensor& x) { return adjoint(x); }, nb::arg("matrix"),
      "The last two axes swapped, and conjugated.");
}

// Halves are worked on in float32.
bool is_half(DType dtype) { return dtype == f16 || dtype == bf16; }
Tensor widened(const Tensor& x) { return is_half(x.dtype()) ? cast(x, f32) : x; }

void bind_solved(nb::module_& m) {
  define(
      m, "cholesky", [](const Tensor& x) { return linalg::cholesky(x); }, nb::arg("input"),
      "The lower triangle l of x = l lT.");
  define(
      m, "cholesky_solve", [](const Tensor& l, const Tensor& b) { return linalg::cholesky_solve(l, b); },
      nb::arg("chol"), nb::arg("rhs"), "x of l lT x = rhs.");
  define(
      m, "qr",
      [](const Tensor& x, bool full) {
        const linalg::Qr both = linalg::qr(widened(x), full);
        return std::tuple{cast(both.q, x.dtype()), cast(both.r, x.dtype())};
      },
      nb::arg("input"), nb::arg("full_matrices") = false, "q, which is orthonormal, and the triangle r of x = q r.");
  define(
      m, "_svd",
      [](const Tensor& x, bool full) {
        const linalg::Svd all = linalg::svd(x, full);
        return std::tuple{all.s, all.u, all.v};
      },
      nb::arg("tensor"), nb::arg("full_matrices"));
  define(
      m, "_svdvals", [](const Tensor& x) { return linalg::svdvals(x); }, nb::arg("tensor"));
  define(
      m, "eigh",
      [](const Tensor& x) {
        const linalg::Eigh both = linalg::eigh(x);
        return std::tuple{both.e, both.v};
      },
      nb::arg("tensor"), "The eigenvalues, rising, and eigenvectors of symmetric matrices.");
  define(
      m, "eigvalsh", [](const Tensor& x) { return linalg::eigvalsh(x); }, nb::arg("tensor"),
      "The eigenvalues of symmetric matrices, rising.");
  define(
      m, "solve",
      [](const Tensor& a, const Tensor& b, bool adjoint) { return linalg::solve(a, b, {.adjoint = adjoint}); },
      nb::arg("matrix"), nb::arg("rhs"), nb::arg("adjoint") = false, "x of matrix x = rhs.");
  define(
      m, "triangular_solve",
      [](const Tensor& a, const Tensor& b, bool lower, bool adjoint) {
        return linalg::triangular_solve(a, b, {.lower = lower, .adjoint = adjoint});
      },
      nb::arg("matrix"), nb::arg("rhs"), nb::arg("lower") = true, nb::arg("adjoint") = false,
      "x of matrix x = rhs, for a triangle.");
  define(
      m, "inv",
      [](const Tensor& x, bool adjoint) { return cast(linalg::inv(widened(x), {.adjoint = adjoint}), x.dtype()); },
      nb::arg("input"), nb::arg("adjoint") = false, "The inverse of matrices.");
  define(
      m, "det", [](const Tensor& x) { return linalg::det(x); }, nb::arg("input"), "The determinant of matrices.");
  define(
      m, "slogdet",
      [](const Tensor& x) {
        const linalg::SignAndLog both = linalg::slogdet(x);
        return std::tuple{both.sign, both.log_abs_determinant};
      },
      nb::arg("input"), "The sign of the determinant, and the logarithm of its absolute value.");
  define(
      m, "logdet", [](const Tensor& x) { return linalg::logdet(x); }, nb::arg("matrix"),
      "The logarithm of the determinant of positive definite matrices.");
  define(
      m, "lstsq",
      [](const Tensor& a, const Tensor& b, double l2, bool fast) {
        return linalg::lstsq(a, b, {.l2_regularizer = l2, .fast = fast});
      },
      nb::arg("matrix"), nb::arg("rhs"), nb::arg("l2_regularizer") = 0.0, nb::arg("fast") = true,
      "x with the least |matrix x - rhs|.");
  define(
      m, "pinv", [](const Tensor& x, std::optional<double> rcond, bool) { return linalg::pinv(x, rcond); },
      nb::arg("a"), nb::arg("rcond") = nb::none(), nb::arg("validate_args") = false,
      "The pseudo-inverse of matrices.");
  define(
      m, "matrix_rank", [](const Tensor& x, std::optional<double> tol, bool) { return linalg::matrix_rank(x, tol); },
      nb::arg("a"), nb::arg("tol") = nb::none(), nb::arg("validate_args") = false,
      "How many singular values of matrices are not 0.");
}

}  // namespace

void bind_linalg(nb::module_& m) {
  nb::module_ linalg = m.def_submodule("_linalg", "What tf.linalg has and tf has not.");
  bind_products(m, linalg);
  bind_parts(linalg);
  bind_solved(linalg);
}

}  // namespace brio::python
