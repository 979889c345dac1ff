// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Small programs of what people train with today (tests/programs/recipes.json, "small"), recorded dry by the command
// line in $PEAKSCOPE_DRY_PYTHON: their last step's bytes are those of the table, and where that is counted easily, what
// stays when the steps are over is weights and the optimiser's states. Other versions allocate otherwise and are
// skipped.
#include "tests/engine/process/said.h"
#include "tests/test_room.h"

#include <QDir>
#include <QTemporaryDir>

#include <map>
#include <optional>

using namespace peakscope;
using nlohmann::json;

namespace {

const QString kPrograms = QStringLiteral(PEAKSCOPE_SOURCE_DIR "/tests/programs/");

// The versions of packages, null for one that is not there, and whether Triton can compile its launcher.
constexpr char kProbe[] = R"(
import importlib.metadata, json, os, shutil, sys, sysconfig
def version(name):
    try:
        return importlib.metadata.version(name).split("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return None
found = {name: version(name) for name in sys.argv[1:]}
found["Python.h"] = os.path.exists(sysconfig.get_paths()["include"] + "/Python.h")
found["compiler"] = any(map(shutil.which, (os.environ.get("CC", "gcc"), "gcc", "clang")))
print(json.dumps(found))
)";

// The allocator's smallest unit.
std::int64_t rounded(std::int64_t bytes)
{
    return (bytes + 511) / 512 * 512;
}

std::vector<std::int64_t> tensorSizes(const json& model)
{
    const auto at = [&model](const char* key) { return model.at(key).get<std::int64_t>(); };
    const std::int64_t width = at("hidden_size"), inner = at("intermediate_size");
    const std::int64_t keys = width / at("num_attention_heads") * at("num_key_value_heads");
    std::vector<std::int64_t> sizes{at("vocab_size") * width, width};
    for (std::int64_t layer = 0; layer < at("num_hidden_layers"); ++layer) {
        sizes.insert(sizes.end(), {width * width, keys * width, keys * width, width * width, inner * width,
                                   inner * width, width * inner, width, width});
        if (model.at("model_type") == "qwen2")
            sizes.insert(sizes.end(), {width, keys, keys});
    }
    return sizes;
}

// A loop in bfloat16: weights, states, and twice the frequencies of the rotary embedding.
std::int64_t loopHolds(const json& model, const std::string& words)
{
    const bool bytes = words.find("8bit") != std::string::npos, paged = words.find("paged") != std::string::npos;
    std::int64_t sum = 2 * rounded(model.at("hidden_size").get<std::int64_t>() /
                                   model.at("num_attention_heads").get<std::int64_t>() / 2 * 4);
    for (const std::int64_t size : tensorSizes(model)) {
        sum += rounded(2 * size);
        if (!bytes)
            sum += 2 * rounded(2 * size) + rounded(4); // AdamW's moments and its count of steps
        else if (size < 4096)
            sum += 2 * rounded(4 * size); // too small for bitsandbytes
        else                              // a byte each, a scale for each 256; pages are outside the allocator
            sum += 2 * (paged && size >= 100'000 ? 0 : rounded(size)) + 2 * rounded(4 * ((size + 255) / 256));
    }
    return sum + (bytes ? 2 * rounded(256 * 4) : 0); // what 256 codes mean
}

// One block of recipes.py's own module, in float32, with the last step's loss and batch of 4.
std::int64_t compiledHolds(std::int64_t vocabulary, std::int64_t width, std::int64_t words)
{
    const std::int64_t square = width * width;
    std::int64_t sum = rounded(4 * words * 8) + rounded(4);
    for (const std::int64_t size : {vocabulary * width, width, width, width, width, 3 * square, 3 * width, square,
                                    width, 4 * square, 4 * width, 4 * square, width, width, width, vocabulary * width})
        sum += 3 * rounded(4 * size) + rounded(4);
    return sum;
}

} // namespace

class TestRecipes : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_python = qEnvironmentVariable("PEAKSCOPE_DRY_PYTHON");
        if (m_python.isEmpty())
            QSKIP("PEAKSCOPE_DRY_PYTHON names no Python with a PyTorch that the stand-in knows");
        QVERIFY(m_table.is_object());
        QStringList words{QStringLiteral("-c"), QString::fromLatin1(kProbe)};
        for (const json& pin : m_table.at("stack")) {
            const QStringList parts = QString::fromStdString(pin.get<std::string>()).split(QStringLiteral("=="));
            QCOMPARE(parts.size(), 2);
            m_stack[parts[0].toStdString()] = parts[1].toStdString();
            words << parts[0];
        }
        QProcess probe;
        probe.start(m_python, words);
        const test::Said said = test::endOf(probe);
        m_found = json::parse(said.out.toStdString(), nullptr, false);
        QVERIFY2(said.status == 0 && m_found.is_object(), qPrintable(said.error));
    }

    void lastStep_data()
    {
        QTest::addColumn<int>("process");
        QTest::addColumn<int>("place");
        const json& small = m_table.at("small");
        for (std::size_t process = 0; process < small.size(); ++process) {
            for (std::size_t place = 0; place < small[process].size(); ++place)
                QTest::newRow(small[process][place].at("words").get<std::string>().c_str())
                    << static_cast<int>(process) << static_cast<int>(place);
        }
    }
    void lastStep()
    {
        QFETCH(int, process);
        QFETCH(int, place);
        const json& row = m_table.at("small").at(process).at(place);
        if (const std::string lacks = lacking(row); !lacks.empty())
            QSKIP(lacks.c_str());
        if (!m_ends.contains(process))
            m_ends[process] = recorded(m_table.at("small").at(process));
        const End& end = m_ends[process];
        const std::string words = row.at("words").get<std::string>();
        QVERIFY2(end.said.status == 0 && end.answers.contains(words), qPrintable(end.said.error.right(2000)));
        QVERIFY(end.lastEvent.is_object() && end.lastEvent.value("event", "") == "end");
        QCOMPARE(end.lastEvent.value("status", ""), std::string("complete"));
        QVERIFY(end.lastEvent.value("file", "").ends_with("/run.json"));
        const json& answer = end.answers.at(words);
        QCOMPARE(answer.at("allocated").get<std::int64_t>(), row.at("allocated").get<std::int64_t>());
        QCOMPARE(answer.at("reserved").get<std::int64_t>(), row.at("reserved").get<std::int64_t>());
        if (const auto holds = held(words))
            QCOMPARE(answer.at("held").get<std::int64_t>(), *holds);
        // Five tables of scores, the labels, the loss and its count of words.
        if (words == "cross-entropy vocabulary=256")
            QCOMPARE(answer.at("allocated").get<std::int64_t>(), 8 * 2048 * (5 * 256 * 4 + 8) + 2 * 512);
    }

private:
    struct End {
        test::Said said;
        std::map<std::string, json> answers; // by the words of a row
        json lastEvent = {};
    };

    // Why a row can't be run here; empty: it can.
    std::string lacking(const json& row) const
    {
        std::vector<std::string> needs{"torch", "transformers"};
        for (const json& name : row.at("needs"))
            needs.push_back(name.get<std::string>());
        for (const std::string& name : needs) {
            const json& version = m_found.at(name);
            if (version.is_null())
                return name + " is not installed";
            if (version != m_stack.at(name))
                return name + " is " + version.get<std::string>() + ", the bytes are those of " + m_stack.at(name);
            for (const char* tool : {"compiler", "Python.h"}) {
                if (name == "triton" && !m_found.at(tool).get<bool>())
                    return std::string("triton has no ") + tool;
            }
        }
        return {};
    }

    // Those of a process that can be run here, one after another.
    End recorded(const json& rows) const
    {
        const QTemporaryDir folder;
        QStringList before{QStringLiteral("record"),       QStringLiteral("--device"),
                           QStringLiteral("dry:rtx-4090"), QStringLiteral("--steps"),
                           QStringLiteral("1000"),         QStringLiteral("--allow-saves"),
                           QStringLiteral("--out"),        folder.filePath(QStringLiteral("run.json")),
                           QStringLiteral("--events"),     folder.filePath(QStringLiteral("events"))};
        QStringList words;
        std::vector<std::string> names;
        for (const json& row : rows) {
            if (!lacking(row).empty())
                continue;
            names.push_back(row.at("words").get<std::string>());
            QString said = QString::fromStdString(names.back());
            if (row.contains("ghost")) {
                const QString ghost = folder.filePath(QString::fromStdString(row.at("ghost").get<std::string>()));
                QFile config(ghost + QStringLiteral("/config.json"));
                if (!config.exists()) {
                    before << QStringLiteral("--ghost") << ghost;
                    if (!QDir().mkpath(ghost) || !config.open(QIODevice::WriteOnly) ||
                        config.write(m_table.at("models").at(row.at("ghost")).dump().c_str()) < 0)
                        return {{-1, {}, ghost + QStringLiteral(" cannot be written")}, {}};
                }
                said.replace(QStringLiteral("GHOST"), ghost);
            }
            words << (words.isEmpty() ? QStringList() : QStringList{QStringLiteral("+")}) << said.split(u' ');
        }
        QProcess process;
        process.setWorkingDirectory(folder.path());
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TORCHINDUCTOR_COMPILE_THREADS"),
                           QStringLiteral("1")); // each imports PyTorch
        process.setProcessEnvironment(environment);
        process.start(test::kCli,
                      before << QStringLiteral("--") << m_python << kPrograms + QStringLiteral("recipes.py") << words);
        End end{test::endOf(process), {}};
        QFile events(folder.filePath(QStringLiteral("events")));
        const QByteArrayList told =
            events.open(QIODevice::ReadOnly) ? events.readAll().trimmed().split('\n') : QByteArrayList();
        end.lastEvent = told.isEmpty() ? json() : json::parse(told.last().toStdString(), nullptr, false);
        std::size_t place = 0;
        for (const QString& line : end.said.out.split(u'\n')) {
            json answer = json::parse(line.toStdString(), nullptr, false);
            if (answer.is_object() && place < names.size())
                end.answers[names[place++]] = std::move(answer);
        }
        return end;
    }

    // What is allocated once a loop's last step is over; nothing: not counted here.
    std::optional<std::int64_t> held(const std::string& words) const
    {
        if (words.starts_with("loop ")) {
            const std::string rest = words.substr(5);
            return loopHolds(m_table.at("models").at(rest.substr(0, rest.find(' '))), words);
        }
        if (words == "compiled vocabulary=2048 width=128 layers=1 words=128")
            return compiledHolds(2048, 128, 128);
        return std::nullopt;
    }

    const json m_table = test::readJson(kPrograms + QStringLiteral("recipes.json"));
    QString m_python;
    std::map<std::string, std::string> m_stack;
    json m_found;
    std::map<int, End> m_ends;
};

PEAKSCOPE_TEST(TestRecipes)
#include "test_recipes.moc"
