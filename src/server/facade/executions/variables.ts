/** Variables of an execution, with their origin from its history: the writer and the time of creation. */
import { type CanonicalEvent, type VariableWriter, variableWriter } from '../../../history';
import { isMapping } from '../../../language/plan';

export interface VariableFacts {
  readonly type: VariableWriter['type'];
  readonly source_step: string | null;
  /** RFC 3339. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** Tracks the events that write variables. */
export class VariableBook {
  private readonly facts = new Map<string, VariableFacts>();

  readonly take = (events: readonly CanonicalEvent[]): void => {
    for (const event of events) {
      for (const name of WRITES[event.event_type]?.(event) ?? []) this.write(name, event);
      if (event.event_type === 'variables.deleted')
        for (const name of event.payload['names'] as string[]) this.facts.delete(name);
    }
  };

  /** @param otherwise origin of variables in the initial state of the execution (a rerun) */
  of(name: string, otherwise: string): VariableFacts {
    return (
      this.facts.get(name) ?? {
        type: 'step_result',
        source_step: null,
        created_at: otherwise,
        updated_at: otherwise,
      }
    );
  }

  private write(name: string, event: CanonicalEvent): void {
    const before = this.facts.get(name);
    const { type, step } = variableWriter(event);
    this.facts.set(name, {
      type,
      // As in the table noetl.transient: setting a variable from outside does not change its origin.
      source_step: step ?? before?.source_step ?? null,
      created_at: before?.created_at ?? event.timestamp,
      updated_at: event.timestamp,
    });
  }
}

/** Names of the variables written by an event. */
const WRITES: Partial<Record<string, (event: CanonicalEvent) => readonly string[]>> = {
  'variables.set': ({ payload }) => namesOf(payload['variables']),
  'ctx.patched': ({ payload }) => [
    ...namesOf(payload['patch']),
    ...(isMapping(payload['collect']) ? [rootOf(String(payload['collect']['into']))] : []),
  ],
};

function namesOf(patch: unknown): string[] {
  return isMapping(patch) ? Object.keys(patch).map(rootOf) : [];
}

function rootOf(path: string): string {
  return path.split('.')[0]!;
}
