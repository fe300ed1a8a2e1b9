// brio verify PATH…: reads every byte, compares the checksums, decodes what can be decoded, and lists what is broken.
// Exit codes: 0 all was checked and is whole; 1 something is broken; 3 nothing is, but some files could not be
// checked, because they are of unknown kinds or of kinds that others write without a checksum.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/cli/arguments.h"
#include "brio/cli/example_picture.h"
#include "brio/cli/file_kind.h"
#include "brio/cli/progress.h"
#include "brio/data/dataset.h"
#include "brio/data/transforms/cache_store.h"
#include "brio/formats/csv.h"
#include "brio/formats/example_scan.h"
#include "brio/formats/idx.h"
#include "brio/formats/lines.h"
#include "brio/formats/npz.h"
#include "brio/formats/seal.h"
#include "brio/formats/tfrecord.h"
#include "brio/formats/zip.h"
#include "brio/tensor/strings.h"
#include "brio/train/run_state.h"

namespace brio::cli {
namespace {

using formats::DataError;
using Json = nlohmann::ordered_json;

// What was found in one file.
struct Findings {
  int64_t records = 0, pictures = 0, rows = 0, unknown = 0, without_checksum = 0;
  Json broken = Json::array();

  void add(const DataError& error) {
    broken.push_back({{"file", error.file()}, {"offset", error.offset()}, {"reason", error.reason()}});
  }
  void add(const std::string& file, std::string_view reason) {
    broken.push_back({{"file", file}, {"offset", nullptr}, {"reason", std::string(reason)}});
  }
};

bool is_example(std::string_view record) {
  int64_t features = 0;
  try {
    formats::scan_example(record, {}, [&](auto&&...) { ++features; });
  } catch (const Error&) {
    return false;
  }
  return features > 0;
}

void check_records(const KnownFile& file, Findings& found) {
  formats::RecordReader reader(file.path, {.compression = file.compression});
  Pixels pixels;
  bool examples = false;
  for (uint64_t at = 0;;) {
    try {
      at = reader.position();
      std::string_view record;
      if (!reader.next(record)) break;
      if (found.records++ == 0) examples = is_example(record);
      if (!examples) continue;  // records of another kind: their checksums are all there is to compare
      if (decode_picture_in(record, {file.path, at + formats::kRecordHeader}, pixels, true)) ++found.pictures;
    } catch (const DataError& error) {
      found.add(error);
      if (reader.lost()) break;
    }
  }
  if (!std::filesystem::exists(formats::index_path(file.path))) return;
  try {
    formats::read_index(reader.file());
  } catch (const DataError& error) {
    found.add(error);
  }
}

void check_csv(const std::string& path, Findings& found) {
  formats::CsvRows rows(formats::in_order(formats::ReadAt(path)), {path}, {});
  size_t fields = 0;
  for (;;) {
    try {
      if (!rows.next()) return;
      if (found.rows++ == 0) fields = rows.fields();
      if (rows.fields() != fields)
        rows.fail_row(cat("it has ", rows.fields(), " fields, but the first row has ", fields));
    } catch (const DataError& error) {
      found.add(error);
    }
  }
}

// A file that another one stands for is there.
void require(const std::string& path, const std::filesystem::path& other, Findings& found) {
  if (std::error_code error; !std::filesystem::exists(other, error))
    found.add(path, cat(path, ": ", other.string(), ", which goes with it, is not there"));
}

// What a manifest lists is there: the shards of `brio pack` and of Dataset.save(), as long as it says, and the
// numbers of checkpoints and of saved models.
void check_json(const std::string& path, Findings& found) {
  formats::check_seal(formats::InputFile(path), formats::Seal::json);
  const Json json = Json::parse(formats::read_file(path), nullptr, false);
  if (json.is_discarded()) throw DataError({path}, 0, "this is no JSON");
  if (!json.is_object()) return;
  const auto text = [&](const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  const std::filesystem::path here(path);
  if (text("format") == "brio run 1") {  // its tensors too have the checksums that it lists
    train::read_run_state(path.substr(0, path.rfind(".json")));
    return;
  }
  if (text("format") == "brio checkpoint 1")
    require(path, path.substr(0, path.rfind(".json")) + ".safetensors", found);
  if (text("format") == "brio saved model 1") require(path, here.parent_path() / text("values"), found);
  const bool pack = text("format") == "brio pack 1";
  if (!pack && text("format") != "brio dataset 1") return;
  if (pack && !json.value("complete", false))
    throw DataError({path}, 0, "the pack is not complete; run brio pack again");
  for (const Json& each : json.value("files", Json::array())) {
    const std::filesystem::path file = std::filesystem::path(path).parent_path() / each.value("file", "");
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file, error);
    if (error) found.add(file.string(), cat(file.string(), ": ", error.message(), "; ", path, " lists it"));
    else if (bytes != each.value("bytes", uint64_t{0}))
      found.add(file.string(), cat(file.string(), ": it has ", bytes, " bytes, but ", path, " says ",
                                   each.value("bytes", uint64_t{0})));
  }
}

// Every member of a .keras file has a checksum, whoever wrote it.
void check_keras(const std::string& path) {
  if (formats::check_seal(formats::InputFile(path), formats::Seal::binary)) return;
  const formats::ZipReader zip{formats::ReadAt(path)};
  std::string buffer(size_t{1} << 20, '\0');
  for (const formats::ZipMember& member : zip.members()) {
    formats::ZipStream stream(zip, member);
    while (stream.left() > 0) stream.read(buffer.data(), std::min<uint64_t>(buffer.size(), stream.left()));
  }
}

void check_file(const std::string& path, Findings& found) {
  const KnownFile file = look_at(path);
  switch (file.kind) {
    case FileKind::tfrecord: return check_records(file, found);
    case FileKind::picture: {
      Pixels pixels;
      decode_rgb(formats::read_file(path), {path}, pixels, true);
      ++found.pictures;
      return;
    }
    case FileKind::npy: formats::read_npy(path); return;
    case FileKind::npz: {
      const formats::NpzReader reader{formats::ReadAt(path)};
      for (const std::string& name : reader.names()) reader.read(name);
      return;
    }
    case FileKind::idx: formats::open_idx(path).read(); return;
    case FileKind::csv: return check_csv(path, found);
    case FileKind::index:  // is compared with its shard, which must be there
      if (const std::string shard = path.substr(0, path.rfind(".idx")); !std::filesystem::exists(shard))
        throw DataError({path}, 0, cat("the shard of this index, ", shard, ", is not there"));
      formats::parse_index(formats::read_file(path), {path});
      return;
    case FileKind::text:
      formats::LineFile{formats::ReadAt(path)};
      formats::check_seal(formats::InputFile(path), formats::Seal::text);
      return;
    case FileKind::keras: return check_keras(path);
    case FileKind::hdf5:
      if (!formats::check_seal(formats::InputFile(path), formats::Seal::binary)) ++found.without_checksum;
      return;
    case FileKind::safetensors:
      if (!formats::check_seal(formats::InputFile(path), formats::Seal::safetensors)) ++found.without_checksum;
      return;
    case FileKind::cache: found.records += data::check_file_cache(path); return;
    case FileKind::json: return check_json(path, found);
    case FileKind::other: ++found.unknown; return;
  }
}

std::string findings_in(const std::string& path) {
  Findings found;
  try {
    check_file(path, found);
  } catch (const DataError& error) {
    found.add(error);
  } catch (const Error& error) {
    found.add(path, error.what());
  }
  const Json json = {found.records, found.pictures, found.rows, found.unknown, found.without_checksum, found.broken};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

int run_verify(Words words) {
  const Arguments arguments(words, {"--json"}, {});
  if (arguments.names().empty()) throw Misuse("takes files or directories");
  std::vector<std::string> files;
  for (const std::string& name : arguments.names())
    for (std::string& file : files_below(name)) files.push_back(std::move(file));
  const data::Dataset reports = data::range(static_cast<int64_t>(files.size())).map([&files](data::Sample& sample) {
    sample.write_text(0, findings_in(files[static_cast<size_t>(*sample.read<int64_t>(0))]));
  });
  int64_t done = 0, sums[5] = {};
  Json broken = Json::array();
  {
    WorkBar bar("verifying", static_cast<int64_t>(files.size()));
    data::Iterator iterator = reports.iterator(0);
    for (data::Item item; iterator.next(item); bar.show(++done)) {
      const Json report = Json::parse(string_at(item[0].array(), 0));
      for (size_t i = 0; i < std::size(sums); ++i) sums[i] += report[i].get<int64_t>();
      for (const Json& each : report[std::size(sums)]) broken.push_back(each);
    }
  }
  constexpr int kWhole = 0, kBroken = 1, kNotChecked = 3;  // 2: misused
  const int code = !broken.empty() ? kBroken : sums[3] + sums[4] > 0 ? kNotChecked : kWhole;
  if (arguments.has("--json")) {
    const Json summary = {{"files", done},   {"records", sums[0]}, {"pictures", sums[1]},
                          {"rows", sums[2]}, {"unknown", sums[3]}, {"without_checksum", sums[4]},
                          {"broken", broken}};
    std::printf("%s\n", summary.dump().c_str());
    return code;
  }
  for (const Json& each : broken) {
    const auto file = each["file"].get<std::string>(), reason = each["reason"].get<std::string>();
    if (each["offset"].is_null()) std::printf("%s\n", reason.c_str());
    else
      std::printf("%s: at byte %llu: %s\n", file.c_str(), each["offset"].get<unsigned long long>(), reason.c_str());
  }
  std::printf("%lld files, %lld records, %lld pictures, %lld rows: %zu broken", static_cast<long long>(done),
              static_cast<long long>(sums[0]), static_cast<long long>(sums[1]), static_cast<long long>(sums[2]),
              broken.size());
  if (sums[3] > 0) std::printf("; %lld files of unknown kinds were not checked", static_cast<long long>(sums[3]));
  if (sums[4] > 0)
    std::printf("; %lld files carry no checksum and were not checked", static_cast<long long>(sums[4]));
  std::printf("\n");
  return code;
}

}  // namespace brio::cli
