// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/byte_source.h"

#include "core/base/free_memory.h"
#include "core/base/units.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include <unistd.h>

namespace peakscope {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kAskedAgain = std::size_t{64} << 20; // bytes unpacked between two looks at the free memory
constexpr double kProgressStep = 0.001;

} // namespace

struct ByteSource::Inflater {
    Inflater() : input(kChunk / 4) {}
    ~Inflater()
    {
        if (ready)
            ::inflateEnd(&stream);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    z_stream stream{};
    std::vector<char> input;
    bool ready = false;
    bool inMember = false; // between a member's first and last byte
};

ByteSource::ByteSource(std::string name, const ReadOptions& options) : m_name(std::move(name)), m_options(options) {}

ByteSource::~ByteSource() = default;

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::filesystem::path& path, const ReadOptions& options)
{
    std::unique_ptr<ByteSource> source(new ByteSource(path.string(), options));
    auto file = InputFile::open(path);
    std::error_code error;
    if (!file)
        return std::filesystem::exists(path, error) || error ? file.error() : badInput(path.string(), "no such file");
    source->m_file = std::move(*file);
    source->m_size = source->m_file->size();
    if (Status started = source->start(); !started)
        return started.error();
    return source;
}

Result<std::unique_ptr<ByteSource>> ByteSource::over(std::string_view bytes, std::string name,
                                                     const ReadOptions& options)
{
    std::unique_ptr<ByteSource> source(new ByteSource(std::move(name), options));
    source->m_bytes = bytes;
    source->m_size = bytes.size();
    if (Status started = source->start(); !started)
        return started.error();
    return source;
}

Status ByteSource::start()
{
    unsigned char magic[2] = {};
    const std::size_t got = readRaw(reinterpret_cast<char*>(magic), sizeof magic);
    if (m_error)
        return *m_error;
    m_compressed = got == 2 && magic[0] == 0x1f && magic[1] == 0x8b; // RFC 1952
    rewind();
    return Done{};
}

void ByteSource::rewind()
{
    m_position = 0;
    m_error.reset();
    m_endsEarly = false;
    if (m_file && ::lseek(m_file->descriptor(), 0, SEEK_SET) != 0)
        fail(std::string("cannot be read: ") + std::strerror(errno));
    m_inflater.reset();
    if (!m_compressed)
        return;
    m_inflater = std::make_unique<Inflater>();
    m_inflater->ready = ::inflateInit2(&m_inflater->stream, 15 + 16) == Z_OK;
    if (!m_inflater->ready)
        fail("cannot be unpacked: no memory");
}

void ByteSource::fail(std::string reason)
{
    if (!m_error)
        m_error = badInput(m_name, std::move(reason));
}

void ByteSource::report()
{
    if (m_options.stop.stop_requested()) {
        if (!m_error)
            m_error = Error{ErrorCode::Interrupted, "reading was cancelled", m_name};
        return;
    }
    const double fraction = m_size > 0 ? static_cast<double>(m_position) / static_cast<double>(m_size) : 1;
    if (m_options.progress && fraction >= m_reported + kProgressStep) {
        m_reported = fraction;
        m_options.progress(std::min(fraction, 1.0));
    }
}

std::size_t ByteSource::readRaw(char* out, std::size_t size)
{
    report();
    if (m_error)
        return 0;
    std::size_t got = 0;
    if (!m_file) {
        got = std::min(size, m_bytes.size() - static_cast<std::size_t>(m_position));
        std::copy_n(m_bytes.data() + m_position, got, out);
    } else {
        ssize_t count = 0;
        do {
            count = ::read(m_file->descriptor(), out, size);
        } while (count < 0 && errno == EINTR);
        if (count < 0) {
            fail(std::string("cannot be read: ") + std::strerror(errno));
            return 0;
        }
        got = static_cast<std::size_t>(count);
    }
    m_position += got;
    return got;
}

std::size_t ByteSource::readInflated(char* out, std::size_t size)
{
    Inflater& inflater = *m_inflater;
    z_stream& stream = inflater.stream;
    const uInt wanted = static_cast<uInt>(std::min<std::size_t>(size, 1U << 30));
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = wanted;
    while (stream.avail_out == wanted && !m_error) {
        if (stream.avail_in == 0) {
            const std::size_t got = readRaw(inflater.input.data(), inflater.input.size());
            if (m_error)
                return 0;
            if (got == 0) {
                if (inflater.inMember) {
                    m_endsEarly = true;
                    fail("the gzip data ends too early: the file is truncated");
                }
                return 0;
            }
            stream.next_in = reinterpret_cast<Bytef*>(inflater.input.data());
            stream.avail_in = static_cast<uInt>(got);
        }
        inflater.inMember = true;
        const int code = ::inflate(&stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END) {
            // Another member may follow; zeros behind the last one are padding.
            inflater.inMember = false;
            while (stream.avail_in > 0 && *stream.next_in == 0) {
                ++stream.next_in;
                --stream.avail_in;
            }
            ::inflateReset(&stream);
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            fail(std::string("the gzip data is damaged") + (stream.msg ? std::string(": ") + stream.msg : ""));
            return 0;
        }
    }
    return m_error ? 0 : wanted - stream.avail_out;
}

std::size_t ByteSource::read(char* out, std::size_t size)
{
    if (m_error || size == 0)
        return 0;
    return m_compressed ? readInflated(out, size) : readRaw(out, size);
}

Result<std::string_view> ByteSource::whole(std::uint64_t limit, Cut cut)
{
    const auto tooLong = [&] {
        return badInput(m_name, "is longer than the " + formatBytes(static_cast<std::int64_t>(limit)) +
                                    " that are read of this format");
    };
    if (!m_compressed) {
        if (m_size > limit)
            return tooLong();
        report();
        if (m_error)
            return *m_error;
        if (!m_file)
            return m_bytes;
        auto mapped = MappedFile::open(m_name);
        if (!mapped)
            return mapped.error();
        m_mapped = std::move(mapped).value();
        return m_mapped.view();
    }
    rewind();
    m_text.clear();
    try {
        for (std::size_t asked = 0;;) {
            const std::size_t used = m_text.size();
            if (used > limit)
                return tooLong();
            if (used >= asked) {
                // Twice: the text moves as it grows.
                if (const Status fits = checkMemory(m_name, used + kAskedAgain, 2); !fits)
                    return fits.error();
                asked = used + kAskedAgain;
            }
            m_text.resize(used + kChunk);
            const std::size_t got = read(m_text.data() + used, kChunk);
            m_text.resize(used + got);
            if (m_error && !(m_endsEarly && cut == Cut::Taken))
                return *m_error;
            if (got == 0)
                return std::string_view(m_text);
        }
    } catch (const std::bad_alloc&) {
        return failed(m_name, "does not fit into this machine's free memory");
    }
}

} // namespace peakscope
