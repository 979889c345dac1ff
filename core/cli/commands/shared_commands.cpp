// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands/shared_commands.h"

#include "core/base/terminal.h"
#include "core/cli/programs/check_install_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace peakscope {

namespace {

// The exit status, once all that was printed is out.
int flushed(int status)
{
    if (standardOutput().flush())
        return status;
    standardError().line("peakscope-cli: standard output cannot be written"); // a full disk, for one
    return std::max(status, 1);
}

} // namespace

void SharedCommands::addTo(CLI::App& app, std::function<int()>& action)
{
    const auto runs = [&action](CLI::App* command, std::function<int()> run) {
        command->callback([&action, run = std::move(run)] { action = run; });
    };
    runs(addReplayCommand(app, m_replay), [this] { return replayCommand(m_replay); });
    runs(addEmbedCommand(app, m_embed), [this] { return embedCommand(m_embed); });
    runs(addEstimateCommand(app, m_estimate), [this] { return estimateCommand(m_estimate, m_local); });
    runs(addRecommendCommand(app, m_recommend), [this] { return recommendCommand(m_recommend, m_local); });
    runs(addConvertCommand(app, m_convert), [this] { return convertCommand(m_convert); });
    CLI::App* models = app.add_subcommand("models", "List the model catalogue, with exact parameter counts");
    models->add_option("NAME", m_names, "Find the entry for a name (meta-llama/Llama-3.1-8B-Instruct)");
    models->add_flag("--json", m_json, "Print JSON");
    runs(models, [this] { return modelsCommand(m_names, m_json); });
    CLI::App* devices = app.add_subcommand("devices", "List this machine's devices");
    devices->add_flag("--catalogue", m_catalogue, "Also list the cards of the catalogue");
    devices->add_flag("--json", m_json, "Print JSON");
    runs(devices, [this] { return devicesCommand(m_catalogue, m_json, m_local); });
    CLI::App* inspect = app.add_subcommand("inspect", "Describe a file: its format and what it holds");
    inspect->add_option("FILE", m_file)->required();
    inspect->add_flag("--json", m_json, "Print JSON");
    addRangeOptions(*inspect, m_range);
    runs(inspect, [this] { return inspectCommand(m_file, m_range, m_json); });
    runs(addLiveCommand(app, m_snapshot), [this] { return liveCommand(m_snapshot); });
    runs(addDiffCommand(app, m_snapshot), [this] { return diffCommand(m_snapshot); });
    runs(addWhatIfCommand(app, m_snapshot), [this] { return whatIfCommand(m_snapshot); });
    runs(addAdviseCommand(app, m_snapshot), [this] { return adviseCommand(m_snapshot); });
    runs(addRecordCommand(app, m_record), [this] { return recordCommand(m_record); });
    runs(addFitCommand(app, m_fit), [this] { return fitCommand(m_fit); });
    runs(addWatchCommand(app, m_watch), [this] { return watchCommand(m_watch); });
    CLI::App* check = app.add_subcommand("check-install", "Check what works on this machine and what is missing");
    check->add_flag("--json", m_json, "Print JSON");
    runs(check, [this] { return checkInstallCommand(m_json); });
    CLI::App* help = app.add_subcommand("help", "Explain the keys of an experiment, or one of them");
    help->add_option("KEY", m_help.key, "A key (training.lr) or a block of keys (training)");
    help->add_flag("--markdown", m_help.markdown, "Print all keys as a Markdown page");
    help->add_option("--json-schema", m_help.schema, "Print the JSON Schema of experiment, result or sweep files")
        ->check(CLI::IsMember({"experiment", "result", "sweep"}));
    runs(help, [this, &app] {
        // Its own help() would be that of the command that was chosen.
        const std::string commands = app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
        return helpCommand(commands, m_help);
    });
}

// What the word may have been meant for.
static int noSuchCommand(const std::string& word)
{
    std::error_code error;
    if (word == "export")
        return report(
            badInput(word, "a command of the window's program: peakscope export FILE… --figure NAME --out PATH"));
    if (std::filesystem::exists(word, error))
        return report(badInput(word, "a file, not a command: peakscope-cli inspect FILE describes it"));
    return report(badInput(word, "not a command; peakscope-cli --help lists them"));
}

int parseAndRun(CLI::App& app, const std::function<int()>& action, int argc, char** argv)
{
    ::signal(SIGXFSZ, SIG_IGN); // a file past the shell's limit is a failed write, which is told
    const auto named = [&](const CLI::App* command) { return argc > 1 && command->check_name(argv[1]); };
    if (argc > 1 && *argv[1] != '-' && std::ranges::none_of(app.get_subcommands(nullptr), named))
        return noSuchCommand(argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        std::ostringstream words, none;
        const int status = app.exit(success, words, none);
        standardOutput().text(words.str());
        return flushed(status);
    } catch (const CLI::ParseError& error) {
        return usageError(error);
    }
    if (!action) // peakscope-cli alone: the engine's command behind other words
        return usageError(CLI::RequiredError("A subcommand as the first word"));
    try {
        return flushed(action());
    } catch (const std::exception& exception) {
        standardError().line(std::string("peakscope-cli: ") + exception.what());
        return 1;
    }
}

void calmThreads()
{
    ::setenv("GOMP_SPINCOUNT", "2000", 0);
}

} // namespace peakscope
