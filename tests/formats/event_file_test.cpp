// Event files, byte by byte as the vectors of the format say, and read while they grow.
#include "brio/formats/event_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/formats/hex.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

std::vector<std::string> events_in(const std::string& path) {
  RecordReader reader(path);
  std::vector<std::string> events;
  for (std::string_view record; reader.next(record);) events.emplace_back(record);
  return events;
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(EventFile, HoldsScalarsThatCanBeReadWhileItGrows) {
  const Scratch scratch;
  EventFile file(scratch.path() + "/logs/train", ".v2");
  EXPECT_TRUE(has(file.path(), "/logs/train/events.out.tfevents."));
  EXPECT_TRUE(file.path().ends_with(".v2"));
  ASSERT_EQ(events_in(file.path()).size(), 1u);  // the version, at once
  EXPECT_TRUE(has(events_in(file.path())[0], "brain.Event:2"));
  file.scalar("loss", 0.5, 1);
  file.flush();
  const std::vector<std::string> events = events_in(file.path());
  ASSERT_EQ(events.size(), 2u);
  // Behind the time (a tag and eight bytes): the step, then tag, tensor and plugin in one summary.
  EXPECT_EQ(to_hex(events[1].substr(9)),
            "10012a230a210a046c6f7373420a080112002204"
            "0000003f"
            "4a0d0a090a077363616c6172732001");
  file.scalar("loss", 0.25, 2);
  file.flush();
  EXPECT_EQ(events_in(file.path()).size(), 3u);
}

TEST(EventFile, TwoFilesOfOneFolderHaveNamesOfTheirOwn) {
  const Scratch scratch;
  const EventFile a(scratch.path()), b(scratch.path());
  EXPECT_NE(a.path(), b.path());
}

TEST(EventFile, SaysWhichFolderItCannotMake) {
  try {
    const EventFile file("/proc/no/such");
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_TRUE(has(error.what(), "'/proc/no/such'")) << error.what();
  }
}

TEST(Histogram, CountsBetweenTheLeastAndTheGreatest) {
  const std::vector<double> values{0, 1, 2, 3, 4, NAN, INFINITY};
  EXPECT_EQ(histogram_rows(values, 2), (std::vector<double>{0, 2, 2, 2, 4, 3}));
  EXPECT_EQ(histogram_rows(std::vector<double>{5, 5, 5}, 2), (std::vector<double>{5, 5, 0, 5, 5, 3}));
  EXPECT_EQ(histogram_rows({}, 1), (std::vector<double>{0, 0, 0}));
}

TEST(EventFile, HoldsPicturesTextsAndGraphs) {
  const Scratch scratch;
  EventFile file(scratch.path());
  const std::string png[] = {"\x89PNG…"};
  file.pictures("samples", 4, 2, png, 7);
  file.text("notes", "a short run", 7);
  const EventFile::GraphNode nodes[] = {{"input", "InputLayer"}, {"dense", "Dense", {"input"}}};
  file.graph(nodes);
  file.flush();
  const std::vector<std::string> events = events_in(file.path());
  ASSERT_EQ(events.size(), 4u);
  EXPECT_TRUE(has(events[1], "images") && has(events[1], png[0]) && has(events[1], "samples"));
  EXPECT_TRUE(has(events[2], "a short run"));
  EXPECT_TRUE(has(events[3], "InputLayer") && has(events[3], "Dense"));
}

}  // namespace
}  // namespace brio::formats
