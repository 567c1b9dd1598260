"""What every family is: a prior that statistics turn into a posterior, and the distributions read off it."""

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError, MergeError
from priori.statistics import Statistics
from priori.statistics.observations import as_weights

Floats = npt.NDArray[np.float64]
S = TypeVar("S", bound=Statistics)
M = TypeVar("M")
Support = Literal["binary", "counts", "values", "tallies", "positive", "real", "vectors"]  # what an observation is
_ROUNDED = 1.01  # tails may be larger by so much: a quantile that scipy has is far better
DISCRETE: frozenset[Support] = frozenset({"binary", "counts", "values", "tallies"})  # p(x) is no density there


class Distribution(ABC):
    """p(x): something that scores and simulates observations."""

    @abstractmethod
    def log_prob(self, X: Any) -> Floats:
        """log p(x) of each observation, -inf where p is 0; what is missing scores 0, for its probability sums to 1."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Draw observations."""

    @abstractmethod
    def freeze(self) -> Any:
        """The same distribution as scipy has it."""

    def score(self, X: Any, weights: Any = None) -> float:
        """The log-likelihood of observations: the sum of their (weighted) log-probabilities."""
        return weighted_sum(self.log_prob(X), weights)


class Conditional(ABC):
    """p(t | x): something that scores and simulates the targets of given inputs."""

    @abstractmethod
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The target of each row that is foretold: the centre of a number's distribution, the most probable label."""

    @abstractmethod
    def log_prob(self, X: Any, t: Any) -> Floats:
        """log p(t | x) of each pair; missing targets score 0."""

    @abstractmethod
    def sample(self, X: Any, rng: np.random.Generator) -> npt.NDArray[Any]:
        """A target for each row, the rows independent of each other."""

    @abstractmethod
    def freeze(self, X: Any) -> Any:
        """The same as scipy has it, one distribution for each row."""

    def score(self, X: Any, t: Any, weights: Any = None) -> float:
        """The log-likelihood of pairs: the sum of their (weighted) log-probabilities."""
        return weighted_sum(self.log_prob(X, t), weights)


class Likelihood(Distribution, Generic[S]):
    """p(x | parameters) of a family: a distribution that statistics suffice to score, and that has fields to name."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    @abstractmethod
    def free_parameters(self) -> int:
        """How many numbers were free to choose: |theta| of AIC and BIC."""

    @abstractmethod
    def log_likelihood(self, stats: S) -> float:
        """The log-likelihood of all data, from their statistics alone."""

    @abstractmethod
    def natural_parameters(self) -> Floats:
        """eta of p(x) = h(x) exp(eta . T(x) - A(eta))."""

    @abstractmethod
    def expected_statistics(self) -> Floats:
        """E[T(x)] under the model; at the maximum likelihood it is the data's, `stats.average()`."""


@dataclass(frozen=True)
class Expectation:
    """A mean over draws, and its Monte Carlo standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.6g} ± {self.error:.1g}"


class Belief(ABC, Generic[M]):
    """What is believed of the parameters of a model, before data or after: a distribution over them."""

    @property
    @abstractmethod
    def proper(self) -> bool:
        """Whether the density integrates to 1."""

    @abstractmethod
    def mode(self) -> M:
        """The model at the most probable parameters: MAP, or ML under the flat prior."""

    @abstractmethod
    def mean(self) -> M:
        """The model at the mean of the parameters."""

    @abstractmethod
    def log_prob(self, **parameters: Any) -> Floats:
        """The log-density of parameters, named as those of the model."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of the parameters, by name."""

    @abstractmethod
    def marginals(self) -> dict[str, Any]:
        """The distribution of each single parameter as scipy has it; vectors by place, as `weights[age]`."""

    def interval(self, mass: float = 0.95) -> dict[str, tuple[float, float]]:
        """The central credible interval of each parameter: as much probability below it as above."""
        if not 0 < mass < 1:
            raise DataError(f"mass={mass!r} is no probability of an interval; give a number between 0 and 1")
        self.require_proper("an interval")
        tail = (1 - mass) / 2
        return {name: (_lower(of, tail), _upper(of, tail)) for name, of in self.marginals().items()}

    def expect(self, f: Callable[..., Any], rng: np.random.Generator, size: int = 10_000) -> Expectation:
        """E[f(parameters)] by sampling; f takes arrays of the draws by name (those it asks for)."""
        if size < 2:
            raise DataError(f"size={size} draws tell nothing of their error; give at least 2")
        draws = self.sample(size, rng)
        values = np.asarray(f(**_wanted(f, draws)), dtype=np.float64)
        if values.shape != (size,):
            raise DataError(f"f gave an array of shape {values.shape} for {size} draws; give one number for each")
        if not np.isfinite(values).all():
            raise EstimateError("f is not finite at some draws, so it has no mean here; bound f, or sharpen the prior")
        return Expectation(float(values.mean()), float(values.std(ddof=1) / np.sqrt(size)))

    def require_proper(self, wanted: str) -> None:
        """Refuse what only a proper prior gives."""
        if not self.proper:
            raise EstimateError(
                f"{self} does not integrate to 1, so {wanted} does not exist; give a proper prior, or more data"
            )


class Family(Belief[Likelihood[S]], Generic[S]):
    """A prior over the parameters of a likelihood; its posterior is another of the same kind.

    A family says of itself its `name` on the command line, the `kind` of statistics that it reads, the `support` of an
    observation, and which parameters are `known`: given and not estimated, so that flat and unit are told them.
    """

    name: ClassVar[str]
    kind: ClassVar[type[Statistics]]
    support: ClassVar[Support]
    known: ClassVar[tuple[str, ...]] = ()

    @classmethod
    @abstractmethod
    def statistics(cls, X: Any, weights: Any = None) -> S:
        """The sufficient statistics of observations, each with its weight; those that are missing are left out."""

    @classmethod
    @abstractmethod
    def flat(cls, stats: S) -> Self:
        """The prior with constant density, under which the mode is the maximum of the likelihood; often improper."""

    @classmethod
    @abstractmethod
    def unit(cls, stats: S) -> Self:
        """A proper prior worth about one observation, placed where the data are: for comparing models with no other
        knowledge. It looks at the data, so it is not a prior in the strict sense (Kass & Wasserman 1995)."""

    @abstractmethod
    def posterior(self, stats: S) -> Self:
        """The distribution of the parameters given data too."""

    @abstractmethod
    def predictive(self) -> Distribution:
        """p(x) of a new observation, the parameters integrated out."""

    @abstractmethod
    def log_normalizer(self) -> float:
        """log Z, with density = exp(natural form) / Z: evidence is a ratio of two."""

    @classmethod
    def maximum_likelihood(cls, stats: S) -> Likelihood[S]:
        """The parameters under which the data are most probable: the mode under the flat prior."""
        return cls.flat(stats).posterior(stats).mode()

    def log_evidence(self, stats: S) -> float:
        """log p(data), the parameters integrated out, no constant dropped."""
        self.require_proper("the evidence")
        return self.posterior(stats).log_normalizer() - self.log_normalizer() + stats.log_base()

    def checked(self, stats: S) -> S:
        """The statistics, if they are of this family and no estimate is refused."""
        return checked(type(self), stats)


def checked(family: Any, stats: S) -> S:
    """The statistics, if they are of the kind that a family (or a regression) reads, and no estimate is refused."""
    if not isinstance(stats, family.kind):
        raise MergeError(
            f"{family.__name__} reads {family.kind.__name__}, not {type(stats).__name__}; "
            f"make them with {family.__name__}.statistics(data)"
        )
    stats.refuse_negative()
    return stats


def weighted_sum(log_prob: Floats, weights: Any) -> float:
    """Σ w log p; what has no weight counts for nothing, even if it is impossible."""
    weight = as_weights(weights, len(log_prob))
    return float(weight[weight > 0] @ log_prob[weight > 0])


def _lower(of: Any, tail: float) -> float:
    """Where the lower tail ends, rounded outwards: beyond the range of numbers, to where the support begins."""
    with np.errstate(all="ignore"):
        found = _within(float(of.ppf(tail)))
        if of.cdf(found) <= tail * _ROUNDED:
            return found
        found = float(np.nextafter(found, -np.inf))
        return found if of.cdf(found) <= tail * _ROUNDED else float(of.support()[0])


def _upper(of: Any, tail: float) -> float:
    """Where the upper tail begins, rounded outwards: beyond the range of numbers, to where the support ends."""
    with np.errstate(all="ignore"):
        found = _within(float(of.isf(tail)))
        if of.sf(found) <= tail * _ROUNDED:
            return found
        found = float(np.nextafter(found, np.inf))
        return found if of.sf(found) <= tail * _ROUNDED else float(of.support()[1])


def _within(quantile: float) -> float:
    if math.isnan(quantile):
        raise EstimateError(
            "floating-point numbers do not reach that far; give a prior and data of a less extreme size"
        )
    return quantile


def _wanted(f: Callable[..., Any], draws: Mapping[str, Any]) -> Mapping[str, Any]:
    """The draws that f names; all where it takes anything."""
    have = ", ".join(draws)
    try:
        named = inspect.signature(f).parameters
    except ValueError as error:  # compiled functions need not tell
        raise DataError(
            f"f does not say what it takes; wrap it in a lambda that names its parameters, of which there are {have}"
        ) from error
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in named.values()):
        return draws
    unknown = [name for name, parameter in named.items() if parameter.default is parameter.empty and name not in draws]
    if unknown:
        raise DataError(f"f takes {', '.join(unknown)}; the parameters are {have}: let f take those by name")
    return {name: draws[name] for name in named if name in draws}
