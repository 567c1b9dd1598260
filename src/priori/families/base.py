"""What every family is: a prior that statistics turn into a posterior, and the distributions read off it."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt

from priori.errors import DataError, EstimateError, MergeError
from priori.statistics import Statistics

Floats = npt.NDArray[np.float64]
S = TypeVar("S", bound=Statistics)
Support = Literal["binary", "counts", "values", "tallies", "positive", "real", "vectors"]  # what an observation is
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
        log_prob = self.log_prob(X)
        return float(log_prob.sum() if weights is None else np.asarray(weights, np.float64) @ log_prob)


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


class Family(ABC, Generic[S]):
    """A prior over the parameters of a likelihood; its posterior is another of the same kind."""

    name: ClassVar[str]  # as the command line says it
    kind: ClassVar[type[Statistics]]
    support: ClassVar[Support]
    known: ClassVar[tuple[str, ...]] = ()  # parameters that are given, not estimated: flat and unit are told them

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

    @property
    @abstractmethod
    def proper(self) -> bool:
        """Whether the density integrates to 1."""

    @abstractmethod
    def posterior(self, stats: S) -> Self:
        """The distribution of the parameters given data too."""

    @abstractmethod
    def mode(self) -> Likelihood[S]:
        """The likelihood at the most probable parameters: MAP, or ML under the flat prior."""

    @abstractmethod
    def mean(self) -> Likelihood[S]:
        """The likelihood at the mean of the parameters."""

    @abstractmethod
    def predictive(self) -> Distribution:
        """p(x) of a new observation, the parameters integrated out."""

    @abstractmethod
    def log_normalizer(self) -> float:
        """log Z, with density = exp(natural form) / Z: evidence is a ratio of two."""

    @abstractmethod
    def log_prob(self, **parameters: Any) -> Floats:
        """The log-density of parameters, named as those of the likelihood."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws of the parameters, by name."""

    @abstractmethod
    def marginals(self) -> dict[str, Any]:
        """The distribution of each single parameter as scipy has it; vectors by place, as `weights[age]`."""

    @classmethod
    def maximum_likelihood(cls, stats: S) -> Likelihood[S]:
        """The parameters under which the data are most probable: the mode under the flat prior."""
        return cls.flat(stats).posterior(stats).mode()

    def log_evidence(self, stats: S) -> float:
        """log p(data), the parameters integrated out, no constant dropped."""
        self.require_proper("the evidence")
        return self.posterior(stats).log_normalizer() - self.log_normalizer() + stats.log_base()

    def interval(self, mass: float = 0.95) -> dict[str, tuple[float, float]]:
        """The central credible interval of each parameter: as much probability below it as above."""
        if not 0 < mass < 1:
            raise DataError(f"mass={mass!r} is no probability of an interval; give a number between 0 and 1")
        self.require_proper("an interval")
        tail = (1 - mass) / 2
        return {name: (float(of.ppf(tail)), float(of.isf(tail))) for name, of in self.marginals().items()}

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

    def checked(self, stats: S) -> S:
        """The statistics, if they are of this family and no estimate is refused."""
        if not isinstance(stats, self.kind):
            raise MergeError(
                f"{type(self).__name__} reads {self.kind.__name__}, not {type(stats).__name__}; "
                f"make them with {type(self).__name__}.statistics(data)"
            )
        stats.refuse_negative()
        return stats


def _wanted(f: Callable[..., Any], draws: Mapping[str, Any]) -> Mapping[str, Any]:
    """The draws that f names; all where it takes anything."""
    try:
        named = inspect.signature(f).parameters
    except ValueError:  # compiled functions need not tell
        return draws
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in named.values()):
        return draws
    return {name: draws[name] for name in named if name in draws}
