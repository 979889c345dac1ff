// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/command_line.h"

#include "app/shell/workspace.h"
#include "core/base/output_path.h"

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace peakscope {

namespace {

CommandLine unusable(const QString& error)
{
    CommandLine line;
    line.mode = CommandLine::Mode::Unusable;
    line.error = error;
    return line;
}

bool readSize(const QString& text, QSize& size)
{
    constexpr int kSmallest = 320;
    constexpr int kLargest = 8192;
    const QStringList parts = text.toLower().split(u'x');
    bool widthOk = false;
    bool heightOk = false;
    if (parts.size() != 2)
        return false;
    size = QSize(parts[0].toInt(&widthOk), parts[1].toInt(&heightOk));
    return widthOk && heightOk && size.width() >= kSmallest && size.height() >= kSmallest && size.width() <= kLargest &&
           size.height() <= kLargest;
}

// Reads options with values, and those of `flags` without, until the arguments end; returns the first mistake, or
// nothing.
QString readOptions(const QStringList& arguments, const std::map<QString, std::function<void(QString)>>& options,
                    QStringList& files, const std::map<QString, bool*>& flags = {})
{
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        QString word = arguments[i];
        if (word == QLatin1String("--")) {
            files += arguments.mid(i + 1);
            return {};
        }
        if (!word.startsWith(u'-') || word.size() == 1) {
            files << word;
            continue;
        }
        if (const auto flag = flags.find(word); flag != flags.end()) {
            *flag->second = true;
            continue;
        }
        QString value;
        const qsizetype equals = word.indexOf(u'=');
        const bool joined = equals > 0;
        if (joined) {
            value = word.mid(equals + 1);
            word.truncate(equals);
        }
        const auto option = options.find(word);
        if (option == options.end())
            return QStringLiteral("unknown option %1; see peakscope --help").arg(word);
        if (!joined) {
            if (i + 1 >= arguments.size())
                return QStringLiteral("%1 needs a value; see peakscope --help").arg(word);
            value = arguments[++i];
        }
        option->second(value);
    }
    return {};
}

// "180mm", "18 cm", "7in", "510pt" in millimetres; nothing for anything else.
std::optional<double> readHeight(const QString& text)
{
    static const std::pair<QLatin1String, double> kUnits[] = {{QLatin1String("mm"), 1},
                                                              {QLatin1String("cm"), 10},
                                                              {QLatin1String("in"), 25.4},
                                                              {QLatin1String("pt"), 25.4 / 72}};
    constexpr double kLeastMm = 10, kMostMm = 5000;
    for (const auto& [unit, millimetres] : kUnits) {
        if (!text.endsWith(unit, Qt::CaseInsensitive))
            continue;
        bool isNumber = false;
        const double height = text.chopped(unit.size()).trimmed().toDouble(&isNumber) * millimetres;
        if (isNumber && height >= kLeastMm && height <= kMostMm)
            return height;
    }
    return std::nullopt;
}

// "all", "1.5:2", "1.5:" or ":2"; nothing for anything else.
std::optional<std::pair<double, double>> readRange(const QString& text)
{
    constexpr double kEnd = std::numeric_limits<double>::infinity();
    if (text == QLatin1String("all"))
        return std::pair(0.0, kEnd);
    const auto number = [](const QString& word, double otherwise, bool& isNumber) {
        return word.isEmpty() ? otherwise : word.toDouble(&isNumber);
    };
    bool isNumber = text.count(u':') == 1 && text.size() > 1;
    if (!isNumber)
        return std::nullopt;
    const double begin = number(text.section(u':', 0, 0), 0, isNumber);
    const double end = isNumber ? number(text.section(u':', 1, 1), kEnd, isNumber) : 0;
    return isNumber && begin >= 0 && begin < end ? std::optional(std::pair(begin, end)) : std::nullopt;
}

// The languages of "en" or "en,zh"; empty where one is unknown or comes twice.
QStringList readLanguages(const QString& text)
{
    QStringList languages;
    for (const QString& word : text.split(u',')) {
        const QString language = word.trimmed();
        const bool known = language == QLatin1String("en") || language == QLatin1String("zh");
        if (!known || languages.contains(language))
            return {};
        languages << language;
    }
    return languages;
}

// What only some figures can be asked for; returns the mistake, or nothing.
QString checkChoices(const CommandLine& line)
{
    if (line.captions && line.figure.startsWith(QLatin1String("board:")))
        return QStringLiteral("--caption is for figures, not for a board");
    if (line.captions && isStream(line.out.toStdString()))
        return QStringLiteral("--caption writes beside the figure's file, and --out names none");
    if (line.panels.isEmpty())
        return {};
    if (line.figure == QLatin1String("all"))
        return QStringLiteral("--panels is for one figure, and --figure all draws several");
    if (line.figure.startsWith(QLatin1String("board:")))
        return QStringLiteral("--panels is for one figure, not for a board");
    return {};
}

CommandLine parseExport(const QStringList& arguments)
{
    CommandLine line;
    const QStringList words = arguments.mid(0, arguments.indexOf(QStringLiteral("--")));
    if (words.contains(QLatin1String("--help")) || words.contains(QLatin1String("-h"))) {
        line.mode = CommandLine::Mode::Help;
        line.help = exportHelpText();
        return line;
    }
    line.mode = CommandLine::Mode::Export;
    QString columns, height, range;
    const auto out = [&line](const QString& value) {
        line.out = QString::fromStdString(outputPath(value.toStdString()));
    };
    const std::map<QString, std::function<void(QString)>> options = {
        {QStringLiteral("--figure"), [&line](const QString& value) { line.figure = value; }},
        {QStringLiteral("--out"), out},
        {QStringLiteral("-o"), out},
        {QStringLiteral("--preset"), [&line](const QString& value) { line.preset = value; }},
        {QStringLiteral("--columns"), [&columns](const QString& value) { columns = value; }},
        {QStringLiteral("--format"), [&line](const QString& value) { line.format = value.toLower(); }},
        {QStringLiteral("--panels"), [&line](const QString& value) { line.panels = value; }},
        {QStringLiteral("--at"), [&line](const QString& value) { line.at = value; }},
        {QStringLiteral("--range"), [&range](const QString& value) { range = value; }},
        {QStringLiteral("--max-height"), [&height](const QString& value) { height = value; }},
        {QStringLiteral("--language"), [&line](const QString& value) { line.language = value; }},
    };
    const QString mistake =
        readOptions(arguments, options, line.files, {{QStringLiteral("--caption"), &line.captions}});
    if (!mistake.isEmpty())
        return unusable(mistake);
    if (line.files.isEmpty())
        return unusable(QStringLiteral("export needs a result file: peakscope export FILE --figure NAME --out PATH"));
    if (line.figure.isEmpty())
        return unusable(QStringLiteral("export needs --figure NAME or --figure all; see peakscope export --help"));
    if (line.out.isEmpty())
        return unusable(QStringLiteral("export needs --out PATH: a file, or a folder for several figures"));
    bool isNumber = true;
    line.columns = columns.isEmpty() ? 0 : columns.toInt(&isNumber);
    if (!isNumber || line.columns < 0 || line.columns > 6)
        return unusable(QStringLiteral("--columns %1 is not a number from 0 (as many as fit) to 6").arg(columns));
    if (line.columns > 0 && !line.figure.startsWith(QLatin1String("board:")))
        return unusable(QStringLiteral("--columns is for a board: --figure board:NAME,NAME"));
    const QStringList formats{QString(), QStringLiteral("pdf"), QStringLiteral("svg"), QStringLiteral("png")};
    if (!formats.contains(line.format))
        return unusable(QStringLiteral("--format %1 is not one of pdf, svg, png").arg(line.format));
    if (!line.language.isEmpty()) {
        line.languages = readLanguages(line.language);
        if (line.languages.isEmpty())
            return unusable(QStringLiteral("--language %1 is not one of en, zh, or both: en,zh").arg(line.language));
        line.language = line.languages.first();
    }
    if (!range.isEmpty()) {
        line.range = readRange(range);
        if (!line.range)
            return unusable(QStringLiteral("--range %1 is not all, or a part such as 1.5:2 or 1.5:").arg(range));
    }
    if (!height.isEmpty()) {
        const std::optional<double> millimetres = readHeight(height);
        if (!millimetres)
            return unusable(
                QStringLiteral("--max-height %1 is not a height such as 180mm, 18cm, 7in or 510pt").arg(height));
        line.maxHeightMm = *millimetres;
    }
    if (const QString choice = checkChoices(line); !choice.isEmpty())
        return unusable(choice);
    return line;
}

CommandLine parseReport(const QStringList& arguments)
{
    CommandLine line;
    if (arguments.contains(QLatin1String("--help")) || arguments.contains(QLatin1String("-h"))) {
        line.mode = CommandLine::Mode::Help;
        line.help = reportHelpText();
        return line;
    }
    line.mode = CommandLine::Mode::Report;
    const auto out = [&line](const QString& value) {
        line.out = QString::fromStdString(outputPath(value.toStdString()));
    };
    const std::map<QString, std::function<void(QString)>> options = {
        {QStringLiteral("--out"), out},
        {QStringLiteral("-o"), out},
        {QStringLiteral("--language"), [&line](const QString& value) { line.language = value; }},
    };
    const QString mistake = readOptions(arguments, options, line.files);
    if (!mistake.isEmpty())
        return unusable(mistake);
    if (line.files.isEmpty() || line.out.isEmpty())
        return unusable(QStringLiteral("report needs results and a file: peakscope report RESULT… --out report.html"));
    if (!line.language.isEmpty() && readLanguages(line.language).size() != 1)
        return unusable(QStringLiteral("--language %1 is not one of en, zh").arg(line.language));
    return line;
}

QStringList pages()
{
    QStringList names{QStringLiteral("start")};
    for (const WorkspaceKind& kind : workspaceKinds())
        names << QString::fromLatin1(kind.id);
    return names;
}

CommandLine parseScreenshot(CommandLine line)
{
    line.mode = CommandLine::Mode::Screenshot;
    if (!line.page.isEmpty() && !pages().contains(line.page))
        return unusable(
            QStringLiteral("--page %1 is not one of %2").arg(line.page, pages().join(QStringLiteral(", "))));
    return line;
}

} // namespace

CommandLine parseCommandLine(const QStringList& arguments)
{
    if (!arguments.isEmpty() && arguments.first() == QLatin1String("export"))
        return parseExport(arguments.mid(1));
    if (!arguments.isEmpty() && arguments.first() == QLatin1String("report"))
        return parseReport(arguments.mid(1));
    CommandLine line;
    QStringList rest;
    for (const QString& word : arguments) {
        if (word == QLatin1String("--help") || word == QLatin1String("-h")) {
            line.mode = CommandLine::Mode::Help;
            line.help = helpText();
            return line;
        }
        if (word == QLatin1String("--version") || word == QLatin1String("-v")) {
            line.mode = CommandLine::Mode::Version;
            return line;
        }
        if (word == QLatin1String("--check")) { // of peakscope-cli check-install
            line.mode = CommandLine::Mode::Check;
            return line;
        }
        if (word == QLatin1String("--compare"))
            line.compare = true;
        else if (word == QLatin1String("--no-session"))
            line.session = false;
        else if (word == QLatin1String("--demo"))
            line.demo = true;
        else
            rest << word;
    }
    QString size;
    QString screenshot;
    const std::map<QString, std::function<void(QString)>> options = {
        {QStringLiteral("--screenshot"), [&screenshot](const QString& value) { screenshot = value; }},
        {QStringLiteral("--size"), [&size](const QString& value) { size = value; }},
        {QStringLiteral("--page"), [&line](const QString& value) { line.page = value; }},
        {QStringLiteral("--theme"), [&line](const QString& value) { line.theme = value; }},
        {QStringLiteral("--language"), [&line](const QString& value) { line.language = value; }},
    };
    const QString mistake = readOptions(rest, options, line.files);
    if (!mistake.isEmpty())
        return unusable(mistake);
    if (!size.isEmpty() && !readSize(size, line.size))
        return unusable(QStringLiteral("--size %1 is not WIDTHxHEIGHT in pixels, 320 to 8192").arg(size));
    if (!line.theme.isEmpty() && line.theme != QLatin1String("light") && line.theme != QLatin1String("dark"))
        return unusable(QStringLiteral("--theme %1 is not one of light, dark").arg(line.theme));
    if (!line.language.isEmpty() && readLanguages(line.language).size() != 1)
        return unusable(QStringLiteral("--language %1 is not one of en, zh").arg(line.language));
    // One file may be a folder, or hold several results.
    if (line.compare && line.files.isEmpty())
        return unusable(QStringLiteral("--compare needs results: peakscope --compare A B, or a folder of results"));
    if (screenshot.isEmpty())
        return line;
    line.out = QString::fromStdString(outputPath(screenshot.toStdString()));
    return parseScreenshot(std::move(line));
}

QString helpText()
{
    return QStringLiteral(
               "peakscope [FILES…]                     open the window, with results if given\n"
               "peakscope --compare A B…               open the window with these runs side by side\n"
               "peakscope --demo                       open the window and run the demo\n"
               "peakscope --no-session [FILES…]        do not restore or keep the session\n"
               "peakscope [--theme light|dark] [--language en|zh] [FILES…]\n"
               "                                       open the window so, and leave the settings as they are\n"
               "peakscope export FILE… --figure NAME|all --out PATH [--preset NAME]\n"
               "                 [--panels a,c] [--range A:B] [--at peak] [--max-height 180mm]\n"
               "                 [--format pdf|svg|png] [--caption]\n"
               "                 [--language en|zh|en,zh]\n"
               "                                       draw figures without a display; see peakscope export --help\n"
               "peakscope export FILE… --figure board:NAME[@RUNS],… --out PATH [--columns N] …\n"
               "                                       several figures on one page as (a), (b), (c);\n"
               "                                       RUNS: numbers of the results, such as 1 or 1+3; all without\n"
               "peakscope report RESULT… --out report.html [--language en|zh]\n"
               "                                       write one page for a browser, without a display\n"
               "peakscope --screenshot OUT.png [--size WxH] [--theme light|dark] [--language en|zh]\n"
               "                 [--page %1] [--compare] [FILES…]\n"
               "                                       picture of the window, without a display\n"
               "peakscope --help | --version\n"
               "\n"
               "Runs are made by peakscope-cli, found beside this program, on the path, or at $PEAKSCOPE_CLI.\n"
               "Exit status: 0 done, 1 failed, 2 unusable arguments or input.\n")
        .arg(pages().join(u'|'));
}

QString reportHelpText()
{
    return QStringLiteral(
        "peakscope report RESULT… --out report.html [--language en|zh]\n"
        "\n"
        "Writes one page for a browser: facts, a timeline that zooms under the pointer, figures, and tables that\n"
        "sort. The page needs no network and no other file. It prints well.\n"
        "\n"
        "--out FILE           the page, or - for standard output\n"
        "--language LANGUAGE  en or zh (default: en)\n"
        "--help               this text\n"
        "\n"
        "Exit status: 0 done, 1 failed, 2 unusable arguments or input.\n");
}

QString exportHelpText()
{
    return QStringLiteral(
        "peakscope export FILE… --figure NAME|all|board:NAME[@RUNS],… --out PATH [options]\n"
        "\n"
        "Draws figures of results without a display, for papers, slides and screens.\n"
        "\n"
        "--figure NAME        one of those below, or all. With all, results that lack a figure are named.\n"
        "                     Figures of single runs make one file for each point of a sweep\n"
        "--figure board:…     several figures on one page; RUNS: numbers of the results, such as 1 or 1+3\n"
        "--out PATH           a file, a folder for several figures, or - for standard output\n"
        "--preset NAME        width and type: screen, icml-column, icml-page, neurips-text, ieee-column,\n"
        "                     ieee-page or slide\n"
        "--panels LETTERS     only these panels (a), (b), … of the figure, such as a,c or b-d\n"
        "--range all|A:B      of timelines: all, or from second A to B; of snapshots, events. Without it the steps\n"
        "                     are drawn where they take less than half of the time\n"
        "--at INSTANT         of CUDA memory snapshots: peak, end, oom, event:N or step:N\n"
        "--max-height HEIGHT  of a page, such as 180mm, 18cm, 7in or 510pt (default: the preset's, 648pt for papers).\n"
        "                     Panels get more columns or less height. The rest goes to further pages of a PDF;\n"
        "                     PNG and SVG name the panels that are left out\n"
        "--columns N          of a board; 0: as many as fit\n"
        "--format FORMAT      pdf, svg or png; else by the name of the file\n"
        "--caption            title, panels and the text at the figure's head go into NAME.caption.txt beside it,\n"
        "                     in English and Chinese, and the text out of the figure\n"
        "--language LANGUAGE  en, zh, or en,zh: a file in each, NAME-en and NAME-zh\n"
        "--help               this text\n"
        "\n"
        "Figures:\n"
        "  memory       memory_timeline, memory_breakdown_comparison, performance_tradeoff,\n"
        "               memory_analysis_overview, detailed_memory_analysis, operation_level_breakdown\n"
        "  sweeps       memory_heatmap, memory_trends, memory_analysis_overview\n"
        "  ranks        memory_ranks, collectives\n"
        "  experts      expert_loads\n"
        "  snapshots    memory_treemap, memory_flame_graph, segment_map; of two: memory_difference\n"
        "  curvature    hessian_spectrum, hessian_histogram; of an estimate: hessian_memory\n"
        "  parameters   umap_visualization, parameter_clustering, prm_phase_diagram, noise_response_curves,\n"
        "               statistical_summary\n"
        "  plans        strategy_table, capacity_map\n"
        "\n"
        "Exit status: 0 done, 1 failed, 2 unusable arguments or input.\n");
}

} // namespace peakscope
