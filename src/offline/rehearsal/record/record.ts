/** Records a simulated run as a rehearsal that expects exactly this run. */
import { Document, isScalar, visit } from 'yaml';
import { compact, type Json, type JsonObject } from '../../../language/plan';
import { type Call } from '../mocks/mocked-world';
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

/** Everything that a rehearsal can expect of the run. */
export function everythingOf(run: Simulated, calls: readonly Call[], startAt: number): JsonObject {
  const byTask = new Map<string, JsonObject[]>();
  for (const { call, at } of calls) {
    const { step, task, iteration, attempt, input, config } = call;
    const name = `${step}/${task}`;
    byTask.set(name, [
      ...(byTask.get(name) ?? []),
      {
        attempt,
        ...compact({ iteration }),
        at: `${at - startAt}ms`,
        input,
        config,
      },
    ]);
  }
  return {
    ...outlineOf(run),
    ctx: run.state.ctx,
    calls: Object.fromEntries(byTask),
    events: run.events.map(({ event_type }) => event_type),
    elapsed: `${run.elapsed}ms`,
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
