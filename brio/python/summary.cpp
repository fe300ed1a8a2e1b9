// What files that Python writes need of C++: checksums, and names beside others.
#include <memory>
#include <mutex>

#include "brio/formats/crc32c.h"
#include "brio/formats/event_file.h"
#include "brio/formats/file.h"
#include "brio/nn/layer_graph.h"
#include "brio/python/bind.h"

namespace brio::python {
namespace {

// An event file that several threads may write to, and that may be closed.
class Events {
 public:
  Events(const std::string& directory, const std::string& suffix)
      : file_(std::make_unique<formats::EventFile>(directory, suffix)), path_(file_->path()) {}

  void write(nb::bytes event) {
    change([&](formats::EventFile& file) { file.event({event.c_str(), event.size()}); });
  }
  // The layers of a model and how they are connected.
  void layers(const nn::Layer& model) {
    change([&](formats::EventFile& file) {
      std::vector<formats::EventFile::GraphNode> nodes;
      for (nn::LayerCall& call : nn::layer_graph(model.module()))
        nodes.push_back({std::move(call.name), std::move(call.kind), std::move(call.inputs)});
      if (!nodes.empty()) file.graph(nodes);
    });
  }
  void flush() {
    change([](formats::EventFile& file) { file.flush(); });
  }
  void close() {
    const Unlocked release;
    const std::lock_guard lock(mutex_);
    if (file_) file_->flush();
    file_.reset();
  }
  const std::string& path() const { return path_; }

 private:
  template <typename F>
  void change(const F& f) {
    const Unlocked release;
    const std::lock_guard lock(mutex_);
    if (!file_) throw InvalidArgument(cat("[summary] the writer of '", path_, "' is closed; make a new one"));
    f(*file_);
  }
  std::mutex mutex_;
  std::unique_ptr<formats::EventFile> file_;
  const std::string path_;
};

}  // namespace

void bind_summary(nb::module_& m) {
  // Of anything that has a buffer of bytes, after bytes of the checksum `before`.
  m.def(
      "_crc32c",
      [](nb::handle bytes, uint32_t before) {
        Py_buffer view;
        if (PyObject_GetBuffer(bytes.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
        uint32_t crc = 0;
        {
          const Unlocked release;
          crc = formats::crc32c({static_cast<const char*>(view.buf), static_cast<size_t>(view.len)}, before);
        }
        PyBuffer_Release(&view);
        return crc;
      },
      nb::arg("bytes"), nb::arg("before") = 0);
  // A locked file beside `path` to write to, (path, descriptor); see brio/formats/file.h.
  m.def("_file_aside", [](const std::string& path) {
    const formats::FileAside file = formats::make_file_aside(path);
    return nb::make_tuple(nb::steal(PyUnicode_DecodeFSDefault(file.path.c_str())), file.fd);
  });
  nb::class_<Events>(m, "_Events")
      .def(nb::init<const std::string&, const std::string&>(), nb::arg("directory"), nb::arg("suffix") = "")
      .def("write", &Events::write)
      .def("layers", &Events::layers)
      .def("flush", &Events::flush)
      .def("close", &Events::close)
      .def_prop_ro("path", &Events::path);
  m.def("_masked_crc32c",
        [](nb::bytes bytes) { return formats::masked_crc32c(std::string_view(bytes.c_str(), bytes.size())); });
}

}  // namespace brio::python
