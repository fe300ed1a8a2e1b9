// Names, lines and rows of files as datasets.
#include <filesystem>
#include <fstream>

#include "brio/data/sources/glob.h"
#include "brio/data/sources/sources.h"
#include "brio/formats/compression.h"
#include "brio/formats/file.h"
#include "brio/formats/npz.h"
#include "brio/tensor/strings.h"
#include "tests/data/battery.h"
#include "tests/data/says.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using formats::Compression;
using formats::Scratch;
using formats::write_file;
using Texts = std::vector<std::string>;

std::string compressed(const std::string& path, std::string_view bytes, Compression compression) {
  formats::OutputFile file(path);
  formats::OutputStream stream(file, compression);
  stream.write(bytes);
  stream.finish();
  file.commit();
  return path;
}

Texts texts_of_files(const Dataset& dataset, size_t part = 0, uint64_t epoch = 0) {
  Texts list;
  Iterator iterator = dataset.iterator(epoch);
  Item item;
  for (;;) {
    try {
      if (!iterator.next(item)) return list;
      for (int64_t i = 0; i < item[part].size(); ++i) list.emplace_back(string_at(item[part].array(), i));
    } catch (const Error& error) {
      list.push_back(cat("! ", error.what()));
    }
  }
}

std::vector<int32_t> numbers_of_i32(const Dataset& dataset) {
  std::vector<int32_t> all;
  for (const Item& item : dataset)
    for (const int32_t value : item[0].to_vector<int32_t>()) all.push_back(value);
  return all;
}

TEST(ListFiles, MatchesPatternsAsAShellDoes) {
  Scratch scratch;
  std::filesystem::create_directories(scratch / "d/e");
  const std::string odd = "z\xff.txt";  // no UTF-8
  for (const std::string& name : Texts{"b.txt", "a.txt", "ab.csv", "d/c.txt", "d/e/f.txt", odd})
    write_file(scratch / name, "x");
  std::filesystem::create_directory_symlink(scratch.path(), scratch / "d/loop");
  const auto names = [&](const Texts& patterns) {
    Texts full, list;
    for (const std::string& pattern : patterns) full.push_back(scratch / pattern);
    for (const std::string& name : texts_of_files(list_files(full, {.shuffle = false})))
      list.push_back(name.substr(scratch.path().size() + 1));
    return list;
  };
  EXPECT_EQ(names({"*.txt"}), (Texts{"a.txt", "b.txt", odd}));
  EXPECT_EQ(names({"?.txt"}), (Texts{"a.txt", "b.txt"}));
  EXPECT_EQ(names({"[a-b]*"}), (Texts{"a.txt", "ab.csv", "b.txt"}));
  EXPECT_EQ(names({"*/*.txt"}), (Texts{"d/c.txt"}));
  EXPECT_EQ(names({"**/*.txt"}), (Texts{"a.txt", "b.txt", "d/c.txt", "d/e/f.txt", odd}));
  EXPECT_EQ(names({"d/**/f.txt", "ab.csv"}), (Texts{"d/e/f.txt", "ab.csv"}));
  EXPECT_EQ(names({"d/loop/a.txt"}), (Texts{"d/loop/a.txt"}));
  EXPECT_EQ(glob(scratch / "d/**").size(), 4U);  // c.txt, e, e/f.txt, loop
  EXPECT_TRUE(glob(scratch / "a.txt/*").empty());
  EXPECT_MESSAGE(list_files({scratch / "*.png"}), "[list_files] no files match: ");
  EXPECT_MESSAGE(list_files({}), "there are no patterns");
  const Dataset shuffled = list_files({scratch / "**/*"}, {.seed = 1});
  EXPECT_EQ(shuffled.cardinality(), 9);
  check_pipeline(shuffled);
}

TEST(TextLineDataset, ReadsLinesByNumberAndInOrder) {
  Scratch scratch;
  write_file(scratch / "a", "one\r\ntwo\n\nfour");
  write_file(scratch / "b", "");
  std::string many;
  Texts all = {"one", "two", "", "four"};
  for (int i = 0; i < 200; ++i) {
    all.push_back(cat("line ", i));
    many += all.back() + "\n";
  }
  write_file(scratch / "c", many);
  const Texts files = {scratch / "a", scratch / "b", scratch / "c"};
  const Dataset numbered = text_line_dataset(files);
  const Dataset in_order = text_line_dataset(files, {.by_place = ByPlace::never});
  EXPECT_EQ(texts_of_files(numbered), all);
  EXPECT_EQ(texts_of_files(in_order), all);
  EXPECT_EQ(numbered.describe(), "text_line(3 files, 204 lines by number)\n");
  EXPECT_EQ(in_order.describe(), "text_line(3 files in order)\n");
  check_pipeline(numbered);
  check_pipeline(in_order);
  check_pipeline(numbered.shuffle(kAutotune, {.seed = 1}).batch(5));
  const Dataset zipped =
      text_line_dataset({compressed(scratch / "z", many, Compression::gzip)}, {.compression = Compression::gzip});
  EXPECT_EQ(texts_of_files(zipped).size(), 200U);
  check_pipeline(zipped);
}

TEST(TextLineDataset, SaysWhatIsWrong) {
  Scratch scratch;
  EXPECT_MESSAGE(text_line_dataset({scratch / "none"}), "No such file");
  EXPECT_MESSAGE(text_line_dataset({scratch / "n*"}), "no files match the pattern");
  write_file(scratch / "a", "no gzip");
  write_file(scratch / "b", "x\ny\n");
  EXPECT_MESSAGE(text_line_dataset({scratch / "a"}, {.compression = Compression::gzip, .by_place = ByPlace::always}),
                 "cannot be found by their number");
  const Texts read = texts_of_files(text_line_dataset(
      {scratch / "a", compressed(scratch / "z", "x\ny\n", Compression::gzip)}, {.compression = Compression::gzip}));
  ASSERT_EQ(read.size(), 3U);
  EXPECT_NE(read[0].find(cat(scratch / "a", ": at byte ")), std::string::npos) << read[0];
  EXPECT_EQ(read[2], "y");
  // A line that is longer than the limit is an error at its place, and the rest of the file is lost.
  {
    std::ofstream file(scratch / "long");
    file << "first\n";
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 65; ++i) file << block;
  }
  const Texts lines = texts_of_files(text_line_dataset({scratch / "long", scratch / "b"}));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "first");
  EXPECT_NE(lines[1].find("at byte 6: a line has more than the limit"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2], "x");
  EXPECT_EQ(texts_of_files(text_line_dataset({scratch / "long", scratch / "b"}, {.on_error = OnError::skip})),
            (Texts{"first", "x", "y"}));
  EXPECT_MESSAGE(text_line_dataset({scratch / "long"}, {.by_place = ByPlace::always}), "more than the limit");
}

TEST(CsvDataset, ReadsRowsOfTypedColumns) {
  Scratch scratch;
  write_file(scratch / "a.csv", "name,x,n\n\"a, b\",1.5,3\nc,,4\n");
  write_file(scratch / "b.csv", "name,x,n\nd,2.5,5\n,-1,6");
  const Dataset rows = csv_dataset({scratch / "*.csv"}, {{DType::string, std::string("?")}, {f32, 7.0}, {i64}},
                                   {.csv = {.header = true}});
  EXPECT_EQ(rows.structure().str(), "(·, ·, ·)");
  EXPECT_EQ(rows.describe(), "csv_dataset(2 files in order: string, float32, int64)\n");
  EXPECT_EQ(texts_of_files(rows), (Texts{"a, b", "c", "d", "?"}));
  Item item;
  Iterator iterator = rows.batch(4).iterator();
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[1].to_vector<float>(), (std::vector<float>{1.5f, 7, 2.5f, -1}));
  EXPECT_EQ(item[2].to_vector<int64_t>(), (std::vector<int64_t>{3, 4, 5, 6}));
  check_pipeline(rows);
  check_pipeline(rows.shuffle(3, {.seed = 1}).batch(2).repeat(2));
  std::string many = "x,n\n";
  for (int i = 0; i < 30; ++i) many += cat(i, ".5,", i, "\n");
  const Dataset zipped = csv_dataset({compressed(scratch / "z", many, Compression::zlib)}, {{i32}},
                                     {.csv = {.header = true, .select_cols = {1}}, .compression = Compression::zlib});
  check_pipeline(zipped);
}

TEST(CsvDataset, ABrokenRowIsAnErrorAtItsPlace) {
  Scratch scratch;
  write_file(scratch / "a.csv", "1,a\nx,b\n3,c\n4\n5,e\n");
  const Dataset rows = csv_dataset({scratch / "a.csv"}, {{i32}, {DType::string}});
  const Texts read = texts_of_files(rows, 1);
  ASSERT_EQ(read.size(), 5U);
  EXPECT_EQ(read[0], "a");
  EXPECT_NE(read[1].find(cat(scratch / "a.csv", ": at byte 4: ")), std::string::npos) << read[1];
  EXPECT_EQ(read[2], "c");
  EXPECT_NE(read[3].find("at byte 12"), std::string::npos) << read[3];
  EXPECT_EQ(read[4], "e");
  EXPECT_EQ(
      texts_of_files(csv_dataset({scratch / "a.csv"}, {{i32}, {DType::string}}, {.on_error = OnError::skip}), 1),
      (Texts{"a", "c", "e"}));
  EXPECT_MESSAGE(csv_dataset({scratch / "a.csv"}, {}), "there are no columns");
  EXPECT_MESSAGE(csv_dataset({scratch / "a.csv"}, {{u8}}), "column 0 is of uint8");
  EXPECT_MESSAGE(csv_dataset({scratch / "none.csv"}, {{i32}}), "No such file");
}

TEST(MakeCsvDataset, BatchesNamedColumns) {
  Scratch scratch;
  write_file(scratch / "a.csv", "name,x,y,n\na,1.5,0,3\nb,2.5,1,4\n");
  write_file(scratch / "b.csv", "name,x,y,n\nc,3.5,1,5000000000\n");
  const MakeCsvOptions plain{.num_epochs = 1, .shuffle = false};
  const Dataset all = make_csv_dataset({scratch / "*.csv"}, 2, plain);
  EXPECT_EQ(all.structure().str(), "{name: ·, x: ·, y: ·, n: ·}");
  MakeCsvOptions labelled = plain;
  labelled.label_name = "y";
  labelled.columns = {{DType::string}, {f32}, {i32}, {i64}};
  const Dataset pairs = make_csv_dataset({scratch / "*.csv"}, 2, labelled);
  EXPECT_EQ(pairs.structure().str(), "({name: ·, x: ·, n: ·}, ·)");
  Iterator iterator = pairs.iterator();
  Item item;
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[1].to_vector<float>(), (std::vector<float>{1.5f, 2.5f}));
  EXPECT_EQ(item[2].to_vector<int64_t>(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(item[3].to_vector<int32_t>(), (std::vector<int32_t>{0, 1}));
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[2].to_vector<int64_t>(), (std::vector<int64_t>{5000000000}));
  EXPECT_FALSE(iterator.next(item));
  check_pipeline(pairs);
  // The columns are taken for what the rows of the first file are.
  MakeCsvOptions two = plain;
  two.select_columns = {"n", "x"};
  Iterator inferred = make_csv_dataset({scratch / "a.csv"}, 2, two).iterator();
  ASSERT_TRUE(inferred.next(item));
  EXPECT_EQ(item["x"].dtype(), f32);
  EXPECT_EQ(item["n"].to_vector<int32_t>(), (std::vector<int32_t>{3, 4}));
  // By default it goes on for ever, shuffled, in full batches.
  const Dataset forever = make_csv_dataset({scratch / "a.csv"}, 3, {.shuffle_seed = 1});
  EXPECT_EQ(forever.cardinality(), kUnknown);
  check_pipeline(forever, 10);
}

TEST(MakeCsvDataset, BrokenRowsCanBeLeftOut) {
  Scratch scratch;
  write_file(scratch / "a.csv", "x,y\n1,2\nq,3\n4,5\n6\n7,8\n");
  MakeCsvOptions options{.columns = {{i32}, {i32}}, .num_epochs = 1, .shuffle = false, .ignore_errors = true};
  EXPECT_EQ(numbers_of_i32(make_csv_dataset({scratch / "a.csv"}, 2, options)), (std::vector<int32_t>{1, 4, 7}));
  options.ignore_errors = false;
  EXPECT_MESSAGE(numbers_of_i32(make_csv_dataset({scratch / "a.csv"}, 2, options)), "a.csv: at byte 8");
}

TEST(MakeCsvDataset, SaysWhatIsWrong) {
  Scratch scratch;
  write_file(scratch / "a.csv", "x,y\n1,2\n");
  write_file(scratch / "b.csv", "x,z\n1,2\n");
  EXPECT_MESSAGE(make_csv_dataset({scratch / "*.csv"}, 2), "b.csv are x, z, but those of");
  EXPECT_MESSAGE(make_csv_dataset({scratch / "a.csv"}, 2, {.label_name = "q"}),
                 "label_name 'q' is none of the columns, which are: x, y");
  EXPECT_MESSAGE(make_csv_dataset({scratch / "a.csv"}, 2, {.select_columns = {"q"}}), "select_columns: 'q'");
  EXPECT_MESSAGE(make_csv_dataset({scratch / "a.csv"}, 2, {.header = false}), "column_names are needed");
  EXPECT_MESSAGE(make_csv_dataset({scratch / "a.csv"}, 2, {.column_names = {"x"}}), "1 column names for 2 columns");
  EXPECT_MESSAGE(make_csv_dataset({scratch / "a.csv"}, 0), "batch_size is 0");
}

Array rows_of_numbers(const Shape& shape, float first) {
  Array array = Array::allocate({shape, f32});
  for (int64_t i = 0; i < shape.elements(); ++i) array.as<float>()[i] = first + static_cast<float>(i);
  return array;
}

TEST(ArrayDatasets, ReadRowsOfFilesLoadedOrNot) {
  Scratch scratch;
  formats::write_npy(scratch / "x.npy", rows_of_numbers({12, 2, 3}, 0));
  formats::write_npy(scratch / "y.npy", rows_of_numbers({12}, 100));
  formats::write_npz(scratch / "z.npz", {{"x", rows_of_numbers({12, 2, 3}, 0)}, {"y", rows_of_numbers({12}, 100)}});
  write_file(scratch / "i.idx", std::string("\0\0\x08\x02\0\0\0\x0c\0\0\0\x02"
                                            "aabbccddeeffgghhiijjkkll",
                                            36));
  const Texts two = {scratch / "x.npy", scratch / "y.npy"};
  EXPECT_EQ(all_of(npy_dataset(two)), all_of(npy_dataset(two, {.load_below = 0})));
  EXPECT_EQ(all_of(npy_dataset(two)), all_of(npz_dataset(scratch / "z.npz")));
  EXPECT_EQ(all_of(npz_dataset(scratch / "z.npz", {"y"})),
            all_of(npz_dataset(scratch / "z.npz", {"y"}, {.load_below = 0})));
  EXPECT_EQ(npy_dataset(two, {.load_below = 0}).describe(), "rows of files(f32[12,2,3], f32[12])\n");
  EXPECT_EQ(npz_dataset(scratch / "z.npz").structure().str(), "{x: ·, y: ·}");
  const Dataset idx = idx_dataset({scratch / "i.idx"}, {.load_below = 0});
  Item item;
  Iterator iterator = idx.skip(11).iterator();
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item[0].to_vector<uint8_t>(), (std::vector<uint8_t>{'l', 'l'}));
  check_pipeline(npy_dataset(two, {.load_below = 0}).shuffle(kAutotune, {.seed = 1}).batch(5));
  check_pipeline(idx);
}

TEST(ArrayDatasets, SayWhatIsWrong) {
  Scratch scratch;
  formats::write_npy(scratch / "x.npy", rows_of_numbers({3, 2}, 0));
  formats::write_npy(scratch / "y.npy", rows_of_numbers({4}, 0));
  formats::write_npy(scratch / "s.npy", rows_of_numbers({}, 0));
  formats::write_npz(scratch / "none.npz", {});
  EXPECT_MESSAGE(npy_dataset({scratch / "x.npy", scratch / "y.npy"}), "x.npy has 3 rows, but");
  EXPECT_MESSAGE(npy_dataset({scratch / "s.npy"}), "holds one number");
  EXPECT_MESSAGE(npy_dataset({}), "there are no files");
  EXPECT_MESSAGE(npz_dataset(scratch / "none.npz"), "holds no arrays");
  EXPECT_MESSAGE(npy_dataset({scratch / "none.npy"}), "No such file");
  const Dataset rows = npy_dataset({scratch / "x.npy"}, {.load_below = 0});
  std::filesystem::resize_file(scratch / "x.npy", 128 + 8);
  Iterator iterator = rows.iterator();
  Item item;
  EXPECT_TRUE(iterator.next(item));
  EXPECT_MESSAGE(iterator.next(item), cat(scratch / "x.npy", ": at byte 136"));
}

}  // namespace
}  // namespace brio::data
