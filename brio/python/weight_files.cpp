// Files of weights: HDF5 and safetensors, as python/brio/keras/saving.py and python/brio/_safetensors.py use them.
#include "brio/base/error.h"
#include "brio/formats/hdf5.h"
#include "brio/formats/safetensors.h"
#include "brio/nn/weight_paths.h"
#include "brio/python/bind.h"
#include "brio/python/convert.h"
#include "brio/train/model.h"

namespace brio::python {
namespace {

using formats::Hdf5Reader;

std::vector<formats::Hdf5Attribute> attributes_from(nb::handle dict) {
  std::vector<formats::Hdf5Attribute> attributes;
  for (auto [key, value] : nb::cast<nb::dict>(dict)) {
    const bool list = nb::isinstance<nb::list>(value);
    attributes.push_back(
        {nb::cast<std::string>(key),
         list ? nb::cast<std::vector<std::string>>(value) : std::vector<std::string>{nb::cast<std::string>(value)},
         list});
  }
  return attributes;
}

// groups: [(path, {attribute: text, or list of texts})], where "" is the file itself; datasets: (path, dtype, shape,
// bytes), made one after the other. Returns the bytes of the file.
nb::bytes hdf5_bytes(const std::string& name, nb::list groups, nb::iterable datasets) {
  formats::Hdf5Writer file(name);
  for (nb::handle row : groups) file.group(nb::cast<std::string>(row[0]), attributes_from(row[1]));
  for (nb::handle row : datasets) {
    const auto path = nb::cast<std::string>(row[0]);
    const DType dtype = dtype_from(row[1]);
    const auto shape = nb::cast<std::vector<int64_t>>(row[2]);
    const auto bytes = nb::cast<nb::bytes>(row[3]);
    if (Aval{Shape(shape), dtype}.bytes() != bytes.size())
      throw InvalidArgument(cat(path, ": there are ", bytes.size(), " bytes, not as many as the shape says"));
    file.dataset(path, dtype, shape, bytes.c_str());
  }
  const std::string_view all = file.bytes();
  return nb::bytes(all.data(), all.size());
}

nb::tuple described(const Array& array) {
  nb::list shape;
  for (const auto& size : array.aval.shape) shape.append(int64_t{size});
  return nb::make_tuple(std::string(info(array.aval.dtype).name), nb::tuple(shape),
                        nb::bytes(array.as<char>(), array.aval.bytes()));
}

}  // namespace

void bind_weight_files(nb::module_& m) {
  m.def("_hdf5_bytes", hdf5_bytes);
  nb::class_<Hdf5Reader>(m, "_Hdf5Reader")
      .def(nb::init<std::string>())
      .def("__init__",
           [](Hdf5Reader* self, nb::bytes image, const std::string& name) {
             new (self) Hdf5Reader(std::string_view(image.c_str(), image.size()), name);
           })
      .def("names",
           [](const Hdf5Reader& reader, const std::string& path) {
             nb::list list;
             for (const auto& [name, is_group] : reader.names(path)) list.append(nb::make_tuple(name, is_group));
             return list;
           })
      .def("has_attribute", &Hdf5Reader::has_attribute)
      .def("texts", &Hdf5Reader::texts)
      .def("text",
           [](const Hdf5Reader& reader, const std::string& path, const std::string& name) {
             const std::vector<std::string> texts = reader.texts(path, name);
             if (texts.size() != 1) throw InvalidArgument(cat(path, ": ", name, " is no single text"));
             return texts[0];
           })
      .def("read", [](const Hdf5Reader& reader, const std::string& path) { return described(reader.read(path)); });

  m.def("_write_safetensors", [](const std::string& path, nb::list rows, nb::dict metadata) {
    std::vector<formats::NamedArray> arrays;
    for (nb::handle row : rows) {
      const AutocastScope as_it_is({});
      arrays.emplace_back(nb::cast<std::string>(row[0]), tensor_of(row[1]).array());
    }
    formats::Metadata about;
    for (auto [key, value] : metadata) about.emplace_back(nb::cast<std::string>(key), nb::cast<std::string>(value));
    const Unlocked release;
    formats::write_safetensors(path, arrays, about);
  });
  // (name, variable) of each weight of a layer, as C++ names them in files.
  m.def("_weight_paths", [](const nn::Layer& layer) {
    nb::list rows;
    for (const nn::WeightEntry& entry : nn::weight_entries(layer))
      for (size_t i = 0; i < entry.variables.size(); ++i)
        rows.append(
            nb::make_tuple(entry.path.empty() ? std::to_string(i) : cat(entry.path, "/", i), entry.variables[i]));
    return rows;
  });
  // As C++ loads it; keras.models.load_model goes through the classes of Python.
  m.def("_load_model_in_cpp",
        [](const std::string& path) { return nn::Layer(nn::load_model(path, {.compile = false})); });
  m.def("_read_safetensors", [](const std::string& path) {
    const formats::SafetensorsFile file(path);
    nb::list rows;
    for (const auto& entry : file.entries()) rows.append(nb::make_tuple(entry.name, described(file.read(entry))));
    return rows;
  });
}

}  // namespace brio::python
