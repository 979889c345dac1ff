# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program saves, its values unknown, goes to a scratch folder: the stand-in lays that over the user's files (overlay.h) while one of
these functions is called, or a file is opened to write bytes, not text. PEAKSCOPE_SAVES: scratch; allow, where it belongs; refuse."""
import builtins
import ctypes
import functools
import io
import os

from peakscope.imports import once_imported

# What saves, by module: functions, and methods of classes.
SAVING = {
    "numpy": ("save", "savez", "savez_compressed"),
    "safetensors.torch": ("save_file", "save_model"),
    "safetensors.numpy": ("save_file",),
    "torch.distributed.checkpoint.state_dict_saver": ("save", "async_save", "save_state_dict"),
    "transformers.modeling_utils": ("PreTrainedModel.save_pretrained",),
    "transformers.configuration_utils": ("PretrainedConfig.save_pretrained", "PreTrainedConfig.save_pretrained"),
    "transformers.tokenization_utils_base": ("PreTrainedTokenizerBase.save_pretrained",),
    "transformers.processing_utils": ("ProcessorMixin.save_pretrained",),
    "transformers.trainer": ("Trainer._save_checkpoint", "Trainer.save_model", "Trainer.save_state"),
    "accelerate.accelerator": ("Accelerator.save_state", "Accelerator.save_model", "Accelerator.save"),
    "peft.peft_model": ("PeftModel.save_pretrained",),
    "diffusers.models.modeling_utils": ("ModelMixin.save_pretrained",),
    "diffusers.pipelines.pipeline_utils": ("DiffusionPipeline.save_pretrained",),
    "deepspeed.runtime.engine": ("DeepSpeedEngine.save_checkpoint", "DeepSpeedEngine.save_16bit_model"),
    "lightning.fabric.utilities.cloud_io": ("_atomic_save",),
    "lightning_fabric.utilities.cloud_io": ("_atomic_save",),
    "lightning.pytorch.trainer.trainer": ("Trainer.save_checkpoint",),
    "pytorch_lightning.trainer.trainer": ("Trainer.save_checkpoint",),
}
COPYING = ("copyfile", "copy", "copy2", "copytree", "move")  # of shutil
FOLDER = "PEAKSCOPE_OVERLAY"


class Saves:
    def __init__(self, torch, saved):
        self.torch, self.saved = torch, saved  # saved: is called after each
        self.under_way = 0
        self.process = ctypes.PyDLL(None)
        self.way = os.environ.get("PEAKSCOPE_SAVES", "allow")
        if not os.environ.get(FOLDER) or not hasattr(self.process, "peakscope_saving"):
            self.way = "allow" if self.way == "scratch" else self.way

    def attach(self):
        torch = self.torch
        save = self.refuse if self.way == "refuse" else self.aside(torch.save)
        torch.save = save
        if hasattr(torch, "serialization"):
            torch.serialization.save = save
        if self.way == "refuse":
            return
        for module, names in SAVING.items():
            once_imported(module, functools.partial(self.attach_to, names=names))
        once_imported("shutil", functools.partial(self.attach_to, names=COPYING, is_save=False))
        for module in ("safetensors.torch", "safetensors.numpy"):
            once_imported(module, self.see_rust)
        if self.way == "scratch":
            builtins.open = io.open = self.opening(io.open)

    def opening(self, real):
        aside = self.aside(real, is_save=False)

        @functools.wraps(real)
        def open(file, mode="r", *args, **kwargs):
            writes = isinstance(mode, str) and "b" in mode and not {*mode}.isdisjoint("wax+") and not isinstance(file, int)
            return (aside if writes else real)(file, mode, *args, **kwargs)

        return open

    def attach_to(self, module, names, is_save=True):
        for name in names:
            holder, _, own = name.rpartition(".")
            holder = getattr(module, holder, None) if holder else module
            function = vars(holder).get(own) if holder else None
            if callable(function):
                setattr(holder, own, self.aside(function, is_save))

    def aside(self, function, is_save=True):
        @functools.wraps(function)
        def save(*args, **kwargs):
            self.under_way += 1  # what is read for it is no question
            if self.way == "scratch":
                self.process.peakscope_saving(1)
            try:
                return function(*args, **kwargs)
            finally:
                if self.way == "scratch":
                    self.process.peakscope_saving(-1)
                self.under_way -= 1
                if is_save:
                    self.saved()

        return save

    def see_rust(self, module):
        """safetensors names its files past libc: it is told where they go."""
        write = getattr(module, "serialize_file", None)
        if write is None or self.way != "scratch":
            return

        @functools.wraps(write)
        def serialize_file(tensors, filename, *args, **kwargs):
            place = ctypes.create_string_buffer(8192)
            error = self.process.peakscope_saved_at(os.fsencode(filename), place, ctypes.c_size_t(len(place)))
            if error:
                raise OSError(error, os.strerror(error), str(filename))
            return write(tensors, os.fsdecode(place.value), *args, **kwargs)

        module.serialize_file = serialize_file

    @staticmethod
    def refuse(*_, **__):
        raise PermissionError("peakscope: a dry run has no values to save; without --no-saves they go to a scratch folder, with "
                              "--allow-saves where they belong")
