// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The probe: loaded by ctypes into a Python program with PyTorch, it writes every allocation of the program into a
// mapped file, with the operator, backward node, module and line at work. It classifies nothing: core/recording does.
// Built for one release of PyTorch (probe.py), with probe_cuda.cpp where that has CUDA; no header of Python's or of CUDA's,
// and nothing but C at its border.
// Must be compiled with -DNDEBUG: RecordFunction has other members without it.
#include <ATen/core/Tensor.h>
#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/version.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace {

// ---- the file: core/recording/probe_file.h has the same

enum class Kind : std::uint8_t {
    Allocate = 1,
    Free,
    NodeBegin, // bytes: 1 where it accumulates a gradient; address: then of whose gradient
    NodeEnd,   // address: of the gradient that was handed to it
    RootBegin, // a module is called from outside any module
    BackwardBegin,
    BackwardEnd,
    Phase,     // the phase and the step that begin
    Purpose,   // address: inside a block; bytes: the number of its purpose
    StepEnd,
    // Of the allocator of a card, by probe_cuda.cpp.
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    Leave, // the program is over, and Python is taken down
};

enum Flag : std::uint8_t {
    kInNode = 1,
    kGradMode = 2,
    kGradModeOfNode = 4,    // autograd was asked for a graph of the gradients
    kModuleInBackward = 8,  // a forward pass that is repeated
    kCommunication = 16,
    kAdopted = 32, // allocated before the probe was there
    kNoGraph = 64, // within an operator of which autograd made no node
    kMapped = 128, // a module's, in memory that PyTorch did not allocate
};

struct Event {
    std::int64_t nanoseconds; // CLOCK_MONOTONIC
    std::uint64_t address;
    std::int64_t bytes;
    std::uint32_t outer; // instance of the outermost operator at work in this thread; 0: none
    std::uint32_t node;  // instance of the backward node at work; 0: none
    std::uint32_t module, place;
    std::uint32_t step;
    std::uint16_t operation, thread;
    std::uint8_t kind, phase, flags;
    std::int8_t device; // -1: the CPU
    std::atomic<std::uint32_t> ready;
};
static_assert(sizeof(Event) == 56);

struct Header {
    char magic[8];
    std::atomic<std::uint64_t> next; // events begun
    std::atomic<std::uint32_t> full; // no room was left for more
    std::uint32_t eventBytes;
    std::int64_t process;
};

constexpr std::uint64_t kFirstEvent = 4096;
constexpr std::uint64_t kAddresses = std::uint64_t{1} << 36;
constexpr std::uint64_t kGrowth = std::uint64_t{4} << 20;

char* base = nullptr;
int eventFile = -1, nameFile = -1;
std::atomic<std::uint64_t> capacity{0};
std::mutex growing;
std::atomic<bool> on{false};

// A sparse mapping would end the program by SIGBUS where the disk is full: room is taken before it is written to.
bool grow(std::uint64_t need)
{
    const std::lock_guard lock(growing);
    const std::uint64_t before = capacity.load(std::memory_order_relaxed);
    if (need <= before)
        return true;
    const std::uint64_t after = (need + kGrowth - 1) / kGrowth * kGrowth;
    if (after > kAddresses || ::posix_fallocate(eventFile, static_cast<off_t>(before), static_cast<off_t>(after - before))) {
        reinterpret_cast<Header*>(base)->full = 1;
        on = false;
        return false;
    }
    capacity.store(after, std::memory_order_release);
    return true;
}

// ---- what is at work

// Written by Python, of the whole process.
struct Context {
    std::int32_t module = 0, phase = 0, step = -1, flags = 0;
};
Context context;

struct Thread {
    std::uint32_t outer = 0, node = 0, module = 0, place = 0;
    std::uint32_t nodePlace = 0;
    std::uint32_t lastModule = 0, lastPlace = 0; // of the node before
    std::uint64_t sequence = 0; // autograd's, as the outermost operator began: it takes a number before it allocates
    std::uint16_t number = 0, operation = 0, outerOperation = 0;
    bool inNode = false, gradModeOfNode = false, placed = false;
    bool asked = false, ofPython = false; // whether Python, or autograd, runs here: such a thread helps no other
    bool helps = false; // an operator of another thread, whose all of this is
    // Names of nodes are temporary texts whose addresses are used again, so that the text is compared, too.
    struct KnownName {
        const char* address = nullptr;
        const char* text = nullptr;
        std::uint16_t number = 0;
        bool factory = false;
    };
    KnownName known[512];
};
thread_local Thread thread;
std::atomic<std::uint32_t> threads{0}, instances{0};

// The operator that began last: what threads take for it that help it, and have none of their own (at::parallel_for).
struct Helped {
    std::atomic<std::uint32_t> outer{0}, node{0}, module{0}, place{0};
    std::atomic<std::uint16_t> operation{0};
    std::atomic<bool> inNode{false};
};
Helped helped;

bool isOfPython(Thread& own);

void tellHelpers(Thread& own)
{
    constexpr auto relaxed = std::memory_order_relaxed;
    if (!isOfPython(own))
        return;
    helped.node.store(own.node, relaxed);
    helped.module.store(own.module, relaxed);
    helped.place.store(own.inNode ? own.nodePlace : own.placed ? own.place : 0, relaxed);
    helped.operation.store(own.operation, relaxed);
    helped.inNode.store(own.inNode, relaxed);
    helped.outer.store(own.outer, relaxed);
}

void leaveHelp(Thread& own)
{
    own.outer = own.node = own.module = own.place = own.nodePlace = 0;
    own.operation = 0;
    own.inNode = own.placed = own.helps = false;
}

void helpIfIdle(Thread& own)
{
    constexpr auto relaxed = std::memory_order_relaxed;
    if (own.helps)
        leaveHelp(own);
    if (own.outer != 0 || own.inNode || helped.outer.load(relaxed) == 0 || isOfPython(own))
        return;
    own.helps = true;
    own.outer = helped.outer.load(relaxed);
    own.node = helped.node.load(relaxed);
    own.module = helped.module.load(relaxed);
    own.place = own.nodePlace = helped.place.load(relaxed);
    own.placed = own.place != 0;
    own.operation = helped.operation.load(relaxed);
    own.inNode = helped.inNode.load(relaxed);
}

bool repeatsForward()
{
    return context.flags & kModuleInBackward;
}

constexpr std::int32_t kFirstOrder = 64; // in attach.py's context: nobody goes through the graph of the gradients
constexpr std::int32_t kBackward = 3;    // among attach.py's phases

// Where autograd works by itself, at a node or between two, of the node before: whose forward pass made it, and where.
struct Forward {
    std::uint32_t module, place;
};
std::optional<Forward> forwardOfNode()
{
    const Thread& own = thread;
    if (repeatsForward())
        return std::nullopt;
    if (own.inNode)
        return Forward{own.module, own.nodePlace};
    if (context.phase == kBackward && context.module == 0 && own.lastPlace)
        return Forward{own.lastModule, own.lastPlace};
    return std::nullopt;
}

std::int64_t now()
{
    timespec at;
    ::clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * std::int64_t{1000000000} + at.tv_nsec;
}

// Not known of operators of other threads, and without operators.
bool makesNoGraph(const Thread& own)
{
    return own.outer != 0 && !own.helps && at::sequence_number::peek() == own.sequence;
}

Event* put(Kind kind)
{
    auto* header = reinterpret_cast<Header*>(base);
    const std::uint64_t place = kFirstEvent + header->next.fetch_add(1, std::memory_order_relaxed) * sizeof(Event);
    if (place + sizeof(Event) > capacity.load(std::memory_order_acquire) && !grow(place + sizeof(Event)))
        return nullptr;
    Thread& own = thread;
    helpIfIdle(own);
    if (!own.number)
        own.number = static_cast<std::uint16_t>(++threads);
    auto* event = reinterpret_cast<Event*>(base + place);
    const auto forward = forwardOfNode();
    event->nanoseconds = now();
    event->outer = own.outer;
    event->node = own.node;
    event->module = forward ? forward->module : static_cast<std::uint32_t>(context.module);
    event->place = 0;
    event->step = static_cast<std::uint32_t>(context.step);
    event->operation = own.operation;
    event->thread = own.number;
    event->kind = static_cast<std::uint8_t>(kind);
    event->phase = static_cast<std::uint8_t>(context.phase);
    const bool graph = !(context.flags & kFirstOrder);
    event->flags = static_cast<std::uint8_t>((own.inNode ? kInNode : 0) |
                                             (graph && c10::GradMode::is_enabled() ? kGradMode : 0) |
                                             (graph && own.gradModeOfNode ? kGradModeOfNode : 0) |
                                             (makesNoGraph(own) ? kNoGraph : 0) |
                                             (context.flags & (kModuleInBackward | kCommunication)));
    event->device = -1;
    event->address = 0;
    event->bytes = 0;
    return event;
}

void publish(Event* event)
{
    event->ready.store(1, std::memory_order_release);
}

// ---- names: a line each, in the file before an event refers to it

std::mutex naming;
std::string keptNames; // of operators and places, whose numbers count in the next recording, too

void writeName(char kind, std::uint64_t number, const std::string& text)
{
    std::string line = std::string(1, kind) + ' ' + std::to_string(number) + ' ' + text;
    for (char& letter : line) {
        if (letter == '\n')
            letter = ' ';
    }
    line += '\n';
    if (kind == 'o' || kind == 'p')
        keptNames += line;
    if (::write(nameFile, line.data(), line.size()) < 0)
        on = false;
}

const std::pair<const std::string, std::uint16_t>& operatorNumber(const char* name)
{
    static auto& numbers = *new std::unordered_map<std::string, std::uint16_t>;
    const std::lock_guard lock(naming);
    const auto [found, fresh] = numbers.try_emplace(name, static_cast<std::uint16_t>(numbers.size() + 1));
    if (fresh)
        writeName('o', found->second, name);
    return *found;
}

// What these allocate is their caller's.
bool isFactory(const char* name)
{
    static constexpr const char* kFactories[] = {"aten::empty",  "aten::empty_like", "aten::empty_strided",
                                                 "aten::resize_", "aten::new_empty",  "aten::clone",
                                                 "aten::contiguous", "aten::to",      "aten::_to_copy"};
    for (const char* factory : kFactories) {
        if (std::strcmp(name, factory) == 0)
            return true;
    }
    return false;
}

const Thread::KnownName& lookUp(const char* name)
{
    const std::size_t slot = (reinterpret_cast<std::uintptr_t>(name) >> 3) * 0x9E3779B97F4A7C15ull >> 55;
    Thread::KnownName& known = thread.known[slot];
    if (known.address != name || std::strcmp(known.text, name) != 0) {
        const auto& [text, number] = operatorNumber(name);
        known = {name, text.c_str(), number, isFactory(name)};
    }
    return known;
}

// ---- lines of the program: by Python's own functions, found in the process

struct Python {
    int (*isFinalizing)() = nullptr;
    void* (*threadState)() = nullptr; // of this thread; null: it is none of Python's
    int (*ensure)() = nullptr;
    void (*release)(int) = nullptr;
    void* (*frame)() = nullptr; // borrowed
    void* (*back)(void*) = nullptr;
    void* (*code)(void*) = nullptr;
    int (*line)(void*) = nullptr;
    void* (*attribute)(void*, const char*) = nullptr;
    const char* (*text)(void*) = nullptr;
    void (*increase)(void*) = nullptr;
    void (*decrease)(void*) = nullptr;
    void (*clearError)() = nullptr;

    bool find()
    {
        const auto get = [](auto& to, const char* name) {
            to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(::dlsym(RTLD_DEFAULT, name));
            return to != nullptr;
        };
        if (!get(isFinalizing, "Py_IsFinalizing"))
            get(isFinalizing, "_Py_IsFinalizing");
        return isFinalizing && get(threadState, "PyGILState_GetThisThreadState") && get(ensure, "PyGILState_Ensure") &&
               get(release, "PyGILState_Release") && get(frame, "PyEval_GetFrame") && get(back, "PyFrame_GetBack") &&
               get(code, "PyFrame_GetCode") && get(line, "PyFrame_GetLineNumber") &&
               get(attribute, "PyObject_GetAttrString") && get(text, "PyUnicode_AsUTF8") &&
               get(increase, "Py_IncRef") && get(decrease, "Py_DecRef") && get(clearError, "PyErr_Clear");
    }
};
Python python;
std::atomic<bool> takesPlaces{false};

bool isOfPython(Thread& own)
{
    if (!std::exchange(own.asked, true))
        own.ofPython = !python.threadState || python.threadState();
    return own.ofPython;
}

bool wholeStacks = false;
std::atomic<bool> cards{false}; // have been begun: their allocator may not ask for a line, so that operators do
// In place of a line autograd's sequence number, and one more: who has the lines of allocations from elsewhere, finds by it
// where the graph was made. Python's frames are not looked at, which would make objects of them.
bool sequences = false;
std::vector<std::string> codeFolders; // "+" or "-" and a folder, whose code is the program's or is not

// A piece of a program's code. Python holds it while this process lives, so that its address stays its own.
struct Code {
    bool passed = false;
    std::string file, function;
};

// All of this under the interpreter's lock.
class Places
{
public:
    // The number of the line at work, or of the whole stack; 0: no line of the program's.
    std::uint32_t current()
    {
        std::vector<std::pair<const void*, int>>& frames = m_frames;
        frames.clear();
        void* frame = python.frame();
        if (frame)
            python.increase(frame);
        while (frame) {
            void* code = python.code(frame);
            const Code& known = codeOf(code);
            if (!known.passed || wholeStacks)
                frames.emplace_back(code, python.line(frame));
            python.decrease(code);
            void* outer = !known.passed && !wholeStacks ? nullptr : python.back(frame);
            python.decrease(frame);
            frame = outer;
        }
        std::uint32_t place = 0;
        for (auto each = frames.rbegin(); each != frames.rend(); ++each)
            place = numberOf(place, each->first, each->second);
        return place;
    }

private:
    const Code& codeOf(void* code)
    {
        const auto [found, fresh] = m_codes.try_emplace(code);
        if (!fresh)
            return found->second;
        python.increase(code);
        Code& known = found->second;
        known.file = textOf(code, "co_filename");
        known.function = textOf(code, "co_name");
        known.passed = known.file.empty() || known.file.front() == '<';
        if (known.file == "<stdin>" || known.file == "<string>" || known.file.rfind("<ipython", 0) == 0)
            known.passed = false;
        for (const std::string& folder : codeFolders) {
            if (known.file.compare(0, folder.size() - 1, folder, 1) == 0) {
                known.passed = folder.front() == '-';
                break;
            }
        }
        return known;
    }

    std::string textOf(void* object, const char* name)
    {
        void* value = python.attribute(object, name);
        const char* text = value ? python.text(value) : nullptr;
        std::string copy = text ? text : "";
        if (value)
            python.decrease(value);
        if (!text)
            python.clearError();
        return copy;
    }

    std::uint32_t numberOf(std::uint32_t outer, const void* code, int line)
    {
        const auto [found, fresh] = m_numbers.try_emplace({outer, code, line}, static_cast<std::uint32_t>(m_numbers.size() + 1));
        if (fresh) {
            const Code& known = m_codes.at(code);
            const std::lock_guard lock(naming);
            writeName('p', found->second,
                      std::to_string(outer) + '\t' + std::to_string(line) + (known.passed ? "\t1\t" : "\t0\t") +
                          known.function + '\t' + known.file);
        }
        return found->second;
    }

    struct Key {
        std::uint32_t outer;
        const void* code;
        int line;
        bool operator==(const Key& other) const { return outer == other.outer && code == other.code && line == other.line; }
    };
    struct Hash {
        std::size_t operator()(const Key& key) const
        {
            return (reinterpret_cast<std::uintptr_t>(key.code) >> 4) * 31 + static_cast<std::size_t>(key.line) * 7919 +
                   key.outer * std::size_t{104729};
        }
    };
    std::unordered_map<const void*, Code> m_codes;
    std::unordered_map<Key, std::uint32_t, Hash> m_numbers;
    std::vector<std::pair<const void*, int>> m_frames;
};
Places& places = *new Places;

// Once for each outermost operator that allocates. Not where autograd works by itself: the line that made its graph
// counts there.
std::uint32_t currentPlace()
{
    Thread& own = thread;
    helpIfIdle(own);
    // A node that no forward pass made may call the program: an optimiser's step, say, where a gradient is complete.
    if (const auto forward = forwardOfNode(); forward && forward->place)
        return forward->place;
    if (own.placed)
        return own.place;
    if (sequences)
        return 0;
    if (!takesPlaces.load(std::memory_order_relaxed) || !python.threadState() || python.isFinalizing())
        return 0;
    const int state = python.ensure();
    const std::uint32_t place = places.current();
    python.release(state);
    if (own.outer) {
        own.place = place;
        own.placed = true;
    }
    return place;
}

// ---- the CPU's allocator

c10::Allocator* wrapped = nullptr;
c10::DeleterFnPtr wrappedDelete = nullptr;

// Of the CPU's memory. A request that would pass it is refused before memory is taken.
struct Budget {
    std::atomic<std::int64_t> bytes{0}; // 0: none, and nothing is counted
    std::atomic<std::int64_t> live{0};
    std::mutex mutex;
    std::unordered_map<const void*, std::int64_t> blocks;

    // What was admitted.
    void name(const void* address, std::int64_t size)
    {
        const std::lock_guard lock(mutex);
        blocks[address] = size;
    }
    // What nobody asked about.
    void add(const void* address, std::int64_t size)
    {
        if (!bytes.load(std::memory_order_relaxed))
            return;
        live += size;
        name(address, size);
    }
    void remove(const void* address)
    {
        const std::lock_guard lock(mutex);
        if (const auto block = blocks.find(address); block != blocks.end()) {
            live -= block->second;
            blocks.erase(block);
        }
    }
};
Budget budget;

[[noreturn]] void refuse(std::int64_t bytes, std::int64_t left)
{
    const std::uint32_t place = currentPlace();
    if (Event* event = put(Kind::OutOfMemory)) {
        event->address = static_cast<std::uint64_t>(left);
        event->bytes = bytes;
        event->place = place;
        publish(event);
    }
    std::ostringstream text;
    text << "peakscope: out of memory: the budget of " << budget.bytes << " bytes (--budget) has " << left
         << " left, and " << bytes << " were requested";
    C10_THROW_ERROR(OutOfMemoryError, text.str());
}

void released(const void* address)
{
    if (!address || !on.load(std::memory_order_relaxed))
        return;
    if (budget.bytes.load(std::memory_order_relaxed))
        budget.remove(address);
    if (Event* event = put(Kind::Free)) {
        event->address = reinterpret_cast<std::uint64_t>(address);
        publish(event);
    }
}

void seenDelete(void* address)
{
    released(address);
    wrappedDelete(address);
}

void allocated(const void* address, std::size_t bytes, std::uint8_t flags)
{
    const std::uint32_t place = flags & kAdopted ? 0 : currentPlace();
    if (Event* event = put(Kind::Allocate)) {
        event->address = reinterpret_cast<std::uint64_t>(address);
        event->bytes = static_cast<std::int64_t>(bytes);
        event->place = place;
        event->flags |= flags;
        publish(event);
    }
}

class SeenAllocator final : public c10::Allocator
{
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        if (on.load(std::memory_order_relaxed) && budget.bytes.load(std::memory_order_relaxed))
            return allocateWithin(bytes);
        return allocateSeen(bytes);
    }
    c10::DeleterFnPtr raw_deleter() const override { return &seenDelete; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { wrapped->copy_data(to, from, bytes); }

private:
    c10::DataPtr allocateWithin(std::size_t asked)
    {
        const auto bytes = static_cast<std::int64_t>(asked);
        const std::int64_t free = budget.bytes - budget.live.fetch_add(bytes);
        const std::int64_t left = free > 0 ? free : 0; // what was there before may be more than all of it
        if (bytes > left) {
            budget.live -= bytes;
            refuse(bytes, left);
        }
        try {
            c10::DataPtr data = allocateSeen(asked);
            if (data.get_deleter() == &seenDelete)
                budget.name(data.get(), bytes);
            else
                budget.live -= bytes;
            return data;
        } catch (...) {
            budget.live -= bytes;
            throw;
        }
    }

    c10::DataPtr allocateSeen(std::size_t bytes)
    {
        c10::DataPtr data = wrapped->allocate(bytes);
        // The context stays the data itself: copy-on-write looks for that.
        if (data.get() && data.get_context() == data.get() && data.get_deleter() == wrappedDelete) {
            if (on.load(std::memory_order_relaxed))
                allocated(data.get(), bytes, 0);
            (void)data.compare_exchange_deleter(wrappedDelete, &seenDelete);
        }
        return data;
    }
};

// ---- operators and backward nodes

// Which module's forward pass made a backward node, and at which line: by autograd's sequence numbers.
struct Made {
    std::atomic<std::int64_t> sequence{-1};
    std::atomic<std::uint32_t> module{0}, place{0};
};
constexpr std::size_t kMade = std::size_t{1} << 18;
Made* made = nullptr;


// Operators nest within a thread, so that what was at work before lies on a stack of the thread.
constexpr int kDeepest = 256;
struct Nesting {
    struct {
        std::uint32_t outer, place;
        std::uint16_t operation;
        bool placed;
    } before[kDeepest];
    int depth = 0;
};
thread_local Nesting nesting;

std::unique_ptr<at::ObserverContext> operatorBegins(const at::RecordFunction& function)
{
    Thread& own = thread;
    Nesting& nest = nesting;
    if (own.helps)
        leaveHelp(own);
    if (nest.depth < kDeepest)
        nest.before[nest.depth] = {own.outer, own.place, own.operation, own.placed};
    ++nest.depth;
    if (!on.load(std::memory_order_relaxed))
        return nullptr;
    const char* name = function.name();
    if (std::strncmp(name, "autograd::engine", 16) == 0) // the engine's own record around a node
        return nullptr;
    const Thread::KnownName& known = lookUp(name);
    const bool outermost = own.outer == 0;
    if (outermost) {
        own.outer = ++instances;
        own.sequence = at::sequence_number::peek();
        own.placed = false;
    }
    if (outermost || !known.factory)
        own.operation = known.number;
    const std::int64_t sequence = function.seqNr();
    if (outermost && cards.load(std::memory_order_relaxed))
        currentPlace();
    if (sequence >= 0) {
        // Asked for before anything is allocated; operators of which autograd takes no note have no number.
        const bool graph = c10::GradMode::is_enabled() && outermost;
        if (graph && sequences) {
            own.place = static_cast<std::uint32_t>(sequence + 1);
            own.placed = true;
        }
        Made& entry = made[static_cast<std::size_t>(sequence) % kMade];
        entry.module.store(own.inNode && !repeatsForward() ? own.module : static_cast<std::uint32_t>(context.module),
                           std::memory_order_relaxed);
        entry.place.store(graph ? currentPlace() : own.placed ? own.place : 0, std::memory_order_relaxed);
        entry.sequence.store(sequence, std::memory_order_release);
    }
    tellHelpers(own);
    return nullptr;
}

void operatorEnds(const at::RecordFunction&, at::ObserverContext*)
{
    Nesting& nest = nesting;
    if (--nest.depth < kDeepest && nest.depth >= 0) {
        const auto& before = nest.before[nest.depth];
        thread.outer = before.outer;
        thread.place = before.place;
        thread.operation = before.operation;
        thread.placed = before.placed;
    }
    if (thread.outer == 0 && thread.ofPython)
        helped.outer.store(0, std::memory_order_relaxed);
}

struct NodeBefore final : at::ObserverContext {
    std::uint32_t node = 0, outer = 0, module = 0, place = 0, nodePlace = 0;
    std::uint16_t operation = 0;
    int depth = 0;
    bool gradModeOfNode = false, inNode = false, placed = false;
    std::uint64_t handed = 0; // the gradient that an accumulator was given
};

// 0: it has no storage of its own.
std::uint64_t addressOf(const at::Tensor& tensor)
{
    return tensor.defined() && tensor.has_storage() ? reinterpret_cast<std::uint64_t>(tensor.storage().data()) : 0;
}

std::unique_ptr<at::ObserverContext> nodeBegins(const at::RecordFunction& function)
{
    auto before = std::make_unique<NodeBefore>();
    Thread& own = thread;
    if (own.helps)
        leaveHelp(own);
    before->node = own.node;
    before->outer = own.outer;
    before->module = own.module;
    before->place = own.place;
    before->placed = own.placed;
    before->nodePlace = own.nodePlace;
    before->operation = own.operation;
    before->gradModeOfNode = own.gradModeOfNode;
    before->inNode = own.inNode;
    if (!on.load(std::memory_order_relaxed))
        return before;
    own.node = ++instances;
    own.outer = 0;
    own.placed = false;
    own.inNode = true;
    own.gradModeOfNode = c10::GradMode::is_enabled();
    own.operation = lookUp(function.name()).number;
    const std::int64_t sequence = function.seqNr();
    if (sequence >= 0) {
        const Made& entry = made[static_cast<std::size_t>(sequence) % kMade];
        if (entry.sequence.load(std::memory_order_acquire) == sequence) {
            own.module = entry.module.load(std::memory_order_relaxed);
            own.nodePlace = entry.place.load(std::memory_order_relaxed);
        }
    } else if (sequences) { // it adds up what the node before gave
        own.nodePlace = own.lastPlace;
    }
    const bool accumulates = std::strcmp(function.name(), "torch::autograd::AccumulateGrad") == 0;
    std::uint64_t leaf = 0;
    if (accumulates) {
        for (const c10::IValue& value : function.inputs()) {
            if (value.isTensor())
                before->handed = addressOf(value.toTensor());
        }
        if (const auto* node = dynamic_cast<torch::autograd::AccumulateGrad*>(torch::autograd::get_current_node().get()))
            leaf = addressOf(node->variable);
    }
    if (Event* event = put(Kind::NodeBegin)) {
        event->bytes = accumulates;
        event->address = leaf;
        publish(event);
    }
    return before;
}

void nodeEnds(const at::RecordFunction&, at::ObserverContext* context)
{
    const auto* before = static_cast<NodeBefore*>(context);
    Thread& own = thread;
    if (on.load(std::memory_order_relaxed) && own.node != before->node) {
        if (Event* event = put(Kind::NodeEnd)) {
            event->address = before->handed;
            publish(event);
        }
    }
    own.lastModule = own.module;
    own.lastPlace = own.nodePlace;
    own.node = before->node;
    own.outer = before->outer;
    own.module = before->module;
    own.place = before->place;
    own.placed = before->placed;
    own.nodePlace = before->nodePlace;
    own.operation = before->operation;
    own.gradModeOfNode = before->gradModeOfNode;
    own.inNode = before->inNode;
}

} // namespace

namespace peakscope_probe {

void cardsBegin()
{
    cards = true;
}

void deviceMemory(int kind, std::uint64_t address, std::int64_t bytes, int device)
{
    if (!on.load(std::memory_order_relaxed))
        return;
    if (Event* event = put(static_cast<Kind>(kind))) {
        const auto forward = forwardOfNode();
        event->address = address;
        event->bytes = bytes;
        // Python's lock is not to be had here: a line that is known already.
        event->place = forward ? forward->place : thread.placed ? thread.place : 0;
        event->device = static_cast<std::int8_t>(device);
        publish(event);
    }
}

} // namespace peakscope_probe

namespace {

void afterFork()
{
    on = false;
    takesPlaces = false;
}

// ---- its beginning

std::vector<at::CallbackHandle> callbacks;
c10::Allocator* seenAllocator = nullptr;

enum ProbeStatus { kOpened, kNoFile, kNoAddresses, kNoRoom, kOtherAllocator };

ProbeStatus openFiles(const std::string& path)
{
    const int events = ::open((path + ".events").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int names = ::open((path + ".names").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (events < 0 || names < 0)
        return kNoFile;
    for (const int before : {std::exchange(eventFile, events), std::exchange(nameFile, names)}) {
        if (before >= 0)
            ::close(before);
    }
    // In the place of an earlier recording, which is over.
    void* mapped = ::mmap(base, kAddresses, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | (base ? MAP_FIXED : 0),
                          eventFile, 0);
    if (mapped == MAP_FAILED)
        return kNoAddresses;
    base = static_cast<char*>(mapped);
    capacity = 0;
    if (!grow(kFirstEvent))
        return kNoRoom;
    auto* header = reinterpret_cast<Header*>(base);
    header->eventBytes = sizeof(Event);
    header->process = ::getpid();
    std::memcpy(header->magic, "PEAKREC1", sizeof header->magic);
    return ::write(nameFile, keptNames.data(), keptNames.size()) < 0 ? kNoRoom : kOpened;
}

// False: this PyTorch's allocator is not its own. Once for a process.
bool observe(const char* folders)
{
    if (seenAllocator)
        return true;
    wrapped = c10::GetCPUAllocator();
    wrappedDelete = wrapped->raw_deleter();
    if (!wrappedDelete)
        return false;
    made = new Made[kMade];
    for (std::istringstream lines(folders); std::getline(lines, codeFolders.emplace_back());) {
    }
    codeFolders.pop_back();
    ::pthread_atfork(nullptr, nullptr, afterFork);
    seenAllocator = new SeenAllocator;
    return true;
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

// The PyTorch that it was built for.
const char* peakscope_probe_torch()
{
    return TORCH_VERSION;
}

// Begins two files, PATH.events and PATH.names; `flags`: 1: operators, 2: lines, 4: whole stacks, 8: sequence numbers in place of lines. `folders`: a line for
// each of codeFolders. Again after peakscope_probe_close().
int peakscope_probe_open(const char* path, int flags, const char* folders)
{
    if (const ProbeStatus made = openFiles(path); made != kOpened)
        return made;
    if (!observe(folders))
        return kOtherAllocator;
    wholeStacks = flags & 4;
    sequences = flags & 8;
    takesPlaces = python.find() && (flags & (2 | 4));
    on = true;
    c10::SetCPUAllocator(seenAllocator, 200); // above those that PyTorch's own parts set
    if (flags & 1) {
        callbacks = {at::addGlobalCallback(
                         at::RecordFunctionCallback(operatorBegins, operatorEnds).scopes({at::RecordScope::FUNCTION})),
                     at::addGlobalCallback(at::RecordFunctionCallback(nodeBegins, nodeEnds)
                                               .needsInputs(true)
                                               .scopes({at::RecordScope::BACKWARD_FUNCTION}))};
    }
    return kOpened;
}

// Of the CPU's memory, in bytes; 0: none. Before anything is adopted, which counts.
void peakscope_probe_budget(std::int64_t bytes)
{
    budget.bytes = bytes;
}

// Nothing is seen any more, and PyTorch allocates by itself; of blocks that live on only the deleter stays.
void peakscope_probe_close()
{
    on = false;
    takesPlaces = false;
    for (const at::CallbackHandle callback : std::exchange(callbacks, {}))
        at::removeCallback(callback);
    if (c10::GetCPUAllocator() == seenAllocator)
        c10::SetCPUAllocator(wrapped, 200);
}

void* peakscope_probe_context()
{
    return &context;
}

void peakscope_probe_name(char kind, std::uint64_t number, const char* text)
{
    const std::lock_guard lock(naming);
    writeName(kind, number, text);
}

void peakscope_probe_mark(int kind)
{
    if (!on)
        return;
    if (Event* event = put(static_cast<Kind>(kind)))
        publish(event);
}

void peakscope_probe_phase(int phase, int step)
{
    context.phase = phase;
    context.step = step;
    peakscope_probe_mark(static_cast<int>(Kind::Phase));
}

// What the storages at these addresses are for, and whose module's they are (0: as they were).
void peakscope_probe_purpose(int purpose, const std::uint64_t* addresses, const std::uint32_t* modules, int count)
{
    for (int i = 0; i < count && on; ++i) {
        if (!addresses[i])
            continue;
        if (Event* event = put(Kind::Purpose)) {
            event->address = addresses[i];
            event->bytes = purpose;
            event->module = modules[i];
            publish(event);
        }
    }
}

// Of a c10::StorageImpl that is older than the recording: from now on its end is seen. 0: it is.
int peakscope_probe_adopt(void* storage)
{
    auto& data = static_cast<c10::StorageImpl*>(storage)->_mutable_data_ptr_no_checks();
    if (!data.get() || data.get_context() != data.get())
        return 1;
    // Of an earlier recording its deleter is ours.
    if (data.get_deleter() != &seenDelete && !data.compare_exchange_deleter(wrappedDelete, &seenDelete))
        return 1;
    const std::size_t bytes = static_cast<c10::StorageImpl*>(storage)->nbytes();
    budget.add(data.get(), static_cast<std::int64_t>(bytes));
    allocated(data.get(), bytes, kAdopted);
    return 0;
}

// What lies on a card since before the recording. Its end is seen in any case.
void peakscope_probe_older(std::uint64_t address, std::int64_t bytes, int device)
{
    if (!on)
        return;
    if (Event* event = put(Kind::Allocate)) {
        event->address = address;
        event->bytes = bytes;
        event->device = static_cast<std::int8_t>(device);
        event->flags |= kAdopted;
        publish(event);
    }
}

// Of a c10::StorageImpl that Python made just now: such memory comes from another allocator. 0: its end is seen.
int peakscope_probe_made(void* storage)
{
    auto& data = static_cast<c10::StorageImpl*>(storage)->_mutable_data_ptr_no_checks();
    if (!on || !data.get() || data.get_context() != data.get() ||
        !data.compare_exchange_deleter(wrappedDelete, &seenDelete))
        return 1;
    const std::size_t bytes = static_cast<c10::StorageImpl*>(storage)->nbytes();
    budget.add(data.get(), static_cast<std::int64_t>(bytes));
    allocated(data.get(), bytes, 0);
    return 0;
}

// Whether the data of a c10::StorageImpl lie in memory that no allocator of PyTorch's gave: a mapped file, or NumPy's.
int peakscope_probe_is_mapped(void* storage)
{
    const auto& data = static_cast<c10::StorageImpl*>(storage)->_mutable_data_ptr_no_checks();
    return data.get() && data.get_context() != data.get();
}

// A part of such memory that a module owns, and its end.
void peakscope_probe_mapped(std::uint64_t address, std::int64_t bytes)
{
    if (!on)
        return;
    const auto* begin = reinterpret_cast<const void*>(address);
    budget.add(begin, bytes);
    allocated(begin, static_cast<std::size_t>(bytes), kMapped);
}

void peakscope_probe_unmapped(std::uint64_t address)
{
    released(reinterpret_cast<const void*>(address));
}

// Before Python ends: no line is looked for any more.
void peakscope_probe_leave()
{
    takesPlaces = false;
    peakscope_probe_mark(static_cast<int>(Kind::Leave));
}

} // extern "C"
