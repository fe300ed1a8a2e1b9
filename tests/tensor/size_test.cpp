#include "brio/tensor/size.h"

#include <gtest/gtest.h>

#include "brio/base/error.h"
#include "brio/tensor/equal_sizes.h"
#include "brio/tensor/shape.h"

namespace brio {
namespace {

const Size n = Size::unknown(0), m = Size::unknown(1);

TEST(Size, NumbersAreNumbers) {
  const Size five = 5;
  EXPECT_TRUE(five.known());
  EXPECT_EQ(int64_t{five * 3 - 1}, 14);
  EXPECT_EQ((five + 1) / 4, 1);
  EXPECT_EQ(pieces(five, Size(2)), 3);
  EXPECT_EQ(pieces(Size(INT64_MAX), Size(1)), Size(INT64_MAX));
  EXPECT_EQ(five.str(), "5");
  EXPECT_EQ(five.symbols(), 0u);
}

TEST(Size, ExpressionsHaveOneForm) {
  EXPECT_EQ((n + 1) * 2 - n, n + 2);
  EXPECT_EQ((n * 4 + 2) / 2, n * 2 + 1);
  EXPECT_EQ((n * 4 + 3) / 2, n * 2 + 1);
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(n * m * 7 / m, n * 7);
  EXPECT_EQ((n * m + m * 2) / (n + 2), m);
  EXPECT_EQ((n * 3 + 7) % 3, 1);
  EXPECT_EQ(n - n, 0);
  EXPECT_EQ(n - min(n, Size(1)), max(n - 1, Size(0)));  // x[1:] is as long as x[:-1]
  EXPECT_EQ(min(n, m) + max(m, n), n + m);
  EXPECT_EQ(max(n + 2, Size(0)), n + 2);
  EXPECT_EQ(min(n, n + m), n);
}

TEST(Size, ComparesWhereItIsDecidedForAllSizes) {
  EXPECT_TRUE(n == n && n != n + 1 && n < n + 1 && n >= 0 && n > -1 && n <= n + m);
  EXPECT_FALSE(n == 3 || n != 3 || n == m || n != m || n < 0 || n > n + m);
  EXPECT_FALSE(surely_less(n, 3) || surely_less(3, n) || surely_less(n, m) || surely_less(4, 3));
  EXPECT_TRUE(surely_less(n, n + m + 1) && surely_less(3, 4));
  EXPECT_THROW((void)(n < 3), UnknownSize);
  EXPECT_THROW((void)(n >= m), UnknownSize);
  EXPECT_THROW((void)(3 < n), UnknownSize);  // no loop up to an unknown size ends at once
  EXPECT_TRUE(n * 2 + 1 != Size(-4));
}

TEST(Size, FillsInSizes) {
  const Size values[] = {7, 5};
  EXPECT_EQ(((n + 1) / 2 * m).at(values), 20);
  EXPECT_EQ(max(n - 10, Size(0)).at(values), 0);
  EXPECT_EQ(min(n, m).at(values), 5);
  EXPECT_EQ(pieces(n, m).at(values), 2);
  EXPECT_EQ(broadcast(n, m).at({1, 5}), 5);
  EXPECT_EQ(broadcast(n, m).at({5, 1}), 5);
  EXPECT_EQ(broadcast(broadcast(n, m), n), broadcast(n, m));
  EXPECT_EQ(broadcast(m, broadcast(Size::unknown(2), broadcast(n, m))), broadcast(Size::unknown(2), broadcast(n, m)));
  EXPECT_EQ((n + m).at({m, m}), m * 2);
  EXPECT_EQ(((n - 9) / 2).at(values), -1);  // rounds down
  EXPECT_THROW((n + m).at({3}), InvalidArgument);
  EXPECT_THROW((n / m).at({3, 0}), InvalidArgument);
  EXPECT_THROW((n * m).at({INT64_MAX, 4}), InvalidArgument);
}

TEST(Size, IsReadAsItIsWritten) {
  for (const Size size : {Size(0), Size(-3), n, n * 4 + 2, (n + 1) / 2, (n * m + 3) / (m + 1), max(n - 2, m),
                          min(n, m) * 3, broadcast(n, m), pieces(n, Size(3)) * 2 - 1, (n - m) * m - n})
    EXPECT_EQ(Size::parse(size.str()), size) << size.str();
  for (const char* text :
       {"", "n", "n-1", "3+", "(n0", "max(n0)", "n0 n1", "1/0", "n99999", "x", "9223372036854775808"})
    EXPECT_THROW(Size::parse(text), InvalidArgument) << text;
  EXPECT_THROW(Size::parse(std::string(1000, '(') + "1" + std::string(1000, ')')), InvalidArgument);
}

TEST(Size, AsksForNumbers) {
  EXPECT_THROW(static_cast<void>(int64_t{n}), UnknownSize);
  EXPECT_THROW(Size(INT64_MIN), InvalidArgument);
  EXPECT_THROW(Size(INT64_MAX) + 1, InvalidArgument);
  EXPECT_THROW(Size(INT64_MAX) * 2, InvalidArgument);
}

TEST(Size, SymbolsThatMeetAreTakenForEqual) {
  const EqualSizes equal;
  EXPECT_EQ(broadcast(m, n), n);
  EXPECT_EQ(broadcast(Size::unknown(3), m), m);
  const std::vector<Size> sizes = equal.sizes(4);
  EXPECT_EQ(sizes[1], n);
  EXPECT_EQ(sizes[2], Size::unknown(2));
  EXPECT_EQ(sizes[3], n);
}

TEST(Size, ASymbolThatMeetsAnExpressionIsTakenForIt) {
  const EqualSizes equal;
  const Size k = Size::unknown(2);
  EXPECT_TRUE(EqualSizes::note(k, m * 2));
  EXPECT_TRUE(EqualSizes::note(m, n + 1));
  EXPECT_TRUE(EqualSizes::note(k, n * 2 + 2));   // follows
  EXPECT_FALSE(EqualSizes::note(n, n * 2));      // of itself
  EXPECT_FALSE(EqualSizes::note(n * 2, n * 3));  // no symbol
  const std::vector<Size> sizes = equal.sizes(3);
  EXPECT_EQ(sizes[0], n);
  EXPECT_EQ(sizes[1], n + 1);
  EXPECT_EQ(sizes[2], n * 2 + 2);
}

TEST(Size, ManySymbolsAreLookedUpOneByOne) {  // not each among all others
  const EqualSizes equal;
  EXPECT_TRUE(EqualSizes::note(Size::unknown(150000), n));
  const std::vector<Size> sizes = equal.sizes(200000);
  EXPECT_EQ(sizes[150000], n);
  EXPECT_EQ(sizes[149999], Size::unknown(149999));
  EXPECT_EQ(sizes[199999], Size::unknown(199999));
}

TEST(Shape, HoldsUnknownSizes) {
  const Shape shape{n, 3, m};
  EXPECT_FALSE(shape.known());
  EXPECT_EQ(shape.elements(), n * m * 3);
  EXPECT_EQ(shape.str(), "(n0, 3, n1)");
  EXPECT_FALSE(shape == (Shape{5, 3, m}));
  EXPECT_FALSE(shape != (Shape{5, 3, m}));
  EXPECT_TRUE(shape != (Shape{n, 4, m}));
  Shape both;
  EXPECT_TRUE(broadcast(Shape{n, 1}, Shape{1, m}, both));
  EXPECT_EQ(both, (Shape{n, m}));
  EXPECT_TRUE(broadcast(Shape{n, 3}, Shape{30, 3}, both));
  EXPECT_EQ(both, (Shape{30, 3}));
}

}  // namespace
}  // namespace brio
