// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The directory of a zip file (zip64 included) such as PyTorch writes; nothing is unpacked. Used by
// the PyTorch weight reader.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct ZipEntry {
    std::string name;
    std::string_view data; // as it is in the file: inside the bytes given to readZipDirectory
    bool stored = true;    // false: `data` is compressed
};

// Reads the central directory of a whole zip file. Encrypted entries and ranges outside the file are errors. CRCs are
// not compared: PyTorch can be told to leave them out. Format: PKWARE APPNOTE 6.3.
Result<std::vector<ZipEntry>> readZipDirectory(std::string_view file, const std::string& path);

} // namespace peakscope
