// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/program_runs.h"

#include "app/jobs/job_queue.h"
#include "app/jobs/job_words.h"
#include "app/parts/background_thread.h"
#include "core/base/json/json_access.h"
#include "core/model/dry_device.h"
#include "core/results/dry_result.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <numeric>

namespace peakscope {

namespace {

// What a result says of a card.
struct CardOutcome {
    QString card; // its id
    ProgramRow::State state = ProgramRow::State::Done;
    std::int64_t allocatedBytes = 0, reservedBytes = 0, communicatorBytes = 0;
    std::int64_t ranksRun = 1;
    std::optional<std::int64_t> fullest;
    QString largest, command, further;
    QStringList remarks;
};

QString text(const nlohmann::json& value)
{
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

QString cardOf(const nlohmann::json& object)
{
    return text(lenient::member(object, "device")).section(u':', 1, 1); // "dry:CARD"
}

CardOutcome outcomeOf(const RunResult& result)
{
    const nlohmann::json& allocator = lenient::object(result.other, "allocator");
    CardOutcome outcome;
    outcome.card = cardOf(result.config);
    outcome.allocatedBytes = lenient::integer(allocator, "peak_allocated_bytes");
    outcome.reservedBytes = lenient::integer(allocator, "peak_reserved_bytes");
    const nlohmann::json& program = lenient::object(result.config, "program");
    outcome.communicatorBytes = outsideBytes(result, "communicator_bytes");
    outcome.ranksRun = std::max<std::int64_t>(1, std::ssize(result.ranks));
    const auto peaks = [](const RankSection& rank) {
        return rank.memory ? std::pair(rank.memory->peakReservedBytes, rank.memory->peakBytes)
                           : std::pair<std::int64_t, std::int64_t>();
    };
    if (std::ranges::any_of(result.ranks,
                            [&](const RankSection& rank) { return peaks(rank) != peaks(result.ranks.front()); }))
        outcome.fullest = lenient::integer(program, "rank");
    const auto ranOut = [](const nlohmann::json& one) { return lenient::flag(one, "out_of_memory"); };
    if (ranOut(program) || std::ranges::any_of(result.ranks, [&](const RankSection& rank) {
            return ranOut(lenient::object(rank.other, "program"));
        }))
        outcome.state = ProgramRow::State::OutOfMemory;
    return outcome;
}

// Of a search: the point with the largest value that fits.
CardOutcome outcomeOf(const nlohmann::json& found)
{
    CardOutcome outcome;
    outcome.card = cardOf(found);
    const nlohmann::json& largest = lenient::member(found, "largest");
    if (!largest.is_object() || largest.empty()) {
        outcome.state = ProgramRow::State::NothingFits;
        return outcome;
    }
    outcome.command = text(lenient::member(found, "command"));
    outcome.further = QString::fromStdString(lenient::text(found, "further"));
    outcome.largest = QString::fromStdString(largest.begin().key()) + u' ' + text(largest.begin().value());
    for (const nlohmann::json& point : lenient::array(found, "points")) {
        if (lenient::member(point, "values") != largest)
            continue;
        outcome.allocatedBytes = lenient::integer(point, "allocated_bytes");
        outcome.reservedBytes = lenient::integer(point, "reserved_bytes");
        outcome.communicatorBytes = lenient::integer(point, "communicator_bytes");
    }
    for (const nlohmann::json& remark : lenient::array(found, "remarks")) {
        if (const QString said = text(remark); said.startsWith(outcome.largest + u' '))
            outcome.remarks << said;
    }
    return outcome;
}

std::vector<CardOutcome> outcomesIn(const QString& file)
{
    const auto result = loadRunResult(file.toStdString());
    if (!result)
        return {};
    if (!result->other.contains("fit"))
        return {outcomeOf(*result)};
    std::vector<CardOutcome> outcomes;
    for (const nlohmann::json& found : lenient::array(lenient::object(result->other, "fit"), "cards"))
        outcomes.push_back(outcomeOf(found));
    return outcomes;
}

// What the program said last, where the command says behind it what it recorded, or that it recorded nothing; else what
// went wrong.
QString lastWords(const JobEnd& end)
{
    const QStringList& lines = end.lastLines;
    const auto isOwn = [](const QString& line) {
        return line.startsWith(QLatin1String("dry on ")) || line.startsWith(QLatin1String("peakscope-cli: "));
    };
    const auto own = std::find_if(lines.cbegin(), lines.cend(), isOwn);
    const bool programSpoke = own != lines.cbegin() && !(own - 1)->startsWith(QLatin1String("peakscope: "));
    return programSpoke ? *(own - 1) : end.message;
}

// What a search says last of a card: "batch 4: 1.2 GiB reserved". Empty: it is of another.
QString saidOf(const CatalogueDevice& card, const QString& text)
{
    const QString on = QStringLiteral(", dry on %1: ").arg(QString::fromStdString(card.name));
    return text.contains(on) ? QString(text).replace(on, QStringLiteral(": ")) : QString();
}

} // namespace

Verdict ProgramRow::verdict() const
{
    return state == State::OutOfMemory || state == State::NothingFits
               ? Verdict::DoesNotFit
               : verdictFor(reservedBytes, card.contextBytes, card.usableBytes);
}

ProgramRuns::ProgramRuns(JobQueue& jobs, QObject* parent) : QObject(parent), m_jobs(jobs)
{
    connect(&m_jobs, &JobQueue::started, this, &ProgramRuns::takeOver);
    connect(&m_jobs, &JobQueue::changed, this, [this] {
        for (auto& [job, started] : m_started) {
            for (const std::size_t row : started.rows)
                m_rows[row].state = m_jobs.waits(job) ? ProgramRow::State::Waiting : ProgramRow::State::Running;
        }
        emit changed();
    });
    connect(&m_jobs, &JobQueue::heard, this, [this](int job, const Event& event) {
        const auto started = m_started.find(job);
        if (started == m_started.end())
            return;
        if (!started->second.since.isValid())
            started->second.since.start();
        if (const auto* progress = std::get_if<ProgressEvent>(&event))
            hear(started->second, *progress);
        else if (started->second.rows.size() == 1) // a search runs many
            keep(started->second.rows.front(), event);
    });
    connect(&m_jobs, &JobQueue::finished, this, [this](int job, const JobEnd& end) {
        if (const auto started = m_started.extract(job))
            onEnded(started.mapped(), end);
    });
}

ProgramRuns::~ProgramRuns() = default;

QStringList ProgramRuns::files() const
{
    QStringList files;
    for (const ProgramRow& row : m_rows) {
        if (!row.file.isEmpty() && !files.contains(row.file))
            files << row.file;
    }
    return files;
}

qsizetype ProgramSetUp::runs() const
{
    qsizetype ofCard = 0;
    for (const std::int64_t world : worlds)
        ofCard += world > 1 ? std::ssize(ranks) : 1;
    return ofCard * std::ssize(cards);
}

void ProgramRuns::start(const ProgramSetUp& setUp, const QString& results)
{
    Q_ASSERT(!running());
    m_setUp = setUp;
    m_results = results;
    m_stamp = QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    m_stopping = false;
    m_rows.clear();
    std::vector<Rows> jobs;
    for (const CatalogueDevice& card : setUp.cards) {
        for (const std::int64_t world : setUp.worlds) {
            m_rows.push_back({.card = card, .world = world});
            jobs.push_back({m_rows.size() - 1});
        }
    }
    if (!setUp.vary.isEmpty()) { // one process searches for all
        jobs.assign(1, Rows(m_rows.size()));
        std::iota(jobs.back().begin(), jobs.back().end(), std::size_t(0));
    }
    if (!m_reader)
        m_reader = std::make_unique<BackgroundThread>(this, QStringLiteral("dry results"));
    for (const Rows& rows : jobs) {
        const QString file = fileFor(rows);
        m_started[m_jobs.add(JobKind::Program, {wordsFor(rows, file), m_setUp.folder})] = {rows, file};
    }
    emit changed();
}

// One that an earlier window left, by its words.
void ProgramRuns::takeOver(int job)
{
    const auto jobs = m_jobs.jobs(JobKind::Program);
    const auto found = jobs.find(job);
    if (found == jobs.end() || m_started.contains(job))
        return;
    const QStringList options = found->second.words().mid(0, found->second.words().indexOf(QLatin1String("--")));
    const auto after = [&options](const char* option) {
        const qsizetype place = options.indexOf(QLatin1String(option));
        return place < 0 ? QString() : options.value(place + 1);
    };
    const bool first = !running();
    if (first) {
        m_rows.clear();
        m_stopping = false;
    }
    Rows rows;
    for (const QString& name : after("--device").split(u',')) {
        const auto device = dryDevice(name.toStdString());
        if (!device)
            continue;
        rows.push_back(m_rows.size());
        m_rows.push_back({.card = device->card,
                          .world = std::max<std::int64_t>(1, after("--world").toLongLong()),
                          .state = ProgramRow::State::Running});
    }
    if (rows.empty())
        return;
    if (!m_reader)
        m_reader = std::make_unique<BackgroundThread>(this, QStringLiteral("dry results"));
    m_started[job] = {rows, found->second.output()};
    emit changed();
    if (first)
        emit tookOver();
}

void ProgramRuns::clear()
{
    Q_ASSERT(!running());
    m_rows.clear();
    emit changed();
}

void ProgramRuns::stop()
{
    if (std::exchange(m_stopping, true))
        return;
    std::vector<int> jobs;
    for (const auto& [job, started] : m_started)
        jobs.push_back(job);
    for (const int job : jobs)
        m_jobs.stop(job);
}

void ProgramRuns::hear(Started& job, const ProgressEvent& progress)
{
    for (const std::size_t place : job.rows) {
        ProgramRow& row = m_rows[place];
        if (const auto& program = progress.program) {
            row.soFar = program;
            row.course.add(job.since.elapsed(), *program);
            row.allocatedBytes = std::max(row.allocatedBytes, program->peakAllocatedBytes); // of the ranks before, too
            row.reservedBytes = std::max(row.reservedBytes, program->peakReservedBytes);
        } else if (const QString said = saidOf(row.card, QString::fromStdString(progress.message)); !said.isEmpty()) {
            row.said = said;
        }
    }
    emit changed();
}

void ProgramRuns::keep(std::size_t row, const Event& event)
{
    const auto* phase = std::get_if<PhaseEvent>(&event);
    const auto* memory = std::get_if<MemoryEvent>(&event);
    if (!phase && !memory)
        return;
    auto& past = m_rows[row].past;
    if (!past)
        past = std::make_shared<ProgramPast>();
    if (phase)
        past->phases.push_back({phase->phase, phase->step, phase->timeSeconds});
    else
        past->memory.push_back(*memory);
    emit told(static_cast<int>(row), event);
}

QString ProgramRuns::fileFor(const Rows& rows) const
{
    QStringList parts{m_setUp.vary.isEmpty() ? QStringLiteral("dry") : QStringLiteral("fit")};
    parts << QFileInfo(scriptOf(m_setUp.command)).completeBaseName();
    const ProgramRow& first = m_rows[rows.front()];
    if (m_setUp.vary.isEmpty())
        parts << QString::fromStdString(first.card.id);
    if (first.world > 1)
        parts << QStringLiteral("world-%1").arg(first.world);
    parts << m_stamp;
    return QDir(m_results).filePath(parts.join(u'-') + QStringLiteral(".json"));
}

QStringList ProgramRuns::wordsFor(const Rows& rows, const QString& file) const
{
    QStringList devices;
    for (const std::size_t row : rows)
        devices << QStringLiteral("dry:") + QString::fromStdString(m_rows[row].card.id);
    QStringList words{m_setUp.vary.isEmpty() ? QStringLiteral("record") : QStringLiteral("fit")};
    words << QStringLiteral("--device") << devices.join(u',') << QStringLiteral("--out") << file
          << QStringLiteral("--steps") << QString::number(m_setUp.steps);
    if (const std::int64_t world = m_rows[rows.front()].world; world > 1) {
        QStringList ranks;
        for (const std::int64_t rank : m_setUp.ranks)
            ranks << QString::number(rank);
        words << QStringLiteral("--world") << QString::number(world) << QStringLiteral("--rank") << ranks.join(u',')
              << QStringLiteral("--per-node") << QString::number(m_setUp.perNode);
    }
    if (!m_setUp.vary.isEmpty())
        words << QStringLiteral("--vary") << m_setUp.vary;
    else if (m_setUp.allowSaves)
        words << QStringLiteral("--allow-saves");
    return words << QStringLiteral("--") << m_setUp.command;
}

void ProgramRuns::onEnded(const Started& started, const JobEnd& end)
{
    const auto& [rows, file, since] = started;
    const bool kept = QFileInfo::exists(file);
    const QString said = end.exitStatus != 0 ? lastWords(end) : kept ? QString() : end.message;
    const auto names = [&said](const ProgramRow& row) { return said.contains(QString::fromStdString(row.card.name)); };
    const bool ofOne = std::ranges::any_of(rows, [&](std::size_t row) { return names(m_rows[row]); });
    for (const std::size_t row : rows) {
        ProgramRow& one = m_rows[row];
        one.said = ofOne && !names(one) ? tr("the search ended with another card's") : said;
        one.file = kept ? file : QString();
        one.state = m_stopping                     ? ProgramRow::State::Stopped
                    : end.exitStatus != 0 || !kept ? ProgramRow::State::Failed
                                                   : ProgramRow::State::Running; // until its result is read
    }
    if (kept)
        read(rows, file);
    emit changed();
    conclude();
}

void ProgramRuns::read(const Rows& rows, const QString& file)
{
    ++m_reading;
    m_reader->post([this, rows, file] {
        m_reader->answer([this, rows, outcomes = outcomesIn(file)] {
            --m_reading;
            for (const std::size_t row : rows) {
                ProgramRow& one = m_rows[row];
                for (const CardOutcome& outcome : outcomes) {
                    if (outcome.card != QString::fromStdString(one.card.id))
                        continue;
                    one.soFar.reset();
                    one.allocatedBytes = outcome.allocatedBytes;
                    one.reservedBytes = outcome.reservedBytes;
                    one.communicatorBytes = outcome.communicatorBytes;
                    one.ranksRun = outcome.ranksRun;
                    one.fullest = outcome.fullest;
                    one.largest = outcome.largest;
                    one.remarks = outcome.remarks;
                    one.command = outcome.command;
                    one.further = outcome.further;
                    // A program that ran out of memory may say so by its exit status or live on.
                    if (one.state == ProgramRow::State::Running || outcome.state == ProgramRow::State::OutOfMemory)
                        one.state = outcome.state;
                }
                if (one.state == ProgramRow::State::Running)
                    one.state = ProgramRow::State::Failed; // a file that says nothing of it
            }
            emit changed();
            conclude();
        });
    });
}

void ProgramRuns::conclude()
{
    if (!running())
        emit finished();
}

} // namespace peakscope
