// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whether something that names commands or machines may be started. Whatever starts a process for a document takes it
// as Agreed<…>, which only decide() makes: every command in it was typed here, is one of the user's machines, or was
// agreed to as it came from that very file. GUI thread; an Agreed may go to any.
#pragma once

#include "app/jobs/sweep_machines.h"
#include "core/planning/commands/named_commands.h"

#include <nlohmann/json.hpp>

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace peakscope {

// Where something to start came from.
struct Origin {
    QString file;             // its canonical path; empty: of no file, such as what a session left
    QByteArray content;       // a hash, in hex, of what it said there
    QList<QStringList> typed; // commands that the user wrote here in place of what stood there

    bool operator==(const Origin&) const = default;
};

// Of what stands in a file that has it as `content`.
Origin originIn(const QString& file, const nlohmann::json& content);
// The origin, known by what is to be started where nothing is known of it.
Origin identified(Origin origin, const nlohmann::json& content);
// The origin, with these commands written by the user.
Origin withTyped(Origin origin, const std::vector<NamedCommand>& commands);
nlohmann::json toJson(const Origin& origin);
Origin originFromJson(const nlohmann::json& json); // what is missing or of another type is empty

// A sweep as it is to be run: a SWEEP.json, where its points go, and who runs them.
struct SweepStart {
    nlohmann::ordered_json document;
    QString folder;
    SweepMachines machines;
};

std::vector<NamedCommand> commandsOf(const nlohmann::json& experiment);
std::vector<NamedCommand> commandsOf(const SweepStart& sweep);
std::vector<NamedCommand> commandsOf(const QStringList& launcher);

template <typename What>
class Agreed
{
public:
    const What& operator*() const { return m_what; }
    const What* operator->() const { return &m_what; }
    const Origin& origin() const { return m_origin; }

private:
    friend class CommandConsent;
    Agreed(What what, Origin origin) : m_what(std::move(what)), m_origin(std::move(origin)) {}

    What m_what;
    Origin m_origin;
};

class CommandConsent
{
public:
    // Longer ones, as they would be shown, are never agreed to: nobody reads them.
    static constexpr qsizetype kMostCharacters = 20'000;

    // Nothing where the user is to be asked first.
    template <typename What>
    std::optional<Agreed<What>> decide(const What& what, const Origin& origin) const
    {
        if (!unknown(commandsOf(what), origin).empty())
            return std::nullopt;
        return Agreed<What>(what, origin);
    }
    // What the user is to be asked about.
    std::vector<NamedCommand> unknown(const std::vector<NamedCommand>& commands, const Origin& origin) const;
    // The user's yes to these commands from there; kept for later starts where they came with a file.
    void agree(const std::vector<NamedCommand>& commands, const Origin& origin);

    // The commands as the question shows them, a line each, nothing left out.
    static QString shown(const std::vector<NamedCommand>& commands);

private:
    struct Answer {
        QStringList words;
        QString file;
        QByteArray content;
        bool operator==(const Answer&) const = default;
    };
    static QList<Answer> kept();
    static void keep(const QList<Answer>& answers);

    QList<Answer> m_answers; // given since the start
};

} // namespace peakscope
