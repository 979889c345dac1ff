// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/text_source.h"

#include "core/base/input_file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"
#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include <unistd.h>

namespace peakscope {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestText = 256U << 20; // of one source; far more than a profiled run reads
constexpr std::size_t kBinaryProbe = 8192;
constexpr std::size_t kNamesInNote = 3;

struct FileText {
    std::string bytes;
    bool isCut = false;
};

// Up to `limit` bytes of a file, ended at a line break where it had to be cut; nothing where it cannot be read.
std::optional<FileText> readBeginning(const fs::path& path, std::size_t limit)
{
    const auto opened = InputFile::open(path);
    if (!opened)
        return std::nullopt;
    FileText file;
    std::string block(1U << 20, '\0');
    while (file.bytes.size() <= limit) {
        const ssize_t got = ::read(opened->descriptor(), block.data(), block.size());
        if (got < 0 && errno != EINTR)
            return std::nullopt;
        if (got == 0)
            break;
        file.bytes.append(block, 0, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    if (file.bytes.size() <= limit)
        return file;
    const auto lineBreak = file.bytes.rfind('\n', limit - 1);
    file.bytes.resize(lineBreak == std::string::npos ? limit : lineBreak + 1);
    file.isCut = true;
    return file;
}

bool isBinary(std::string_view bytes)
{
    return bytes.substr(0, kBinaryProbe).find('\0') != std::string_view::npos;
}

// "3 binary files left out (a, b, c, ...)"
std::string fileNote(const std::vector<std::string>& names, std::string_view what)
{
    const std::vector<std::string> shown(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesInNote)));
    return fmt::format("{} left out, {}: {}{}", names.size() == 1 ? "1 file" : fmt::format("{} files", names.size()),
                       what, fmt::join(shown, ", "), names.size() > kNamesInNote ? ", ..." : "");
}

void appendText(TextData& data, FileText file, const std::string& name)
{
    std::size_t replaced = 0;
    if (!isValidUtf8(file.bytes))
        file.bytes = repairedUtf8(file.bytes, &replaced);
    if (replaced > 0)
        data.notes.push_back(fmt::format("{}: {} invalid UTF-8 sequence(s) replaced by U+FFFD", name, replaced));
    if (file.isCut)
        data.notes.push_back(fmt::format("{}: only the first {} bytes are used", name, file.bytes.size()));
    data.text += file.bytes;
    ++data.files;
}

// Files below a folder by path, hidden ones not among them.
Result<std::vector<fs::path>> filesBelow(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
    if (error)
        return badInput(folder.string(), "cannot be listed: " + error.message());
    for (const fs::recursive_directory_iterator end; it != end; it.increment(error)) {
        if (error)
            return badInput(folder.string(), "cannot be listed: " + error.message());
        std::error_code ignored;
        if (it->path().filename().string().starts_with('.'))
            it.disable_recursion_pending();
        else if (it->is_regular_file(ignored))
            files.push_back(it->path());
    }
    if (error)
        return badInput(folder.string(), "cannot be listed: " + error.message());
    std::sort(files.begin(), files.end());
    return files;
}

Result<TextData> readFolder(const fs::path& folder)
{
    const auto files = filesBelow(folder);
    if (!files)
        return files.error();
    TextData data;
    std::vector<std::string> binary, unreadable, late;
    for (const fs::path& path : *files) {
        const std::string name = path.lexically_relative(folder).string();
        if (data.text.size() >= kLargestText) {
            late.push_back(name);
            continue;
        }
        auto file = readBeginning(path, kLargestText - data.text.size());
        if (!file) {
            unreadable.push_back(name);
        } else if (isBinary(file->bytes)) {
            binary.push_back(name);
        } else if (!file->bytes.empty()) {
            appendText(data, std::move(*file), name);
            if (!data.text.ends_with('\n'))
                data.text += '\n';
        }
    }
    if (!binary.empty())
        data.notes.push_back(fileNote(binary, "binary"));
    if (!unreadable.empty())
        data.notes.push_back(fileNote(unreadable, "not readable"));
    if (!late.empty())
        data.notes.push_back(fileNote(late, fmt::format("beyond the first {} bytes", kLargestText)));
    if (data.files == 0)
        return badInput(folder.string(), fmt::format("no text file in it ({} looked at)", files->size()));
    return data;
}

Result<std::int32_t> tokenId(const nlohmann::json& value, const std::string& context, std::size_t row,
                             std::size_t place)
{
    const auto number = jsonInteger(value);
    if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max())
        return badInput(context, fmt::format("row {}, place {}: {} is not a token id (an integer from 0 on)", row,
                                             place, describeJson(value)));
    return static_cast<std::int32_t>(*number);
}

Status addJsonRow(const nlohmann::json& row, const std::string& context, TokenRows& rows)
{
    if (!row.is_array() || row.empty())
        return badInput(context,
                        fmt::format("row {} is {}; an array of token ids is needed", rows.rows(), describeJson(row)));
    std::vector<std::int32_t> ids;
    ids.reserve(row.size());
    for (const nlohmann::json& value : row) {
        const auto id = tokenId(value, context, rows.rows(), ids.size());
        if (!id)
            return id.error();
        ids.push_back(*id);
    }
    rows.addRow(ids);
    return Done{};
}

} // namespace

std::int64_t TokenRows::longestRow() const
{
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < rows(); ++i)
        longest = std::max(longest, rowStart[i + 1] - rowStart[i]);
    return longest;
}

bool TokenRows::hasEqualRows() const
{
    for (std::size_t i = 1; i < rows(); ++i) {
        if (row(i).size() != row(0).size())
            return false;
    }
    return true;
}

Result<TextData> readTextFiles(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        return readFolder(path);
    if (!fs::exists(path, error))
        return badInput(path.string(), "no such file or folder; a text is needed");
    auto file = readBeginning(path, kLargestText);
    if (!file)
        return badInput(path.string(), "cannot be read; a text file is needed");
    if (isBinary(file->bytes))
        return badInput(path.string(), "a binary file; a text file is needed");
    TextData data;
    appendText(data, std::move(*file), path.filename().string());
    if (data.text.empty())
        return badInput(path.string(), "an empty file; a text is needed");
    return data;
}

Result<TokenRows> tokenRowsFromJson(const fs::path& path)
{
    const auto content = readTextFile(path);
    if (!content)
        return content.error();
    const auto document = parseJson(*content, path.string());
    if (!document)
        return document.error();
    if (!document->is_array() || document->empty())
        return badInput(path.string(),
                        fmt::format("{} where an array of rows of token ids is needed", describeJson(*document)));
    TokenRows rows;
    if (document->front().is_number()) {
        if (const Status status = addJsonRow(*document, path.string(), rows); !status)
            return status.error();
        return rows;
    }
    for (const nlohmann::json& row : *document) {
        if (const Status status = addJsonRow(row, path.string(), rows); !status)
            return status.error();
    }
    return rows;
}

Result<TokenRows> packRows(std::span<const std::int32_t> tokens, std::int64_t length)
{
    if (length < 2)
        return badInput({},
                        fmt::format("rows of {} token(s); at least 2 are needed, one to predict the other", length));
    const auto size = static_cast<std::size_t>(length);
    if (tokens.size() < size)
        return badInput(
            {}, fmt::format("the text has {} tokens, a row needs {} (the sequence and one more); use a longer text "
                            "or a smaller data.seq",
                            tokens.size(), length));
    TokenRows rows;
    const std::size_t count = (tokens.size() - 1) / (size - 1);
    rows.ids.reserve(count * size);
    rows.rowStart.reserve(count + 1);
    for (std::size_t i = 0; i < count; ++i)
        rows.addRow(tokens.subspan(i * (size - 1), size));
    return rows;
}

std::string neededVocabulary(std::span<const std::int32_t> ids)
{
    return fmt::format("; these tokens need one of {}", std::int64_t{*std::max_element(ids.begin(), ids.end())} + 1);
}

Status checkVocabulary(const TokenRows& rows, std::int64_t vocab, const std::string& context)
{
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        const auto row = rows.row(i);
        const auto found = std::find_if(row.begin(), row.end(), [&](std::int32_t id) { return id < 0 || id >= vocab; });
        if (found == row.end())
            continue;
        const std::string sentence =
            fmt::format("row {}, place {}: token id {} is not below the model's vocabulary of {}", i,
                        found - row.begin(), *found, vocab);
        return badInput(context, *found < 0 ? sentence : sentence + neededVocabulary(rows.ids));
    }
    return Done{};
}

} // namespace peakscope
