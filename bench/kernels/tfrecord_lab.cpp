// Reading TFRecord files that are in the page cache: in order and by place, with and without checksums; and indexing
// them.
//   lab_tfrecord [DIRECTORY]   where its files of about 200 MB go for the time of the run (default: /tmp)
#include <cstdio>
#include <filesystem>

#include "bench/kernels/stopwatch.h"
#include "brio/formats/tfrecord.h"

using namespace brio::formats;

namespace {

void time_file(const std::string& path, uint64_t count, size_t size) {
  RecordWriter writer(path);
  const std::string record(size, 'x');
  for (uint64_t i = 0; i < count; ++i) writer.write(record);
  writer.commit();
  std::printf("%llu records of %zu bytes\n", static_cast<unsigned long long>(count), size);
  const auto report = [&](const char* what, double time) {
    std::printf("  %-34s %7.2f GB/s %9.2f M records/s\n", what, static_cast<double>(count * size) / time / 1e3,
                static_cast<double>(count) / time);
  };
  for (const bool verify : {true, false}) {
    const RecordOptions options{.verify = verify};
    const RecordFile file(path, options);
    const RecordIndex index = file.index();
    std::printf(" %s\n", verify ? "checksums compared" : "checksums ignored");
    report("in order", brio::best_microseconds([&] {
             RecordReader reader(path, options);
             for (std::string_view view; reader.next(view);) {
             }
           }));
    std::string to(size, '\0');
    report("in order, to its place", brio::best_microseconds([&] {
             RecordReader reader(path, options);
             for (uint64_t length = 0; reader.next_length(length);) reader.read_into(to.data());
           }));
    std::string buffer;
    report("by place", brio::best_microseconds([&] {
             for (uint64_t i = 0; i < count; ++i) file.read(index[i * 7919 % count], buffer);
           }));
    report("by place, to its place", brio::best_microseconds([&] {
             for (uint64_t i = 0; i < count; ++i) file.read_into(index[i * 7919 % count], to.data());
           }));
    report("index", brio::best_microseconds([&] { file.index(); }));
  }
  std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = std::string(argc > 1 ? argv[1] : "/tmp") + "/brio_tfrecord_lab.tfrecord";
  time_file(path, 1300, 150528);
  time_file(path, 400000, 500);
}
