#include "brio/ops/random/random.h"

#include "brio/backends/reference/kernel.h"

namespace brio::reference {
namespace {

RandomStream stream_of(const Call& call) {
  return {*call.in<uint64_t>(0), *call.in<uint64_t>(1) + static_cast<uint64_t>(call.attrs[1])};
}

template <typename T>
T uniform(const RandomStream& stream, uint64_t i) {
  if constexpr (std::is_same_v<T, double>) return stream.uniform_f64(i);
  else if constexpr (std::is_same_v<T, float>) return stream.uniform_f32(i);
  else if constexpr (std::is_same_v<T, Half>) return random::uniform_f16(stream, i);
  else return random::uniform_bf16(stream, i);
}
void run_uniform(const Call& call) {
  const RandomStream stream = stream_of(call);
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i)
      call.out<T>()[i] = uniform<T>(stream, static_cast<uint64_t>(i));
  });
}

void run_normal(const Call& call) {
  const RandomStream stream = stream_of(call);
  visit_floats(call.out_avals[0].dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
      const auto index = static_cast<uint64_t>(i);
      if constexpr (std::is_same_v<T, double>) call.out<T>()[i] = stream.normal_f64(index);
      else call.out<T>()[i] = T(stream.normal_f32(index));
    }
  });
}

void run_bits(const Call& call) {
  const RandomStream stream = stream_of(call);
  for (int64_t i = 0; i < call.out_shape().elements(); ++i) {
    const auto index = static_cast<uint64_t>(i);
    if (call.out_avals[0].dtype == u32) call.out<uint32_t>()[i] = stream.u32(index);
    else call.out<uint64_t>()[i] = stream.u64(index);
  }
}

}  // namespace

void add_random(Registry& r) {
  add<run_uniform>(r, op::random_uniform);
  add<run_normal>(r, op::random_normal);
  add<run_bits>(r, op::random_bits);
}

}  // namespace brio::reference
