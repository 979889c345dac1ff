// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices of several ranks go together.
#include "core/ranks/rank_devices.h"
#include "tests/test_room.h"

#include <QTest>

#include <cstdio>

using namespace peakscope;

class TestRankDevices : public QObject
{
    Q_OBJECT

private slots:
    void devices_data();
    void devices();
};

// Devices of ranks that do not go together: one line, the same on all ranks.
void TestRankDevices::devices_data()
{
    QTest::addColumn<bool>("own");
    QTest::addColumn<QList<QStringList>>("ranks"); // host, device, bus, LibTorch, problem
    QTest::addColumn<QString>("message");
    const auto row = [](const char* label, bool own, const QList<QStringList>& ranks, const char* message) {
        QTest::newRow(label) << own << ranks << QString::fromLatin1(message);
    };
    const QStringList first{"a", "cuda:0", "0000:01", "2.15.0", ""}, second{"a", "cuda:0", "0000:02", "2.15.0", ""};
    row("each its own", true, {first, second}, "");
    row("the same place on two hosts", true, {first, {"b", "cuda:0", "0000:01", "2.15.0", ""}}, "");
    row("processors", true, {{"a", "", "", "2.15.0", ""}, {"a", "", "", "2.15.0", ""}}, "");
    row("more ranks than devices", true, {first, second, second},
        "ranks: host a has fewer CUDA devices than ranks: ranks 1 and 2 share one; give fewer ranks, or device "
        "\"cpu\"");
    row("a device named twice", false, {first, first},
        "device: ranks 0 and 1 are both on cuda:0 of host a; give \"cuda\", and each takes its own");
    row("another LibTorch", true, {first, {"b", "cuda:0", "0000:01", "2.14.1", ""}},
        "ranks: rank 1 (host b) has LibTorch 2.14.1, rank 0 has 2.15.0; all need the same");
    row("a processor beside a device", true, {first, {"b", "", "", "2.15.0", ""}},
        "device: rank 1 (host b) and rank 0 are not both on CUDA devices; give \"cpu\" or \"cuda\"");
    row("a device that is not there", false, {first, {"b", "", "", "2.15.0", "device: cuda:3 is not here"}},
        "ranks: rank 1 (host b): device: cuda:3 is not here");
}

void TestRankDevices::devices()
{
    QFETCH(bool, own);
    QFETCH(QList<QStringList>, ranks);
    QFETCH(QString, message);
    std::vector<RankDevice> all;
    for (const QStringList& rank : ranks) {
        all.push_back(
            rankDevice(rank[1].toStdString(), rank[2].toStdString(), rank[3].toStdString(), rank[4].toStdString()));
        std::snprintf(all.back().host, sizeof(all.back().host), "%s", qPrintable(rank[0]));
    }
    const Status fine = checkRankDevices(all, own);
    QCOMPARE(fine ? QString() : QString::fromStdString(fine.error().text()), message);
    QVERIFY(fine || fine.error().code == ErrorCode::BadInput);
}

PEAKSCOPE_GUILESS_TEST(TestRankDevices)
#include "test_rank_devices.moc"
