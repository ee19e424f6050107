/** An execution, or the history files of one, asked without anybody between us and Temporal. */
import { Derivation, eventStream, explain, readStanding, stateAt } from '../../../history';
import { cancelFamily, deleteVariables, sendEvent, setVariables, steer } from '../../../temporal';
import { UsageError } from '../../errors';
import { asUsage, openRecorded, type RecordedRun } from '../recorded-run';
import { named, type Where } from '../named';
import { askExecution } from '../running';
import { type EventsAsked, type RemoteExecution } from './execution';
import { followed } from './followed';
import { linesOfFile } from './source-lines';

/** @param names one execution id or workflow id, or, for what only reads, history files */
export function executionAtTemporal(names: readonly string[], where: Where): RemoteExecution {
  const id = named(names.join(' '));
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

  return {
    ...id,
    status: () => reading((run) => readStanding(run.pages(), id.workflow_id, { converter: run.converter })),
    steer: (verb, reason) => askExecution(where, (client) => steer(client, id.workflow_id, verb, reason)),
    cancelFamily: (reason) =>
      askExecution(where, (client) => cancelFamily(client, id.workflow_id, { reason, cascade: true })),
    send: (event) => askExecution(where, (client) => sendEvent(client, id.workflow_id, event)),
    setVariables: (variables) =>
      askExecution(where, (client) => setVariables(client, id.workflow_id, variables)),
    deleteVariables: (given) =>
      askExecution(where, (client) => deleteVariables(client, id.workflow_id, given)),
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
