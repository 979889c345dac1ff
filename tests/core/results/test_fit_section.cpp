// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a search for what fits found, read from a result that `fit` wrote and from what others may write.
#include "core/base/json/json_access.h"
#include "core/model/catalogue.h"
#include "core/results/sweeps/fit_section.h"
#include "tests/test_room.h"

#include <QObject>
#include <QTest>

using namespace peakscope;

class TestFitSection : public QObject
{
    Q_OBJECT

private slots:
    void readsWhatFitWrote()
    {
        const auto result = loadRunResult(resourceFolder() / "samples" / "fit_result.json");
        QVERIFY(result);
        const auto fit = fitSectionOf(*result);
        QVERIFY(fit);
        QCOMPARE(fit->varied, std::string("batch"));
        QCOMPARE(fit->searches.size(), std::size_t(2));
        const FitSection::Search& first = fit->searches.front();
        QCOMPARE(first.device, std::string("rtx-4090"));
        QCOMPARE(first.command, std::string("python train.py --batch 18"));
        QVERIFY(!first.atEndOfRange && first.fixed.is_null());
        QCOMPARE(*first.largest, 18.0);
        double before = 0;
        for (const FitSection::Point& point : first.points) {
            QVERIFY(point.value > before);
            QCOMPARE(point.fits, point.value <= 18);
            before = point.value;
        }
        QCOMPARE(*fit->searches.back().largest, 31.0);
    }

    // Several keys: the one with numbers that is not fixed was varied. Words alone make no curve.
    void tellsWhatWasVaried()
    {
        const auto sectionOf = [](const char* text) {
            RunResult result;
            result.other["fit"] = *parseJson(std::string(text));
            return fitSectionOf(result);
        };
        const auto two = sectionOf(R"({"cards": [{"device": "dry:a", "fixed": {"accumulate": 2}, "largest": null,
            "points": [{"values": {"accumulate": 2, "batch": 8}, "reserved_bytes": 7, "verdict": "does_not_fit"},
                       {"values": {"accumulate": 2, "batch": 4}, "reserved_bytes": 5, "verdict": "tight"}]}]})");
        QVERIFY(two);
        QCOMPARE(two->varied, std::string("batch"));
        QVERIFY(!two->searches.front().largest);
        QCOMPARE(two->searches.front().points.front().value, 4.0);
        QVERIFY(two->searches.front().points.front().fits && !two->searches.front().points.back().fits);
        QVERIFY(!sectionOf(R"({"cards": [{"device": "dry:a", "points": [{"values": {"optimizer": "adam"}}]}]})"));
        QVERIFY(!sectionOf(R"({"cards": 3})"));
        QVERIFY(!fitSectionOf(RunResult()));
    }
};

PEAKSCOPE_GUILESS_TEST(TestFitSection)
#include "test_fit_section.moc"
