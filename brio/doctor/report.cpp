// The verdict for machines, and for people.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "brio/base/error.h"
#include "brio/doctor/verdict.h"

namespace brio::doctor {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kColumns = 80, kLines = 24;

double rounded(double value) {
  if (!std::isfinite(value)) return 0;
  const double scale = value == 0 ? 1 : std::pow(10.0, 5 - std::ceil(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

const char* name_of(How how) { return how == How::tried ? "tried" : how == How::computed ? "computed" : "none"; }

Json to_json(const Finding& f) {
  Json evidence = Json::object();
  for (const auto& [name, figure] : f.evidence) {
    if (const auto* number = std::get_if<double>(&figure)) evidence[name] = rounded(*number);
    else evidence[name] = std::get<std::string>(figure);
  }
  return {{"id", f.id},
          {"where", f.where},
          {"evidence", std::move(evidence)},
          {"remedy", f.remedy},
          {"gain",
           {{"factor", rounded(f.gain.factor)},
            {"low", rounded(f.gain.low)},
            {"high", rounded(f.gain.high)},
            {"how", name_of(f.gain.how)}}},
          {"confidence", rounded(f.confidence)}};
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Lines of at most 80 columns; a longer one goes on in the next, as often as is allowed, and is cut there.
class Page {
 public:
  void add(const std::string& text, size_t indent = 0, size_t most = 1) {
    const size_t first = std::min(text.find_first_not_of(' '), text.size());
    std::string line(first, ' ');
    size_t used = 0;
    size_t at = first;
    const auto push = [&](bool last) {
      if (lines_.size() < kLines && used < most) lines_.push_back(last && at < text.size() ? cut(line) : line);
      ++used;
      line = std::string(indent, ' ');
    };
    while (at < text.size()) {
      size_t end = text.find(' ', at);
      if (end == std::string::npos) end = text.size();
      const std::string word = text.substr(at, end - at);
      if (columns_of(line) + columns_of(word) + 1 > kColumns && !line.empty() && columns_of(line) > indent) {
        if (used + 1 == most) break;
        push(false);
      }
      line += (line.empty() || line.back() == ' ' ? "" : " ") + word;
      at = end + 1;
      if (at > text.size()) break;
    }
    push(true);
  }
  void add_as_is(std::string line) {
    if (lines_.size() < kLines) lines_.push_back(std::move(line));
  }
  size_t left() const { return kLines - lines_.size(); }
  std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += line.substr(0, byte_of_column(line, kColumns)) + "\n";
    return all;
  }

 private:
  static std::string cut(const std::string& line) {
    const size_t end = byte_of_column(line, kColumns - 2);
    return line.substr(0, end) + " …";
  }
  static size_t byte_of_column(const std::string& text, size_t column) {
    size_t i = 0;
    for (; i < text.size(); ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80 && column-- == 0) break;
    return i;
  }
  std::vector<std::string> lines_;
};

// How far the step by itself is from what the machine could do.
struct Distance {
  double products = 0, memory = 0;  // shares of the two peaks
};
std::optional<Distance> distance_to_peak(const Evidence& e) {
  const profile::Trials& t = e.trials;
  if (t.alone <= 0 || t.peak_flops <= 0 || t.peak_memory <= 0) return {};
  return Distance{t.flops / t.alone / t.peak_flops, t.bytes / t.alone / t.peak_memory};
}

void add_parts(const Evidence& e, Page& page) {
  constexpr size_t kBar = 40;
  std::vector<Part> parts = e.parts_by_time();
  if (parts.size() > 6) parts.resize(6);
  for (const Part part : parts) {
    const double share = e.share(part);
    const size_t filled = std::min(kBar, static_cast<size_t>(std::llround(share * kBar)));
    std::string bar;
    for (size_t k = 0; k < kBar; ++k) bar += k < filled ? "█" : "·";
    char head[32], tail[48];
    std::snprintf(head, sizeof head, "  %-11s", meaning_of(part));
    std::snprintf(tail, sizeof tail, " %4s  %s", percent(share).c_str(), duration(e.part(part)).c_str());
    page.add_as_is(head + bar + tail);
  }
}

}  // namespace

const char* meaning_of(Part part) {
  switch (part) {
    case Part::host: return "own code";
    case Part::input: return "input";
    case Part::record: return "recording";
    case Part::trace: return "tracing";
    case Part::plan: return "planning";
    case Part::run: return "compute";
    case Part::read: return "reading";
    case Part::callbacks: return "callbacks";
    case Part::checkpoint: return "checkpoint";
    case Part::metrics: return "metrics";
    case Part::evaluation: return "evaluation";
    case Part::trial: return "trials";
  }
  return "";
}

std::string Verdict::json() const {
  const Evidence& e = evidence;
  Json time = Json::object();
  for (size_t i = 0; i < profile::kParts; ++i)
    if (static_cast<Part>(i) != Part::trial)
      time[std::string(profile::kPartNames[i])] = e.step > 0 ? rounded(e.parts[i] / e.step) : 0;
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(to_json(finding));
  const double epoch = e.steps_an_epoch > 0 ? e.step * static_cast<double>(e.steps_an_epoch)
                       : e.epochs > 0       ? e.wall / static_cast<double>(e.epochs)
                                            : 0;
  Json all = {{"version", 1},
              {"steps", e.steps},
              {"step_ms", {{"median", rounded(e.median * 1e3)}, {"p90", rounded(e.p90 * 1e3)}}},
              {"epoch_s", rounded(epoch)},
              {"time", std::move(time)},
              {"findings", std::move(list)},
              {"recorder", {{"bytes", recorder_bytes}, {"share", rounded(recorder_share)}}}};
  if (const auto distance = distance_to_peak(e))
    all["machine"] = {{"step_ms_alone", rounded(e.trials.alone * 1e3)},
                      {"gflops", rounded(e.trials.flops / e.trials.alone * 1e-9)},
                      {"peak_gflops", rounded(e.trials.peak_flops * 1e-9)},
                      {"gb_a_second", rounded(e.trials.bytes / e.trials.alone * 1e-9)},
                      {"peak_gb_a_second", rounded(e.trials.peak_memory * 1e-9)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string Verdict::screen() const {
  const Evidence& e = evidence;
  Page page;
  if (e.steps == 0) {
    page.add("brio doctor: no step of training was seen");
    return page.text();
  }
  const char* kind = e.kind == profile::RunKind::fit             ? "fit"
                     : e.kind == profile::RunKind::function_loop ? "a loop over a function"
                                                                 : "an eager loop";
  page.add(cat("brio doctor: ", e.steps, " steps of ", kind,
               e.rows > 0 ? cat(", ", std::llround(e.rows), " samples each") : std::string()));
  page.add(cat("a step: ", duration(e.step), " (median ", duration(e.median), ", nine of ten below ", duration(e.p90),
               ")"));
  if (e.steps_an_epoch > 0)
    page.add(cat("an epoch: ", duration(e.step * static_cast<double>(e.steps_an_epoch)), ", the run of ",
                 e.epochs_asked, ": ", duration(e.step * static_cast<double>(e.steps_an_epoch * e.epochs_asked))));
  add_parts(e, page);
  if (const auto distance = distance_to_peak(e))
    page.add(cat("the step alone: ", duration(e.trials.alone), "; products at ", percent(distance->products),
                 " of this machine's peak, memory at ", percent(distance->memory)));
  int number = 0;
  bool any = false;
  for (const Finding& f : findings) {
    const bool pays = f.gain.how != How::none && f.gain.factor >= 1 + kWorthSaying;
    any |= pays;
    if (page.left() < 4) break;
    page.add(cat(++number, ". ", f.id, " at ", f.where), 3, 1);
    page.add("   " + f.symptom, 3, page.left() > 8 ? 2 : 1);
    page.add("   > " + f.remedy, 5, page.left() > 8 ? 2 : 1);
    page.add(f.gain.how == How::none
                 ? "   what it would gain was not measured"
                 : cat("   ", factor_text(f.gain.factor), " times as fast (", factor_text(f.gain.low), " to ",
                       factor_text(f.gain.high), ", ", name_of(f.gain.how), "), ", percent(f.confidence), " sure"));
  }
  if (!any) page.add("nothing to gain above 5%");
  return page.text();
}

}  // namespace brio::doctor
