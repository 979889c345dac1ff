// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pre_tokenizer.h"

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

} // namespace

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
        pieces = std::move(next);
    }
    return pieces;
}

} // namespace peakscope
