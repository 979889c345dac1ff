// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/engine/checks/model/matrix_update_checks.h"

#include "core/engine/training/optimizer.h"
#include "tests/engine/checks/model/model_case.h"

#include <ATen/ATen.h>

#include <array>

namespace peakscope {
namespace {

constexpr double kMatrixRate = 0.01;
constexpr int kMatrixUpdates = 5;

struct MatrixCase {
    const char* name;
    at::ScalarType type;
    std::int64_t rows, columns;
    std::array<double, 15> reference; // of tests/engine/data/make_optimizer_cases.py
};

constexpr MatrixCase kMatrixCases[] = {
    {"muon",
     at::kFloat,
     5,
     3,
     {-0.49706488847732544, 0.073711879551410675, -0.34517920017242432, 0.2385098934173584, -0.17919978499412537,
      0.41090917587280273, -0.050695393234491348, -0.45384404063224792, 0.11402370780706406, -0.30020081996917725,
      0.27478441596031189, -0.14883331954479218, 0.45382437109947205, 0.030773311853408813, -0.41361767053604126}},
    {"muon",
     at::kFloat,
     3,
     5,
     {-0.49365618824958801, 0.071891218423843384, -0.34658512473106384, 0.23883810639381409, -0.18774543702602386,
      0.41085860133171082, -0.042391028255224228, -0.45699992775917053, 0.11413773894309998, -0.29988408088684082,
      0.27316874265670776, -0.13890700042247772, 0.4562934935092926, 0.02575342170894146, -0.40551570057868958}},
    {"muon",
     at::kDouble,
     5,
     3,
     {-0.49706486745499467, 0.073711874708515118, -0.34517915504202418, 0.2385098731180017, -0.17919976582814409,
      0.41090912692605208, -0.050695388608225124, -0.45384401838321942, 0.11402368588605205, -0.30020077671778167,
      0.27478435865185674, -0.14883332779116804, 0.45382440820180275, 0.030773310829664561, -0.41361766412441953}},
    {"muon",
     at::kDouble,
     3,
     5,
     {-0.49365617802060291, 0.07189121729616578, -0.34658507480121109, 0.23883809055731586, -0.18774541058045643,
      0.41085854111817116, -0.042391024552342726, -0.4569998955497056, 0.11413772865394434, -0.29988406214509339,
      0.27316875335283641, -0.1389069810538722, 0.45629345048402747, 0.025753421397693214, -0.40551570818091487}},
    {"adafactor",
     at::kFloat,
     5,
     3,
     {-0.50087457895278931, 0.077943697571754456, -0.34313106536865234, 0.23750805854797363, -0.18371549248695374,
      0.39499178528785706, -0.035286873579025269, -0.45529642701148987, 0.12194117158651352, -0.29845094680786133,
      0.2812657356262207, -0.14064702391624451, 0.43969970941543579, 0.018890194594860077, -0.41221722960472107}},
    {"adafactor",
     at::kFloat,
     3,
     5,
     {-0.50281769037246704, 0.074807912111282349, -0.34464031457901001, 0.23544640839099884, -0.18827398121356964,
      0.39325541257858276, -0.036991193890571594, -0.45741787552833557, 0.12304701656103134, -0.29933309555053711,
      0.28228312730789185, -0.14018012583255768, 0.4400905966758728, 0.018755018711090088, -0.40947368741035461}},
    {"adafactor",
     at::kDouble,
     5,
     3,
     {-0.50087459944175361, 0.077943694734802865, -0.34313109421659421, 0.2375080578363247, -0.18371550444612358,
      0.39499177429132215, -0.035286875191253314, -0.4552964256538185, 0.12194116616689124, -0.29845095944826855,
      0.28126575468614612, -0.14064701649900513, 0.43969970919224466, 0.01889019461393179, -0.41221721622608565}},
    {"adafactor",
     at::kDouble,
     3,
     5,
     {-0.50281768789382186, 0.074807913466757553, -0.34464031966694358, 0.23544640951963908, -0.18827399483315532,
      0.39325540324755087, -0.036991195915834878, -0.45741787721587562, 0.12304702004488952, -0.2993330842970236,
      0.28228315620806799, -0.14018012522931986, 0.44009060899161256, 0.018755019152921576, -0.40947367290633258}},
};

// Sixty-fourths, the same in every type.
at::Tensor numbers(std::int64_t rows, std::int64_t columns, std::int64_t start, const at::TensorOptions& options)
{
    return at::arange(rows * columns, at::kLong)
        .mul(37)
        .add(11 * start)
        .remainder(64)
        .sub(32)
        .to(at::kDouble)
        .div(64)
        .reshape({rows, columns})
        .to(options);
}

at::Tensor updatedMatrix(const std::string& name, std::int64_t rows, std::int64_t columns, ModuleKind kind,
                         const at::TensorOptions& options)
{
    TrainingOptions training;
    training.implementation = Implementation::Loop;
    training.lr = kMatrixRate;
    for (const OptimizerDescription& one : optimizers()) {
        if (one.name == name)
            training.optimizer = &one;
    }
    at::Tensor tensor = numbers(rows, columns, 0, options).requires_grad_();
    ParameterSpec spec;
    spec.kind = kind;
    Optimizer engine(training, {{spec, tensor, 0}}, 0);
    for (int step = 1; step <= kMatrixUpdates; ++step) {
        tensor.mutable_grad() = numbers(rows, columns, step, options);
        engine.step();
    }
    return tensor.detach().cpu();
}

} // namespace

std::vector<CheckResult> matrixUpdateChecks(const std::string& device)
{
    std::vector<CheckResult> results;
    const auto options = [&device](at::ScalarType type) { return at::TensorOptions(type).device(at::Device(device)); };
    for (const MatrixCase& entry : kMatrixCases) {
        const at::Tensor made =
            updatedMatrix(entry.name, entry.rows, entry.columns, ModuleKind::Mlp, options(entry.type));
        const at::Tensor right = at::tensor(at::ArrayRef<double>(entry.reference), at::kDouble);
        const double off = made.to(at::kDouble).reshape({-1}).sub(right).abs().max().item<double>();
        // Muon's products are of bfloat16 in every type, and may be rounded otherwise elsewhere.
        const double bound = entry.type == at::kFloat ? 1e-7 : entry.name == std::string("muon") ? 1e-8 : 1e-12;
        results.push_back({"optimizer: " + std::string(entry.name) + " of a " + std::to_string(entry.rows) + " x " +
                               std::to_string(entry.columns) + " matrix in " + at::toString(entry.type),
                           off <= bound, "off by " + scientific(off)});
    }
    for (const ModuleKind kind : {ModuleKind::Embedding, ModuleKind::Head}) {
        results.push_back(
            {"optimizer: muon leaves AdamW the " + std::string(kEnumWords<ModuleKind>[static_cast<std::size_t>(kind)]),
             at::equal(updatedMatrix("muon", 5, 3, kind, options(at::kFloat)),
                       updatedMatrix("adamw", 5, 3, kind, options(at::kFloat))),
             "bits differ"});
    }
    return results;
}

} // namespace peakscope
