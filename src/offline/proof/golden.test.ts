/**
 * The golden histories, and some of executions among killed workers and servers (test/chaos): an unchanged playbook
 * decides in a recording exactly what was recorded, at the same moments.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { openStorage, type Storage } from '../../storage/blobs';
import { historyFile, type HistoryEvent, inChainOrder } from '../../history';
import { compareWith, decideAnew } from './decide-anew';
import { readRecording, type Recording } from './recording';

const TEST = path.resolve(__dirname, '../../../test');
const scenarios = ['histories', 'recordings']
  .flatMap((kind) => fs.readdirSync(path.join(TEST, kind)).map((folder) => path.join(kind, folder)))
  .flatMap((folder) => fs.readdirSync(path.join(TEST, folder)).map((name) => path.join(folder, name)));

let storage: Storage;
beforeAll(async () => {
  storage = await openStorage(pathToFileURL(path.resolve(__dirname, '../../../test/stored-values')).href);
});

async function* pagesOf(scenario: string): AsyncGenerator<readonly HistoryEvent[]> {
  const place = path.join(TEST, scenario);
  const files = place.endsWith('.json') ? [place] : fs.readdirSync(place).map((one) => path.join(place, one));
  for (const file of await inChainOrder(files)) yield* historyFile(file);
}

function recordingOf(scenario: string): Promise<Recording> {
  return readRecording(pagesOf(scenario), { converter: loadDataConverter(storage.dataConverter) });
}

/** Histories that an unchanged playbook does not repeat exactly, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

test('there are not more exceptions than one in a hundred histories', () => {
  expect(Object.keys(EXCEPTIONS).length).toBeLessThanOrEqual(scenarios.length / 100);
});

test.each(scenarios)('%s', async (scenario) => {
  const recording = await recordingOf(scenario);
  expect(recording.decisions.length).toBeGreaterThan(0);
  const anew = decideAnew(recording, recording.plan);
  expect(anew.world.unanswered).toEqual([]);
  expect(compareWith(recording, anew)).toEqual({ differences: [] });
});
