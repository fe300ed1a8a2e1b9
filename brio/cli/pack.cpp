// brio pack SRC OUT: sharded TFRecords of Examples, each shard with a side index, and a manifest. A shard appears
// whole, under its name, or not at all; what was finished before a kill is kept by the next run.
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/file.h>
#include <unistd.h>
#include <cmath>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "brio/base/error.h"
#include "brio/base/shown_bytes.h"
#include "brio/cli/arguments.h"
#include "brio/cli/file_kind.h"
#include "brio/cli/pack_source.h"
#include "brio/cli/progress.h"
#include "brio/formats/example_scan.h"
#include "brio/formats/seal.h"
#include "brio/formats/tfrecord.h"
#include "brio/tensor/strings.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using formats::Compression;
using formats::RecordWriter;
using Json = nlohmann::ordered_json;

constexpr const char* kPackHelp = R"(brio pack SRC OUT [options]: sharded TFRecords with side indexes

SRC  a directory of pictures (its subdirectories are the classes), TFRecord
     files or .csv files: a directory, a file, or a pattern in quotes
OUT  a directory for NAME-00000-of-00010.tfrecord …, their .idx, and NAME.json

  --shards N          how many shards, or
  --shard-size MB     about how large each is (default 128)
  --resize HxW        resize pictures (bilinear)
  --decode            store pixels (uint8, RGB), not files
  --augment N         N changed copies of each picture beside it (at most 100):
                      mirrored or not, turned by up to 10 degrees, 85 to 100 %
                      of each side cut out, lighter or darker by up to 10 %;
                      image/copy is their number, 0 the picture as it is
  --compression TYPE  GZIP or ZLIB; such shards have no index
  --shuffle           write the items in a random order
  --seed S            of that order and of the copies (default 0)
  --on-error skip     leave out what is broken, and list it (default: fail)
  --name NAME         of the shards (default: that of OUT)
  --json              the summary for machines
  --quiet             no summary but what was skipped, and no measuring for it

What an earlier run has finished is kept.
Exit codes: 0 done, 1 failed, 2 misused.
)";

std::string dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

struct Speed {
  double items = 0, bytes = 0;  // a second
};

// Reads for a while, again and again where there is little.
Speed speed_of(const data::Dataset& dataset, int64_t all) {
  const auto begin = std::chrono::steady_clock::now();
  data::Iterator iterator = dataset.repeat().iterator(0);
  data::Item item;
  double items = 0, bytes = 0, seconds = 0;
  for (bool more = true; more && (seconds < 0.1 || (seconds < 0.7 && items < static_cast<double>(all)));) {
    try {
      more = iterator.next(item);
      items += more;
      for (const Tensor& part : item)
        bytes += part.dtype() == DType::string ? static_cast<double>(string_at(part.array(), 0).size())
                                               : static_cast<double>(part.array().aval.bytes());
    } catch (const Error&) {
    }
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return {items / seconds, bytes / seconds};
}

// What the features of an Example are, by the first one.
Json features_of(std::string_view example) {
  Json features = Json::object();
  formats::scan_example(
      example, {},
      [&](std::string_view key, const formats::FeatureView& feature, const formats::wire::Message& message) {
        features[std::string(key)] = {{"kind", std::string(name_of(feature.kind()))},
                                      {"values", feature.count(message)}};
      });
  return features;
}

// Holds OUT, until it or its process ends, against a second run that would clear away what this one is writing.
class OnlyOne {
 public:
  explicit OnlyOne(const std::string& directory)
      : fd_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(fd_);
      throw ResourceError(cat(directory, ": another brio pack is writing there"));
    }
  }
  OnlyOne(const OnlyOne&) = delete;
  OnlyOne& operator=(const OnlyOne&) = delete;
  ~OnlyOne() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  int fd_;
};

class Pack {
 public:
  explicit Pack(const Arguments& arguments)
      : out_(arguments.names()[1]),
        compression_(formats::compression_from_name(arguments.text("--compression"))),
        json_(arguments.has("--json")),
        quiet_(arguments.has("--quiet")) {
    std::tie(options_.height, options_.width) = arguments.height_and_width("--resize", {0, 0});
    const std::string on_error = arguments.text("--on-error", "fail");
    if (on_error != "skip" && on_error != "fail")
      throw Misuse(cat("--on-error is ", on_error, "; it is fail or skip"));
    skip_ = on_error == "skip";
    if (arguments.has("--shards") && arguments.has("--shard-size"))
      throw Misuse("--shards and --shard-size exclude each other");
    options_.decode = arguments.has("--decode");
    options_.augment = arguments.number("--augment", 0, 1, 100);
    options_.shuffle = arguments.has("--shuffle");
    options_.seed = static_cast<uint64_t>(arguments.number("--seed", 0, 0, INT64_MAX));
    shards_ = arguments.number("--shards", 0, 1, 99'999);
    shard_bytes_ = arguments.number("--shard-size", 128, 1, 1'000'000) * 1'000'000;
    name_ = arguments.text("--name", fs::path(out_).lexically_normal().filename().string());
    if (name_.empty() || name_ == "." || name_ == ".." || name_.find('/') != std::string::npos)
      throw Misuse(cat("'", name_, "' is no name for shards; give one by --name"));
    const std::string& source = arguments.names()[0];
    if (is_directory(source) && lies_in(source))
      throw Misuse(cat(out_, " lies in ", source, ", which is packed into it"));
    source_.emplace(open_source(source, options_));
  }

  int run() {
    if (source_->items == 0) throw InvalidArgument("[pack] the source holds no items");
    fs::create_directories(out_);
    const OnlyOne only(out_);
    if (shards_ == 0) shards_ = choose_shards();
    shards_ = std::min(shards_, source_->items);
    Json manifest = plan();
    manifest["errors"] = check_earlier_run();
    manifest["complete"] = false;
    write_manifest(manifest);
    for (const std::string& left : shard_files(true)) fs::remove(left);
    write_shards(manifest);
    finish(manifest);
    return 0;
  }

 private:
  std::string shard_path(int64_t shard) const {
    char number[64];
    std::snprintf(number, sizeof number, "-%05lld-of-%05lld", static_cast<long long>(shard),
                  static_cast<long long>(shards_));
    return cat(out_, "/", name_, number, ".tfrecord");
  }
  // The shards of this name that lie in OUT, or what a killed run has left of some.
  std::vector<std::string> shard_files(bool unfinished) const {
    const std::string number = "[0-9][0-9][0-9][0-9][0-9]";
    const std::string name =
        cat("-", number, "-of-", number, ".tfrecord", unfinished ? "*.[0-9]*.[0-9]*.brio-part" : "");
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(out_))
      if (const std::string file = entry.path().filename().string();
          file.starts_with(name_) && ::fnmatch(name.c_str(), file.c_str() + name_.size(), 0) == 0)
        found.push_back(entry.path().string());
    return found;
  }
  bool lies_in(const fs::path& source) const {
    const fs::path inner = fs::weakly_canonical(out_), outer = fs::canonical(source);
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
  }
  std::string manifest_path() const { return cat(out_, "/", name_, ".json"); }
  int64_t first_of(int64_t shard) const {
    return source_->items / shards_ * shard + std::min(source_->items % shards_, shard);
  }

  int64_t choose_shards() const {
    double bytes = 0, items = 0;
    data::Iterator iterator = source_->examples.take(32).iterator(0);
    for (data::Item item;;) {
      try {
        if (!iterator.next(item)) break;
        bytes += static_cast<double>(string_at(item[0].array(), 0).size());
        ++items;
      } catch (const Error&) {
      }
    }
    const double all = items > 0 ? bytes / items * static_cast<double>(source_->items) : 0;
    return std::clamp<int64_t>(std::llround(all / static_cast<double>(shard_bytes_)), 1, 99'999);
  }

  Json plan() const {
    Json json = {{"format", "brio pack 1"}, {"source", source_->kind}, {"items", source_->items}};
    json["fingerprint"] = source_->fingerprint;
    json["shards"] = shards_;
    json["resize"] = options_.height == 0 ? Json() : Json{options_.height, options_.width};
    json["decode"] = options_.decode;
    json["augment"] = options_.augment;
    json["shuffle"] = options_.shuffle;
    json["seed"] = options_.seed;
    json["compression"] = std::string(name_of(compression_));
    json["class_names"] = source_->class_names;
    return json;
  }
  void write_manifest(const Json& json) const {
    formats::write_file(manifest_path(), formats::sealed_json(dumped(json, 2)));
  }

  // Throws where that was of other items or options. Returns what it has left out, by shard.
  Json check_earlier_run() const {
    if (!fs::exists(manifest_path())) {
      if (shard_files(false).empty()) return Json::object();
      throw InvalidArgument(cat(out_, " holds shards of that name, but no ", name_,
                                ".json that says how they were made; remove them or choose another OUT"));
    }
    const Json before = Json::parse(formats::read_file(manifest_path()), nullptr, false);
    const Json now = Json::parse(dumped(plan()));
    for (const auto& [key, value] : now.items())
      if (!before.is_object() || !before.contains(key) || before[key] != value)
        throw InvalidArgument(cat(manifest_path(), " is of another run: its ", key, " is ",
                                  before.is_object() && before.contains(key) ? dumped(before[key]) : "missing",
                                  ", not ", cut(dumped(value), 60), "; remove ", out_, " or choose another OUT"));
    return before.contains("errors") && before["errors"].is_object() ? before["errors"] : Json::object();
  }

  // Was it written whole by an earlier run?
  bool is_finished(int64_t shard) const {
    const std::string path = shard_path(shard);
    if (!fs::exists(path)) return false;
    try {
      if (compression_ == Compression::none) {
        formats::read_index(formats::InputFile(path));
      } else {
        formats::RecordReader reader(path, {.compression = compression_});
        for (std::string_view record; reader.next(record);) {
        }
      }
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void write_shards(Json& manifest) {
    WorkBar bar("packing", source_->items);
    std::optional<data::Iterator> iterator;
    int64_t at = -1;  // of the iterator
    for (int64_t shard = 0; shard < shards_; ++shard) {
      const int64_t first = first_of(shard), end = first_of(shard + 1);
      bar.show(first);
      if (is_finished(shard)) {
        ++kept_;
        continue;
      }
      if (at != first) iterator.emplace(source_->examples.skip(first).iterator(0));
      RecordWriter writer(shard_path(shard), {.compression = compression_});
      Json errors = Json::array();
      data::Item item;
      for (at = first; at < end; ++at) {
        bar.show(at);
        bool more = true;
        try {
          more = iterator->next(item);
        } catch (const Error& error) {
          if (!skip_) throw;
          errors.emplace_back(error.what());
          continue;
        }
        if (!more) throw ResourceError("the source now has fewer items than when it was opened");
        writer.write(string_at(item[0].array(), 0));
      }
      // A shard that is there has its errors in the manifest, also for the run that will keep it.
      Json& known = manifest["errors"];
      const bool listed = known.erase(cat(shard)) > 0;
      if (!errors.empty()) known[cat(shard)] = std::move(errors);
      if (listed || known.contains(cat(shard))) write_manifest(manifest);
      writer.commit();
      if (compression_ == Compression::none) formats::write_index(writer.index(), formats::InputFile(writer.path()));
    }
  }

  void finish(Json& manifest) {
    uint64_t bytes = 0;
    int64_t records = 0;
    std::vector<std::string> paths;
    for (int64_t shard = 0; shard < shards_; ++shard) {
      const std::string path = shard_path(shard);
      paths.push_back(path);
      int64_t count = 0;
      formats::RecordReader reader(path, {.compression = compression_});
      std::string_view record;
      if (compression_ == Compression::none) {
        if (!manifest.contains("features") && reader.next(record)) manifest["features"] = features_of(record);
        count = static_cast<int64_t>(formats::read_index(reader.file()).size());
      } else {
        for (; reader.next(record); ++count)
          if (!manifest.contains("features")) manifest["features"] = features_of(record);
      }
      manifest["files"].push_back(
          {{"file", fs::path(path).filename().string()}, {"records", count}, {"bytes", reader.file().size()}});
      bytes += reader.file().size();
      records += count;
    }
    manifest["records"] = records;
    manifest["skipped"] = source_->items - records;
    manifest["complete"] = true;
    write_manifest(manifest);
    std::vector<std::string> skipped;
    for (int64_t shard = 0; shard < shards_; ++shard)
      if (const auto errors = manifest["errors"].find(cat(shard)); errors != manifest["errors"].end())
        for (const Json& error : *errors) skipped.push_back(error.is_string() ? error.get<std::string>() : "");
    if (quiet_) {
      for (const std::string& error : skipped) std::fprintf(stderr, "skipped: %s\n", error.c_str());
      return;
    }
    const Speed before = speed_of(source_->ready, records);
    const Speed after = speed_of(unpacked(paths, name_of(compression_), source_->kind == "pictures"), records);
    if (json_) {
      Json summary = {{"records", records},
                      {"skipped", source_->items - records},
                      {"shards", shards_},
                      {"kept", kept_},
                      {"bytes_before", source_->bytes},
                      {"bytes_after", bytes},
                      {"items_a_second_before", before.items},
                      {"items_a_second_after", after.items}};
      summary["errors"] = skipped;
      std::printf("%s\n", dumped(summary).c_str());
      return;
    }
    for (const std::string& error : skipped) std::printf("skipped: %s\n", error.c_str());
    std::printf("%lld %s in %lld shards", static_cast<long long>(records), source_->kind.c_str(),
                static_cast<long long>(shards_));
    if (kept_ > 0) std::printf(", %lld of them from an earlier run", static_cast<long long>(kept_));
    if (records < source_->items) std::printf(", %lld skipped", static_cast<long long>(source_->items - records));
    std::printf("\n%-8s %12s %16s %14s\n", "", "size", "items a second", "a second");
    const auto row = [](const char* name, uint64_t size, const Speed& speed) {
      std::printf("%-8s %12s %16.0f %14s\n", name, shown_bytes(static_cast<double>(size)).c_str(), speed.items,
                  shown_bytes(speed.bytes).c_str());
    };
    row("before", source_->bytes, before);
    row("after", bytes, after);
  }

  std::string out_, name_;
  PackOptions options_;
  Compression compression_;
  bool json_, quiet_, skip_ = false;
  int64_t shards_ = 0, shard_bytes_ = 0, kept_ = 0;
  std::optional<PackSource> source_;
};

}  // namespace

int run_pack(Words words) {
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    std::fputs(kPackHelp, stdout);
    return 0;
  }
  const Arguments arguments(
      words, {"--decode", "--shuffle", "--json", "--quiet"},
      {"--shards", "--shard-size", "--resize", "--augment", "--seed", "--compression", "--on-error", "--name"});
  if (arguments.names().size() != 2) throw Misuse("takes SRC and OUT");
  return Pack(arguments).run();
}

}  // namespace brio::cli
