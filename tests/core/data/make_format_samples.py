#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes formats/: a file of every format that Peakscope opens beside its own, with the fields that their programs
write and made-up numbers (a seeded generator's, or round ones). No measurement is in them. Only hessian_memory_analysis
follows from something: its rule of thumb on the published sizes of three OPT models. Needs Python 3 alone."""
import csv, json, os

os.chdir(os.path.dirname(os.path.abspath(__file__)))
state = 7


def draw(least, most):
    """The next whole number of a linear congruential generator, least <= number < most."""
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) & 0xffffffffffffffff
    return least + (state >> 33) % (most - least)


def write(path, document):
    path = os.path.join("formats", path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def write_rows(path, rows):
    with open(os.path.join("formats", path), "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# ---- a comparison of clipping methods: MiB, milliseconds, epoch seconds

SHAPE = {"vocab_size": 5000, "hidden_dim": 256, "num_layers": 6, "num_heads": 8, "seq_len": 1024, "batch_size": 2}
STAGES = ["0_model_loaded", "1_wrapped_with_dp", "2_optimizer_created", "3_after_warmup"] + [
    f"{4 + i}_iter{step}_{stage}" for step in range(3)
    for i, stage in enumerate(("before_forward", "after_forward", "after_backward", "after_step"))]


def clipping_run(method, parameters, peak, milliseconds):
    clipped = method != "vanilla"
    snapshots = []
    for i, stage in enumerate(STAGES):
        allocated = 4 * parameters + (peak - 4 * parameters) * (0.75 if stage.endswith("forward") and i > 4 else 0.0)
        snapshots.append({"name": stage, "allocated_mb": round(allocated, 2), "reserved_mb": round(1.125 * allocated, 2),
                          "max_allocated_mb": round(allocated, 2), "timestamp": 1700000000.25 + 1.5 * i})
    return {"experiment": method, "config": SHAPE, "avg_time_ms": milliseconds, "peak_memory_mb": peak,
            "breakdown": {"model_parameters_mb": parameters, "gradients_mb": parameters,
                          "activation_hooks_mb": 1.5 * peak if clipped else 0.0,
                          "norm_samples_mb": 0.004 if clipped else 0.0, "temp_matrices_mb": 0.0,
                          "optimizer_states_mb": 2 * parameters, "total_allocated_mb": 4 * parameters,
                          "total_reserved_mb": 1.125 * peak, "peak_allocated_mb": peak},
            "snapshots": snapshots}


for name, peak, milliseconds in (("vanilla", 640.5, 125.0), ("ghost", 800.25, 310.5), ("flash_clip", 768.75, 160.25)):
    write(f"dpsgd/run_20241110_123456/{name}_result.json", clipping_run(name, 32.5, peak, milliseconds))
short = clipping_run("ghost", 32.5, 800.25, 310.5)
short["breakdown"].pop("total_reserved_mb")
short["breakdown"]["temp_matrices_mb"] = 12.5
short["snapshots"] = [{key: value for key, value in short["snapshots"][0].items() if key != "max_allocated_mb"}]
write("dpsgd/seed003_sample_result.json", short)
write("dpsgd/dit/flash_clip_result.json",
      {"peak_memory_mb": 838.8608, "peak_allocated_memory_mb": 800.0, "avg_time_ms": 77.5,
       "breakdown": {"model_parameters_mb": 90.5, "gradients_mb": 90.5, "optimizer_states_mb": 181.0,
                     "activation_hooks_mb": 0.0, "norm_samples_mb": 0.02, "temp_matrices_mb": 0.0}, "snapshots": []})
for mode, peak, milliseconds in (("ghost", 1500.5, 92.5), ("flash_fuse", 1100.5, 61.5), ("flash_fuse_bk", 1200.75, 55.25),
                                 ("no_dp_single", 1024.25, 40.75)):
    model = {"vocab_size": 50257, "hidden_dim": 128, "num_layers": 4, "num_heads": 4}
    write(f"dpsgd/points/{mode}_seq4096_result.json",
          {"mode": mode, "seq_length": 4096, "batch_size": 1, "total_batch_size": 1, "num_gpus": 1, **model,
           "peak_memory_mb": peak, "peak_memory_gb": peak / 1024, "avg_time_ms": milliseconds, "time_stat": "median",
           "config": {"mode": mode, **model, "seq_length": 4096, "batch_size": 1, "num_iter": 5, "warmup_iter": 2,
                      "learning_rate": 0.0001, "sigma": 1.0, "max_grad_norm": 1.0, "bf16": False, "time_stat": "median",
                      "token": "hf_EXAMPLE_NOT_A_REAL_TOKEN"}})

# ---- a sweep (GiB) and its table

points, table = [], []
for length in (64, 128):
    for batch in (2, 4):
        for lora in (False, True):
            forward = length * batch / 4096
            stages = {"model_download": 1.25, "tokenizer_loading": 0.0}
            if lora:
                stages["lora_setup"] = 0.0
            stages |= {"dataset_preparation": 0.0, "fsdp_wrapping": 0.125, "optimizer_setup": 0.03,
                       "privacy_engine_setup": 0.05, "optimizer_zero_grad": 0.0, "data_transfer": 0.0,
                       "forward_pass": forward, "loss_computation": 0.0, "backward_pass": 1.3 * forward,
                       "optimizer_step": 0.25 if lora else 2.5}
            peak = round(1.3 + 3 * forward + stages["optimizer_step"], 4)
            snapshots = []
            for i, stage in enumerate(stages):
                for half, end in enumerate(("start", "end")):
                    snapshots.append({"timestamp": round(0.2 * i + 0.1 * half, 2),
                                      "allocated_gb": 1.25 + (stages[stage] if end == "end" else 0),
                                      "reserved_gb": peak + 0.1, "stage": f"{stage}_{end}", "module": None})
            values = {"seq_length": length, "batch_size": batch, "max_physical_batch_size": 1, "is_lora": lora,
                      "lora_rank": 4, "peak_memory_gb": peak, "execution_time": 3.5 + forward}
            points.append({**values, "memory_breakdown": stages, "snapshots": snapshots})
            table.append((values, stages))
write("sweep/memory_profile_results.json", points)
columns = list(table[1][1])
write_rows("sweep/memory_profile_summary.csv",
           [{**values, **{f"{stage}_memory_gb": stages.get(stage, "") for stage in columns}} for values, stages in table])

# ---- components: bytes outside, GiB inside the snapshots

write("detailed/detailed_memory_results.json", [
    {"config": {"seq_length": 64, "batch_size": batch, "max_physical_batch_size": 1, "is_lora": True, "lora_rank": 4},
     "peak_memory": 1500000000 + 1000003 * batch, "execution_time": 2.5,
     "detailed_breakdown": {
         "stages": {"model_download": 1342177280, "forward_pass": 70000001 * batch, "backward_pass": 90000007 * batch,
                    "garbage_collection": 0},
         "components": {name: {"forward": forward * batch, "backward": backward * batch}
                        for name, forward, backward in (("attention", 30000001, 12000011), ("mlp", 40000003, 22000017),
                                                        ("embedding", 9000005, 0), ("normalization", 1100009, 500003),
                                                        ("lora", 4000037, 2000029))},
         "gradient_estimate": 800011, "activation_estimate": 5000011 * batch},
     "snapshots": [{"timestamp": time, "allocated_gb": allocated, "reserved_gb": reserved, "stage": stage,
                    "module": None, "component": component, "operation": None}
                   for time, allocated, reserved, stage, component in (
                       (0.0, 0.0, 0.0, "model_loading_start", None),
                       (1.5, 1.25, 1.5, "model_loading_end", "full_model"))]}
    for batch in (1, 2)])

# ---- responses to noise

SIGMAS = (0.0, 0.001, 0.01, 0.1)
FAMILIES = {
    "ultra_safe": {"timestamp": "2024-03-01 12:00:00.123456", "experiment_type": "ultra_safe_synthetic",
                   "umap_silhouette_score": 0.321, "num_clusters": 4,
                   "parameter_counts": {"Wfunc": 7, "Wsens": 2, "Wboth": 11}, "data_type": "synthetic",
                   "memory_safe": True},
    "complete": {"timestamp": "2024-03-01 11:00:00.000001", "umap_silhouette_score": -1.0, "num_clusters": 1,
                 "experiment_type": "complete_safe"},
    "optimized_hessian": {"timestamp": "2024-03-02 09:30:00.5", "experiment_type": "optimized_hessian",
                          "umap_silhouette_score": 0.25, "num_clusters": 3,
                          "parameter_counts": {"Wfunc": 3, "Wsens": 0, "Wboth": 60}, "hessian_data_size": 64,
                          "memory_optimized": True},
    "a800_gpu": {"timestamp": "2024-03-01T12:00:00", "experiment_type": "a800_gpu_optimized",
                 "gpu_device": "NVIDIA A800-SXM4-80GB", "gpu_memory_used": 12.5, "umap_silhouette_score": 0.5,
                 "num_clusters": 5, "parameter_counts": {"Wfunc": 4, "Wsens": 5, "Wboth": 9},
                 "hessian_data_size": 500, "gpu_optimized": True}}


def responses(sigmas, baseline):
    rows = []
    for sigma in sigmas:
        for kind, worse, safer in (("Wfunc", 16.0, 0.5), ("Wsens", 1.0, 4.0), ("Wboth", 8.0, 2.0)):
            jitter = draw(900, 1100) / 1000
            rows.append({"noise_level": sigma, "param_type": kind, "delta_ppl": round(worse * sigma * jitter, 6),
                         "delta_auc": round(safer * sigma * jitter / 8, 6), "baseline_ppl": baseline})
    return rows


for i, (name, document) in enumerate(FAMILIES.items()):
    rows = responses(SIGMAS if name == "a800_gpu" else SIGMAS[:3], 20.5 + i)
    write(f"prm/{name}_results.json", {**document, "prm_results": rows})
    if name == "ultra_safe":
        write_rows(f"prm/{name}_results.csv", rows)
pilot = []
for kind, worse in (("Wfunc", 90.0), ("Wsens", 2.0), ("Wboth", 40.0)):
    for sigma in (0.0, 1e-6, 1e-5, 1e-4, 1e-3):
        for repeat in range(3):
            change = round(worse * sigma * draw(900, 1100) / 1000, 9)
            pilot.append({"label": kind, "sigma": sigma, "repeat": repeat, "ppl": round(31.25 + change, 9), "mia": None,
                          "delta_ppl": change})
write("prm/pilot_results.json", pilot)
write_rows("prm/pilot_results.csv", [{**row, "mia": ""} for row in pilot])


def hessian_plan(name, count, activations):
    """The rule of thumb: whole numbers of the parameters' bytes, but the square of their count."""
    own, full = 4 * count, 4 * count * count
    return {"model_name": name, "total_params": count, "trainable_params": count,
            "memory_breakdown": {"parameters": own, "gradients": own, "hessian_diagonal": own, "hessian_full": full,
                                 "activations": activations, "intermediate": 2 * own},
            "strategies": {"diagonal_hessian": 5 * own + activations, "block_diagonal_hessian": 14 * own + activations,
                           "full_hessian": full + 4 * own + activations, "approximate_hessian": 4 * own + activations}}


write("prm/hessian_memory_analysis.json", [hessian_plan("facebook/opt-125m", 125239296, 128 * 1252 * 4),
                                           hessian_plan("facebook/opt-350m", 331196416, 128 * 3311 * 4),
                                           hessian_plan("facebook/opt-1.3b", 1315758080, 128 * 4096 * 4)])

# ---- PyTorch: a Chrome trace in both wrappings (memory timelines are PyTorch's own: make_memory_timelines.py)

events, alive, total, time = [], [], 0, 2000.125
for i in range(120):
    time = round(time + draw(2000, 9000) / 1000, 3)
    if alive and draw(0, 3) == 0:
        address, size = alive.pop(draw(0, len(alive)))
        change = -size
    else:
        address, change = 0x7f0000000000 + 0x10000 * i, 64 * draw(10, 3000)
        alive.append((address, change))
    total += change
    events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": time,
                   "args": {"Device Type": 0, "Device Id": -1, "Addr": address, "Bytes": change,
                            "Total Allocated": total, "Total Reserved": 0}})
    if i % 10 == 0:
        events.append({"ph": "X", "cat": "cpu_op", "name": ("aten::mm", "aten::addmm", "aten::softmax")[i // 10 % 3],
                       "pid": 1, "tid": 1, "ts": time, "dur": 1.5, "args": {}})
write("torch/trace_list.json", events)
write("torch/trace_envelope.json", {"schemaVersion": 1, "deviceProperties": [], "displayTimeUnit": "ms",
                                    "baseTimeNanoseconds": 1700000000000000000, "traceEvents": events,
                                    "traceName": "made_up.json"})
