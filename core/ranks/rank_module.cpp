// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/rank_module.h"

#include "core/base/module_files.h"

#include <dlfcn.h>
#include <filesystem>

namespace peakscope {
namespace {

namespace fs = std::filesystem;

Result<const RankTransport*> openMpiModule()
{
    for (const fs::path& candidate : moduleFiles("libpeakscope_mpi.so", "PEAKSCOPE_MPI_MODULE")) {
        std::error_code error;
        if (!fs::exists(candidate, error))
            continue;
        // Global: Open MPI's own plug-ins look for its symbols.
        void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (!handle)
            return failed("ranks",
                          std::string("the MPI module cannot be loaded (is libopenmpi3 installed?): ") + ::dlerror());
        using Entry = const RankTransport* (*)();
        const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "peakscopeMpiModule"));
        if (!entry || entry()->version != kMpiModuleVersion)
            return failed("ranks", candidate.string() + " is of another version of Peakscope");
        return entry();
    }
    return failed("ranks", "this build has no MPI module, so it runs on one process only; build it where "
                           "libopenmpi-dev is installed");
}

} // namespace

Result<const RankTransport*> mpiModule()
{
    static const Result<const RankTransport*> module = openMpiModule();
    return module;
}

} // namespace peakscope
