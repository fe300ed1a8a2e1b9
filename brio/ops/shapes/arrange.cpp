#include "brio/ops/shapes/arrange.h"

#include <algorithm>
#include <numeric>

#include "brio/base/error.h"
#include "brio/base/memory_limit.h"
#include "brio/ops/check.h"
#include "brio/ops/concrete.h"
#include "brio/ops/indexing/indexing.h"

namespace brio {
namespace {

std::vector<Size> dims_of(const Tensor& x) { return {x.shape().begin(), x.shape().end()}; }

// The elements [begin, end) of one axis, by a stride.
Tensor along(const Tensor& x, int axis, Range range) {
  std::vector<Range> ranges(static_cast<size_t>(axis) + 1);
  ranges.back() = range;
  return slice(x, ranges);
}

std::vector<int> in_order(int rank) {
  std::vector<int> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// The axis of repeat: without one, the flat tensor's.
int repeat_axis(Tensor& x, std::optional<int> axis) {
  required("repeat", x);
  if (!axis) x = reshape(x, Shape{x.size()});
  return positive_axis("repeat", axis.value_or(0), x.rank());
}

}  // namespace

Tensor tile(const Tensor& x, std::span<const Size> multiples) {
  const Shape& shape = required("tile", x).shape();
  if (static_cast<int>(multiples.size()) != shape.rank())
    throw_invalid("tile", cat("shape ", shape, " needs ", shape.rank(), " multiples, but got ", multiples.size()));
  // [.., size, ..] → [.., 1, size, ..] → [.., multiple, size, ..] → [.., multiple · size, ..]. Axes that are not
  // repeated join the one before them, so that there is room; where there is not, the rest is repeated afterwards.
  std::vector<Size> apart, repeated, result = dims_of(x), rest(multiples.size(), 1);
  bool anything_left = false;
  for (size_t i = 0; i < multiples.size(); ++i) {
    if (multiples[i] < 0) throw_invalid("tile", cat("multiple ", multiples[i], " of axis ", i, " is negative"));
    const bool fits = apart.size() + 2 <= kMaxRank;
    if (multiples[i] == 1 || !fits) {
      if (apart.empty()) {
        apart.push_back(1);
        repeated.push_back(1);
      }
      apart.back() *= shape[static_cast<int>(i)];
      repeated.back() *= shape[static_cast<int>(i)];
      rest[i] = multiples[i];
      anything_left |= !(multiples[i] == 1);
      continue;
    }
    apart.insert(apart.end(), {1, shape[static_cast<int>(i)]});
    repeated.insert(repeated.end(), {multiples[i], shape[static_cast<int>(i)]});
  }
  const Tensor done_apart = broadcast_to(reshape(x, apart), checked_shape("tile", repeated));
  for (size_t i = 0; i < result.size(); ++i)
    if (rest[i] == 1) result[i] *= multiples[i];
  const Tensor done = reshape(done_apart, result);
  return anything_left ? tile(done, rest) : done;
}
Tensor tile(const Tensor& x, std::initializer_list<Size> multiples) {
  return tile(x, std::span<const Size>(multiples.begin(), multiples.size()));
}
Tensor tile(const Tensor& x, std::span<const int64_t> multiples) {
  return tile(x, std::span<const Size>(std::vector<Size>(multiples.begin(), multiples.end())));
}

Tensor repeat(const Tensor& x, Size times, std::optional<int> axis) {
  Tensor from = x;
  const int at = repeat_axis(from, axis);
  if (times < 0) throw_invalid("repeat", cat("times is ", times, "; it must be ≥ 0"));
  const OpenAroundAxis around(from.shape(), at);
  const Size repeated[] = {around.outer * around.size, times, around.inner};
  const Tensor apart =
      broadcast_to(reshape(from, {around.outer * around.size, 1, around.inner}), checked_shape("repeat", repeated));
  std::vector<Size> result = dims_of(from);
  result[static_cast<size_t>(at)] *= times;
  return reshape(apart, result);
}
Tensor repeat(const Tensor& x, const std::vector<int64_t>& times, std::optional<int> axis) {
  Tensor from = x;
  const int at = repeat_axis(from, axis);
  if (times.size() == 1) return repeat(from, times[0], at);
  const Size size = from.shape()[at];
  if (static_cast<int64_t>(times.size()) != size)
    throw_invalid("repeat", cat(times.size(), " numbers of times are given for ", size, " elements along axis ", at,
                                " of shape ", from.shape()));
  std::vector<int64_t> positions;
  for (int64_t left = available_memory() / 16;
       const int64_t n : times) {  // a list of them, and the tensor made of it
    if (n > left) throw ResourceError(cat("[repeat] there is no memory for an element ", n, " times"));
    left -= std::max<int64_t>(n, 0);
  }
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] < 0) throw_invalid("repeat", cat("times[", i, "] is ", times[i], "; it must be ≥ 0"));
    positions.insert(positions.end(), static_cast<size_t>(times[i]), static_cast<int64_t>(i));
  }
  return gather(from, Tensor::from(positions, {static_cast<int64_t>(positions.size())}), at);
}
Tensor repeat(const Tensor& x, const Tensor& times, std::optional<int> axis) {
  return repeat(x, concrete_integers("repeat", times, "give the times as a list of numbers"), axis);
}

Tensor reverse(const Tensor& x, const std::vector<int>& axes) {
  std::vector<Range> ranges(static_cast<size_t>(required("reverse", x).rank()));
  for (int axis : axes) {
    Range& range = ranges[static_cast<size_t>(positive_axis("reverse", axis, x.rank()))];
    if (range.stride < 0) throw_invalid("reverse", cat("axis ", axis, " is given twice for shape ", x.shape()));
    range.stride = -1;
  }
  return slice(x, ranges);
}
Tensor flip(const Tensor& x, const std::vector<int>& axes) {
  return reverse(x, axes.empty() ? in_order(required("flip", x).rank()) : axes);
}

Tensor roll(const Tensor& x, const std::vector<int64_t>& shifts, const std::vector<int>& axes) {
  required("roll", x);
  if (shifts.size() != axes.size())
    throw_invalid("roll", cat(shifts.size(), " shifts are given for ", axes.size(), " axes"));
  Tensor rolled = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = positive_axis("roll", axes[i], x.rank());
    const Size size = x.shape()[axis];
    if (size == 0) continue;
    const Size shift = size.known() ? Size(shifts[i] % int64_t{size}) : Size(shifts[i]) % size;
    if (shift == 0) continue;
    const Size cut = (size - shift) % size;  // what comes first
    rolled = concat({along(rolled, axis, {cut, {}}), along(rolled, axis, {0, cut})}, axis);
  }
  return rolled;
}

Tensor swapaxes(const Tensor& x, int a, int b) {
  std::vector<int> order = in_order(required("swapaxes", x).rank());
  std::swap(order[static_cast<size_t>(positive_axis("swapaxes", a, x.rank()))],
            order[static_cast<size_t>(positive_axis("swapaxes", b, x.rank()))]);
  return transpose(x, order);
}
Tensor moveaxis(const Tensor& x, int source, int destination) {
  const int from = positive_axis("moveaxis", source, required("moveaxis", x).rank());
  const int to = positive_axis("moveaxis", destination, x.rank());
  std::vector<int> order = in_order(x.rank());
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return transpose(x, order);
}

Tensor rot90(const Tensor& x, int k, int first, int second) {
  const int a = positive_axis("rot90", first, required("rot90", x).rank()),
            b = positive_axis("rot90", second, x.rank());
  if (a == b) throw_invalid("rot90", cat("axes ", first, " and ", second, " are the same"));
  switch ((k % 4 + 4) % 4) {
    case 1: return reverse(swapaxes(x, a, b), {a});
    case 2: return reverse(x, {a, b});
    case 3: return swapaxes(reverse(x, {a}), a, b);
    default: return x;
  }
}

Tensor pad(const Tensor& x, std::span<const Padding> paddings, Mirror mirror) {
  const Shape shape = required(op::pad, x).shape();
  if (static_cast<int>(paddings.size()) != shape.rank())
    throw_invalid(op::pad, cat("shape ", shape, " needs ", shape.rank(), " paddings, but got ", paddings.size()));
  const int64_t edge = mirror == Mirror::reflect;  // 1: the edge is not repeated
  Tensor result = x;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto [low, high] = paddings[static_cast<size_t>(axis)];
    const Size size = shape[axis], most = max(size - edge, Size(0));
    if (low < 0 || high < 0 || low > most || high > most)
      throw_invalid(op::pad, cat("axis ", axis, " of shape ", shape, " is padded by (", low, ", ", high,
                                 "); a mirror at its edge has 0 to ", most, " elements"));
    std::vector<Tensor> parts;
    if (!(low == 0))
      parts.push_back(along(result, axis, {low - 1 + edge, edge == 0 ? std::optional<Size>() : 0, -1}));
    parts.push_back(result);
    const Size last = size - 1 - edge;  // of the mirror behind: down to last - high + 1
    if (!(high == 0))
      parts.push_back(along(result, axis, {last, last - high < 0 ? std::optional<Size>() : last - high, -1}));
    if (parts.size() > 1) result = concat(parts, axis);
  }
  return result;
}
Tensor pad(const Tensor& x, std::initializer_list<Padding> paddings, Mirror mirror) {
  return pad(x, std::span<const Padding>(paddings.begin(), paddings.size()), mirror);
}

std::vector<Tensor> split(const Tensor& x, std::span<const Size> sizes, int axis) {
  const int at = positive_axis("split", axis, required("split", x).rank());
  std::vector<Size> exact(sizes.begin(), sizes.end());
  Size known = 0;
  bool valid = true;
  Size* open = nullptr;
  for (Size& size : exact) {
    if (size == -1 && !open) open = &size;
    else if (size < 0 || size > x.shape()[at] - known) valid = false;
    else known += size;
  }
  if (open) *open = x.shape()[at] - known;
  if (!valid || (open ? *open < 0 : known != x.shape()[at])) {
    std::string text;
    for (const Size size : sizes) text += cat(text.empty() ? "" : ", ", size);
    throw_invalid("split", cat("sizes [", text, "] do not add up to axis ", at, " of shape ", x.shape(),
                               "; one of them may be -1"));
  }
  std::vector<Tensor> parts;
  Size begin = 0;
  for (const Size size : exact) {
    parts.push_back(along(x, at, {begin, begin + size}));
    begin += size;
  }
  return parts;
}
std::vector<Tensor> split(const Tensor& x, const std::vector<int64_t>& sizes, int axis) {
  return split(x, std::span<const Size>(std::vector<Size>(sizes.begin(), sizes.end())), axis);
}
std::vector<Tensor> split(const Tensor& x, int64_t parts, int axis) {
  const int at = positive_axis("split", axis, required("split", x).rank());
  constexpr int64_t kMostEmpty = 1 << 16;  // an axis of size 0 has as many parts as one likes
  if (parts <= 0 || x.shape()[at] % parts != 0 || parts > max(x.shape()[at], Size(kMostEmpty)))
    throw_invalid("split", cat("axis ", at, " of shape ", x.shape(), " cannot be cut into ", parts,
                               " equal parts; give their sizes"));
  return split(x, std::span<const Size>(std::vector<Size>(static_cast<size_t>(parts), x.shape()[at] / parts)), at);
}

Tensor stack(std::span<const Tensor> parts, int axis) {
  if (parts.empty()) throw_invalid("stack", "there is nothing to stack");
  std::vector<Tensor> expanded;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Shape& shape = required("stack", parts[i], static_cast<int>(i)).shape();
    if (shape != parts[0].shape())
      throw_invalid("stack", cat("part ", i, " has shape ", shape, ", but part 0 has ", parts[0].shape()));
    expanded.push_back(expand_dims(parts[i], axis));
  }
  return concat(expanded, axis);
}
Tensor stack(std::initializer_list<Tensor> parts, int axis) {
  return stack(std::span<const Tensor>(parts.begin(), parts.size()), axis);
}
std::vector<Tensor> unstack(const Tensor& x, int axis) {
  const int at = positive_axis("unstack", axis, required("unstack", x).rank());
  std::vector<Tensor> parts;
  const int64_t count = x.shape()[at];
  for (int64_t i = 0; i < count; ++i) parts.push_back(squeeze(along(x, at, {i, i + 1}), {at}));
  return parts;
}

Tensor space_to_depth(const Tensor& x, int64_t block) {
  const Shape& s = required("space_to_depth", x).shape();
  if (s.rank() != 4 || block < 1 || s[1] % block != 0 || s[2] % block != 0)
    throw_invalid("space_to_depth", cat("shape ", s, " is no batch of images of blocks of ", block, " × ", block));
  const Tensor blocks = reshape(x, {s[0], s[1] / block, block, s[2] / block, block, s[3]});
  return reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}),
                 Shape{s[0], s[1] / block, s[2] / block, block * block * s[3]});
}
Tensor depth_to_space(const Tensor& x, int64_t block) {
  const Shape& s = required("depth_to_space", x).shape();
  constexpr int64_t kLargest = 1 << 20;  // its square is still a number
  if (s.rank() != 4 || block < 1 || block > kLargest || s[3] % (block * block) != 0)
    throw_invalid("depth_to_space",
                  cat("the channels of shape ", s, " are no blocks of ", block, " × ", block, " pixels"));
  const Size depth = s[3] / (block * block);
  const Tensor blocks = reshape(x, {s[0], s[1], s[2], block, block, depth});
  return reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}), Shape{s[0], s[1] * block, s[2] * block, depth});
}

Tensor space_to_batch(const Tensor& x, const std::vector<int64_t>& block, const std::vector<Padding>& paddings) {
  const std::string_view self = "space_to_batch";
  const size_t m = block.size();
  if (paddings.size() != m || static_cast<size_t>(required(self, x).rank()) < m + 1)
    throw_invalid(self, cat(m, " blocks and ", paddings.size(), " paddings are given for shape ", x.shape()));
  std::vector<Padding> all(static_cast<size_t>(x.rank()));
  std::copy(paddings.begin(), paddings.end(), all.begin() + 1);
  const Tensor padded = pad(x, all);
  // [batch, size/block, block, …, inner] → [block…, batch, size/block…, inner]
  std::vector<Size> apart = {padded.shape()[0]}, result = {padded.shape()[0]};
  std::vector<int> order;
  Size inner = 1;
  for (int i = 0; i < x.rank() - 1; ++i) {
    const auto k = static_cast<size_t>(i);
    const Size size = padded.shape()[i + 1];
    if (k >= m) {
      inner *= size;
      result.push_back(size);
      continue;
    }
    if (block[k] < 1 || size % block[k] != 0)
      throw_invalid(self,
                    cat("axis ", i + 1, " of the padded shape ", padded.shape(), " has no blocks of ", block[k]));
    apart.insert(apart.end(), {size / block[k], block[k]});
    result[0] *= block[k];
    result.push_back(size / block[k]);
    order.push_back(2 * i + 2);
  }
  apart.push_back(inner);
  order.push_back(0);
  for (size_t k = 0; k < m; ++k) order.push_back(static_cast<int>(2 * k + 1));
  order.push_back(static_cast<int>(2 * m + 1));
  return reshape(transpose(reshape(padded, checked_shape(self, apart)), order), result);
}

Tensor batch_to_space(const Tensor& x, const std::vector<int64_t>& block, const std::vector<Padding>& crops) {
  const std::string_view self = "batch_to_space";
  const size_t m = block.size();
  if (crops.size() != m || static_cast<size_t>(required(self, x).rank()) < m + 1)
    throw_invalid(self, cat(m, " blocks and ", crops.size(), " crops are given for shape ", x.shape()));
  int64_t blocks = 1;
  for (int64_t size : block) {
    constexpr int64_t kLargest = int64_t{1} << 40;  // no batch has more, and a product of them would wrap
    blocks = size < 1 || size > kLargest || blocks > kLargest ? 0 : blocks * size;
    if (blocks == 0) break;
  }
  if (blocks == 0 || x.shape()[0] % blocks != 0)
    throw_invalid(self,
                  cat("the batch of shape ", x.shape(), " is no multiple of ", blocks, ", the size of a block"));
  // [block…, batch, size…, inner] → [batch, size, block, …, inner]
  std::vector<Size> apart(block.begin(), block.end()), result = {x.shape()[0] / blocks};
  std::vector<int> order = {static_cast<int>(m)};
  std::vector<Range> ranges(1);
  apart.push_back(result[0]);
  Size inner = 1;
  for (int i = 1; i < x.rank(); ++i) {
    const auto k = static_cast<size_t>(i - 1);
    const Size size = x.shape()[i];
    if (k >= m) {
      inner *= size;
      result.push_back(size);
      continue;
    }
    apart.push_back(size);
    result.push_back(size * block[k]);
    order.insert(order.end(), {static_cast<int>(m) + i, i - 1});
    if (crops[k].low < 0 || crops[k].high < 0 || crops[k].low > result.back() - crops[k].high)
      throw_invalid(self, cat("crops (", crops[k].low, ", ", crops[k].high, ") do not fit axis ", i, " of size ",
                              result.back()));
    ranges.push_back({crops[k].low, result.back() - crops[k].high});
  }
  apart.push_back(inner);
  order.push_back(static_cast<int>(2 * m + 1));
  return slice(reshape(transpose(reshape(x, checked_shape(self, apart)), order), result), ranges);
}

Shape broadcast_static_shape(const Shape& a, const Shape& b) {
  Shape both;
  if (!broadcast(a, b, both))
    throw_invalid("broadcast_static_shape", cat("shapes ", a, " and ", b, " do not broadcast"));
  return both;
}

}  // namespace brio
