// tf.strings. What gives lists of different lengths gives (values, row_splits, shape of the rows): the Python part
// makes ragged tensors of them.
#include "brio/ops/strings/strings.h"

#include "brio/base/error.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

strings::Unit unit_named(const char* who, const std::string& name) {
  if (name != "BYTE" && name != "UTF8_CHAR")
    throw InvalidArgument(cat("[", who, "] unit is '", name, "'; it is 'BYTE' or 'UTF8_CHAR'"));
  return name == "BYTE" ? strings::Unit::byte : strings::Unit::utf8_char;
}

nb::object ragged(const strings::Ragged& lists) {
  return nb::make_tuple(wrap(lists.values), wrap(lists.row_splits), shape_object(lists.rows));
}

std::string text_from(nb::handle h) {
  if (PyUnicode_Check(h.ptr())) return given_as<std::string>(h);
  const Tensor x = tensor_of(h);
  if (x.dtype() != DType::string || x.size() != 1) throw InvalidArgument("[strings] one string is asked for");
  return to_strings(x)[0];
}

void bind_to_strings(nb::module_& m) {
  m.def(
      "join",
      [](Given inputs, Given separator, Given) {
        return perform(
            [by = text_from(separator.object)](const std::vector<Tensor>& x) { return strings::join(x, by); },
            std::tuple{Parameter<std::vector<Tensor>>::take(inputs)});
      },
      nb::arg("inputs"), nb::arg("separator") = "", nb::arg("name") = nb::none(),
      "The strings of several tensors joined, element by element.");
  m.def(
      "reduce_join",
      [](Given inputs, Given axis, bool keepdims, Given separator, Given) {
        strings::ReduceJoinOptions options{.keepdims = keepdims, .separator = text_from(separator.object)};
        if (!axis.object.is_none()) options.axis = axis_list_from(axis.object);
        return perform([options](const Tensor& x) { return strings::reduce_join(x, options); },
                       std::tuple{Parameter<Tensor>::take(inputs)});
      },
      nb::arg("inputs"), nb::arg("axis") = nb::none(), nb::arg("keepdims") = false, nb::arg("separator") = "",
      nb::arg("name") = nb::none(), "All strings along axes joined.");
  for (const auto& [name, f, doc] : {std::tuple{"lower", &strings::lower, "ASCII letters as small ones."},
                                     std::tuple{"upper", &strings::upper, "ASCII letters as capitals."}})
    define(
        m, name, [f = f](const Tensor& x, const std::string&) { return f(x); }, nb::arg("input"),
        nb::arg("encoding") = "", doc);
  define(
      m, "strip", [](const Tensor& x) { return strings::strip(x); }, nb::arg("input"),
      "Strings without white space at either end.");
  define(
      m, "substr",
      [](const Tensor& x, const Tensor& pos, const Tensor& len, const std::string& unit) {
        return strings::substr(x, pos, len, unit_named("strings.substr", unit));
      },
      nb::arg("input"), nb::arg("pos"), nb::arg("len"), nb::arg("unit") = "BYTE", "Parts of strings.");
  m.def(
      "regex_replace",
      [](Given input, Given pattern, Given rewrite, bool replace_global, Given) {
        return perform([=, what = text_from(pattern.object), by = text_from(rewrite.object)](
                           const Tensor& x) { return strings::regex_replace(x, what, by, replace_global); },
                       std::tuple{Parameter<Tensor>::take(input)});
      },
      nb::arg("input"), nb::arg("pattern"), nb::arg("rewrite"), nb::arg("replace_global") = true,
      nb::arg("name") = nb::none(), "Strings with what matches a pattern of RE2 replaced.");
  define(
      m, "as_string",
      [](const Tensor& x, int precision, bool scientific, bool shortest, int width, const std::string& fill) {
        return strings::as_string(
            x,
            {.precision = precision, .scientific = scientific, .shortest = shortest, .width = width, .fill = fill});
      },
      nb::arg("input"), nb::arg("precision") = -1, nb::arg("scientific") = false, nb::arg("shortest") = false,
      nb::arg("width") = -1, nb::arg("fill") = "", "Numbers as text.");
}

// The lists that f makes of strings, a row for each.
template <typename F>
nb::object rows_of(Given strings, F f) {
  const Tensor x = tensor_of(strings.object, {.as_input = true});
  if (current_journal) tell_journal_shape(x);
  const std::vector<Tensor> parts = performed(
      [f](std::span<const Tensor> given) {
        const strings::Ragged lists = f(given[0]);
        return std::vector<Tensor>{lists.values, lists.row_splits};
      },
      {x});
  return nb::make_tuple(wrap(parts[0]), wrap(parts[1]), shape_object(x.shape()));
}

void bind_to_lists(nb::module_& m) {
  m.def(
      "_split",
      [](Given x, Given sep, int64_t maxsplit) {
        return rows_of(x, [by = sep.object.is_none() ? std::string() : text_from(sep.object),
                           maxsplit](const Tensor& s) { return strings::split(s, by, maxsplit); });
      },
      nb::arg(), nb::arg().none(), nb::arg());
  m.def("_bytes_split", [](Given x) { return rows_of(x, [](const Tensor& s) { return strings::bytes_split(s); }); });
  m.def("_unicode_split",
        [](Given x) { return rows_of(x, [](const Tensor& s) { return strings::unicode_split(s); }); });
  m.def("_ngrams", [](Given values, Given row_splits, Given rows, Given widths, Given separator) {
    const strings::Ragged lists{tensor_of(values.object), tensor_of(row_splits.object, {.preferred = i64}),
                                shape_from(rows.object)};
    return ragged(strings::ngrams(lists, dims_from(widths.object), text_from(separator.object)));
  });
}

void bind_to_numbers(nb::module_& m) {
  define(
      m, "length",
      [](const Tensor& x, const std::string& unit) { return strings::length(x, unit_named("strings.length", unit)); },
      nb::arg("input"), nb::arg("unit") = "BYTE", "How many bytes or characters each string has.");
  define(
      m, "to_number", [](const Tensor& x, DType out_type) { return strings::to_number(x, out_type); },
      nb::arg("input"), nb::arg("out_type") = "float32", "The numbers that strings spell.");
  m.def(
      "regex_full_match",
      [](Given input, Given pattern, Given) {
        return perform(
            [what = text_from(pattern.object)](const Tensor& x) { return strings::regex_full_match(x, what); },
            std::tuple{Parameter<Tensor>::take(input)});
      },
      nb::arg("input"), nb::arg("pattern"), nb::arg("name") = nb::none(),
      "True where a pattern of RE2 matches a whole string.");
  define(
      m, "to_hash_bucket_fast",
      [](const Tensor& x, int64_t buckets) { return strings::to_hash_bucket_fast(x, buckets); }, nb::arg("input"),
      nb::arg("num_buckets"), "A number below num_buckets for each string.");
  define(
      m, "to_hash_bucket", [](const Tensor& x, int64_t buckets) { return strings::to_hash_bucket(x, buckets); },
      nb::arg("input"), nb::arg("num_buckets"),
      "A number below num_buckets for each string, by TensorFlow's old hash.");
  define(
      m, "to_hash_bucket_strong",
      [](const Tensor& x, int64_t buckets, const std::vector<uint64_t>& key) {
        return strings::to_hash_bucket_strong(x, buckets, key);
      },
      nb::arg("input"), nb::arg("num_buckets"), nb::arg("key"),
      "A number below num_buckets for each string, which a secret key makes hard to foresee.");
}

}  // namespace

void bind_strings(nb::module_& m) {
  nb::module_ strings = m.def_submodule("_strings", "tf.strings.");
  bind_to_strings(strings);
  bind_to_lists(strings);
  bind_to_numbers(strings);
}

}  // namespace brio::python
