// Where the elements of datasets come from: tensors, Python's generators, files.
#include "brio/base/error.h"
#include "brio/data/sources/sources.h"
#include "brio/python/datasets.h"

namespace brio::python {
namespace {

using data::Dataset;

template <typename T>
T choice(const char* who, const char* what, const std::string& name,
         std::initializer_list<std::pair<const char*, T>> all) {
  std::string known;
  for (const auto& [each, value] : all) {
    if (name == each) return value;
    known += cat(known.empty() ? "'" : ", '", each, "'");
  }
  throw InvalidArgument(cat("[", who, "] ", what, " is '", name, "'; it is one of ", known));
}

// make() → next(), which returns a list of tensors, or None at the end.
Dataset generator(nb::object make, nb::object example) {
  return data::from_generator(
      [make = kept(std::move(make))]() -> data::Next {
        const Locked making;
        return [next = kept((*make)())](std::vector<Tensor>& values) {
          const Locked locked;
          const nb::object element = (*next)();
          if (element.is_none()) return false;
          values = tensors_with_own_dtype(element);
          for (const Tensor& value : values) read_array(value);
          return true;
        };
      },
      structure_of(example));
}

// Options of both kinds of folders that have the same names.
template <typename O>
void take_folder_options(const char* who, nb::dict o, O& options) {
  const nb::object labels = o["labels"];
  if (nb::isinstance<nb::str>(labels)) {
    options.inferred = true;
    if (given_as<std::string>(labels) != "inferred")
      throw InvalidArgument(
          cat("[", who, "] labels is '", text_for(labels), "'; it is 'inferred', None, or a list of class numbers"));
  } else {
    options.inferred = false;
    if (!labels.is_none()) options.labels = given_as<std::vector<int32_t>>(labels);
  }
  const nb::object mode = o["label_mode"];
  options.label_mode = mode.is_none() ? data::LabelMode::none
                                      : choice<data::LabelMode>(who, "label_mode", given_as<std::string>(mode),
                                                                {{"int", data::LabelMode::integer},
                                                                 {"categorical", data::LabelMode::categorical},
                                                                 {"binary", data::LabelMode::binary}});
  if (labels.is_none()) options.label_mode = data::LabelMode::none;
  if (const nb::object names = o["class_names"]; !names.is_none())
    options.class_names = given_as<std::vector<std::string>>(nb::list(names));
  options.batch_size = o["batch_size"].is_none() ? 0 : integer_from(nb::object(o["batch_size"]));
  options.shuffle = given_as<bool>(o["shuffle"]);
  if (const nb::object seed = o["seed"]; !seed.is_none()) options.seed = static_cast<uint32_t>(integer_from(seed));
  if (const nb::object split = o["validation_split"]; !split.is_none())
    options.validation_split = given_as<double>(split);
  if (const nb::object subset = o["subset"]; !subset.is_none())
    options.subset =
        choice<data::Subset>(who, "subset", given_as<std::string>(subset),
                             {{"training", data::Subset::training}, {"validation", data::Subset::validation}});
  options.follow_links = given_as<bool>(o["follow_links"]);
}

nb::tuple image_folder(const std::string& directory, nb::dict o) {
  const char* who = "image_dataset_from_directory";
  data::ImageFolderOptions options;
  take_folder_options(who, o, options);
  options.color_mode = choice<data::ColorMode>(
      who, "color_mode", given_as<std::string>(o["color_mode"]),
      {{"grayscale", data::ColorMode::grayscale}, {"rgb", data::ColorMode::rgb}, {"rgba", data::ColorMode::rgba}});
  const std::vector<int64_t> size = dims_from(nb::object(o["image_size"]));
  if (size.size() != 2)
    throw InvalidArgument(cat("[", who, "] image_size is (height, width), but got ", size.size(), " numbers"));
  options.image_size = {size[0], size[1]};
  options.interpolation = image::interpolation_named(given_as<std::string>(o["interpolation"]));
  options.crop_to_aspect_ratio = given_as<bool>(o["crop_to_aspect_ratio"]);
  options.pad_to_aspect_ratio = given_as<bool>(o["pad_to_aspect_ratio"]);
  const data::ImageFolder folder = data::image_folder(directory, options);
  return nb::make_tuple(static_cast<const Dataset&>(folder), nb::cast(folder.class_names),
                        nb::cast(folder.file_paths));
}

nb::tuple text_folder(const std::string& directory, nb::dict o) {
  data::TextFolderOptions options;
  take_folder_options("text_dataset_from_directory", o, options);
  if (const nb::object n = o["max_length"]; !n.is_none()) options.max_length = integer_from(n);
  const data::TextFolder folder = data::text_dataset_from_directory(directory, options);
  return nb::make_tuple(static_cast<const Dataset&>(folder), nb::cast(folder.class_names),
                        nb::cast(folder.file_paths));
}

formats::CsvColumn csv_column(nb::handle row) {  // (dtype, default or None)
  formats::CsvColumn column{.dtype = dtype_from(nb::object(row[0]))};
  const nb::object otherwise = row[1];
  if (otherwise.is_none()) return column;
  if (column.dtype == DType::string) column.otherwise = given_as<std::string>(otherwise);
  else if (is_integer(column.dtype)) column.otherwise = integer_from(otherwise);
  else column.otherwise = double_from(otherwise);
  return column;
}
std::vector<formats::CsvColumn> csv_columns(nb::handle list) {
  std::vector<formats::CsvColumn> columns;
  if (!list.is_none())
    for (nb::handle row : nb::iter(list)) columns.push_back(csv_column(row));
  return columns;
}
std::vector<std::string> names_from(nb::handle list) {
  if (list.is_none()) return {};
  return given_as<std::vector<std::string>>(nb::list(list));
}
char delimiter_from(const char* who, const std::string& text) {
  if (text.size() != 1) throw InvalidArgument(cat("[", who, "] field_delim is '", text, "'; it is one character"));
  return text[0];
}

Dataset csv(const std::vector<std::string>& files, nb::handle columns, nb::dict o) {
  data::CsvDatasetOptions options;
  options.csv.field_delim = delimiter_from("CsvDataset", given_as<std::string>(o["field_delim"]));
  options.csv.use_quote_delim = given_as<bool>(o["use_quote_delim"]);
  options.csv.header = given_as<bool>(o["header"]);
  options.csv.na_value = given_as<std::string>(o["na_value"]);
  if (const nb::object chosen = o["select_cols"]; !chosen.is_none()) options.csv.select_cols = dims_from(chosen);
  options.compression = formats::compression_from_name(given_as<std::string>(o["compression_type"]));
  return data::csv_dataset(files, csv_columns(columns), options);
}

nb::tuple make_csv(const std::vector<std::string>& files, int64_t batch_size, nb::dict o) {
  data::MakeCsvOptions options;
  options.column_names = names_from(nb::object(o["column_names"]));
  options.columns = csv_columns(nb::object(o["columns"]));
  if (const nb::object label = o["label_name"]; !label.is_none()) options.label_name = given_as<std::string>(label);
  options.select_columns = names_from(nb::object(o["select_columns"]));
  options.field_delim = delimiter_from("make_csv_dataset", given_as<std::string>(o["field_delim"]));
  options.use_quote_delim = given_as<bool>(o["use_quote_delim"]);
  options.na_value = given_as<std::string>(o["na_value"]);
  options.header = given_as<bool>(o["header"]);
  options.num_epochs = o["num_epochs"].is_none() ? data::kInfinite : integer_from(nb::object(o["num_epochs"]));
  options.shuffle = given_as<bool>(o["shuffle"]);
  options.shuffle_buffer_size = integer_from(nb::object(o["shuffle_buffer_size"]));
  options.shuffle_seed = seed_from(nb::object(o["shuffle_seed"]));
  options.num_rows_for_inference = integer_from(nb::object(o["num_rows_for_inference"]));
  options.ignore_errors = given_as<bool>(o["ignore_errors"]);
  options.compression = formats::compression_from_name(given_as<std::string>(o["compression_type"]));
  const Dataset dataset = data::make_csv_dataset(files, batch_size, options);
  const data::Structure structure = dataset.structure();
  const bool labelled = structure.kind() == data::Structure::Kind::tuple;
  return nb::make_tuple(dataset, nb::cast((labelled ? structure.items()[0] : structure).names()), labelled);
}

Dataset timeseries(Given rows, Given targets, int64_t length, int64_t stride, int64_t rate, nb::handle batch_size,
                   bool shuffle, nb::handle seed, nb::handle start, nb::handle end) {
  data::TimeseriesOptions options{.sequence_stride = stride,
                                  .sampling_rate = rate,
                                  .batch_size = batch_size.is_none() ? 0 : integer_from(batch_size),
                                  .shuffle = shuffle,
                                  .seed = seed_from(seed)};
  if (!start.is_none()) options.start_index = integer_from(start);
  if (!end.is_none()) options.end_index = integer_from(end);
  return data::timeseries_dataset_from_array(
      tensor_of(rows.object), targets.object.is_none() ? Tensor() : tensor_of(targets.object), length, options);
}

}  // namespace

void bind_dataset_sources(nb::module_& m) {
  nb::module_ sources = m.def_submodule("_sources", "Where the elements of datasets come from.");
  sources.def("from_tensors", [](nb::object tensors, nb::object example) {
    return data::from_tensors(tensors_with_own_dtype(tensors), structure_of(example));
  });
  sources.def("from_tensor_slices", [](nb::object tensors, nb::object example) {
    return data::from_tensor_slices(tensors_with_own_dtype(tensors), structure_of(example));
  });
  sources.def("range", [](int64_t start, int64_t stop, int64_t step) { return data::range(start, stop, step); });
  sources.def("from_generator", generator);
  sources.def(
      "list_files",
      [](const std::vector<std::string>& patterns, bool shuffle, nb::object seed) {
        return data::list_files(patterns, {.shuffle = shuffle, .seed = seed_from(seed)});
      },
      nb::arg(), nb::arg(), nb::arg().none());
  sources.def("tfrecord", [](const std::vector<std::string>& files, const std::string& compression) {
    return data::tfrecord_dataset(files, {.compression = formats::compression_from_name(compression)});
  });
  sources.def("text_line", [](const std::vector<std::string>& files, const std::string& compression) {
    return data::text_line_dataset(files, {.compression = formats::compression_from_name(compression)});
  });
  sources.def("csv", csv, nb::arg(), nb::arg().none(), nb::arg());
  sources.def("make_csv", make_csv);
  sources.def("image_folder", image_folder);
  sources.def("text_folder", text_folder);
  sources.def("timeseries", timeseries, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(),
              nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none());
  sources.def("zip", [](const std::vector<Dataset>& datasets) { return data::zip(datasets); });
  sources.def("zip_named", [](const std::vector<Dataset>& datasets, const std::vector<std::string>& names) {
    return data::zip(datasets, names);
  });
  sources.def("choose", [](const std::vector<Dataset>& datasets, const Dataset& choice, bool stop) {
    return data::choose_from_datasets(datasets, choice, {.stop_on_empty_dataset = stop});
  });
  sources.def(
      "sample",
      [](const std::vector<Dataset>& datasets, const std::vector<double>& weights, nb::object seed, bool stop) {
        return data::sample_from_datasets(datasets, {weights, seed_from(seed), stop});
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace brio::python
