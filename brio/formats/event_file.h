// Event files, which TensorBoard reads: TFRecords of Event messages, in a file that can be read while it grows.
//
//   formats::EventFile file("logs/train");
//   file.scalar("epoch_loss", 0.25, 3);
//   file.flush();
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/formats/tfrecord.h"

namespace brio::formats {

class EventFile {
 public:
  // A new file in the directory, which is made where it is missing. Its name tells time, machine and process.
  explicit EventFile(const std::string& directory, std::string_view suffix = {});

  void scalar(std::string_view tag, double value, int64_t step);
  // How values are spread between the least and the greatest of them; those that are not finite are left out.
  void histogram(std::string_view tag, std::span<const double> values, int64_t step, size_t buckets = 30);
  void pictures(std::string_view tag, int64_t width, int64_t height, std::span<const std::string> png, int64_t step);
  void text(std::string_view tag, std::string_view text, int64_t step);

  // A graph: what is called, and what it reads, by name.
  struct GraphNode {
    std::string name, op;
    std::vector<std::string> inputs = {};
  };
  void graph(std::span<const GraphNode> nodes);

  void event(std::string_view message);  // an Event as it is
  void flush();                          // what was written can be read from now on
  const std::string& path() const { return writer_.path(); }

 private:
  void value(std::string_view tag, int64_t step, std::string_view tensor, std::string_view metadata);
  RecordWriter writer_;
};

// Rows (left, right, count).
std::vector<double> histogram_rows(std::span<const double> values, size_t buckets);

}  // namespace brio::formats
