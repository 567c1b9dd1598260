"""The readings of the counts once more, from their definitions: dictionaries, loops, no thought of speed.

METHODS in the notation of docs/maths/counts.md. `None` stands for the slot of words never seen.
"""

import math
from collections import Counter

ZERO = -math.inf


class NoEstimate(Exception):
    """The definition gives no number: 0/0, or a density without a mode."""


def log(x):
    return math.log(x) if x > 0 else ZERO


class Definition:
    """Everything that can be read off some rows of (words, label, weight)."""

    def __init__(self, rows, prior, estimate="bayes", class_prior="ml", vocabulary=None, unknown=False, binary=False):
        self.prior, self.estimate, self.class_prior, self.binary = prior, estimate, class_prior, binary
        self.documents, self.counts, self.presence = Counter(), {}, {}
        for every_word, label, weight in rows:
            if weight == 0:
                continue
            words = [word for word in every_word if vocabulary is None or word in vocabulary]
            self.documents[label] += weight
            counts = self.counts.setdefault(label, Counter())
            presence = self.presence.setdefault(label, Counter())
            for word in set(words) if binary else words:
                counts[word] += weight
            for word in set(words):
                presence[word] += weight
        self.labels = sorted(self.documents)
        named = {*prior.terms, *(word for table in prior.classes.values() for word in table)}
        seen = {word for counts in self.counts.values() for word in counts}
        self.vocabulary = sorted({*seen, *named, *(vocabulary or ())})
        self.slots = [*self.vocabulary, *([None] if unknown else [])]

    def alpha(self, label, word):
        return self.prior.classes.get(label, {}).get(word, self.prior.terms.get(word, self.prior.alpha))

    def imagined(self, label, word):
        """What is added to a count."""
        return {"ml": 0, "map": self.alpha(label, word) - 1}.get(self.estimate, self.alpha(label, word))

    def log_class_prior(self, label):
        prior, total = self.class_prior, sum(self.documents.values())
        if isinstance(prior, dict):
            return log(prior[label])
        if prior == "uniform":
            return log(1 / len(self.labels))
        extra = 0 if prior == "ml" else prior - (self.estimate == "map")
        if min(self.documents.values()) + extra < 0:
            raise NoEstimate
        return log((self.documents[label] + extra) / (total + extra * len(self.labels)))

    def theta(self, label):
        """{word: probability} of one class."""
        numerators = {word: self.counts[label][word] + self.imagined(label, word) for word in self.slots}
        total = math.fsum(numerators.values())
        if min(numerators.values(), default=0) < 0 or (numerators and total <= 0):
            raise NoEstimate
        return {word: numerator / total for word, numerator in numerators.items()}

    def phi(self, label):
        """{word: probability that a document has it}."""
        result = {}
        for word in self.slots:
            present = self.presence[label][word] + self.imagined(label, word)
            absent = self.documents[label] - self.presence[label][word] + self.imagined(label, word)
            if present < 0 or absent < 0 or present + absent <= 0:
                raise NoEstimate
            result[word] = present / (present + absent)
        return result

    def in_slots(self, words):
        """The words as the model sees them."""
        found = [word if word in self.vocabulary else None for word in words]
        found = [word for word in found if word in self.slots]
        return sorted(set(found), key=str) if self.binary else found

    def multinomial(self, words, label):
        if self.estimate == "integrated":
            return self.urn(words, label)
        theta = self.theta(label)
        return self.log_class_prior(label) + math.fsum(log(theta[word]) for word in self.in_slots(words))

    def urn(self, words, label):
        """The chain rule: every word is predicted from the counts with the words before it."""
        total = self.log_class_prior(label)
        pot = Counter({word: self.counts[label][word] + self.alpha(label, word) for word in self.slots})
        for word in self.in_slots(words):
            total += log(pot[word] / math.fsum(pot.values()))
            pot[word] += 1
        return total

    def bernoulli(self, words, label):
        phi, present = self.phi(label), set(self.in_slots(words))
        terms = (log(phi[word]) if word in present else log(1 - phi[word]) for word in self.slots)
        return self.log_class_prior(label) + sum(terms)

    def complement(self, words, label):
        others = [other for other in self.labels if other != label]
        counts = {word: sum(self.counts[other][word] for other in others) for word in self.slots}
        pot = {word: count + self.imagined(label, word) for word, count in counts.items()}
        total = math.fsum(pot.values())
        prior = self.log_class_prior(label) if not others else 0.0
        return prior - math.fsum(log(pot[word] / total) for word in self.in_slots(words))

    def log_joint(self, event, words):
        return [getattr(self, event)(words, label) for label in self.labels]
