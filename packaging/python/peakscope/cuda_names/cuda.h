/* SPDX-FileCopyrightText: 2026 The Peakscope authors
   SPDX-License-Identifier: GPL-3.0-or-later
   See cuda_runtime_api.h. */
#pragma once
#include "cuda_runtime_api.h"
