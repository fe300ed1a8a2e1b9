#include "brio/base/html.h"

#include <gtest/gtest.h>

#include <cmath>

namespace brio::html {
namespace {

size_t count(const std::string& text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Html, TextsAreNoTags) {
  EXPECT_EQ(escaped("a < b && \"c\""), "a &lt; b &amp;&amp; &quot;c&quot;");
  const std::string made = page("<script>", preformatted("</pre>"));
  EXPECT_EQ(made.find("<script>"), std::string::npos);
  EXPECT_EQ(count(made, "</pre>"), 1u);
}

TEST(Html, ChartsLeaveOutWhatIsNotFinite) {
  const std::string made = chart(
      {.title = "loss", .begin = "1", .end = "3", .lines = {{"training", {3, NAN, 1}}, {"none", {NAN, NAN, NAN}}}});
  EXPECT_EQ(count(made, "<polyline"), 1u);
  EXPECT_EQ(made.find("nan"), std::string::npos);
  EXPECT_EQ(chart({.title = "loss"}), "");
  EXPECT_EQ(chart({.title = "loss", .lines = {{"a", {INFINITY}}}}), "");
}

TEST(Html, StackedLinesLieOnEachOther) {
  const std::string made = chart({.title = "parts", .lines = {{"a", {1, 1}}, {"b", {3, 3}}}, .stacked = true});
  EXPECT_EQ(count(made, "<polygon"), 2u);
  EXPECT_NE(made.find(">4</text>"), std::string::npos) << made;  // the axis goes up to their sum
  EXPECT_NE(made.find(">0</text>"), std::string::npos) << made;
}

TEST(Html, PlacesSetPointsApart) {
  const std::string made = chart({.title = "t", .lines = {{"a", {0, 1, 2}}}, .places = {0, 1, 10}});
  const size_t begin = made.find("points=\"");
  ASSERT_NE(begin, std::string::npos);
  double x[3], y[3];
  ASSERT_EQ(std::sscanf(made.c_str() + begin, "points=\"%lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2),
            6);
  EXPECT_NEAR((x[2] - x[0]) / (x[1] - x[0]), 10, 0.1);
  EXPECT_GT(y[0], y[2]);  // upwards
}

}  // namespace
}  // namespace brio::html
