#include "brio/ops/elementwise/complex.h"

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

template <auto f>
void run_of_complex(const Call& call) {
  visit_complex(call.in_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
      const auto result = f(call.in<T>(0)[i]);
      call.out<std::remove_const_t<decltype(result)>>()[i] = result;
    }
  });
}

void run_complex(const Call& call) {
  const Shape& shape = call.out_shape();
  visit_complex(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    using Part = typename T::value_type;
    for (int64_t i = 0; i < shape.elements(); ++i)
      call.out<T>()[i] = {call.in<Part>(0)[broadcast_position(call.in_shape(0), shape, i)],
                          call.in<Part>(1)[broadcast_position(call.in_shape(1), shape, i)]};
  });
}

}  // namespace

void add_complex(Registry& r) {
  add<run_complex>(r, op::complex);
  add<run_of_complex<[](auto x) { return x.real(); }>>(r, op::real);
  add<run_of_complex<[](auto x) { return x.imag(); }>>(r, op::imag);
  add<run_of_complex<[](auto x) { return std::conj(x); }>>(r, op::conj);
  add<run_of_complex<[](auto x) { return std::arg(x); }>>(r, op::angle);
}

}  // namespace brio::reference
