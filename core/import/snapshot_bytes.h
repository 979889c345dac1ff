// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The pickle of a CUDA memory snapshot, whatever it is packed in: itself, gzip, what torch.save writes, or JSON (what
// json.dump of the snapshot gives), which becomes the pickle that Python would have written. Private to this folder;
// one thread.
#pragma once

#include "core/import/byte_source.h"
#include "core/import/json_stream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

// Looks at the members of JSON whose first bracket comes next, a few levels deep: is one a snapshot? Other programs
// have members called "segments", too: a snapshot's are made of blocks.
bool holdsJsonSnapshot(JsonStream& json);

// The pickle in what torch.save made of a snapshot, a zip or (before 1.6) pickles in a row; empty where the file holds
// something else.
std::string_view savedSnapshot(std::string_view file, const std::string& name);

class SnapshotBytes
{
public:
    // What ends early is taken as far as it goes.
    Status read(ByteSource& source);
    std::string_view pickle() const { return m_pickle; }
    // Where the file ends whose pickle ends there.
    std::uint64_t placeInFile(std::uint64_t place) const { return m_jsonEnds.value_or(place); }

private:
    std::string_view m_pickle; // of the source, or of m_made
    std::string m_made;
    std::optional<std::uint64_t> m_jsonEnds; // too early
};

} // namespace peakscope
