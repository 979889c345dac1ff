// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a stranger reads is plain: tests/architecture/prose.py finds nothing in the pages, the window's texts and the
// messages; the front page is short, and no link is dead. A page in Chinese has the parts, links and commands of its
// page in English.
#include "tests/test_room.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>

class TestProse : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void hardSentencesAreFound_data();
    void hardSentencesAreFound();
    void pagesArePlain_data();
    void pagesArePlain();
    void hardTextsAreFound_data();
    void hardTextsAreFound();
    void textsOfTheProgramArePlain();
    void messagesArePlain();
    void frontPageIsShort();
    void linksLeadSomewhere();
    void chinesePagesAreWhole_data();
    void chinesePagesAreWhole();

private:
    QString m_python;
};

namespace {

const QDir kProject(QStringLiteral(PEAKSCOPE_SOURCE_DIR));

QString wholeText(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// What prose.py printed of a file.
QByteArray findings(const QString& python, const QStringList& arguments)
{
    QProcess script;
    script.setProcessChannelMode(QProcess::MergedChannels);
    script.start(python, QStringList{kProject.filePath(QStringLiteral("tests/architecture/prose.py"))} + arguments);
    script.waitForFinished();
    return script.readAll().trimmed();
}

QStringList pages()
{
    QStringList all{QStringLiteral("README.md"), QStringLiteral("SECURITY.md"), QStringLiteral("CONTRIBUTING.md"),
                    QStringLiteral("CHANGELOG.md")};
    for (const QString& folder : {QStringLiteral("docs/"), QStringLiteral("docs/tutorials/")})
        for (const QString& page : QDir(kProject.filePath(folder)).entryList({QStringLiteral("*.md")}))
            all << folder + page;
    return all;
}

// The anchors that Markdown's usual renderers give to headings: lower case, no punctuation, spaces as hyphens.
QSet<QString> anchors(const QString& text)
{
    static const QRegularExpression heading(QStringLiteral("^#+ +(.+)$"), QRegularExpression::MultilineOption);
    static const QRegularExpression dropped(QStringLiteral("[^\\w\\- ]"),
                                            QRegularExpression::UseUnicodePropertiesOption);
    QSet<QString> found;
    for (const auto& match : heading.globalMatch(text))
        found << match.captured(1).toLower().remove(dropped).trimmed().replace(u' ', u'-');
    return found;
}

const QString kChinese = QStringLiteral(".zh.md");

// "docs/start.md" of "docs/start.zh.md".
QString inEnglish(const QString& page)
{
    return page.chopped(kChinese.size()) + QStringLiteral(".md");
}

struct Parts {
    QString shape; // a mark for each heading, row of a table, item and picture, in their order
    QStringList code;
    QStringList targets; // of links, in order of their names
};

Parts partsOf(const QString& text)
{
    static const QRegularExpression mark(QStringLiteral("^(#+(?= )|\\||-(?= )|\\d(?=\\d*\\. )|!(?=\\[))"));
    static const QRegularExpression link(QStringLiteral("\\]\\(([^)#\\s]*)[^)\\s]*\\)"));
    Parts parts;
    bool fenced = false;
    for (const QString& line : text.split(u'\n')) {
        const bool fence = line.startsWith(QStringLiteral("```"));
        if (fence || fenced || line.startsWith(QStringLiteral("    ")))
            parts.code << line;
        else if (const auto match = mark.match(line); match.hasMatch())
            parts.shape += match.captured();
        if (fence)
            fenced = !fenced;
    }
    for (const auto& match : link.globalMatch(text))
        parts.targets << match.captured(1);
    parts.targets.sort();
    return parts;
}

// The line itself, or the line with its comment in Chinese.
bool isSameCode(const QString& english, const QString& chinese)
{
    static const QRegularExpression words(QStringLiteral("[\\x{3000}-\\x{9fff}\\x{ff00}-\\x{ffef}]"));
    const qsizetype first = chinese.indexOf(words);
    if (first < 0)
        return english == chinese;
    const QString before = chinese.left(first);
    const qsizetype comment = qMax(before.lastIndexOf(u'#'), before.lastIndexOf(QStringLiteral("  ")));
    return comment > 0 && english.startsWith(before.left(comment));
}

} // namespace

void TestProse::initTestCase()
{
    m_python = QStandardPaths::findExecutable(QStringLiteral("python3"));
}

void TestProse::hardSentencesAreFound_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("found");
    QTest::newRow("plain") << "The run ends. It writes its result.\n" << 0;
    QTest::newRow("long") << QStringLiteral("It ") + QStringLiteral("very ").repeated(25) + "long.\n" << 1;
    QTest::newRow("25 words") << QStringLiteral("It ") + QStringLiteral("very ").repeated(23) + "long.\n" << 0;
    QTest::newRow("long in a list") << "- " + QStringLiteral("so ").repeated(26) + "\n- short\n" << 1;
    QTest::newRow("long in a cell") << "| a | " + QStringLiteral("so ").repeated(26) + "|\n" << 1;
    QTest::newRow("code") << "    " + QStringLiteral("so ").repeated(26) + "\n" << 0;
    QTest::newRow("software that speaks") << "A note says why.\n" << 1;
    QTest::newRow("people may") << "Nobody knows, and you say so.\n" << 0;
}

void TestProse::hardSentencesAreFound()
{
    if (m_python.isEmpty())
        QSKIP("there is no python3");
    QFETCH(QString, text);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("page.md"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    file.close();
    const QByteArray found = findings(m_python, {path});
    QTEST(found.isEmpty() ? 0 : int(found.count('\n') + 1), "found");
}

void TestProse::pagesArePlain_data()
{
    QTest::addColumn<QString>("page");
    for (const char* page : {"README.md",
                             "CHANGELOG.md",
                             "CONTRIBUTING.md",
                             "docs/architecture.md",
                             "docs/building.md",
                             "docs/components.md",
                             "docs/curvature.md",
                             "docs/dry-runs.md",
                             "docs/dry-runs-checked.md",
                             "docs/embedding.md",
                             "docs/estimates.md",
                             "docs/events.md",
                             "docs/experiment.md",
                             "docs/figures.md",
                             "docs/gpu.md",
                             "docs/index.md",
                             "docs/perturbation.md",
                             "docs/planning.md",
                             "docs/record.md",
                             "docs/servers.md",
                             "docs/sharding.md",
                             "docs/snapshots.md",
                             "docs/start.md",
                             "docs/sweeps.md",
                             "docs/tutorials/curvature.md",
                             "docs/tutorials/dp-sgd.md",
                             "docs/tutorials/out-of-memory.md",
                             "docs/tutorials/sweep.md",
                             "docs/tutorials/will-it-fit.md",
                             "docs/tutorials/your-program.md"})
        QTest::newRow(page) << QString(page);
}

void TestProse::pagesArePlain()
{
    if (m_python.isEmpty())
        QSKIP("there is no python3");
    QFETCH(QString, page);
    QVERIFY(!wholeText(kProject.filePath(page)).isEmpty());
    const QByteArray found = findings(m_python, {kProject.filePath(page)});
    QVERIFY2(found.isEmpty(), found);
}

void TestProse::hardTextsAreFound_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("found");
    const QString ts = QStringLiteral("<TS><context><message><source>%1</source></message></context></TS>");
    const QString longText = QStringLiteral("so ").repeated(26);
    QTest::newRow("plain source") << "--ts" << ts.arg(QStringLiteral("Its output: %2")) << 0;
    QTest::newRow("long source") << "--ts" << ts.arg(longText) << 1;
    QTest::newRow("source that speaks") << "--ts" << ts.arg(QStringLiteral("The file says it.")) << 1;
    QTest::newRow("two lines") << "--ts" << ts.arg(QStringLiteral("so ").repeated(20) + u'\n' + longText.left(60)) << 0;
    QTest::newRow("plain literal") << "--strings"
                                   << "auto a = \"is not a size\";" << 0;
    QTest::newRow("literals in a row") << "--strings"
                                       << "f(\"" + longText.left(45) + "\"\n  \"" + longText.left(45) + "\");" << 1;
    QTest::newRow("literal that speaks") << "--strings"
                                         << "f(\"the card knows it\");" << 1;
    QTest::newRow("comment") << "--strings"
                             << "// \"the card knows it\"\n"
                             << 0;
    QTest::newRow("places for values") << "--strings"
                                       << "f(\"" + QStringLiteral("{:.3g} ").repeated(26) + "\");" << 1;
}

void TestProse::hardTextsAreFound()
{
    if (m_python.isEmpty())
        QSKIP("there is no python3");
    QFETCH(QString, kind);
    QFETCH(QString, text);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("texts"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    file.close();
    const QByteArray found = findings(m_python, {kind, path});
    QTEST(found.isEmpty() ? 0 : int(found.count('\n') + 1), "found");
}

// The sources of the translation: every text of the window, and the sentences of core that it translates.
void TestProse::textsOfTheProgramArePlain()
{
    if (m_python.isEmpty())
        QSKIP("there is no python3");
    const QString file = kProject.filePath(QStringLiteral("resources/translations/peakscope_zh.ts"));
    QVERIFY(wholeText(file).contains(QStringLiteral("<source>")));
    const QByteArray found = findings(m_python, {QStringLiteral("--ts"), file});
    QVERIFY2(found.isEmpty(), found);
}

void TestProse::messagesArePlain()
{
    if (m_python.isEmpty())
        QSKIP("there is no python3");
    QStringList files;
    QDirIterator sources(kProject.filePath(QStringLiteral("core")), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                         QDir::Files, QDirIterator::Subdirectories);
    while (sources.hasNext()) {
        const QString file = sources.next();
        if (!file.endsWith(QStringLiteral("/builtin_records.cpp"))) // its sentences are data, of people
            files << file;
    }
    QVERIFY(files.size() > 200);
    const QByteArray found = findings(m_python, QStringList{QStringLiteral("--strings")} + files);
    QVERIFY2(found.isEmpty(), found);
}

void TestProse::frontPageIsShort()
{
    const qsizetype lines = wholeText(kProject.filePath(QStringLiteral("README.md"))).count(u'\n');
    QVERIFY2(lines > 40 && lines <= 120, qPrintable(QString::number(lines)));
}

// Links within the tree: the file is there and, where an anchor is named, the heading too.
void TestProse::linksLeadSomewhere()
{
    static const QRegularExpression link(QStringLiteral("\\]\\(([^)\\s]+)\\)"));
    int seen = 0;
    for (const QString& page : pages()) {
        const QString text = wholeText(kProject.filePath(page));
        for (const auto& match : link.globalMatch(text)) {
            const QString target = match.captured(1);
            if (target.contains(QStringLiteral("://")))
                continue;
            const QString path = target.section(u'#', 0, 0);
            const QString anchor = target.section(u'#', 1);
            const QString file = path.isEmpty() ? kProject.filePath(page)
                                                : QFileInfo(kProject.filePath(page)).dir().filePath(path);
            QVERIFY2(QFileInfo::exists(file), qPrintable(page + u' ' + target));
            if (!anchor.isEmpty())
                QVERIFY2(anchors(wholeText(file)).contains(anchor), qPrintable(page + u' ' + target));
            // The site leads to the page in Chinese where there is one: it has the English anchor too.
            const QString chinese = file.chopped(3) + kChinese;
            if (page.startsWith(QStringLiteral("docs/")) && !path.isEmpty() && !anchor.isEmpty() &&
                file.endsWith(QStringLiteral(".md")) && QFileInfo::exists(chinese))
                QVERIFY2(wholeText(chinese).contains(QStringLiteral("<a id=\"%1\">").arg(anchor)),
                         qPrintable(chinese + u' ' + target));
            ++seen;
        }
    }
    QVERIFY(seen > 50);
}

void TestProse::chinesePagesAreWhole_data()
{
    QTest::addColumn<QString>("page");
    for (const QString& page : pages().filter(kChinese))
        QTest::newRow(qPrintable(page)) << page;
}

void TestProse::chinesePagesAreWhole()
{
    QFETCH(QString, page);
    const Parts chinese = partsOf(wholeText(kProject.filePath(page)));
    const Parts english = partsOf(wholeText(kProject.filePath(inEnglish(page))));
    QCOMPARE(chinese.shape, english.shape);
    QCOMPARE(chinese.targets, english.targets);
    QCOMPARE(chinese.code.size(), english.code.size());
    for (qsizetype i = 0; i < english.code.size(); ++i)
        QVERIFY2(isSameCode(english.code[i], chinese.code[i]), qPrintable(chinese.code[i]));
}

PEAKSCOPE_GUILESS_TEST(TestProse)
#include "test_prose.moc"
