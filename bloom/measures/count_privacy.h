/// The information that a peer gains by testing all addresses against a filter and counting the
/// matches.
///
/// The peer tests every address of a universe of U addresses. N of the U addresses are the wallet's
/// ("used": a peer can test only addresses that are on the chain). F addresses match by chance.
/// Attack and P_h(j): A. Gervais, G. Karame, D. Gruber, S. Capkun: On the Privacy Provisions of
/// Bloom Filters in Lightweight Bitcoin Clients, 2014.
#pragma once

#include "bloom/measures/log_probability.h"

namespace petal::bloom {

/// (U - N) f: how many addresses match by chance on average. The number is Poisson distributed.
/// used   at most `universe`
double expected_false_addresses(double universe, double used, LogProbability rate);

/// P_h(j) as the paper has it: prod_{i<j} (N - i) / (N + F - i), the probability that j addresses
/// picked among the matches are all the wallet's. F may be any real number, also a mean.
/// guesses   j, at most `used`
LogProbability guess_probability(double used, double false_addresses, double guesses);

/// The mean of P_h(j) over F ~ Poisson(mean_false): the true success rate of the attack. Never
/// below guess_probability() of the mean: P_h is convex in F, so guess_probability() understates
/// the attack (for N = 20 of 33 million at 0.05 %: 0.186 instead of 0.612).
LogProbability mean_guess_probability(double used, double mean_false, double guesses);

/// How many addresses hide each of the wallet's: (N + F) / N.
double anonymity_set(double used, double false_addresses);

/// Information about each of the wallet's addresses, in bits, that the filter reveals: [log2 C(U,
/// N) - log2 C(N+F, N)] / N, about log2(U / (N + F)).
double bits_leaked(double universe, double used, double false_addresses);
/// The bits that remain to be found out: log2 C(N+F, N) / N.
double bits_left(double used, double false_addresses);

/// gamma-deniability: the probability that each of the bits of an inserted element is also set by
/// some false address, (1 - (1 - 1/X)^(k F))^k (after G. Bianchi, L. Bracciale, P. Loreti: "Better
/// Than Nothing" Privacy with Bloom Filters, 2012). Near 1 long before a filter is private: a
/// figure to report, not to decide by.
/// bits_set   X > 0
double deniability(double bits_set, unsigned hash_functions, double false_addresses);

/// deniability() with each bit set by at least `cover` - 1 false addresses: Pr[Poisson(k F / X) >=
/// cover - 1]^k. cover >= 1.
double deniability_cover(double bits_set, unsigned hash_functions, double false_addresses,
                         unsigned cover);

}  // namespace petal::bloom
