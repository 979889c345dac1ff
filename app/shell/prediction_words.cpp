// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/prediction_words.h"

#include "core/base/units.h"
#include "core/import/read_any.h"
#include "core/results/dry_result.h"
#include "core/results/prediction_bound.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace peakscope {

namespace {

struct PredictionWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::PredictionWords)
};

} // namespace

QString predictionText(const RunResult& result)
{
    const auto bytes = [](std::int64_t value) { return QString::fromStdString(formatBytes(value)); };
    const std::int64_t predicted = result.prediction ? result.prediction->peakBytes : 0;
    const std::int64_t measured = result.memory ? result.memory->peakBytes : 0;
    if (isDry(result)) // two computations that agree are no measurement
        return (predictionIsBound(result) ? PredictionWords::tr("planned for at most %1, dry run %2")
                                          : PredictionWords::tr("predicted peak %1, dry run %2"))
            .arg(bytes(predicted), bytes(measured));
    if (predictionIsBound(result))
        return PredictionWords::tr("planned for at most %1, measured %2").arg(bytes(predicted), bytes(measured));
    const QString both = PredictionWords::tr("predicted peak %1, measured %2").arg(bytes(predicted), bytes(measured));
    // A run that did not come to its end may not have come to its peak.
    if (result.status != RunStatus::Complete || measured <= 0)
        return both;
    return PredictionWords::tr("%1, %2", "predicted and measured, error")
        .arg(both, predictionError(predicted, measured));
}

QString predictionError(std::int64_t predicted, std::int64_t measured)
{
    const double percent = 100 * static_cast<double>(predicted - measured) / static_cast<double>(measured);
    const QString text = QLocale().toString(std::abs(percent), 'f', std::abs(percent) < 10 ? 1 : 0);
    const bool zero = std::abs(percent) < 0.05;
    return PredictionWords::tr("%1 %").arg((zero          ? QStringLiteral("±")
                                            : percent < 0 ? QStringLiteral("−")
                                                          : QStringLiteral("+")) +
                                           text);
}

bool holdsExperiment(const RunResult& result)
{
    return !importedFormat(result) && !result.config.contains("program");
}

} // namespace peakscope
