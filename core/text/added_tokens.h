// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens that are found in the text before the model sees it: special ones such as <|endoftext|>, and those added to a
// vocabulary later. Follows AddedVocabulary of Hugging Face's tokenizers. Safe from any thread once filled.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace peakscope {

struct AddedToken {
    std::int32_t id = 0;
    std::string content;
    bool singleWord = false; // not where a word character stands before or behind it
    bool stripLeft = false;  // takes the white space before it along
    bool stripRight = false; // and that behind it
    bool normalized = false; // searched for in the normalised text
    bool special = false;
};

// A stretch of text: one added token, or (id -1) text between them.
struct TextSegment {
    std::string_view text;
    std::int32_t id = -1;
};

class AddedTokenMatcher
{
public:
    // A token of empty content is ignored.
    void add(const AddedToken& token);
    bool isEmpty() const { return m_tokens.empty(); }

    // Appends the segments of `text` (valid UTF-8): leftmost matches, the longest of those that begin at one place.
    void split(std::string_view text, std::vector<TextSegment>& segments) const;

private:
    struct Node {
        std::map<unsigned char, std::uint32_t> next;
        std::int32_t token = -1; // index in m_tokens
    };
    struct Match {
        std::size_t bytes = 0;
        const AddedToken* token = nullptr;
    };

    Match longestAt(std::string_view text, std::size_t position) const;

    std::vector<AddedToken> m_tokens;
    std::vector<Node> m_nodes = std::vector<Node>(1);
    bool m_begins[256] = {}; // bytes that some token begins with
};

} // namespace peakscope
