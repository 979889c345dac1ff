// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/holder_words.h"

#include "widgets/text/note_words.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <iterator>
#include <vector>

namespace peakscope {

namespace {

struct HolderWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::HolderWords)
};

constexpr const char* kWords[] = {QT_TRANSLATE_NOOP("peakscope::HolderWords", "(before the record)"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "(before the first phase)"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "(no stack)"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "of this step"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "1 step"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "under 10 events"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "PyTorch's own"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "keep nothing of a step"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "checkpointing"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "a loss in pieces"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "zero_grad before the forward pass"),
                                  QT_TRANSLATE_NOOP("peakscope::HolderWords", "fewer optimiser states")};

// The captures of the whole text stand for %1, %2, …
struct Pattern {
    const char* expression;
    const char* words;
};
constexpr Pattern kPatterns[] = {
    {"stream (\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "stream %1")},
    {"pool (\\([^()]*\\)|\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "pool %1")},
    {"step (\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "step %1")},
    {"(\\d+) steps", QT_TRANSLATE_NOOP("peakscope::HolderWords", "%1 steps")},
    {"(\\d+) events or more", QT_TRANSLATE_NOOP("peakscope::HolderWords", "%1 events or more")},
    {"backward of (\\S+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "backward of %1")}};
constexpr Pattern kRemedies[] = {
    {"(.+) left (.+) alive in (\\d+) steps: check what holds it there\\. For a list "
     "of losses or outputs, use \\.item\\(\\) or \\.detach\\(\\)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1 left %2 alive in %3 steps: check what holds it there. For a list of losses "
                       "or outputs, use .item() or .detach()")},
    {"the last step left (.+) alive, from (.+) and (\\d+) other places, and so did "
     "the two before it\\. Something outside the step keeps a tensor and its "
     "graph\\. If losses or outputs are summed, listed or logged, use "
     "loss\\.item\\(\\) or output\\.detach\\(\\)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "the last step left %1 alive, from %2 and %3 other places, and so did the two "
                       "before it. Something outside the step keeps a tensor and its graph. If losses "
                       "or outputs are summed, listed or logged, use loss.item() or output.detach()")},
    {"the last step left (.+) alive, from (.+), and so did the two before it\\. "
     "Something outside the step keeps a tensor and its graph\\. If losses or "
     "outputs are summed, listed or logged, use loss\\.item\\(\\) or "
     "output\\.detach\\(\\)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "the last step left %1 alive, from %2, and so did the two before it. Something "
                       "outside the step keeps a tensor and its graph. If losses or outputs are "
                       "summed, listed or logged, use loss.item() or output.detach()")},
    {"(.+): (\\d+) calls of modules at (.+) keep (.+) for the backward pass\\. "
     "Gradient checkpointing keeps only their inputs \\(torch\\.utils\\.checkpoint, "
     "or gradient_checkpointing_enable\\(\\) of Hugging Face\\)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1: %2 calls of modules at %3 keep %4 for the backward pass. Gradient "
                       "checkpointing keeps only their inputs (torch.utils.checkpoint, or "
                       "gradient_checkpointing_enable() of Hugging Face)")},
    {"(.+): (\\d+) blocks of (.+) in all at the peak are logits, their copies or "
     "their gradients\\. A loss in (\\d+) pieces, or fused with the last layer, "
     "holds one piece at a time",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1: %2 blocks of %3 in all at the peak are logits, their copies or their "
                       "gradients. A loss in %4 pieces, or fused with the last layer, holds one piece "
                       "at a time")},
    {"(.+): (\\d+) gradients of the step before, (.+), are alive in the forward pass "
     "at the peak; zero_grad\\(set_to_none=True\\) before it frees them",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1: %2 gradients of the step before, %3, are alive in the forward pass at the "
                       "peak; zero_grad(set_to_none=True) before it frees them")},
    {"(.+): (\\d+) temporaries of a foreach optimiser step, (.+), are alive at the "
     "peak; foreach=False updates parameter by parameter, and fused=True has no "
     "temporaries",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1: %2 temporaries of a foreach optimiser step, %3, are alive at the peak; "
                       "foreach=False updates parameter by parameter, and fused=True has no "
                       "temporaries")},
    {"(.+): optimiser states hold (.+), (.+) times the parameters\\. 8-bit states "
     "take a quarter of float32 \\((.+) less at the peak\\), Adafactor little, SGD "
     "without momentum none",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1: optimiser states hold %2, %3 times the parameters. 8-bit states take a "
                       "quarter of float32 (%4 less at the peak), Adafactor little, SGD without "
                       "momentum none")},
    {"(.+): a cache of keys and values holds (.+) in (\\d+) blocks at the peak, "
     "which training does not read",
     QT_TRANSLATE_NOOP("peakscope::HolderWords",
                       "%1: a cache of keys and values holds %2 in %3 blocks at the peak, which "
                       "training does not read")}};

// What a ladder of strategies changes.
constexpr const char* kChangeWords[] = {
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "loss head in chunks instead of all logits at once"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "checkpointing: layers are computed again in backward"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "optimiser step without foreach (parameter by parameter)"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords",
                      "one layer at a time (jets) instead of a graph of the gradient, still exact"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "precision float64 -> float32"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "each weight updated within backward, where its gradient goes"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "weights under the adapters in 4 bits (nf4)"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords",
                      "bfloat16 weights, gradients and moments, with what rounding loses of updates kept (Kahan)"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "finite differences of gradients instead of second derivatives"),
    QT_TRANSLATE_NOOP("peakscope::HolderWords", "squared gradients (Fisher) instead of the diagonal")};
constexpr Pattern kChanges[] = {
    {"as (?:requested|asked for): (.+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "as requested: %1")},
    {"gradient accumulation: (\\d+) micro-batches of (\\d+)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords", "gradient accumulation: %1 micro-batches of %2")},
    {"gradient accumulation: (\\d+) micro-batches of up to (\\d+)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords", "gradient accumulation: %1 micro-batches of up to %2")},
    {"(\\d+) rows a pass -> (\\d+), the batch stays (\\d+)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords", "%1 rows a pass -> %2, the batch stays %3")},
    {"autocast: products in (\\S+), weights and states stay (\\S+)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords", "autocast: products in %1, weights and states stay %2")},
    {"precision (\\S+) -> (\\S+) \\(weights, gradients and states\\)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords", "precision %1 -> %2 (weights, gradients and states)")},
    {"adapters of rank (\\d+) instead of all weights",
     QT_TRANSLATE_NOOP("peakscope::HolderWords", "adapters of rank %1 instead of all weights")},
    {"moments in 8 bits \\((\\S+)\\)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "moments in 8 bits (%1)")},
    {"(\\S+) weights", QT_TRANSLATE_NOOP("peakscope::HolderWords", "%1 weights")},
    {"batch (\\d+) -> (\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "batch %1 -> %2")},
    {"sampled parameters (\\d+) -> (\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "sampled parameters %1 -> %2")},
    {"sequence (\\d+) -> (\\d+)", QT_TRANSLATE_NOOP("peakscope::HolderWords", "sequence %1 -> %2")},
    {"sharding over (\\d+) devices instead of all these, exact as well: (.+)",
     QT_TRANSLATE_NOOP("peakscope::HolderWords", "sharding over %1 devices instead of all these, exact as well: %2")}};

// Compiled once: a table asks for every cell.
struct CompiledPattern {
    QRegularExpression expression;
    const char* words = nullptr;
};

template <std::size_t N>
std::vector<CompiledPattern> compiled(const Pattern (&patterns)[N])
{
    std::vector<CompiledPattern> list;
    for (const Pattern& pattern : patterns)
        list.push_back(
            {QRegularExpression(QRegularExpression::anchoredPattern(QString::fromLatin1(pattern.expression))),
             pattern.words});
    return list;
}

QString patternText(const std::vector<CompiledPattern>& patterns, const std::string& text)
{
    const QString whole = QString::fromStdString(text);
    for (const CompiledPattern& pattern : patterns) {
        const QRegularExpressionMatch match = pattern.expression.match(whole);
        if (!match.hasMatch())
            continue;
        const QString words = HolderWords::tr(pattern.words);
        if (match.lastCapturedIndex() == 1)
            return words.arg(match.captured(1));
        if (match.lastCapturedIndex() == 2)
            return words.arg(match.captured(1), match.captured(2));
        // At once: what a program named may hold place holders of its own.
        const QString first = holderText(match.captured(1).toStdString());
        if (match.lastCapturedIndex() == 3)
            return words.arg(first, match.captured(2), match.captured(3));
        return words.arg(first, match.captured(2), match.captured(3), match.captured(4));
    }
    return whole;
}

} // namespace

QString holderText(const std::string& text)
{
    for (const char* word : kWords) {
        if (text == word)
            return HolderWords::tr(word);
    }
    static const std::vector<CompiledPattern> kCompiled = compiled(kPatterns);
    return patternText(kCompiled, text);
}

QString remedyText(const std::string& text)
{
    static const std::vector<CompiledPattern> kCompiled = compiled(kRemedies);
    static const QRegularExpression kSaves(QStringLiteral("^(.+); saves at most (.+) of the (.+) at the peak$"));
    const QRegularExpressionMatch saves = kSaves.match(QString::fromStdString(text));
    if (!saves.hasMatch())
        return patternText(kCompiled, text);
    return HolderWords::tr("%1; saves at most %2 of the %3 at the peak", "a remedy, bytes, bytes")
        .arg(patternText(kCompiled, saves.captured(1).toStdString()), saves.captured(2), saves.captured(3));
}

QString planChangeText(const std::string& text)
{
    static const std::vector<CompiledPattern> kCompiled = compiled(kChanges);
    QStringList parts;
    for (const QString& part : QString::fromStdString(text).split(QStringLiteral("; "))) {
        const std::string own = part.toStdString();
        const auto* word = std::find(std::begin(kChangeWords), std::end(kChangeWords), own);
        QString words = word != std::end(kChangeWords) ? HolderWords::tr(*word) : patternText(kCompiled, own);
        for (const auto& before : {QStringLiteral("exact as well: "), QStringLiteral("as requested: ")}) {
            if (const qsizetype title = part.lastIndexOf(before); title >= 0) { // of a strategy
                const QString end = part.mid(title + before.size());
                words.replace(end, strategyTitleText(end.toStdString()));
            }
        }
        parts << (words == part ? holderText(own) : words);
    }
    return parts.join(HolderWords::tr("; ", "between changes"));
}

} // namespace peakscope
