/** An execution, or the history files of one, asked without anybody between us and Temporal. */
import { type Client } from '@temporalio/client';
import { Derivation, eventStream, explain, readStanding, stateAt } from '../../../history';
import {
  cancelFamily,
  deleteVariables,
  sendEvent,
  setVariables,
  steer,
  workflowIdOf,
} from '../../../temporal';
import { UsageError } from '../../errors';
import { asUsage, openRecorded, type RecordedRun } from '../recorded-run';
import { named, type Where } from '../named';
import { askExecution } from '../running';
import { type EventsAsked, type RemoteExecution } from './execution';
import { followed } from './followed';
import { linesOfFile } from './source-lines';

/** @param names one execution id or workflow id, or, for what only reads, history files */
export function executionAtTemporal(names: readonly string[], where: Where): RemoteExecution {
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
    status: () =>
      reading((run) => readStanding(run.pages(), run.id ?? run.name, { converter: run.converter })),
    steer: (verb, reason) => telling((client, workflow) => steer(client, workflow, verb, reason)),
    cancelFamily: (reason) =>
      telling((client, workflow) => cancelFamily(client, workflow, { reason, cascade: true })),
    send: (event) => telling((client, workflow) => sendEvent(client, workflow, event)),
    setVariables: (variables) => telling((client, workflow) => setVariables(client, workflow, variables)),
    deleteVariables: (given) => telling((client, workflow) => deleteVariables(client, workflow, given)),
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
    explanation: () => reading((run) => explain(run.pages(), linesOfFile, { converter: run.converter })),
    stateAt: (seq) =>
      reading(async (run) => {
        const { state, lastSeq } = await stateAt(run.pages(), seq, { converter: run.converter });
        if (!state) throw new UsageError(`--state-at ${seq}: the execution has ${lastSeq} events`);
        return state;
      }),
    divergence: () => derivation?.divergence,
  };
}
