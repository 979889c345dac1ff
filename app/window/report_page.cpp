// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/report_page.h"

#include "app/library/library_panel.h"
#include "app/panels/doctor_cases.h"
#include "app/panels/snapshot_words.h"
#include "app/shell/inspector_content.h"
#include "core/import/convert.h"
#include "core/import/read_any.h"
#include "core/results/memory_timeline.h"
#include "core/results/tables.h"
#include "core/results/run_instant.h"
#include "core/snapshots/snapshot_instant.h"
#include "widgets/look/component_palette.h"
#include "widgets/tables/table_model.h"
#include "widgets/text/bytes_text.h"
#include "widgets/timeline/timeline_span.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QResource>

#include <algorithm>

static void initReport()
{
    Q_INIT_RESOURCE(peakscope_report);
}

namespace peakscope {

namespace {

// A browser draws as many samples of a timeline at once; runs with fewer events are there whole.
constexpr int kMostSamples = 12000;
constexpr qsizetype kLongFact = 60;     // characters; longer ones have a line of their own
constexpr std::size_t kMostAdvised = 4; // results of a page that get advice, which takes seconds each

struct ReportText {
    Q_DECLARE_TR_FUNCTIONS(peakscope::ReportText)
};

QString escaped(const QString& text)
{
    return text.toHtmlEscaped();
}

QString resourceText(const char* name)
{
    initReport();
    return QString::fromUtf8(QResource(QStringLiteral(":/report/") + QLatin1String(name)).uncompressedData());
}

// Of a row without a value the explanation is what there is to read: a note, a path, a command.
QString factsHtml(const InspectorContent& content)
{
    QString html;
    for (const InspectorContent::Section& section : content.sections) {
        if (section.rows.empty())
            continue;
        html += QStringLiteral("<h3>%1</h3><div class=\"facts\">").arg(escaped(section.title));
        for (const InspectorContent::Row& row : section.rows) {
            const QString value = row.value.isEmpty() ? row.explanation : row.value;
            const bool isLong = row.value.isEmpty() || value.size() > kLongFact;
            html += QStringLiteral("<div%1 title=\"%2\"><span>%3</span><b>%4</b></div>")
                        .arg(isLong ? QStringLiteral(" class=\"long\"") : QString(), escaped(row.explanation),
                             escaped(row.label), escaped(value));
        }
        html += QStringLiteral("</div>");
    }
    return html;
}

// What the window shows first: the training steps, or everything.
QJsonArray firstRange(const MemoryTimeline& timeline, const MemorySection& memory)
{
    const TimeSpan steps = stepsSpan({{&memory.phases, &timeline}}, {timeline.startSeconds(), timeline.endSeconds()});
    return {steps.begin, steps.end};
}

// Times, totals and every component that is ever there, sample by sample.
QJsonObject timelineData(const MemoryTimeline& timeline, const MemorySection& memory)
{
    const TimelineData& events = memory.timeline;
    std::vector<MemoryTimeline::Column> samples;
    if (timeline.size() <= kMostSamples) {
        for (const double time : events.timeSeconds) {
            if (samples.empty() || time > samples.back().timeSeconds)
                samples.push_back({time, 0, timeline.totalAt(time), timeline.at(time)});
        }
    } else {
        samples = timeline.sample(timeline.startSeconds(), timeline.endSeconds(), kMostSamples);
    }
    QJsonArray times, totals, components;
    std::size_t peak = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        times.append(samples[i].timeSeconds);
        totals.append(double(samples[i].totalBytes));
        if (samples[i].totalBytes > samples[peak].totalBytes)
            peak = i;
    }
    for (const Component component : componentStackOrder()) {
        const auto index = static_cast<std::size_t>(component);
        if (std::none_of(samples.begin(), samples.end(),
                         [index](const MemoryTimeline::Column& column) { return column.components[index] > 0; }))
            continue;
        QJsonArray bytes;
        for (const MemoryTimeline::Column& column : samples)
            bytes.append(double(column.components[index]));
        components.append(QJsonObject{{QStringLiteral("title"), componentTitle(component)},
                                      {QStringLiteral("colour"), componentColor(component).name()},
                                      {QStringLiteral("bytes"), bytes}});
    }
    return {{QStringLiteral("time"), times},
            {QStringLiteral("total"), totals},
            {QStringLiteral("components"), components},
            {QStringLiteral("end"), timeline.endSeconds()},
            {QStringLiteral("first"), firstRange(timeline, memory)},
            {QStringLiteral("peak"), double(peak)},
            {QStringLiteral("words"), QJsonObject{{QStringLiteral("peak"), ReportText::tr("At the peak,")},
                                                  {QStringLiteral("at"), ReportText::tr("At")}}}};
}

QString timelineHtml(const RunResult& result)
{
    const MemoryTimeline timeline(result.memory ? result.memory->timeline : TimelineData());
    if (timeline.size() < 2)
        return {};
    const QJsonObject data = timelineData(timeline, *result.memory);
    QString legend;
    for (const QJsonValue& component : data[QStringLiteral("components")].toArray()) {
        legend += QStringLiteral("<span><i style=\"background:%1\"></i>%2<b></b></span>")
                      .arg(component[QStringLiteral("colour")].toString(),
                           escaped(component[QStringLiteral("title")].toString()));
    }
    QString json = QString::fromUtf8(QJsonDocument(data).toJson(QJsonDocument::Compact));
    json.replace(QLatin1String("</"), QLatin1String("<\\/")); // ends the element otherwise
    return QStringLiteral(
               "<h3>%1</h3><div class=\"timeline\"><canvas tabindex=\"0\" role=\"img\" aria-label=\"%1\"></canvas>"
               "<div class=\"legend\"><span class=\"when\"></span>%2</div>"
               "<div class=\"hint\">%3</div><script type=\"application/json\">%4</script></div>")
        .arg(escaped(ReportText::tr("Memory over time")), legend,
             escaped(ReportText::tr("Wheel: zoom at the pointer. Drag: move. Double click or Home: everything.")),
             json);
}

QString tableHtml(Table table, QString title = {})
{
    if (table.rows.empty())
        return {};
    if (title.isEmpty())
        title = QString::fromStdString(table.title).replace(u'_', u' ');
    TableModel model;
    model.setTable(std::move(table));
    const auto isNumber = [&model](int column) {
        for (int row = 0; row < model.rowCount(); ++row) {
            const QVariant value = model.index(row, column).data(TableModel::SortRole);
            if (value.isValid() && !value.toString().isEmpty())
                return value.typeId() != QMetaType::QString;
        }
        return false;
    };
    QString html = QStringLiteral("<h3>%1</h3><div class=\"scroll\"><table><thead><tr>")
                       .arg(escaped(title.left(1).toUpper() + title.mid(1)));
    std::vector<bool> numbers;
    for (int column = 0; column < model.columnCount(); ++column) {
        numbers.push_back(isNumber(column));
        html += QStringLiteral("<th%1>%2</th>")
                    .arg(numbers.back() ? QStringLiteral(" class=\"n\"") : QString(),
                         escaped(model.headerData(column, Qt::Horizontal).toString()));
    }
    html += QStringLiteral("</tr></thead><tbody>");
    for (int row = 0; row < model.rowCount(); ++row) {
        html += QStringLiteral("<tr>");
        for (int column = 0; column < model.columnCount(); ++column) {
            const QModelIndex cell = model.index(row, column);
            const QString text = escaped(cell.data().toString());
            html += numbers[std::size_t(column)] ? QStringLiteral("<td class=\"n\" data-v=\"%1\">%2</td>")
                                                       .arg(escaped(cell.data(TableModel::SortRole).toString()), text)
                                                 : QStringLiteral("<td>%1</td>").arg(text);
        }
        html += QStringLiteral("</tr>");
    }
    return html + QStringLiteral("</tbody></table></div>");
}

QString tablesHtml(const RunResult& result)
{
    QString html;
    for (Table table :
         {memoryComponentsTable(result), modulesTable(result), operatorsTable(result), ranksTable(result)})
        html += tableHtml(std::move(table));
    if (auto findings = findingsTables(result)) {
        for (Table& table : *findings)
            html += tableHtml(std::move(table));
    }
    return html;
}

// How it ended and what its peak was; of an end for lack of memory why.
QString verdictHtml(const RunResult& result, const InspectorContent& facts, const QString& file)
{
    QString peak;
    if (result.recording)
        peak = snapshotSentence(*result.recording);
    else if (result.memory && importedFormat(result))
        peak = ReportText::tr("Peak of %1").arg(bytesText(result.memory->peakBytes));
    else if (result.memory)
        peak = peakSentence(result);
    QString html = QStringLiteral("<p class=\"verdict\"><b>%1</b> %2</p>")
                       .arg(escaped(stateTitle(result, runState(result, file))), escaped(peak));
    if (!facts.definition.isEmpty() && !result.recording) // of a snapshot the sentence has it
        html += QStringLiteral("<p>%1</p>").arg(escaped(facts.definition));
    return html;
}

// Who holds the memory at the peak, by line of the program; empty where blocks have no lines.
Table linesTable(const RunResult& result)
{
    constexpr RunHolderKey kLine = RunHolderKey::Line;
    if (result.recording && result.recording->replay.hasPeak()) {
        const SnapshotRecording& recording = *result.recording;
        const std::int64_t peak = recording.replay.peak(SnapshotMeasure::Requested).event;
        const auto holders = snapshotHolders(*recording.snapshot, recording.replay, peak, HolderKey::Line);
        const bool known = std::any_of(holders.begin(), holders.end(),
                                       [](const SnapshotHolder& holder) { return holder.stack != kNoStack; });
        return known ? snapshotHoldersTable(holders) : Table();
    }
    if (!result.memory || result.memory->owners.empty() || result.memory->owners.lines.empty())
        return {};
    return runHoldersTable(runHolders(*result.memory, runPeak(*result.memory), kLine), kLine);
}

// A row of the doctor's table as a sentence: what to do, what that saves, and what is left.
QString remedySentence(const TableModel& remedies, int row)
{
    QString change, verdict, tier, left;
    std::optional<std::int64_t> saves;
    bool reserved = false;
    for (int column = 0; column < remedies.columnCount(); ++column) {
        const std::string& name = remedies.table().columns[std::size_t(column)].name;
        const QString text = remedies.index(row, column).data().toString();
        const TableCell& cell = remedies.table().rows[std::size_t(row)][std::size_t(column)];
        const auto* bytes = std::get_if<std::int64_t>(&cell);
        if (name == "how" || (name == "change" && change.isEmpty()))
            change = text;
        else if (name == "verdict")
            verdict = text;
        else if (name == "tier")
            tier = text;
        else if (name == "saves_bytes" && bytes)
            saves = *bytes;
        else if (name.ends_with("_bytes") && bytes) {
            left = text;
            reserved = name == "reserved_bytes";
        }
    }
    if (!tier.isEmpty())
        verdict = ReportText::tr("%1, %2", "verdict, what it does to training").arg(verdict, tier);
    if (!saves)
        return ReportText::tr("%1 (%2).", "what to do, verdict").arg(change, verdict);
    if (left.isEmpty())
        return ReportText::tr("%1: saves %2 (%3).", "what to do, bytes, verdict")
            .arg(change, bytesText(*saves), verdict);
    return (reserved ? ReportText::tr("%1: saves %2; %3 are then reserved (%4).", "what to do, bytes, bytes, verdict")
                     : ReportText::tr("%1: saves %2; the predicted peak is then %3 (%4).",
                                      "what to do, bytes, bytes, verdict"))
        .arg(change, bytesText(*saves), left, verdict);
}

// What the window's doctor answers.
QString adviceHtml(const std::shared_ptr<const RunResult>& result)
{
    const auto doctor = result->recording ? doctorCase(result->recording) : doctorCase(result);
    if (!doctor)
        return {};
    DoctorAnswer answer = doctor->ask({});
    if (!answer.fault.empty() || (answer.remedies.rows.empty() && !doctor->opens))
        return {};
    QString items;
    TableModel remedies;
    remedies.setTable(std::move(answer.remedies));
    for (int row = 0; row < remedies.rowCount(); ++row)
        items += QStringLiteral("<li>%1</li>").arg(escaped(remedySentence(remedies, row)));
    if (items.isEmpty())
        items = QStringLiteral("<li>%1</li>").arg(escaped(doctor->nothing.say()));
    return QStringLiteral("<h3>%1</h3><p>%2</p><ul>%3</ul>")
        .arg(escaped(ReportText::tr("Advice")), escaped(doctor->sentence.say()), items);
}

// Ids within a drawing are those of the page: each drawing's get its number, so that none takes another's.
QString svgWithOwnIds(QString svg, int number)
{
    svg.remove(0, std::max<qsizetype>(svg.indexOf(QLatin1String("<svg")), 0)); // what XML wants before it
    static const QRegularExpression id(QStringLiteral("(\\bid=\"|url\\(#|href=\"#)"));
    return svg.replace(id, QStringLiteral("\\1f%1-").arg(number));
}

QString figuresHtml(const std::vector<SourcedResult>& sources)
{
    QString html;
    int number = 0;
    for (const FigureOfFile& each : chooseAllFigures(sources).files) {
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        if (!checkFigure(each.figure, each.results) ||
            !writeFigure(buffer, each.figure, each.results, *figurePreset("screen"), FigureFormat::Svg))
            continue;
        html += QStringLiteral("<figure>%1<figcaption>%2</figcaption></figure>")
                    .arg(svgWithOwnIds(QString::fromUtf8(buffer.data()), ++number), escaped(figureTitle(each.figure)));
    }
    return html;
}

} // namespace

QByteArray reportPage(const std::vector<SourcedResult>& sources)
{
    QStringList titles;
    QString contents, runs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const RunResult& result = *sources[i].result;
        const InspectorContent facts = inspectRun(result, QFileInfo(sources[i].file).fileName());
        titles << facts.title;
        contents += QStringLiteral("<a href=\"#run%1\">%2</a>").arg(QString::number(i + 1), escaped(facts.title));
        runs += QStringLiteral("<section id=\"run%1\">").arg(i + 1) +
                (sources.size() > 1 ? QStringLiteral("<h2>%1</h2>").arg(escaped(facts.title)) : QString()) +
                verdictHtml(result, facts, sources[i].file) + timelineHtml(result) +
                (i < kMostAdvised ? adviceHtml(sources[i].result) : QString()) +
                tableHtml(linesTable(result), ReportText::tr("By line, at the peak")) + factsHtml(facts) +
                tablesHtml(result) + QStringLiteral("</section>");
    }
    const QString figures = figuresHtml(sources);
    if (!figures.isEmpty())
        contents += QStringLiteral("<a href=\"#figures\">%1</a>").arg(escaped(ReportText::tr("Figures")));
    titles.removeDuplicates();
    const QString title = titles.size() == 1 ? titles.first() : ReportText::tr("%1 results").arg(sources.size());
    QString page = QStringLiteral("<!DOCTYPE html>\n<html lang=\"%1\"><head><meta charset=\"utf-8\">"
                                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                                  "<title>%2 – Peakscope</title><style>%3</style></head><body><main>"
                                  "<header><h1>%2</h1><button id=\"theme\">%4</button></header><nav>%5</nav>")
                       .arg(ReportText::tr("en", "the language of this text"), escaped(title),
                            resourceText("report.css"), escaped(ReportText::tr("Light or dark")), contents);
    page += runs;
    if (!figures.isEmpty())
        page += QStringLiteral("<section id=\"figures\"><h2>%1</h2>%2</section>")
                    .arg(escaped(ReportText::tr("Figures")), figures);
    page += QStringLiteral("<footer>Peakscope " PEAKSCOPE_VERSION "</footer></main><script>") +
            resourceText("report.js") + QStringLiteral("</script></body></html>\n");
    return page.toUtf8();
}

} // namespace peakscope
