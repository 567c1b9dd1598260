"""From counts and readings to the weights of the scorer."""

from priori.families.beta import beta_weights
from priori.families.class_prior import log_class_prior
from priori.families.complement import complement_weights
from priori.families.dirichlet import dirichlet_weights
from priori.families.table import Reading, Weights
from priori.readings import Readings
from priori.statistics import Counts

_FAMILIES = {"multinomial": dirichlet_weights, "bernoulli": beta_weights, "complement": complement_weights}


def weights_of(counts: Counts, readings: Readings, vocabulary: tuple[str, ...] | None) -> Weights:
    """The reading of the counts that `readings` asks for; an EstimateError where it does not exist."""
    reading = Reading.of(counts, readings.prior, vocabulary, dense=readings.event == "bernoulli")
    log_prior = log_class_prior(reading.labels, reading.class_documents, readings.class_prior, readings.estimate)
    return _FAMILIES[readings.event](reading, readings, log_prior)
