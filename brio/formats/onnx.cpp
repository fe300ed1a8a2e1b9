// Numbers of fields are those of onnx.proto.
#include "brio/formats/onnx.h"

#include "brio/base/error.h"
#include "brio/formats/file.h"
#include "brio/formats/wire.h"

namespace brio::formats::onnx {
namespace {

enum class SettingKind : uint64_t { real = 1, integer = 2, text = 3, graph = 5, integers = 7 };

void append_number(std::string& to, uint32_t field, uint64_t value) {
  wire::append_varint(to, wire::tag(field, wire::kVarint));
  wire::append_varint(to, value);
}

// Bytes in pieces, so that weights are not copied.
class Pieces {
 public:
  struct Piece {
    std::string own;
    Array weights;  // where there are any they follow
  };
  void add(std::string_view bytes) {
    open().own += bytes;
    size_ += bytes.size();
  }
  void add(const Array& array) {
    Piece& piece = open();
    piece.weights = array;
    size_ += array.aval.bytes();
    closed_ = true;
  }
  void add(uint32_t field, const Pieces& inner) {
    std::string head;
    wire::append_head(head, field, inner.size_);
    add(head);
    for (const Piece& piece : inner.all_) {
      add(piece.own);
      if (piece.weights.buffer) add(piece.weights);
    }
  }
  size_t size() const { return size_; }
  const std::vector<Piece>& all() const { return all_; }

 private:
  Piece& open() {
    if (all_.empty() || closed_) all_.emplace_back();
    closed_ = false;
    return all_.back();
  }
  std::vector<Piece> all_;
  size_t size_ = 0;
  bool closed_ = false;
};

Pieces pieces_of(const Graph& graph);

Pieces pieces_of(const std::string& name, const Setting& setting) {
  Pieces all;
  std::string text;
  wire::append_bytes(text, 1, name);
  const auto kind = [&](SettingKind which) { append_number(text, 20, static_cast<uint64_t>(which)); };
  if (const auto* integer = std::get_if<int64_t>(&setting)) {
    append_number(text, 3, static_cast<uint64_t>(*integer));
    kind(SettingKind::integer);
  } else if (const auto* real = std::get_if<float>(&setting)) {
    wire::append_varint(text, wire::tag(2, wire::kFixed32));
    text.append(reinterpret_cast<const char*>(real), sizeof *real);
    kind(SettingKind::real);
  } else if (const auto* words = std::get_if<std::string>(&setting)) {
    wire::append_bytes(text, 4, *words);
    kind(SettingKind::text);
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&setting)) {
    for (const int64_t each : *integers) append_number(text, 8, static_cast<uint64_t>(each));
    kind(SettingKind::integers);
  } else {
    kind(SettingKind::graph);
    all.add(6, pieces_of(*std::get<std::shared_ptr<const Graph>>(setting)));
  }
  all.add(text);
  return all;
}

Pieces pieces_of(const Node& node) {
  Pieces all;
  std::string text;
  for (const std::string& name : node.in) wire::append_bytes(text, 1, name);
  for (const std::string& name : node.out) wire::append_bytes(text, 2, name);
  if (!node.name.empty()) wire::append_bytes(text, 3, node.name);
  wire::append_bytes(text, 4, node.op);
  all.add(text);
  for (const auto& [name, setting] : node.settings) all.add(5, pieces_of(name, setting));
  return all;
}

std::string bytes_of(const Value& value) {
  std::string shape, tensor, type, bytes;
  for (const Dimension& dimension : value.shape) {
    std::string one;
    if (const auto* number = std::get_if<int64_t>(&dimension)) append_number(one, 1, static_cast<uint64_t>(*number));
    else wire::append_bytes(one, 2, std::get<std::string>(dimension));
    wire::append_bytes(shape, 1, one);
  }
  append_number(tensor, 1, static_cast<uint64_t>(number_of(value.dtype)));
  wire::append_bytes(tensor, 2, shape);
  wire::append_bytes(type, 1, tensor);
  wire::append_bytes(bytes, 1, value.name);
  wire::append_bytes(bytes, 2, type);
  return bytes;
}

Pieces pieces_of(const std::string& name, const Array& array) {
  Pieces all;
  std::string text;
  for (const Size size : array.aval.shape) append_number(text, 1, static_cast<uint64_t>(int64_t{size}));
  append_number(text, 2, static_cast<uint64_t>(number_of(array.aval.dtype)));
  wire::append_bytes(text, 8, name);
  wire::append_head(text, 9, array.aval.bytes());
  all.add(text);
  if (array.aval.bytes() > 0) all.add(array);
  return all;
}

Pieces pieces_of(const Graph& graph) {
  Pieces all;
  for (const Node& node : graph.nodes) all.add(1, pieces_of(node));
  std::string text;
  wire::append_bytes(text, 2, graph.name);
  all.add(text);
  for (const auto& [name, array] : graph.weights) all.add(5, pieces_of(name, array));
  text.clear();
  for (const Value& value : graph.inputs) wire::append_bytes(text, 11, bytes_of(value));
  for (const Value& value : graph.outputs) wire::append_bytes(text, 12, bytes_of(value));
  all.add(text);
  return all;
}

}  // namespace

int32_t number_of(DType dtype) {
  switch (dtype) {
    case DType::f32: return 1;
    case DType::u8: return 2;
    case DType::i8: return 3;
    case DType::u16: return 4;
    case DType::i16: return 5;
    case DType::i32: return 6;
    case DType::i64: return 7;
    case DType::boolean: return 9;
    case DType::f16: return 10;
    case DType::f64: return 11;
    case DType::u32: return 12;
    case DType::u64: return 13;
    case DType::c64: return 14;
    case DType::c128: return 15;
    case DType::bf16: return 16;
    case DType::string: break;
  }
  throw InvalidArgument("[onnx] text is no number: a model that takes or holds strings is not written as ONNX");
}

void write_onnx(const std::string& path, const Model& model) {
  Pieces all;
  std::string text, opset;
  append_number(text, 1, kFormat);
  wire::append_bytes(text, 2, "brio");
  if (!model.description.empty()) wire::append_bytes(text, 6, model.description);
  append_number(opset, 2, static_cast<uint64_t>(model.opset));
  wire::append_bytes(text, 8, opset);
  for (const auto& [name, value] : model.about) {
    std::string entry;
    wire::append_bytes(entry, 1, name);
    wire::append_bytes(entry, 2, value);
    wire::append_bytes(text, 14, entry);
  }
  all.add(text);
  all.add(7, pieces_of(model.graph));
  constexpr size_t kMost = (size_t{1} << 31) - 1;
  if (all.size() > kMost)
    throw InvalidArgument(cat("[onnx] ", path, " would have ", all.size(),
                              " bytes, but an ONNX file holds less than ", kMost,
                              "; save the weights as .safetensors"));
  OutputFile file(path);
  for (const Pieces::Piece& piece : all.all()) {
    file.write(piece.own);
    if (piece.weights.buffer)
      file.write({static_cast<const char*>(piece.weights.data()), piece.weights.aval.bytes()});
  }
  file.commit();
}

}  // namespace brio::formats::onnx
