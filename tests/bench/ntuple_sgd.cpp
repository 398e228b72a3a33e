// The updates of document 3 as a plain loop, for comparing speeds: 100 epochs over all positions.
//
// Standard input: the number of positions S, of tuples T, of weights P and of epochs E, then S rows
// of T weight numbers and a target, then E rows of S positions in the order to visit them.
// Standard output: seconds spent in the updates, then the P weights and the bias.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    int size, tuples, parameters, epochs;
    if (std::scanf("%d %d %d %d", &size, &tuples, &parameters, &epochs) != 4) return 1;
    std::vector<int> features(size * tuples), orders(static_cast<std::size_t>(size) * epochs);
    std::vector<double> targets(size), weights(parameters, 0.0);
    for (int s = 0; s < size; ++s) {
        for (int t = 0; t < tuples; ++t)
            if (std::scanf("%d", &features[s * tuples + t]) != 1) return 1;
        if (std::scanf("%lf", &targets[s]) != 1) return 1;
    }
    for (int &position : orders)
        if (std::scanf("%d", &position) != 1) return 1;

    double bias = 0.0;
    const double rate = 0.01;
    const auto start = std::chrono::steady_clock::now();
    for (const int position : orders) {
        const int *picked = &features[position * tuples];
        double total = 0.0;
        for (int t = 0; t < tuples; ++t) total += weights[picked[t]];
        const double value = std::tanh(total + bias);
        const double step = rate * ((targets[position] - value) * (1.0 - value * value));
        for (int t = 0; t < tuples; ++t) weights[picked[t]] += step;
        bias += step;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

    std::printf("%.9f\n", seconds.count());
    for (const double weight : weights) std::printf("%.17g\n", weight);
    std::printf("%.17g\n", bias);
    return 0;
}
