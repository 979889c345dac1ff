// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/shell.h"

#include "app/parts/workspace_page.h"
#include "app/shell/workspace.h"

namespace peakscope {

MessageBar* Shell::messagesInFront() const
{
    MessageBar* own = inFront() ? inFront()->page()->messagesInFront() : nullptr;
    return own ? own : messages();
}

} // namespace peakscope
