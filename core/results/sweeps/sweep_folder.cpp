// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/sweeps/sweep_folder.h"

#include "core/base/file.h"
#include "core/base/json/json_access.h"
#include "core/base/json/json_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace peakscope {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr const char* kFolder = ".sweep";
constexpr const char* kFinished = ".json";
constexpr const char* kClaim = ".claim-";
constexpr const char* kBegun = ".begun";
constexpr int kBeatsPerTimeout = 6;

std::string firstLine(const fs::path& path)
{
    const auto text = readTextFile(path);
    return text ? text->substr(0, text->find('\n')) : std::string();
}

// A boot of a machine and, with containers, the space in which its process numbers count.
std::string thisMachine()
{
    std::error_code error;
    return firstLine("/proc/sys/kernel/random/boot_id") + " " + fs::read_symlink("/proc/self/ns/pid", error).string();
}

std::string hostName()
{
    char name[256] = {};
    return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

// The 22nd word of the process's line; the second, its name in brackets, may hold blanks. Empty: there is no such
// process, or it is a dead one that waits for its parent.
std::string startOf(std::int64_t process)
{
    const std::string line = firstLine("/proc/" + std::to_string(process) + "/stat");
    const std::size_t bracket = line.rfind(')');
    if (bracket == std::string::npos)
        return "";
    std::istringstream words(line.substr(bracket + 1));
    std::string word;
    for (int i = 3; i <= 22 && words >> word; ++i) {
        if (i == 3 && (word == "Z" || word == "X"))
            return "";
    }
    return word;
}

// pointNumber read back, and what follows it; no point where the name begins with none.
std::pair<std::optional<std::size_t>, std::string> numberedName(const std::string& name)
{
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (fault != std::errc() || number == 0)
        return {};
    return {number - 1, end};
}

std::string holderText(const PointHolder& holder)
{
    return dumpJson({{"host", holder.host},
                     {"machine", holder.machine},
                     {"process", holder.process},
                     {"started", holder.started},
                     {"released", holder.released},
                     {"kills", holder.kills}}) +
           "\n";
}

// A claim that is just being written has no text yet.
PointHolder holderOf(const std::string& text)
{
    PointHolder holder;
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return holder;
    JsonProblem problem;
    JsonReader reader(json, "", problem);
    std::int64_t kills = 0;
    reader.read("host", holder.host);
    reader.read("machine", holder.machine);
    reader.read("process", holder.process);
    reader.read("started", holder.started);
    reader.read("released", holder.released);
    reader.read("kills", kills);
    holder.kills = static_cast<int>(kills);
    return holder;
}

bool isAliveHere(const PointHolder& holder)
{
    return !holder.started.empty() && startOf(holder.process) == holder.started;
}

// When the file was last touched; opening it first makes network file systems ask their server.
std::optional<timespec> touched(const fs::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return std::nullopt;
    struct stat status = {};
    const bool known = ::fstat(descriptor, &status) == 0;
    ::close(descriptor);
    return known ? std::optional(status.st_mtim) : std::nullopt;
}

// A file that appears with all that is in it; false: one is there already. A process that is killed between making a
// claim and writing itself into it would keep all others waiting, as if it lived on another machine.
Result<bool> makeWhole(const fs::path& path, const std::string& text)
{
    const auto write = [&](const fs::path& to, int flags) -> Result<bool> {
        const int descriptor = ::open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
        if (descriptor < 0 && errno == EEXIST)
            return false;
        if (descriptor < 0)
            return failed(path.string(), std::string("cannot write: ") + std::strerror(errno));
        const Status written = FileSink(descriptor).write(text);
        ::close(descriptor);
        if (written)
            return true;
        ::unlink(to.c_str());
        return failed(path.string(), written.error().message);
    };
    // Named as other files are until they are whole, so that what a killed process leaves is found; by the holder too,
    // for processes of several machines have one number.
    const fs::path apart =
        path.string() + fmt::format(".{}-{}", ::getpid(), std::hash<std::string>()(text) % 1'000'000'000 + 1);
    if (Result<bool> written = write(apart, O_TRUNC); !written)
        return written;
    const int fault = ::link(apart.c_str(), path.c_str()) == 0 ? 0 : errno;
    ::unlink(apart.c_str());
    if (fault == 0 || fault == EEXIST)
        return fault == 0;
    return write(path, O_EXCL); // no links on this file system
}

} // namespace

std::string pointNumber(std::size_t point)
{
    return fmt::format("{:04}", point + 1);
}

std::string PointHolder::text() const
{
    return "process " + std::to_string(process) + (host.empty() ? "" : " on " + host);
}

struct SweepFolder::Seen {
    int generation = 0;
    timespec sign = {};
    Clock::time_point since;
};

// Touches the claims that this process has, so that others see it alive.
class SweepFolder::Beats
{
public:
    explicit Beats(std::chrono::milliseconds interval) : m_interval(interval), m_thread([this] { beat(); }) {}
    ~Beats()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_over = true;
        }
        m_wake.notify_all();
        m_thread.join();
    }

    void add(const fs::path& path)
    {
        const std::lock_guard lock(m_mutex);
        m_paths.push_back(path);
    }

    void remove(const fs::path& path)
    {
        const std::lock_guard lock(m_mutex);
        std::erase(m_paths, path);
    }

private:
    void beat()
    {
        sigset_t all; // signals are for the thread that runs the sweep
        sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
        std::unique_lock lock(m_mutex);
        while (!m_wake.wait_for(lock, m_interval, [this] { return m_over; })) {
            for (const fs::path& path : m_paths)
                (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
        }
    }

    std::chrono::milliseconds m_interval;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::vector<fs::path> m_paths;
    bool m_over = false;
    std::thread m_thread; // last: it uses all the others
};

SweepFolder::SweepFolder(fs::path folder, std::string sweep, std::string launch, std::chrono::milliseconds lostAfter)
    : m_folder(std::move(folder) / kFolder), m_sweep(std::move(sweep)), m_launch(std::move(launch)),
      m_lostAfter(lostAfter)
{
    m_self.host = hostName();
    m_self.machine = thisMachine();
    m_self.process = ::getpid();
    m_self.started = startOf(m_self.process);
}

SweepFolder::~SweepFolder() = default;

Status SweepFolder::open()
{
    std::error_code error;
    fs::create_directories(m_folder, error);
    if (!fs::is_directory(m_folder, error) || ::access(m_folder.c_str(), W_OK | X_OK) != 0)
        return failed(m_folder.string(), "cannot write there, so that points cannot be distinguished from those of "
                                         "other processes; give another --out");
    return Done{};
}

std::string SweepFolder::claimName(std::size_t point, int generation) const
{
    return pointNumber(point) + kClaim + std::to_string(generation);
}

int SweepFolder::lastGeneration(std::size_t point) const
{
    int& known = m_generations[point];
    while (touched(file(claimName(point, known + 1))))
        ++known;
    if (known > 0 && !touched(file(claimName(point, known))))
        known = 0; // another process tidied up
    return known;
}

std::optional<PointHolder> SweepFolder::holder(std::size_t point) const
{
    const int generation = lastGeneration(point);
    if (generation == 0)
        return std::nullopt;
    const auto text = readTextFile(file(claimName(point, generation)));
    return text ? std::optional(holderOf(*text)) : std::nullopt;
}

bool SweepFolder::isLost(std::size_t point, int generation, const PointHolder& holder)
{
    if (!holder.machine.empty() && holder.machine == m_self.machine)
        return !isAliveHere(holder);
    const auto sign = touched(file(claimName(point, generation)));
    if (!sign)
        return false;
    Seen& seen = m_seen[point];
    const bool same =
        seen.generation == generation && seen.sign.tv_sec == sign->tv_sec && seen.sign.tv_nsec == sign->tv_nsec;
    if (!same)
        seen = {generation, *sign, Clock::now()};
    return Clock::now() - seen.since > m_lostAfter;
}

Result<bool> SweepFolder::claim(std::size_t point)
{
    const int last = lastGeneration(point);
    PointHolder self = m_self;
    if (last > 0) {
        const auto text = readTextFile(file(claimName(point, last)));
        const PointHolder before = text ? holderOf(*text) : PointHolder();
        if (!before.released && !isLost(point, last, before))
            return false;
        self.kills = before.kills;
    }
    const fs::path path = file(claimName(point, last + 1));
    Result<bool> made = makeWhole(path, holderText(self));
    if (std::error_code error; !made && !fs::exists(m_folder, error)) { // another process tidied up
        if (Status again = open(); !again)
            return again.error();
        made = makeWhole(path, holderText(self));
    }
    if (!made || !*made)
        return made;
    m_mine[point] = last + 1;
    if (!m_beats)
        m_beats = std::make_unique<Beats>(m_lostAfter / kBeatsPerTimeout);
    m_beats->add(path);
    return true;
}

bool SweepFolder::isMine(std::size_t point) const
{
    const auto mine = m_mine.find(point);
    return mine != m_mine.end() && !touched(file(claimName(point, mine->second + 1)));
}

int SweepFolder::kills(std::size_t point) const
{
    const auto last = holder(point);
    return last ? last->kills : 0;
}

void SweepFolder::release(std::size_t point, bool killed)
{
    const auto mine = m_mine.find(point);
    if (mine == m_mine.end())
        return;
    const fs::path path = file(claimName(point, mine->second));
    if (m_beats)
        m_beats->remove(path);
    const auto text = readTextFile(path);
    PointHolder self = text ? holderOf(*text) : m_self;
    self.released = true;
    self.kills += killed;
    if (text)
        (void)writeFileAtomically(path, holderText(self)); // unwritten: this process's end says the same
    m_mine.erase(mine);
}

std::vector<std::size_t> SweepFolder::finishedPoints() const
{
    std::vector<std::size_t> points;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_folder, error)) {
        const auto [point, rest] = numberedName(entry.path().filename().string());
        if (point && rest == kFinished)
            points.push_back(*point);
    }
    return points;
}

// What a file says of a point after it was run, of this sweep.
struct SweepFolder::PointFile {
    std::string text;
    Json json;
    SweepPoint point;
};

std::optional<SweepFolder::PointFile> SweepFolder::readPoint(std::size_t point, const char* ending) const
{
    auto text = readTextFile(file(pointNumber(point) + ending));
    if (!text)
        return std::nullopt;
    Json json = Json::parse(*text, nullptr, false);
    if (!json.is_object() || json.value("sweep", Json()) != m_sweep || !json.contains("point"))
        return std::nullopt;
    auto outcome = sweepPointFromJson(json["point"]);
    return outcome ? std::optional(PointFile{std::move(*text), std::move(json), std::move(*outcome)}) : std::nullopt;
}

std::optional<FinishedPoint> SweepFolder::finished(std::size_t point) const
{
    auto read = readPoint(point, kFinished);
    if (!read)
        return std::nullopt;
    return FinishedPoint{std::move(read->point), lenient::text(read->json, "launch"), std::move(read->text)};
}

Status SweepFolder::finish(std::size_t point, const SweepPoint& outcome) const
{
    const Json json = {
        {"sweep", m_sweep}, {"launch", m_launch}, {"run", newRunId()}, {"point", sweepPointJson(outcome)}};
    const Status written = writeFileAtomically(file(pointNumber(point) + kFinished), dumpJson(json) + "\n");
    std::error_code ignored;
    if (written)
        fs::remove(file(pointNumber(point) + kBegun), ignored);
    return written;
}

std::optional<BegunPoint> SweepFolder::begun(std::size_t point) const
{
    auto read = readPoint(point, kBegun);
    const auto rounds = read ? jsonInteger(read->json.value("rounds", Json())) : std::nullopt;
    if (!rounds || *rounds < 1)
        return std::nullopt;
    return BegunPoint{std::move(read->point), *rounds};
}

Status SweepFolder::keepBegun(std::size_t point, const BegunPoint& begun) const
{
    const Json json = {{"sweep", m_sweep}, {"rounds", begun.rounds}, {"point", sweepPointJson(begun.point)}};
    return writeFileAtomically(file(pointNumber(point) + kBegun), dumpJson(json) + "\n");
}

// A process that has a point of this folder and may be alive.
std::optional<PointHolder> SweepFolder::worker() const
{
    std::error_code error;
    std::map<std::size_t, int> points;
    for (const auto& entry : fs::directory_iterator(m_folder, error)) {
        const auto [point, rest] = numberedName(entry.path().filename().string());
        if (point && rest.starts_with(kClaim))
            points[*point] = 0;
    }
    if (points.empty())
        return std::nullopt;
    // What time it is where the files lie.
    const fs::path now = file("now." + m_self.host + "." + std::to_string(m_self.process));
    (void)writeFileAtomically(now, std::string_view());
    const auto time = touched(now);
    fs::remove(now, error);
    for (const auto& [point, ignored] : points) {
        const auto last = holder(point);
        if (!last || last->released)
            continue;
        if (last->machine == m_self.machine) {
            if (isAliveHere(*last) && last->process != m_self.process)
                return last;
            continue;
        }
        const auto sign = touched(file(claimName(point, m_generations[point])));
        if (sign && time && std::chrono::seconds(time->tv_sec - sign->tv_sec) <= m_lostAfter)
            return last;
    }
    return std::nullopt;
}

Status SweepFolder::clear()
{
    if (const auto other = worker())
        return badInput("--out", m_folder.parent_path().string() + ": " + other->text() +
                                     " runs a sweep there; --resume shares its points, or give another folder");
    std::error_code error;
    fs::remove_all(m_folder, error);
    m_generations.clear();
    m_mine.clear();
    m_beats.reset();
    return Done{};
}

void SweepFolder::tidy()
{
    std::error_code error;
    if (m_mine.empty() && !worker())
        fs::remove_all(m_folder, error);
}

} // namespace peakscope
