/** Limits of threads that derive histories. */
import { heapMb } from '../../reading/host';
import { FacadeError } from '../http/errors';
import { type ThreadLimits } from '../../threads';
import { FACADE_THREAD_LIMITS, tooExpensive } from '../threads/threads';

const MIB = 1024 * 1024;

function tooLarge(what: string): FacadeError {
  return new FacadeError(
    422,
    'DERIVATION_TOO_LARGE',
    `deriving this execution takes more than ${what}. Read it offline: save GET /api/executions/{id}/history to a file, ` +
      'and run `noetl-temporal events FILE`, with NODE_OPTIONS=--max-old-space-size=8192 if it needs the memory',
  );
}

/** A million events take half a minute. */
export const DERIVING: ThreadLimits = { ...FACADE_THREAD_LIMITS, jobMs: 120_000, heapMb: heapMb(), tooLarge };

/** Those of running executions: mostly they wait. */
export const FOLLOWING: ThreadLimits = { ...DERIVING, jobMs: 60_000, jobsPerThread: 64, jobsPerCaller: 64 };

/** Those of executions in the tables: some thousand events each. */
export const STORED_VIEWS: ThreadLimits = { ...DERIVING, jobMs: 20_000 };

/** Of templates that a client sends, and the derivation before. */
export const RENDERING = { jobMs: 15_000, tooLarge: tooExpensive };

/** Characters of one answer: a value may have 16 MiB, a state four times as many. */
export const MAX_ANSWER = 20 * MIB;

export function tooLong(id: string, length: number): FacadeError {
  return new FacadeError(
    422,
    'ANSWER_TOO_LARGE',
    `the answer about execution ${id} would have ${Math.ceil(length / MIB)} MiB, more than ${MAX_ANSWER / MIB}. Ask for less: ` +
      'one variable (GET /api/vars/{id}/{name}), pages of events; or read it offline: save GET /api/executions/{id}/history ' +
      'to a file, and run `noetl-temporal view FILE`',
  );
}

/** After so long, whoever asks is told that it is being derived. Milliseconds. */
export const PATIENCE_MS = 1_200;
/** If this process has used so much processor time since. */
export const WORK_MS = 700;
/** As long as that, whatever the processor does. */
export const LONGEST_PATIENCE_MS = 6_000;
/** A derivation that nobody has asked for again is given up. */
export const LINGER_MS = 30_000;
/** Results are kept for those who come again. */
export const KEPT_MS = 300_000;
/** A result of a running execution counts as current for so long. */
export const FRESH_MS = 10_000;
/** Of results in memory, bytes. */
export const KEPT_TEXTS = 64 * MIB;
/** Of rows on disk, bytes. */
export const KEPT_ROWS = 1024 * MIB;
