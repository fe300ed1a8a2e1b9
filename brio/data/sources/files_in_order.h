// What sources that read files one after another share: the place, its state, and what happens at an error.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "brio/data/dataset.h"
#include "brio/formats/byte_stream.h"
#include "brio/formats/compression.h"

namespace brio::data {

// The elements of one file, in order.
class ElementReader {
 public:
  virtual ~ElementReader() = default;
  virtual bool next(Element& out) = 0;  // false at the end
  virtual bool skip(Element& scratch) { return next(scratch); }
  virtual bool lost() const = 0;  // after an error: can nothing of what follows be read?
  // A reader that can go to a place in its file says where it is; others begin again and skip.
  virtual bool seeks() const { return false; }
  virtual uint64_t position() const { return 0; }
  virtual void seek(uint64_t) {}
};
using OpenReader = std::function<std::unique_ptr<ElementReader>(const std::string& file)>;

class FilesInOrder final : public Stage {
 public:
  FilesInOrder(Pipeline& pipeline, std::string name, const std::vector<std::string>& files, const OpenReader& open)
      : Stage(pipeline, std::move(name)), files_(files), open_(open) {}

  bool claim(Ticket& ticket) override { return advance(ticket, &ElementReader::next); }
  int64_t skip(int64_t n) override;
  void compute(Ticket& ticket, Element& out, Worker&) override;
  void reset(uint64_t epoch) override;
  void save(StateWriter& state) const override;
  void restore(StateReader& state) override;

 private:
  bool advance(Ticket& ticket, bool (ElementReader::*step)(Element&));
  void to_file(size_t file);

  const std::vector<std::string>& files_;
  const OpenReader& open_;
  std::unique_ptr<ElementReader> reader_;  // of files_[file_]
  size_t file_ = 0;
  int64_t in_file_ = 0;  // elements and errors passed
  Place place_;
};

// A source of such elements. `text` is what describe() says.
Dataset files_in_order(std::string name, std::string text, std::vector<std::string> files, Structure structure,
                       OpenReader open);

// A file's bytes in order, inflated, for the readers of text. It remembers whether reading itself failed.
class FileStream {
 public:
  FileStream(const std::string& path, formats::Compression compression)
      : file_(path), stream_(file_, compression), plain_(compression == formats::Compression::none) {}
  formats::ReadSome read_some();
  const formats::InputFile& file() const { return file_; }
  bool plain() const { return plain_; }
  bool failed() const { return failed_; }
  void seek(uint64_t position) { stream_.seek(position); }

 private:
  formats::InputFile file_;
  formats::InputStream stream_;
  bool plain_, failed_ = false;
};

}  // namespace brio::data
