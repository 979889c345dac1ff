// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Prints how many configurations a second the recommender searches, for each goal. Arguments: models (opt-125m
// llama-2-7b llama-3.1-70b), after --device its id (a800-80gb).
#include "core/planning/commands/model_from_count.h"
#include "core/planning/recommend/recommender.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

using namespace peakscope;

namespace {

double processorSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

bool measure(const std::string& model, const PlanDevice& device, Goal goal)
{
    const auto block = modelBlockFromText(model);
    if (!block) {
        std::fprintf(stderr, "%s\n", block.error().text().c_str());
        return false;
    }
    RecommendOptions options;
    options.model = *block;
    options.modelText = model;
    options.device = device;
    options.goal = goal;
    double best = 0, busy = 0;
    std::int64_t searched = 0;
    for (int i = 0; i < 3; ++i) {
        const double before = processorSeconds();
        const auto found = recommend(options);
        if (!found) {
            std::fprintf(stderr, "%s\n", found.error().text().c_str());
            return false;
        }
        searched = found->searched;
        if (best == 0 || found->seconds < best) {
            best = found->seconds;
            busy = processorSeconds() - before;
        }
    }
    std::printf("%-16s %-8s %6lld configurations in %.3f s (%.2f s of processor time): %.0f a second\n", model.c_str(),
                std::string(name(goal)).c_str(), static_cast<long long>(searched), best, busy,
                static_cast<double>(searched) / best);
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> models;
    std::string deviceText = "a800-80gb";
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            deviceText = argv[++i];
        } else {
            models.emplace_back(argv[i]);
        }
    }
    if (models.empty()) {
        models = {"opt-125m", "llama-2-7b", "llama-3.1-70b"};
    }
    const auto device = planDeviceFromText(deviceText);
    if (!device) {
        std::fprintf(stderr, "%s\n", device.error().text().c_str());
        return 2;
    }
    std::printf("%s, %u cores, the best of three\n", device->name.c_str(), std::thread::hardware_concurrency());
    for (const std::string& model : models) {
        for (const Goal goal : {Goal::Train, Goal::Hessian, Goal::DpSgd}) {
            if (!measure(model, *device, goal)) {
                return 1;
            }
        }
    }
    return 0;
}
