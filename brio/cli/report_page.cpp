#include "brio/cli/report_page.h"

#include <cstdio>

#include "brio/base/error.h"
#include "brio/base/html.h"

namespace brio::cli {
namespace {

using html::escaped;

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
  const auto shown = [&](const char* what, const std::vector<double>& values) {
    return html::Line{values.empty() ? what : cat(what, " ", number(values.back())), values};
  };
  html::Chart chart{.title = name, .begin = "epoch 1", .end = cat("epoch ", history[name].size())};
  chart.lines.push_back(shown("training", history[name]));
  if (history.has("val_" + name)) chart.lines.push_back(shown("validation", history["val_" + name]));
  return html::chart(chart);
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
  return cat("<h2>", what, "</h2>\n", html::preformatted(scores->str()), confusion_of(*scores));
}

}  // namespace

std::string ReportPage::html() const {
  std::string text = cat(list_of(summary), "<h2>What was found</h2>\n", list_of(found), list_of(warnings, "warn"));
  for (const auto& [name, values] : history.columns)
    if (!name.starts_with("val_") && name != "learning_rate") text += curve(history, name);
  text += scored("Validation", validation);
  text += scored("Test", test);
  text += time;
  if (!input.empty()) text += cat("<h2>Where the time of the input went</h2>\n", html::preformatted(input));
  return html::page(title, text);
}

}  // namespace brio::cli
