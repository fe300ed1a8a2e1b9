// Pages of HTML that stand alone: one file with its style and its charts, nothing else is loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace brio::html {

std::string escaped(std::string_view text);
std::string page(std::string_view title, std::string_view body);
std::string preformatted(std::string_view text);

// Lines over a common axis; stacked, each is drawn on top of the one before and filled.
struct Line {
  std::string name;
  std::vector<double> values;  // one for each place on the axis; what is not finite is left out
};
struct Chart {
  std::string title = {};
  std::string begin = {}, end = {};  // what stands below the two ends of the axis
  std::vector<Line> lines = {};
  std::vector<double> places = {};  // on the axis; by themselves 0, 1, 2 …
  bool stacked = false, from_zero = false;
  std::string (*label)(double) = nullptr;  // of a height; by itself a plain number
};
std::string chart(const Chart& chart);  // empty where there is nothing to draw

}  // namespace brio::html
