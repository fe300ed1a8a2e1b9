// TFRecord files to write, tf.train.Example as bytes, and parsers of such bytes.
#include "brio/formats/example.h"

#include <nanobind/stl/shared_ptr.h>

#include "brio/base/error.h"
#include "brio/formats/example_parser.h"
#include "brio/formats/tfrecord.h"
#include "brio/ir/string_moves.h"
#include "brio/python/bind.h"
#include "brio/tensor/strings.h"

namespace brio::python {
namespace {

using formats::Feature;

// ---- writing

class Writer {
 public:
  Writer(std::string path, const std::string& compression, int level)
      : writer_(std::in_place, std::move(path),
                formats::RecordWriterOptions{formats::compression_from_name(compression), level}) {}
  ~Writer() {
    try {
      close();
    } catch (const std::exception&) {  // close() would have said so
    }
  }
  void write(nb::handle record) {
    if (!writer_) throw InvalidArgument("[TFRecordWriter] the file is closed");
    const nb::object bytes = is_tensor(record) ? numpy_of(tensor_of(record)) : nb::borrow(record);
    if (PyBytes_Check(bytes.ptr()))
      return writer_->write({PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))});
    throw nb::type_error("[TFRecordWriter] a record is bytes: example.SerializeToString()");
  }
  void flush() {
    if (!writer_) throw InvalidArgument("[TFRecordWriter] the file is closed");
    const Unlocked release;
    writer_->flush();
  }
  void close() {
    if (!writer_) return;
    const Unlocked release;
    writer_->commit();
    writer_.reset();
  }

 private:
  std::optional<formats::RecordWriter> writer_;
};

// ---- Examples: features as {name: (kind, list)}, kind 0 none, 1 bytes, 2 floats, 3 integers

std::string bytes_of(nb::handle h) {
  if (PyBytes_Check(h.ptr())) return {PyBytes_AS_STRING(h.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(h.ptr()))};
  throw nb::type_error("bytes are asked for; text has .encode()");
}

Feature feature_from(nb::handle row) {
  const int64_t kind = integer_from(nb::object(row[0]));
  const nb::object values = row[1];
  if (kind == 1) {
    Feature::Bytes list;
    for (nb::handle value : nb::iter(values)) list.push_back(bytes_of(value));
    return Feature::bytes(std::move(list));
  }
  if (kind == 2) {
    Feature::Floats list;
    for (nb::handle value : nb::iter(values)) {
      list.push_back(static_cast<float>(double_from(value)));
    }
    return Feature::floats(std::move(list));
  }
  if (kind == 3) {
    Feature::Ints list;
    for (nb::handle value : nb::iter(values)) list.push_back(integer_from(value));
    return Feature::ints(std::move(list));
  }
  return {};
}
nb::tuple row_of(const Feature& feature) {
  nb::list values;
  if (const auto* bytes = std::get_if<Feature::Bytes>(&feature.values))
    for (const std::string& value : *bytes) values.append(nb::bytes(value.data(), value.size()));
  else if (const auto* floats = std::get_if<Feature::Floats>(&feature.values))
    for (const float value : *floats) values.append(static_cast<double>(value));
  else if (const auto* ints = std::get_if<Feature::Ints>(&feature.values))
    for (const int64_t value : *ints) values.append(value);
  return nb::make_tuple(static_cast<int>(feature.values.index()), values);
}
formats::Features features_from(nb::dict rows) {
  formats::Features features;
  for (auto [name, row] : rows) features[given_as<std::string>(name)] = feature_from(row);
  return features;
}
nb::dict rows_of(const formats::Features& features) {
  nb::dict rows;
  for (const auto& [name, feature] : features) rows[name.c_str()] = row_of(feature);
  return rows;
}
nb::bytes to_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// ---- parsing

std::optional<Array> default_from(nb::handle h, DType dtype) {
  if (h.is_none()) return {};
  const Tensor x = tensor_of(h, {.required = dtype});
  Array array = read_array(x);
  if (!array.buffer) {  // a host number
    array = Array::allocate(x.aval());
    std::memcpy(array.data(), x.impl()->data(), x.aval().bytes());
  }
  return array;
}

// (key, kind, shape, dtype, default, allow_missing)
formats::NamedSpec spec_from(nb::handle row) {
  const auto key = given_as<std::string>(row[0]);
  const auto kind = given_as<std::string>(row[1]);
  const DType dtype = dtype_from(nb::object(row[3]));
  if (kind == "var") return {key, formats::VarLen{dtype}};
  const Shape shape = shape_from(nb::object(row[2]));
  std::optional<Array> otherwise = default_from(nb::object(row[4]), dtype);
  if (kind == "sequence")
    return {key, formats::FixedLenSequence{shape, dtype, std::move(otherwise), given_as<bool>(row[5])}};
  if (otherwise && otherwise->aval.shape.elements() == shape.elements()) otherwise->aval.shape = shape;
  return {key, formats::FixedLen{shape, dtype, std::move(otherwise), kind == "raw"}};
}
std::vector<formats::NamedSpec> specs_from(nb::list rows) {
  std::vector<formats::NamedSpec> specs;
  for (nb::handle row : rows) specs.push_back(spec_from(row));
  return specs;
}

// The tensors of one feature: one of fixed lengths, three (indices, values, dense_shape) of a VarLen.
void put(const formats::NamedSpec& spec, const formats::ParsedFeature& feature, std::vector<Tensor>& results) {
  if (!std::holds_alternative<formats::VarLen>(spec.spec)) return results.emplace_back(feature.values), void();
  formats::SparseArrays sparse = formats::to_sparse(feature);
  for (Array* array : {&sparse.indices, &sparse.values, &sparse.dense_shape}) results.emplace_back(std::move(*array));
}

const Array& serialized_of(const char* who, const Tensor& x, int rank) {
  if (x.dtype() != DType::string || x.rank() != rank)
    throw InvalidArgument(cat("[", who, "] takes ", rank ? "a vector of strings" : "one string",
                              ", but got a tensor of ", x.dtype(), " and shape ", x.shape()));
  check_known_now(who, x);
  return x.array();
}

nb::object parse(const std::shared_ptr<formats::ExampleParser>& parser, Given serialized, bool single) {
  const char* who = single ? "parse_single_example" : "parse_example";
  return perform(
      [parser, single, who](const Tensor& x) {
        const Array& array = serialized_of(who, x, single ? 0 : 1);
        std::vector<Tensor> results;
        try {
          std::vector<std::string_view> texts;
          for (int64_t i = 0; i < x.size(); ++i) texts.push_back(string_at(array, i));
          const auto features = single ? parser->parse_single(texts[0]) : parser->parse(texts);
          for (size_t i = 0; i < features.size(); ++i) put(parser->specs()[i], features[i], results);
        } catch (const formats::DataError& error) {
          throw InvalidArgument(cat("[", who, "] ", error.what()));  // TensorFlow's class for it
        }
        return results;
      },
      std::tuple{Parameter<Tensor>::take(serialized)});
}

struct SequenceParser {
  std::vector<formats::NamedSpec> context, lists;
  formats::SequenceExampleParser parser{context, lists};
};

nb::object parse_sequence(const std::shared_ptr<SequenceParser>& p, Given serialized, bool single) {
  const char* who = single ? "parse_single_sequence_example" : "parse_sequence_example";
  return perform(
      [p, single, who](const Tensor& x) {
        const Array& array = serialized_of(who, x, single ? 0 : 1);
        std::vector<Tensor> results;
        try {
          std::vector<std::string_view> texts;
          for (int64_t i = 0; i < x.size(); ++i) texts.push_back(string_at(array, i));
          const auto parsed = single ? p->parser.parse_single(texts[0]) : p->parser.parse(texts);
          for (size_t i = 0; i < parsed.context.size(); ++i) put(p->context[i], parsed.context[i], results);
          for (size_t i = 0; i < parsed.lists.size(); ++i) put(p->lists[i], parsed.lists[i], results);
          if (!single)  // the lengths of the lists, which TensorFlow gives too
            for (const formats::ParsedFeature& list : parsed.lists) results.emplace_back(list.row_lengths);
        } catch (const formats::DataError& error) {
          throw InvalidArgument(cat("[", who, "] ", error.what()));
        }
        return results;
      },
      std::tuple{Parameter<Tensor>::take(serialized)});
}

}  // namespace

void bind_examples(nb::module_& m) {
  nb::module_ io = nb::cast<nb::module_>(m.attr("_io"));
  nb::class_<Writer>(io, "_RecordWriter")
      .def(nb::init<std::string, std::string, int>())
      .def("write", &Writer::write)
      .def("flush", &Writer::flush)
      .def("close", &Writer::close);
  io.def("_serialize_example",
         [](nb::dict rows) { return to_bytes(formats::Example{features_from(rows)}.serialize()); });
  io.def("_parse_example", [](nb::bytes bytes) {
    return rows_of(formats::Example::parse({bytes.c_str(), bytes.size()}).features);
  });
  io.def("_serialize_sequence_example", [](nb::dict context, nb::dict lists) {
    formats::SequenceExample example{features_from(context), {}};
    for (auto [name, rows] : lists)
      for (nb::handle row : nb::iter(rows))
        example.feature_lists[given_as<std::string>(name)].push_back(feature_from(row));
    return to_bytes(example.serialize());
  });
  io.def("_parse_sequence_example", [](nb::bytes bytes) {
    const auto example = formats::SequenceExample::parse({bytes.c_str(), bytes.size()});
    nb::dict lists;
    for (const auto& [name, features] : example.feature_lists) {
      nb::list rows;
      for (const Feature& feature : features) rows.append(row_of(feature));
      lists[name.c_str()] = rows;
    }
    return nb::make_tuple(rows_of(example.context), lists);
  });
  nb::class_<formats::ExampleParser>(io, "_ExampleParser")
      .def("__init__",
           [](formats::ExampleParser* self, nb::list rows) { new (self) formats::ExampleParser(specs_from(rows)); });
  io.def("_parse", parse);
  nb::class_<SequenceParser>(io, "_SequenceParser").def("__init__", [](SequenceParser* self, nb::list c, nb::list l) {
    new (self) SequenceParser{specs_from(c), specs_from(l)};
  });
  io.def("_parse_sequence", parse_sequence);
}

}  // namespace brio::python
