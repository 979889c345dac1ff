// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/terminal.h"
#include "core/cli/commands/commands.h"
#include "core/experiment/key_help.h"
#include "core/results/result_schema.h"

namespace peakscope {

int helpCommand(const std::string& commands, const HelpArguments& arguments)
{
    if (!arguments.schema.empty()) {
        const nlohmann::json schema = arguments.schema == "result"  ? resultSchema()
                                      : arguments.schema == "sweep" ? sweepSchema()
                                                                    : experimentSchema();
        standardOutput().json(schema.dump(1));
        return 0;
    }
    if (arguments.markdown) {
        standardOutput().text(keyPage());
        return 0;
    }
    if (arguments.key.empty()) {
        standardOutput().text(commands + "\nKeys of an experiment (more on each: peakscope-cli help KEY):\n" +
                              keyList());
        return 0;
    }
    const auto text = keyHelp(arguments.key);
    if (!text)
        return report(text.error());
    standardOutput().text(*text);
    return 0;
}

} // namespace peakscope
