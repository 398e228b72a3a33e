// Reference loop for the Ising matches: the same bookkeeping as ttt_lib/ising/kernels.py in C++.
// Usage: ising n d RI|II games; prints first player's wins, draws, losses and games a second of processor time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <vector>

static uint64_t state = 42;

static int64_t draw(int64_t below) {
  state += 0x9E3779B97F4A7C15ull;
  uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9ull;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBull;
  return int64_t(((bits ^ (bits >> 31)) >> 32) * uint64_t(below) >> 32);
}

int main(int argc, char** argv) {
  if (argc != 5) return 1;
  const int n = std::atoi(argv[1]), d = std::atoi(argv[2]);
  const bool smart[2] = {argv[3][0] == 'I', argv[3][1] == 'I'};
  const long games = std::atol(argv[4]);
  int cells = 1;
  for (int axis = 0; axis < d; ++axis) cells *= n;

  // Lines: per axis fixed at 0..n-1, rising (n) or falling (n + 1); the first moving axis rises.
  std::vector<std::vector<int>> lines, through(cells);
  long kinds = 1;
  for (int axis = 0; axis < d; ++axis) kinds *= n + 2;
  for (long kind = 0; kind < kinds; ++kind) {
    std::vector<int> axes(d);
    long rest = kind;
    for (int& axis : axes) { axis = int(rest % (n + 2)); rest /= n + 2; }
    int first = -1;
    for (int axis : axes) if (axis >= n && first < 0) first = axis;
    if (first != n) continue;
    std::vector<int> line(n);
    for (int step = 0; step < n; ++step)
      for (int axis : axes) line[step] = line[step] * n + (axis < n ? axis : axis == n ? step : n - 1 - step);
    for (int cell : line) through[cell].push_back(int(lines.size()));
    lines.push_back(line);
  }

  const int base = n + 1;
  const double c = std::pow(n + 1.0, 1.0 / n), b = 0.647, unit = 1099511627776.0;
  std::vector<double> weight(n + 1, 1.0);
  for (int k = 1; k <= n; ++k) weight[k] = weight[k - 1] * k * c;
  std::vector<int64_t> value[2], change[2][2];
  for (int player = 0; player < 2; ++player) {
    value[player].assign(base * base, 0);
    for (int x = 0; x <= n; ++x)
      for (int o = 0; o <= n; ++o) {
        const int own = player ? o : x, other = player ? x : o;
        double worth = 0;
        if (other == 0 && own < n) worth += weight[own + 1] - weight[own];
        if (own == 0 && other < n) worth += b * (weight[other + 1] - weight[other]);
        value[player][x + base * o] = std::llround(worth * unit);
      }
  }
  for (int side = 0; side < 2; ++side)
    for (int player = 0; player < 2; ++player) {
      const int step = side ? base : 1;
      change[side][player].assign(base * base, 0);
      for (int code = 0; code + step < base * base; ++code)
        change[side][player][code] = value[player][code + step] - value[player][code];
    }

  std::vector<int64_t> worth[2], start[2];
  int64_t slack = 0;
  for (int player = 0; player < 2; ++player)
    for (int cell = 0; cell < cells; ++cell) {
      start[player].push_back(int64_t(through[cell].size()) * value[player][0]);
      slack = std::max(slack, int64_t(through[cell].size()));
    }
  std::vector<int> order(cells), stones(lines.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<char> taken(cells);
  long counts[3] = {0, 0, 0};
  const std::clock_t begin = std::clock();
  for (long game = 0; game < games; ++game) {
    std::fill(stones.begin(), stones.end(), 0);
    std::fill(taken.begin(), taken.end(), 0);
    worth[0] = start[0];
    worth[1] = start[1];
    int left = cells, winner = 0;
    for (int ply = 0; ply < cells && !winner; ++ply) {
      const int side = ply & 1, step = side ? base : 1;
      int cell = -1;
      if (smart[side]) {
        const auto& mine = worth[side];
        int64_t top = mine[0];
        for (int i = 1; i < cells; ++i) top = std::max(top, mine[i]);
        int ties = 0;
        for (int i = 0; i < cells; ++i) ties += mine[i] >= top - slack;
        int64_t skip = ties == 1 ? 0 : draw(ties);
        for (int i = 0; i < cells; ++i)
          if (mine[i] >= top - slack && skip-- == 0) { cell = i; break; }
      } else {
        do {
          const int64_t place = draw(left);
          std::swap(order[place], order[--left]);
          cell = order[left];
        } while (taken[cell]);
      }
      taken[cell] = 1;
      for (int line : through[cell]) {
        const int code = stones[line];
        stones[line] = code + step;
        if (code + step == n * step) winner = 1 - 2 * side;
        for (int player = 0; player < 2; ++player)
          if (const int64_t delta = change[side][player][code]; smart[player] && delta)
            for (int other : lines[line]) worth[player][other] += delta;
      }
      worth[0][cell] = worth[1][cell] = -(int64_t(1) << 62);
    }
    ++counts[1 - winner];
  }
  const double spent = double(std::clock() - begin) / CLOCKS_PER_SEC;
  std::printf("%ld %ld %ld %.1f\n", counts[0], counts[1], counts[2], games / spent);
}
