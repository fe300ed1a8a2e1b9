#include "brio/ir/tensor.h"

#include <gtest/gtest.h>

#include <thread>

#include "brio/ops/elementwise/elementwise.h"

namespace brio {
namespace {

// Under ASan this fails when the thread keeps the memory of headers that it would not free.
TEST(Tensor, IsDroppedByAThreadThatMadeNone) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 100; ++i) tensors.push_back(Tensor(Array::allocate({Shape{1}, f32})));
  std::thread([taken = std::move(tensors)]() mutable { taken.clear(); }).join();
  // The headers that the next ones get may be any but those in use.
  const Tensor sum = constant(1, f32) + constant(2, f32);
  EXPECT_EQ(sum.item<float>(), 3);
}

}  // namespace
}  // namespace brio
