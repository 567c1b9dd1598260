// Fuzzes EM's pass and the Gibbs sweep over random documents under sanitizers.
//
// EM is held against sums taken one after the other, and must not change a bit with threads or blocks. A chain that has
// been swept must have the counts of one that is built from its labels.
#include "driver.hpp"
#include "gibbs.hpp"
#include "log_counts.hpp"
#include "mixture.hpp"

using namespace fuzz;
using namespace priori;

namespace {

struct Rows {
    size_t terms;
    std::vector<int64_t> offsets = {0};
    std::vector<int32_t> term, count;

    size_t size() const { return offsets.size() - 1; }
};

double uniform(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }

Rows random_rows(Random& random) {
    Rows rows{1 + random.below(40)};
    const size_t documents = random.below(random.one_in(20) ? 400 : 30);
    for (size_t i = 0; i < documents; ++i) {
        for (size_t j = 0; j < rows.terms; ++j) {
            if (!random.one_in(4)) continue;
            rows.term.push_back(static_cast<int32_t>(j));
            rows.count.push_back(random.one_in(3000) ? 70'000 : 1 + static_cast<int32_t>(random.below(3)));
        }
        rows.offsets.push_back(static_cast<int64_t>(rows.term.size()));
    }
    return rows;
}

void expect(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

// The expected counts by documents one after the other.
std::vector<double> plain(const Rows& rows, size_t components, const std::vector<double>& shares) {
    std::vector<double> sums(rows.terms * components, 0);
    for (size_t i = 0; i < rows.size(); ++i) {
        for (int64_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
            const auto at = static_cast<size_t>(e);
            for (size_t c = 0; c < components; ++c) {
                sums[static_cast<size_t>(rows.term[at]) * components + c] +=
                    shares[i * components + c] * rows.count[at];
            }
        }
    }
    return sums;
}

void try_em(const Rows& rows, Random& random) {
    const size_t components = 1 + random.below(random.one_in(5) ? 70 : 6), size = rows.terms * components;
    std::vector<double> table(size), constant(components), per_feature(components), weight(rows.size());
    std::vector<double> temper(rows.size()), gathered(size), again(size), shares(rows.size() * components),
        same = shares;
    std::vector<int32_t> cls(rows.size(), -1), parts(components);
    for (double& value : table) value = -8 * uniform(random);
    for (double& value : constant) value = -3 * uniform(random);
    for (size_t c = 0; c < components; ++c) parts[c] = static_cast<int32_t>(c / 2);
    for (size_t i = 0; i < rows.size(); ++i) {
        weight[i] = random.one_in(5) ? 0 : uniform(random);
        temper[i] = random.one_in(3) ? 1 : 0.01 + uniform(random);
        if (random.one_in(3)) cls[i] = parts[random.below(components)];
    }
    const MixtureDocuments documents{weight.data(), temper.data(), cls.data()};
    const MixtureTable from{rows.terms, components, parts.data(), table.data(), constant.data(), per_feature.data()};
    const auto blocked = [&](size_t block) {
        return BlockedRows(rows.size(), rows.terms, rows.offsets.data(), rows.term.data(), rows.count.data(), block);
    };
    const MixtureSums one = em_pass(blocked(100'000), documents, from, gathered.data(), shares.data(), 1);
    const MixtureSums many = em_pass(blocked(1 + random.below(64)), documents, from, again.data(), same.data(),
                                     1 + static_cast<int>(random.below(5)));
    expect(gathered == again && shares == same && one.objective == many.objective && one.weight == many.weight,
           "threads or blocks have changed a sum");
    const std::vector<double> expected = plain(rows, components, shares);
    for (size_t k = 0; k < size; ++k) {
        expect(std::abs(gathered[k] - expected[k]) <= 1e-9 * (1 + expected[k]), "the expected counts are others");
    }
    m_pass(blocked(1 + random.below(64)), components, shares.data(), again.data(), 2);
    expect(gathered == again, "M alone has other sums");
    std::vector<double> added(components, random.one_in(2) ? 0 : 0.1), logs(size);
    log_table(gathered.data(), added.data(), rows.terms, components, logs.data(),
              1 + static_cast<int>(random.below(3)));
    for (size_t k = 0; k < size; ++k) {
        const double exact = std::log(gathered[k] + added[k % components]);
        expect(logs[k] == exact || std::abs(logs[k] - exact) <= 4e-16 * std::abs(exact), "a logarithm is another");
    }
}

void try_gibbs(const Rows& rows, Random& random) {
    const size_t classes = 1 + random.below(random.one_in(5) ? 40 : 5);
    std::vector<double> imagined(classes, 0.5), uniforms(rows.size()), more = {2.5};
    std::vector<int32_t> labels(rows.size(), -1), component = {static_cast<int32_t>(random.below(classes))};
    std::vector<int32_t> term = {static_cast<int32_t>(random.below(rows.terms))};
    std::vector<uint8_t> fixed(rows.size(), 0);
    for (size_t i = 0; i < rows.size(); ++i) {
        fixed[i] = random.one_in(4);
        if (fixed[i] || random.one_in(2)) labels[i] = static_cast<int32_t>(random.below(classes));
        uniforms[i] = uniform(random);
    }
    const EncodedRows encoded{rows.offsets.data(), rows.term.data(), rows.count.data(), rows.size(), rows.terms};
    const HiddenPrior prior{0.1, component.data(), term.data(), more.data(), random.below(2), imagined.data(), classes};
    GibbsChain chain(encoded, prior, labels.data(), fixed.data());
    for (size_t sweep = 0; sweep < 2; ++sweep) {
        chain.sweep(uniforms.data(), !random.one_in(3), random.one_in(3) ? 0.5 : 1.0, nullptr);
    }
    GibbsChain built(encoded, prior, chain.labels().data(), fixed.data());
    const double joint = chain.log_prior() + chain.log_likelihood(),
                 expected = built.log_prior() + built.log_likelihood();
    expect(std::abs(joint - expected) <= 1e-12 * std::abs(expected) + 1e-9, "the counts are not those of the labels");
}

void try_both(const Bytes&, Random& random) {
    const Rows rows = random_rows(random);
    try_em(rows, random);
    try_gibbs(rows, random);
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv, {""}, try_both); }
