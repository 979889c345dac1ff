// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/architecture/source_rules.h"

#include "tests/architecture/layers.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>

namespace peakscope {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxLines = 600;

struct Include {
    std::string target;
    bool quoted = false;
    int line = 0;
};

struct Type {
    std::string name;
    int line = 0;
};

struct Source {
    std::vector<Include> includes;
    std::vector<std::pair<int, std::string>> prints; // lines that write to standard output or standard error
    std::vector<Type> types;                         // defined at namespace scope
    int lines = 0;
    bool hasHead = false;
};

using SourceTree = std::map<std::string, Source>;

bool startsWith(const std::string& text, const std::string& prefix)
{
    return text.compare(0, prefix.size(), prefix) == 0;
}

bool endsWith(const std::string& text, const std::string& suffix)
{
    return text.size() >= suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// "core/engine/model/model.h" -> "core/engine"; "widgets/figures/page/figure.h" -> "widgets".
std::string layerOf(const std::string& path)
{
    for (const char* deeper : {kChecks, kEngineCommands}) {
        if (startsWith(path, std::string(deeper) + "/")) {
            return deeper;
        }
    }
    const auto first = path.find('/');
    if (first == std::string::npos) {
        return path;
    }
    const std::string top = path.substr(0, first);
    if (top != "core") {
        return top;
    }
    const auto second = path.find('/', first + 1);
    return second == std::string::npos ? top : path.substr(0, second);
}

bool isQt(const Include& include)
{
    static const std::regex pattern("(Qt[A-Z][A-Za-z]*/.*|Q[A-Z][A-Za-z0-9]*|q[a-z0-9]+\\.h)");
    return std::regex_match(include.target, pattern);
}

bool isTorch(const Include& include)
{
    static const std::regex pattern("(torch|ATen|c10|caffe2)/.*");
    return std::regex_match(include.target, pattern);
}

// LibTorch's headers that include those of cuBLAS and others, which LibTorch does not bring.
bool needsToolkit(const Include& include)
{
    static const std::regex pattern("(ATen|torch/csrc)/cuda/.*|torch/cuda\\.h|(cublas|cusolver|cusparse|nccl).*\\.h");
    return std::regex_match(include.target, pattern);
}

bool isMpi(const Include& include)
{
    return include.target == "mpi.h" || startsWith(include.target, "openmpi/");
}

// Names from anywhere may hold what a terminal obeys: all that is printed goes through one class.
bool mayPrint(const std::string& path)
{
    return startsWith(path, "core/base/terminal.") || startsWith(path, "tests/");
}

// Files are read through core/base/input_file and written through core/base/file: what opens them in any other way
// waits for pipes, reads devices without an end, and leaves halves behind.
bool opensFiles(const Include& include)
{
    static const std::set<std::string> names{"QFile", "QSaveFile", "fstream"};
    return names.count(include.target) != 0;
}

bool mayOpenFiles(const std::string& path)
{
    return startsWith(path, "core/base/") || startsWith(path, "core/engine/") || startsWith(path, "tests/");
}

// From JSON to types in the background threads where documents come in: a window that walks a million entries by itself
// stands still.
bool readsSections(const Include& include)
{
    return include.target == "core/results/section_readers.h" ||
           include.target == "core/analysis/response/finished_result.h";
}

bool mayReadSections(const std::string& path)
{
    static const std::set<std::string> doors{
        "app/window/export_command.cpp", "app/export/figure_choice.cpp",       "app/jobs/result_loader.cpp",
        "app/jobs/run_queue.cpp",        "widgets/analysis/analysis_live.cpp", "widgets/curvature/curvature_live.cpp"};
    return (!startsWith(path, "app/") && !startsWith(path, "widgets/")) || doors.count(path) != 0;
}

bool mayUseTorch(const std::string& path)
{
    return startsWith(path, "core/engine/") || startsWith(path, "core/cli/engine/") || startsWith(path, "tests/");
}

Source readSource(const fs::path& file)
{
    static const std::regex pattern("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
    // What stands at the start of a line is at namespace scope, because namespaces are not indented.
    static const std::regex definition(
        "^(struct|class|enum class|enum) ([A-Za-z_]+)( final)?( *:[^:;][^;]*)?( *\\{.*)?$");
    static const std::regex print("\\b(v?f?printf|f?puts|f?putc|putchar|perror|psignal|fwrite|vdprintf|dprintf)\\s*\\("
                                  "|\\bstd::(cout|cerr|clog)\\b|\\bfmt::(v?print|println)\\s*\\("
                                  "|\\bQTextStream\\s*\\w*\\s*[({]\\s*(stdout|stderr)|\\bSTD(OUT|ERR)_FILENO\\b"
                                  "|\\.open\\(\\s*(stdout|stderr)\\b|::write\\s*\\(\\s*[12]\\s*,");
    Source source;
    std::ifstream stream(file);
    std::string line;
    std::string head;
    while (std::getline(stream, line)) {
        ++source.lines;
        if (source.lines <= 2) {
            head += line + '\n';
        }
        std::smatch match;
        if (line.find("include") != std::string::npos && std::regex_search(line, match, pattern)) {
            source.includes.push_back({match[2], match[1] == "\"", source.lines});
        } else if (std::regex_match(line, match, definition)) {
            source.types.push_back({match[2], source.lines});
        }
        const std::string code = line.substr(0, line.find("//"));
        if (std::regex_search(code, match, print)) {
            source.prints.emplace_back(source.lines, match[0]);
        }
    }
    source.hasHead = head.find("SPDX-FileCopyrightText:") != std::string::npos &&
                     head.find("SPDX-License-Identifier: GPL-3.0-or-later") != std::string::npos;
    return source;
}

SourceTree readTree(const fs::path& root)
{
    SourceTree tree;
    for (const char* top : {"core", "widgets", "app", "tests"}) {
        if (!fs::is_directory(root / top)) {
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
            const std::string extension = entry.path().extension().string();
            if (entry.is_regular_file() && (extension == ".h" || extension == ".cpp")) {
                tree.emplace(entry.path().lexically_relative(root).generic_string(), readSource(entry.path()));
            }
        }
    }
    return tree;
}

// The file of the tree that a quoted include names; tests may name a file beside them without its folder.
std::optional<std::string> resolve(const SourceTree& tree, const std::string& from, const Include& include)
{
    if (tree.count(include.target) != 0) {
        return include.target;
    }
    const std::string beside = (fs::path(from).parent_path() / include.target).lexically_normal().generic_string();
    if (startsWith(from, "tests/") && tree.count(beside) != 0) {
        return beside;
    }
    return std::nullopt;
}

// Files that moc writes are included by name alone.
bool isGenerated(const Include& include)
{
    return endsWith(include.target, ".moc") || startsWith(include.target, "moc_");
}

void checkInclude(const SourceTree& tree, const std::string& path, const Include& include, std::vector<Violation>& out)
{
    const auto report = [&](const char* rule, const std::string& text) {
        out.push_back({rule, path, include.line, text});
    };
    const std::string layer = layerOf(path);
    if (isQt(include) && (startsWith(path, "core/") || layer == kChecks)) {
        report("qt_in_core", "core has no Qt, but <" + include.target + "> is included");
    }
    if (isTorch(include) && !mayUseTorch(path)) {
        report("torch_outside_engine",
               "only core/engine and core/cli/engine see LibTorch, but <" + include.target + "> is included");
    }
    if (needsToolkit(include)) {
        report("cuda_toolkit", "<" + include.target + "> needs headers that come with CUDA's toolkit alone");
    }
    if (isMpi(include) && !startsWith(path, "core/ranks/mpi/")) {
        report("mpi_outside_module", "only core/ranks/mpi sees MPI, but <" + include.target + "> is included");
    }
    if (include.target == "qcustomplot.h" && endsWith(path, ".h")) {
        report("plot_in_header", "qcustomplot.h belongs into .cpp files; forward-declare its classes here");
    }
    if (opensFiles(include) && !mayOpenFiles(path)) {
        report("file_door", "files are opened by core/base, but <" + include.target + "> is included");
    }
    if (readsSections(include) && !mayReadSections(path)) {
        report("section_door", "sections are read where documents come in, but \"" + include.target + "\" is included");
    }
    if (!include.quoted || isGenerated(include)) {
        return;
    }
    const auto target = resolve(tree, path, include);
    if (!target) {
        report("include_path", "\"" + include.target + "\" is no file of the project, written from its root");
        return;
    }
    const auto allowed = allowedLayers().find(layer);
    const std::string targetLayer = layerOf(*target);
    if (allowed != allowedLayers().end() && targetLayer != layer && allowed->second.count(targetLayer) == 0) {
        report("layer", layer + " may not include " + targetLayer + " (" + *target + ")");
    }
}

struct Reach {
    bool qt = false;
    bool torch = false;
};

// What a file sees through all its project headers. Qt's `slots` macro breaks LibTorch's headers, so no file may see
// both.
Reach reachOf(const SourceTree& tree, const std::string& path, std::set<std::string>& seen)
{
    Reach reach;
    if (!seen.insert(path).second) {
        return reach;
    }
    for (const Include& include : tree.at(path).includes) {
        reach.qt = reach.qt || isQt(include) || include.target == "qcustomplot.h";
        reach.torch = reach.torch || isTorch(include);
        if (const auto target = include.quoted ? resolve(tree, path, include) : std::nullopt) {
            const Reach deeper = reachOf(tree, *target, seen);
            reach.qt = reach.qt || deeper.qt;
            reach.torch = reach.torch || deeper.torch;
        }
    }
    return reach;
}

void checkFile(const SourceTree& tree, const std::string& path, const Source& source, std::vector<Violation>& out)
{
    for (const Include& include : source.includes) {
        checkInclude(tree, path, include, out);
    }
    for (const auto& [line, text] : source.prints) {
        if (!mayPrint(path)) {
            out.push_back({"print", path, line, "\"" + text + "\"; only core/base/terminal.h writes to a terminal"});
        }
    }
    std::set<std::string> seen;
    const Reach reach = reachOf(tree, path, seen);
    if (reach.qt && reach.torch) {
        out.push_back({"qt_meets_torch", path, 0, "includes both Qt and LibTorch, through its headers or itself"});
    }
    if (source.lines > kMaxLines) {
        out.push_back({"length", path, source.lines,
                       std::to_string(source.lines) + " lines; at most " + std::to_string(kMaxLines) + " are allowed"});
    }
    if (!source.hasHead) {
        out.push_back({"head", path, 1, "the two SPDX lines are missing at the top"});
    }
}

// Two types of one name in one program are undefined behaviour that no compiler reports: the linker keeps one of their
// functions for both. The window and the worker are two programs, so a name may stand once in each of their own
// folders.
void checkTypeNames(const SourceTree& tree, const std::set<std::string>& foreign, std::vector<Violation>& out)
{
    std::map<std::string, std::string> owner;
    for (const auto& [path, source] : tree) {
        if (!endsWith(path, ".h") || startsWith(path, "tests/") || foreign.count(layerOf(path)) != 0) {
            continue;
        }
        for (const Type& type : source.types) {
            const auto [entry, isNew] = owner.emplace(type.name, path);
            const bool reported = std::any_of(out.begin(), out.end(), [&, &p = path](const Violation& v) {
                return v.rule == "type_name" && v.file == p && v.line == type.line;
            });
            if (!isNew && !reported) {
                out.push_back({"type_name", path, type.line, type.name + " is also defined in " + entry->second});
            }
        }
    }
}

} // namespace

std::vector<Violation> checkSourceTree(const fs::path& root)
{
    const SourceTree tree = readTree(root);
    std::vector<Violation> violations;
    for (const auto& [path, source] : tree) {
        checkFile(tree, path, source, violations);
    }
    checkTypeNames(tree, {"core/engine", "core/cli", kEngineCommands}, violations);
    checkTypeNames(tree, {"widgets", "app"}, violations);
    return violations;
}

std::vector<Violation> checkFolderOrder(const fs::path& root)
{
    std::map<std::string, std::pair<std::size_t, std::size_t>> places; // of a folder: room, place in it
    for (std::size_t room = 0; room < folderOrders().size(); ++room) {
        for (std::size_t place = 0; place < folderOrders()[room].size(); ++place) {
            places[folderOrders()[room][place]] = {room, place};
        }
    }
    const SourceTree tree = readTree(root);
    std::vector<Violation> violations;
    for (const auto& [path, source] : tree) {
        const std::string from = fs::path(path).parent_path().generic_string();
        if (startsWith(path, "tests/")) {
            continue;
        }
        for (const Include& include : source.includes) {
            const auto target = include.quoted ? resolve(tree, path, include) : std::nullopt;
            const std::string to = target ? fs::path(*target).parent_path().generic_string() : from;
            if (to == from || layerOf(to + "/") != layerOf(from + "/")) {
                continue;
            }
            const auto above = places.find(from);
            const auto below = places.find(to);
            if (above == places.end() || below == places.end()) {
                violations.push_back(
                    {"order", path, include.line,
                     (above == places.end() ? from : to) + " has no place in tests/architecture/layers.cpp"});
            } else if (above->second.second < below->second.second) {
                violations.push_back({"order", path, include.line,
                                      from + " may not include " + to + ", which stands above it (" + *target + ")"});
            }
        }
    }
    return violations;
}

std::vector<Violation> checkFolderSizes(const fs::path& root)
{
    constexpr std::size_t kMost = 50;
    std::map<std::string, std::size_t> files;
    for (const auto& [path, source] : readTree(root)) {
        ++files[fs::path(path).parent_path().generic_string()];
    }
    std::vector<Violation> violations;
    for (const auto& [folder, count] : files) {
        if (count > kMost) {
            violations.push_back({"folder", folder, 0,
                                  std::to_string(count) + " files; more than " + std::to_string(kMost) +
                                      " hold several things: part them by meaning"});
        }
    }
    return violations;
}

std::size_t countSourceFiles(const fs::path& root)
{
    return readTree(root).size();
}

} // namespace peakscope
