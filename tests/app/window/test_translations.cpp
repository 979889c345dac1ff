// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The Chinese translation: the file is complete, keeps every place holder, and reaches widgets and figures.
#include "app/jobs/job_words.h"
#include "app/parts/translations.h"
#include "app/parts/ts_translator.h"
#include "core/experiment/schema.h"
#include "core/protocol/worker_exit.h"
#include "tests/test_room.h"
#include "widgets/look/component_palette.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QXmlStreamReader>

using namespace peakscope;

class TestTranslations : public QObject
{
    Q_OBJECT

private slots:
    void everyMessageIsTranslated();
    void oneSpelling();
    void placeHoldersAreKept();
    void everyTextOfTheSourcesHasAnEntry();
    void aTsFileIsRead();
    void otherFilesAreRefused();
    void theProgramSpeaksChinese();
};

namespace {

struct Pair {
    QString source;
    QString translation;
    bool finished = true;
};

std::vector<Pair> messages()
{
    QFile file(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/resources/translations/peakscope_zh.ts"));
    std::vector<Pair> pairs;
    if (!file.open(QIODevice::ReadOnly))
        return pairs;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("source"))
            pairs.push_back({xml.readElementText(), {}, true});
        else if (xml.name() == QLatin1String("translation")) {
            pairs.back().finished = !xml.attributes().hasAttribute(QLatin1String("type"));
            pairs.back().translation = xml.readElementText(QXmlStreamReader::IncludeChildElements);
        }
    }
    return pairs;
}

} // namespace

void TestTranslations::everyMessageIsTranslated()
{
    const std::vector<Pair> all = messages();
    QVERIFY(all.size() > 500);
    for (const Pair& pair : all)
        QVERIFY2(pair.finished && !pair.translation.trimmed().isEmpty(), qPrintable(pair.source));
}

// Keys and files have another, but none of them is a text of its own.
void TestTranslations::oneSpelling()
{
    for (const Pair& pair : messages())
        QVERIFY2(!pair.source.contains(QStringLiteral("optimizer"), Qt::CaseInsensitive), qPrintable(pair.source));
}

void TestTranslations::placeHoldersAreKept()
{
    static const QRegularExpression holder(QStringLiteral("%[1-9n]"));
    for (const Pair& pair : messages()) {
        QStringList before;
        QStringList after;
        for (const auto& match : holder.globalMatch(pair.source))
            before << match.captured();
        for (const auto& match : holder.globalMatch(pair.translation))
            after << match.captured();
        before.sort();
        after.sort();
        QVERIFY2(before == after, qPrintable(pair.source + QStringLiteral(" -> ") + pair.translation));
    }
}

void TestTranslations::everyTextOfTheSourcesHasAnEntry()
{
    QSet<QString> known;
    for (const Pair& pair : messages())
        known.insert(pair.source);
    // tr("…" "…"), QT_TR_NOOP("…") and QT_TRANSLATE_NOOP("context", "…" "…"), which compilers put together.
    static const QString literals = QStringLiteral(R"x((("(?:[^"\\]|\\.)*"\s*)+))x");
    static const QRegularExpression calls(
        QStringLiteral(R"x(\b(?:tr\(|QT_TR_NOOP\(|QT_TRANSLATE_NOOP\("[^"]*",)\s*)x") + literals);
    static const QRegularExpression literal(QStringLiteral(R"x("((?:[^"\\]|\\.)*)")x"));
    int found = 0;
    for (const char* folder : {"app", "widgets"}) {
        QDirIterator files(QStringLiteral(PEAKSCOPE_SOURCE_DIR "/") + QLatin1String(folder),
                           {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(file.readAll());
            for (const auto& call : calls.globalMatch(text)) {
                QString source;
                for (const auto& part : literal.globalMatch(call.captured(1)))
                    source += part.captured(1);
                source.replace(QLatin1String("\\\""), QLatin1String("\""))
                    .replace(QLatin1String("\\n"), QLatin1String("\n"));
                ++found;
                QVERIFY2(known.contains(source), qPrintable(file.fileName() + QStringLiteral(": ") + source));
            }
        }
    }
    QVERIFY(found > 900); // the pattern finds them
    for (std::size_t kind = 0; kind < WorkerFate::kKinds; ++kind) {
        const QString text = QString::fromUtf8(patternOf(static_cast<WorkerFate::Kind>(kind)));
        QVERIFY2(known.contains(text), qPrintable(text));
    }
    QVERIFY(known.contains(QString::fromUtf8(kLastSaid)));
    for (int signal = 1; signal <= 64; ++signal)
        QVERIFY2(!signalWords(signal) || known.contains(QString::fromUtf8(signalWords(signal))), signalWords(signal));
    for (const ExperimentKey& key : experimentKeys()) {
        for (const char* written : {key.title, key.words, key.more.unit, key.more.fallback}) {
            const QString text = QString::fromUtf8(written);
            bool isNumber = false;
            text.toInt(&isNumber);
            QVERIFY2(text.isEmpty() || isNumber || known.contains(text), qPrintable(text));
        }
    }
}

void TestTranslations::aTsFileIsRead()
{
    QByteArray text = R"(<?xml version="1.0"?><!DOCTYPE TS><TS version="2.1"><context><name>A</name>
        <message><source>yes</source><translation>shi</translation></message>
        <message><source>yes</source><comment>short</comment><translation>s</translation></message>
        <message><source>no</source><translation type="unfinished">bu</translation></message>
        <message numerus="yes"><source>%n others</source><translation><numerusform>%n ge</numerusform></translation></message>
        <message numerus="yes"><source>%n more</source><translation>
            <numerusform>%n duo</numerusform>
        </translation></message>
        <message><source> tail</source><translation> wei</translation></message>
        </context></TS>)";
    QBuffer buffer(&text);
    QVERIFY(buffer.open(QIODevice::ReadOnly));
    TsTranslator translator;
    QVERIFY(translator.loadTs(buffer));
    QVERIFY(!translator.isEmpty());
    QCOMPARE(translator.translate("A", "yes"), QStringLiteral("shi"));
    QCOMPARE(translator.translate("A", "yes", "short"), QStringLiteral("s"));
    QCOMPARE(translator.translate("another::A", "yes"), QStringLiteral("shi"));
    QVERIFY(translator.translate("A", "no").isEmpty());
    QCOMPARE(translator.translate("A", "%n others", nullptr, 3), QStringLiteral("%n ge"));
    QCOMPARE(translator.translate("A", "%n more", nullptr, 3), QStringLiteral("%n duo"));
    QCOMPARE(translator.translate("A", " tail"), QStringLiteral(" wei"));
    QVERIFY(translator.translate("A", "unknown").isEmpty());
}

void TestTranslations::otherFilesAreRefused()
{
    for (QByteArray text : {QByteArray(""), QByteArray("{}"), QByteArray("<html/>"), QByteArray("<TS><context>")}) {
        QBuffer buffer(&text);
        QVERIFY(buffer.open(QIODevice::ReadOnly));
        TsTranslator translator;
        QVERIFY2(!translator.loadTs(buffer), text.constData());
    }
}

void TestTranslations::theProgramSpeaksChinese()
{
    const QString english = componentTitle(Component::OptimizerStates);
    QVERIFY(installTranslation(QStringLiteral("zh")));
    QCOMPARE(componentTitle(Component::OptimizerStates), QStringLiteral("优化器状态"));
    QVERIFY(componentTitle(Component::OptimizerStates) != english);
    QCOMPARE(signalName(9), QStringLiteral("信号 9"));
}

PEAKSCOPE_GUILESS_TEST(TestTranslations)
#include "test_translations.moc"
