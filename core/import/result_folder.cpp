// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/result_folder.h"

#include "core/import/byte_source.h"
#include "core/import/read_any.h"
#include "core/import/sniffer.h"

#include <algorithm>
#include <string_view>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestHeader = std::size_t{64} << 10; // of a table

bool isResultName(const fs::path& path)
{
    const std::string file = path.filename().string();
    return !file.starts_with('.') && std::any_of(kResultEndings.begin(), kResultEndings.end(),
                                                 [&](std::string_view ending) { return file.ends_with(ending); });
}

// Baseline first, as the scripts' own tables have it.
int methodRank(const fs::path& path)
{
    const std::string file = path.filename().string();
    return file.starts_with("vanilla") || file.starts_with("no_dp") ? 0
           : file.starts_with("ghost")                              ? 1
           : file.starts_with("flash")                              ? 2
                                                                    : 3;
}

// A table beside the document it summarises says nothing new.
bool hasDocument(const fs::path& table, const std::vector<fs::path>& files)
{
    std::string stem = table.stem().string();
    if (stem.ends_with("_summary"))
        stem = stem.substr(0, stem.size() - 8) + "_results";
    return std::find(files.begin(), files.end(), table.parent_path() / (stem + ".json")) != files.end();
}

// A table as toCsv writes it, of no format that is read: its header ends as RFC 4180 has it, and its columns are named
// as members of files are.
bool isOwnTable(const fs::path& path)
{
    const ReadOptions options;
    auto source = ByteSource::open(path, options);
    if (!source || sniffFormat(**source))
        return false;
    (*source)->rewind();
    std::string head(kLongestHeader, '\0');
    head.resize((*source)->read(head.data(), head.size()));
    const std::string_view line = std::string_view(head).substr(0, head.find('\n'));
    return line.size() < head.size() && line.ends_with('\r') && line.find(',') != line.npos &&
           line.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.,\r") == line.npos;
}

bool holdsResults(const fs::path& folder)
{
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        if (isResultName(entry->path()) && entry->is_regular_file(unreadable))
            return true;
    }
    return false;
}

} // namespace

Result<ResultFolder> resultFolder(const fs::path& folder)
{
    constexpr std::size_t kMostFiles = 5000;
    std::error_code error;
    ResultFolder found;
    std::vector<fs::path> all;
    // A sweep's folder is the sweep: its points stand in it.
    const bool sweep = fs::exists(folder / "sweep.json", error);
    const auto isPoint = [](const fs::path& file) { return file.filename().string().starts_with("point-"); };
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        if (sweep && isPoint(entry->path()))
            continue;
        const bool hidden = entry->path().filename().string().starts_with('.');
        if (isResultName(entry->path()) && entry->is_regular_file(unreadable))
            all.push_back(entry->path());
        else if (!hidden && entry->is_directory(unreadable) && holdsResults(entry->path()))
            found.folders.push_back(entry->path());
        if (all.size() > kMostFiles)
            return badInput(folder.string(), "holds more than 5000 files; open some of them");
    }
    if (error)
        return badInput(folder.string(), "can't be read: " + error.message());
    std::sort(all.begin(), all.end(), [](const fs::path& a, const fs::path& b) {
        return std::pair(methodRank(a), a.filename()) < std::pair(methodRank(b), b.filename());
    });
    std::sort(found.folders.begin(), found.folders.end());
    for (const fs::path& file : all) {
        const bool table = file.extension() == ".csv";
        if (table && hasDocument(file, all))
            found.summaries.push_back(file);
        else if (table && isOwnTable(file))
            found.ownTables.push_back(file);
        else
            found.files.push_back(file);
    }
    return found;
}

std::string namesOf(const std::vector<fs::path>& files)
{
    constexpr std::size_t kMost = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(files.size(), kMost); ++i)
        names += (i == 0 ? "" : ", ") + files[i].filename().string();
    return files.size() <= kMost ? names : names + ", … (" + std::to_string(files.size()) + ")";
}

std::string nothingToRead(const ResultFolder& folder)
{
    const std::string sentence = "a folder without result files (.json, .json.gz, .csv, .pickle)";
    return folder.folders.empty() ? sentence : sentence + "; folders in it hold some: " + namesOf(folder.folders);
}

std::vector<std::string> leftOutOf(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_directory(path, error))
        return {};
    const auto folder = resultFolder(path);
    std::vector<std::string> lines;
    if (folder && !folder->summaries.empty())
        lines.push_back(path.string() + ": left out, the same results as tables: " + namesOf(folder->summaries));
    if (folder && !folder->ownTables.empty())
        lines.push_back(path.string() + ": left out, tables that Peakscope made: " + namesOf(folder->ownTables));
    if (folder && !folder->folders.empty())
        lines.push_back(path.string() + ": left out, folders of results in it: " + namesOf(folder->folders));
    return lines;
}

} // namespace peakscope
