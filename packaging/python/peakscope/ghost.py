# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A checkpoint of the right shapes without contents, where a dry run would download one: a sparse file, made from config.json.

PEAKSCOPE_GHOST is FOLDER or NAME=FOLDER: what is loaded by that folder, by that name, or by the name that its config.json gives
itself, comes from the ghost.
"""
import json
import os
import pathlib
import struct
import sys

WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".index.json", ".gguf")
TYPES = {"torch.bfloat16": "BF16", "torch.float16": "F16", "torch.float32": "F32", "torch.float64": "F64", "torch.int64": "I64",
         "torch.int32": "I32", "torch.uint8": "U8", "torch.bool": "BOOL"}


class Ghost:
    def __init__(self, said, record):
        name, _, folder = said.rpartition("=")
        self.source = pathlib.Path(folder).resolve()
        self.folder = pathlib.Path(record, "ghost", self.source.name)
        own = json.loads((self.source / "config.json").read_text(encoding="utf-8"))
        self.names = {name, own.get("_name_or_path")} - {"", None}
        self.made = False

    def stands_for(self, name):
        if not isinstance(name, (str, os.PathLike)):
            return False
        return str(name) in self.names or os.path.isdir(name) and pathlib.Path(name).resolve() == self.source

    def take(self, name):
        """Where that is loaded from."""
        if not self.stands_for(name):
            return name
        if not self.made:
            self.made = True  # its own configuration is looked for on the way
            self.make()
        return str(self.folder)

    def make(self):
        self.folder.mkdir(parents=True)
        for file in self.source.iterdir():
            if not file.name.endswith(WEIGHTS):
                (self.folder / file.name).symlink_to(file)
        import torch
        import transformers

        config = transformers.AutoConfig.from_pretrained(str(self.folder))
        named = getattr(transformers, (config.architectures or [""])[0], None)
        kind = getattr(config, "dtype", None) or getattr(config, "torch_dtype", None) or torch.float32
        kind = getattr(torch, kind) if isinstance(kind, str) else kind
        before = torch.get_default_dtype()
        torch.set_default_dtype(kind)
        try:
            with torch.device("meta"):
                model = named(config) if named else transformers.AutoModelForCausalLM.from_config(config)
        finally:
            torch.set_default_dtype(before)
        model.tie_weights()
        tensors = dict(model.named_parameters())  # one that is shared stands once
        kept = model.state_dict()
        tensors.update({key: value for key, value in model.named_buffers() if key in kept})
        write_sparse(self.folder / "model.safetensors", tensors)
        sys.stderr.write(f"peakscope: weights of {self.source.name} are a ghost's: right shapes, no contents\n")


def write_sparse(path, tensors):
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": TYPES[str(tensor.dtype)], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)


def hooks(said, record):
    """What is to be changed in modules of transformers once they are imported, by their names."""
    ghost = Ghost(said, record)

    def hub(module):
        files = module.cached_files

        def cached_files(path_or_repo_id, *args, **kwargs):
            return files(ghost.take(path_or_repo_id), *args, **kwargs)

        module.cached_files = cached_files

    def models(module):
        load = module.PreTrainedModel.from_pretrained.__func__

        def from_pretrained(cls, pretrained_model_name_or_path, *args, **kwargs):
            return load(cls, ghost.take(pretrained_model_name_or_path), *args, **kwargs)

        module.PreTrainedModel.from_pretrained = classmethod(from_pretrained)

    return {"transformers.utils.hub": hub, "transformers.modeling_utils": models}
