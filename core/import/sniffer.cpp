// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/sniffer.h"

#include "core/base/csv_text.h"
#include "core/base/text.h"
#include "core/files/message_text.h"
#include "core/import/cuda_snapshot_file.h"
#include "core/import/json_stream.h"
#include "core/import/snapshot_bytes.h"

#include <algorithm>
#include <array>
#include <set>

namespace peakscope {

namespace {

using Kind = JsonStream::Kind;
using KeySet = std::set<std::string, std::less<>>;

constexpr std::size_t kMostKeys = 1000;
constexpr std::string_view kZip = "PK\x03\x04";

struct Magic {
    std::string_view bytes;
    const char* what;
};
// Files of other programs that people have beside their results.
const std::array<Magic, 12> kOthers{{
    {kZip, "a zip file (PyTorch weights, or an archive), not a result; see inspect"},
    {std::string_view("\x89PNG"), "a picture, which holds no numbers"},
    {std::string_view("%PDF"), "a PDF document, which holds no numbers"},
    {std::string_view("SQLite format 3"), "an SQLite database (such as Nsight Systems exports), which is not read"},
    {std::string_view("\x89HDF"), "an HDF5 file, which is not read"},
    {std::string_view("\x93NUMPY"), "a NumPy array, which is not read (rows of token ids are read from .json)"},
    {std::string_view("PAR1"), "a Parquet file, which is not read"},
    {std::string_view("\x28\xb5\x2f\xfd"), "zstd-compressed; unpack it first"},
    {std::string_view("BZh"), "bzip2-compressed; unpack it first"},
    {std::string_view("\xfd"
                      "7zXZ"),
     "xz-compressed; unpack it first"},
    {std::string_view("memray"), "a Memray capture, which is not read"},
    {std::string_view("<"), "HTML or XML: an exported page holds a picture and no numbers; export .json instead"},
}};

bool hasAll(const KeySet& keys, std::initializer_list<std::string_view> wanted)
{
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view key) { return keys.contains(key); });
}

bool hasAny(const KeySet& keys, std::initializer_list<std::string_view> wanted)
{
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view key) { return keys.contains(key); });
}

std::string keysText(const KeySet& keys)
{
    std::string text;
    std::size_t shown = 0;
    for (const std::string& key : keys) {
        if (++shown > 5)
            return text + ", …";
        text += (shown > 1 ? ", " : "") + inQuotes(key, 40);
    }
    return text;
}

std::string objectText(const KeySet& keys, const std::string& some, const char* none)
{
    return keys.empty() ? none : some + keysText(keys);
}

std::optional<FileFormat> ofObject(const KeySet& keys, const std::string& formatName)
{
    if (formatName == "peakscope-sweep")
        return FileFormat::PeakscopeSweep;
    if (keys.contains("format") && formatName.starts_with("peakscope-result"))
        return FileFormat::PeakscopeResult;
    if (keys.contains("traceEvents"))
        return FileFormat::ChromeTrace;
    if (keys.contains("device_traces"))
        return FileFormat::CudaSnapshot;
    if (keys.contains("strategies") && !keys.contains("format"))
        return FileFormat::PeakscopePlan;
    if (keys.contains("prm_results"))
        return FileFormat::PrmResults;
    if (hasAll(keys, {"mode"}) && hasAny(keys, {"peak_memory_mb", "avg_time_ms"}))
        return FileFormat::DpsgdPoint;
    if (keys.contains("peak_allocated_memory_mb"))
        return FileFormat::DpsgdDit;
    if (hasAny(keys, {"breakdown", "experiment"}) && hasAny(keys, {"peak_memory_mb", "avg_time_ms", "snapshots"}))
        return FileFormat::DpsgdRun;
    if (hasAll(keys, {"seq_length", "peak_memory_gb"}))
        return FileFormat::MemorySweep;
    return std::nullopt;
}

std::optional<FileFormat> ofElement(const KeySet& keys, const std::string& formatName)
{
    if (formatName == "peakscope-result")
        return FileFormat::PeakscopeResult;
    if (keys.contains("ph"))
        return FileFormat::ChromeTrace;
    if (keys.contains("device_traces") || hasAll(keys, {"blocks", "total_size", "address"}))
        return FileFormat::CudaSnapshot;
    if (hasAll(keys, {"label", "sigma"}))
        return FileFormat::PrmPilot;
    if (hasAll(keys, {"noise_level", "param_type"}))
        return FileFormat::PrmResults;
    if (hasAll(keys, {"model_name"}) && hasAny(keys, {"memory_breakdown", "strategies"}))
        return FileFormat::HessianMemoryAnalysis;
    if (hasAny(keys, {"detailed_breakdown", "peak_memory"}))
        return FileFormat::DetailedMemory;
    if (hasAny(keys, {"peak_memory_gb", "memory_breakdown"}))
        return FileFormat::MemorySweep;
    if (hasAny(keys, {"mode", "avg_time_ms"}))
        return FileFormat::DpsgdPoint;
    return std::nullopt;
}

// The members of the object that comes next, up to the one that decides. False after an error.
bool readKeys(JsonStream& json, KeySet& keys, std::string& formatName)
{
    json.enterObject();
    std::string_view key;
    while (json.nextKey(key)) {
        const std::string name(key);
        const bool traces = name == "device_traces" && json.peek() == Kind::Array;
        if (keys.size() < kMostKeys && (traces || name != "device_traces"))
            keys.insert(name);
        if (name == "traceEvents" || name == "ph" || traces)
            return true;
        if (name == "format" && json.peek() == Kind::String) {
            JsonStream::Scalar scalar;
            if (!json.read(scalar))
                return false;
            formatName = scalar.text;
            if (formatName.starts_with("peakscope-"))
                return true;
        } else {
            json.skip();
        }
    }
    return json.ok();
}

// Behind "[[": rows of numbers, or times and rows.
std::optional<FileFormat> ofNested(JsonStream& json)
{
    json.skip();
    if (!json.nextElement())
        return json.ok() ? std::optional(FileFormat::MemoryTimelineRaw) : std::nullopt;
    if (json.peek() != Kind::Array || !json.enterArray() || !json.nextElement())
        return json.ok() ? std::optional(FileFormat::MemoryTimeline) : std::nullopt; // two empty arrays
    return json.peek() == Kind::Array ? FileFormat::MemoryTimeline : FileFormat::MemoryTimelineRaw;
}

// Rows of token ids are a timeline's rows only where these are: a time, an action of 1 to 4, bytes, a category of 0
// to 7. A timeline with some rows of another kind is damaged, and its reader says where.
bool areTokenRows(ByteSource& source)
{
    constexpr int kRowsLookedAt = 1000;
    constexpr std::size_t kLongestRow = 1'000'000;
    source.rewind();
    JsonStream json(source);
    json.enterArray();
    int timeline = 0, rows = 0;
    nlohmann::json row;
    while (rows < kRowsLookedAt && json.nextElement()) {
        if (!json.readDocument(row, kLongestRow) || !row.is_array() || row.empty())
            return false;
        const bool ids = std::all_of(row.begin(), row.end(), [](const auto& id) { return id.is_number_unsigned(); });
        if (!ids)
            return false;
        ++rows;
        timeline += row.size() == 4 && row[1] >= 1 && row[1] <= 4 && row[3] <= 7;
    }
    return json.ok() && 2 * timeline < rows;
}

Result<FileFormat> sniffJson(ByteSource& source)
{
    JsonStream json(source);
    KeySet keys;
    std::string formatName;
    std::optional<FileFormat> format;
    std::string what;
    if (json.peek() == Kind::Object) {
        if (readKeys(json, keys, formatName))
            format = ofObject(keys, formatName);
        what = objectText(keys, "an object with ", "an empty object");
    } else {
        json.enterArray();
        if (json.nextElement()) {
            const Kind kind = json.peek();
            if (kind == Kind::Array)
                format = ofNested(json);
            else if (kind == Kind::Object && readKeys(json, keys, formatName))
                format = ofElement(keys, formatName);
            what = kind == Kind::Object  ? "an array of " + objectText(keys, "objects with ", "empty objects")
                   : kind == Kind::Array ? "an array of arrays"
                                         : "an array of plain values";
        } else {
            what = "an empty array";
        }
    }
    if (!json.ok() && (!json.endsEarly() || format))
        return json.error();
    if (format == FileFormat::MemoryTimelineRaw && areTokenRows(source)) {
        format.reset();
        what = "rows of token ids, which a run reads (data.source tokens)";
    }
    if (!format) {
        source.rewind();
        JsonStream again(source);
        if (holdsJsonSnapshot(again))
            return FileFormat::CudaSnapshot;
        if (!json.ok())
            return json.error();
    }
    if (!format)
        return badInput(source.name(), "not a result, a trace or a snapshot; it is JSON, " + what +
                                           (formatName.empty() ? "" : "; its format is " + inQuotes(formatName, 40)));
    return *format;
}

// Of protocols 0 and 1, which do not say so: marks, and then a dict or a list.
bool isEarlyPickle(std::string_view head)
{
    constexpr std::size_t kMostMarks = 8;
    const std::size_t marks = std::min(head.find_first_not_of('('), head.size());
    if (marks > kMostMarks || marks + 1 >= head.size())
        return false;
    const char container = head[marks], next = head[marks + 1];
    const bool text = marks > 0 && (container == 'd' || container == 'l');
    const bool binary = container == '}' || container == ']';
    return (text || binary) &&
           (next == 'p' ? head.size() > marks + 2 && head[marks + 2] >= '0' && head[marks + 2] <= '9'
                        : next == 'q' || next == 'r' || next == '(' || next == '.' || (text && next == 'V'));
}

Result<FileFormat> sniffTable(ByteSource& source, std::string_view head)
{
    const std::string_view line = head.substr(0, head.find_first_of("\r\n"));
    const auto has = [&](std::string_view column) {
        std::string_view rest = line;
        while (!rest.empty()) {
            std::string_view cell = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(cell.size() + 1, rest.size()));
            if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
                cell = cell.substr(1, cell.size() - 2);
            if (cell == column)
                return true;
        }
        return false;
    };
    if (has("noise_level") && has("param_type") && has("delta_ppl"))
        return FileFormat::PrmCsv;
    if (has("label") && has("sigma"))
        return FileFormat::PrmPilotCsv;
    if (has("seq_length") && has("peak_memory_gb"))
        return FileFormat::MemorySweepCsv;
    if (line.find(',') == std::string_view::npos)
        return badInput(source.name(),
                        "not a result, a trace or a snapshot; it is text, neither JSON nor a table with known columns");
    return badInput(source.name(), "not a result, a trace or a snapshot; its columns are " + inQuotes(line, 80));
}

} // namespace

Result<FileFormat> sniffFormat(ByteSource& source)
{
    std::array<char, 4096> buffer{};
    std::size_t size = 0;
    while (size < buffer.size()) {
        const std::size_t got = source.read(buffer.data() + size, buffer.size() - size);
        if (got == 0)
            break;
        size += got;
    }
    if (source.error() && (!source.endsEarly() || size == 0))
        return *source.error();
    source.rewind();
    const std::string_view head(buffer.data(), size);
    if (head.empty())
        return badInput(source.name(), "the file is empty");
    const auto first = static_cast<unsigned char>(head[0]);
    if ((first == 0x80 && head.size() > 1 && head[1] >= 0 && head[1] <= 5) || isEarlyPickle(head))
        return FileFormat::CudaSnapshot;
    std::string_view text = head.starts_with("\xef\xbb\xbf") ? head.substr(3) : head;
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (text.empty())
        return badInput(source.name(), "holds nothing but white space");
    if (text.starts_with(kZip) && !source.compressed()) {
        const auto whole = source.whole(kLargestPickle);
        const bool snapshot = whole && !savedSnapshot(*whole, source.name()).empty();
        source.rewind();
        if (snapshot)
            return FileFormat::CudaSnapshot;
    }
    for (const Magic& magic : kOthers) {
        if (text.starts_with(magic.bytes))
            return badInput(source.name(), std::string("is ") + magic.what);
    }
    if (text[0] == '{' || text[0] == '[') {
        Result<FileFormat> format = sniffJson(source);
        source.rewind();
        return format;
    }
    const auto strange = std::count_if(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && c != '\n' && c != '\r' && c != '\t';
    });
    if (strange > 0)
        return badInput(source.name(), "not a result, a trace or a snapshot; it is other binary data");
    return sniffTable(source, text);
}

Result<nlohmann::json> readCsvRows(std::string_view text, const std::string& name)
{
    constexpr std::size_t kMostRows = 1'000'000;
    constexpr std::size_t kMostColumns = 10'000;
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    std::vector<std::string> header, cells;
    nlohmann::json rows = nlohmann::json::array();
    std::size_t line = 1;
    std::size_t position = 0;
    while (position < text.size()) {
        const std::size_t firstLine = line;
        cells.clear();
        // One record: cells up to a line end outside quotes.
        for (bool more = true; more;) {
            std::string cell;
            if (position < text.size() && text[position] == '"') {
                for (++position;; ++position) {
                    if (position >= text.size())
                        return badInput(name, "line " + std::to_string(firstLine) + ": a quote is not closed");
                    line += text[position] == '\n';
                    if (text[position] != '"')
                        cell += text[position];
                    else if (position + 1 < text.size() && text[position + 1] == '"')
                        cell += text[position++];
                    else
                        break;
                }
                ++position;
            }
            const std::size_t end = std::min(text.find_first_of(",\r\n", position), text.size());
            cell += text.substr(position, end - position);
            position = end;
            cells.emplace_back(spreadsheetValue(cell));
            more = position < text.size() && text[position] == ',';
            position += more;
            if (cells.size() > kMostColumns)
                return badInput(name, "line " + std::to_string(firstLine) + " has more than 10000 cells");
        }
        if (position < text.size() && text[position] == '\r')
            ++position;
        if (position < text.size() && text[position] == '\n') {
            ++position;
            ++line;
        }
        const bool blank = cells.size() == 1 && cells[0].find_first_not_of(" \t") == std::string::npos;
        if (blank)
            continue;
        if (header.empty()) {
            header = cells;
            continue;
        }
        if (cells.size() != header.size())
            return badInput(name, "line " + std::to_string(firstLine) + " has " + std::to_string(cells.size()) +
                                      " cells, the header has " + std::to_string(header.size()));
        nlohmann::json row = nlohmann::json::object();
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!cells[i].empty() && !header[i].empty())
                row[oneLine(header[i])] = oneLine(cells[i]);
        }
        rows.push_back(std::move(row));
        if (rows.size() > kMostRows)
            return badInput(name, "has more than a million rows");
    }
    if (rows.empty())
        return badInput(name, "the table has a header, but no rows");
    return rows;
}

} // namespace peakscope
