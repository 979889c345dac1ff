// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/recording/probe_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "PEAKREC1";
constexpr std::uint64_t kFirstEvent = 4096; // bytes before it
constexpr std::size_t kMostNames = std::size_t{1} << 24;

struct Header {
    std::array<char, 8> magic{};
    std::uint64_t next = 0; // events begun
    std::uint32_t full = 0;
    std::uint32_t eventBytes = 0;
    std::int64_t process = 0;
};

bool readAt(int file, void* to, std::size_t bytes, std::uint64_t place)
{
    return ::pread(file, to, bytes, static_cast<off_t>(place)) == static_cast<ssize_t>(bytes);
}

// Takes the text until the next tab.
std::string_view nextField(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find('\t'), rest.size());
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return field;
}

std::int64_t numberOf(std::string_view text)
{
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

template <typename T>
T& slot(std::vector<T>& list, std::size_t number)
{
    if (number >= list.size())
        list.resize(number + 1);
    return list[number];
}

} // namespace

void ProbeNames::add(std::string_view line)
{
    if (line.size() < 4 || line[1] != ' ')
        return;
    const char kind = line.front();
    line.remove_prefix(2);
    const std::size_t space = line.find(' ');
    const auto number = static_cast<std::size_t>(numberOf(line.substr(0, space)));
    if (space == std::string_view::npos || number > kMostNames)
        return;
    std::string_view rest = line.substr(space + 1);
    if (kind == 'o') {
        slot(operators, number) = rest;
    } else if (kind == 'f') {
        slot(phases, number) = rest;
    } else if (kind == 'c') {
        slot(purposes, number) = rest;
    } else if (kind == 'm') {
        Module& module = slot(modules, number);
        module.path = nextField(rest);
        module.kind = rest;
    } else if (kind == 'p') {
        Place& place = slot(places, number);
        place.outer = static_cast<std::uint32_t>(numberOf(nextField(rest)));
        place.line = numberOf(nextField(rest));
        place.passed = nextField(rest) == "1";
        place.function = nextField(rest);
        place.file = rest;
    } else if (kind == 'i') {
        const std::string key(nextField(rest));
        if (key == "warning")
            warnings.emplace_back(rest);
        else if (key == "batch") {
            const std::int64_t step = numberOf(nextField(rest));
            batches.emplace_back(step, rest);
        } else
            said[key] = rest;
    }
}

Result<ProbeFile> ProbeFile::open(const fs::path& path)
{
    ProbeFile file;
    file.m_events = ::open((path.string() + ".events").c_str(), O_RDWR | O_CLOEXEC);
    file.m_nameFile = ::open((path.string() + ".names").c_str(), O_RDONLY | O_CLOEXEC);
    Header header;
    if (file.m_events < 0 || file.m_nameFile < 0 || !readAt(file.m_events, &header, sizeof header, 0))
        return badInput(path.string() + ".events", "can't be read");
    if (std::string_view(header.magic.data(), header.magic.size()) != kMagic || header.eventBytes != sizeof(ProbeEvent))
        return badInput(path.string() + ".events", "is not a recording of this version");
    file.m_process = header.process;
    return file;
}

ProbeFile& ProbeFile::operator=(ProbeFile&& other) noexcept
{
    std::swap(m_events, other.m_events);
    std::swap(m_nameFile, other.m_nameFile);
    m_read = other.m_read;
    m_given = other.m_given;
    m_pending = std::move(other.m_pending);
    m_names = std::move(other.m_names);
    m_process = other.m_process;
    m_full = other.m_full;
    return *this;
}

ProbeFile::~ProbeFile()
{
    for (const int file : {m_events, m_nameFile}) {
        if (file >= 0)
            ::close(file);
    }
}

bool ProbeFile::read(std::vector<ProbeEvent>& events, bool ended)
{
    constexpr std::uint64_t kAtOnce = 1 << 14;
    events.clear();
    Header header;
    if (!readAt(m_events, &header, sizeof header, 0))
        return false;
    m_full = header.full != 0;
    while (events.empty() && m_read < header.next) {
        events.resize(std::min(header.next - m_read, kAtOnce));
        const ssize_t got = ::pread(m_events, events.data(), events.size() * sizeof(ProbeEvent),
                                    static_cast<off_t>(kFirstEvent + m_read * sizeof(ProbeEvent)));
        events.resize(got > 0 ? static_cast<std::size_t>(got) / sizeof(ProbeEvent) : 0);
        const auto isPending = [](const ProbeEvent& event) { return event.ready == 0; };
        if (!ended)
            events.erase(std::find_if(events.begin(), events.end(), isPending), events.end());
        if (events.empty())
            break; // nothing is complete
        m_read += events.size();
        std::erase_if(events, isPending);
    }
    readNames(); // of these events are there by now
    giveBack();
    return !events.empty();
}

void ProbeFile::giveBack()
{
    constexpr std::uint64_t kPieces = std::uint64_t{4} << 20;
    const std::uint64_t end = (kFirstEvent + m_read * sizeof(ProbeEvent)) / kPieces * kPieces;
    const std::uint64_t begin = std::max(m_given, kPieces); // the header stays
    if (end > begin)
        ::fallocate(m_events, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                    static_cast<off_t>(end - begin));
    m_given = std::max(m_given, end);
}

void ProbeFile::readNames()
{
    std::array<char, 1 << 16> piece;
    ssize_t got = 0;
    while ((got = ::read(m_nameFile, piece.data(), piece.size())) > 0) {
        m_pending.append(piece.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = m_pending.find('\n', begin)) != std::string::npos; begin = end + 1)
            m_names.add(std::string_view(m_pending).substr(begin, end - begin));
        m_pending.erase(0, begin);
    }
}

std::vector<fs::path> probeFiles(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".events")
            found.push_back(fs::path(entry.path()).replace_extension());
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace peakscope
