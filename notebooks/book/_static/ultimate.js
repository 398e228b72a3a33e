"use strict";
// Ultimate Tic-Tac-Toe against the stored table net, in the page itself: rules, network and tree search
// run in a worker made of the function below (a book opened from a file can't load another script).
function ultimateCore(port) {
  const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
  const WIN = new Uint8Array(512), COUNT = new Uint8Array(512), TERNARY = new Uint16Array(512), COMPLETES = new Uint16Array(512);
  for (let mask = 0; mask < 512; mask++) {
    for (let c = 0; c < 9; c++) if (mask >> c & 1) { COUNT[mask]++; TERNARY[mask] += 3 ** c; }
    for (const line of LINES) {
      const bits = line.reduce((b, c) => b | 1 << c, 0);
      if ((mask & bits) === bits) WIN[mask] = 1;
      if (COUNT[mask & bits] === 2) COMPLETES[mask] |= bits & ~mask;
    }
  }
  const MOVE = new Uint8Array(81), PLACE = new Uint8Array(81);  // 9 board + cell <-> 9 row + column
  for (let b = 0; b < 9; b++) for (let c = 0; c < 9; c++) {
    MOVE[9 * b + c] = 9 * (3 * Math.floor(b / 3) + Math.floor(c / 3)) + 3 * (b % 3) + c % 3;
    PLACE[MOVE[9 * b + c]] = 9 * b + c;
  }

  // ------------------------------------------------------------------ rules (standard)
  // Stones of X 0-8, of O 9-17 as nine bits a sub-board; boards won 18, 19; open 20; forced 21 (9: free);
  // side 22; result 23: 0 running, 1 X, 2 O, 3 draw.
  const WON = 18, OPEN = 20, FORCED = 21, SIDE = 22, RESULT = 23;
  const start = () => { const s = new Int32Array(24); s[OPEN] = 511; s[FORCED] = 9; return s; };
  const targets = (s) => (s[RESULT] ? 0 : s[FORCED] === 9 ? s[OPEN] : 1 << s[FORCED]);
  const vacant = (s, b) => ~(s[b] | s[9 + b]) & 511;
  function play(s, place) {
    const b = Math.floor(place / 9), c = place % 9, side = s[SIDE];
    s[9 * side + b] |= 1 << c;
    if (WIN[s[9 * side + b]]) {
      s[WON + side] |= 1 << b; s[OPEN] &= ~(1 << b);
      if (WIN[s[WON + side]]) s[RESULT] = 1 + side;
    } else if (!vacant(s, b)) s[OPEN] &= ~(1 << b);
    if (!s[RESULT] && !s[OPEN]) s[RESULT] = 3;
    s[FORCED] = !s[RESULT] && s[OPEN] >> c & 1 ? c : 9;
    s[SIDE] = 1 - side;
  }
  const ends = (s, place) => {  // whether a move wins the game
    const b = Math.floor(place / 9), side = s[SIDE];
    return WIN[s[9 * side + b] | 1 << place % 9] && WIN[s[WON + side] | 1 << b];
  };
  function legal(s) {
    const found = [];
    for (let boards = targets(s), b = 0; boards; boards >>= 1, b++)
      if (boards & 1) for (let cells = vacant(s, b), c = 0; cells; cells >>= 1, c++) if (cells & 1) found.push(9 * b + c);
    return found;
  }
  function perft(s, depth) {
    if (depth === 0) return 1;
    const moves = legal(s);
    if (depth === 1) return moves.length;
    let leaves = 0;
    for (const place of moves) { const after = s.slice(); play(after, place); leaves += perft(after, depth - 1); }
    return leaves;
  }
  const after = (moves) => { const s = start(); for (const move of moves) play(s, PLACE[move]); return s; };

  // ------------------------------------------------------------------ the network
  const CASES = 3 ** 9 + 3;
  function network({ sizes, top, search: settings, arrays, data }) {
    const all = new Float32Array(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer);
    const w = Object.fromEntries(Object.entries(arrays).map(([name, [at, length]]) => [name, all.subarray(at, at + length)]));
    const { parts, rows: R, channels: K, layer: V } = sizes;
    const dense = (weight, bias, x, relu) => {
      const out = new Float32Array(bias.length), n = x.length;
      for (let i = 0; i < out.length; i++) {
        let sum = bias[i];
        for (let j = 0, at = i * n; j < n; j++) sum += weight[at + j] * x[j];
        out[i] = relu && sum < 0 ? 0 : sum;
      }
      return out;
    };
    const digits = (found, number) => {
      let own = 0, other = 0;
      for (let c = 0, left = number; c < 9; c++, left = Math.floor(left / 3)) {
        const digit = left % 3;
        found[3 * c + digit] = 1;
        if (digit === 1) own |= 1 << c; else if (digit === 2) other |= 1 << c;
      }
      return [own, other];
    };
    const remember = (make) => { const known = []; return (key) => known[key] ?? (known[key] = make(key)); };
    const body = remember((kase) => {
      const x = new Float32Array(48);
      if (kase >= 3 ** 9) x[27 + kase - 3 ** 9] = 1;
      else {
        const [own, other] = digits(x, kase), free = 511 & ~(own | other);
        for (let c = 0; c < 9; c++) {  // where a stone completes a line
          x[30 + c] = (COMPLETES[own] & free) >> c & 1; x[39 + c] = (COMPLETES[other] & free) >> c & 1;
        }
      }
      return dense(w.body1weight, w.body1bias, dense(w.body0weight, w.body0bias, x, true), true);
    });
    const above = remember((meta) => {
      const x = new Float32Array(27);
      digits(x, meta);
      return dense(w.over1weight, w.over1bias, dense(w.over0weight, w.over0bias, x, true), true);
    });
    const weighed = (weight) => remember((key) => {  // nine sub-boards' rows of all cases
      const x = body(key % CASES), out = new Float32Array(R), first = Math.floor(key / CASES) * parts * R;
      for (let p = 0; p < parts; p++) if (x[p]) for (let r = 0, at = first + p * R; r < R; r++) out[r] += x[p] * weight[at + r];
      return out;
    });
    const row = weighed(w.rows), forcedRow = weighed(w.forced);
    const metaRow = remember((meta) => dense(w.metaweight, w.metabias, above(meta), false));
    const cells = remember((kase) => dense(w.cellsweight, w.cellsbias, body(kase), false));
    const sends = remember((kase) => dense(w.sendsweight, w.sendsbias, body(kase), false));
    const care = remember((meta) => dense(w.careweight, w.carebias, above(meta), false));
    const kase = new Int32Array(9), total = new Float32Array(R), globe = new Float32Array(2 * K);
    const sendLogit = new Float64Array(9);

    function read(s) {
      const side = s[SIDE], mine = s[WON + side], yours = s[WON + 1 - side];
      for (let b = 0; b < 9; b++)
        kase[b] = s[OPEN] >> b & 1 ? TERNARY[s[9 * side + b]] + 2 * TERNARY[s[9 - 9 * side + b]]
          : 3 ** 9 + (mine >> b & 1 ? 0 : yours >> b & 1 ? 1 : 2);
      return TERNARY[mine] + 2 * TERNARY[yours];
    }
    function sum(s) {
      const meta = read(s), forced = s[FORCED], extra = forced === 9 ? w.free : forcedRow(forced * CASES + kase[forced]);
      const metas = metaRow(meta);
      for (let r = 0; r < R; r++) total[r] = extra[r] + metas[r];
      for (let b = 0; b < 9; b++) { const one = row(b * CASES + kase[b]); for (let r = 0; r < R; r++) total[r] += one[r]; }
      for (let r = 0; r < R; r++) total[r] = Math.min(Math.max(total[r], 0), top);
      return meta;
    }
    // Value for the side to move.
    function value(s) {
      sum(s);
      let last = w.lastbias[0];
      for (let v = 0; v < V; v++) {
        let inner = w.layerbias[v];
        for (let r = 0, at = v * R; r < R; r++) inner += w.layerweight[at + r] * total[r];
        if (inner > 0) last += w.lastweight[v] * inner;
      }
      return last / Math.sqrt(1 + last * last);
    }
    // Logits of places.
    function policy(s, places) {
      const cares = care(sum(s));
      for (let k = 0; k < 2 * K; k++) {  // what the total cares for
        globe[k] = 0;
        for (let r = 0, at = k * R; r < R; r++) globe[k] += w.globe[at + r] * total[r];
      }
      for (let c = 0; c < 9; c++) {
        const send = sends(kase[c]);
        sendLogit[c] = 0;
        for (let k = 0; k < K; k++) sendLogit[c] += send[k] * (cares[9 * K + K * c + k] + globe[K + k]);
      }
      return places.map((place) => {
        const b = Math.floor(place / 9), c = place % 9, wish = cells(kase[b]);
        let logit = w.place[place] + sendLogit[c];
        for (let k = 0; k < K; k++) logit += wish[9 * k + c] * (cares[K * b + k] + globe[k]);
        return logit;
      });
    }
    return { value, policy, settings };
  }

  // ------------------------------------------------------------------ search
  // PUCT; a node is valued when first reached and opened when reached again. Means and bounds of a node
  // are those of the player who moved into it; bounds that meet are a proof.
  const MOST = 4_000_000;
  function search(net, root, simulations) {
    const { c: C, fpu: FPU, enough, doubt } = net.settings;
    const room = Math.min(MOST, 82 + 82 * Math.max(simulations, 1));
    const first = new Int32Array(room).fill(-1), size = new Uint8Array(room), place = new Uint8Array(room), visits = new Int32Array(room);
    const mean = new Float64Array(room), prior = new Float32Array(room), low = new Int8Array(room).fill(-1), high = new Int8Array(room).fill(1);
    let used = 1;
    const path = new Int32Array(100);
    function open(node, s) {  // whether a move wins at once, which is then known for what it is
      const moves = legal(s), logits = net.policy(s, moves), most = Math.max(...logits);
      let all = 0, won = false;
      first[node] = used; size[node] = moves.length;
      moves.forEach((move, i) => {
        const child = used + i, guess = Math.exp(logits[i] - most);
        place[child] = move; prior[child] = guess; all += guess; mean[child] = -mean[node] - FPU;
        if (ends(s, move)) { low[child] = 1; won = true; }
      });
      for (let i = 0; i < moves.length; i++) prior[used + i] /= all;
      used += moves.length;
      return won;
    }
    function prove(depth) {
      for (let at = depth - 1; at >= 0; at--) {
        const node = path[at];
        let best = -1, hope = -1;
        for (let child = first[node]; child < first[node] + size[node]; child++) { best = Math.max(best, low[child]); hope = Math.max(hope, high[child]); }
        if (low[node] === -hope && high[node] === -best) return;
        low[node] = -hope; high[node] = -best;
      }
    }
    function select(node) {
      const scale = C * Math.sqrt(visits[node]);
      let best = -1, top = -Infinity;
      for (let child = first[node]; child < first[node] + size[node]; child++) {
        const worth = low[child] === high[child] ? low[child] : mean[child];
        const score = worth + scale * prior[child] / (1 + visits[child]) - (high[child] === -1 ? 1e6 : 0);
        if (score > top) { top = score; best = child; }
      }
      return best;
    }
    let done = 0;
    for (; done < simulations && low[0] < high[0] && used < room - 81; done++) {
      const s = root.slice();
      let node = 0, depth = 0, value;
      path[0] = 0;
      for (;;) {
        if (low[node] === high[node]) { value = low[node]; break; }
        if (s[RESULT]) {
          value = s[RESULT] === 3 ? 0 : s[RESULT] - 1 === 1 - s[SIDE] ? 1 : -1;
          low[node] = high[node] = value; prove(depth);
          break;
        }
        if (!visits[node] && node) { value = -net.value(s); break; }
        if (first[node] < 0) { if (!node && !visits[0]) { mean[0] = -net.value(s); visits[0] = 1; } if (open(node, s)) { prove(depth + 1); continue; } }
        node = select(node); path[++depth] = node;
        play(s, place[node]);
      }
      for (let at = depth; at >= 0; at--, value = -value) { const n = path[at]; visits[n]++; mean[n] += (value - mean[n]) / visits[n]; }
    }
    if (first[0] < 0) open(0, root);
    const children = [];
    for (let child = first[0]; child < first[0] + size[0]; child++)
      children.push({ move: MOVE[place[child]], visits: visits[child], value: low[child] === high[child] ? low[child] : mean[child], prior: prior[child], low: low[child], high: high[child] });
    const most = Math.max(...children.map((c) => c.visits));
    const secure = (c) => c.visits && c.visits >= enough * most;  // by a bound of its value, others by visits
    const liking = (c) => (secure(c) ? most + 2 + c.value - doubt / Math.sqrt(c.visits) : c.visits + c.prior);
    const rank = (c) => (c.low === 1 ? 1e12 : c.high === -1 ? -1e12 : 0) + liking(c);
    const chosen = children.reduce((a, b) => (rank(b) > rank(a) ? b : a));
    return { move: chosen.move, children, value: chosen.visits ? chosen.value : net.value(root), done, low: -high[0], high: -low[0] };
  }

  let net = null;
  const ask = {
    net: ({ net: found }) => { net = network(found); return {}; },
    perft: ({ moves, depth }) => ({ leaves: perft(after(moves), depth) }),
    legal: ({ moves }) => { const s = after(moves); return { legal: legal(s).map((p) => MOVE[p]).sort((a, b) => a - b), result: s[RESULT], state: [...s] }; },
    evaluate: ({ moves }) => { const s = after(moves), places = legal(s); return { value: net.value(s), logits: Object.fromEntries(net.policy(s, places).map((l, i) => [MOVE[places[i]], l])) }; },
    think: ({ moves, simulations }) => {
      const begin = performance.now(), found = search(net, after(moves), simulations);
      return { ...found, seconds: (performance.now() - begin) / 1000 };
    },
  };
  port.onmessage = ({ data }) => port.postMessage({ id: data.id, ...ask[data.ask](data) });
}

// The worker, as a function that answers questions with promises.
function ultimateWorker() {
  const source = new Blob([`(${ultimateCore})(self)`], { type: "text/javascript" });
  const worker = new Worker(URL.createObjectURL(source)), waiting = new Map();
  let next = 0;
  worker.onmessage = ({ data }) => { waiting.get(data.id)(data); waiting.delete(data.id); };
  return (ask, rest = {}) => new Promise((found) => { waiting.set(++next, found); worker.postMessage({ id: next, ask, ...rest }); });
}

function startUltimate(root) {
  const find = (name) => root.querySelector(`[data-part="${name}"]`), NAMES = ["X", "O"];
  const SHAPES = ['<svg viewBox="0 0 10 10" aria-hidden="true"><path d="M2 2 8 8M8 2 2 8"/></svg>', '<svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="3.1"/></svg>'];
  const ask = ultimateWorker();
  root.ask = ask;
  const game = { moves: [], shown: 0, side: 0, legal: [], state: null, result: 0, busy: true, story: "", advice: null, hint: -1, turn: 0, score: [0, 0, 0], values: [] };
  const boards = [...Array(9).keys()].map((b) => {
    const box = document.createElement("div");
    box.setAttribute("role", "group"); box.setAttribute("aria-label", `sub-board ${b}`);
    find("board").append(box);
    return box;
  });
  const cells = new Array(81);
  for (let b = 0; b < 9; b++) for (let c = 0; c < 9; c++) {
    const move = 9 * (3 * Math.floor(b / 3) + Math.floor(c / 3)) + 3 * (b % 3) + c % 3, button = document.createElement("button");
    button.type = "button"; button.tabIndex = move === 40 ? 0 : -1;
    button.addEventListener("click", () => human(move));
    boards[b].append(button);
    cells[move] = button;
  }
  const percent = (value) => `${(50 + 50 * value).toFixed(0)} %`;
  const proof = (low, high) => (low === high ? ["a proven loss", "a proven draw", "a proven win"][low + 1] : "");
  const yours = () => !game.busy && !game.result && game.moves.length % 2 === game.side && game.shown === game.moves.length;

  async function see() {
    const found = await ask("legal", { moves: game.moves.slice(0, game.shown) });
    Object.assign(game, { legal: found.legal, state: found.state });
    if (game.shown === game.moves.length) game.result = found.result;
  }
  // Play the other side's move, and look at what is yours to do; whatever was begun before is dropped.
  async function go() {
    const turn = ++game.turn;
    game.busy = true; game.advice = null; game.hint = -1;
    root.dataset.busy = "true";
    await see();
    if (turn !== game.turn) return;
    if (!game.result && game.moves.length % 2 !== game.side) {
      show();
      const found = await ask("think", { moves: game.moves, simulations: Number(find("level").value) });
      if (turn !== game.turn) return;
      const chosen = found.children.find((c) => c.move === found.move), sure = proof(chosen.low, chosen.high);
      const speed = found.done ? `${found.done.toLocaleString("en")} simulation${found.done > 1 ? "s" : ""} at ${Math.round(found.done / Math.max(found.seconds, 0.001)).toLocaleString("en")} a second; ` : "";
      game.story = `It played ${found.move} (${speed}${sure || `it expects ${percent(found.value)} of the points`}).`;
      root.dataset.speed = String(found.done / Math.max(found.seconds, 0.001));
      game.moves.push(found.move); game.shown = game.moves.length;
      await see();
    }
    if (turn !== game.turn) return;
    game.busy = false;
    if (game.result && !game.counted) {
      game.counted = true;
      game.score[game.result === 3 ? 1 : game.result - 1 === game.side ? 0 : 2]++;
    }
    show();
    if (!game.result && find("layer").value === "advice") advise(turn);
  }
  async function advise(turn) {
    const found = await ask("think", { moves: game.moves, simulations: Math.max(400, Number(find("level").value)) });
    if (turn !== game.turn) return found;
    game.advice = found;
    game.values[game.moves.length] = found.value;
    show();
    return found;
  }
  async function hint() {
    if (!yours()) return;
    const found = game.advice || await advise(game.turn);
    game.hint = found.move;
    show();
  }
  function begin() { Object.assign(game, { moves: [], shown: 0, result: 0, story: "", counted: false }); go(); }
  function human(move) {
    if (!yours() || !game.legal.includes(move)) return;
    game.moves.push(move); game.shown = game.moves.length;
    go();
  }
  function undo() {
    const own = game.moves.map((_, k) => k).filter((k) => k % 2 === game.side).pop();
    if (own === undefined) return;
    Object.assign(game, { moves: game.moves.slice(0, own), shown: own, result: 0, story: "" });
    go();
  }
  function show() {
    const s = game.state, targets = game.result || !s ? 0 : s[21] === 9 ? s[20] : 1 << s[21];
    boards.forEach((box, b) => {
      const won = s[18] >> b & 1 ? "won-x" : s[19] >> b & 1 ? "won-o" : s[20] >> b & 1 ? "" : "full";
      box.className = `sub ${won} ${targets >> b & 1 && yours() ? "target" : ""}`;
    });
    const advice = yours() && find("layer").value === "advice" && game.advice ? game.advice : null;
    const most = advice ? Math.max(...advice.children.map((c) => c.visits)) : 0;
    cells.forEach((button, move) => {
      const b = 3 * Math.floor(move / 27) + Math.floor(move % 9 / 3), c = 3 * (Math.floor(move / 9) % 3) + move % 3;
      const stone = s[b] >> c & 1 ? 0 : s[9 + b] >> c & 1 ? 1 : -1, found = advice?.children.find((one) => one.move === move);
      const label = found && found.visits ? proof(found.low, found.high).split(" ").pop() || percent(found.value) : "";
      const words = found ? `, ${found.visits} visits, ${proof(found.low, found.high) || `expects ${percent(found.value)}`}` : "";
      button.innerHTML = stone >= 0 ? SHAPES[stone] : `<span class="label">${label}</span>`;
      button.className = `cell ${stone >= 0 ? "xo"[stone] : ""} ${move === game.moves[game.shown - 1] ? "last" : ""} ${move === game.hint ? "hint" : ""} ${found ? `s${Math.round(5 * found.visits / most)}` : ""}`;
      const open = yours() && game.legal.includes(move);
      button.setAttribute("aria-disabled", String(!open));
      button.setAttribute("aria-label", `${label ? `${label}, ` : ""}cell ${move}, sub-board ${b}, ${stone >= 0 ? NAMES[stone] : open ? "empty" : "not open"}${words}`);
      button.title = found ? words.slice(2) : "";
    });
    const where = s && s[21] !== 9 ? `in sub-board ${s[21]}` : "in any open sub-board";
    const ended = game.result === 3 ? "A draw." : game.result - 1 === game.side ? "You win." : "It wins.";
    const line = game.wrong && game.moves.length <= game.side ? `⚠ The link can't be opened (${game.wrong}); this is a new game.`
      : game.shown < game.moves.length ? `Move ${game.shown} of ${game.moves.length}; arrow right goes on.`
      : game.result ? `${ended} Arrow keys left and right play the game again.` : game.busy ? "It is thinking …" : `Your move, ${NAMES[game.side]}, ${where}.`;
    find("status").textContent = `${line} ${game.story}`;
    find("score").textContent = `Score: ${game.score[0]} won, ${game.score[1]} drawn, ${game.score[2]} lost`;
    Object.assign(root.dataset, { moves: game.moves.join(" "), busy: String(game.busy), result: String(game.result) });
    history.replaceState(null, "", `#s=${"xo"[game.side]}&m=${game.moves.join(",")}`);
  }
  async function replay(step) {
    game.shown = Math.max(0, Math.min(game.moves.length, game.shown + step));
    await see(); show();
  }
  find("new").addEventListener("click", begin);
  find("undo").addEventListener("click", undo);
  find("hint").addEventListener("click", hint);
  find("side").addEventListener("change", () => { game.side = find("side").value === "x" ? 0 : 1; begin(); });
  find("layer").addEventListener("change", () => { show(); if (yours()) advise(game.turn); });
  const STEPS = { ArrowUp: -9, ArrowDown: 9, ArrowLeft: -1, ArrowRight: 1 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    const at = cells.indexOf(document.activeElement), keys = { n: begin, u: undo, h: hint };
    if (game.result && Math.abs(STEPS[event.key]) === 1) replay(STEPS[event.key]);
    else if (event.key in STEPS && at >= 0) {
      const to = Math.abs(STEPS[event.key]) === 1 ? 9 * Math.floor(at / 9) + (at % 9 + STEPS[event.key] + 9) % 9 : (at + STEPS[event.key] + 81) % 81;
      cells[at].tabIndex = -1; cells[to].tabIndex = 0; cells[to].focus();
    } else if (/^[0-8]$/.test(event.key) && game.state && game.state[21] !== 9) {
      const b = game.state[21], c = Number(event.key);
      human(9 * (3 * Math.floor(b / 3) + Math.floor(c / 3)) + 3 * (b % 3) + c % 3);
    } else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });
  const asked = new URLSearchParams(location.hash.slice(1));
  game.side = asked.get("s") === "o" ? 1 : 0;
  game.wrong = /^[xo]?$/.test(asked.get("s") || "") ? "" : "a side is x or o";
  find("side").value = "xo"[game.side];
  ask("net", { net: ULTIMATE_NET }).then(async () => {
    const parts = game.wrong || !asked.get("m") ? [] : asked.get("m").split(",");
    for (const [k, part] of parts.entries()) {
      const { legal } = await ask("legal", { moves: game.moves });
      if (!/^\d{1,2}$/.test(part) || !legal.includes(Number(part))) {
        Object.assign(game, { moves: [], wrong: `move ${k + 1}, ${part.slice(0, 20) || "nothing"}, is not legal there` });
        break;
      }
      game.moves.push(Number(part));
    }
    game.shown = game.moves.length;
    go();
  });
}
document.querySelectorAll(".ultimate").forEach(startUltimate);
addEventListener("hashchange", () => location.reload());  // a pasted link
