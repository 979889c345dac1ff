// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// peakscope-selftest: the engine's own checks. `selftest` of the other programs hands over to it, so that users see one
// program and those who only run experiments need not build the checks.
#include "core/cli/commands/commands.h"
#include "core/cli/commands/hand_over.h"
#include "core/cli/commands/printing.h"
#include "core/cli/commands/shared_commands.h"
#include "core/model/dry_device.h"
#include "tests/engine/checks/all_checks.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

namespace {

using namespace peakscope;

// Checks run experiments in workers, which the engine's program beside this one is.
void nameWorker()
{
    std::error_code error;
    const auto engine = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "peakscope-engine";
    if (std::filesystem::exists(engine, error))
        ::setenv("PEAKSCOPE_CLI", engine.c_str(), 0);
}

int selftestCommand(const std::string& device, const std::string& only)
{
    std::int64_t passed = 0, wrong = 0;
    auto status = runAllChecks(device, only, [&](const CheckResult& check) {
        print("{} {}{}{}\n", check.passed ? "ok  " : "FAIL", check.name, check.detail.empty() ? "" : ": ",
              check.detail);
        standardOutput().flush();
        ++(check.passed ? passed : wrong);
    });
    if (!status)
        return report(status.error());
    if (passed + wrong == 0 && !only.empty())
        return report(badInput("--only", "no check " +
                                             (isDryDevice(device) ? "of memory, on " + device + ", " : std::string()) +
                                             "has \"" + only + "\" in its name"));
    print("{} passed, {} failed\n", passed, wrong);
    return wrong > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    calmThreads();
    nameWorker();
    CLI::App app("The engine's own checks.", "peakscope-cli");
    app.set_version_flag("--version", "peakscope-cli " PEAKSCOPE_VERSION);
    app.require_subcommand(1);
    std::function<int()> action;
    std::string device = "cpu", only;
    CLI::App* selftest = app.add_subcommand("selftest", kSelftestText);
    selftest->add_option("--device", device, "cpu, cuda:N, or dry:CARD of the catalogue: what is of memory");
    selftest->add_option("--only", only, "Checks whose name contains this");
    selftest->callback([&] { action = [&] { return selftestCommand(device, only); }; });
    return parseAndRun(app, action, argc, argv);
}
