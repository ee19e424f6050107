/** Threads for jobs whose duration a client controls: compiling its documents, evaluating its templates. */
import os from 'node:os';
import path from 'node:path';
import { type ToolKind, type FieldType } from '../../../language/kinds/declaration';
import { CodedError } from '../../../language/errors';
import { type JobTable, type ThreadLimits, type PlainError, ThreadPool } from '../../threads';
import { FacadeError } from '../http/errors';
import { type Jobs, type CompileSurroundings } from './jobs';

/** The built file when running from TypeScript, which threads cannot load. */
export function threadFile(name: string): string {
  const here = path.extname(__filename) === '.js';
  return path.join(
    here ? __dirname : path.resolve(__dirname, '../../../../dist/src/server/facade/threads'),
    name,
  );
}

export const FACADE_THREAD_LIMITS: ThreadLimits = {
  jobMs: 10_000,
  heapMb: 512,
  threads: Math.min(4, Math.max(2, os.availableParallelism())),
  jobsPerCaller: 32,
  tooLarge: tooExpensive,
  tooMany: (jobs) =>
    new FacadeError(
      429,
      'TOO_MANY_JOBS',
      `${jobs} of your playbooks, templates or executions are being processed; retry when they are done`,
    ),
};

export function tooExpensive(what: string): FacadeError {
  return new FacadeError(422, 'TOO_EXPENSIVE', `this takes more than ${what}: send less per request`);
}

/** Errors: FacadeErrors of jobs, 422 `TOO_EXPENSIVE`, 429 `TOO_MANY_JOBS`. */
export class Threads<Table extends JobTable = Jobs> extends ThreadPool<Table> {
  constructor(
    surroundings: CompileSurroundings & Readonly<Record<string, unknown>>,
    limits: ThreadLimits = FACADE_THREAD_LIMITS,
    entry: string = threadFile('thread.js'),
  ) {
    super(withoutFunctions(surroundings), limits, entry, errorOf);
  }
}

function errorOf({ status, more, code, message, ...parts }: PlainError): Error {
  if (status !== undefined) return new FacadeError(status, code, message, more);
  return new CodedError(code, message, parts);
}

/**
 * Functions cannot be passed to threads. Mocks are not needed there; a field whose shape is a function accepts any
 * value.
 */
function withoutFunctions({ kinds = new Map<string, ToolKind>(), ...rest }: CompileSurroundings): object {
  const plain = [...kinds].map(([name, { mock: _mock, types = {}, ...kind }]): [string, ToolKind] => [
    name,
    {
      ...kind,
      types: Object.fromEntries(Object.entries(types).map(([field, type]) => [field, plainType(type)])),
    },
  ]);
  return { ...rest, kinds: new Map(plain) };
}

function plainType(type: FieldType): FieldType {
  try {
    return structuredClone(type);
  } catch {
    return 'any';
  }
}
