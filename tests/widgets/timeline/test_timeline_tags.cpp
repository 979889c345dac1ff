// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The tags of the budget and of the prediction: each at its own line, apart from the other, in the window and on paper.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_samples.h"
#include "tests/widgets/timeline/training_data.h"
#include "widgets/figures/page/figure_page.h"
#include "widgets/look/theme.h"
#include "widgets/timeline/memory_timeline_view.h"

#include <qcustomplot.h>

#include <QFontMetricsF>
#include <QTest>

#include <cmath>
#include <memory>

using namespace peakscope;

class TestTimelineTags : public QObject
{
    Q_OBJECT

private slots:
    void tagsStandAtTheirOwnLines_data()
    {
        QTest::addColumn<double>("budget");
        QTest::addColumn<double>("predicted");
        QTest::addColumn<int>("width");
        for (const int width : {400, 900}) {
            QTest::addRow("prediction above, %d", width) << 1.007 << 1.037 << width;
            QTest::addRow("budget above, %d", width) << 1.037 << 1.007 << width;
            QTest::addRow("one above the other, %d", width) << 1.02 << 1.021 << width;
        }
    }

    void tagsStandAtTheirOwnLines()
    {
        QFETCH(double, budget);
        QFETCH(double, predicted);
        QFETCH(int, width);
        test::applyPalette(false);
        MemoryTimelineView view;
        test::showAt(view, width, 420);
        const test::TrainingData data = test::trainingRun();
        view.setTimeline(std::make_shared<const MemoryTimeline>(data.events));
        const auto peak = static_cast<double>(view.timeline()->peakBytes());
        view.setBudget(static_cast<std::int64_t>(budget * peak));
        view.setPrediction(static_cast<std::int64_t>(predicted * peak));
        QTRY_VERIFY(view.plot()->yAxis->range().contains(1.1 * peak));
        const QImage image = view.plot()->toPixmap(view.plot()->width(), view.plot()->height(), 1).toImage();
        const QRect rect = view.plot()->xAxis->axisRect()->rect();
        // The mean row of a tag's letters, to which its line, all across, does not belong.
        const auto lettersOf = [&](const QColor& color) {
            double sum = 0;
            int found = 0;
            for (int y = rect.top(); y < rect.bottom(); ++y) {
                int row = 0;
                for (int x = rect.left(); x < rect.right(); ++x)
                    row += image.pixel(x, y) == color.rgb();
                if (row < rect.width() / 6) {
                    sum += row * y;
                    found += row;
                }
            }
            return found > 0 ? sum / found : -1;
        };
        const ChartTheme theme = chartTheme(view.palette());
        const double ofBudget = lettersOf(theme.warning), ofPrediction = lettersOf(theme.accent);
        QVERIFY(ofBudget > 0 && ofPrediction > 0);
        QVERIFY2((ofBudget < ofPrediction) == (budget > predicted),
                 qPrintable(QStringLiteral("%1 and %2").arg(ofBudget).arg(ofPrediction)));
        QVERIFY(std::abs(ofBudget - ofPrediction) > QFontMetricsF(view.font()).height());
    }

    void figureTagsStandAtTheirOwnLines()
    {
        SampleOptions options;
        options.budgetBytes = sampleRun().memory->peakBytes * 1007 / 1000;
        for (const double predicted : {1.002, 1.009, 1.015, 1.03, 1.1}) {
            RunResult run = sampleRun(options);
            run.prediction =
                Prediction{static_cast<std::int64_t>(predicted * static_cast<double>(run.memory->peakBytes)), {}};
            const bool above = run.prediction->peakBytes > options.budgetBytes;
            for (const FigurePreset& preset : figurePresets()) {
                QRectF ofBudget, ofPrediction;
                for (const auto& placed :
                     drawFigurePage(nullptr, "memory_timeline", {shared(run)}, preset, FigureTheme::Light)) {
                    if (placed.text.startsWith(QStringLiteral("budget ")))
                        ofBudget = placed.box;
                    else if (placed.text.startsWith(QStringLiteral("predicted peak ")))
                        ofPrediction = placed.box;
                }
                const QString which = QStringLiteral("%1 %2").arg(predicted).arg(preset.name.c_str());
                QVERIFY2(!ofBudget.isEmpty() && !ofPrediction.isEmpty(), qPrintable(which));
                QVERIFY2((ofPrediction.center().y() < ofBudget.center().y()) == above, qPrintable(which));
                // Not side by side above both lines: there either could be the tag of either.
                QVERIFY2(std::abs(ofPrediction.center().y() - ofBudget.center().y()) > 0.8 * ofBudget.height(),
                         qPrintable(which));
                QVERIFY2(!ofPrediction.intersects(ofBudget), qPrintable(which));
            }
        }
    }
};

PEAKSCOPE_TEST(TestTimelineTags)
#include "test_timeline_tags.moc"
