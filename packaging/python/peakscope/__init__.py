# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What peakscope-cli record puts into a Python program. Uses the program's own torch and has none."""
