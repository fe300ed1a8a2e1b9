// Products and linear algebra beside TensorFlow's. Where it leaves signs open, the values in the files are squares
// and absolute ones.
#include "tests/ops/golden_call.h"

namespace brio::golden_calls {
namespace {

Function of_two(Tensor (*f)(const Tensor&, const Tensor&)) {
  return [f](const Call& c) { return Results{f(c["a"], c["b"])}; };
}

Functions product_functions() {
  return {
      {"einsum",
       [](const Call& c) {
         std::vector<Tensor> operands;
         for (const char* name : {"a", "b", "c", "d"})
           if (c.tensors.count(name)) operands.push_back(c[name]);
         return Results{einsum(c.c.text("equation"), operands)};
       }},
      {"tensordot", [](const Call& c) { return Results{tensordot(c["a"], c["b"], c.axis("axes"))}; }},
      {"tensordot_lists",
       [](const Call& c) {
         return Results{tensordot(c["a"], c["b"], c.list<int>("a_axes"), c.list<int>("b_axes"))};
       }},
      {"vecdot", [](const Call& c) { return Results{vecdot(c["a"], c["b"], c.axis())}; }},
      {"vdot", of_two(vdot)},
      {"inner", of_two(inner)},
      {"outer", of_two(outer)},
      {"cross", of_two(cross)},
      {"kron", of_two(kron)},
      {"matvec", [](const Call& c) { return Results{matvec(c["a"], c["b"], c.flag("transpose_a"))}; }},
      {"trace", [](const Call& c) { return Results{linalg::trace(c["x"])}; }},
      {"matrix_transpose", [](const Call& c) { return Results{linalg::matrix_transpose(c["x"])}; }},
  };
}

Functions linalg_functions() {
  using namespace linalg;
  const auto of = [](const std::string& input, std::function<Results(const Tensor&)> f) -> Function {
    return [input, f](const Call& c) { return f(c[input]); };
  };
  const auto svd_of = [](const Call& c) { return svd(c["tensor"], c.flag("full")); };
  return {
      {"cholesky", of("input", [](const Tensor& x) { return Results{cholesky(x)}; })},
      {"inv", of("input", [](const Tensor& x) { return Results{inv(x)}; })},
      {"det", of("input", [](const Tensor& x) { return Results{det(x)}; })},
      {"slogdet", of("input",
                     [](const Tensor& x) {
                       const auto [sign, log_abs] = slogdet(x);
                       return Results{log_abs, sign};
                     })},
      {"logdet", of("matrix", [](const Tensor& x) { return Results{logdet(x)}; })},
      {"eigvalsh", of("tensor", [](const Tensor& x) { return Results{eigvalsh(x)}; })},
      {"eigh", of("tensor",
                  [](const Tensor& x) {
                    const auto [e, v] = eigh(x);
                    return Results{e, abs(v)};
                  })},
      {"eigh_vectors", of("tensor", [](const Tensor& x) { return Results{square(eigh(x).v)}; })},
      {"solve", [](const Call& c) { return Results{solve(c["matrix"], c["rhs"], {.adjoint = c.flag("adjoint")})}; }},
      {"triangular_solve",
       [](const Call& c) {
         return Results{
             triangular_solve(c["matrix"], c["rhs"], {.lower = c.flag("lower"), .adjoint = c.flag("adjoint")})};
       }},
      {"qr", of("input",
                [](const Tensor& x) {
                  const auto [q, r] = qr(x);
                  return Results{q, r};
                })},
      {"qr_r", of("input", [](const Tensor& x) { return Results{qr(x).r}; })},
      {"qr_full", of("input",
                     [](const Tensor& x) {
                       const auto [q, r] = qr(x, true);
                       return Results{q, r};
                     })},
      {"svdvals", of("tensor", [](const Tensor& x) { return Results{svdvals(x)}; })},
      {"svd",
       [=](const Call& c) {
         const auto [s, u, v] = svd_of(c);
         return Results{s, abs(u), abs(v)};
       }},
      {"svd_u", [=](const Call& c) { return Results{square(svd_of(c).u)}; }},
      {"svd_v", [=](const Call& c) { return Results{square(svd_of(c).v)}; }},
      {"lstsq",
       [](const Call& c) { return Results{lstsq(c["matrix"], c["rhs"], {.l2_regularizer = c.c.number("l2")})}; }},
      {"lstsq_slow", [](const Call& c) { return Results{lstsq(c["matrix"], c["rhs"], {.fast = false})}; }},
      {"pinv", of("a", [](const Tensor& x) { return Results{pinv(x)}; })},
      {"cholesky_solve", [](const Call& c) { return Results{cholesky_solve(c["chol"], c["rhs"])}; }},
      {"matrix_rank", of("a", [](const Tensor& x) { return Results{matrix_rank(x)}; })},
      {"norm_2", of("tensor", [](const Tensor& x) { return Results{matrix_norm(x, MatrixNorm::spectral)}; })},
      {"norm_nuc", of("tensor", [](const Tensor& x) { return Results{matrix_norm(x, MatrixNorm::nuclear)}; })},
  };
}

TEST(TensorFlow, Einsum) { check("einsum.json", product_functions()); }
TEST(TensorFlow, Products) { check("products.json", product_functions()); }
TEST(TensorFlow, Factorizations) { check("factorizations.json", linalg_functions()); }
TEST(TensorFlow, LinearSolve) { check("linear_solve.json", linalg_functions()); }

}  // namespace
}  // namespace brio::golden_calls
