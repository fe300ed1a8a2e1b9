#include "brio/ops/shapes/arrange.h"

#include <gtest/gtest.h>

#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/shapes/ranges.h"
#include "brio/runtime/function.h"
#include "tests/ops/harness.h"
#include "tests/ops/refusals.h"

namespace brio::testing {
namespace {

TEST(Arrange, TilesEightAxes) {
  const Tensor x = reshape(iota(256), {2, 2, 2, 2, 2, 2, 2, 2});
  const std::vector<int64_t> multiples = {2, 1, 3, 2, 2, 1, 2, 2};
  const Tensor tiled = tile(x, multiples);
  EXPECT_EQ(tiled.shape(), (Shape{4, 2, 6, 4, 4, 2, 4, 4}));
  const std::vector<int64_t> values = tiled.to_vector<int64_t>();
  for (size_t i = 0; i < values.size(); i += 101) {
    size_t rest = i, expected = 0, place = 1;
    for (int axis = 7; axis >= 0; --axis) {
      const auto size = static_cast<size_t>(tiled.shape()[axis]);
      expected += rest % size % 2 * place;
      rest /= size;
      place *= 2;
    }
    ASSERT_EQ(values[i], static_cast<int64_t>(expected)) << i;
  }
}

TEST(Arrange, KnownValues) {
  EXPECT_EQ(tile(Tensor(3), {}).item<float>(), 3);
  EXPECT_EQ(repeat(Tensor({{1, 2}, {3, 4}}), 2).to_vector<float>(), (std::vector<float>{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(repeat(Tensor({1, 2}), Tensor({0, 3}, i32)).to_vector<float>(), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(repeat(Tensor({1, 2}), std::vector<int64_t>{2}, -1).to_vector<float>(), (std::vector<float>{1, 1, 2, 2}));
  EXPECT_EQ(flip(Tensor({{1, 2}, {3, 4}})).to_vector<float>(), (std::vector<float>{4, 3, 2, 1}));
  EXPECT_EQ(rot90(Tensor({{1, 2}, {3, 4}}), 2).to_vector<float>(), (std::vector<float>{4, 3, 2, 1}));
  EXPECT_EQ(rot90(Tensor({{1, 2}, {3, 4}}), 4).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(roll(tensor({0, 2}), {1}, {0}).shape(), (Shape{0, 2}));
  EXPECT_EQ(split(iota(6), {-1, 2})[0].to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(unstack(tensor({0, 2})).empty());
  EXPECT_EQ(broadcast_static_shape({2, 1}, {3}), (Shape{2, 3}));
  EXPECT_EQ(pad(Tensor({true}, boolean), {Padding{1, 0}}).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(linalg::diag(Tensor({true}, boolean), 1).to_vector<bool>(),
            (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(linalg::diag_part(tensor({2, 0})).shape(), (Shape{0}));
}

TEST(Arrange, Refusals) {
  const Tensor x = tensor({2, 3});
  refuses("tile", {"(2, 3)", "2 multiples", "got 1"}, [&] { tile(x, {2}); });
  refuses("tile", {"multiple -1", "axis 1"}, [&] { tile(x, {2, -1}); });
  refuses("tile", {"elements"}, [&] { tile(x, {int64_t{1} << 40, int64_t{1} << 40}); });
  refuses("tile", {"none"}, [] { tile(Tensor(), {1}); });
  refuses("repeat", {"times is -1"}, [&] { repeat(x, -1); });
  refuses("repeat", {"3 numbers", "2 elements", "axis 0"}, [&] { repeat(x, std::vector<int64_t>{1, 2, 3}, 0); });
  refuses("repeat", {"times[1] is -2"}, [&] { repeat(x, std::vector<int64_t>{1, -2}, 0); });
  refuses("repeat", {"axis 2"}, [&] { repeat(x, 2, 2); });
  refuses("repeat", {"float32"}, [&] { repeat(x, tensor({2}), 0); });
  refuses("repeat", {"list of numbers"},
          [&] { function([&](Tensor times) { return repeat(x, times, 0); })(tensor({2}, i32)); });
  refuses("reverse", {"axis -1", "twice"}, [&] { reverse(x, {1, -1}); });
  refuses("reverse", {"axis 2"}, [&] { reverse(x, {2}); });
  refuses("flip", {"none"}, [] { flip(Tensor()); });
  refuses("roll", {"1 shifts", "2 axes"}, [&] { roll(x, {1}, {0, 1}); });
  refuses("roll", {"axis 5"}, [&] { roll(x, {1}, {5}); });
  refuses("swapaxes", {"axis 2"}, [&] { swapaxes(x, 0, 2); });
  refuses("moveaxis", {"axis -3"}, [&] { moveaxis(x, -3, 0); });
  refuses("rot90", {"axes 0 and -2"}, [&] { rot90(x, 1, 0, -2); });
  refuses("pad", {"2 paddings", "got 1"}, [&] { pad(x, {Padding{1, 1}}, Mirror::reflect); });
  refuses("pad", {"axis 0", "(2, 0)", "0 to 1"}, [&] { pad(x, {Padding{2, 0}, Padding{}}, Mirror::reflect); });
  refuses("pad", {"axis 1", "(0, 4)", "0 to 3"}, [&] { pad(x, {Padding{}, Padding{0, 4}}, Mirror::symmetric); });
  refuses("split", {"axis 1", "(2, 3)", "2 equal parts"}, [&] { split(x, 2, 1); });
  refuses("split", {"0 equal parts"}, [&] { split(x, int64_t{0}); });
  refuses("split", {"[1, 1]", "axis 1"}, [&] { split(x, std::vector<int64_t>{1, 1}, 1); });
  refuses("split", {"[4, -1]"}, [&] { split(x, std::vector<int64_t>{4, -1}, 1); });
  refuses("split", {"[-1, -1]"}, [&] { split(x, std::vector<int64_t>{-1, -1}, 1); });
  refuses("stack", {"nothing"}, [] { stack(std::span<const Tensor>()); });
  refuses("stack", {"part 1", "(3,)", "(2, 3)"}, [&] { stack({x, tensor({3})}); });
  refuses("unstack", {"axis 2"}, [&] { unstack(x, 2); });
  refuses("space_to_depth", {"(2, 3)"}, [&] { space_to_depth(x, 2); });
  refuses("space_to_depth", {"(1, 3, 2, 1)"}, [] { space_to_depth(tensor({1, 3, 2, 1}), 2); });
  refuses("depth_to_space", {"(1, 2, 2, 3)", "2 × 2"}, [] { depth_to_space(tensor({1, 2, 2, 3}), 2); });
  refuses("space_to_batch", {"1 blocks", "0 paddings"}, [&] { space_to_batch(x, {2}, {}); });
  refuses("space_to_batch", {"axis 1", "(2, 3)", "blocks of 2"}, [&] { space_to_batch(x, {2}, {{}}); });
  refuses("batch_to_space", {"2 blocks", "(2, 3)"}, [&] { batch_to_space(x, {2, 1}, {{}, {}}); });
  refuses("batch_to_space", {"multiple of 4"}, [&] { batch_to_space(x, {4}, {{}}); });
  refuses("batch_to_space", {"(7, 0)", "axis 1", "size 6"}, [&] { batch_to_space(x, {2}, {{7, 0}}); });
  refuses("broadcast_static_shape", {"(2,)", "(3,)"}, [] { broadcast_static_shape({2}, {3}); });
  refuses("diag", {"scalar"}, [] { linalg::diag(tensor({})); });
  refuses("diag_part", {"diagonal 3", "2 rows", "3 columns"}, [&] { linalg::diag_part(x, 3); });
  refuses("diag_part", {"diagonal -2"}, [&] { linalg::diag_part(x, -2); });
  refuses("set_diag", {"(2, 3)", "(2,)", "got (3,)"}, [&] { linalg::set_diag(x, tensor({3})); });
  refuses("band_part", {"(3,)"}, [] { linalg::band_part(tensor({3}), 0, 0); });
  refuses("tril", {"none"}, [] { tril(Tensor()); });
}

}  // namespace
}  // namespace brio::testing
