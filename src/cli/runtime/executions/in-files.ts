/** An execution whose history is in files: they are read without a port. */
import { Derivation, eventStream, explainExecution, readStanding, stateAt } from '../../../history';
import { UsageError } from '../../errors';
import { SaidProgress } from '../../output/progress';
import { type RecordedRun } from '../recorded-run';
import { EXPLAINED, type ReadableExecution } from './execution';
import { linesOfFile } from './source-lines';

export function executionInFiles({ name, converter, pages }: RecordedRun): ReadableExecution {
  const shown = new SaidProgress('events read');
  const reading = { converter, progress: (events: number): void => shown.to(events) };
  let derivation: Derivation | undefined;
  return {
    status: async () => ({ ...(await readStanding(pages(), name, reading)), unserved: [] }),
    trouble: () => Promise.resolve(undefined),
    // A history has no output but that in its events.
    async *lines() {},
    events({ bodies }) {
      derivation = new Derivation({ converter, bodies });
      return eventStream(pages(), derivation);
    },
    async explanation(about) {
      const most = about.at ?? (about.after ?? 0) + EXPLAINED;
      return {
        ...(await explainExecution(pages(), linesOfFile, { ...about, ...reading, most })),
        unserved: [],
      };
    },
    async stateAt(seq) {
      const { state, lastSeq } = await stateAt(pages(), seq, { converter });
      if (!state) throw new UsageError(`--state-at ${seq}: the execution has ${lastSeq} events`);
      return state;
    },
    divergence: () => derivation?.divergence,
  };
}
