// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/jobs/program_runs.h"

#include "app/jobs/command_process.h"
#include "app/parts/background_thread.h"
#include "core/base/json/json_access.h"
#include "core/results/dry_result.h"

#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>

#include <algorithm>
#include <numeric>

namespace peakscope {

namespace {

constexpr std::size_t kAtOnce = 2; // as `fit` does

// What a result says of a card.
struct Reading {
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

Reading readingOf(const RunResult& result)
{
    const nlohmann::json& allocator = lenient::object(result.other, "allocator");
    Reading reading;
    reading.card = cardOf(result.config);
    reading.allocatedBytes = lenient::integer(allocator, "peak_allocated_bytes");
    reading.reservedBytes = lenient::integer(allocator, "peak_reserved_bytes");
    const nlohmann::json& program = lenient::object(result.config, "program");
    reading.communicatorBytes = outsideBytes(result, "communicator_bytes");
    reading.ranksRun = std::max<std::int64_t>(1, std::ssize(result.ranks));
    const auto peaks = [](const RankSection& rank) {
        return rank.memory ? std::pair(rank.memory->peakReservedBytes, rank.memory->peakBytes)
                           : std::pair<std::int64_t, std::int64_t>();
    };
    if (std::ranges::any_of(result.ranks,
                            [&](const RankSection& rank) { return peaks(rank) != peaks(result.ranks.front()); }))
        reading.fullest = lenient::integer(program, "rank");
    const auto ranOut = [](const nlohmann::json& one) { return lenient::flag(one, "out_of_memory"); };
    if (ranOut(program) || std::ranges::any_of(result.ranks, [&](const RankSection& rank) {
            return ranOut(lenient::object(rank.other, "program"));
        }))
        reading.state = ProgramRow::State::OutOfMemory;
    return reading;
}

// Of a search: the point with the largest value that fits.
Reading readingOf(const nlohmann::json& found)
{
    Reading reading;
    reading.card = cardOf(found);
    const nlohmann::json& largest = lenient::member(found, "largest");
    if (!largest.is_object() || largest.empty()) {
        reading.state = ProgramRow::State::NothingFits;
        return reading;
    }
    reading.command = text(lenient::member(found, "command"));
    reading.further = QString::fromStdString(lenient::text(found, "further"));
    reading.largest = QString::fromStdString(largest.begin().key()) + u' ' + text(largest.begin().value());
    for (const nlohmann::json& point : lenient::array(found, "points")) {
        if (lenient::member(point, "values") != largest)
            continue;
        reading.allocatedBytes = lenient::integer(point, "allocated_bytes");
        reading.reservedBytes = lenient::integer(point, "reserved_bytes");
        reading.communicatorBytes = lenient::integer(point, "communicator_bytes");
    }
    for (const nlohmann::json& remark : lenient::array(found, "remarks")) {
        if (const QString said = text(remark); said.startsWith(reading.largest + u' '))
            reading.remarks << said;
    }
    return reading;
}

std::vector<Reading> readingsIn(const QString& file)
{
    const auto result = loadRunResult(file.toStdString());
    if (!result)
        return {};
    if (!result->other.contains("fit"))
        return {readingOf(*result)};
    std::vector<Reading> readings;
    for (const nlohmann::json& found : lenient::array(lenient::object(result->other, "fit"), "cards"))
        readings.push_back(readingOf(found));
    return readings;
}

} // namespace

// One process of peakscope-cli.
class ProgramCommand : public CommandProcess
{
public:
    using CommandProcess::CommandProcess;

    void start(const QStringList& words, const QString& folder)
    {
        setProgramFolder(folder);
        m_begun.start();
        begin(words, {});
    }
    // What a search said last of a card: "batch 4: 1.2 GiB reserved". Empty: nothing.
    QString lastOf(const CatalogueDevice& card) const
    {
        const QString on = QStringLiteral(", dry on %1: ").arg(QString::fromStdString(card.name));
        QString said;
        for (const QString& line : lastLines()) {
            if (line.contains(on))
                said = QString(line).remove(QLatin1String("peakscope: ")).replace(on, QStringLiteral(": "));
        }
        return said;
    }
    qint64 milliseconds() const { return m_begun.elapsed(); }
    // What `record --progress` said since the last call; its lines are none of the program's words.
    std::vector<DryProgress> progress()
    {
        std::vector<DryProgress> said;
        for (const QByteArray& line : takeMarked(QByteArray::fromStdString(kProgressMark))) {
            if (const auto one = dryProgress(line.toStdString()))
                said.push_back(*one);
        }
        return said;
    }

protected:
    // The program's own, where the command says behind it what it recorded, or that it recorded nothing.
    QString lastWords() const override
    {
        const QStringList lines = lastLines();
        const auto isOwn = [](const QString& line) {
            return line.startsWith(QLatin1String("dry on ")) || line.startsWith(QLatin1String("peakscope-cli: "));
        };
        const auto own = std::find_if(lines.cbegin(), lines.cend(), isOwn);
        const bool programSpoke = own != lines.cbegin() && !(own - 1)->startsWith(QLatin1String("peakscope: "));
        if (programSpoke)
            return *(own - 1);
        return own == lines.cend() ? QString() : QString(*own).remove(QLatin1String("peakscope-cli: "));
    }

private:
    QElapsedTimer m_begun;
};

Verdict ProgramRow::verdict() const
{
    return state == State::OutOfMemory || state == State::NothingFits
               ? Verdict::DoesNotFit
               : verdictFor(reservedBytes, card.contextBytes, card.usableBytes);
}

ProgramRuns::ProgramRuns(QObject* parent) : QObject(parent) {}

ProgramRuns::~ProgramRuns()
{
    for (ProgramCommand* command : m_commands) {
        command->disconnect(this);
        command->stop(); // all are asked before the first is waited for
    }
}

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
    m_waiting.clear();
    for (const CatalogueDevice& card : setUp.cards) {
        for (const std::int64_t world : setUp.worlds) {
            m_rows.push_back({.card = card, .world = world});
            if (setUp.vary.isEmpty())
                m_waiting.push_back({m_rows.size() - 1});
        }
    }
    if (!setUp.vary.isEmpty()) { // one process searches for all
        m_waiting.emplace_back(m_rows.size());
        std::iota(m_waiting.back().begin(), m_waiting.back().end(), std::size_t(0));
    }
    if (!m_reader)
        m_reader = std::make_unique<BackgroundThread>(this, QStringLiteral("dry results"));
    startNext();
}

void ProgramRuns::stop()
{
    if (std::exchange(m_stopping, true))
        return;
    for (const Rows& rows : std::exchange(m_waiting, {})) {
        for (const std::size_t row : rows)
            m_rows[row].state = ProgramRow::State::Stopped;
    }
    for (ProgramCommand* command : std::vector(m_commands))
        command->stop();
    emit changed();
}

void ProgramRuns::startNext()
{
    while (m_commands.size() < kAtOnce && !m_waiting.empty()) {
        const Rows rows = m_waiting.front();
        m_waiting.pop_front();
        begin(rows);
    }
    emit changed();
}

void ProgramRuns::begin(const Rows& rows)
{
    auto* command = new ProgramCommand(this);
    m_commands.push_back(command);
    const QString file = fileFor(rows);
    for (const std::size_t row : rows)
        m_rows[row].state = ProgramRow::State::Running;
    // Queued: one that can't be started says so while it is being started.
    connect(
        command, &CommandProcess::finished, this,
        [this, command, rows](int exitStatus, const QString& message) { onEnded(command, rows, exitStatus, message); },
        Qt::QueuedConnection);
    if (!m_setUp.vary.isEmpty()) {
        connect(command, &CommandProcess::said, this, [this, command, rows] {
            for (const std::size_t row : rows) {
                if (const QString said = command->lastOf(m_rows[row].card); !said.isEmpty())
                    m_rows[row].said = said;
            }
            emit changed();
        });
    } else {
        connect(command, &CommandProcess::said, this,
                [this, command, row = rows.front()] { follow(command, m_rows[row]); });
    }
    command->start(wordsFor(rows, file), m_setUp.folder);
}

void ProgramRuns::follow(ProgramCommand* command, ProgramRow& row)
{
    const std::vector<DryProgress> said = command->progress();
    for (const DryProgress& one : said) {
        row.soFar = one;
        row.course.add(command->milliseconds(), one);
        row.allocatedBytes = std::max(row.allocatedBytes, one.peakAllocatedBytes); // of the ranks before, too
        row.reservedBytes = std::max(row.reservedBytes, one.peakReservedBytes);
    }
    if (!said.empty())
        emit changed();
}

QString ProgramRuns::fileFor(const Rows& rows) const
{
    const auto isScript = [](const QString& word) { return word.endsWith(QLatin1String(".py")); };
    const auto script = std::find_if(m_setUp.command.cbegin(), m_setUp.command.cend(), isScript);
    QStringList parts{m_setUp.vary.isEmpty() ? QStringLiteral("dry") : QStringLiteral("fit")};
    parts << QFileInfo(script == m_setUp.command.cend() ? m_setUp.command.first() : *script).completeBaseName();
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
    if (m_setUp.vary.isEmpty())
        words << QStringLiteral("--progress");
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

void ProgramRuns::onEnded(ProgramCommand* command, const Rows& rows, int exitStatus, const QString& message)
{
    std::erase(m_commands, command);
    command->deleteLater();
    const QString file = fileFor(rows);
    const bool kept = QFileInfo::exists(file);
    const auto names = [&message](const ProgramRow& row) {
        return message.contains(QString::fromStdString(row.card.name));
    };
    const bool ofOne = std::ranges::any_of(rows, [&](std::size_t row) { return names(m_rows[row]); });
    for (const std::size_t row : rows) {
        ProgramRow& one = m_rows[row];
        one.said = ofOne && !names(one) ? tr("the search ended with another card's") : message;
        one.file = kept ? file : QString();
        one.state = m_stopping                 ? ProgramRow::State::Stopped
                    : exitStatus != 0 || !kept ? ProgramRow::State::Failed
                                               : ProgramRow::State::Running; // until its result is read
    }
    if (kept)
        read(rows, file);
    startNext();
    conclude();
}

void ProgramRuns::read(const Rows& rows, const QString& file)
{
    ++m_reading;
    m_reader->post([this, rows, file] {
        m_reader->answer([this, rows, readings = readingsIn(file)] {
            --m_reading;
            for (const std::size_t row : rows) {
                ProgramRow& one = m_rows[row];
                for (const Reading& reading : readings) {
                    if (reading.card != QString::fromStdString(one.card.id))
                        continue;
                    one.soFar.reset();
                    one.allocatedBytes = reading.allocatedBytes;
                    one.reservedBytes = reading.reservedBytes;
                    one.communicatorBytes = reading.communicatorBytes;
                    one.ranksRun = reading.ranksRun;
                    one.fullest = reading.fullest;
                    one.largest = reading.largest;
                    one.remarks = reading.remarks;
                    one.command = reading.command;
                    one.further = reading.further;
                    // A program that ran out of memory may say so by its exit status or live on.
                    if (one.state == ProgramRow::State::Running || reading.state == ProgramRow::State::OutOfMemory)
                        one.state = reading.state;
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
    if (!running() && m_waiting.empty())
        emit finished();
}

} // namespace peakscope
