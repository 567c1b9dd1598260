"""Tables with hidden classes for the tests of EM, and the same EM written plainly."""

import numpy as np
import pyarrow as pa

from priori.columns.specification import parts_of
from priori.data.frames import table_batches
from priori.estimators.inputs import Targets
from priori.latent.rows import HiddenRows


def hidden_rows(table, y, columns, classes=None, weights=None):
    """The rows of a table, and the parts that its columns have."""
    batches = list(table_batches(table if isinstance(table, pa.Table) else pa.table(table)))
    parts = parts_of(batches[0].schema, columns)
    rows = HiddenRows.of(Targets(y, weights).beside(iter(batches)), parts)
    return rows if classes is None else rows.among(tuple(str(k + 1) for k in range(classes)))


def numbers(X):
    """A table of the columns of an array."""
    return {f"x{j}": column for j, column in enumerate(np.asarray(X, float).T)}


def rounding(step):
    """How far off an objective may be: each of its n terms, and their sum, is rounded some hundred times."""
    return 1e-12 * (1 + abs(step.objective) + abs(step.log_likelihood) + len(step.rows))


def plain_em(codes, x, group, responsibilities, weight, *, alpha, prior, iterations):
    """EM of a mixture of one categorical and one normal column, in loops: (responsibilities, shares, μ, σ², objective)
    of each iteration. Missing cells are -1 and NaN. The normal is at its posterior mode, the categories at their mean.
    """
    n, classes = responsibilities.shape
    values = max(codes) + 1
    location, kappa, shape, scale = prior
    r = responsibilities.copy()
    for i in range(n):
        if group[i] >= 0:
            r[i] = [float(k == group[i]) for k in range(classes)]
    found = []
    for _ in range(iterations):
        pi, theta = np.zeros(classes), np.zeros((classes, values))
        mean, variance = np.zeros(classes), np.zeros(classes)
        for k in range(classes):
            w = [weight[i] * r[i, k] for i in range(n)]
            pi[k] = sum(w) / sum(weight)
            for v in range(values):
                theta[k, v] = alpha + sum(w[i] for i in range(n) if codes[i] == v)
            theta[k] /= theta[k].sum()
            there = [i for i in range(n) if not np.isnan(x[i])]
            size = sum(w[i] for i in there)
            mean[k] = (kappa * location + sum(w[i] * x[i] for i in there)) / (kappa + size)
            squares = sum(w[i] * (x[i] - mean[k]) ** 2 for i in there) + kappa * (mean[k] - location) ** 2
            variance[k] = (2 * scale + squares) / (2 * shape + size + 3)
        joint = np.zeros((n, classes))
        for i in range(n):
            for k in range(classes):
                joint[i, k] = np.log(pi[k])
                if codes[i] >= 0:
                    joint[i, k] += np.log(theta[k, codes[i]])
                if not np.isnan(x[i]):
                    joint[i, k] -= 0.5 * (np.log(2 * np.pi * variance[k]) + (x[i] - mean[k]) ** 2 / variance[k])
        objective = alpha * np.log(theta).sum()
        for k in range(classes):
            away = scale + kappa * (mean[k] - location) ** 2 / 2
            objective -= (shape + 1.5) * np.log(variance[k]) + away / variance[k]
        for i in range(n):
            if group[i] >= 0:
                objective += weight[i] * joint[i, group[i]]
            else:
                objective += weight[i] * np.log(np.exp(joint[i]).sum())
                r[i] = np.exp(joint[i]) / np.exp(joint[i]).sum()
        found.append((r.copy(), pi, theta, mean, variance, objective))
    return found
