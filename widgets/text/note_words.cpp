// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/note_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <optional>
#include <utility>
#include <vector>

namespace peakscope {

namespace {

struct NoteWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::NoteWords)

public:
    // As the engine words them, %1 and so on for what differs from run to run; the narrower before the wider.
    static constexpr const char* kNotes[] = {
        QT_TR_NOOP("data: builtin: %1 records, %2 tokens (%3), %4 rows of %5"),
        QT_TR_NOOP("data: builtin: a record a sample (%1); %2 members, %3 others, %4 for the perplexity, %5 for the "
                   "base model and the features"),
        QT_TR_NOOP("data: %1: a line a sample; %2 members, %3 others, %4 for the perplexity, %5 for the base model and "
                   "the features"),
        QT_TR_NOOP("data: %1: rows of data.seq + 1 tokens; %2 members, %3 others, %4 for the perplexity, %5 for the "
                   "base model and the features"),
        QT_TR_NOOP("data: %1: rows of tokens (zlib packs the ids' digits); %2 members, %3 others, %4 for the "
                   "perplexity, %5 for the base model and the features"),
        QT_TR_NOOP("data: %1: %2 files, %3 tokens (%4), %5 rows of %6"),
        QT_TR_NOOP("data: %1: %2 tokens (%3), %4 rows of %5"),
        QT_TR_NOOP("data: %1: %2 rows, %3 tokens"),
        QT_TR_NOOP(
            "data: the tokens of the builtin records (%1) pass the model's vocabulary of %2 and were folded into it"),
        QT_TR_NOOP("data: token ids pass the model's vocabulary and were folded into it"),
        QT_TR_NOOP("data: rows of up to %1 tokens were cut to data.seq = %2"),
        QT_TR_NOOP("data: rows of different lengths: shorter ones are padded, and padding is not predicted"),
        QT_TR_NOOP("data: %1 repeated samples were left out"),
        QT_TR_NOOP("data: %1 samples were cut to data.seq + 1 = %2 tokens"),
        QT_TR_NOOP("weights: too many to draw on the CPU, so the device drew them: others than a CPU run's"),
        QT_TR_NOOP("clipping auto: %1 row at a time; all per-sample gradients are held"),
        QT_TR_NOOP("clipping auto: %1 rows at a time; all per-sample gradients are held"),
        QT_TR_NOOP("clipping auto: %1 row at a time; %2"),
        QT_TR_NOOP("clipping auto: %1 rows at a time; %2"),
        QT_TR_NOOP("privacy: epsilon is that of Poisson batches; these take the rows in order "
                   "(training.privacy.poisson is false)"),
        QT_TR_NOOP("privacy: norms are made of products in TF32; that no row adds more than max_grad_norm rests on "
                   "training.norm_safety"),
        QT_TR_NOOP("privacy: the noise comes from a seeded generator, fit for measuring, not for releasing a model"),
        QT_TR_NOOP("privacy: no epsilon: %1"),
        QT_TR_NOOP("step %1 drew no rows: its update is noise alone; the loss is that of the last step that drew some, "
                   "the gradient's norm the noise's"),
        QT_TR_NOOP("step %1 drew no rows: its update is noise alone"),
        QT_TR_NOOP("%1 steps drew no rows (the last of them step %2): their updates are noise alone; the loss is that "
                   "of the last step that drew some, the gradient's norm the noise's"),
        QT_TR_NOOP("%1 steps drew no rows (the last of them step %2): their updates are noise alone"),
        QT_TR_NOOP("times are of %1 run without tracing, in turns with the other methods; memory is of a traced run"),
        QT_TR_NOOP("times are of %1 runs without tracing, in turns with the other methods; memory is of a traced run"),
        QT_TR_NOOP("memory: that of rank %1, the highest peak of %2 ranks"),
        QT_TR_NOOP("resumed from what an interrupted run had finished"),
        QT_TR_NOOP("the measured product and its symmetry are those of %1 alone: nothing that was asked for holds a "
                   "vector of all parameters"),
        QT_TR_NOOP("features: alignment needs at least 3 rows in the batch and is not a number here"),
        QT_TR_NOOP("block_diagonal: rows are too many to be blocks; tensors were taken"),
        QT_TR_NOOP("eigenvalues: not converged after %1 products; their residuals say how far off they may be"),
        QT_TR_NOOP("finite differences: step %1, %2 of %3 kinks crossed, product off by %4 of its length"),
        QT_TR_NOOP("finite differences: at this step rounding is larger than the product, no digit of it is right: a "
                   "larger curvature.step or dtype \"float64\" keeps some, method \"auto\" all"),
        QT_TR_NOOP("embedding: there is nothing that tells the units apart"),
        QT_TR_NOOP("embedding: the same for all units and left out: %1"),
        QT_TR_NOOP("embedding: %1 units without %2 have its mean"),
        QT_TR_NOOP("the rows differ by no more than the rounding of their numbers: what the embedding shows is noise, "
                   "and it is not scored"),
        QT_TR_NOOP("no scores: they would praise noise"),
        QT_TR_NOOP("no trustworthiness: it needs three rows or more"),
        QT_TR_NOOP("the thresholds leave %1 empty, so classes are by rank: the upper third of alignment less sparsity "
                   "is Wfunc, the lower third Wsens"),
        QT_TR_NOOP("there are too few units for three classes: %1 is empty"),
        QT_TR_NOOP("%1 unit has no alignment or sparsity and count as Wboth"),
        QT_TR_NOOP("%1 units have no alignment or sparsity and count as Wboth"),
        QT_TR_NOOP("the check of small noise against the Hessian's trace was left out: it takes float64 copies of the "
                   "model that this size or budget does not allow"),
        QT_TR_NOOP("prm.finetune_epochs is 0: nothing was memorised, so attacks have nothing to find"),
        QT_TR_NOOP("synthetic: units, features and answers come from a random generator; nothing was trained, "
                   "perturbed or measured"),
    };
};

const QRegularExpression& placeHolder()
{
    static const QRegularExpression expression(QStringLiteral("%([1-9])"));
    return expression;
}

// Each %1 becomes what `valueOf(1)` says, what stands between them what `textOf` makes of it.
template <typename TextOf, typename ValueOf>
QString replaced(const QString& words, TextOf textOf, ValueOf valueOf)
{
    QString text;
    qsizetype end = 0;
    for (const QRegularExpressionMatch& match : placeHolder().globalMatch(words)) {
        text += textOf(words.mid(end, match.capturedStart() - end)) + valueOf(match.captured(1).toInt());
        end = match.capturedEnd();
    }
    return text + textOf(words.mid(end));
}

// The words number 1, 2, … of the source in their order.
QRegularExpression expressionOf(const char* words)
{
    const auto escaped = [](const QString& part) { return QRegularExpression::escape(part); };
    return QRegularExpression(QRegularExpression::anchoredPattern(
        replaced(QString::fromUtf8(words), escaped, [](int) { return QStringLiteral("(.+?)"); })));
}

struct KnownNote {
    const char* words;
    QRegularExpressionMatch match;
};

std::optional<KnownNote> known(const QString& note)
{
    static const auto expressions = [] {
        std::vector<std::pair<const char*, QRegularExpression>> all;
        for (const char* words : NoteWords::kNotes)
            all.emplace_back(words, expressionOf(words));
        return all;
    }();
    for (const auto& [words, expression] : expressions) {
        if (QRegularExpressionMatch match = expression.match(note); match.hasMatch())
            return KnownNote{words, std::move(match)};
    }
    return std::nullopt;
}

} // namespace

QString noteText(const std::string& note)
{
    const QString whole = QString::fromStdString(note);
    const auto found = known(whole);
    if (!found)
        return whole;
    const auto same = [](const QString& part) { return part; };
    return replaced(NoteWords::tr(found->words), same, [&](int number) { return found->match.captured(number); });
}

bool isKnownNote(const std::string& note)
{
    return known(QString::fromStdString(note)).has_value();
}

} // namespace peakscope
