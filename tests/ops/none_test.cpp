// Functions composed of other ops refuse a tensor that is none, and an axis that does not exist, in their own name or
// that of the op that they hand it to.
#include <gtest/gtest.h>

#include "brio/brio.h"

namespace brio {
namespace {

// `call` as it is written; the error names the function, or `by`: the op that it hands its arguments to.
void expect_refused(std::string_view call, const std::function<void()>& run, std::string_view by = {}) {
  std::string_view name = call.substr(0, call.find('('));
  if (name.starts_with("linalg::")) name.remove_prefix(8);
  try {
    run();
    ADD_FAILURE() << call << " was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with(cat("[", by.empty() ? name : by, "]")))
        << call << ": " << error.what();
  }
}
#define REFUSES(...) expect_refused(#__VA_ARGS__, [&] { (void)(__VA_ARGS__); })
#define REFUSES_BY(by, ...) \
  expect_refused(           \
      #__VA_ARGS__, [&] { (void)(__VA_ARGS__); }, by)

TEST(None, IsRefusedByEveryFunction) {
  const Tensor none, x = zeros({4, 4, 4, 4}), ids = zeros({4}, i32), vector = zeros({4});
  REFUSES(repeat(none, 2));
  REFUSES(repeat(x, none, 0));
  REFUSES(reverse(none, {0}));
  REFUSES(roll(none, {1}, {0}));
  REFUSES(swapaxes(none, 0, 1));
  REFUSES(moveaxis(none, 0, 1));
  REFUSES(rot90(none));
  REFUSES(pad(none, {{1, 1}}, Mirror::reflect));
  REFUSES(split(none, 2));
  REFUSES(split(none, std::vector<int64_t>{1, 1}));
  REFUSES(stack({none}));
  REFUSES(unstack(none));
  REFUSES(tensordot(none, x, 1));
  REFUSES(tensordot(x, none, std::vector<int>{0}, std::vector<int>{0}));
  REFUSES(vecdot(none, x));
  REFUSES(vdot(none, x));
  REFUSES(inner(x, none));
  REFUSES(outer(none, vector));
  REFUSES(cross(none, vector));
  REFUSES(kron(x, none));
  REFUSES(space_to_depth(none, 2));
  REFUSES(depth_to_space(none, 2));
  REFUSES(space_to_batch(none, {2}, {{0, 0}}));
  REFUSES(batch_to_space(none, {2}, {{0, 0}}));
  REFUSES(where(none));
  REFUSES(boolean_mask(none, vector));
  REFUSES(boolean_mask(vector, none));
  REFUSES(unique(none));
  REFUSES(dynamic_partition(none, ids, 2));
  REFUSES(dynamic_partition(vector, none, 2));
  REFUSES(dynamic_stitch({none}, {vector}, 4));
  REFUSES(dynamic_stitch({ids}, {none}, 4));
  REFUSES(linalg::diag(none));
  REFUSES(linalg::diag_part(none));
  REFUSES(linalg::set_diag(none, vector));
  REFUSES(linalg::set_diag(zeros({4, 4}), none));
  REFUSES(linalg::band_part(none, 1, 1));
  REFUSES(gather_nd(none, ids));
  REFUSES(gather_nd(x, none));
  REFUSES(gather_nd(none, ids, 1));
  REFUSES(gather_nd(x, none, 1));
  REFUSES(gather(none, ids, 0, 0));
  REFUSES(gather(x, none, 0, 0));
  REFUSES(linspace(none, vector, 3));
  REFUSES(linspace(vector, none, 3));
  REFUSES(meshgrid({none}));
  REFUSES(sequence_mask(none));
  REFUSES(sequence_mask(none, 3));
  REFUSES(unsorted_segment_sum(none, ids, 4));
  REFUSES(unsorted_segment_sum(vector, none, 4));
  REFUSES_BY("unsorted_segment_sum", unsorted_segment_mean(none, ids, 4));
  REFUSES_BY("unsorted_segment_sum", segment_sum(none, ids));
  REFUSES(segment_sum(vector, none));
  REFUSES(in_top_k(none, x, 1));
  REFUSES(in_top_k(ids, none, 1));
  REFUSES(bincount(none));
  REFUSES(histogram_fixed_width(none, 0, 1));
  REFUSES(logsumexp(none));
  REFUSES_BY("conv", conv2d(none, x));
  REFUSES_BY("conv", conv2d(x, none));
  REFUSES_BY("max_pool", max_pool2d(none, {2}));
}

TEST(None, AnAxisThatIsNotThereIsRefused) {
  const Tensor x = zeros({2, 3}), ids = zeros({2, 3}, i32);
  REFUSES(swapaxes(x, 0, 2));
  REFUSES(swapaxes(x, -3, 0));
  REFUSES(moveaxis(x, 2, 0));
  REFUSES(moveaxis(x, 0, 2));
  REFUSES(rot90(x, 1, 0, 2));
  REFUSES(rot90(x, 1, 2, 0));
  REFUSES(split(x, 2, 2));
  REFUSES(split(x, std::vector<int64_t>{1, 1}, 2));
  REFUSES(gather(x, ids, 2, 0));
  REFUSES(matrix_norm(x, MatrixNorm::one, 0, 2));
  REFUSES(matrix_norm(x, MatrixNorm::one, 2, 1));
}

TEST(None, ShapesThatCannotBeAreRefused) {
  const int64_t huge = int64_t{1} << 62;
  const Tensor eight = zeros({1, 1, 1, 1, 1, 1, 1, 1}), rows = zeros({2, 8}), ids = zeros({2}, i32);
  const std::vector<Padding> none(4, Padding{0, 0});
  REFUSES(space_to_batch(eight, {1, 1, 1, 1}, none));
  REFUSES(batch_to_space(eight, {1, 1, 1, 1}, none));
  REFUSES(linalg::diag(eight));
  REFUSES(meshgrid(std::vector<Tensor>(9, zeros({1}))));
  REFUSES(unsorted_segment_sum(rows, ids, huge));
  REFUSES(dynamic_stitch({ids}, {rows}, huge));
}

}  // namespace
}  // namespace brio
