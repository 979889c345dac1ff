# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiments of packaging/gpu-check: what is measured, point by point, and what is only predicted."""

GIB = 2**30
BUDGET = 80 * GIB  # of the cards that the model ladder and the sweep are for

# What the study of clipped training published for vanilla, ghost and flash: MiB and milliseconds.
PUBLISHED = {"vanilla": (52347.0, 6727.0), "ghost": (56992.0, 17129.0), "flash": (56816.0, 7489.0)}

LADDER = (("opt-125m", 10000), ("opt-350m", 10000), ("opt-1.3b", 10000), ("opt-2.7b", 200), ("opt-6.7b", 200),
          ("opt-13b", 200))

# What the guide for an A800 gave for them, in GB, by hand.
LADDER_PUBLISHED = {"opt-125m": 2, "opt-350m": 4, "opt-1.3b": 12, "opt-2.7b": 20, "opt-6.7b": 45, "opt-13b": 80}

SWEEP_RANKS, SWEEP_SEQUENCES = (8, 16), (128, 256, 512)
SWEEP_BATCHES, SWEEP_PHYSICAL = (8, 16, 32), (1, 2, 4)
# (sequence, batch, physical batch) of the points that are measured, for both ranks.
SWEEP_MEASURED = ((128, 8, 1), (128, 32, 4), (256, 16, 2), (256, 32, 4), (512, 8, 2), (512, 32, 1))

SEED_METHODS = (("vanilla", "none", "naive"), ("vanilla-chunked", "none", "chunked"), ("ghost", "ghost", "naive"),
                ("flash", "flash", "naive"), ("flash_bk", "flash_bk", "naive"), ("auto", "auto", "naive"),
                ("auto-chunked", "auto", "chunked"))
# The same with norms of rounded products, which CUDA devices alone have.
SEED_TF32 = (("flash-tf32", "flash", "naive"), ("flash_bk-tf32", "flash_bk", "naive"))


def is_dry(device):
    """A stand-in of a card: memory, and no times."""
    return device.startswith("dry:")


def point(part, name, experiment, **more):
    return {"part": part, "name": name, "experiment": experiment, **more}


def seed_training(clipping, head, traced):
    training = {"optimizer": "adam", "lr": 1e-4, "loss_head": head, "clipping": clipping,
                "warmup_steps": 1 if traced else 2, "steps": 1 if traced else 3}
    if clipping != "none":
        training.update({"max_grad_norm": 1.0, "noise_multiplier": 1.0})
    return training


def seed_points(device, small):
    """Seed 003: memory and time of a clipped step, apart from each other."""
    model = {"id": "plain-seed"}
    data = {"source": "builtin", "batch": 1, "seq": 16384}
    if small:
        model = {"family": "plain", "hidden": 128, "layers": 4, "heads": 4, "vocab": 1000, "max_positions": 1024}
        data = {"source": "builtin", "batch": 1, "seq": 1024}
    points = []
    for name, clipping, head in SEED_METHODS + (SEED_TF32 if device != "cpu" else ()):
        for traced in (True,) if is_dry(device) else (True, False):
            experiment = {"kind": "memory", "model": model, "weights": "random", "dtype": "float32", "device": device,
                          "data": data, "training": seed_training(clipping, head, traced)}
            if name.endswith("-tf32"):
                experiment["training"]["norm_precision"] = "tf32"
            if not traced:
                experiment["traced"] = False
            more = {"estimate": ("plain-seed", experiment)} if traced and not small else {}
            points.append(point("seed003", f"seed003-{name}-{'memory' if traced else 'time'}", experiment,
                                method=name, clipping=clipping, traced=traced, **more))
    return points


def ladder_experiment(model, count, device):
    return {"kind": "curvature", "model": model, "weights": "random", "dtype": "float32", "device": device,
            "data": {"source": "builtin", "batch": 4, "seq": 128},
            "curvature": {"quantities": ["diagonal"], "parameters": {"select": "sample", "count": count}}}


def ladder_points(device, small):
    """Seed 002: entries of the Hessian's diagonal on larger and larger models, within 80 GB."""
    if small:
        points = []
        for hidden, layers, count in ((64, 2, 300), (128, 4, 300), (192, 6, 40)):
            model = {"family": "opt", "hidden": hidden, "layers": layers, "heads": 4, "vocab": 512,
                     "max_positions": 128}
            points.append(point("ladder", f"ladder-small-{layers}x{hidden}", ladder_experiment(model, count, device),
                                model=f"opt {layers} x {hidden}", count=count))
        return points
    points = []
    for model, count in LADDER:
        experiment = ladder_experiment({"id": model}, count, device)
        experiment["budget_bytes"] = BUDGET
        points.append(point("ladder", f"ladder-{model}", experiment, model=model, count=count,
                            estimate=(model, experiment)))
    return points


def sweep_experiment(device, rank, sequence, batch, physical, small):
    model = {"id": "llama-3.1-8b"}
    if small:
        model = {"family": "llama", "hidden": 128, "layers": 3, "heads": 4, "kv_heads": 2, "vocab": 1000,
                 "max_positions": 128}
    experiment = {"kind": "memory", "model": model, "weights": "random", "dtype": "float32" if small else "bfloat16",
                  "device": device,
                  "data": {"source": "builtin", "batch": batch, "seq": sequence, "max_physical_batch": physical},
                  "training": {"optimizer": "adamw", "lr": 1e-4, "clipping": "auto", "max_grad_norm": 1.0,
                               "noise_multiplier": 1.0, "lora": {"rank": rank}, "warmup_steps": 1, "steps": 1}}
    if not small:
        experiment["budget_bytes"] = BUDGET
    return experiment


def sweep_point(device, rank, sequence, batch, physical, small, measured):
    values = {"rank": rank, "seq": sequence, "batch": batch, "physical": physical}
    experiment = sweep_experiment(device, rank, sequence, batch, physical, small)
    return point("sweep", f"sweep-r{rank}-t{sequence}-b{batch}-p{physical}", experiment, values=values,
                 measured=measured, **({} if small else {"estimate": ("llama-3.1-8b", experiment)}))


def sweep_points(device, small):
    """Seed 004: adapters on a model shaped like Llama 3.1 8B; some points are measured, all are predicted."""
    if small:
        return [sweep_point(device, rank, sequence, batch, physical, True, True)
                for rank in SWEEP_RANKS for sequence, batch, physical in ((32, 4, 1), (64, 8, 4))]
    return [sweep_point(device, rank, sequence, batch, physical, False,
                        is_dry(device) or (sequence, batch, physical) in SWEEP_MEASURED)
            for rank in SWEEP_RANKS for sequence in SWEEP_SEQUENCES for batch in SWEEP_BATCHES
            for physical in SWEEP_PHYSICAL]


def ledger_points(device, small):
    """The ledger against the allocator on a model of some size, in every precision and allocator setting."""
    model = {"id": "opt-125m"}
    if small:
        model = {"family": "opt", "hidden": 64, "layers": 3, "heads": 4, "vocab": 512, "max_positions": 128}
    cases = (("float32", {}, {}), ("bfloat16-autocast", {"amp": "bfloat16"}, {}),
             ("float16-autocast", {"amp": "float16"}, {}), ("checkpointing", {"checkpointing": True}, {}),
             ("flash", {"clipping": "flash", "noise_multiplier": 1.0}, {}),
             ("expandable", {}, {"cuda_allocator": {"expandable_segments": True}}),
             ("over-budget", {}, {"budget_bytes": 2**20 if small else 2**30}))
    points = []
    for name, training, more in cases:
        if small and name in ("float16-autocast", "expandable"):
            continue
        experiment = {"kind": "memory", "model": model, "weights": "random", "device": device,
                      "data": {"source": "builtin", "batch": 4, "seq": 128},
                      "training": {"warmup_steps": 1, "steps": 2, **training}, **more}
        points.append(point("ledger", f"ledger-{name}", experiment, case=name))
    return points


def all_points(device, small):
    made = {"ledger": ledger_points, "seed003": seed_points, "ladder": ladder_points, "sweep": sweep_points}
    return {part: make(device, small) for part, make in made.items()}
