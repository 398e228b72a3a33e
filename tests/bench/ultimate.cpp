// The reference loops of `ttt bench`: random playouts and perft of Ultimate Tic-Tac-Toe under
// standard rules, written as one would in C++, with the same bitboards and the same generator.
//
//   g++ -O3 -o ultimate ultimate.cpp
//   ./ultimate playouts N    ->  X won, O won, drawn, seconds
//   ./ultimate perft DEPTH   ->  leaves, seconds
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static bool won[512];
static uint8_t popcount9[512], nth[512][9];

static void fill_tables() {
    const int lines[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    for (int mask = 0; mask < 512; ++mask) {
        for (int line : lines) won[mask] |= (mask & line) == line;
        for (int cell = 0; cell < 9; ++cell)
            if (mask >> cell & 1) nth[mask][popcount9[mask]++] = cell;
    }
}

struct State {
    uint16_t stones[2][9] = {};
    uint16_t owned[2] = {0, 0};
    uint16_t open = 511;
    uint16_t forced = 9, side = 0, result = 0;
};

struct Undo {
    uint16_t owned, open, forced;
};

static inline int vacant(const State &s, int board) {
    return 511 & ~(s.stones[0][board] | s.stones[1][board]);
}

static inline Undo play(State &s, int board, int cell) {
    const int side = s.side;
    const Undo undo{s.owned[side], s.open, s.forced};
    const int own = s.stones[side][board] |= 1 << cell;
    if (won[own]) {
        s.owned[side] |= 1 << board;
        s.open &= ~(1 << board);
        if (won[s.owned[side]]) s.result = 1 + side;
    } else if ((own | s.stones[1 - side][board]) == 511) {
        s.open &= ~(1 << board);
    }
    if (s.open == 0 && s.result == 0) s.result = 3;
    s.forced = s.open >> cell & 1 ? cell : 9;
    s.side = 1 - side;
    return undo;
}

static inline void take_back(State &s, int board, int cell, const Undo &undo) {
    const int side = s.side = 1 - s.side;
    s.stones[side][board] &= ~(1 << cell);
    s.owned[side] = undo.owned;
    s.open = undo.open;
    s.forced = undo.forced;
    s.result = 0;
}

static inline int draw(uint64_t &bits, int n) {
    bits ^= bits >> 12;
    bits ^= bits << 25;
    bits ^= bits >> 27;
    return ((bits * 0x2545F4914F6CDD1DULL) >> 32) * n >> 32;
}

static int playout(State s, uint64_t &bits) {
    int playable = 81;
    while (s.result == 0) {
        int board = s.forced, left;
        if (board < 9) {
            left = draw(bits, popcount9[vacant(s, board)]);
        } else {
            left = draw(bits, playable);
            for (board = 0;; ++board) {
                const int here = popcount9[vacant(s, board)] * (s.open >> board & 1);
                if (left < here) break;
                left -= here;
            }
        }
        play(s, board, nth[vacant(s, board)][left]);
        --playable;
        if (!(s.open >> board & 1)) playable -= popcount9[vacant(s, board)];
    }
    return s.result;
}

static long perft(State &s, int depth) {
    if (depth == 0) return 1;
    if (s.result != 0) return 0;
    long leaves = 0;
    const int boards = s.forced == 9 ? s.open : 1 << s.forced;
    for (int board = 0; board < 9; ++board) {
        if (!(boards >> board & 1)) continue;
        for (int cells = vacant(s, board); cells; cells &= cells - 1) {
            const int cell = __builtin_ctz(cells);
            const Undo undo = play(s, board, cell);
            leaves += perft(s, depth - 1);
            take_back(s, board, cell, undo);
        }
    }
    return leaves;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const long n = atol(argv[2]);
    fill_tables();
    State start;
    const auto begin = std::chrono::steady_clock::now();
    if (!strcmp(argv[1], "playouts")) {
        uint64_t bits = 88172645463325252ULL;
        long counts[4] = {};
        for (long i = 0; i < n; ++i) ++counts[playout(start, bits)];
        printf("%ld %ld %ld", counts[1], counts[2], counts[3]);
    } else {
        printf("%ld", perft(start, n));
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    printf(" %.9f\n", seconds.count());
}
