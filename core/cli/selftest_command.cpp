// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cli/commands.h"
#include "tests/engine/checks/all_checks.h"

#include <cstdio>

namespace peakscope {

int selftestCommand(const std::string& device, const std::string& only)
{
    std::int64_t passed = 0, wrong = 0;
    auto status = runAllChecks(device, only, [&](const CheckResult& check) {
        std::printf("%s %s%s%s\n", check.passed ? "ok  " : "FAIL", check.name.c_str(), check.detail.empty() ? "" : ": ",
                    check.detail.c_str());
        std::fflush(stdout);
        ++(check.passed ? passed : wrong);
    });
    if (!status)
        return report(status.error());
    std::printf("%lld passed, %lld failed\n", static_cast<long long>(passed), static_cast<long long>(wrong));
    return wrong > 0 ? 1 : 0;
}

} // namespace peakscope
