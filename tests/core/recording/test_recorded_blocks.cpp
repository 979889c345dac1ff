// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What blocks of a recorded program were for, by events as the probe writes them.
#include "core/recording/recorded_blocks.h"
#include "core/recording/recorded_memory.h"
#include "tests/test_room.h"

#include <QTest>

#include <numeric>

using namespace peakscope;

namespace {

ProbeNames names()
{
    ProbeNames made;
    for (const char* line :
         {"f 0 load", "f 1 data", "f 2 forward", "f 3 backward", "f 4 optimizer_step", "f 5 evaluate", "c 1 parameters",
          "c 2 frozen", "c 3 gradients", "c 4 optimizer_states", "o 1 aten::mm", "o 2 aten::add", "m 2 0\tLinear",
          "m 3 blocks.1.q_proj\tLinear", "m 4 1\tReLU", "m 1 layers.0.mlp\tFeedForward",
          "p 1 0\t7\t0\tforward\t/home/a/model.py", "p 2 1\t9\t1\tlinear\t/x/torch/nn/functional.py"})
        made.add(line);
    return made;
}

enum { Load, Data, Forward, Backward, Step, Evaluate };

// A program, told event by event.
class Told
{
public:
    ProbeEvent now; // what is at work

    void phase(int phase, int step = 0)
    {
        now.phase = static_cast<std::uint8_t>(phase);
        now.step = step;
        tell(ProbeKind::Phase);
    }
    // Gives the number of the block.
    std::size_t allocate(std::uint64_t address, std::int64_t bytes)
    {
        tell(ProbeKind::Allocate, address, bytes);
        return blocks.blocks().size() - 1;
    }
    void free(std::uint64_t address) { tell(ProbeKind::Free, address); }
    void tell(ProbeKind kind, std::uint64_t address = 0, std::int64_t bytes = 0)
    {
        ProbeEvent event = now;
        event.kind = kind;
        event.address = address;
        event.bytes = bytes;
        event.nanoseconds = m_time += 1000;
        blocks.add(event, m_names);
    }
    void root() { tell(ProbeKind::RootBegin); }
    Component of(std::size_t block) const { return componentOf(blocks.blocks()[block]); }

    explicit Told(int device = kProcessor) : blocks(device) { now.device = static_cast<decltype(now.device)>(device); }

    RecordedBlocks blocks;

private:
    ProbeNames m_names = names();
    std::int64_t m_time = 0;
};

std::string stackOf(const MemorySection& memory, std::size_t event)
{
    const std::uint32_t number = memory.owners.stack.at(event);
    return number == 0 ? std::string() : memory.owners.stacks.at(number - 1);
}

} // namespace

class TestRecordedBlocks : public QObject
{
    Q_OBJECT

private slots:
    void forwardPass()
    {
        Told told;
        told.phase(Data);
        const auto batch = told.allocate(0x1000, 64), dropped = told.allocate(0x1100, 64);
        told.free(0x1100);
        told.phase(Forward);
        told.root();
        told.now.outer = 1;
        const auto scratch = told.allocate(0x2000, 16), kept = told.allocate(0x3000, 32);
        told.free(0x2000);
        told.now.outer = 2;
        const auto between = told.allocate(0x4000, 32);
        told.now.outer = 3;
        told.free(0x4000);
        QCOMPARE(told.of(batch), Component::Inputs);
        QCOMPARE(told.of(dropped), Component::Workspace);
        QCOMPARE(told.of(scratch), Component::Workspace); // within one operator
        QCOMPARE(told.of(between), Component::Workspace); // within one forward pass: no graph kept it
        QCOMPARE(told.of(kept), Component::Activations);
        told.now.outer = 0;
        told.phase(Backward);
        told.tell(ProbeKind::BackwardBegin);
        told.free(0x3000);
        QCOMPARE(told.of(kept), Component::Activations);
    }

    // On a card, behind a product's result: what cuBLAS keeps is no module's, and what it gives back is the operator's.
    void whatCublasKeeps()
    {
        constexpr std::int64_t kBytes = 8519680;
        Told told(0);
        told.phase(Forward);
        told.root();
        told.now.module = 2;
        told.now.operation = 1;
        told.now.outer = 1;
        const auto large = told.allocate(0x1000000, kBytes), kept = told.allocate(0x2000000, kBytes);
        told.now.outer = 2;
        const auto other = told.allocate(0x3000000, 64), back = told.allocate(0x4000000, kBytes);
        told.free(0x4000000);
        QCOMPARE(told.of(large), Component::Activations);
        QCOMPARE(told.of(other), Component::Activations);
        QCOMPARE(told.of(kept), Component::Workspace);
        QCOMPARE(told.of(back), Component::Workspace);
        std::vector<std::string> notes;
        const MemorySection memory = recordedMemory(told.blocks, names(), notes);
        QCOMPARE(memory.owners.module, std::vector<std::uint32_t>({1, 0, 1, 1, 1}));
    }

    // Outside any pass what goes before the next one is scratch, and what lives longer is not, up to the program's end.
    void outsideAnyPass()
    {
        Told told;
        told.phase(Forward);
        told.root();
        const auto answer = told.allocate(0x1000, 8);
        told.phase(Data);
        const auto metric = told.allocate(0x2000, 8), scratch = told.allocate(0x3000, 8);
        told.free(0x3000);
        told.phase(Backward);
        told.phase(Data);
        told.free(0x2000);
        const auto last = told.allocate(0x4000, 8);
        told.phase(Forward);
        told.phase(Data);
        const auto toTheEnd = told.allocate(0x5000, 8);
        told.tell(ProbeKind::Leave);
        for (const std::uint64_t address : {0x1000, 0x4000, 0x5000})
            told.free(address);
        QCOMPARE(told.of(answer), Component::Activations);
        QCOMPARE(told.of(scratch), Component::Workspace);
        for (const auto lives : {metric, last, toTheEnd})
            QCOMPARE(told.of(lives), Component::Other);
    }

    void backwardPass()
    {
        Told told;
        told.phase(Backward);
        told.tell(ProbeKind::BackwardBegin);
        told.now.node = 5;
        told.now.flags = kProbeInNode;
        const auto within = told.allocate(0x1000, 8), flows = told.allocate(0x2000, 8);
        told.free(0x1000);
        told.now.flags = kProbeInNode | kProbeGradMode;
        const auto repeated = told.allocate(0x3000, 8); // by operators
        told.now.flags = kProbeInNode | kProbeModuleInBackward;
        const auto called = told.allocate(0x4000, 8); // by a module
        told.now.flags = kProbeInNode | kProbeGradMode | kProbeGradModeOfNode;
        const auto second = told.allocate(0x5000, 8);
        told.now.node = 6;
        told.free(0x2000);
        QCOMPARE(told.of(within), Component::Workspace);
        QCOMPARE(told.of(flows), Component::ActivationGradients);
        QCOMPARE(told.of(repeated), Component::Activations);
        QCOMPARE(told.of(called), Component::Activations);
        QCOMPARE(told.of(second), Component::Hessian);
    }

    void gradients()
    {
        Told told;
        told.phase(Backward);
        told.now.node = 5;
        const auto handed = told.allocate(0x1000, 8);
        told.now.node = 6;
        told.tell(ProbeKind::NodeBegin, 0, 1);
        const auto made = told.allocate(0x2000, 8);
        told.tell(ProbeKind::NodeEnd, 0x1004); // a view of what came
        QCOMPARE(told.of(handed), Component::Gradients);
        QCOMPARE(told.of(made), Component::Gradients);
    }

    // What a weight that is used three times is handed is a sum, and a gradient as what it was added up from is.
    void gradientsOfAWeightUsedOften()
    {
        Told told;
        told.phase(Backward);
        told.tell(ProbeKind::BackwardBegin);
        std::uint32_t node = 10;
        const auto part = [&](std::uint64_t address, std::int64_t bytes) {
            told.now.node = ++node;
            told.now.flags = kProbeInNode;
            const auto born = told.allocate(address, bytes);
            told.now.node = 0;
            told.now.flags = 0;
            return born;
        };
        const auto sum = [&](std::uint64_t address, std::int64_t bytes) {
            told.now.outer = 5;
            told.now.operation = 2;
            const auto made = told.allocate(address, bytes);
            told.now.outer = told.now.operation = 0;
            return made;
        };
        const auto first = part(0x1000, 64), second = part(0x2000, 64), flows = part(0x3000, 64);
        const auto two = sum(0x4000, 64);
        told.free(0x1000);
        told.free(0x2000);
        told.free(0x3000); // of two there is a sum, not of three
        const auto third = part(0x5000, 64);
        const auto three = sum(0x6000, 64);
        told.free(0x4000);
        told.free(0x5000);
        // What flows on is added up, too, but handed to no weight.
        const auto left = part(0x7000, 64), right = part(0x8000, 64);
        const auto both = sum(0x9000, 64);
        told.free(0x7000);
        told.free(0x8000);
        told.now.node = ++node;
        told.tell(ProbeKind::NodeBegin, 0, 1);
        told.tell(ProbeKind::NodeEnd, 0x6000);
        for (const auto block : {first, second, two, third, three})
            QCOMPARE(told.of(block), Component::Gradients);
        for (const auto block : {flows, left, right, both})
            QCOMPARE(told.of(block), Component::ActivationGradients);
    }

    // An optimiser's step goes on after its closure.
    void closure()
    {
        Told told;
        told.phase(Data);
        told.phase(Step);
        const auto between = told.allocate(0x1000, 8), kept = told.allocate(0x2000, 8);
        told.phase(Forward);
        told.root();
        told.phase(Backward);
        told.tell(ProbeKind::BackwardBegin);
        told.tell(ProbeKind::BackwardEnd);
        told.phase(Step);
        told.free(0x1000);
        told.phase(Data);
        told.phase(Step, 1);
        told.free(0x2000);
        QCOMPARE(told.of(between), Component::Workspace);
        QCOMPARE(told.of(kept), Component::OptimizerStates);
    }

    void kindsOfLinearLayers()
    {
        Told told;
        told.phase(Load);
        for (std::uint32_t module = 1; module <= 4; ++module) {
            told.now.module = module;
            told.allocate(0x1000 * module, 8);
        }
        std::vector<std::string> notes;
        const MemorySection memory = recordedMemory(told.blocks, names(), notes);
        QCOMPARE(memory.modules.size(), std::size_t(4));
        QCOMPARE(memory.modules[1].kind, ModuleKind::Mlp); // in a bare nn.Sequential
        QCOMPARE(memory.modules[2].kind, ModuleKind::Attention);
        QVERIFY(!memory.modules[3].kind);
    }

    void byIdentity()
    {
        Told told;
        told.phase(Load, -1);
        const auto weight = told.allocate(0x1000, 64), frozen = told.allocate(0x2000, 64);
        told.tell(ProbeKind::Purpose, 0x1010, 1); // an address inside
        told.tell(ProbeKind::Purpose, 0x2000, 2);
        told.tell(ProbeKind::Purpose, 0x1000, 3); // a gradient in a parameter's storage
        told.tell(ProbeKind::Purpose, 0x1040, 4); // behind its end: of nothing
        told.phase(Step);
        const auto state = told.allocate(0x3000, 8), scratch = told.allocate(0x4000, 8);
        told.tell(ProbeKind::Purpose, 0x3000, 4);
        told.free(0x4000);
        QCOMPARE(told.of(weight), Component::Parameters);
        QCOMPARE(told.of(frozen), Component::Parameters);
        QCOMPARE(told.of(state), Component::OptimizerStates);
        QCOMPARE(told.of(scratch), Component::Workspace);
    }

    // A teacher's answer is an input of what is trained on it; what a generation keeps is not.
    void evaluation()
    {
        Told told;
        told.phase(Evaluate);
        told.root();
        const auto wanted = told.allocate(0x1000, 8), cache = told.allocate(0x2000, 8);
        told.phase(Data);
        told.phase(Evaluate);
        told.root();
        QCOMPARE(told.of(cache), Component::Activations);
        told.free(0x2000);
        told.phase(Data);
        told.phase(Forward);
        told.root();
        QCOMPARE(told.of(wanted), Component::Inputs);
    }

    // An address given twice was freed unseen, and of what is older than the recording no free is counted.
    void unseenFrees()
    {
        Told told;
        told.phase(Data);
        told.allocate(0x1000, 100);
        told.allocate(0x1000, 30);
        told.free(0x9000);
        QCOMPARE(told.blocks.liveBytes(), 30);
        QCOMPARE(told.blocks.entries().size(), std::size_t(3));
    }

    void memorySection()
    {
        Told told;
        told.phase(Forward);
        told.root();
        told.now.module = 1;
        told.now.operation = 1;
        told.now.place = 2; // of a whole stack: the line of the program's that called it counts
        told.allocate(0x1000, 300);
        told.now.module = 0;
        told.now.operation = 0;
        told.now.place = 0;
        told.allocate(0x2000, 500);
        told.free(0x1000);
        std::vector<std::string> notes;
        const MemorySection memory = recordedMemory(told.blocks, names(), notes);
        QCOMPARE(memory.peakBytes, 800);
        QCOMPARE(std::accumulate(memory.peakComponents.begin(), memory.peakComponents.end(), std::int64_t{0}), 800);
        QCOMPARE(memory.timeline.deltaBytes, (std::vector<std::int64_t>{300, 500, -300}));
        QCOMPARE(memory.owners.modules, std::vector<std::string>{"layers.0.mlp"});
        QCOMPARE(memory.owners.module, (std::vector<std::uint32_t>{1, 0, 1}));
        QCOMPARE(memory.owners.lines, std::vector<std::string>{"model.py:7 forward"});
        QCOMPARE(memory.modules.size(), std::size_t(1));
        QCOMPARE(memory.modules[0].kind, ModuleKind::Mlp);
        QCOMPARE(memory.modules[0].peakBytes, 300);
        QCOMPARE(memory.operators.at(0).name, std::string("aten::mm"));
        QCOMPARE(memory.operators.at(0).peakBytes, 300);
        QVERIFY(notes.empty());
        QVERIFY(!memory.has("operators.count") && !memory.has("modules.forward_seconds")); // rather than 0
        QVERIFY(memory.owners.stack.empty() && memory.owners.stacks.empty());              // nobody asked for them
    }

    // Of a program whose stacks were asked for an event has its own, of the program's code alone, the innermost first.
    void wholeStacks()
    {
        ProbeNames all = names();
        for (const char* line : {"p 3 0\t90\t0\tmain\t/home/a/train.py", "p 4 3\t8\t0\tstep\t/home/a/train.py",
                                 "p 5 4\t9\t1\tlinear\t/x/torch/nn/functional.py", "i 0 stacks\t1"})
            all.add(line);
        Told told;
        told.now.place = 5;
        told.allocate(0x1000, 300);
        told.now.place = 3;
        told.allocate(0x2000, 500);
        told.now.place = 0;
        told.allocate(0x3000, 600);
        told.now.flags = kProbeAdopted;
        told.allocate(0x4000, 700);
        told.free(0x1000);
        std::vector<std::string> notes;
        const MemorySection memory = recordedMemory(told.blocks, all, notes);
        QCOMPARE(stackOf(memory, 0), std::string("train.py:8 step; train.py:90 main"));
        QCOMPARE(stackOf(memory, 1), std::string("train.py:90 main"));
        QCOMPARE(stackOf(memory, 2), std::string());
        QCOMPARE(stackOf(memory, 3), std::string("(before the recording)"));
        QCOMPARE(stackOf(memory, 4), stackOf(memory, 0));
    }

    // What a program makes behind a call of its model is the forward pass's if it is a part of the graph, or if a
    // backward pass follows; else it is outside any pass.
    void afterACall()
    {
        Told told;
        told.phase(Forward);
        told.root();
        told.now.module = 1;
        const auto kept = told.allocate(0x1000, 8);
        told.now.module = 0;
        told.now.outer = 1;
        const auto loss = told.allocate(0x2000, 8);
        told.now.flags = kProbeGradMode | kProbeNoGraph;
        const auto table = told.allocate(0x3000, 8);
        told.now.outer = 2;
        told.allocate(0x4000, 8);
        told.free(0x4000);
        QCOMPARE(told.of(table), Component::Activations); // until it is known that no backward pass follows
        told.root();
        const auto mask = told.allocate(0x5000, 8);
        told.phase(Backward);
        told.tell(ProbeKind::BackwardBegin);
        told.tell(ProbeKind::BackwardEnd);
        told.phase(Step);
        told.phase(Data);
        told.phase(Forward);
        told.root();
        const auto last = told.allocate(0x6000, 8);
        told.now.outer = 0;
        told.tell(ProbeKind::Leave);
        told.free(0x3000);
        told.free(0x6000);
        QCOMPARE(told.of(table), Component::Inputs);
        QCOMPARE(told.of(last), Component::Other);
        for (const auto ofThePass : {kept, loss, mask})
            QCOMPARE(told.of(ofThePass), Component::Activations);
        QCOMPARE(told.of(3), Component::Workspace);
    }

    // An optimiser's step without a backward pass before it ends the forward pass, too.
    void afterACallAndAStep()
    {
        Told told;
        told.phase(Forward);
        told.root();
        told.now.outer = 1;
        told.now.flags = kProbeGradMode | kProbeNoGraph;
        const auto table = told.allocate(0x1000, 8);
        told.phase(Step);
        told.phase(Data);
        QCOMPARE(told.of(table), Component::Other);
    }

    // Weights of no module are what a backward pass gives gradients, but for what a model was called with.
    void weightsOfNoModule()
    {
        Told told;
        told.phase(Load);
        const auto weight = told.allocate(0x1000, 64), attacked = told.allocate(0x2000, 64);
        told.phase(Backward);
        told.tell(ProbeKind::BackwardBegin);
        told.now.node = 1;
        told.tell(ProbeKind::NodeBegin, 0x1010, 1); // somewhere in its storage
        const auto gradient = told.allocate(0x3000, 64);
        told.tell(ProbeKind::NodeEnd);
        told.now.node = 0;
        told.tell(ProbeKind::BackwardEnd);
        QCOMPARE(told.of(weight), Component::Parameters);
        QCOMPARE(told.of(gradient), Component::Gradients);
        told.phase(Forward);
        told.root();
        told.phase(Backward);
        told.tell(ProbeKind::NodeBegin, 0x2000, 1);
        QCOMPARE(told.of(weight), Component::Parameters);
        QCOMPARE(told.of(attacked), Component::Inputs);
    }
};

PEAKSCOPE_APPLESS_TEST(TestRecordedBlocks)
#include "test_recorded_blocks.moc"
