/** An execution, or its history files, accessed through Temporal directly. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Derivation, eventStream, explainExecution, readStanding, stateAt } from '../../../history';
import {
  cancelFamily,
  deleteVariables,
  executionIdIn,
  executionIdOf,
  fateOf,
  forceFamily,
  sendEvent,
  setVariables,
  steer,
  troubleOf,
  type UnservedQueue,
  unservedQueues,
  untilEnded,
  workflowId,
  workflowIdOf,
  type WorkflowTaskTrouble,
} from '../../../temporal/client';
import { followLines, type LogLine, storedLines } from '../../../telemetry/logs';
import { compact } from '../../../language/plan';
import { UsageError } from '../../errors';
import { SaidProgress } from '../../output/progress';
import { asUsage, openRecorded, type RecordedRun } from '../recorded-run';
import { named, type NamedPlaces } from '../named';
import { askExecution } from '../running';
import {
  type EventsAsked,
  type ExplanationRequest,
  type ExplanationNow,
  type LinesAsked,
  type RemoteExecution,
  type StandingNow,
} from './execution';
import { followed } from './followed';
import { linesOfFile } from './source-lines';

/** @param names one execution id or workflow id, or, for read-only commands, history files */
export function executionAtTemporal(names: readonly string[], where: NamedPlaces): RemoteExecution {
  const name = names.join(' ');
  const id = named(name);
  let derivation: Derivation | undefined;

  async function reading<T>(read: (run: RecordedRun) => Promise<T>): Promise<T> {
    const run = await openRecorded(names, where.data, where.storage);
    try {
      return await read(run);
    } catch (error) {
      return asUsage(error);
    } finally {
      await run.close();
    }
  }

  const telling = <T>(tell: (client: Client, workflowId: string) => Promise<T>): Promise<T> =>
    askExecution(where, async (client) => await tell(client, await workflowIdOf(client, name)));

  return {
    ...id,
    status: () => reading(standingNow),
    trouble: () => reading(troubleOfRun),
    steer: (verb, reason) => telling((client, workflow) => steer(client, workflow, verb, reason)),
    cancelFamily: (reason) =>
      telling((client, workflow) => cancelFamily(client, workflow, { reason, cascade: true })),
    forceFamily: ({ reason, cascade }) =>
      telling((client, workflow) => forceFamily(client, workflow, { ...compact({ reason }), cascade })),
    send: (event) => telling(async (client, workflow) => fateOf(await sendEvent(client, workflow, event))),
    setVariables: (variables) => telling((client, workflow) => setVariables(client, workflow, variables)),
    deleteVariables: (given) => telling((client, workflow) => deleteVariables(client, workflow, given)),
    async *lines({ follow, signal }: LinesAsked) {
      const run = await openRecorded(names, where.data, where.storage).catch(asUsage);
      try {
        yield* linesOf(run, { follow, signal });
      } finally {
        await run.close();
      }
    },
    async *events({ follow, bodies, signal }: EventsAsked) {
      const run = await openRecorded(names, where.data, where.storage);
      try {
        if (follow && run.client) return yield* followed(run, signal, bodies);
        derivation = new Derivation({ converter: run.converter, bodies });
        yield* eventStream(run.pages(), derivation);
      } catch (error) {
        asUsage(error);
      } finally {
        await run.close();
      }
    },
    explanation: (about) => reading((run) => explanationNow(run, about)),
    stateAt: (seq) =>
      reading(async (run) => {
        const { state, lastSeq } = await stateAt(run.pages(), seq, { converter: run.converter });
        if (!state) throw new UsageError(`--state-at ${seq}: the execution has ${lastSeq} events`);
        return state;
      }),
    divergence: () => derivation?.divergence,
  };
}

async function standingNow(run: RecordedRun): Promise<StandingNow> {
  const { converter } = run;
  const shown = new SaidProgress('events read');
  const progress = (events: number): void => shown.to(events);
  const standing = await readStanding(run.pages(), run.id ?? run.name, { converter, progress });
  return { ...standing, ...(await now(run)) };
}

/** Events of a page of an explanation: a second. */
const EXPLAINED = 20_000;

async function explanationNow(run: RecordedRun, about: ExplanationRequest): Promise<ExplanationNow> {
  const { converter } = run;
  const { at, after = 0 } = about;
  const shown = new SaidProgress('events read');
  const progress = (events: number): void => shown.to(events);
  const most = at ?? after + EXPLAINED;
  const explanation = await explainExecution(run.pages(), linesOfFile, {
    ...about,
    most,
    converter,
    progress,
  });
  return { ...explanation, ...(await now(run)) };
}

/** Nothing for a history file, and for an execution that has ended. */
async function now({ client, id }: RecordedRun): Promise<{ unserved: readonly UnservedQueue[] }> {
  return { unserved: client && id !== undefined ? await unservedQueues(client, id) : [] };
}

async function* linesOf(
  { name, client, id, logs }: RecordedRun,
  { follow, signal }: LinesAsked,
): AsyncGenerator<readonly LogLine[]> {
  if (!client || id === undefined || !logs) return;
  const execution = executionIdOf(workflowId(name)) ?? executionIdOf(name) ?? (await idOf(client, id));
  if (execution === undefined) return;
  const read = follow
    ? followLines(logs, execution, { signal, ended: untilEnded(client, execution, signal) })
    : storedLines(logs, execution);
  for await (const some of read) yield some.map(({ line }) => line);
}

/** For an execution started under a workflow id of its own. */
async function idOf(client: Client, id: string): Promise<string | undefined> {
  try {
    return executionIdIn(await client.workflow.getHandle(id).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** Files have none. */
async function troubleOfRun({ client, id }: RecordedRun): Promise<WorkflowTaskTrouble | undefined> {
  return client && id !== undefined ? await troubleOf(client, id) : undefined;
}
