#include "brio/train/logs.h"

#include <cmath>
#include <cstdio>
#include <ostream>

#include "brio/base/error.h"
#include "brio/train/callback.h"

namespace brio::train {
namespace {

template <typename Rows>
[[noreturn]] void throw_no_log(std::string_view name, const Rows& rows) {
  std::string known;
  for (const auto& row : rows) known += cat(known.empty() ? "" : ", ", row.first);
  throw InvalidArgument(cat("[logs] there is no '", name, "'; there is ", known.empty() ? "nothing yet" : known));
}

}  // namespace

const Logs::Row* Logs::find(std::string_view name) const {
  for (const Row& row : rows_)
    if (row.first == name) return &row;
  return nullptr;
}

void Logs::set(std::string_view name, double value) {
  for (Row& row : rows_)
    if (row.first == name) {
      row.second = value;
      return;
    }
  rows_.emplace_back(name, value);
}

double Logs::operator[](std::string_view name) const {
  if (const Row* row = find(name)) return row->second;
  throw_no_log(name, rows_);
}

std::ostream& operator<<(std::ostream& out, const Logs& logs) {
  bool first = true;
  for (const auto& [name, value] : logs) {
    if (!std::exchange(first, false)) out << " - ";
    out << name << ": " << shown_number(value);
  }
  return out;
}

void History::append(int64_t number, const Logs& logs) {
  epoch.push_back(number);
  for (const auto& [name, value] : logs) {
    Column* column = nullptr;
    for (Column& c : columns)
      if (c.first == name) column = &c;
    if (!column) column = &columns.emplace_back(name, std::vector<double>());
    column->second.push_back(value);
  }
}

bool History::has(std::string_view name) const {
  for (const Column& column : columns)
    if (column.first == name) return true;
  return false;
}

const std::vector<double>& History::operator[](std::string_view name) const {
  for (const Column& column : columns)
    if (column.first == name) return column.second;
  throw_no_log(name, columns);
}

void HistoryCallback::save(CallbackState& state) const {
  const auto put = [&](const std::string& name, const auto& values) {
    for (size_t i = 0; i < values.size(); ++i) state.numbers[cat(name, "/", i)] = static_cast<double>(values[i]);
  };
  put("", history.epoch);
  std::string& names = state.texts["columns"];
  for (const auto& [name, values] : history.columns) {
    names += name + "\n";
    put(name, values);
  }
}

void HistoryCallback::restore(Progress&, const CallbackState& state) {
  history = {};
  const auto take = [&](const std::string& name, auto& values) {
    while (const auto value = state.find(cat(name, "/", values.size())))
      values.push_back(static_cast<std::decay_t<decltype(values[0])>>(*value));
  };
  take("", history.epoch);
  const auto found = state.texts.find("columns");
  if (found == state.texts.end()) return;
  for (size_t begin = 0; begin < found->second.size();) {
    const size_t end = found->second.find('\n', begin);
    auto& [name, values] =
        history.columns.emplace_back(found->second.substr(begin, end - begin), std::vector<double>());
    take(name, values);
    begin = end + 1;
  }
}

std::string shown_number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), std::abs(value) > 1e-3 ? "%.4f" : "%.4e", value);
  return text;
}

}  // namespace brio::train
