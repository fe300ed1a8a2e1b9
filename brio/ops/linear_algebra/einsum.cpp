#include "brio/ops/linear_algebra/einsum.h"

#include <algorithm>
#include <limits>

#include "brio/ops/check.h"
#include "brio/ops/elementwise/elementwise.h"
#include "brio/ops/linear_algebra/einsum_equation.h"
#include "brio/ops/linear_algebra/matrix_parts.h"
#include "brio/ops/linear_algebra/products.h"
#include "brio/ops/reductions/reduction.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

using Labels = std::string;

bool has(const Labels& labels, char label) { return labels.find(label) != Labels::npos; }
// Those of `labels` for which `keep` holds, in their order.
template <typename F>
Labels those(const Labels& labels, F keep) {
  Labels some;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(some), keep);
  return some;
}
Labels common(const Labels& labels, const Labels& others) {
  return those(labels, [&](char label) { return has(others, label); });
}
Labels without(const Labels& labels, const Labels& others) {
  return those(labels, [&](char label) { return !has(others, label); });
}

// A tensor whose axes have labels, each once.
struct Term {
  Tensor x;
  Labels labels;
};

// How a pair becomes one matrix product: the labels of each group in an order that moves as little as can be.
struct Arrangement {
  Labels batch, rows, inner, columns;
  bool swapped = false;  // the second operand on the left
  double moved = std::numeric_limits<double>::infinity();
};

class Einsum {
 public:
  Einsum(EinsumEquation equation, std::span<const Tensor> operands) : equation_(std::move(equation)) {
    for (size_t i = 0; i < operands.size(); ++i)
      terms_.push_back(diagonal(without_single({operands[i], equation_.operands[i]})));
    // Labels that one term alone has are summed first. Products keep no such label.
    for (Term& term : terms_) {
      const Labels labels = term.labels;
      term.labels.clear();  // so that it does not count as another term
      const Labels gone = those(labels, [&](char label) { return !kept(label); });
      term = summed({term.x, labels}, gone);
    }
  }

  Tensor result() {
    while (terms_.size() > 1) {
      const auto [i, j] = cheapest_pair();
      const Term a = terms_[i], b = terms_[j];
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(j));
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(i));
      terms_.push_back(product(a, b));
    }
    // An axis of an ellipsis that is 1 everywhere has gone; the shape brings it back.
    const Tensor last = ordered(terms_[0], common(equation_.output, terms_[0].labels));
    return last.rank() == static_cast<int>(equation_.output.size()) ? last
                                                                    : reshape(last, shape_of(equation_.output));
  }

 private:
  Shape shape_of(const Labels& labels) const {
    std::vector<Size> dims;
    for (const char label : labels) dims.push_back(equation_.size_of(label));
    return checked_shape("einsum", dims);
  }
  // To compare costs by. A size that is not known is as a batch often is.
  double elements(const Labels& labels) const {
    double count = 1;
    for (const char label : labels) {
      const Size size = equation_.size_of(label);
      count *= static_cast<double>(size.known() ? int64_t{size} : 64);
    }
    return count;
  }
  // Is the label read later: in the output, or by a term that waits?
  bool kept(char label) const {
    return has(equation_.output, label) ||
           std::ranges::any_of(terms_, [&](const Term& term) { return has(term.labels, label); });
  }

  // Axes of an ellipsis broadcast: where they are 1, they are left out.
  static Term without_single(const Term& term) {
    Labels labels;
    Shape shape;
    for (int axis = 0; axis < term.x.rank(); ++axis) {
      const char label = term.labels[static_cast<size_t>(axis)];
      if (EinsumEquation::broadcasts(label) && term.x.shape()[axis] == 1) continue;
      labels += label;
      shape.push_back(term.x.shape()[axis]);
    }
    return {labels.size() == term.labels.size() ? term.x : reshape(term.x, shape), labels};
  }

  // The diagonal of axes that have the same label.
  static Term diagonal(const Term& term) {
    for (size_t first = 0; first < term.labels.size(); ++first) {
      const size_t second = term.labels.find(term.labels[first], first + 1);
      if (second == Labels::npos) continue;
      std::vector<int> order;
      Labels labels;
      for (size_t axis = 0; axis < term.labels.size(); ++axis)
        if (axis != first && axis != second) {
          order.push_back(static_cast<int>(axis));
          labels += term.labels[axis];
        }
      order.push_back(static_cast<int>(first));
      order.push_back(static_cast<int>(second));
      return diagonal({linalg::diag_part(transpose(term.x, order)), labels + term.labels[first]});
    }
    return term;
  }

  static Term summed(const Term& term, const Labels& gone) {
    if (gone.empty()) return term;
    std::vector<int> axes;
    for (const char label : gone) axes.push_back(static_cast<int>(term.labels.find(label)));
    return {sum(term.x, Axes(axes)), without(term.labels, gone)};
  }

  static Tensor ordered(const Term& term, const Labels& order) {
    if (term.labels == order) return term.x;
    std::vector<int> permutation;
    for (const char label : order) permutation.push_back(static_cast<int>(term.labels.find(label)));
    return transpose(term.x, permutation);
  }

  std::pair<size_t, size_t> cheapest_pair() const {
    std::pair<size_t, size_t> best{0, 1};
    if (terms_.size() == 2) return best;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < terms_.size(); ++i)
      for (size_t j = i + 1; j < terms_.size(); ++j) {
        const Labels &a = terms_[i].labels, &b = terms_[j].labels, all = a + without(b, a);
        const Labels left = those(all, [&](char label) {
          if (has(equation_.output, label)) return true;
          for (size_t k = 0; k < terms_.size(); ++k)
            if (k != i && k != j && has(terms_[k].labels, label)) return true;
          return false;
        });
        // What is multiplied, and by how much the tensors grow.
        const double cost = elements(all) + elements(left) - elements(a) - elements(b);
        if (cost < least) {
          least = cost;
          best = {i, j};
        }
      }
    return best;
  }

  Term product(const Term& a, const Term& b) const {
    const Labels shared = common(a.labels, b.labels), batch = those(shared, [&](char c) { return kept(c); }),
                 inner = without(shared, batch);
    const bool same_labels = shared.size() == a.labels.size() && shared.size() == b.labels.size();
    if (inner.empty()) return multiplied(a, b);
    if (!same_labels) return contracted(a, b, batch, inner);
    const Tensor like_a = ordered(b, a.labels);
    if (!batch.empty()) return summed({a.x * like_a, a.labels}, inner);
    return {dot(reshape(a.x, {-1}), reshape(like_a, {-1})), {}};
  }

  // Elementwise, each spread over the other's labels.
  Term multiplied(const Term& a, const Term& b) const {
    const Labels all = a.labels + without(b.labels, a.labels);
    const Labels order = terms_.empty() ? common(equation_.output, all) : all;
    const auto spread = [&](const Term& term) {
      const Labels own = common(order, term.labels);
      std::vector<Size> dims;
      for (const char label : order) dims.push_back(has(own, label) ? equation_.size_of(label) : Size(1));
      return reshape(ordered(term, own), checked_shape("einsum", dims));
    };
    return {spread(a) * spread(b), order};
  }

  // One matrix product per batch.
  Term contracted(const Term& a, const Term& b, const Labels& batch, const Labels& inner) const {
    const Arrangement how = arrange(a, b, batch, inner);
    const Term &left = how.swapped ? b : a, &right = how.swapped ? a : b;
    const bool transpose_a = left.labels == how.batch + how.inner + how.rows && !how.rows.empty();
    const bool transpose_b = right.labels == how.batch + how.columns + how.inner && !how.columns.empty();
    const Tensor x =
        matrices(left, how.batch, transpose_a ? how.inner : how.rows, transpose_a ? how.rows : how.inner);
    const Tensor y =
        matrices(right, how.batch, transpose_b ? how.columns : how.inner, transpose_b ? how.inner : how.columns);
    const Labels result = how.batch + how.rows + how.columns;
    return {reshape(matmul(x, y, {.transpose_a = transpose_a, .transpose_b = transpose_b}), shape_of(result)),
            result};
  }

  Tensor matrices(const Term& term, const Labels& batch, const Labels& rows, const Labels& columns) const {
    const auto count = [&](const Labels& labels) { return shape_of(labels).elements(); };
    const Tensor x = ordered(term, batch + rows + columns);
    return batch.empty() ? reshape(x, Shape{count(rows), count(columns)})
                         : reshape(x, Shape{count(batch), count(rows), count(columns)});
  }

  Arrangement arrange(const Term& a, const Term& b, const Labels& batch, const Labels& inner) const {
    const Labels& output = equation_.output;
    const bool last = terms_.empty();
    const auto orders = [&](const Labels& group, const Term& term) {
      std::vector<Labels> result{common(term.labels, group)};
      if (last && common(output, group) != result[0]) result.push_back(common(output, group));
      return result;
    };
    std::vector<Labels> batches = orders(batch, a), inners{common(a.labels, inner)};
    if (common(b.labels, batch) != batches[0]) batches.push_back(common(b.labels, batch));
    if (common(b.labels, inner) != inners[0]) inners.push_back(common(b.labels, inner));
    const auto rows = orders(without(a.labels, batch + inner), a),
               columns = orders(without(b.labels, batch + inner), b);
    Arrangement best;
    const auto try_one = [&](const Arrangement& how) {
      const Term &left = how.swapped ? b : a, &right = how.swapped ? a : b;
      const auto fits = [&](const Term& term, const Labels& one, const Labels& other) {
        return term.labels == how.batch + one + other || term.labels == how.batch + other + one;
      };
      const Labels result = how.batch + how.rows + how.columns;
      const double moved = (fits(left, how.rows, how.inner) ? 0 : elements(left.labels)) +
                           (fits(right, how.inner, how.columns) ? 0 : elements(right.labels)) +
                           (!last || common(output, result) == result ? 0 : elements(result));
      if (moved >= best.moved) return;
      best = how;
      best.moved = moved;
    };
    for (const Labels& one_batch : batches)
      for (const Labels& one_inner : inners)
        for (const Labels& one_rows : rows)
          for (const Labels& one_columns : columns) {
            try_one({.batch = one_batch, .rows = one_rows, .inner = one_inner, .columns = one_columns});
            try_one(
                {.batch = one_batch, .rows = one_columns, .inner = one_inner, .columns = one_rows, .swapped = true});
            if (best.moved == 0) return best;
          }
    return best;
  }

  EinsumEquation equation_;
  std::vector<Term> terms_;  // those that wait
};

}  // namespace

Tensor einsum(std::string_view equation, std::span<const Tensor> operands) {
  const std::string_view self = "einsum";
  std::vector<Shape> shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Tensor& x = required(self, operands[i], static_cast<int>(i));
    if (x.dtype() == boolean)
      throw_invalid(self,
                    cat("equation '", equation, "': takes numbers, but operand ", i, " is bool; cast it first"));
    if (x.dtype() != operands[0].dtype())
      throw_invalid(self, cat("equation '", equation, "': operand 0 is ", operands[0].dtype(), ", but operand ", i,
                              " is ", x.dtype(), "; cast one of them"));
    shapes.push_back(x.shape());
  }
  return Einsum(EinsumEquation(equation, shapes), operands).result();
}
Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands) {
  return einsum(equation, std::span<const Tensor>(operands.begin(), operands.size()));
}

}  // namespace brio
