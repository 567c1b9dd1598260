"""Documents drawn from p(x | y): words one by one, from Polya's urn, or each word's presence.

Vectorised, and exact: no word is left out because a class has no counts of it.
"""

import numpy as np
import numpy.typing as npt

from priori.events.multinomial import pseudo_counts
from priori.events.table import Weights
from priori.readings import Readings

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


def draw(weight: Floats, size: int, rng: np.random.Generator) -> Places:
    """Places drawn with probability weight / sum(weight)."""
    if size == 0:
        return np.zeros(0, np.intp)
    edges = np.cumsum(weight)
    found = np.searchsorted(edges, rng.random(size) * edges[-1], side="right")
    # subtle: a product may be rounded up to the sum of all, which is beyond the last weight
    places: Places = np.minimum(found, np.flatnonzero(weight)[-1])
    return places


def word_mass(weights: Weights, readings: Readings, k: int) -> Floats:
    """(V + 1,) N_kj + a_kj of every term, and last of the slot of unknown words; theta_k is their share of the sum."""
    reading = weights.reading
    pseudo = pseudo_counts(reading, reading.occurrences, readings)
    share = 1.0 if pseudo.share is None else float(pseudo.share[k])
    own = np.flatnonzero(reading.pair_class == k)
    mass = np.empty(reading.terms + 1)
    mass[:-1] = pseudo.term * share  # the terms that the class has never seen
    mass[reading.pair_term[own]] = reading.occurrences[own] + pseudo.pair[own]
    mass[-1] = pseudo.unknown * share if readings.unknown == "prior" else 0.0
    return mass


def draw_words(mass: Floats, lengths: Places, rng: np.random.Generator, *, urn: bool = False) -> Places:
    """The words of documents of these lengths, one after the other.

    urn: theta is integrated out, so that each word drawn goes back with another of its kind. Word i of a document is
    then one of the i before it with probability i / (i + sum(mass)), and drawn from the mass otherwise (Polya's urn).
    """
    size = int(lengths.sum())
    words = draw(mass, size, rng)
    if not urn:
        return words
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    place = np.arange(size)
    before = place - first  # i
    # one number decides: it falls on one of the words before, or on what was in the urn at first
    ball = np.floor(rng.random(size) * (before + mass.sum()))
    source = np.where(ball < before, first + ball.astype(np.intp), place)
    while True:  # a copy of a copy is one of what that is a copy of
        further = source[source]
        if np.array_equal(further, source):
            return words[source]
        source = further


def presence(weights: Weights, readings: Readings, k: int) -> Floats:
    """(V + 1,) phi_kj = (D_kj + a) / (D_k + 2a) of every term, and last of the slot of unknown words."""
    reading = weights.reading
    pseudo = pseudo_counts(reading, reading.documents, readings)
    documents = reading.class_documents[k]
    own = np.flatnonzero(reading.pair_class == k)
    present, absent = np.empty(reading.terms + 1), np.empty(reading.terms + 1)
    present[:-1] = pseudo.term
    absent[:-1] = documents + pseudo.term
    at = reading.pair_term[own]
    present[at] = reading.documents[own] + pseudo.pair[own]
    absent[at] = documents - reading.documents[own] + pseudo.pair[own]
    present[-1] = pseudo.unknown if readings.unknown == "prior" else 0.0
    absent[-1] = documents + pseudo.unknown
    return present / (present + absent)


def draw_presences(phi: Floats, size: int, rng: np.random.Generator) -> tuple[Places, Places]:
    """(lengths, words) of `size` documents, each word j in each document with probability phi_j.

    The work is that of the words that are there, not documents x terms: words of like probability, up to a factor of 2,
    are drawn together from one success to the next with the largest, and kept with the rest of their own.
    """
    rows, columns = [], []
    possible = np.flatnonzero(phi)
    power = np.frexp(phi[possible])[1]
    for each in np.unique(power):
        words = possible[power == each]
        largest = float(phi[words].max())
        cells = _successes(size * len(words), largest, rng)
        kept = cells[rng.random(len(cells)) * largest < phi[words[cells % len(words)]]]
        rows.append(kept // len(words))
        columns.append(words[kept % len(words)])
    row, word = (np.concatenate(parts or [np.zeros(0, np.intp)]) for parts in (rows, columns))
    return np.bincount(row, minlength=size), word[np.lexsort((word, row))]


def _successes(trials: int, p: float, rng: np.random.Generator) -> Places:
    """Which of so many trials succeed, each with probability p: the failures between two are geometric."""
    if p == 1:
        return np.arange(trials)
    found, last = [np.zeros(0)], -1.0
    while last < trials - 1:
        expected = (trials - last) * p
        many = int(expected + 4 * np.sqrt(expected) + 16)
        with np.errstate(over="ignore"):  # then the next success is beyond all trials
            failures = np.floor(rng.standard_exponential(many) / -np.log1p(-p))
            places = last + np.cumsum(failures + 1)
        found.append(places)
        last = float(places[-1])
    places = np.concatenate(found)
    return places[places < trials].astype(np.intp)
