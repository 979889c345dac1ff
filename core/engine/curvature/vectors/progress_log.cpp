// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/curvature/vectors/progress_log.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/files/mapped_file.h"

#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace peakscope {
namespace {

constexpr double kLeastSeconds = 3;  // between two states
constexpr double kShareOfTime = 0.1; // for writing them

// The first rank's text, on every rank.
std::string broadcastText(Communicator& ranks, std::string text)
{
    auto size = static_cast<std::int64_t>(text.size());
    ranks.broadcast(&size, sizeof size, 0);
    text.resize(static_cast<std::size_t>(size));
    ranks.broadcast(text.data(), size, 0);
    return text;
}

void broadcastTensor(Communicator& ranks, const at::Tensor& tensor)
{
    const at::Tensor bytes = tensor.cpu().contiguous();
    ranks.broadcast(bytes.data_ptr(), static_cast<std::int64_t>(bytes.nbytes()), 0);
    if (!bytes.is_same(tensor))
        tensor.copy_(bytes);
}

// Appends one whole line: a kill leaves either all of it or a line without its end.
bool appendLine(const std::string& path, const std::string& line)
{
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file << line << '\n';
    file.flush();
    return static_cast<bool>(file);
}

// JSON has no word for the others: what is written as null would not be read back.
bool hasNumbersOnly(const nlohmann::json& value)
{
    if (value.is_structured())
        return std::all_of(value.begin(), value.end(), hasNumbersOnly);
    return !value.is_null() && (!value.is_number_float() || std::isfinite(value.get<double>()));
}

} // namespace

Result<ProgressLog> ProgressLog::open(const std::string& path, const std::string& fingerprint, Communicator* ranks)
{
    if (!ranks)
        return openFile(path, fingerprint);
    const bool first = ranks->rank() == 0;
    auto own = first ? openFile(path, fingerprint) : Result<ProgressLog>(ProgressLog());
    // What the first rank's file holds; nothing where it cannot be written.
    const std::string text = broadcastText(
        *ranks, first && own ? nlohmann::json{{"resumed", own->m_resumed}, {"known", own->m_known}}.dump() : "");
    if (first && !own)
        return own.error();
    ProgressLog log = std::move(*own);
    const auto told = nlohmann::json::parse(text, nullptr, false);
    if (!first && told.is_object()) {
        log.m_resumed = told["resumed"].get<bool>();
        log.m_known = told["known"].get<std::map<std::string, nlohmann::json>>();
    }
    log.m_ranks = ranks;
    return log;
}

Result<ProgressLog> ProgressLog::openFile(const std::string& path, const std::string& fingerprint)
{
    ProgressLog log;
    log.m_path = path;
    const auto text = readTextFile(path);
    const std::string content = text ? *text : std::string();
    std::size_t begin = 0, end = 0;
    bool own = false;
    while ((end = content.find('\n', begin)) != std::string::npos) {
        const auto line = parseJson(std::string_view(content).substr(begin, end - begin));
        if (!line || !line->is_object() || !line->contains("value") ||
            !line->value("key", nlohmann::json()).is_string())
            break;
        const nlohmann::json& value = line->at("value");
        if (begin == 0)
            own = line->at("key") == "experiment" && value == fingerprint;
        if (!own)
            break;
        log.m_known[line->at("key").get<std::string>()] = value;
        begin = end + 1;
    }
    std::error_code error;
    if (own) {
        log.m_resumed = log.m_known.size() > 1;
        std::filesystem::resize_file(path, begin, error);
        if (!error)
            return log;
    }
    log.m_known.clear();
    log.m_resumed = false;
    log.remove(); // with its vectors, which are another run's too
    if (!appendLine(path, nlohmann::json{{"key", "experiment"}, {"value", fingerprint}}.dump())) {
        log.remove();
        return failed(path, "the progress file cannot be written");
    }
    return log;
}

const nlohmann::json* ProgressLog::recall(const std::string& key) const
{
    const auto found = m_known.find(key);
    return found == m_known.end() ? nullptr : &found->second;
}

void ProgressLog::note(const std::string& key, const nlohmann::json& value)
{
    if (active() && hasNumbersOnly(value))
        appendLine(m_path, nlohmann::json{{"key", key}, {"value", value}}.dump());
}

bool ProgressLog::due(const VectorLayout& layout) const
{
    const double since = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_lastWrite).count();
    const bool own = active() && since >= std::max(kLeastSeconds, m_writeSeconds / kShareOfTime);
    if (layout.whole())
        return own;
    std::int64_t first = own ? 1 : 0; // who writes has the word: all take part in collecting
    layout.ranks().broadcast(&first, sizeof first, 0);
    return first != 0;
}

// The bytes of a vector whose pieces are visited in any order.
bool ProgressLog::writeVectors(const std::string& path, const std::string& head, const std::vector<at::Tensor>& vectors,
                               const VectorLayout& layout) const
{
    std::ofstream file;
    if (active()) {
        file.open(path, std::ios::binary);
        file << head << '\n';
    }
    auto begin = static_cast<std::streamoff>(head.size() + 1);
    for (const at::Tensor& vector : vectors) {
        std::streamoff end = begin;
        layout.collect(vector, [&](std::int64_t position, const at::Tensor& values) {
            const auto size = static_cast<std::streamoff>(values.element_size());
            file.seekp(begin + position * size);
            file.write(static_cast<const char*>(values.contiguous().data_ptr()), values.numel() * size);
            end = std::max(end, begin + (position + values.numel()) * size);
        });
        begin = end;
    }
    file.flush();
    return active() && file;
}

void ProgressLog::noteVectors(const std::string& key, const nlohmann::json& state,
                              const std::vector<at::Tensor>& vectors, const VectorLayout& layout)
{
    const auto start = std::chrono::steady_clock::now();
    const std::string path = vectorFile(key), temporary = path + ".new";
    const bool written = writeVectors(temporary, state.dump(), vectors, layout);
    std::error_code ignored; // a full disk: the former state stays
    if (!written) {
        if (active())
            std::filesystem::remove(temporary, ignored);
        return;
    }
    std::filesystem::rename(temporary, path, ignored);
    if (std::find(m_vectorKeys.begin(), m_vectorKeys.end(), key) == m_vectorKeys.end())
        m_vectorKeys.push_back(key);
    m_lastWrite = std::chrono::steady_clock::now();
    m_writeSeconds = std::chrono::duration<double>(m_lastWrite - start).count();
}

bool ProgressLog::recallVectors(const std::string& key, nlohmann::json& state, const std::vector<at::Tensor>& vectors,
                                const VectorLayout& layout) const
{
    if (!m_resumed)
        return false;
    const auto file = active() ? MappedFile::open(vectorFile(key)) : Result<MappedFile>(badInput({}, {}));
    const std::string_view bytes = file ? file->view() : std::string_view();
    std::string head(bytes.substr(0, std::min(bytes.find('\n'), bytes.size())));
    if (!nlohmann::json::parse(head, nullptr, false).is_object())
        head.clear();
    if (m_ranks)
        head = broadcastText(*m_ranks, head);
    if (head.empty())
        return false;
    bool complete = true;
    std::size_t begin = head.size() + 1;
    for (const at::Tensor& vector : vectors) {
        std::size_t end = begin;
        layout.distribute(vector, [&](std::int64_t position, const at::Tensor& values) {
            if (!active())
                return;
            const std::size_t from = begin + static_cast<std::size_t>(position) * values.element_size();
            end = std::max(end, from + values.nbytes());
            complete = complete && end <= bytes.size();
            if (!complete)
                return;
            std::memcpy(values.data_ptr(), bytes.data() + from, values.nbytes());
            file->dropPages(file->data() + from, values.nbytes()); // they would count as this process's memory
        });
        if (m_ranks && layout.whole())
            broadcastTensor(*m_ranks, vector);
        begin = end;
    }
    std::int64_t whole = complete ? 1 : 0;
    if (m_ranks)
        m_ranks->broadcast(&whole, sizeof whole, 0);
    state = nlohmann::json::parse(head);
    return whole != 0;
}

void ProgressLog::remove()
{
    if (!active())
        return;
    std::error_code ignored;
    const std::filesystem::path base(m_path);
    const std::filesystem::path folder = base.has_parent_path() ? base.parent_path() : std::filesystem::path(".");
    const std::string start = base.filename().string();
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const bool own = name == start || name.starts_with(start + ".");
        if (own && name != start + ".lock") // whose is who gave the path
            std::filesystem::remove(entry.path(), ignored);
    }
}

} // namespace peakscope
