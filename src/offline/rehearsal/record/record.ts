/** Records a simulated run as a rehearsal that expects exactly this run. */
import { Document, isScalar, visit } from 'yaml';
import { compact, type Json, type JsonObject } from '../../../language/plan';
import { type Simulated } from '../../drive';

interface Recording {
  readonly name: string;
  readonly payload?: JsonObject;
  /** As written in `mocks`. */
  readonly mocks: JsonObject;
  readonly expect: JsonObject;
}

/** A rehearsal file of these recordings. `playbook` is the path in the file. */
export function rehearsalText(playbook: string, recordings: readonly Recording[]): string {
  const document = new Document({ playbook, rehearsals: recordings }, { aliasDuplicateObjects: false });
  visit(document, {
    Pair(_, { key }) {
      // Without quotes it would merge what follows.
      if (isScalar(key) && key.value === '<<') key.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 110, flowCollectionPadding: true });
}

/** How the run ended and its steps: the first expectations a person would write. */
export function outlineOf(run: Simulated): JsonObject {
  const { error, end, state } = run;
  return {
    ...(end === 'cancelled' ? { status: 'cancelled' } : {}),
    ...(error === undefined ? {} : { error: plainError(error) }),
    steps: state.executed,
    ...compact({ result: run.result }),
  };
}

function plainError(error: NonNullable<Simulated['error']>): JsonObject {
  const { code, kind, step, task, iteration, attempt, at } = error;
  const fields: Record<string, Json | undefined> = {
    code,
    kind,
    step,
    task,
    iteration,
    attempt,
    line: at?.[0],
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
