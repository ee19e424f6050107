/**
 * Compares what this build requests from Temporal with what history says the run requested. A difference means that the
 * code changed under a running execution, so that events derived after it are not what happened.
 */
import { type Command } from '../engine/machine';
import { LOCAL_KIND } from '../language/plan';
import { type RequestedCommands, type Window } from './reader';

export interface Divergence {
  /** Event id of the WorkflowTaskStarted whose commands differ. */
  readonly history_event_id: number;
  /** The command in history, and the one of this build; null if missing. */
  readonly recorded: string | null;
  readonly replayed: string | null;
  readonly message: string;
}

/** The first difference between the commands of a workflow task and those that history recorded. */
export function divergenceOf(commands: readonly Command[], window: Window): Divergence | undefined {
  const recorded = describeRecorded(window.commands);
  const commandNames = describeAsked(commands, window.commands);
  const missing = [...recorded].find((one) => !commandNames.has(one));
  const extra = [...commandNames].find((one) => !recorded.has(one));
  if (missing === undefined && extra === undefined) return undefined;
  const history = missing === undefined ? 'requested nothing more' : `requested ${missing}`;
  const here = extra === undefined ? 'does not' : `requests ${extra}`;
  return {
    history_event_id: window.eventId,
    recorded: missing ?? null,
    replayed: extra ?? null,
    message: `at history event ${window.eventId} the run ${history}, but this build ${here}`,
  };
}

function describeRecorded({ tasks, timers, children, end }: RequestedCommands): Set<string> {
  return new Set([
    ...[...tasks].map(([id, kind]) => task(id, kind)),
    ...[...timers].map(timer),
    ...[...children].map(child),
    ...(end ? [ENDS[end]] : []),
  ]);
}

function describeAsked(commands: readonly Command[], recorded: RequestedCommands): Set<string> {
  const names = new Set<string>();
  const kinds = new Map<string, string>();
  for (const command of commands) {
    switch (command.type) {
      case 'runTask':
        kinds.set(command.call.task_run_id, command.call.kind);
        names.add(task(command.call.task_run_id, command.call.kind));
        break;
      case 'cancelTask':
        // Requested and cancelled in one workflow task: Temporal never learns of it.
        if (!recorded.tasks.has(command.taskRunId)) {
          names.delete(task(command.taskRunId, kinds.get(command.taskRunId) ?? ''));
        }
        break;
      case 'runPlaybook':
        names.add(child(command.child));
        break;
      case 'runChunk':
        names.add(child(command.ref));
        break;
      case 'startLease':
        names.add(task(command.ref, LOCAL_KIND));
        break;
      case 'cancelLease':
        // As for tasks.
        if (!recorded.tasks.has(command.ref)) names.delete(task(command.ref, LOCAL_KIND));
        break;
      case 'startTimer':
        names.add(timer(command.key));
        break;
      case 'cancelTimer':
        // As for tasks.
        if (!recorded.timers.has(command.key)) names.delete(timer(command.key));
        break;
      case 'complete':
      case 'fail':
        // A sub-playbook first notifies its caller, and ends in a later workflow task.
        if (recorded.end) names.add(ENDS[command.type]);
        break;
      case 'cancelled':
        // Temporal records a cancellation that it did not request as a failure.
        if (recorded.end) names.add(ENDS[recorded.end === 'fail' ? 'fail' : 'cancelled']);
        break;
      case 'continueAsNew':
        // The driver instead continues while there are inputs.
        if (recorded.end === 'continueAsNew') names.add(ENDS.continueAsNew);
        break;
    }
  }
  return names;
}

const task = (id: string, kind: string): string => `task ${id} (${kind})`;
const child = (id: string): string => `child ${id}`;
const timer = (key: string): string => `timer ${key}`;
const ENDS: Readonly<Record<NonNullable<RequestedCommands['end']>, string>> = {
  complete: 'its completion',
  fail: 'its failure',
  cancelled: 'its cancellation',
  continueAsNew: 'continue-as-new',
};
