// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Finds a sentence that core worded by what of it is always the same, so that it can be said in the user's language.
// Used by notes and by reasons, which have the sentences. GUI thread.
#pragma once

#include <QRegularExpression>
#include <QString>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace peakscope {

class KnownSentences
{
public:
    struct Found {
        std::size_t place;             // among all
        QRegularExpressionMatch match; // what stands for %1, %2, … as its captures
    };
    // In core's words, %1, %2, … in this order for what differs; the first that fits is taken, so the narrower stands
    // before the wider.
    explicit KnownSentences(std::span<const char* const> all);

    std::optional<Found> find(const QString& text) const;

private:
    std::vector<QRegularExpression> m_all;
};

// `words` with what `valueOf(1)` says in the place of %1, and so on; place holders within a value stay.
QString withValues(const QString& words, const std::function<QString(int)>& valueOf);

} // namespace peakscope
