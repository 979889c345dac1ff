// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Text cut where something matches, and what becomes of the matches, as Hugging Face's tokenizers do it. Used by the
// pre-tokeniser's steps; no state, any thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace peakscope {

enum class SplitBehavior {
    Isolated,           // every match is a piece, and so is the text between two
    Removed,            // only the text between matches is kept
    MergedWithPrevious, // a match ends the piece before it
    MergedWithNext,     // a match begins the piece behind it
    Contiguous,         // matches that touch are one piece
};

struct SplitRule {
    SplitBehavior behavior = SplitBehavior::Isolated;
    bool inverted = false; // what does not match counts as the match
};

// Takes stretches of `text` in order, matches and what lies between them, and appends pieces.
class PieceCollector
{
public:
    PieceCollector(std::string_view text, SplitRule rule, std::vector<std::string_view>& pieces)
        : m_text(text), m_rule(rule), m_pieces(pieces), m_first(pieces.size())
    {}

    void addMatch(std::size_t begin, std::size_t end)
    {
        addRest(begin);
        add(begin, end, true);
        m_done = end;
    }

    // No piece is empty: empty matches only cut.
    void finish()
    {
        addRest(m_text.size());
        if (m_hasEmpty)
            std::erase_if(m_pieces, [](std::string_view piece) { return piece.empty(); });
    }

private:
    void addRest(std::size_t end)
    {
        if (end > m_done)
            add(m_done, end, false);
    }

    void add(std::size_t begin, std::size_t end, bool matches)
    {
        const bool isMatch = matches != m_rule.inverted;
        const bool joins = m_pieces.size() > m_first && joinsLast(isMatch);
        m_lastIsMatch = isMatch;
        if (joins)
            begin = static_cast<std::size_t>(m_pieces.back().data() - m_text.data());
        else if (m_rule.behavior == SplitBehavior::Removed && isMatch)
            return;
        else
            m_pieces.emplace_back();
        m_pieces.back() = m_text.substr(begin, end - begin);
        m_hasEmpty = m_hasEmpty || begin == end;
    }

    bool joinsLast(bool isMatch) const
    {
        switch (m_rule.behavior) {
        case SplitBehavior::Isolated:
        case SplitBehavior::Removed:
            return false;
        case SplitBehavior::MergedWithPrevious:
            return isMatch && !m_lastIsMatch;
        case SplitBehavior::MergedWithNext:
            return !isMatch && m_lastIsMatch;
        case SplitBehavior::Contiguous:
            return isMatch == m_lastIsMatch;
        }
        return false;
    }

    std::string_view m_text;
    SplitRule m_rule;
    std::vector<std::string_view>& m_pieces;
    std::size_t m_first;
    std::size_t m_done = 0;
    bool m_lastIsMatch = false;
    bool m_hasEmpty = false;
};

} // namespace peakscope
