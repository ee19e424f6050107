// A quantum computer for the example: it queues jobs, and simulates circuits of up to 10 qubits by their state vector.
// A job is QUEUED, then RUNNING, then DONE: one step each time somebody asks. Nothing but Node.
//
//   node playbooks/extensions/quantum/simulator.mjs [--port 8090]
import { createHash } from 'node:crypto';
import http from 'node:http';

const flag = process.argv.indexOf('--port');
const port = flag > 0 ? Number(process.argv[flag + 1]) : 8090;

const CIRCUITS = {
  bell: [['h', 0], ['cx', 0, 1]],
  ghz: [['h', 0], ['cx', 0, 1], ['cx', 1, 2]],
};
const half = Math.SQRT1_2;
/** Matrices of one qubit: four complex numbers [re, im], row by row. */
const GATES = {
  x: () => [[0, 0], [1, 0], [1, 0], [0, 0]],
  z: () => [[1, 0], [0, 0], [0, 0], [-1, 0]],
  h: () => [[half, 0], [half, 0], [half, 0], [-half, 0]],
  s: () => [[1, 0], [0, 0], [0, 0], [0, 1]],
  ry: (a) => [[Math.cos(a / 2), 0], [-Math.sin(a / 2), 0], [Math.sin(a / 2), 0], [Math.cos(a / 2), 0]],
};

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The gates of a circuit, each `[name, ...qubits, ...angles]`. */
function gatesOf(circuit) {
  const gates = typeof circuit === 'string' ? CIRCUITS[circuit] : circuit;
  if (!Array.isArray(gates)) throw new Refusal(400, `there is no circuit ${JSON.stringify(circuit)}`);
  for (const gate of gates) {
    const known = Array.isArray(gate) && (gate[0] === 'cx' || Object.hasOwn(GATES, gate[0]));
    if (!known) throw new Refusal(400, `there is no gate ${JSON.stringify(gate)}`);
    const qubits = gate.slice(1, gate[0] === 'cx' ? 3 : 2);
    if (qubits.some((q) => !Number.isInteger(q) || q < 0 || q > 9))
      throw new Refusal(400, `the qubits of ${JSON.stringify(gate)} are not from 0 to 9`);
  }
  return gates;
}

/** Probabilities of the basis states; qubit 0 is the last letter of a state's name, as in Qiskit. */
function simulate(gates) {
  const width = 1 + Math.max(0, ...gates.flatMap(([name, a, b]) => (name === 'cx' ? [a, b] : [a])));
  let state = Array.from({ length: 2 ** width }, (_, i) => [i === 0 ? 1 : 0, 0]);
  for (const [name, a, b] of gates) {
    if (name === 'cx') state = state.map((_, i) => state[(i >> a) & 1 ? i ^ (1 << b) : i]);
    else {
      const m = GATES[name](b);
      state = state.map((_, i) => {
        const row = ((i >> a) & 1) * 2;
        const parts = [[m[row], state[i & ~(1 << a)]], [m[row + 1], state[i | (1 << a)]]];
        return parts.reduce(([re, im], [[c, d], [e, f]]) => [re + c * e - d * f, im + c * f + d * e], [0, 0]);
      });
    }
  }
  return { width, chances: state.map(([re, im]) => re * re + im * im) };
}

/** Measures `shots` times; the same seed draws the same. */
function measure(gates, shots, seed) {
  const { width, chances } = simulate(gates);
  const counts = {};
  let random = createHash('sha256').update(`seed ${seed}`).digest().readUInt32BE();
  for (let shot = 0; shot < shots; shot++) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    let left = random / 2 ** 32;
    let found = chances.findIndex((chance) => (left -= chance) < 0);
    if (found < 0) found = chances.findLastIndex((chance) => chance > 0);
    const name = found.toString(2).padStart(width, '0');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const jobs = new Map();
const STATES = ['QUEUED', 'RUNNING', 'DONE'];

function jobOf(id) {
  const job = jobs.get(id);
  if (!job) throw new Refusal(404, `there is no job ${id}`);
  return job;
}

function answer(method, [, root, id, what], body, key) {
  if (root !== 'jobs') throw new Refusal(404, 'there is nothing here');
  if (method === 'POST' && id === undefined) {
    const { circuit, shots, seed } = JSON.parse(body);
    // The same submission again is the same job.
    const job_id = createHash('sha256').update(key ?? body).digest('hex').slice(0, 12);
    if (!jobs.has(job_id)) jobs.set(job_id, { gates: gatesOf(circuit), shots, seed, asked: 0 });
    return { job_id, jobs: jobs.size };
  }
  const job = jobOf(id);
  if (method === 'DELETE') return { job_id: id, state: (job.state = 'CANCELLED') };
  if (what === 'results') {
    if (job.asked < STATES.length) throw new Refusal(409, `job ${id} is not done`);
    return { job_id: id, shots: job.shots, counts: measure(job.gates, job.shots, job.seed) };
  }
  return { job_id: id, state: job.state ?? STATES[Math.min(job.asked++, STATES.length - 1)] };
}

const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    let status = 200;
    let said;
    try {
      const path = new URL(request.url, 'http://localhost').pathname.split('/');
      said = answer(request.method, path, body, request.headers['idempotency-key']);
    } catch (error) {
      status = error.status ?? 400;
      said = { error: error.message };
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
});

server.listen(port, '127.0.0.1', () => {
  process.stdout.write(`quantum simulator on http://127.0.0.1:${server.address().port}\n`);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => server.close(() => process.exit(0)));
