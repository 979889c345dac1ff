#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes iris.csv and what umap-learn makes of it: iris_neighbors.csv, iris_sigma_rho.csv, iris_graph.csv.

iris.csv is Fisher's table (R. A. Fisher, "The use of multiple measurements in taxonomic problems", 1936), centimetres,
as scikit-learn has it. The neighbours are the 15 nearest of each row, itself first and ties by number, found in whole
tenths of a centimetre so that no rounding decides; sigmas, rhos and the fuzzy graph (i < j) follow from exactly those.
Needs umap-learn and scikit-learn; the stored files were made with umap-learn 0.5.12 and scikit-learn 1.9.1."""
import os
import numpy as np
from sklearn.datasets import load_iris
from umap.umap_ import fuzzy_simplicial_set, smooth_knn_dist

NEIGHBORS = 15
os.chdir(os.path.dirname(os.path.abspath(__file__)))
iris = load_iris()
tenths = np.rint(iris.data * 10).astype(np.int64)
assert np.abs(tenths / 10 - iris.data).max() < 1e-12

with open("iris.csv", "w") as file:
    file.write("sepal_length,sepal_width,petal_length,petal_width,label\n")
    for row, label in zip(tenths, iris.target):
        file.write(",".join(f"{value / 10:g}" for value in row) + f",{label}\n")

squares = ((tenths[:, None] - tenths[None]) ** 2).sum(-1)
squares[np.arange(len(tenths)), np.arange(len(tenths))] = -1  # each first among its own, its duplicates after it
index = np.argsort(squares, axis=1, kind="stable")[:, :NEIGHBORS]
distance = np.sqrt(np.maximum(np.take_along_axis(squares, index, 1), 0) / 100).astype(np.float32)
with open("iris_neighbors.csv", "w") as file:
    file.writelines(",".join(map(str, row)) + "\n" for row in index)

sigma, rho = smooth_knn_dist(distance, float(NEIGHBORS))
with open("iris_sigma_rho.csv", "w") as file:
    file.write("sigma,rho\n")
    file.writelines(f"{s:.9g},{r:.9g}\n" for s, r in zip(sigma, rho))

graph = fuzzy_simplicial_set(iris.data, NEIGHBORS, 0, "euclidean", knn_indices=index, knn_dists=distance)[0].tocoo()
edges = sorted((i, j, weight) for i, j, weight in zip(graph.row, graph.col, graph.data) if i < j)
with open("iris_graph.csv", "w") as file:
    file.write("i,j,weight\n")
    file.writelines(f"{i},{j},{weight:.7g}\n" for i, j, weight in edges)
