// Checksums of files whose formats have no room for one of all bytes: the CRC-32C of everything before it as eight
// hexadecimal digits, with a few fixed characters around them, at the file's end. Weights in HDF5 files have it
// behind the last byte that HDF5 knows of, .keras files as the comment of the ZIP archive, manifests as the last
// member of their JSON object, lists of checkpoints as a comment. A safetensors file has it in its header, where its
// digits count as zeros. What others wrote has none. python/brio/_files.py writes the same.
#pragma once

#include <string>
#include <string_view>

#include "brio/formats/file.h"

namespace brio::formats {

enum class Seal : uint8_t { binary, json, text, safetensors };

// Compares the checksum of a file: false where it has none. Throws DataError where they differ.
bool check_seal(const InputFile& file, Seal seal);

// What a file of this checksum ends in.
std::string seal_of(Seal seal, uint32_t crc);

// A JSON object, which ends in "\n}" and is not empty, with its checksum as the last member.
std::string sealed_json(std::string_view object);

}  // namespace brio::formats
