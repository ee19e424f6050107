import path from 'node:path';
import { plainConverter } from '../../storage/codec';
import { Derivation, eventStream, explainExecution, type HistoryEvent, historyFile } from '../../history';
import { contentOf } from './view-run';

test('a run is derived once for its page: events and decisions together', async () => {
  const file = path.resolve(__dirname, '../../../test/histories/v1/fan_out_reduce.json');
  let reads = 0;
  const pages = async function* (): AsyncGenerator<readonly HistoryEvent[]> {
    reads++;
    yield* historyFile(file);
  };
  const { data, events } = await contentOf({ pages, converter: plainConverter });
  expect(reads).toBe(1);
  const derivation = new Derivation({ bodies: true });
  const derived = [];
  for await (const some of eventStream(historyFile(file), derivation)) derived.push(...some);
  const { decisions } = await explainExecution(historyFile(file));
  expect(events).toBe(derived.length);
  expect(data).toMatchObject({ events: derived, decisions, plan: derivation.plan, leftOut: 0 });
});
