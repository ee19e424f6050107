/**
 * What proves the promises of docs/guarantees.md, by number: titles of tests, and edits that break the promise on
 * purpose, after which one of its tests has to fail (`scripts/break-promises.mjs`).
 */
export interface Promised {
  /** By file: titles, as the source has them. */
  readonly proofs: Readonly<Record<string, readonly string[]>>;
  readonly broken?: Broken;
}

export interface Broken {
  readonly file: string;
  /** Once in the file. */
  readonly from: string;
  readonly to: string;
  /** The file, among the proofs, whose tests fail then. */
  readonly failing: string;
}

const broken = (file: string, from: string, to: string, failing: string): { readonly broken: Broken } => ({
  broken: { file, from, to, failing },
});

const ATTEMPT = 'activities/framework/activity/attempt.test.ts';
const FLEET = 'test/integration/worker-fleet.test.ts';
const HOSTILE = 'activities/framework/sandbox/hostile.test.ts';
const BOUNDS = 'test/integration/bounds.test.ts';
const PLANS = 'src/engine/machine/random-plans.test.ts';
const LONG_RUNS = 'test/integration/long-runs.test.ts';
const CHUNKS = 'test/integration/chunks.test.ts';
const NOTIFICATIONS = 'test/integration/notifications.test.ts';
const STORAGE = 'test/integration/storage.test.ts';
const SECRETS = 'test/integration/secrets.test.ts';
const HOSTILE_NETWORK = 'activities/framework/sandbox/hostile-network.test.ts';
const POSTGRES = 'test/integration/embedded-postgres.test.ts';

export const PROMISES: Readonly<Record<number, Promised>> = {
  1: {
    proofs: {
      'test/e2e/chaos.test.ts': [
        'nothing is lost, stuck, failed or doubled while processes are killed, stopped, cut off and slowed',
      ],
      'test/e2e/crash.test.ts': [
        'a run whose command and server were killed is finished by the next command on the data folder',
      ],
      [PLANS]: [
        'completes whatever the order of completions, with the same results, no token lost, nothing left behind',
        'goes on from its JSON at every point, and without anybody who wants events',
      ],
    },
    ...broken(
      'src/engine/machine/state/live-state.ts',
      'if (!sharesArgs(live, frame)) return frame;',
      "if (!sharesArgs(live, frame) && frame.id === '') return frame;",
      PLANS,
    ),
  },
  2: {
    proofs: {
      'test/integration/facade-execute.test.ts': [
        'the same request is the same execution, at both facades, also when they are asked at once',
        'another request under the key is refused, and a refused one leaves the key free',
      ],
    },
    ...broken(
      'src/server/facade/submit/submitter.ts',
      'const existing = await this.submissions.find(keyOwner, key);',
      'const existing = undefined as Submission | undefined;',
      'test/integration/facade-execute.test.ts',
    ),
  },
  3: {
    proofs: {
      'test/e2e/crash.test.ts': [
        'a run whose command and server were killed is finished by the next command on the data folder',
      ],
      [LONG_RUNS]: ['a loop too long for one history continues as new and loses nothing'],
    },
    ...broken(
      'src/engine/machine/control/control.ts',
      'context.state.draining = false;',
      'context.state.draining = false;\n  for (const { loop } of context.state.runs.values()) if (loop) loop.next--;',
      LONG_RUNS,
    ),
  },
  4: {
    proofs: {
      [FLEET]: [
        'losses while a task waits are free; the fifth while it runs is the last; at most once is at most once',
      ],
      [ATTEMPT]: [
        'whatever happens in whatever order, a task begins at most five times, and what is free is free',
      ],
    },
    ...broken(
      'src/language/plan/losses.ts',
      'export const MAX_BEGUN = 5;',
      'export const MAX_BEGUN = 6;',
      ATTEMPT,
    ),
  },
  5: {
    proofs: {
      [FLEET]: [
        'losses while a task waits are free; the fifth while it runs is the last; at most once is at most once',
      ],
      [ATTEMPT]: [
        'whatever happens in whatever order, a task begins at most five times, and what is free is free',
      ],
    },
    ...broken(
      'src/language/plan/losses.ts',
      'export const MAX_FREE = 10;',
      'export const MAX_FREE = 0;',
      ATTEMPT,
    ),
  },
  6: {
    proofs: {
      [FLEET]: ['a rolling restart under load fails nothing, and repeats nothing if workers may drain'],
    },
    ...broken(
      'src/temporal/worker/workers.ts',
      'setTimeout(() => stopping.abort(), graceMs);',
      'setTimeout(() => stopping.abort(), 0);',
      FLEET,
    ),
  },
  7: {
    proofs: {
      'activities/framework/process/marks.test.ts': [
        'a task ends nothing of another one',
        'what tasks of a killed worker left behind ends when the next one starts; that of others does not',
      ],
      'activities/kinds/python/interpreter/orphans.test.ts': ['the task times out, or is cancelled'],
      [HOSTILE]: ['%s: a timeout ends also what left its process group'],
      'test/e2e/playbooks.test.ts': ['a worker that is killed takes its shell commands with it'],
    },
    ...broken(
      'activities/framework/process/marks.ts',
      'for (const pid of pids) kill(pid);',
      'for (const pid of pids) if (pid < 0) kill(pid);',
      'activities/framework/process/marks.test.ts',
    ),
  },
  8: {
    proofs: {
      [CHUNKS]: ['a lease goes on where its worker died, without doing again what was done'],
    },
    ...broken(
      'activities/framework/local/activity.ts',
      'const before = port.lastHeartbeat as LeaseAnswer | undefined;',
      'const before = undefined as LeaseAnswer | undefined;',
      CHUNKS,
    ),
  },
  9: {
    proofs: {
      'test/integration/limits.test.ts': [
        'executions with the same key run one after the other, in order; other keys do not wait',
      ],
    },
    ...broken(
      'src/engine/limits/concurrency.ts',
      'if (state.holders.length < limit) return',
      'if (state.holders.length <= limit) return',
      'test/integration/limits.test.ts',
    ),
  },
  10: {
    proofs: {
      [LONG_RUNS]: [
        'many signals that come while the run drains and continues as new: none is lost, none counts twice',
      ],
    },
    ...broken(
      'src/engine/machine/calls/wait.ts',
      'if (id !== null && seenEvents.includes(id)) {',
      "if (id === '') {",
      LONG_RUNS,
    ),
  },
  11: {
    proofs: {
      'test/integration/projection.test.ts': [
        'executions that ended while nothing followed are found, and the tables say what their histories say',
        'a consumer that is killed again and again loses nothing, in the tables or on the wire',
        'two consumers follow more executions than either reads at once, across continuations and resets',
      ],
      'test/integration/projection-store.test.ts': [
        'that come again, or to two consumers at once, are taken once',
        'are taken whole or not at all: a connection that dies at any statement leaves nothing',
      ],
    },
    ...broken(
      'src/server/projection/tables/postgres-sink.ts',
      'SET superseded = true\n       WHERE execution_id = $1 AND seq >= $2',
      'SET superseded = true\n       WHERE execution_id = $1 AND seq > $2',
      'test/integration/projection.test.ts',
    ),
  },
  12: {
    proofs: {
      [NOTIFICATIONS]: [
        'a notification survives the killing of its sender, which was just sending it',
        'a playbook is started once with what happened; when it fails, people hear of it, and it does not start itself',
      ],
    },
    ...broken(
      'src/server/notifications/deliver/playbook.ts',
      'WorkflowIdReusePolicy.REJECT_DUPLICATE',
      'WorkflowIdReusePolicy.ALLOW_DUPLICATE',
      NOTIFICATIONS,
    ),
  },
  13: {
    proofs: {
      'test/integration/bulk.test.ts': [
        'failed executions are rerun, killed half-way and resumed: each exactly once',
        'a cancelled operation leaves the rest, and resumes with it',
      ],
    },
    ...broken(
      'src/server/bulk/operations.ts',
      'const next = { ...input, outcomes };',
      'const next = { ...input, outcomes: [] };',
      'test/integration/bulk.test.ts',
    ),
  },
  14: {
    proofs: {
      [STORAGE]: [
        'a result of 3 MB reaches the next step whole, and history stays small',
        'a result just below the largest value is taken, and one above it fails its task once, in its worker',
        'a %s value is told by the workflow task, and the run goes on once it is back',
        'a result that cannot be stored is an outcome that the rules see, and the task has run once',
      ],
      'activities/full-disk.test.ts': ['%s'],
    },
    ...broken(
      'src/storage/blobs/object-driver.ts',
      'if (digest !== hashValue) {',
      'if (digest !== hashValue && bytes.length === 0) {',
      STORAGE,
    ),
  },
  15: {
    proofs: {
      'test/integration/histories.test.ts': [
        'replays in Temporal without divergence, be it part of a trace or not',
      ],
    },
    ...broken(
      'workflows/effects.ts',
      'activityId: call.task_run_id,\n    taskQueue: taskQueue(call.kind, pool),',
      "activityId: `${call.task_run_id}'`,\n    taskQueue: taskQueue(call.kind, pool),",
      'test/integration/histories.test.ts',
    ),
  },
  16: {
    proofs: {
      [FLEET]: [
        'an execution stays on the build that began it if that is pinned, and else moves to the current one',
      ],
    },
    ...broken('src/temporal/worker/versioning.ts', "pinned: 'PINNED',", "pinned: 'AUTO_UPGRADE',", FLEET),
  },
  17: {
    proofs: {
      'src/server/store/migrations.test.ts': ['%s takes nothing away, or says since when nobody uses it'],
      'test/integration/projection-store.test.ts': [
        'bring up a database of an earlier release, with all that is in it',
      ],
    },
    ...broken(
      'src/server/store/migrations/0110_bindings.sql',
      'ALTER TABLE noetl.credential ADD COLUMN paths TEXT[];',
      'ALTER TABLE noetl.credential ADD COLUMN paths TEXT[], DROP COLUMN tags;',
      'src/server/store/migrations.test.ts',
    ),
  },
  18: {
    proofs: {
      'src/engine/machine/values.test.ts': [
        'a result that is too large fails its task, and a rule handles it',
        'the parts of %s are together no larger than one of them may be',
        'all that an execution keeps',
      ],
      [BOUNDS]: ['a bomb ends with a code, and others run: %s'],
    },
    ...broken(
      'src/engine/machine/scope/values.ts',
      'scope.place);\n  if (context.written - before > MAX_VALUE_SIZE) throw',
      'scope.place);\n  if (context.written - before > MAX_VALUE_SIZE ** 2) throw',
      'src/engine/machine/values.test.ts',
    ),
  },
  19: {
    proofs: {
      'src/temporal/contract/messages.test.ts': [
        '%s: whatever else comes neither throws nor changes the execution',
      ],
      [BOUNDS]: [
        'signals with null, wrong types and unknown references are ignored by the workflow and by readers',
      ],
    },
    ...broken(
      'src/temporal/contract/messages.ts',
      'shapes.every((shape, index) => shape(args[index])) ? undefined',
      'shapes.some((shape, index) => shape(args[index]) || true) ? undefined',
      'src/temporal/contract/messages.test.ts',
    ),
  },
  20: {
    proofs: {
      [BOUNDS]: [
        'a playbook that calls itself twice, waited for and not, ends',
        'a family that grows ends when it is cancelled: of what is called after that, nothing begins',
        'what a cancelled family calls is refused, also by a member that has not heard of it',
      ],
      'src/engine/machine/calls/child.test.ts': ['counts the depth of calls, and refuses the 33rd'],
    },
    ...broken(
      'activities/framework/activity/family.ts',
      'if (counted.open > limit || counted.inAll > inAll) {',
      'if (counted.open < 0) {',
      BOUNDS,
    ),
  },
  21: {
    proofs: {
      'test/integration/hopeless.test.ts': [
        'what cannot heal ends, with its code; what waits for a cure, and what was only beside it, does not',
      ],
      'test/integration/slow-templates.test.ts': [
        'fails its workflow task and nothing else, is named, and ends when it fails alone, too',
      ],
      'src/offline/replay/trial.test.ts': [
        'a workflow task of the kind %s that is tried alone: %s',
        'one whose code differs from the one that ran waits for that code',
      ],
    },
    ...broken(
      'src/temporal/client/trouble.ts',
      'return HOPELESS.some((pattern) => pattern.test(message));',
      'return HOPELESS.every((pattern) => pattern.test(message));',
      'src/offline/replay/trial.test.ts',
    ),
  },
  22: {
    proofs: {
      'src/server/facade/http/body.test.ts': [
        'who may not is answered before a byte of its body came, and the connection is closed',
      ],
      'src/server/facade/rights.test.ts': ['%s: who may not is told so before a byte of the body came'],
    },
    ...broken(
      'src/server/facade/http/router.ts',
      'const principal = await authenticate(request, route.scopeOf?.(request) ?? route.scope);',
      "const principal = await authenticate(request, 'public');",
      'src/server/facade/rights.test.ts',
    ),
  },
  23: {
    proofs: {
      'test/integration/secrets-canary.test.ts': [
        'a stored secret arrives in every place and ending, and is in nothing that is kept or said',
      ],
      [SECRETS]: ['reaches header, Python, environment and error, and stands in no history, state or event'],
    },
    ...broken(
      'activities/framework/credentials/redact.ts',
      'secrets.size > 0 ? (json(value) as T) : value',
      'secrets.size < 0 ? (json(value) as T) : value',
      SECRETS,
    ),
  },
  24: {
    proofs: {
      [HOSTILE]: [
        'is found without a sandbox, and in none with one',
        'nothing can be mounted, made privileged or written outside of the temporary folder',
      ],
      [HOSTILE_NETWORK]: [
        'services of this machine answer without a sandbox, and to none with one',
        'strict has no interface',
      ],
      'activities/framework/sandbox/hostile-environment.test.ts': ['without a sandbox, traps work'],
      'activities/framework/sandbox/hostile-memory.test.ts': [
        'a cancelled task leaves nothing, nor does one that runs at the same time',
      ],
    },
    ...broken(
      'activities/framework/sandbox/bubblewrap.ts',
      "(level === 'strict' && !divides ? ['--unshare-net'] : [])",
      "(level === 'strict' && !divides ? ['--unshare-ipc'] : [])",
      HOSTILE_NETWORK,
    ),
  },
  25: {
    proofs: {
      'test/integration/tokens.test.ts': [
        'a limited token gets only the credentials it names, and every refusal is on record',
      ],
    },
    ...broken(
      'src/server/facade/credentials/token-rights.ts',
      'if (credentials && !fitsAny(credentials, credential.name))',
      "if (credentials && credential.name === '' && !fitsAny(credentials, credential.name))",
      'test/integration/tokens.test.ts',
    ),
  },
  26: {
    proofs: {
      'test/integration/grants.test.ts': [
        'a grant opens what its task names, for a token of its kind and pool, while the task runs',
        'a credential that is bound to playbooks is opened for their executions only',
      ],
    },
    ...broken(
      'src/server/facade/credentials/opening.ts',
      'if (granted || pools) await',
      'if (granted && pools && false) await',
      'test/integration/grants.test.ts',
    ),
  },
  27: {
    proofs: {
      'test/integration/fairness.test.ts': [
        'a task waits for the tasks that run, not for all that another execution has scheduled',
      ],
    },
    ...broken(
      'workflows/effects.ts',
      'return Object.keys(given).length > 0 ? { priority: given } : {};',
      "return { priority: { ...given, fairnessKey: 'one' } };",
      'test/integration/fairness.test.ts',
    ),
  },
  28: {
    proofs: {
      [POSTGRES]: ['comes back with its committed rows after its processes were killed'],
    },
    ...broken(
      'src/server/store/postgres-cluster.ts',
      "const settings = ['listen_addresses=127.0.0.1',",
      "const settings = ['synchronous_commit=off', 'listen_addresses=127.0.0.1',",
      POSTGRES,
    ),
  },
  29: {
    proofs: {
      'test/integration/backup.test.ts': [
        'what was copied at one moment goes on from there',
        'parts of different moments are told apart, and mended as it is said',
      ],
    },
    ...broken(
      'src/cli/runtime/examine-restore.ts',
      "if (ahead.length === 0) return { status: 'ok',",
      "if (ahead.length >= 0) return { status: 'ok',",
      'test/integration/backup.test.ts',
    ),
  },
  30: {
    proofs: {
      'test/integration/retention.test.ts': [
        'a family goes together: callers with what they called, originals with their reruns',
      ],
    },
    ...broken(
      'src/server/retention/expired.ts',
      'GROUP BY f.head HAVING bool_and(${EXPIRED})',
      'GROUP BY f.head HAVING bool_or(${EXPIRED})',
      'test/integration/retention.test.ts',
    ),
  },
};
