// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/engine/engine_commands.h"

#include "core/cli/commands/commands.h"
#include "core/cli/commands/printing.h"
#include "tests/engine/checks/all_checks.h"

namespace peakscope {

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
        return report(badInput("--only", "no check has \"" + only + "\" in its name"));
    print("{} passed, {} failed\n", passed, wrong);
    return wrong > 0 ? 1 : 0;
}

} // namespace peakscope
