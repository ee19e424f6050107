/**
 * Tool kind `quantum`: jobs of a quantum computer, over the HTTP interface of simulator.mjs. An extension module as
 * anybody may write one.
 *
 *   NOETL_EXTENSIONS=./dist/playbooks/extensions/quantum/extension.js npm start -- run playbooks/extensions/quantum/quantum.yaml
 */
import {
  defineExtension,
  type ErrorKind,
  failed,
  field,
  invalid,
  type Json,
  type JsonObject,
  numberField,
  type Outcome,
  succeeded,
  type TaskCall,
  textField,
  ToolError,
  withDeadline,
} from 'noetl-temporal/extension';

type Request = readonly [method: string, path: string, body?: JsonObject];

/** What each operation asks of the computer. */
const OPERATIONS: Readonly<Record<string, (call: TaskCall) => Request>> = {
  submit: (call) => [
    'POST',
    '/jobs',
    {
      circuit: field(call.config, 'circuit') ?? missing('circuit', 'submit'),
      shots: numberField(call, ['shots'], 1024),
      seed: numberField(call, ['seed'], 0),
    },
  ],
  status: (call) => ['GET', `/jobs/${jobOf(call, 'status')}`],
  results: (call) => ['GET', `/jobs/${jobOf(call, 'results')}/results`],
  cancel: (call) => ['DELETE', `/jobs/${jobOf(call, 'cancel')}`],
};

const PROVIDERS: Readonly<Record<string, string>> = { simulator: 'http://127.0.0.1:8090' };

export default defineExtension({
  name: 'noetl-quantum',
  kinds: {
    quantum: {
      doc: 'Jobs of a quantum computer: submit, status, results, cancel.',
      fields: {
        op: '`submit` unless written; `status`, `results` or `cancel` of a job.',
        provider: 'Whose computer: `simulator`.',
        endpoint: 'Its address, instead of the one of the provider.',
        circuit: '`bell`, `ghz`, or a list of gates: `[[h, 0], [cx, 0, 1]]`.',
        shots: 'How often it is measured; 1024 unless written.',
        seed: 'What the simulator draws its measurements from.',
        job_id: 'The job, for the other operations.',
      },
      strict: ['endpoint', 'job_id'],
      timeout: 60,
      run: (call, { signal }) => withDeadline(call, signal, (deadline) => ask(call, deadline.signal)),
    },
  },
});

async function ask(call: TaskCall, signal: AbortSignal): Promise<Outcome> {
  const op = textField(call, 'op') ?? 'submit';
  const request = Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined;
  if (!request) throw invalid(`quantum: op '${op}' is not one of ${Object.keys(OPERATIONS).join(', ')}`);
  const [method, path, body] = request(call);
  const response = await fetch(`${endpointOf(call)}${path}`, {
    method,
    signal,
    // A submission that is repeated after a crash of the worker must not run twice.
    headers: { 'content-type': 'application/json', 'idempotency-key': call.idempotency_key },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    const message = `quantum: ${endpointOf(call)} cannot be reached: ${String((error as Error).cause ?? error)}`;
    throw new ToolError({ kind: 'connection', code: 'QUANTUM_UNREACHABLE', message, retryable: true });
  });
  const answer = (await response.json().catch(() => null)) as Json;
  return response.ok ? succeeded(answer) : refused(response.status, answer);
}

const ERRORS: Readonly<Record<number, readonly [kind: ErrorKind, code: string]>> = {
  400: ['validation', 'QUANTUM_CIRCUIT'],
  404: ['not_found', 'QUANTUM_NO_JOB'],
  409: ['client_error', 'QUANTUM_NOT_DONE'],
  429: ['rate_limit', 'QUANTUM_BUSY'],
};

function refused(status: number, answer: Json): Outcome {
  const [kind, code] = ERRORS[status] ?? ['server_error', `QUANTUM_${status}`];
  const reason = (answer as JsonObject | null)?.['error'] ?? `status ${status}`;
  const retryable = kind === 'rate_limit' || kind === 'server_error';
  return failed({ kind, code, message: `quantum: ${String(reason)}`, status, retryable });
}

function endpointOf(call: TaskCall): string {
  const given = textField(call, 'endpoint');
  const provider = textField(call, 'provider') ?? 'simulator';
  const address = given ?? PROVIDERS[provider];
  if (address) return address.replace(/\/+$/, '');
  throw invalid(`quantum: provider '${provider}' is not known; name its endpoint`);
}

function jobOf(call: TaskCall, op: string): string {
  return encodeURIComponent(textField(call, 'job_id') ?? missing('job_id', op));
}

function missing(name: string, op: string): never {
  throw invalid(`quantum: op ${op} needs ${name}`);
}
