// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pre_tokenizer.h"

#include "core/base/utf8.h"
#include "core/text/bpe_model.h"
#include "core/text/characters.h"
#include "core/text/normalizer.h"

namespace peakscope {

namespace {

using Pieces = std::vector<std::string_view>;

struct StepContext {
    bool beginsText = false; // the piece is the beginning of the whole text
    std::deque<std::string>& storage;
};

void apply(const RegexSplitter& step, std::string_view piece, const StepContext&, Pieces& out)
{
    step.split(piece, out);
}

void apply(const SpaceBeforeStep&, std::string_view piece, const StepContext& context, Pieces& out)
{
    if (!piece.starts_with(' '))
        piece = context.storage.emplace_back(" " + std::string(piece));
    out.push_back(piece);
}

void apply(const MetaspaceStep& step, std::string_view piece, const StepContext& context, Pieces& out)
{
    std::string text = replacedText(piece, " ", step.replacement);
    const bool wanted = step.prepend == MetaspaceStep::Prepend::Always ||
                        (step.prepend == MetaspaceStep::Prepend::First && context.beginsText);
    if (wanted && !text.starts_with(step.replacement))
        text = step.replacement + text;
    const std::string_view stored = context.storage.emplace_back(std::move(text));
    std::size_t begin = 0;
    while (step.split) {
        const std::size_t next =
            stored.find(step.replacement,
                        begin + (stored.substr(begin).starts_with(step.replacement) ? step.replacement.size() : 0));
        if (next == std::string_view::npos)
            break;
        out.push_back(stored.substr(begin, next - begin));
        begin = next;
    }
    out.push_back(stored.substr(begin));
}

void apply(const CharacterStep& step, std::string_view piece, const StepContext&, Pieces& out)
{
    PieceCollector collector(piece, step.rule, out);
    for (std::size_t position = 0; position < piece.size();) {
        const Utf8Step character = utf8At(piece, position);
        const std::size_t end = position + character.bytes;
        if (step.matches ? step.matches(character.codePoint) : character.codePoint == step.character)
            collector.addMatch(position, end);
        position = end;
    }
    collector.finish();
}

void apply(const WordsStep&, std::string_view piece, const StepContext&, Pieces& out)
{
    enum class Kind { Space, Word, Other };
    Kind last = Kind::Space;
    for (std::size_t position = 0; position < piece.size();) {
        const Utf8Step character = utf8At(piece, position);
        const Kind kind = isSpace(character.codePoint)           ? Kind::Space
                          : isWordCharacter(character.codePoint) ? Kind::Word
                                                                 : Kind::Other;
        const std::string_view text = piece.substr(position, character.bytes);
        if (kind != Kind::Space && kind == last)
            out.back() = {out.back().data(), out.back().size() + text.size()};
        else if (kind != Kind::Space)
            out.push_back(text);
        last = kind;
        position += character.bytes;
    }
}

void apply(const LengthStep& step, std::string_view piece, const StepContext&, Pieces& out)
{
    std::size_t begin = 0;
    std::size_t characters = 0;
    for (std::size_t position = 0; position < piece.size();) {
        position += utf8At(piece, position).bytes;
        if (++characters == step.characters || position == piece.size()) {
            out.push_back(piece.substr(begin, position - begin));
            begin = position;
            characters = 0;
        }
    }
}

void apply(const ByteCharactersStep&, std::string_view piece, const StepContext& context, Pieces& out)
{
    out.push_back(context.storage.emplace_back(byteCharacters(piece)));
}

// Do this step's pieces lie in the text that it was given?
bool onlyCuts(const PreTokenizerStep& step)
{
    return !std::holds_alternative<SpaceBeforeStep>(step) && !std::holds_alternative<MetaspaceStep>(step) &&
           !std::holds_alternative<ByteCharactersStep>(step);
}

} // namespace

bool PreTokenizer::dropByteCharacters()
{
    const bool isLast = !m_steps.empty() && std::holds_alternative<ByteCharactersStep>(m_steps.back());
    if (isLast)
        m_steps.pop_back();
    return isLast;
}

std::vector<std::string_view> PreTokenizer::split(std::string_view text, bool beginsText,
                                                  std::deque<std::string>& storage) const
{
    Pieces pieces;
    if (!text.empty())
        pieces.push_back(text);
    for (const PreTokenizerStep& step : m_steps) {
        Pieces next;
        next.reserve(pieces.size());
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const StepContext context{beginsText && i == 0, storage};
            std::visit([&](const auto& kind) { apply(kind, pieces[i], context, next); }, step);
        }
        // What was removed from the front leaves nothing that begins the text.
        if (onlyCuts(step))
            beginsText = beginsText && !next.empty() && next.front().data() == pieces.front().data();
        pieces = std::move(next);
    }
    return pieces;
}

} // namespace peakscope
