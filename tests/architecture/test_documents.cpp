// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is written about the tree is true of it: the drawing of the rooms is that of today's includes, the files and
// functions that the pages name are there, and where things of a kind are registered every one of them is.
#include "tests/test_room.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>

class TestDocuments : public QObject
{
    Q_OBJECT
private slots:
    void whatIsMadeIsOfToday_data();
    void whatIsMadeIsOfToday();
    void namedFilesExist_data();
    void namedFilesExist();
    void namedFunctionsExist();
    void everyOneIsRegistered_data();
    void everyOneIsRegistered();
};

namespace {

const QDir kRoot(QStringLiteral(PEAKSCOPE_SOURCE_DIR));

QString readText(const QString& path)
{
    QFile file(kRoot.filePath(path));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList captures(const QString& text, const char* pattern)
{
    QStringList found;
    for (const auto& match :
         QRegularExpression(QString::fromLatin1(pattern), QRegularExpression::MultilineOption).globalMatch(text))
        found << match.captured(1);
    found.removeDuplicates();
    return found;
}

// "core/model/family_NAME.cpp" stands for the files that are there, of whatever name; one of them is enough.
QStringList filesLike(QString path)
{
    path.replace(QStringLiteral("NAME"), QStringLiteral("*"));
    QStringList found{QString()};
    for (const QString& part : path.split(u'/')) {
        QStringList deeper;
        for (const QString& folder : found) {
            const QDir in(kRoot.filePath(folder));
            for (const QString& name : in.entryList({part}, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
                deeper << folder + name + u'/';
        }
        found = deeper;
    }
    for (QString& file : found)
        file.chop(1);
    return found;
}

} // namespace

void TestDocuments::whatIsMadeIsOfToday_data()
{
    QTest::addColumn<QString>("script");
    for (const char* script : {"docs/rooms.py", "docs/experiment_zh.py"})
        QTest::newRow(script) << QString(script);
}

void TestDocuments::whatIsMadeIsOfToday()
{
    QFETCH(QString, script);
    const QString python = QStandardPaths::findExecutable(QStringLiteral("python3"));
    if (python.isEmpty())
        QSKIP("there is no python3 to draw with");
    QProcess draw;
    draw.start(python, {kRoot.filePath(script), QStringLiteral("--check")});
    QVERIFY(draw.waitForFinished());
    QVERIFY2(draw.exitStatus() == QProcess::NormalExit && draw.exitCode() == 0, draw.readAllStandardError());
}

void TestDocuments::namedFilesExist_data()
{
    QTest::addColumn<QString>("page");
    for (const char* page : {"docs/architecture.md", "CONTRIBUTING.md"})
        QTest::newRow(page) << QString(page);
}

void TestDocuments::namedFilesExist()
{
    QFETCH(QString, page);
    const QStringList named = captures(readText(page), "[`(]((?:core|widgets|app|tests|docs|packaging|resources|cmake|"
                                                       "\\.ci)(?:/[\\w./-]+)?|\\.clang-\\w+|[A-Z]{6,}\\.md)[`)#]");
    QVERIFY(named.size() > 20);
    for (const QString& path : named)
        QVERIFY2(!filesLike(path.endsWith(u'/') ? path.chopped(1) : path).isEmpty(), qPrintable(path));
}

// "`Ledger::admit()`" is a word of some source. What is called otherwise by now stands in no file any more.
void TestDocuments::namedFunctionsExist()
{
    QSet<QString> words;
    static const QRegularExpression word(QStringLiteral("\\w+(?=\\()"));
    for (const char* top : {"core", "widgets", "app", "tests/architecture"}) {
        for (QDirIterator file(kRoot.filePath(top), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
             file.hasNext();) {
            for (const auto& match : word.globalMatch(readText(file.next())))
                words << match.captured();
        }
    }
    const QStringList named = captures(readText(QStringLiteral("docs/architecture.md")), "`(?:\\w+::)?(\\w+)\\(\\)`");
    QVERIFY(named.size() > 20);
    for (const QString& function : named)
        QVERIFY2(words.contains(function), qPrintable(function));
}

// What "How to add" says of one kind of thing: in these files the pattern finds each of the kind, and the page's
// section names the places that must name them all.
void TestDocuments::everyOneIsRegistered_data()
{
    QTest::addColumn<QString>("section");
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QStringList>("places");
    const auto row = [](const char* section, const QStringList& files, const char* pattern, const QStringList& places) {
        QTest::addRow("%s, %s", section, qPrintable(files.front()))
            << QString(section) << files << QString(pattern) << places;
    };
    row("A family of models", {"core/model/family_NAME.cpp"}, "^FamilyDescription (\\w+)\\(\\)",
        {"core/model/families.cpp"});
    row("An optimiser", {"core/optimizers/NAME.cpp"}, "^OptimizerDescription (\\w+)\\(\\)",
        {"core/optimizers/optimizers.cpp"});
    row("A figure",
        {"widgets/figures/memory/NAME_figure.cpp", "widgets/figures/analysis/NAME.cpp",
         "widgets/figures/curvature/NAME.cpp", "widgets/figures/plan/NAME.cpp"},
        "^constinit const FigureKind (\\w+)\\b",
        {"widgets/figures/page/figure_kind.h", "widgets/figures/page/figure.cpp"});
    row("A reader of result files", {"core/import/NAME_reader.cpp"}, "^(?:RunList|Result<RunList>) (read\\w+)\\(",
        {"core/import/readers.h", "core/import/read_any.cpp"});
    row("A reader of result files", {"core/import/read_any.h"}, "^    ([A-Z]\\w+),(?: *//.*)?$",
        {"core/import/sniffer.cpp"});
    row("A reader of result files", {"core/import/read_any.cpp"}, "^    \\{\"([\\w-]+)\", \"",
        {"tests/fuzz/CMakeLists.txt"});
    row("A key of an experiment", {"docs/experiment.md"}, "^\\| `([\\w.]+)` \\|", {"core/experiment/schema_rows.cpp"});
    row("A curvature quantity", {"core/experiment/curvature_quantity.h"}, "case CurvatureQuantity::(\\w+):",
        {"core/planning/curvature/curvature_planner.cpp", "core/planning/recommend/roofline.cpp",
         "core/planning/recommend/recommender_changes.cpp", "core/planning/curvature/closed_forms_curvature.cpp",
         "core/engine/curvature/curvature_experiment.cpp", "app/form/curvature_fields.cpp"});
    row("A workspace", {"app/NAME/NAME_workspace.h"}, "^class (\\w+Workspace)\\b.*:", {"app/window/workspaces.cpp"});
}

void TestDocuments::everyOneIsRegistered()
{
    QFETCH(QString, section);
    QFETCH(QStringList, files);
    QFETCH(QString, pattern);
    QFETCH(QStringList, places);
    const QString page = readText(QStringLiteral("CONTRIBUTING.md"));
    const QString said =
        page.section(QStringLiteral("### ") + section + u'\n', 1, 1).section(QStringLiteral("\n##"), 0, 0);
    QString sources;
    for (const QString& file : files) {
        for (const QString& found : filesLike(file))
            sources += readText(found);
    }
    const QStringList names = captures(sources, pattern.toLatin1());
    QVERIFY(names.size() > 3);
    for (const QString& place : places) {
        QVERIFY2(said.contains(u'`' + place + u'`'), qPrintable(section + QStringLiteral(" leaves out ") + place));
        QString text = readText(place);
        if (place == places.back()) // a declaration registers nothing
            text.remove(QRegularExpression(pattern, QRegularExpression::MultilineOption));
        for (const QString& name : names) {
            const QRegularExpression word(
                QStringLiteral("(?<![\\w-])%1(?![\\w-])").arg(QRegularExpression::escape(name)));
            QVERIFY2(text.contains(word), qPrintable(place + QStringLiteral(" lacks ") + name));
        }
    }
}

PEAKSCOPE_GUILESS_TEST(TestDocuments)
#include "test_documents.moc"
