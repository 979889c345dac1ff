// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of a file or of memory, unpacked where they are gzip-compressed, in one pass or whole. Reports progress and
// looks at the stop token. Private to this folder; one thread.
#pragma once

#include "core/base/input_file.h"
#include "core/files/mapped_file.h"
#include "core/import/read_any.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace peakscope {

class ByteSource
{
public:
    // Opens a regular file; errors name it.
    static Result<std::unique_ptr<ByteSource>> open(const std::filesystem::path& path, const ReadOptions& options);
    // Over bytes that outlive it.
    static Result<std::unique_ptr<ByteSource>> over(std::string_view bytes, std::string name,
                                                    const ReadOptions& options);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    const std::string& name() const { return m_name; } // for messages: the path as it was given
    bool compressed() const { return m_compressed; }
    bool empty() const { return m_size == 0; }

    // The next bytes, at most `size`; 0 at the end and after an error (corrupt data, a failing disk, a stop).
    std::size_t read(char* out, std::size_t size);
    const std::optional<Error>& error() const { return m_error; }
    // Is the error that compressed data end before their end? All that was unpacked has been given by then.
    bool endsEarly() const { return m_endsEarly; }
    // Back to the first byte.
    void rewind();

    // All bytes; they live as long as this object. More than `limit` bytes are an error that says so. Compressed data
    // that end before their end are one, too, or `cut` takes what came; the caller sees endsEarly().
    enum class Cut : std::uint8_t { Refused, Taken };
    Result<std::string_view> whole(std::uint64_t limit, Cut cut = Cut::Refused);

private:
    struct Inflater;

    ByteSource(std::string name, const ReadOptions& options);
    Status start();
    std::size_t readRaw(char* out, std::size_t size);
    std::size_t readInflated(char* out, std::size_t size);
    void report();
    void fail(std::string reason);

    std::string m_name;
    const ReadOptions& m_options;
    std::optional<InputFile> m_file;
    std::string_view m_bytes; // where there is no file
    std::uint64_t m_size = 0;
    std::uint64_t m_position = 0; // in the file
    double m_reported = -1;
    bool m_compressed = false;
    std::unique_ptr<Inflater> m_inflater;
    std::optional<Error> m_error;
    bool m_endsEarly = false;
    MappedFile m_mapped;
    std::string m_text; // unpacked as a whole
};

} // namespace peakscope
