/** The golden histories: an unchanged playbook decides in a recording exactly what was recorded, at the same moments. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { openStorage, type Storage } from '../blobs';
import { historyFile, type HistoryEvent, inChainOrder } from '../history';
import { compareWith, decideAnew } from './decide-anew';
import { readRecording, type Recording } from './recording';

const FOLDER = path.resolve(__dirname, '../../test/histories');
const scenarios = fs
  .readdirSync(FOLDER)
  .flatMap((version) => fs.readdirSync(path.join(FOLDER, version)).map((name) => path.join(version, name)));

let storage: Storage;
beforeAll(async () => {
  storage = await openStorage(pathToFileURL(path.resolve(__dirname, '../../test/stored-values')).href);
});

async function* pagesOf(scenario: string): AsyncGenerator<readonly HistoryEvent[]> {
  const place = path.join(FOLDER, scenario);
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
