// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every optimiser's description makes sense, and what counts by it counts right.
#include "core/experiment/tensor_shape.h"
#include "core/model/adapter_specs.h"
#include "core/model/family.h"
#include "core/optimizers/kept_numbers.h"
#include "core/optimizers/optimizers.h"
#include "core/planning/inputs/memory_estimate.h"
#include "core/planning/simulation/simulate_training.h"
#include "tests/test_room.h"

#include <QTest>

#include <memory>
#include <set>

using namespace peakscope;

namespace {

struct Walk {
    bool sound = true;      // what is read exists, what is made is a temporary
    bool updates = false;   // the parameter
    QList<int> temporaries; // that exist while each operation is at work
};

constexpr TensorShape shapeOf(bool matrix)
{
    return matrix ? TensorShape{6, 2, 3, false, true} : TensorShape{6};
}

const std::vector<UpdateOperation>& updateOf(const OptimizerDescription& optimizer, bool matrix)
{
    return optimizer.updateOf(shapeOf(matrix));
}

Walk walkThrough(const OptimizerDescription& optimizer, bool matrix)
{
    using Tensor = std::shared_ptr<int>;
    Tensor parameter = std::make_shared<int>(), gradient = std::make_shared<int>();
    std::vector<Tensor> states(optimizer.stateElements(shapeOf(matrix)).size(), std::make_shared<int>());
    std::vector<std::weak_ptr<int>> made;
    Walk walk;
    runUpdate(updateOf(optimizer, matrix), parameter, gradient, states,
              [&](const UpdateOperation& operation, const Tensor& of, const Tensor& left, const Tensor& right) {
                  for (const Operand& operand : {operation.into, operation.of, operation.left, operation.right})
                      walk.sound &= operand.role != OperandRole::State || operand.index < states.size();
                  walk.sound &= of && left && right;
                  walk.sound &= operation.inPlace() || operation.into.role == OperandRole::Temporary;
                  walk.updates |= operation.into == update::kParameter;
                  Tensor result = operation.inPlace() ? of : std::make_shared<int>();
                  if (!operation.inPlace())
                      made.push_back(result);
                  walk.temporaries << static_cast<int>(
                      std::count_if(made.begin(), made.end(), [](const auto& each) { return !each.expired(); }));
                  return result;
              });
    walk.sound &= std::all_of(made.begin(), made.end(), [](const auto& each) { return each.expired(); });
    return walk;
}

Experiment smallExperiment(const OptimizerDescription& optimizer)
{
    const auto read = experimentFromJson({{"kind", "memory"},
                                          {"model", {{"family", "opt"}, {"hidden", 64}, {"layers", 2}, {"heads", 2}}},
                                          {"training", {{"optimizer", optimizer.name}}}});
    return read ? *read : Experiment();
}

} // namespace

class TestOptimizers : public QObject
{
    Q_OBJECT

private slots:
    void namesAreOfOneEach();
    void descriptions_data();
    void descriptions();
    void everyUpdateIsSound();
    void everyExperimentHasMatrices();
    void statesAreSimulated();
    void keptBesideAWeight();
};

void TestOptimizers::namesAreOfOneEach()
{
    std::set<std::string> names, titles;
    for (const OptimizerDescription& optimizer : optimizers()) {
        names.insert(optimizer.name);
        titles.insert(optimizer.title);
    }
    QCOMPARE(names.size(), optimizers().size());
    QCOMPARE(titles.size(), optimizers().size());
    QCOMPARE(defaultOptimizer()->name, std::string("adam"));
    QCOMPARE(leanestOptimizer()->name, std::string("sgd"));
}

void TestOptimizers::descriptions_data()
{
    QTest::addColumn<int>("words");
    QTest::addColumn<QList<int>>("temporaries");
    QTest::newRow("adam") << 7 << QList<int>{0, 0, 0, 0, 1, 2, 1, 1};
    QTest::newRow("adamw") << 7 << QList<int>{0, 0, 0, 0, 0, 1, 2, 1, 1};
    QTest::newRow("sgd") << 3 << QList<int>{0};
    QTest::newRow("lion") << 5 << QList<int>{1, 1, 1, 1, 0, 0};
    QTest::newRow("rmsprop") << 5 << QList<int>{0, 0, 1, 1, 1};
    QTest::newRow("adagrad") << 5 << QList<int>{0, 1, 1, 1};
    QTest::newRow("muon") << 7 << QList<int>{0, 0, 0, 0, 0, 1, 2, 1, 1};
    QTest::newRow("muon's matrices") << 5 << QList<int>{0, 1, 2, 1, 1};
    QTest::newRow("adafactor") << 5 << QList<int>{1, 1, 1, 1, 1, 1};
    QTest::newRow("adafactor's matrices") << 3 << QList<int>{1, 1, 1, 1, 1, 1, 1, 1, 1};
}

// Numbers that a fused update moves: Adam reads p, g, m, v and writes p, m, v. And what this one makes and lets go.
void TestOptimizers::descriptions()
{
    QFETCH(int, words);
    QFETCH(QList<int>, temporaries);
    for (const OptimizerDescription& optimizer : optimizers()) {
        for (const bool matrix : {false, true}) {
            if (optimizer.name + (matrix ? "'s matrices" : "") != QTest::currentDataTag())
                continue;
            QCOMPARE(wordsMoved(optimizer, matrix), words);
            QCOMPARE(walkThrough(optimizer, matrix).temporaries, temporaries);
            return;
        }
    }
    QFAIL("there is no such optimiser");
}

void TestOptimizers::everyUpdateIsSound()
{
    for (const OptimizerDescription& optimizer : optimizers()) {
        for (const bool matrix : {false, true}) {
            const Walk walk = walkThrough(optimizer, matrix);
            QVERIFY2(walk.sound && walk.updates, optimizer.name.c_str());
        }
    }
}

// A rule of hidden layers' matrices never finds none: a model has a layer at least, and adapters are matrices
// wherever they stand. (torch.optim's Muon has to refuse vectors, for it may be given nothing else.)
void TestOptimizers::everyExperimentHasMatrices()
{
    const OptimizerDescription& muon =
        *std::find_if(optimizers().begin(), optimizers().end(), [](const auto& each) { return each.orthogonalises(); });
    QVERIFY(muon.matrices->hiddenOnly);
    const auto moved = [&muon](const std::vector<ParameterSpec>& specs) {
        return std::count_if(specs.begin(), specs.end(),
                             [&muon](const ParameterSpec& spec) { return muon.updatesAsMatrix(tensorShape(spec)); });
    };
    for (const FamilyDescription& family : families()) {
        const auto model = modelConfigFromExperiment(
            {{"family", family.name}, {"hidden", 64}, {"heads", 4}, {"layers", 1}, {"vocab", 300}}, "model");
        QVERIFY2(model.ok(), model ? "" : model.error().text().c_str());
        QVERIFY2(moved(parameterSpecs(*model)) > 0, family.name.data());
        for (const LinearShape& layer : linearLayers(*model)) {
            LoraOptions lora;
            lora.rank = 1;
            lora.targets = {layer.name};
            const auto adapters = adapterSpecs(*model, lora);
            QVERIFY2(adapters.ok(), layer.name.c_str());
            QCOMPARE(moved(*adapters), 2);
        }
    }
    const auto none = modelConfigFromExperiment({{"family", "llama"}, {"layers", 0}}, "model");
    QVERIFY(!none.ok());
    QCOMPARE(QString::fromStdString(none.error().text()), "model: layers: 0 is below 1");
}

void TestOptimizers::statesAreSimulated()
{
    for (const OptimizerDescription& optimizer : optimizers()) {
        const Experiment experiment = smallExperiment(optimizer);
        const auto estimate = simulateTraining(experiment);
        QVERIFY2(estimate.ok(), optimizer.name.c_str());
        std::int64_t kept = 0;
        for (const ParameterSpec& spec : parameterSpecs(experiment.model.config))
            kept += keptBytes(optimizer, {}, tensorShape(spec), 4);
        QCOMPARE(estimate->maxComponents[static_cast<std::size_t>(Component::OptimizerStates)], kept);
    }
}

// Bytes for one weight, of a tensor that is large and of one that is small.
void TestOptimizers::keptBesideAWeight()
{
    constexpr std::int64_t kLarge = std::int64_t{1} << 20, kSmall = 4095;
    const auto each = [](const OptimizerDescription& optimizer, const UpdatePrecision& precision, std::int64_t elements,
                         bool embedding = false) {
        return static_cast<double>(keptBytes(optimizer, precision, {elements, 0, 0, embedding}, 2)) /
               static_cast<double>(elements);
    };
    const OptimizerDescription &adam = *defaultOptimizer(), &eightBit = *eightBitAdam();
    QCOMPARE(each(adam, {}, kLarge), 4.0);
    QCOMPARE(each(adam, {WeightRounding::Kahan, false}, kLarge), 6.0);
    QCOMPARE(each(adam, {WeightRounding::Stochastic, false}, kLarge), 4.0);
    QCOMPARE(each(adam, {WeightRounding::Nearest, true}, kLarge), 12.0);
    QCOMPARE(each(eightBit, {}, kLarge), 2.03125);
    QCOMPARE(each(eightBit, {WeightRounding::Kahan, false}, kLarge), 4.03125);
    QCOMPARE(each(eightBit, {}, kSmall), 8.0);
    QCOMPARE(each(eightBit, {}, kLarge, true), 2.03125);
    QCOMPARE(each(optimizers().back(), {}, kLarge, true), 8.0); // embeddings in 32 bits
    QCOMPARE(each(optimizers().back(), {}, kLarge), 2.03125);
}

PEAKSCOPE_GUILESS_TEST(TestOptimizers)
#include "test_optimizers.moc"
