// text_dataset_from_directory: the texts of a folder of classes.
#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/data/pictures/picture_stages.h"
#include "brio/data/sources/sources.h"

namespace brio::data {

TextFolder text_dataset_from_directory(const std::string& directory, const TextFolderOptions& options) {
  constexpr const char* kWho = "text_dataset_from_directory";
  if (options.batch_size < 0)
    throw InvalidArgument(cat("[", kWho, "] batch_size is ", options.batch_size, "; it must be 1 or more, or 0"));
  if (options.max_length && *options.max_length < 0)
    throw InvalidArgument(cat("[", kWho, "] max_length is ", *options.max_length, "; it must be 0 or more"));
  LabelledFiles files = find_files(kWho, directory, {".txt"},
                                   {.inferred = options.inferred && options.label_mode != LabelMode::none,
                                    .labels = options.labels,
                                    .class_names = options.class_names,
                                    .shuffle = options.shuffle,
                                    .seed = options.seed,
                                    .validation_split = options.validation_split,
                                    .subset = options.subset,
                                    .follow_links = options.follow_links});
  if (options.label_mode == LabelMode::binary && files.class_names.size() != 2)
    throw InvalidArgument(
        cat("[", kWho, "] label_mode binary needs two classes; there are ", files.class_names.size()));
  if (options.label_mode == LabelMode::none) files.labels.clear();
  Dataset bytes(picture_files(files, options.label_mode));
  if (options.shuffle)
    bytes = bytes.shuffle(kAutotune, {.seed = options.seed ? std::optional<uint64_t>(*options.seed) : std::nullopt});
  const size_t parts = bytes.structure().parts();
  const auto longest = static_cast<size_t>(options.max_length.value_or(INT64_MAX));
  Dataset texts = bytes
                      .map(
                          [longest](Sample& sample) {
                            const auto size = static_cast<size_t>(sample.aval(0).shape[0]);
                            sample.write_text(
                                0, {reinterpret_cast<const char*>(sample.read<uint8_t>(0)), std::min(size, longest)});
                            for (size_t i = 1; i < sample.size(); ++i) sample.pass(i, i);
                          },
                          {.structure = bytes.structure(), .results = parts})
                      .on_error(options.on_error);
  if (options.batch_size > 0) texts = texts.batch(options.batch_size);
  return {texts, std::move(files)};
}

}  // namespace brio::data
