# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls back once a module has been imported."""
import sys


def once_imported(name, then):
    """Calls back with a module: now, or after its import."""
    if name in sys.modules:
        then(sys.modules[name])
        return
    if IMPORTS not in sys.meta_path:
        sys.meta_path.insert(0, IMPORTS)
    IMPORTS.waiting.setdefault(name, []).append(then)


class AfterImport:
    """Calls back with modules once they are imported; that somebody only looks whether there is one changes nothing. One for all: every
    import of a program asks it."""

    def __init__(self):
        self.waiting, self.looking = {}, set()

    def find_spec(self, name, path=None, target=None):
        if name not in self.waiting or name in self.looking:
            return None
        import importlib.machinery  # not for a Python that looks for none of these
        import importlib.util

        self.looking.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looking.discard(name)
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            run = spec.loader.exec_module

            def exec_module(module):
                calls = self.waiting.pop(name, ())
                run(module)
                for then in calls:
                    then(module)

            spec.loader.exec_module = exec_module
        return spec


IMPORTS = AfterImport()
