"""Some blocks of documents, and what language models are without each of them."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from priori import _core
from priori.columns.class_prior import log_class_prior
from priori.columns.words.language import pair_weights
from priori.columns.words.left_out.grouped_rows import Documents
from priori.columns.words.readings import Readings
from priori.columns.words.weights import Weights
from priori.errors import EstimateError
from priori.language.ngrams import Nodes, Tallied, counts_of_counts, kind_of, sum_types, summed
from priori.language.probabilities import probabilities
from priori.language.table import LanguageWeights
from priori.statistics import Counts

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """Some blocks: the n-grams of each (`used`), and the nodes of those in the classes that change."""

    weights: Weights
    language: LanguageWeights
    counts: Counts
    rows: Documents
    readings: Readings
    blocks: int
    used_block: Int64s  # (U,)
    used_term: Int64s
    entry: Int64s  # (E,) which of them an entry is
    taken: Floats  # (U,) what the block takes away of it, of all classes
    gone: npt.NDArray[np.bool_]  # (U,) whether nothing is left
    touched: npt.NDArray[np.bool_]  # (B, K) classes that lose something
    left: Floats  # (B, K) documents that are left
    vocabulary: Floats  # (B,) tokens that are left

    @classmethod
    def of(
        cls, weights: Weights, counts: Counts, rows: Documents, readings: Readings, *, fixed: bool, total: Floats
    ) -> Self:
        """Of whole blocks; `total`: occurrences of each term in all classes."""
        language = weights.language
        assert language is not None
        blocks, block = np.unique(rows.block, return_inverse=True)
        size = np.diff(rows.offsets)
        entry_block = np.repeat(block, size).astype(np.int64)
        used, entry = np.unique(entry_block * counts.terms + rows.term, return_inverse=True)
        learned = np.where(rows.cls >= 0, rows.weight, 0.0)
        taken = summed(entry, rows.count * np.repeat(learned, size), len(used))
        used_block, used_term = used // counts.terms, used % counts.terms
        gone = np.zeros(len(used), bool) if fixed else (taken > 0) & (taken >= total[used_term])
        touched = np.zeros((len(blocks), len(counts.labels)), bool)
        documents = np.zeros(touched.shape)
        lost = np.flatnonzero(learned > 0)
        touched[block[lost], rows.cls[lost]] = True
        np.add.at(documents, (block[lost], rows.cls[lost]), learned[lost])
        tokens = gone & (
            language.terms.order[used_term] == 1
        )  # the mark at the beginning goes with its last class only
        tokens &= used_term != language.terms.begin
        vocabulary = language.size - np.bincount(used_block[tokens], minlength=len(blocks))
        touched[vocabulary != language.size] = True
        left = weights.reading.class_documents - documents
        return cls(
            weights, language, counts, rows, readings, len(blocks), used_block, used_term, entry, taken, gone, touched,
            left, vocabulary.astype(np.float64),
        )  # fmt: skip

    def scores(self) -> tuple[Floats, Floats, Floats]:
        """Joint (n, K), features (n,), and those that still have a place (n,)."""
        rows, language, reading = self.rows, self.language, self.weights.reading
        block = np.unique(rows.block, return_inverse=True)[1]
        count = rows.count.astype(np.float64)
        classes = len(self.counts.labels)
        joint = _core.weigh_rows(
            rows.offsets, rows.term, count, reading.pair_offsets, reading.pair_class, self.weights.pair_weight, classes
        )
        unseen = np.broadcast_to(self.weights.per_feature, self.touched.shape).copy()
        altered, unseen[self.touched] = self._altered(count)
        joint = np.where(self.touched[block], altered, joint)
        row = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
        gone = self.gone[self.entry]
        features = summed(row, count, len(rows))
        known = summed(row[~gone], count[~gone], len(rows))
        first = (language.terms.order[rows.term] == 1) & (rows.term != language.terms.begin)
        tokens = summed(row[first & ~gone], count[first & ~gone], len(rows))
        if rows.unknown is not None:
            features = features + rows.unknown.astype(np.float64)
        if self.readings.unknown == "prior":
            tokens = self._tokens(features)
        joint = joint + tokens[:, None] * unseen[block] + self._log_prior()[block]
        return np.where(self.left[block] > 0, joint, -np.inf), features, known

    def _tokens(self, features: Floats) -> Floats:
        """How many tokens are predicted in documents of so many n-grams: order n has n - 1 less than order 1."""
        longest, marks = self.language.order, int(self.language.terms.begin >= 0)
        most = longest * (longest + 1) / 2
        long = (features + longest * (longest - 1) / 2) / longest
        short = (np.sqrt(8 * features + 1) - 1) / 2  # of fewer tokens than the longest n-gram has
        return np.asarray(np.rint(np.where(features >= most, long, short)) - marks)

    def _log_prior(self) -> Floats:
        """log p(y) of the classes and documents that are left, (B, K)."""
        found, labels = np.zeros(self.left.shape), self.counts.labels
        for block, documents in enumerate(self.left):
            stay = np.flatnonzero(documents > 0)
            if len(stay):
                found[block, stay] = log_class_prior(
                    tuple(labels[k] for k in stay), documents[stay], self.readings.class_prior, self.readings.estimate
                )
        return found

    def _altered(self, count: Floats) -> tuple[Floats, Floats]:
        """What n-grams add in the classes that change, summed by row (n, K); and tokens unseen, by touched class."""
        rows, reading, language = self.rows, self.weights.reading, self.language
        classes = len(self.counts.labels)
        used, pair, offsets = self._pairs()
        nodes = self._nodes(used, pair, offsets)
        tallied = self._tallied(nodes, pair)
        group_block = np.nonzero(self.touched)[0]
        found = probabilities(nodes, tallied, language.resolved, self.vocabulary[group_block])
        log_prob, backoff, unseen = found.log()
        if not np.isfinite(unseen).all() or not np.isfinite(backoff).all():
            raise EstimateError("without one of the documents a class calls unseen words impossible; smooth more")
        weight = pair_weights(nodes, log_prob, backoff, unseen)
        sums = _core.weigh_rows(
            rows.offsets, self.entry.astype(np.int32), count, offsets, reading.pair_class[pair], weight, classes
        )
        return sums, unseen

    def _pairs(self) -> tuple[Int64s, Int64s, Int64s]:
        """The pairs of the used n-grams with the classes that change: used, pair, and offsets by used."""
        reading = self.weights.reading
        starts = reading.pair_offsets[self.used_term]
        sizes = reading.pair_offsets[self.used_term + 1] - starts
        used = np.repeat(np.arange(len(sizes)), sizes)
        pair = np.arange(len(used)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(starts, sizes)
        kept = self.touched[self.used_block[used], reading.pair_class[pair]]
        used, pair = used[kept], pair[kept]
        offsets = np.searchsorted(used, np.arange(len(sizes) + 1)).astype(np.int64)
        return used, pair, offsets

    def _nodes(self, used: Int64s, pair: Int64s, offsets: Int64s) -> Nodes:
        """Those pairs as nodes of a block and class, with what is left of their counts."""
        terms, whole = self.language.terms, self.language.nodes
        keys = self.used_block * self.counts.terms + self.used_term

        def related(term: npt.NDArray[np.int32]) -> Int64s:
            there = term[self.used_term].astype(np.int64)
            place = np.searchsorted(keys, self.used_block * self.counts.terms + np.maximum(there, 0))
            at = np.where(there >= 0, place, -1).astype(np.int32)
            return _core.related_pairs(offsets, cls, at)

        cls = self.weights.reading.pair_class[pair]
        groups = np.cumsum(self.touched.ravel()).reshape(self.touched.shape) - 1
        count = whole.count[pair] - self._taken_of(used, cls)
        for at in np.flatnonzero(count < 0)[:1]:
            raise EstimateError(
                f"left-out documents have {self.counts.term(int(self.used_term[used[at]]))!r} more often than their "
                "class has learned it; leave out what was learned, with the weights it had"
            )
        return Nodes(
            whole.order[pair],
            related(terms.prefix),
            related(terms.suffix),
            groups[self.used_block[used], cls].astype(np.int32),
            count,
            whole.begins[pair],
            int(self.touched.sum()),
            whole.longest,
        )

    def _taken_of(self, used: Int64s, cls: npt.NDArray[np.int32]) -> Floats:
        """What the block takes of each n-gram from one class."""
        rows, classes = self.rows, len(self.counts.labels)
        entry_class = np.repeat(rows.cls, np.diff(rows.offsets)).astype(np.int64)
        amount = rows.count.astype(np.float64) * np.repeat(rows.weight, np.diff(rows.offsets))
        learned = (entry_class >= 0) & (amount > 0)
        keys, place = np.unique(self.entry[learned] * classes + entry_class[learned], return_inverse=True)
        sums = np.append(summed(place, amount[learned], len(keys)), 0.0)
        wanted = used * classes + cls
        at = np.searchsorted(keys, wanted)
        found = np.append(keys, -1)[at] == wanted
        return np.asarray(np.where(found, sums[at], 0.0))

    def _tallied(self, nodes: Nodes, pair: Int64s) -> Tallied:
        """The sums of the whole, less what the changed nodes had in them, plus what they have."""
        whole, before = self.language.nodes, self.language.tallied
        size, group_class = len(pair), np.nonzero(self.touched)[1]
        was, count = before.count[pair], nodes.count
        if self.readings.smoothing.method == "kneser-ney":
            lost = np.flatnonzero((whole.count[pair] > 0) & (nodes.count <= 0) & (nodes.suffix >= 0))
            ways = was - np.bincount(nodes.suffix[lost], minlength=size)
            count = np.where((nodes.order == nodes.longest) | nodes.begins, nodes.count, ways)
        changed = np.flatnonzero(count != was)
        follows = changed[nodes.prefix[changed] >= 0]
        first = changed[(nodes.order[changed] == 1) & nodes.predicted[changed]]
        ones = np.ones(size)

        def types(place: npt.NDArray[np.int64], chosen: npt.NDArray[np.intp], whole: Floats, size: int) -> Floats:
            new = sum_types(place, kind_of(count[chosen]), ones[: len(chosen)], size)
            old = sum_types(place, kind_of(was[chosen]), ones[: len(chosen)], size)
            return whole + new - old

        history, group = nodes.prefix[follows], nodes.group[first].astype(np.int64)
        predicted = changed[nodes.predicted[changed]]
        return Tallied(
            count,
            before.total[pair] + summed(history, (count - was)[follows], size),
            types(history, follows, before.types[pair], size),
            before.root_total[group_class] + summed(group, (count - was)[first], nodes.groups),
            types(group, first, before.root_types[group_class], nodes.groups),
            before.counts_of_counts[group_class]
            + counts_of_counts(nodes, count, predicted)
            - counts_of_counts(nodes, was, predicted),
        )
