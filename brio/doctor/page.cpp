// The verdict as a page: the findings, a step, the steps over time, memory by owner over time.
#include <algorithm>

#include "brio/base/error.h"
#include "brio/base/html.h"
#include "brio/doctor/verdict.h"

namespace brio::doctor {
namespace {

std::string waterfall(const Evidence& e) {
  constexpr double kWidth = 640, kRow = 22, kLeft = 110, kRight = 130;
  const std::vector<Part> parts = e.parts_by_time();
  const double height = kRow * static_cast<double>(parts.size()) + 8, scale = (kWidth - kLeft - kRight) / e.step;
  std::string svg = cat("<h2>A step: ", duration(e.step), "</h2>\n<svg viewBox=\"0 0 ", kWidth, " ", height,
                        "\" width=\"", kWidth, "\" role=\"img\" aria-label=\"the parts of a step\">\n");
  double before = 0, y = 4;
  for (const Part part : parts) {
    const double took = e.part(part);
    svg +=
        cat("<text x=\"", kLeft - 8, "\" y=\"", y + 15, "\" font-size=\"12\" text-anchor=\"end\">", meaning_of(part),
            "</text><rect x=\"", kLeft + before * scale, "\" y=\"", y + 3, "\" width=\"", std::max(1.0, took * scale),
            "\" height=\"", kRow - 6, "\" fill=\"#1f6feb\"/><text x=\"", kWidth - kRight + 8, "\" y=\"", y + 15,
            "\" font-size=\"12\">", duration(took), ", ", percent(took / e.step), "</text>\n");
    before += took;
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string timeline(const Evidence& e) {
  html::Chart chart{
      .title = "The newest steps, by what they did", .begin = "0 s", .stacked = true, .label = duration};
  for (const TimedStep& step : e.timeline) chart.places.push_back(step.at);
  if (chart.places.size() < 2) return {};
  chart.end = duration(chart.places.back());
  for (const Part part : e.parts_by_time()) {
    html::Line& line = chart.lines.emplace_back(html::Line{meaning_of(part), {}});
    for (const TimedStep& step : e.timeline) line.values.push_back(step.parts[static_cast<size_t>(part)]);
  }
  return html::chart(chart);
}

std::string memory(const Evidence& e) {
  if (e.samples.size() < 2) return {};
  html::Chart chart{.title = "Memory by owner", .begin = "0 s", .from_zero = true, .label = size_text};
  html::Line resident{"all that is resident", {}};
  for (const profile::Sample& sample : e.samples) {
    chart.places.push_back(profile::seconds_of(sample.at - e.samples[0].at));
    resident.values.push_back(static_cast<double>(sample.rss));
  }
  chart.end = duration(chart.places.back());
  chart.lines.push_back(std::move(resident));
  for (size_t i = 0; i < e.gauges.size(); ++i) {
    if (!profile::is_owner(e.gauges[i])) continue;
    html::Line line{e.gauges[i], {}};
    for (const profile::Sample& sample : e.samples) line.values.push_back(static_cast<double>(sample.gauges[i]));
    if (*std::ranges::max_element(line.values) > 0) chart.lines.push_back(std::move(line));
  }
  return html::chart(chart);
}

std::string shown(const Finding& f) {
  const std::string gain =
      f.gain.how == How::none ? "not measured" : cat(factor_text(f.gain.factor), " times as fast");
  return cat("<tr><th>", html::escaped(f.id), "</th><th>", html::escaped(f.where), "</th><th>",
             html::escaped(f.symptom), "</th><th><code>", html::escaped(f.remedy), "</code></th><th>", gain,
             "</th></tr>\n");
}

}  // namespace

std::string Verdict::charts() const {
  return evidence.steps == 0 ? std::string() : waterfall(evidence) + timeline(evidence) + memory(evidence);
}

std::string Verdict::html() const {
  std::string body = html::preformatted(screen());
  if (!findings.empty()) {
    body +=
        "<h2>Findings</h2>\n<table>\n<tr><th>what</th><th>where</th><th>seen</th><th>change</th><th>gain</th></tr>\n";
    for (const Finding& finding : findings) body += shown(finding);
    body += "</table>\n";
  }
  return html::page("brio doctor", body + charts());
}

}  // namespace brio::doctor
