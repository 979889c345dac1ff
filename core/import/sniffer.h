// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a file is, by its first bytes and its first keys. Private to this folder.
#pragma once

#include "core/import/byte_source.h"
#include "core/import/read_any.h"

namespace peakscope {

// Reads no more than it takes to tell, and leaves the source at its first byte. The error says what the file is, where
// that is known, and else that it is none of what is read.
Result<FileFormat> sniffFormat(ByteSource& source);

// Cells of a comma-separated table (RFC 4180, with any line ends), a row an object: numbers and words as text, empty
// cells left out. Errors name the line. At most a million rows.
Result<nlohmann::json> readCsvRows(std::string_view text, const std::string& name);

} // namespace peakscope
