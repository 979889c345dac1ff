// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// JSON read value by value from a stream, for files that are larger than the memory a document of them would take.
// Bare words such as NaN and inf (non_finite.h) are numbers here. Private to this folder; one thread.
#pragma once

#include "core/import/byte_source.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

class JsonStream
{
public:
    enum class Kind : std::uint8_t { None, Object, Array, String, Number, Bool, Null };

    // A value that is no container. Text lives until the next call.
    struct Scalar {
        Kind kind = Kind::None; // Object and Array: it was one, and was skipped
        bool isInteger = false;
        bool boolean = false;
        std::int64_t integer = 0; // where isInteger
        bool isUnsigned = false;
        std::uint64_t natural = 0; // where isUnsigned
        double number = 0;         // of every number
        std::string_view text;
    };

    explicit JsonStream(ByteSource& source, std::size_t maxDepth = 512);

    // Of the value that comes next; None at the end of the text and after an error.
    Kind peek();
    // Into the container that comes next; false, with an error, where it is none.
    bool enterObject();
    bool enterArray();
    // To the next member or element; false behind the last one (which leaves the container) and after an error.
    bool nextKey(std::string_view& key); // lives until the next call
    bool nextElement();
    bool read(Scalar& scalar);
    bool skip();
    // The next value as a document of at most `maxValues` values; null, and skipped, where it has more.
    bool readDocument(nlohmann::json& out, std::size_t maxValues);
    // Checks that only white space is left.
    bool finish();
    // The outermost array may end without its bracket, and with a comma, as the format of traces allows.
    void allowOpenArray() { m_mayBeOpen = true; }
    bool arrayWasOpen() const { return m_wasOpen; }

    bool ok() const { return !m_error; }
    const Error& error() const { return *m_error; }
    // The first problem counts. The text's place is put before `message`.
    void fail(const std::string& message);
    std::string place() const; // "line 3, column 7"
    // Is the error that the text ends before its end? What was read whole until then is right.
    bool endsEarly() const { return m_endsEarly; }
    std::uint64_t bytes() const { return m_bytesBefore + m_end; } // of the text, as far as it came

private:
    bool refill();
    int nextByte(); // the next byte that is no white space, not taken; -1 at the end
    int byteAt();   // the next byte, not taken
    bool startsWith(std::string_view two);
    bool literal(std::string_view word);
    bool readString(std::string_view& text, bool keep);
    bool unescape(std::string_view raw, std::string_view& text);
    bool readNumber(Scalar& scalar);
    std::string_view takeNumber();
    bool enter(char open, const char* wanted);
    bool next(char close);
    bool readDocument(nlohmann::json& out, std::size_t& left, bool& cut);
    std::string found(); // what stands here, for a message

    ByteSource& m_source;
    std::size_t m_maxDepth;
    std::vector<char> m_buffer;
    std::size_t m_position = 0;
    std::size_t m_end = 0;
    std::size_t m_keep;               // start of a token that must stay in the buffer, or none
    std::uint64_t m_bytesBefore = 0;  // that have left the buffer
    std::uint64_t m_linesBefore = 0;  // line feeds in what has left the buffer
    std::uint64_t m_columnBefore = 0; // bytes behind the last of them
    std::vector<char> m_open;         // '{' or '[' a container
    bool m_fresh = false;             // just entered: no comma before the next member
    bool m_started = false;
    bool m_ended = false;
    bool m_mayBeOpen = false;
    bool m_wasOpen = false;
    bool m_endsEarly = false;
    std::string m_scratch;
    std::optional<Error> m_error;
};

} // namespace peakscope
