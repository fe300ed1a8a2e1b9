#include "brio/base/html.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "brio/base/error.h"

namespace brio::html {
namespace {

constexpr const char* kStyle = R"(
body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}
table{border-collapse:collapse;font-size:.85em}td,th{padding:.25em .5em;border:1px solid #ddd;text-align:right}
th{font-weight:600;text-align:left}svg{background:#fafafa;border:1px solid #ddd}pre{overflow-x:auto;background:#fafafa;padding:1em}
.warn li{color:#8a5a00}.legend span{margin-right:1.5em}
)";
constexpr const char* kColours[] = {"#1f6feb", "#d1570b", "#1a7f37", "#8250df",
                                    "#bf3989", "#6e7781", "#9a6700", "#0a7ea4"};
constexpr double kWidth = 640, kHeight = 220, kLeft = 70, kTop = 12, kBottom = 26, kRight = 12;

const char* colour(size_t i) { return kColours[i % std::size(kColours)]; }

std::string plain_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// Where things are drawn.
class Plane {
 public:
  Plane(const Chart& chart, const std::vector<std::vector<double>>& heights) {
    for (const auto& line : heights) {
      count_ = std::max(count_, line.size());
      for (const double value : line)
        if (std::isfinite(value)) low_ = std::min(low_, value), high_ = std::max(high_, value);
    }
    if (chart.stacked || chart.from_zero) low_ = std::min(low_, 0.0);
    if (high_ == low_) high_ = low_ + 1;
    if (!chart.places.empty()) first_ = chart.places.front(), last_ = chart.places.back();
    else if (count_ > 1) last_ = static_cast<double>(count_ - 1);
  }
  bool empty() const { return count_ == 0 || !(high_ >= low_); }
  double low() const { return low_; }
  double high() const { return high_; }
  double x(const Chart& chart, size_t i) const {
    const double place = i < chart.places.size() ? chart.places[i] : static_cast<double>(i);
    return kLeft + (kWidth - kLeft - kRight) * (last_ > first_ ? (place - first_) / (last_ - first_) : 0.5);
  }
  double y(double value) const { return kTop + (kHeight - kTop - kBottom) * (high_ - value) / (high_ - low_); }

 private:
  size_t count_ = 0;
  double low_ = INFINITY, high_ = -INFINITY, first_ = 0, last_ = 0;
};

std::string axes(const Chart& chart, const Plane& plane) {
  std::string svg;
  for (int i = 0; i <= 4; ++i) {
    const double value = plane.low() + (plane.high() - plane.low()) * i / 4;
    svg += cat("<line x1=\"", kLeft, "\" x2=\"", kWidth - kRight, "\" y1=\"", plane.y(value), "\" y2=\"",
               plane.y(value), "\" stroke=\"#e5e5e5\"/><text x=\"", kLeft - 6, "\" y=\"", plane.y(value) + 4,
               "\" font-size=\"11\" text-anchor=\"end\">", chart.label ? chart.label(value) : plain_number(value),
               "</text>\n");
  }
  return svg + cat("<text x=\"", kLeft, "\" y=\"", kHeight - 8, "\" font-size=\"11\">", escaped(chart.begin),
                   "</text><text x=\"", kWidth - kRight, "\" y=\"", kHeight - 8,
                   "\" font-size=\"11\" text-anchor=\"end\">", escaped(chart.end), "</text>\n");
}

std::string points(const Chart& chart, const Plane& plane, const std::vector<double>& heights) {
  std::string text;
  for (size_t i = 0; i < heights.size(); ++i)
    if (std::isfinite(heights[i])) text += cat(plane.x(chart, i), ",", plane.y(heights[i]), " ");
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string page(std::string_view title, std::string_view body) {
  return cat("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", escaped(title),
             "</title><style>", kStyle, "</style></head><body>\n<h1>", escaped(title), "</h1>\n", body,
             "</body></html>\n");
}

std::string preformatted(std::string_view text) { return cat("<pre>", escaped(text), "</pre>\n"); }

std::string chart(const Chart& chart) {
  std::vector<std::vector<double>> heights;
  for (const Line& line : chart.lines) {
    heights.push_back(line.values);
    if (!chart.stacked || heights.size() == 1) continue;
    const std::vector<double>& below = heights[heights.size() - 2];
    for (size_t i = 0; i < heights.back().size() && i < below.size(); ++i) heights.back()[i] += below[i];
  }
  const Plane plane(chart, heights);
  if (plane.empty()) return {};
  std::string svg =
      cat("<h2>", escaped(chart.title), "</h2>\n<svg viewBox=\"0 0 ", kWidth, " ", kHeight, "\" width=\"", kWidth,
          "\" role=\"img\" aria-label=\"", escaped(chart.title), "\">\n", axes(chart, plane));
  for (size_t k = heights.size(); k-- > 0;) {  // of what is filled the highest first: the rest lies in front
    const std::string shape = points(chart, plane, heights[k]);
    if (shape.empty()) continue;
    const double right = plane.x(chart, heights[k].size() - 1), left = plane.x(chart, 0);
    if (chart.stacked)
      svg += cat("<polygon fill=\"", colour(k), "\" points=\"", left, ",", plane.y(0), " ", shape, right, ",",
                 plane.y(0), "\"/>\n");
    else
      svg += cat("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"", colour(k), "\" points=\"", shape, "\"/>\n");
  }
  svg += "</svg>\n<p class=\"legend\">";
  for (size_t k = 0; k < chart.lines.size(); ++k)
    svg += cat("<span style=\"color:", colour(k), "\">", escaped(chart.lines[k].name), "</span>");
  return svg + "</p>\n";
}

}  // namespace brio::html
