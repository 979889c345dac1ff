// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Several figures on one page: columns, letters, sizes, words that stay apart, and all three formats.
#include "tests/test_room.h"
#include "tests/widgets/figures/figure_samples.h"
#include "widgets/figures/page/figure_board.h"
#include "widgets/figures/page/figure_page.h"

#include <QBuffer>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace peakscope;

namespace {

FigureBoard sampleBoard(int panels, int columns = 0)
{
    static const RunResults both = sampleRuns(2);
    const std::vector<BoardPanel> all{
        {"memory_timeline", {both[0]}, {}},
        {"memory_timeline", {both[1]}, {}},
        {"memory_breakdown_comparison", both, {}},
        {"operation_level_breakdown", {both[0]}, QStringLiteral("Operators of the first")},
        {"performance_tradeoff", both, {}},
        {"detailed_memory_analysis", {both[1]}, {}}};
    FigureBoard board;
    board.columns = columns;
    board.panels.assign(all.begin(), all.begin() + panels);
    return board;
}

QByteArray writtenBoard(const FigureBoard& board, const FigurePreset& preset, FigureFormat format)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (const Status status = writeBoard(buffer, board, preset, format); !status)
        qWarning("%s", status.error().text().c_str());
    return bytes;
}

QStringList wordsOf(const FigureBoard& board, const FigurePreset& preset)
{
    QStringList words;
    for (const auto& placed : drawBoardPage(nullptr, board, preset, FigureTheme::Light))
        words << placed.text;
    return words;
}

} // namespace

class TestFigureBoard : public QObject
{
    Q_OBJECT

private slots:
    void columnsFitThePage_data();
    void columnsFitThePage();
    void textsStayInsideAndApart_data();
    void textsStayInsideAndApart();
    void lettersAndCaptions();
    void panelsStandRowByRow();
    void unusableBoardsAreRefused_data();
    void unusableBoardsAreRefused();
    void pngAndSvgAreTheSameEachTime();
    void pdfHasItsWidthAndItsFonts_data();
    void pdfHasItsWidthAndItsFonts();
    void svgHoldsVectors();
    void theRunsStandInTheMetadata();
};

void TestFigureBoard::columnsFitThePage_data()
{
    QTest::addColumn<QString>("preset");
    QTest::addColumn<int>("wanted");
    QTest::addColumn<int>("given");
    QTest::newRow("a journal's column holds one") << "icml-column" << 2 << 1;
    QTest::newRow("a journal's page holds two") << "icml-page" << 0 << 2;
    QTest::newRow("and not three") << "ieee-page" << 3 << 2;
    QTest::newRow("one where one is wanted") << "icml-page" << 1 << 1;
    QTest::newRow("a slide holds two") << "slide" << 0 << 2;
    QTest::newRow("a screen holds two") << "screen" << 2 << 2;
}

void TestFigureBoard::columnsFitThePage()
{
    QFETCH(QString, preset);
    QFETCH(int, wanted);
    QFETCH(int, given);
    QCOMPARE(boardColumns(sampleBoard(4, wanted), *figurePreset(preset.toStdString())), given);
    QCOMPARE(boardColumns(sampleBoard(1, wanted), *figurePreset(preset.toStdString())), 1);
}

void TestFigureBoard::textsStayInsideAndApart_data()
{
    QTest::addColumn<QString>("preset");
    QTest::addColumn<int>("panels");
    QTest::addColumn<int>("columns");
    for (const FigurePreset& preset : figurePresets()) {
        for (const int panels : {1, 2, 3, 6}) {
            if (preset.fixedHeight && panels > 4)
                continue; // a slide has no room for more rows that anyone could read
            for (const int columns : {0, 1}) {
                if (preset.fixedHeight && columns == 1 && panels > 2)
                    continue;
                const QByteArray row = QByteArray::fromStdString(preset.name) + ' ' + QByteArray::number(panels) +
                                       " in " + QByteArray::number(columns);
                QTest::newRow(row.constData()) << QString::fromStdString(preset.name) << panels << columns;
            }
        }
    }
}

void TestFigureBoard::textsStayInsideAndApart()
{
    QFETCH(QString, preset);
    QFETCH(int, panels);
    QFETCH(int, columns);
    const FigurePreset page = *figurePreset(preset.toStdString());
    const FigureBoard board = sampleBoard(panels, columns);
    QVERIFY(checkBoard(board).ok());
    const auto texts = drawBoardPage(nullptr, board, page, FigureTheme::Light);
    QVERIFY(texts.size() > std::size_t(10 * panels));
    const QRectF sheet(QPointF(0, 0), boardSizePt(board, page));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        QVERIFY2(sheet.adjusted(-0.01, -0.01, 0.01, 0.01).contains(texts[i].box), qPrintable(texts[i].text));
        for (std::size_t k = i + 1; k < texts.size(); ++k) {
            const QRectF common = texts[i].box.intersected(texts[k].box);
            const bool apart = common.width() < 0.5 || common.height() < page.smallFontPt * 0.2;
            QVERIFY2(apart, qPrintable(texts[i].text + QStringLiteral(" / ") + texts[k].text));
        }
    }
}

void TestFigureBoard::lettersAndCaptions()
{
    const FigureBoard board = sampleBoard(4);
    const QStringList words = wordsOf(board, *figurePreset("screen"));
    const auto heading = [&words](const QString& letter) {
        return words.indexOf(QRegularExpression(QStringLiteral("^\\(%1\\) .+").arg(letter)));
    };
    for (const char* letter : {"a", "b", "c", "d"})
        QVERIFY2(heading(QString::fromLatin1(letter)) >= 0, letter);
    QVERIFY(words.contains(QStringLiteral("(d) Operators of the first")));
    // Two panels of one kind say which run they are of.
    QVERIFY(panelCaption(board, 0) != panelCaption(board, 1));
    QVERIFY(panelCaption(board, 0).startsWith(figureTitle("memory_timeline")));
    QCOMPARE(panelCaption(board, 2), figureTitle("memory_breakdown_comparison"));
    QCOMPARE(panelCaption(sampleBoard(1), 0), figureTitle("memory_timeline"));
}

void TestFigureBoard::panelsStandRowByRow()
{
    const FigurePreset page = *figurePreset("icml-page");
    const auto texts = drawBoardPage(nullptr, sampleBoard(3), page, FigureTheme::Light);
    std::map<QString, QPointF> at;
    for (const auto& placed : texts) {
        if (placed.text.startsWith(u'(') && placed.text.size() > 4 && placed.text[2] == u')')
            at[placed.text.left(3)] = placed.box.center();
    }
    QVERIFY(at["(a)"].x() < at["(b)"].x());
    QCOMPARE(at["(a)"].y(), at["(b)"].y());
    QVERIFY(at["(c)"].y() > at["(a)"].y());
    QVERIFY(boardSizeMm(sampleBoard(3), page).height() > boardSizeMm(sampleBoard(2), page).height());
    QCOMPARE(boardSizeMm(sampleBoard(3), page).width(), page.widthMm);
    const FigurePreset slide = *figurePreset("slide");
    QCOMPARE(boardSizeMm(sampleBoard(4), slide), QSizeF(slide.widthMm, slide.heightMm));
}

void TestFigureBoard::unusableBoardsAreRefused_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("words");
    QTest::newRow("empty") << "empty"
                           << "no figure";
    QTest::newRow("too many") << "many"
                              << "at most 12";
    QTest::newRow("unknown figure") << "unknown"
                                    << "panel 2";
    QTest::newRow("a figure that the run does not hold") << "missing"
                                                         << "panel 2";
}

void TestFigureBoard::unusableBoardsAreRefused()
{
    QFETCH(QString, kind);
    QFETCH(QString, words);
    FigureBoard board = sampleBoard(1);
    if (kind == QLatin1String("empty"))
        board.panels.clear();
    else if (kind == QLatin1String("many"))
        board.panels.resize(13, board.panels.front());
    else
        board.panels.push_back(
            {kind == QLatin1String("unknown") ? "rocket" : "hessian_spectrum", board.panels.front().results, {}});
    const Status status = checkBoard(board);
    QVERIFY(!status.ok());
    QCOMPARE(status.error().code, ErrorCode::BadInput);
    QVERIFY2(status.error().text().find(words.toStdString()) != std::string::npos, status.error().text().c_str());
    QVERIFY(renderBoardImage(board, *figurePreset("screen")).isNull());
    QBuffer buffer;
    QVERIFY(buffer.open(QIODevice::WriteOnly));
    QVERIFY(!writeBoard(buffer, board, *figurePreset("screen"), FigureFormat::Pdf).ok());
    QCOMPARE(buffer.size(), 0);
}

void TestFigureBoard::pngAndSvgAreTheSameEachTime()
{
    const FigurePreset preset = *figurePreset("icml-page");
    for (const FigureFormat format : {FigureFormat::Png, FigureFormat::Svg}) {
        const QByteArray first = writtenBoard(sampleBoard(3), preset, format);
        QVERIFY(first.size() > 10000);
        QCOMPARE(writtenBoard(sampleBoard(3), preset, format), first);
        QVERIFY(writtenBoard(sampleBoard(2), preset, format) != first);
    }
    const QImage image = renderBoardImage(sampleBoard(3), preset);
    const QSizeF size = boardSizeMm(sampleBoard(3), preset) / 25.4 * preset.dpi;
    QVERIFY(std::abs(image.width() - size.width()) <= 1 && std::abs(image.height() - size.height()) <= 1);
}

void TestFigureBoard::pdfHasItsWidthAndItsFonts_data()
{
    QTest::addColumn<QString>("preset");
    for (const FigurePreset& preset : figurePresets())
        QTest::newRow(preset.name.c_str()) << QString::fromStdString(preset.name);
}

void TestFigureBoard::pdfHasItsWidthAndItsFonts()
{
    QFETCH(QString, preset);
    const FigurePreset page = *figurePreset(preset.toStdString());
    const FigureBoard board = sampleBoard(3);
    const QByteArray pdf = writtenBoard(board, page, FigureFormat::Pdf);
    const auto box =
        QRegularExpression(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)\\]")).match(QString::fromLatin1(pdf));
    QVERIFY(box.hasMatch());
    constexpr double kMmPerPoint = 25.4 / 72;
    QVERIFY(std::abs(box.captured(1).toDouble() * kMmPerPoint - page.widthMm) < 0.1);
    QVERIFY(std::abs(box.captured(2).toDouble() * kMmPerPoint - boardSizeMm(board, page).height()) < 0.4);
    QVERIFY(!pdf.contains("/Subtype /Image"));
    const QString pdffonts = QStandardPaths::findExecutable(QStringLiteral("pdffonts"));
    if (pdffonts.isEmpty())
        QSKIP("pdffonts (poppler-utils) is not installed");
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("board.pdf")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(pdf);
    file.close();
    QProcess process;
    process.start(pdffonts, {file.fileName()});
    QVERIFY(process.waitForFinished());
    const QStringList lines = QString::fromUtf8(process.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts);
    QVERIFY(lines.size() > 2);
    for (const QString& line : lines.mid(2))
        QVERIFY2(QRegularExpression(QStringLiteral("\\byes (yes|no) +(yes|no) +\\d+ +\\d+$")).match(line).hasMatch(),
                 qPrintable(line));
}

void TestFigureBoard::svgHoldsVectors()
{
    const QByteArray svg = writtenBoard(sampleBoard(4), *figurePreset("ieee-page"), FigureFormat::Svg);
    QVERIFY(!svg.contains("<image"));
    QVERIFY(!svg.contains("<text"));
    QVERIFY(QSvgRenderer(svg).isValid());
}

void TestFigureBoard::theRunsStandInTheMetadata()
{
    const FigureBoard board = sampleBoard(3);
    const QString svg = QString::fromUtf8(writtenBoard(board, *figurePreset("icml-page"), FigureFormat::Svg));
    for (const auto& run : board.panels[2].results)
        QVERIFY(svg.contains(QString::fromStdString(run->id)));
    QCOMPARE(svg.count(QString::fromStdString(board.panels[0].results[0]->id)), 1); // each once
    QVERIFY(svg.contains(QStringLiteral("(b) ")));
}

PEAKSCOPE_TEST(TestFigureBoard)
#include "test_figure_board.moc"
