// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Every curvature quantity is named, planned and costed; their closed forms against numbers computed by hand, and what
// an A800 holds.
#include "tests/core/planning/closed_form_cases.h"

#include "core/model/catalogue.h"
#include "core/model/curvature_pieces.h"
#include "core/planning/curvature/closed_forms.h"
#include "core/planning/curvature/curvature_planner.h"
#include "core/planning/recommend/roofline.h"
#include "core/planning/simulation/simulate_training.h"
#include "tests/test_room.h"

using namespace peakscope;
using namespace peakscope::formcases;

class TestClosedFormsCurvature : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void everyQuantity_data();
    void everyQuantity();
    void unknownQuantity();
    void quantitiesAsWritten();
    void denseHessian();
    void denseHessianBeyondIntegers();
    void wholeHessianIsRefused_data();
    void wholeHessianIsRefused();
    void krylovVectors();
    void kroneckerFactors();
    void gradientPairs();
    void squaredGradients();
    void routes();
    void entriesByRowsAndJets();
    void alignmentPasses_data();
    void alignmentPasses();
    void alignmentOfLargeVectors();
    void a800_data();
    void a800();
    void badInput_data();
    void badInput();
};

void TestClosedFormsCurvature::initTestCase()
{
    qputenv("PEAKSCOPE_RESOURCES", PEAKSCOPE_SOURCE_DIR "/resources");
}

void TestClosedFormsCurvature::everyQuantity_data()
{
    QTest::addColumn<CurvatureQuantity>("quantity");
    for (const CurvatureQuantity quantity : kCurvatureQuantities)
        QTest::newRow(name(quantity).data()) << quantity;
}

void TestClosedFormsCurvature::everyQuantity()
{
    QFETCH(CurvatureQuantity, quantity);
    const std::string word(name(quantity));
    QCOMPARE(word, std::string(traitsOf(quantity).name));
    for (const CurvatureQuantity other : kCurvatureQuantities)
        QCOMPARE(valueOf(word, other), quantity); // no other one's name
    const Experiment experiment = experimentOf(curvature(tinyDocument(), word));
    QCOMPARE(experiment.curvature->quantities, std::vector{quantity});
    QVERIFY(experimentDocument(experiment)["curvature"]["quantities"] == Json::array({word}));
    // By the closed forms, which more than the first gradient takes,
    const ComponentBytes closed = phaseOf(estimateOf(curvature(tinyDocument(), word)), Phase::Curvature);
    QVERIFY(closed[static_cast<std::size_t>(Component::Hessian)] > 0);
    // by the engine's plan, which holds at least a product, and says what makes the peak,
    CurvatureNeeds needs;
    needs.config = experiment.model.config;
    needs.parameters = parameterSpecs(needs.config);
    needs.wanted.assign(needs.parameters.size(), true);
    needs.rows = needs.microBatch = 3;
    needs.length = 10;
    needs.opens = false;
    needs.quantities = {quantity};
    const auto alone = planCurvature(needs);
    QVERIFY(alone.ok());
    QVERIFY(alone->predictedBytes > 0);
    QCOMPARE(alone->costliest, word);
    QCOMPARE(alone->bound, !traitsOf(quantity).foreseen);
    needs.method = ProductMethod::DoubleBackward;
    QVERIFY(planCurvature(needs)->bound); // nothing is foreseen but by the tape
    // leaving out what a budget for the smaller ones does not hold,
    needs.method = ProductMethod::Auto;
    needs.quantities = {CurvatureQuantity::Trace, quantity};
    needs.budgetBytes = alone->predictedBytes - 1;
    std::vector<QuantityLeftOut> leftOut;
    if (const auto some = planWhatFits(needs, leftOut)) {
        QVERIFY(some->predictedBytes <= needs.budgetBytes);
        for (const QuantityLeftOut& one : leftOut) {
            QVERIFY(!needs.quantities.contains(one.quantity));
            QVERIFY2(leftOutSentence(one).find(" is left out: ") != std::string::npos, one.reason.c_str());
        }
        QVERIFY(!needs.quantities.empty());
    } else {
        QCOMPARE(some.error().code, ErrorCode::OverBudget);
        QVERIFY(leftOut.empty());
    }
    // and by the roofline.
    QVERIFY(curvatureGradients(experiment, modelWork(experiment)) > 1);
}

void TestClosedFormsCurvature::unknownQuantity()
{
    const auto read = experimentFromJson(curvature(tinyDocument(), "laplacian"));
    QVERIFY(!read.ok());
    QCOMPARE(read.error().context, std::string("curvature.quantities"));
    QVERIFY2(read.error().message.starts_with("\"laplacian\" is not one of diagonal, block_diagonal, full, "),
             read.error().message.c_str());
    QCOMPARE(valueOf("laplacian", CurvatureQuantity::Kfac), CurvatureQuantity::Kfac);
}

// As written, in any order and twice.
void TestClosedFormsCurvature::quantitiesAsWritten()
{
    Json document = curvature(tinyDocument(), "trace");
    document["curvature"]["quantities"] = {"trace", "diagonal", "trace"};
    const Experiment experiment = experimentOf(document);
    const std::vector quantities{CurvatureQuantity::Trace, CurvatureQuantity::Diagonal, CurvatureQuantity::Trace};
    QCOMPARE(experiment.curvature->quantities, quantities);
    QVERIFY(experiment.document["curvature"]["quantities"] == document["curvature"]["quantities"]);
    QVERIFY(experimentDocument(experiment)["curvature"]["quantities"] == document["curvature"]["quantities"]);
}

// A product beside the weights: of quadrature, which keeps two vectors more.
std::int64_t productOf(const Json& document, const char* method = "auto", std::int64_t elementBytes = 4)
{
    return hessianOf(curvature(document, "density", method)) -
           2 * parameterCount(experimentOf(document).model.config) * elementBytes;
}

void TestClosedFormsCurvature::denseHessian()
{
    const std::int64_t all = parameterCount(experimentOf(tinyDocument()).model.config);
    QCOMPARE(hessianOf(curvature(tinyDocument(), "full")), productOf(tinyDocument()) + all * all * 4);
    Json wide = tinyDocument();
    wide["dtype"] = "float64";
    QCOMPARE(hessianOf(curvature(wide, "full")), productOf(wide, "auto", 8) + all * all * 8);
    const Json names{{"select", "names"}, {"names", {"model.decoder.layers.0.fc1.weight"}}};
    // Names as the engine takes them: patterns, and a tied head by its own name.
    const Json pattern{{"select", "names"}, {"names", {"*layers.0.fc1.weight"}}};
    QCOMPARE(estimateOf(curvature(tinyDocument(), "trace", "auto", pattern)).peakBytes,
             estimateOf(curvature(tinyDocument(), "trace", "auto", names)).peakBytes);
    const Json head{{"select", "names"}, {"names", {"lm_head.weight"}}};
    const Json table{{"select", "names"}, {"names", {"model.decoder.embed_tokens.weight"}}};
    QCOMPARE(estimateOf(curvature(tinyDocument(), "trace", "auto", head)).peakBytes,
             estimateOf(curvature(tinyDocument(), "trace", "auto", table)).peakBytes);
    // With adapters too, which leave it frozen.
    Json adapted = curvature(tinyDocument(), "trace", "double_backward", names);
    adapted["training"]["lora"] = {{"rank", 2}};
    QVERIFY(estimateOf(adapted).peakBytes > 0);
    const std::int64_t block = hessianOf(curvature(tinyDocument(), "full", "auto", names));
    QCOMPARE(block - hessianOf(curvature(tinyDocument(), "density", "auto", names)), std::int64_t{126 * 128 * 4});
}

void TestClosedFormsCurvature::denseHessianBeyondIntegers()
{
    Json document = tinyDocument();
    document["model"] = {{"id", "llama-2-70b"}};
    const MemoryEstimate estimate = estimateOf(curvature(document, "full"));
    QCOMPARE(estimate.peakBytes, kMostFormBytes);
    const bool said = std::any_of(estimate.notes.begin(), estimate.notes.end(), [](const std::string& note) {
        return note.find("1.9e+22 bytes") != std::string::npos;
    });
    QVERIFY(said);
}

void TestClosedFormsCurvature::wholeHessianIsRefused_data()
{
    QTest::addColumn<qint64>("size");
    QTest::addColumn<qint64>("room");
    QTest::addColumn<QString>("says"); // empty: computed
    QTest::newRow("small, no budget") << qint64(1000) << qint64(-1) << "";
    QTest::newRow("the largest, no budget") << qint64(20000) << qint64(-1) << "";
    QTest::newRow("one more, no budget") << qint64(20001) << qint64(-1) << "at most 20000 parameters fit";
    QTest::newRow("of a whole model") << qint64(7'000'000'000) << qint64(-1) << "is past the 20000 of any machine";
    // 28 bytes an entry in float32, 1056 a row and 32 KiB: 1000 parameters take 29,088,768.
    QTest::newRow("within the budget") << qint64(1000) << qint64(29'088'768) << "";
    QTest::newRow("a byte too many") << qint64(1000) << qint64(29'088'767) << "at most 999 parameters fit";
    QTest::newRow("nothing left") << qint64(1000) << qint64(0) << "at most 0 parameters fit";
}

void TestClosedFormsCurvature::wholeHessianIsRefused()
{
    QFETCH(qint64, size);
    QFETCH(qint64, room);
    QFETCH(QString, says);
    const QString refusal = QString::fromStdString(fullHessianRefusal(size, 4, room));
    QCOMPARE(refusal.isEmpty(), says.isEmpty());
    QVERIFY2(refusal.contains(says), qPrintable(refusal));
}

void TestClosedFormsCurvature::krylovVectors()
{
    const std::int64_t all = parameterCount(experimentOf(tinyDocument()).model.config);
    const std::int64_t product = productOf(tinyDocument());
    // As many as the engine takes: 80 where 4 GiB hold them, and a direction.
    QCOMPARE(hessianOf(curvature(tinyDocument(), "eigenvalues")), product + 81 * all * 4);
    Json within = curvature(tinyDocument(), "eigenvalues");
    within["budget_bytes"] = estimateOf(curvature(tinyDocument(), "eigenvalues")).peakBytes - 60 * all * 4;
    QCOMPARE(hessianOf(within), product + 21 * all * 4);
    within["budget_bytes"] = 1;
    QCOMPARE(hessianOf(within), product + (5 + 3 + 1) * all * 4);
    // Hutch++ sketches the range with a third of its probes, ten at most.
    QCOMPARE(hessianOf(curvature(tinyDocument(), "trace")), product + 10 * all * 4 + 16 * all);
    Json few = curvature(tinyDocument(), "trace");
    few["curvature"]["probes"] = 6;
    QCOMPARE(hessianOf(few), product + 2 * all * 4 + 16 * all);
}

void TestClosedFormsCurvature::kroneckerFactors()
{
    // A layer: one 8 × 8 of q, k, v's input and one of each of their outputs, out_proj's two, fc1's 8 × 8 and 16 × 16,
    // fc2's 16 × 16 and 8 × 8; then the head's input.
    const std::int64_t layer = 64 + 3 * 64 + 2 * 64 + 64 + 256 + 256 + 64;
    QCOMPARE(hessianOf(curvature(tinyDocument(), "kfac")), (2 * layer + 64) * 4);
}

void TestClosedFormsCurvature::gradientPairs()
{
    const std::int64_t all = parameterCount(experimentOf(tinyDocument()).model.config);
    QCOMPARE(hessianOf(curvature(tinyDocument(), "lbfgs")), 20 * all * 4);
}

void TestClosedFormsCurvature::squaredGradients()
{
    const std::int64_t all = parameterCount(experimentOf(tinyDocument()).model.config);
    for (const char* quantity : {"fisher_diagonal", "ggn_diagonal"}) {
        const MemoryEstimate whole = estimateOf(curvature(tinyDocument(), quantity));
        QCOMPARE(part(whole, Component::Hessian), all * 4);
        QCOMPARE(part(whole, Component::PerSampleGradients), std::int64_t{3 * 300 * 8 * 4});
        const Json sample{{"select", "sample"}, {"count", 50}};
        QCOMPARE(hessianOf(curvature(tinyDocument(), quantity, "auto", sample)), std::int64_t{50 * 8});
    }
}

void TestClosedFormsCurvature::routes()
{
    const std::int64_t all = parameterCount(experimentOf(tinyDocument()).model.config);
    const auto simulated = simulateTraining(experimentOf(tinyDocument()));
    // Without what a run holds beside its first product: two vectors, and a dot product's pieces in float64.
    const auto hessian = [all](const char* method) {
        return productOf(tinyDocument(), method) - (byTape(valueOf(method, ProductMethod::Auto)) ? 0 : 16 * all);
    };
    // Two gradients and the weights to put back: direction, first gradient, copy.
    QCOMPARE(hessian("finite_difference"), 3 * all * 4);
    // Tangents of the graph, two tensors of logits, direction and product.
    const std::int64_t logits = 3 * 10 * 300 * 4;
    const std::int64_t graph = hessian("auto") - 2 * logits - 2 * all * 4;
    QVERIFY(graph > 0 && graph < simulated->peakBytes);
    QCOMPARE(hessian("forward_over_reverse"), 2 * graph + 3 * logits + 2 * all * 4);
    QVERIFY(hessian("double_backward") > hessian("reverse_over_forward"));
    QCOMPARE(hessian("row"), hessian("auto")); // finds entries only, products go the usual way
    QVERIFY(hessian("reverse_over_forward") > hessian("auto")); // with the scores of the math form of attention
}

void TestClosedFormsCurvature::entriesByRowsAndJets()
{
    const Json sample{{"select", "sample"}, {"count", 50}};
    Json document = tinyDocument();
    document["model"]["hidden"] = 64;
    document["model"]["ffn"] = 256;
    const auto peakNote = [&](const char* method) {
        const MemoryEstimate estimate = estimateOf(curvature(document, "diagonal", method, sample));
        return estimate.notes.back() + " " + estimate.notes.front() + estimate.notes.at(estimate.notes.size() - 2);
    };
    QVERIFY(QString::fromStdString(peakNote("auto")).contains("diagonal by row")); // 10 < 64 / 3
    // Without a vector as long as the parameters, rows take less than a product.
    const std::int64_t row = estimateOf(curvature(document, "diagonal", "row", sample)).peakBytes;
    QVERIFY(row < estimateOf(curvature(document, "diagonal", "reverse_over_forward", sample)).peakBytes);
    // The whole diagonal is one vector more than its entries' computation.
    const std::int64_t all = parameterCount(experimentOf(document).model.config);
    QCOMPARE(hessianOf(curvature(document, "diagonal", "row")) -
                 hessianOf(curvature(document, "diagonal", "row", sample)),
             all * 4 - 50 * 8);
    document["data"]["seq"] = 30; // 30 > 64 / 3
    Json longer = curvature(document, "diagonal", "auto", sample);
    QCOMPARE(hessianOf(longer), hessianOf(curvature(document, "diagonal", "jets", sample)));
}

// Every way to cut a list in so many runs: the largest run of the best.
std::int64_t leastLargest(const std::vector<std::int64_t>& counts, std::size_t begin, std::size_t passes)
{
    constexpr std::int64_t kNone = std::int64_t{1} << 60;
    if (passes == 0)
        return begin == counts.size() ? 0 : kNone;
    std::int64_t best = kNone, run = 0;
    for (std::size_t end = begin; end < counts.size(); ++end) {
        run += counts[end];
        best = std::min(best, std::max(run, leastLargest(counts, end + 1, passes - 1)));
    }
    return best;
}

void TestClosedFormsCurvature::alignmentPasses_data()
{
    QTest::addColumn<QList<qint64>>("counts");
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("passes");
    QTest::newRow("equal ones") << QList<qint64>(36, 5) << qint64{16} << qint64{18}; // nine vectors, a half of one
    QTest::newRow("few rows") << QList<qint64>(12, 7) << qint64{4} << qint64{6};     // three
    QTest::newRow("a large one") << QList<qint64>{3, 4, 90, 2, 2, 1} << qint64{16} << qint64{3};
    QTest::newRow("a large first one") << QList<qint64>{90, 80, 5, 5} << qint64{100} << qint64{2};
    QTest::newRow("balanced") << QList<qint64>{5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9, 1, 1, 4} << qint64{3}
                              << qint64{4};
    QTest::newRow("nothing to align") << QList<qint64>{8, 8, 8} << qint64{2} << qint64{1};
}

// As few as the bound allows, and the largest of these as small as that number of them allows.
void TestClosedFormsCurvature::alignmentPasses()
{
    QFETCH(QList<qint64>, counts);
    QFETCH(qint64, rows);
    QFETCH(qint64, passes);
    const std::vector<std::int64_t> tensors(counts.begin(), counts.end());
    const auto found = peakscope::alignmentPasses(tensors, 4, rows, 0);
    QCOMPARE(qint64(found.size()), passes);
    std::size_t next = 0;
    for (const AlignmentPass& pass : found) {
        QCOMPARE(pass.begin, next);
        QCOMPARE(pass.elements, std::accumulate(tensors.begin() + pass.begin, tensors.begin() + pass.end, 0LL));
        next = pass.end;
    }
    QCOMPARE(next, tensors.size());
    const std::int64_t all = std::accumulate(tensors.begin(), tensors.end(), 0LL), most = mostElements(found);
    QCOMPARE(peakscope::alignmentPasses(tensors, 4, rows, 4 * all).size(), std::size_t{1});
    if (rows < 3)
        return;
    const std::int64_t largest = *std::max_element(tensors.begin(), tensors.end());
    const std::int64_t bound = std::max(largest, all / (2 * (alignedGradients(rows) + 1)));
    QVERIFY(most <= bound);
    if (tensors.size() < 20) {
        QCOMPARE(most, leastLargest(tensors, 0, found.size()));
        QVERIFY(leastLargest(tensors, 0, found.size() - 1) > bound);
    }
}

// A vector of 1 GiB is kept whole, ten times; of one that is larger a half is kept beside the gradient.
void TestClosedFormsCurvature::alignmentOfLargeVectors()
{
    const std::vector<std::int64_t> tensors(128, std::int64_t{1} << 21);
    QCOMPARE(peakscope::alignmentPasses(tensors, 4, 16).size(), std::size_t{1});
    QVERIFY(peakscope::alignmentPasses(tensors, 8, 16).size() >= 18);
    CurvatureNeeds needs;
    needs.config = findModel("opt-6.7b")->config;
    needs.parameters = parameterSpecs(needs.config);
    needs.wanted.assign(needs.parameters.size(), true);
    needs.rows = 16;
    needs.length = 128;
    needs.quantities = {CurvatureQuantity::Features};
    needs.opens = needs.mayHold = false;
    const auto planned = [&](std::int64_t bytes, std::int64_t onePassBytes) {
        needs.elementBytes = bytes;
        needs.onePassBytes = onePassBytes;
        return static_cast<double>(planCurvature(needs)->predictedBytes);
    };
    const auto vector = static_cast<double>(parameterCount(needs.config));
    for (const std::int64_t bytes : {2, 4, 8}) {
        const double own = vector * static_cast<double>(bytes);
        // Two vectors of a product; ten of alignment that is done at once.
        QVERIFY(planned(bytes, kOnePassBytes) > 2 * own && planned(bytes, kOnePassBytes) < 2.2 * own);
        QVERIFY(planned(bytes, std::int64_t{1} << 60) > 10 * own);
    }
}

void TestClosedFormsCurvature::a800_data()
{
    QTest::addColumn<std::int64_t>("devices"); // that hold it in float32 with exact entries by rows
    QTest::addColumn<bool>("products");        // whether one device also holds products with the whole Hessian
    QTest::newRow("opt-125m") << std::int64_t{1} << true;
    QTest::newRow("opt-350m") << std::int64_t{1} << true;
    QTest::newRow("opt-1.3b") << std::int64_t{1} << true;
    QTest::newRow("opt-2.7b") << std::int64_t{1} << true;
    QTest::newRow("opt-6.7b") << std::int64_t{1} << false;
    QTest::newRow("opt-13b") << std::int64_t{1} << false;
    QTest::newRow("opt-30b") << std::int64_t{3} << false;
}

void TestClosedFormsCurvature::a800()
{
    QFETCH(std::int64_t, devices);
    QFETCH(bool, products);
    const auto device = findDevice("a800-80gb");
    const std::int64_t room = device->usableBytes - device->contextBytes;
    Json document = tinyDocument();
    document["model"] = {{"id", QTest::currentDataTag()}};
    document["data"] = {{"batch", 4}, {"seq", 128}};
    document["training"]["sharding"] = "zero3";
    const Json sample{{"select", "sample"}, {"count", 10000}};
    EstimateOptions options;
    options.cuda = true;
    options.modules = false;
    std::int64_t needed = 1;
    for (;; ++needed) {
        options.devices = needed;
        document["data"]["batch"] = 4 * needed; // four rows on each
        document["training"]["sharding"] = needed == 1 ? "none" : "zero3";
        if (estimateOf(curvature(document, "diagonal", "auto", sample), options).peakReservedBytes <= room) {
            break;
        }
        QVERIFY(needed < 16);
    }
    QCOMPARE(needed, devices);
    options.devices = 1;
    document["data"]["batch"] = 4;
    document["training"]["sharding"] = "none";
    const MemoryEstimate whole = estimateOf(curvature(document, "diagonal", "double_backward", sample), options);
    QCOMPARE(whole.peakReservedBytes <= room, products);
}

void TestClosedFormsCurvature::badInput_data()
{
    QTest::addColumn<QString>("assignment");
    QTest::addColumn<qint64>("devices");
    QTest::addColumn<QString>("message");
    QTest::newRow("no device") << "training.sharding=zero2" << qint64{0} << "devices: 0 is below 1";
    QTest::newRow("unknown name")
        << R"(curvature={"quantities":["trace"],"parameters":{"select":"names","names":["fc9"]}})" << qint64{1}
        << "curvature.parameters.names: \"fc9\" is not a trained parameter of this model (they are named like "
           "model.decoder.embed_tokens.weight)";
    QTest::newRow("index beyond the tensor")
        << R"(curvature={"quantities":["diagonal"],"parameters":{"select":"entries","entries":[{"parameter":)"
           R"("model.decoder.layers.0.fc1.bias","index":16}]}})"
        << qint64{1}
        << "curvature.parameters.entries: index 16 is beyond model.decoder.layers.0.fc1.bias, which has 16 entries";
    // As the engine refuses to run it.
    QTest::newRow("16 bits")
        << "dtype=bfloat16 curvature={\"quantities\":[\"trace\"]}" << qint64{1}
        << "dtype: second derivatives of bfloat16 weights drown in rounding; \"float32\" reads the "
           "same weights and has them exactly";
    QTest::newRow("autocast") << "training.amp=bfloat16 curvature={\"quantities\":[\"trace\"]}" << qint64{1}
                              << "training.amp: curvature is not computed under autocast; it runs \"none\"";
}

void TestClosedFormsCurvature::badInput()
{
    QFETCH(QString, assignment);
    QFETCH(qint64, devices);
    QFETCH(QString, message);
    Json document = tinyDocument();
    for (const QString& one : assignment.split(u' '))
        QVERIFY(applyAssignment(document, one.toStdString()).ok());
    document["kind"] = document.contains("curvature") ? "curvature" : "memory";
    EstimateOptions options;
    options.devices = devices;
    const auto estimate = estimateClosedForm(experimentOf(document), options);
    QVERIFY(!estimate.ok());
    QCOMPARE(QString::fromStdString(estimate.error().text()), message);
}

PEAKSCOPE_APPLESS_TEST(TestClosedFormsCurvature)
#include "test_closed_forms_curvature.moc"
