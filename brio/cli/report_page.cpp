#include "brio/cli/report_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "brio/base/error.h"

namespace brio::cli {
namespace {

constexpr const char* kStyle = R"(
body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}
table{border-collapse:collapse;font-size:.85em}td,th{padding:.25em .5em;border:1px solid #ddd;text-align:right}
th{font-weight:600;text-align:left}svg{background:#fafafa;border:1px solid #ddd}pre{overflow-x:auto;background:#fafafa;padding:1em}
.warn li{color:#8a5a00}.legend span{margin-right:1.5em}
)";
constexpr const char *kTraining = "#1f6feb", *kValidation = "#d1570b";

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

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string list_of(const std::vector<std::string>& lines, const char* kind = "") {
  if (lines.empty()) return {};
  std::string text = cat("<ul class=\"", kind, "\">\n");
  for (const std::string& line : lines) text += cat("<li>", escaped(line), "</li>\n");
  return text + "</ul>\n";
}

// One number of the logs over the epochs, beside the same of the validation.
std::string curve(const train::History& history, const std::string& name) {
  constexpr double kWidth = 640, kHeight = 220, kLeft = 60, kTop = 12, kBottom = 26, kRight = 12;
  std::vector<const std::vector<double>*> lines = {&history[name]};
  if (history.has("val_" + name)) lines.push_back(&history["val_" + name]);
  double low = INFINITY, high = -INFINITY;
  size_t count = 0;
  for (const auto* line : lines) {
    count = std::max(count, line->size());
    for (const double value : *line)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  }
  if (count < 1 || !(high >= low)) return {};
  if (high == low) high = low + 1;
  const auto x = [&](size_t i) {
    return kLeft +
           (kWidth - kLeft - kRight) * (count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.5);
  };
  const auto y = [&](double value) { return kTop + (kHeight - kTop - kBottom) * (high - value) / (high - low); };
  std::string svg = cat("<h2>", escaped(name), "</h2>\n<svg viewBox=\"0 0 ", kWidth, " ", kHeight, "\" width=\"",
                        kWidth, "\" role=\"img\" aria-label=\"", escaped(name), " by epoch\">\n");
  for (int i = 0; i <= 4; ++i) {
    const double value = low + (high - low) * i / 4;
    svg += cat("<line x1=\"", kLeft, "\" x2=\"", kWidth - kRight, "\" y1=\"", y(value), "\" y2=\"", y(value),
               "\" stroke=\"#e5e5e5\"/><text x=\"", kLeft - 6, "\" y=\"", y(value) + 4,
               "\" font-size=\"11\" text-anchor=\"end\">", number(value), "</text>\n");
  }
  svg += cat("<text x=\"", kLeft, "\" y=\"", kHeight - 8, "\" font-size=\"11\">epoch 1</text><text x=\"",
             kWidth - kRight, "\" y=\"", kHeight - 8, "\" font-size=\"11\" text-anchor=\"end\">epoch ", count,
             "</text>\n");
  for (size_t k = 0; k < lines.size(); ++k) {
    svg +=
        cat("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"", k == 0 ? kTraining : kValidation, "\" points=\"");
    for (size_t i = 0; i < lines[k]->size(); ++i)
      if (std::isfinite((*lines[k])[i])) svg += cat(x(i), ",", y((*lines[k])[i]), " ");
    svg += "\"/>\n";
  }
  svg += "</svg>\n";
  svg +=
      cat("<p class=\"legend\"><span style=\"color:", kTraining, "\">training ", number(lines[0]->back()), "</span>");
  if (lines.size() > 1)
    svg += cat("<span style=\"color:", kValidation, "\">validation ", number(lines[1]->back()), "</span>");
  return svg + "</p>\n";
}

// Rows are what it is, columns what was said.
std::string confusion_of(const Scores& scores) {
  if (scores.classes.empty() || scores.classes.size() > 60) return {};
  std::string text = "<table>\n<tr><th>is \\ said</th>";
  for (const std::string& name : scores.classes) text += cat("<th>", escaped(name), "</th>");
  text += "</tr>\n";
  for (size_t i = 0; i < scores.classes.size(); ++i) {
    int64_t all = 0;
    for (const int64_t count : scores.confusion[i]) all += count;
    text += cat("<tr><th>", escaped(scores.classes[i]), "</th>");
    for (size_t k = 0; k < scores.classes.size(); ++k) {
      const double share = all > 0 ? static_cast<double>(scores.confusion[i][k]) / static_cast<double>(all) : 0;
      char shade[64];
      std::snprintf(shade, sizeof shade, "background:rgba(%s,%.2f)", i == k ? "31,111,235" : "209,87,11", share);
      text += cat("<td style=\"", shade, "\">", scores.confusion[i][k], "</td>");
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string scored(const char* what, const std::optional<Scores>& scores) {
  if (!scores) return {};
  return cat("<h2>", what, "</h2>\n<pre>", escaped(scores->str()), "</pre>\n", confusion_of(*scores));
}

}  // namespace

std::string ReportPage::html() const {
  std::string text = cat("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", escaped(title),
                         "</title><style>", kStyle, "</style></head><body>\n<h1>", escaped(title), "</h1>\n",
                         list_of(summary), "<h2>What was found</h2>\n", list_of(found), list_of(warnings, "warn"));
  for (const auto& [name, values] : history.columns)
    if (!name.starts_with("val_") && name != "learning_rate") text += curve(history, name);
  text += scored("Validation", validation);
  text += scored("Test", test);
  if (!input.empty()) text += cat("<h2>Where the time of the input went</h2>\n<pre>", escaped(input), "</pre>\n");
  return text + "</body></html>\n";
}

}  // namespace brio::cli
