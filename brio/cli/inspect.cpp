// brio inspect PATH…: what files hold: kind, counts, features or columns, shapes, and some samples.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "brio/base/error.h"
#include "brio/base/shown_bytes.h"
#include "brio/cli/arguments.h"
#include "brio/cli/example_picture.h"
#include "brio/cli/file_kind.h"
#include "brio/cli/progress.h"
#include "brio/cli/sheet.h"
#include "brio/formats/csv.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/example_scan.h"
#include "brio/formats/idx.h"
#include "brio/formats/lines.h"
#include "brio/formats/npz.h"
#include "brio/formats/tfrecord.h"
#include "brio/ir/tensor.h"
#include "brio/tensor/strings.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using formats::FeatureKind;
using formats::FeatureView;
using Json = nlohmann::ordered_json;

constexpr int64_t kSampled = 100;  // records that are looked into
constexpr size_t kShownLines = 3;

// The first values of a feature.
std::string shown_values(const FeatureView& feature, const formats::wire::Message& message) {
  std::string text;
  int64_t count = 0;
  const auto add = [&](const auto& value) {
    if (++count > 4) return;
    text += cat(count == 1 ? "" : ", ", value);
  };
  if (feature.kind() == FeatureKind::bytes)
    feature.each<std::string_view>(message, [&](std::string_view value) {
      add(value.size() > 40 ? cat(value.size(), " bytes") : bytes_literal(value));
    });
  else if (feature.kind() == FeatureKind::floats) feature.each<float>(message, [&](float value) { add(value); });
  else if (feature.kind() == FeatureKind::ints) feature.each<int64_t>(message, [&](int64_t value) { add(value); });
  return count > 4 ? text + ", …" : text;
}

void look_into(std::string_view record, const formats::Origin& origin, Json& features) {
  formats::scan_example(record, origin,
                        [&](std::string_view key, const FeatureView& feature, const formats::wire::Message& message) {
                          const int64_t count = feature.count(message);
                          Json& row = features[std::string(key)];
                          if (row.is_null())
                            row = {{"kind", std::string(name_of(feature.kind()))},
                                   {"values", {count, count}},
                                   {"examples", 0},
                                   {"first", shown_values(feature, message)}};
                          row["examples"] = row["examples"].get<int64_t>() + 1;
                          row["values"] = {std::min(row["values"][0].get<int64_t>(), count),
                                           std::max(row["values"][1].get<int64_t>(), count)};
                        });
}

Json records_in(const KnownFile& file, Sheet* sheet) {
  Json json;
  if (file.compression != formats::Compression::none) json["compression"] = std::string(name_of(file.compression));
  formats::RecordReader reader(file.path, {.compression = file.compression});
  int64_t records = 0;
  uint64_t shortest = UINT64_MAX, longest = 0;
  Json features = Json::object();
  bool examples = true;
  for (uint64_t at = 0; records < kSampled || (sheet && !sheet->full() && records < 10 * kSampled); ++records) {
    at = reader.position();
    std::string_view record;
    if (!reader.next(record)) break;
    shortest = std::min<uint64_t>(shortest, record.size());
    longest = std::max<uint64_t>(longest, record.size());
    const formats::Origin origin{file.path, at + formats::kRecordHeader};
    try {
      if (examples && records < kSampled) look_into(record, origin, features);
      if (Pixels pixels; sheet && examples && decode_picture_in(record, origin, pixels))
        sheet->add(std::move(pixels));
    } catch (const formats::DataError&) {
      if (features.empty()) examples = false;  // records of another kind
    }
  }
  const int64_t sampled = std::min(records, kSampled);
  while (reader.skip()) ++records;
  json["records"] = records;
  json["indexed"] = fs::exists(formats::index_path(file.path));
  if (records > 0) json["record_bytes"] = {shortest, longest};
  if (examples && !features.empty()) {
    json["looked_into"] = sampled;
    json["features"] = std::move(features);
  }
  return json;
}

Json array_in(const formats::ArrayFile& file) {
  Json json = {{"dtype", std::string(info(file.aval().dtype).name)}, {"shape", Json::array()}};
  for (const int64_t dim : file.aval().shape) json["shape"].push_back(dim);
  return json;
}

// Pictures among the rows of an array: uint8 (rows, height, width) or (rows, height, width, 1 or 3).
void add_rows(const formats::ArrayFile& file, Sheet& sheet) {
  const Shape& shape = file.aval().shape;
  const bool grey = shape.rank() == 3 || (shape.rank() == 4 && shape[3] == 1);
  if (file.aval().dtype != u8 || !(grey || (shape.rank() == 4 && shape[3] == 3))) return;
  std::vector<uint8_t> row(file.row_bytes());
  for (int64_t i = 0; i < file.rows() && !sheet.full(); ++i) {
    file.read_rows(i, 1, row.data());
    Pixels pixels{shape[1], shape[2], {}};
    for (const uint8_t value : row)
      for (int k = 0; k < (grey ? 3 : 1); ++k) pixels.rgb.push_back(value);
    sheet.add(std::move(pixels));
  }
}

Json table_in(const std::string& path) {
  const formats::CsvOptions options{.header = true};
  formats::CsvRows rows(formats::in_order(formats::ReadAt(path)), {path}, options);
  const std::vector<formats::CsvColumn> columns =
      formats::infer_csv_columns(formats::in_order(formats::ReadAt(path)), {path}, options);
  Json json = {{"rows", 0}, {"columns", Json::object()}};
  for (size_t i = 0; i < columns.size() && i < rows.names().size(); ++i)
    json["columns"][rows.names()[i]] = {{"dtype", std::string(info(columns[i].dtype).name)}, {"first", ""}};
  int64_t count = 0;
  for (; rows.next(); ++count)
    for (size_t i = 0; count == 0 && i < std::min(rows.fields(), rows.names().size()); ++i)
      json["columns"][rows.names()[i]]["first"] = std::string(rows.field(i));
  json["rows"] = count;
  return json;
}

Json lines_in(const std::string& path) {
  formats::LineReader reader(formats::in_order(formats::ReadAt(path)), {path});
  Json first = Json::array();
  int64_t lines = 0;
  for (std::string_view line; reader.next(line); ++lines)
    if (first.size() < kShownLines) first.push_back(std::string(line.substr(0, 200)));
  return {{"lines", lines}, {"first", first}};
}

Json picture_in_file(const std::string& path, Sheet* sheet) {
  const std::string bytes = formats::read_file(path);
  const formats::PictureInfo info = formats::picture_info(bytes, {path});
  if (sheet && !sheet->full()) {
    Pixels pixels;
    decode_rgb(bytes, {path}, pixels);
    sheet->add(std::move(pixels));
  }
  return {{"format", std::string(name_of(info.format))},
          {"height", info.height},
          {"width", info.width},
          {"channels", info.channels},
          {"bit_depth", info.bit_depth},
          {"orientation", info.orientation}};
}

// What `brio pack` says of its shards; of other JSON nothing.
Json manifest_in(const std::string& path) {
  const Json manifest = Json::parse(formats::read_file(path), nullptr, false);
  Json json = Json::object();
  if (!manifest.is_object() || manifest.value("format", "") != "brio pack 1") return json;
  for (const char* key : {"source", "records", "skipped", "shards", "resize", "decode", "complete", "class_names"})
    if (manifest.contains(key)) json[key] = manifest[key];
  return json;
}

Json contents_of(const KnownFile& file, Sheet* sheet) {
  switch (file.kind) {
    case FileKind::tfrecord: return records_in(file, sheet);
    case FileKind::picture: return picture_in_file(file.path, sheet);
    case FileKind::npy:
    case FileKind::idx: {
      const formats::ArrayFile array =
          file.kind == FileKind::npy ? formats::open_npy(formats::ReadAt(file.path)) : formats::open_idx(file.path);
      if (sheet) add_rows(array, *sheet);
      return array_in(array);
    }
    case FileKind::npz: {
      const formats::NpzReader reader{formats::ReadAt(file.path)};
      Json json = {{"arrays", Json::object()}};
      for (const std::string& name : reader.names()) {
        const Array array = reader.read(name);
        Json& row =
            json["arrays"][name] = {{"dtype", std::string(info(array.aval.dtype).name)}, {"shape", Json::array()}};
        for (const int64_t dim : array.aval.shape) row["shape"].push_back(dim);
      }
      return json;
    }
    case FileKind::csv: return table_in(file.path);
    case FileKind::text: return lines_in(file.path);
    case FileKind::index:
      return {{"records", formats::parse_index(formats::read_file(file.path), {file.path}).index.size()}};
    case FileKind::json: return manifest_in(file.path);
    case FileKind::keras:
    case FileKind::hdf5:
    case FileKind::safetensors:
    case FileKind::cache:
    case FileKind::other: break;
  }
  return Json::object();
}

Json inspect_file(const std::string& path, Sheet* sheet) {
  const KnownFile file = look_at(path);
  Json json = {{"path", path}, {"kind", std::string(name_of(file.kind))}, {"bytes", file.bytes}};
  json.update(contents_of(file, sheet));
  return json;
}

// A directory: how much of each kind, the classes of its pictures, and the first file of each kind.
Json inspect_directory(const std::string& path, Sheet* sheet, bool& broken) {
  std::map<FileKind, std::vector<KnownFile>> kinds;
  std::map<std::string, int64_t> classes;
  const std::vector<std::string> files = files_below(path);
  for (const std::string& file : files) {
    const KnownFile known = look_at(file);
    kinds[known.kind].push_back(known);
    const fs::path below = fs::relative(file, path);
    if (known.kind == FileKind::picture && below.has_parent_path()) ++classes[below.begin()->string()];
  }
  Json json = {{"path", path}, {"kind", "directory"}, {"files", files.size()}, {"kinds", Json::object()}};
  for (const auto& [kind, of_kind] : kinds) {
    uint64_t bytes = 0;
    for (const KnownFile& file : of_kind) bytes += file.bytes;
    json["kinds"][std::string(name_of(kind))] = {{"files", of_kind.size()}, {"bytes", bytes}};
  }
  for (const auto& [name, count] : classes) json["classes"][name] = count;
  json["first"] = Json::array();
  for (const auto& [kind, of_kind] : kinds) {
    if (kind >= FileKind::json) continue;  // files that go with others, and what is no data
    // Thumbnails come from all over the directory.
    const size_t step = sheet ? std::max<size_t>(1, of_kind.size() / Sheet::kMost) : of_kind.size();
    for (size_t i = 0; i < of_kind.size(); i += step) {
      try {
        Json file = inspect_file(of_kind[i].path, sheet);
        if (i == 0) json["first"].push_back(std::move(file));
      } catch (const Error& error) {
        broken = true;
        std::fprintf(stderr, "brio inspect: %s\n", error.what());
      }
      if (sheet && sheet->full()) break;
    }
  }
  return json;
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string row_text(const Json& row) {
  if (!row.is_object()) return plain(row);
  if (row.contains("values")) {  // a feature
    const int64_t least = row["values"][0].get<int64_t>(), most = row["values"][1].get<int64_t>();
    return cat(plain(row["kind"]), " × ", least == most ? cat(least) : cat(least, "–", most), "  ",
               plain(row["first"]));
  }
  std::string text;
  for (const auto& [key, value] : row.items())
    text += cat(text.empty() ? "" : "  ", key == "files" || key == "first" ? cat(key, " ") : "",
                key == "bytes" ? shown_bytes(value.get<double>()) : plain(value));
  return text;
}

void print_rows(const Json& rows, const std::string& indent) {
  size_t width = 0;
  for (const auto& [name, row] : rows.items()) width = std::max(width, std::min<size_t>(30, name.size()));
  for (const auto& [name, row] : rows.items()) {
    const std::string shown = cut(name, 30);
    std::printf("%s%-*s  %s\n", indent.c_str(), static_cast<int>(width), shown.c_str(),
                cut(row_text(row), 76 - indent.size() - width).c_str());
  }
}

void print(const Json& json, const std::string& indent = "") {
  std::printf("%s%s\n", indent.c_str(), json["path"].get<std::string>().c_str());
  for (const auto& [key, value] : json.items()) {
    if (key == "path") continue;
    if (key == "first" && value.is_array() && !value.empty() && value[0].is_object()) {
      for (const Json& file : value) print(file, indent + "  ");
    } else if (value.is_object()) {
      std::printf("%s  %s:\n", indent.c_str(), key.c_str());
      print_rows(value, indent + "    ");
    } else {
      const std::string text = key == "bytes" ? shown_bytes(value.get<double>()) : plain(value);
      std::printf("%s  %s: %s\n", indent.c_str(), key.c_str(), cut(text, 70 - indent.size()).c_str());
    }
  }
}

}  // namespace

int run_inspect(Words words) {
  const Arguments arguments(words, {"--json"}, {"--sheet"});
  if (arguments.names().empty()) throw Misuse("takes files or directories");
  Sheet sheet;
  Sheet* const wanted = arguments.has("--sheet") ? &sheet : nullptr;
  Json all = Json::array();
  bool broken = false;
  for (const std::string& name : arguments.names()) {
    if (is_directory(name)) {
      all.push_back(inspect_directory(name, wanted, broken));
      continue;
    }
    for (const std::string& file : files_below(name)) all.push_back(inspect_file(file, wanted));
  }
  if (arguments.has("--json")) std::printf("%s\n", all.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  else
    for (const Json& each : all) print(each);
  if (wanted) sheet.write(arguments.text("--sheet"));
  return broken ? 1 : 0;
}

}  // namespace brio::cli
