// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/reason_words.h"

#include "widgets/text/known_sentences.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <iterator>
#include <vector>

namespace peakscope {

namespace {

struct Reason {
    const char* words;
    int list = 0; // which of its place holders is a list of words; 0: none
};

struct ReasonWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::ReasonWords)

public:
    // As core words them.
    static constexpr Reason kReasons[] = {
        {QT_TR_NOOP("is missing (one of %1)"), 1},
        {QT_TR_NOOP("is missing (an object with an id, a dir or a family)")},
        {QT_TR_NOOP("is missing (the text file or folder to read)")},
        {QT_TR_NOOP("is missing (the token file to read)")},
        {QT_TR_NOOP("is missing (select is names)")},
        {QT_TR_NOOP("is missing (select is entries)")},
        {QT_TR_NOOP("is missing (the band's name)")},
        {QT_TR_NOOP("is missing (a pattern of module names, or give operator)")},
        {QT_TR_NOOP("is missing (a parameter's name)")},
        {QT_TR_NOOP("is not a known key; did you mean %1?")},
        {QT_TR_NOOP("is not a known key (known: %1)"), 1},
        {QT_TR_NOOP("further unknown keys: %1")},
        {QT_TR_NOOP("a list of texts is needed, %1 was given")},
        {QT_TR_NOOP("a list of numbers is needed, %1 was given")},
        {QT_TR_NOOP("a list is needed, %1 was given")},
        {QT_TR_NOOP("an object is needed, %1 was given")},
        {QT_TR_NOOP(
            "%1 takes whole tensors, training.sharding %2 leaves each rank a part of them; give adamw, or none")},
        {QT_TR_NOOP("%1 updates a weight in pieces, %2 takes whole tensors; give nearest")},
        {QT_TR_NOOP("true updates a weight in pieces, %1 takes whole tensors; give false")},
        {QT_TR_NOOP("is for training.sharding fsdp, which is %1")},
        {QT_TR_NOOP("is for data.source text or tokens, which is builtin; give data.source text, or tokens for a JSON "
                    "file of token ids")},
        {QT_TR_NOOP("is for select names, which is %1")},
        {QT_TR_NOOP("is for select entries, which is %1")},
        {QT_TR_NOOP("fsdp divides parameters among ranks, and ranks is 1; give ranks 2 or more, or none")},
        {QT_TR_NOOP("%1 casts what fsdp gathers in %2 already; give none, or training.fsdp.param_dtype %3")},
        {QT_TR_NOOP("%1 does not go with dtype %2; give auto")},
        {QT_TR_NOOP("float32 is not what fsdp keeps and gathers all parameters in (%1, %2); give weights")},
        {QT_TR_NOOP("fsdp has no form for curvature; give zero3")},
        {QT_TR_NOOP("foreach has no form for %1, which updates one matrix after another; give auto or loop")},
        {QT_TR_NOOP("curvature has no form for family %1; give memory")},
        {QT_TR_NOOP("%1 has no form for family %2; give microbatch, or none")},
        {QT_TR_NOOP("%1 adds a loss of the whole batch, which kind %2 does not take; give 0")},
        {QT_TR_NOOP("%1 adds a loss of the whole batch, which training.clipping %2 cannot divide among rows; give 0")},
        {QT_TR_NOOP("%1 is for a mixture of experts, family %2 has none; give even")},
        {QT_TR_NOOP("%1 numbers; %2 above 0 are needed, one for each pair of rotated dimensions")},
        {QT_TR_NOOP("%1 is not a number of original positions above 1")},
        {QT_TR_NOOP("%1 is not an integer of 0 or more")},
        {QT_TR_NOOP("%1 is not an integer")},
        {QT_TR_NOOP("%1 is not a number of original positions")},
        {QT_TR_NOOP("%1 is not a number of %2 or more")},
        {QT_TR_NOOP("%1 is not a number from %2 to %3")},
        {QT_TR_NOOP("%1 is not a number above %2")},
        {QT_TR_NOOP("%1 is not a number")},
        {QT_TR_NOOP("%1 is neither true nor false")},
        {QT_TR_NOOP("%1 is not a text in quotes")},
        {QT_TR_NOOP("%1 is not one of auto, cpu, cuda:0 (or another number) and dry:CARD (a card of the catalogue)")},
        {QT_TR_NOOP("%1 is not one of %2"), 2},
        {QT_TR_NOOP("%1 is not above %2 and at most %3")},
        {QT_TR_NOOP("%1 is not between %2 and %3")},
        {QT_TR_NOOP("%1 is not above low_freq_factor %2, itself above 0")},
        {QT_TR_NOOP("%1 is not above %2")},
        {QT_TR_NOOP("%1 does not exist")},
        {QT_TR_NOOP("%1 is not a size; write for example 80GiB, 512MiB or 1.5e9")},
        {QT_TR_NOOP("%1 is negative; a size is 0 or more bytes")},
        {QT_TR_NOOP("%1 is more than a size can be")},
        {QT_TR_NOOP("%1 is not in the device catalogue (near: %2)"), 2},
        {QT_TR_NOOP("%1 is not in the device catalogue (known: %2)"), 2},
        {QT_TR_NOOP("%1 is not a dry device, such as %2 or %3")},
        {QT_TR_NOOP("%1 cannot be simulated: its entry in the catalogue has no \"cuda\"")},
        {QT_TR_NOOP("%1 is below the %2 that a context takes")},
        {QT_TR_NOOP("%1 is not in the model catalogue (near: %2); %3 is not in %4; `%5` would download it"), 2},
        {QT_TR_NOOP("%1 is not in the model catalogue (known: %2); %3 is not in %4; `%5` would download it"), 2},
        {QT_TR_NOOP("%1 is not in the model catalogue (near: %2)"), 2},
        {QT_TR_NOOP("%1 is not in the model catalogue (known: %2)"), 2},
        {QT_TR_NOOP("%1 is not in %2; `%3` would download it")},
        {QT_TR_NOOP("%1 names quantised weights (%2), which are not trained; give the model that they were made of")},
        {QT_TR_NOOP("there are no pretrained weights of %1; use random")},
        {QT_TR_NOOP("pretrained needs a model with an id or a dir")},
        {QT_TR_NOOP("both id and dir are given; give one of them")},
        {QT_TR_NOOP("needs an id, a dir or a family (%1)"), 1},
        {QT_TR_NOOP("no such folder: %1")},
        {QT_TR_NOOP("%1 differs from %2, the family of this model")},
        {QT_TR_NOOP("%1 differs from the checkpoint's %2; leave it out, or use random weights")},
        {QT_TR_NOOP("%1 does not divide %2 %3; %4 would"), 4},
        {QT_TR_NOOP("%1 does not divide %2 %3")},
        {QT_TR_NOOP("%1 is not %2 / %3 = %4")},
        {QT_TR_NOOP("%1 heads of %2 are wider than %3 together")},
        {QT_TR_NOOP("%1 differs from %2 %3, and family %4 has no grouped heads")},
        {QT_TR_NOOP("%1 differs from %2 %3, which only family opt can have")},
        {QT_TR_NOOP("%1 of a head of width %2 is %3 to rotate, an even width of 2 or more is needed")},
        {QT_TR_NOOP("dynamic scaling needs more than %1 rotated dimensions")},
        {QT_TR_NOOP("beta_fast %1 and beta_slow %2 must be positive and in this order")},
        {QT_TR_NOOP("model_type is missing (one of %1)"), 1},
        {QT_TR_NOOP("%1 is not supported for model type %2")},
        {QT_TR_NOOP("%1 is not supported (%2 are)"), 2},
        {QT_TR_NOOP("%1 is not supported (%2 is)")},
        {QT_TR_NOOP("%1 is not supported for layers with windows (default is)")},
        {QT_TR_NOOP("scaled rotary positions other than longrope are not supported for model type %1")},
        {QT_TR_NOOP("needs sliding_window above 0")},
        {QT_TR_NOOP("sliding_attention needs sliding_window")},
        {QT_TR_NOOP("%1 is no window, which family %2 needs")},
        {QT_TR_NOOP("needs an integer for each of %1 layers")},
        {QT_TR_NOOP("cannot be read: No such file or directory")},
        {QT_TR_NOOP("cannot be read: Permission denied")},
        {QT_TR_NOOP("the model has %1 positions (model.max_positions), %2 are requested; at most %3")},
        {QT_TR_NOOP("%1 is above data.batch %2")},
        {QT_TR_NOOP("%1 is below the 256 that byte tokens of %2 data need; 256 or more would do")},
        {QT_TR_NOOP("%1 of the checkpoint is below the 256 that byte tokens of %2 data need; give data.source tokens "
                    "with data.path, or a data.tokenizer folder")},
        {QT_TR_NOOP("empty, give auto, bytes or a folder")},
        {QT_TR_NOOP(
            "row %1, place %2: token id %3 is not below the model's vocabulary of %4; these tokens need one of %5")},
        {QT_TR_NOOP("row %1, place %2: token id %3 is not below the model's vocabulary of %4")},
        {QT_TR_NOOP("row %1, place %2: %3 is not a token id (an integer from 0 on)")},
        {QT_TR_NOOP("token %1 of the text (%2) has the id %3, not below the model's vocabulary of %4; these tokens "
                    "need one of %5")},
        {QT_TR_NOOP("row %1 has 1 token; at least 2 are needed, one to predict the other")},
        {QT_TR_NOOP("1 leaves nothing to predict: the first token of a row of tokens is not predicted")},
        {QT_TR_NOOP("%1 rows of %2 tokens are more than the %3 tokens a batch may have")},
        {QT_TR_NOOP("no such file or folder; a text is needed")},
        {QT_TR_NOOP("cannot be read; a text file is needed")},
        {QT_TR_NOOP("a binary file; a text file is needed")},
        {QT_TR_NOOP("an empty file; a text is needed")},
        {QT_TR_NOOP("%1 needs clipped gradients (training.clipping is none; auto clips)")},
        {QT_TR_NOOP("true draws rows for clipped steps (training.clipping is none; auto clips)")},
        {QT_TR_NOOP("%1 is what clipped gradients are divided by (training.clipping is none; auto clips)")},
        {QT_TR_NOOP("tf32 rounds float32 products, dtype is %1")},
        {QT_TR_NOOP("tf32 is for norms of clipped rows (training.clipping is none)")},
        {QT_TR_NOOP("%1 is for clipped rows (training.clipping is none)")},
        {QT_TR_NOOP("%1 times max_grad_norm %2 is beyond any number")},
        {QT_TR_NOOP("an empty list leaves nothing to compute")},
        {QT_TR_NOOP("an empty list leaves nothing to train")},
        {QT_TR_NOOP("0 leaves nothing to train, give a number above 0")},
        {QT_TR_NOOP("%1 is not a projection of this model, which has %2"), 2},
        {QT_TR_NOOP("%1 is above %2, the smaller side of %3 (%4 x %5)")},
        {QT_TR_NOOP("false is for kind memory, whose training steps are timed")},
        {QT_TR_NOOP("%1 is above %2")},
        {QT_TR_NOOP("%1 is below %2")},
    };
    // What was given instead of what is needed.
    static constexpr const char* kValues[] = {QT_TR_NOOP("an empty list"), QT_TR_NOOP("a list of other things"),
                                              QT_TR_NOOP("a list"), QT_TR_NOOP("an object")};
};

const KnownSentences& sentences()
{
    static const KnownSentences all = [] {
        std::vector<const char*> words;
        for (const Reason& reason : ReasonWords::kReasons)
            words.push_back(reason.words);
        return KnownSentences(words);
    }();
    return all;
}

QString valueText(const QString& value, bool isList)
{
    static const QRegularExpression between(QStringLiteral(", | and | or "));
    if (isList)
        return value.split(between).join(ReasonWords::tr(", ", "between words of a list"));
    const auto* known = std::find(std::begin(ReasonWords::kValues), std::end(ReasonWords::kValues), value);
    return known == std::end(ReasonWords::kValues) ? value : ReasonWords::tr(*known);
}

std::optional<QString> translated(const QString& sentence)
{
    const auto found = sentences().find(sentence);
    if (!found)
        return std::nullopt;
    const Reason& reason = ReasonWords::kReasons[found->place];
    const QString words = ReasonWords::tr(reason.words);
    if (words == QLatin1String(reason.words))
        return sentence;
    return withValues(words,
                      [&](int number) { return valueText(found->match.captured(number), number == reason.list); });
}

} // namespace

QString reasonText(const std::string& sentence)
{
    const QString whole = QString::fromStdString(sentence);
    // A file or a key may stand before it; the wider patterns would take that for a part of what is wrong.
    static const QString colon = QStringLiteral(": ");
    for (qsizetype at = whole.lastIndexOf(colon); at >= 0; at = at > 0 ? whole.lastIndexOf(colon, at - 1) : -1) {
        const qsizetype start = at + colon.size();
        if (whole.left(at).contains(u' '))
            continue; // within the sentence
        if (const auto rest = translated(whole.mid(start)))
            return whole.left(start) + *rest;
    }
    return translated(whole).value_or(whole);
}

} // namespace peakscope
