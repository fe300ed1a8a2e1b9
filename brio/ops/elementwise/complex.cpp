#include "brio/ops/elementwise/complex.h"

#include <numbers>

#include "brio/base/error.h"
#include "brio/ir/grad.h"
#include "brio/ir/recording.h"
#include "brio/ops/check.h"
#include "brio/ops/cost.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/families.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/tensor/complex.h"

namespace brio {
namespace {

void infer_complex(const OpCall& call, std::vector<Aval>& out) {
  const Aval &re = *call.in[0], &im = *call.in[1];
  if (re.dtype != im.dtype)
    throw_invalid(call.op, cat("the parts have dtypes ", re.dtype, " and ", im.dtype, "; cast one of them"));
  if (re.dtype != f32 && re.dtype != f64)
    throw_invalid(call.op, cat("takes float32 and float64 parts, but got ", re.dtype, "; cast them first"));
  Aval& result = out.emplace_back();
  result.dtype = complex_dtype(re.dtype);
  if (!broadcast(re.shape, im.shape, result.shape))
    throw_invalid(call.op, cat("shapes ", re.shape, " and ", im.shape,
                               " do not broadcast: sizes must be equal or 1 from the right"));
  checked_shape(call.op, result.shape.dims());
}

void check_complex(const OpCall& call) {
  if (!is_complex(call.in[0]->dtype))
    throw_invalid(call.op, cat("takes complex tensors, but got ", call.in[0]->dtype));
}
void infer_part(const OpCall& call, std::vector<Aval>& out) {
  check_complex(call);
  out.push_back({call.in[0]->shape, real_dtype(call.in[0]->dtype)});
}
void infer_conj(const OpCall& call, std::vector<Aval>& out) {
  check_complex(call);
  out.push_back(*call.in[0]);
}

Tensor zero_of(const Tensor& x) { return constant(0, x.dtype()); }

void grad_complex(GradContext& g) {
  if (g.needs(0)) g.set(0, sum_to(real(g.cotangent()), g.in[0].shape()));
  if (g.needs(1)) g.set(1, sum_to(imag(g.cotangent()), g.in[1].shape()));
}
void grad_real(GradContext& g) { g.set(0, cast(g.cotangent(), g.in[0].dtype())); }
void grad_imag(GradContext& g) { g.set(0, complex(zero_of(g.cotangent()), g.cotangent())); }
void grad_conj(GradContext& g) { g.set(0, conj(g.cotangent())); }
void grad_angle(GradContext& g) {  // (-y + ix) / (x² + y²) = -1 / (y + ix)
  const Tensor& x = g.in[0];
  g.set(0, neg(cast(g.cotangent(), x.dtype())) / complex(imag(x), real(x)));
}

}  // namespace

namespace op {
const OpDef complex{.name = "complex",
                    .summary = "x + iy",
                    .kind = OpKind::elementwise,
                    .min_inputs = 2,
                    .max_inputs = 2,
                    .infer = infer_complex,
                    .grad = grad_complex,
                    .cost = elementwise_cost<0>,
                    .grad_needs = kNeedsNothing};
#define OF_COMPLEX(ident, what, infer_, grad_, needs, flops) \
  const OpDef ident{.name = #ident,                          \
                    .summary = what,                         \
                    .kind = OpKind::elementwise,             \
                    .min_inputs = 1,                         \
                    .max_inputs = 1,                         \
                    .infer = infer_,                         \
                    .grad = grad_,                           \
                    .cost = elementwise_cost<flops>,         \
                    .grad_needs = needs,                     \
                    .also_takes = kComplex};
OF_COMPLEX(real, "the real part", infer_part, grad_real, kNeedsNothing, 0)
OF_COMPLEX(imag, "the imaginary part", infer_part, grad_imag, kNeedsNothing, 0)
OF_COMPLEX(conj, "the conjugate: the imaginary part with the other sign", infer_conj, grad_conj, kNeedsNothing, 1)
OF_COMPLEX(angle, "the angle with the real axis, in (-pi, pi]", infer_part, grad_angle, kNeedsFirst, 25)
#undef OF_COMPLEX
}  // namespace op

void register_complex() {
  static const OpDef* const rows[] = {&op::complex, &op::real, &op::imag, &op::conj, &op::angle};
  register_ops(rows);
}

Tensor complex(const Tensor& re, const Tensor& im) { return record(op::complex, {}, re, im); }

Tensor real(const Tensor& x) { return is_complex(required(op::real, x).dtype()) ? record(op::real, {}, x) : x; }
Tensor imag(const Tensor& x) {
  return is_complex(required(op::imag, x).dtype()) ? record(op::imag, {}, x) : zeros_like(x);
}
Tensor conj(const Tensor& x) { return is_complex(required(op::conj, x).dtype()) ? record(op::conj, {}, x) : x; }
Tensor angle(const Tensor& x) {
  if (is_complex(required(op::angle, x).dtype())) return record(op::angle, {}, x);
  if (!is_floating(x.dtype()))
    throw_invalid(op::angle, cat("takes complex or floating-point tensors, but got ", x.dtype(), "; cast it first"));
  return select(less(x, zero_of(x)), constant(std::numbers::pi, x.dtype()), zero_of(x));
}

Tensor complex_constant(std::complex<double> value, DType dtype) {
  if (!is_complex(dtype))
    throw_invalid(op::complex, cat("a complex number cannot become ", dtype, "; ask for complex64 or complex128"));
  return complex(constant(value.real(), real_dtype(dtype)), constant(value.imag(), real_dtype(dtype)));
}

Tensor adjoint(const Tensor& x) {
  const int rank = required("adjoint", x).rank();
  if (rank < 2) throw_invalid("adjoint", cat("takes matrices, but got shape ", x.shape()));
  std::vector<int> permutation;
  for (int i = 0; i < rank; ++i) permutation.push_back(i);
  std::swap(permutation[static_cast<size_t>(rank) - 1], permutation[static_cast<size_t>(rank) - 2]);
  return conj(transpose(x, permutation));
}

}  // namespace brio
