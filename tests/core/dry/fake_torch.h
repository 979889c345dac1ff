// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// A package that is called torch, for tests of programs on a stand-in of a card: as much of PyTorch as is asked of it,
// an allocator that says what it peaked at. torch.peaks may be changed, torch._observers[0](0, 1, 2, 3) is memory that
// ran out, torch._stepped[0](None, None, None) a step of an optimiser.
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QString>
#include <QTemporaryDir>

namespace peakscope {

inline constexpr char kFakeTorch[] = R"(
import types, sys
__version__ = "2.11.0+cu130"
version = types.SimpleNamespace(cuda="13.0")
def save(*_): pass
class OutOfMemoryError(RuntimeError): pass
_started, _stepped, _observers = [], [], []
peaks = {"allocated": 1 << 20, "reserved": 1 << 21, "requested": 0}
class _cuda_type:
    memory = types.SimpleNamespace(
        _record_memory_history=lambda **_: None,
        _snapshot=lambda: {"segments": [], "device_traces": [[
            {"action": "segment_alloc", "addr": 1 << 40, "size": 1 << 21, "stream": 0, "time_us": 1, "frames": []},
            {"action": "alloc", "addr": 1 << 40, "size": 1 << 20, "stream": 0, "time_us": 2, "frames": []}]]})
    def _lazy_call(self, call): self.call = call
    def is_initialized(self): return bool(_started)
    def device_count(self): return 1
    def memory_stats(self, _):
        return {"requested_bytes.all.peak": peaks["allocated"], "allocated_bytes.all.peak": peaks["allocated"],
                "active_bytes.all.peak": peaks["allocated"], "reserved_bytes.all.peak": peaks["reserved"]}
    def memory_stats_as_nested_dict(self):
        return {f"{what}_bytes": {"all": {"current": peak // 2, "peak": peak, "allocated": peak}}
                for what, peak in peaks.items()}
    def start(self):
        _started.append(1)
        self.call()
cuda = _cuda_type()
_C = types.SimpleNamespace(_cuda_attach_out_of_memory_observer=_observers.append)
optim = types.ModuleType("torch.optim")
_hooks = types.ModuleType("torch.optim.optimizer")
class Optimizer:
    def __init__(self): self.state, self.param_groups = {1: 1}, []
_hooks.Optimizer = Optimizer
_one = Optimizer()
_hooks.register_optimizer_step_post_hook = lambda hook: _stepped.append(lambda *_: hook(_one))
sys.modules["torch.optim"], sys.modules["torch.optim.optimizer"] = optim, _hooks
)";

class FakeTorch
{
public:
    FakeTorch()
    {
        QDir(m_folder.path()).mkpath(QStringLiteral("site/torch"));
        write(QStringLiteral("site/torch/__init__.py"), kFakeTorch);
        setVersion("2.11.0+cu130", "'13.0'");
    }

    // The interpreter; empty: there is none here.
    static QString python() { return QStandardPaths::findExecutable(QStringLiteral("python3")); }
    // For PYTHONPATH.
    QByteArray site() const { return filePath(QStringLiteral("site")).toUtf8(); }
    QString filePath(const QString& name) const { return m_folder.filePath(name); }

    bool write(const QString& name, const QByteArray& text) const
    {
        QFile file(filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }
    void setVersion(const QByteArray& version, const QByteArray& cuda) const
    {
        write(QStringLiteral("site/torch/version.py"),
              "__version__ = '" + version + "'\ncuda: Optional[str] = " + cuda + "\n");
    }

private:
    QTemporaryDir m_folder;
};

} // namespace peakscope
