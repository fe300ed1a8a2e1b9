#include "brio/formats/event_file.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "brio/base/error.h"
#include "brio/formats/wire.h"

namespace brio::formats {
namespace {

// Numbers of the messages' fields and enums: event.proto, summary.proto, tensor.proto, graph.proto of TensorFlow.
enum class DataType : uint64_t { float32 = 1, float64 = 2, string = 7 };
enum class DataClass : uint64_t { scalar = 1, tensor = 2, blob_sequence = 3 };

void append_number(std::string& to, uint32_t field, uint64_t value) {
  wire::append_varint(to, wire::tag(field, wire::kVarint));
  wire::append_varint(to, value);
}
void append_double(std::string& to, uint32_t field, double value) {
  wire::append_varint(to, wire::tag(field, wire::kFixed64));
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string shape_of(std::span<const size_t> sizes) {
  std::string shape;
  for (const size_t size : sizes) {
    std::string axis;
    append_number(axis, 1, size);
    wire::append_bytes(shape, 2, axis);
  }
  return shape;
}

std::string tensor_of(DataType type, std::span<const size_t> sizes, std::string_view content) {
  std::string tensor;
  append_number(tensor, 1, static_cast<uint64_t>(type));
  wire::append_bytes(tensor, 2, shape_of(sizes));
  wire::append_bytes(tensor, 4, content);
  return tensor;
}

std::string tensor_of_texts(std::span<const size_t> sizes, std::span<const std::string_view> texts) {
  std::string tensor;
  append_number(tensor, 1, static_cast<uint64_t>(DataType::string));
  wire::append_bytes(tensor, 2, shape_of(sizes));
  for (const std::string_view text : texts) wire::append_bytes(tensor, 8, text);
  return tensor;
}

std::string metadata_of(std::string_view plugin, DataClass data_class) {
  std::string name, metadata;
  wire::append_bytes(name, 1, plugin);
  wire::append_bytes(metadata, 1, name);
  append_number(metadata, 4, static_cast<uint64_t>(data_class));
  return metadata;
}

std::string path_in(const std::string& directory, std::string_view suffix) {
  static std::atomic<int> files{0};
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw ResourceError(cat("[event file] cannot make the folder '", directory, "': ", error.message()));
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  char begin[64];
  std::snprintf(begin, sizeof begin, "events.out.tfevents.%010lld", static_cast<long long>(seconds_since_1970()));
  return cat(directory, "/", begin, ".", host, ".", getpid(), ".", ++files, suffix);
}

}  // namespace

std::vector<double> histogram_rows(std::span<const double> values, size_t buckets) {
  std::vector<double> rows(3 * buckets, 0.0);
  double low = HUGE_VAL, high = -HUGE_VAL;
  size_t count = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v), high = std::max(high, v);
    ++count;
  }
  if (count == 0 || buckets == 0) return rows;
  const double width = (high - low) / static_cast<double>(buckets);
  for (size_t i = 0; i < buckets; ++i) {
    rows[3 * i] = low + width * static_cast<double>(i);
    rows[3 * i + 1] = i + 1 == buckets ? high : low + width * static_cast<double>(i + 1);
  }
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    const size_t at = width > 0 ? static_cast<size_t>((v - low) / width) : buckets;
    rows[3 * std::min(at, buckets - 1) + 2] += 1;  // the last one is closed
  }
  return rows;
}

EventFile::EventFile(const std::string& directory, std::string_view suffix) : writer_(path_in(directory, suffix)) {
  std::string first;
  append_double(first, 1, seconds_since_1970());
  wire::append_bytes(first, 3, "brain.Event:2");
  event(first);
  flush();
}

void EventFile::event(std::string_view message) { writer_.write(message); }
void EventFile::flush() { writer_.flush(); }

void EventFile::value(std::string_view tag, int64_t step, std::string_view tensor, std::string_view metadata) {
  std::string made, summary, message;
  wire::append_bytes(made, 1, tag);
  wire::append_bytes(made, 8, tensor);
  wire::append_bytes(made, 9, metadata);
  wire::append_bytes(summary, 1, made);
  append_double(message, 1, seconds_since_1970());
  append_number(message, 2, static_cast<uint64_t>(step));
  wire::append_bytes(message, 5, summary);
  event(message);
}

void EventFile::scalar(std::string_view tag, double value_of_tag, int64_t step) {
  const auto number = static_cast<float>(value_of_tag);
  const std::string_view content(reinterpret_cast<const char*>(&number), sizeof number);
  value(tag, step, tensor_of(DataType::float32, {}, content), metadata_of("scalars", DataClass::scalar));
}

void EventFile::histogram(std::string_view tag, std::span<const double> values, int64_t step, size_t buckets) {
  const std::vector<double> rows = histogram_rows(values, buckets);
  const size_t sizes[] = {buckets, 3};
  const std::string_view content(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(double));
  value(tag, step, tensor_of(DataType::float64, sizes, content), metadata_of("histograms", DataClass::tensor));
}

void EventFile::pictures(std::string_view tag, int64_t width, int64_t height, std::span<const std::string> png,
                         int64_t step) {
  const std::string w = std::to_string(width), h = std::to_string(height);
  std::vector<std::string_view> texts{w, h};
  texts.insert(texts.end(), png.begin(), png.end());
  const size_t sizes[] = {texts.size()};
  value(tag, step, tensor_of_texts(sizes, texts), metadata_of("images", DataClass::blob_sequence));
}

void EventFile::text(std::string_view tag, std::string_view text_of_tag, int64_t step) {
  const std::string_view texts[] = {text_of_tag};
  value(tag, step, tensor_of_texts({}, texts), metadata_of("text", DataClass::tensor));
}

void EventFile::graph(std::span<const GraphNode> nodes) {
  std::string graph, message;
  for (const GraphNode& node : nodes) {
    std::string made;
    wire::append_bytes(made, 1, node.name);
    wire::append_bytes(made, 2, node.op);
    for (const std::string& input : node.inputs) wire::append_bytes(made, 3, input);
    wire::append_bytes(graph, 1, made);
  }
  append_double(message, 1, seconds_since_1970());
  wire::append_bytes(message, 4, graph);
  event(message);
}

}  // namespace brio::formats
