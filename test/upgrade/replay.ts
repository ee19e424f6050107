/** Replays histories with the workflow code of a release, by Temporal's own replayer. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DataConverter } from '@temporalio/common';
import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { openStorage } from '../../src/storage/blobs';
import { workflowId } from '../../src/temporal/client';
import { NO_RUN_SPANS } from '../../src/telemetry/tracing';
import { bundleOf, type Release } from './releases';

export interface NamedHistory {
  readonly name: string;
  readonly history: History;
}

/** The recorded histories of a release, each run of an execution by itself. */
export function goldenHistories({ histories: root }: Release): NamedHistory[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({
      name,
      history: historyFromJSON(JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'))),
    }));
}

/** Where golden histories keep their large values. */
export async function goldenConverter({ histories }: Release): Promise<DataConverter> {
  const below = histories.slice(0, histories.lastIndexOf(`${path.sep}histories`));
  const { dataConverter } = await openStorage(pathToFileURL(path.join(below, 'stored-values')).href);
  return dataConverter;
}

/** @returns what the release would do differently, in words */
export async function divergences(
  release: Release,
  histories: readonly NamedHistory[],
  dataConverter: DataConverter,
): Promise<string[]> {
  const found: string[] = [];
  const workflowBundle = { codePath: bundleOf(release) };
  for (const { name, history } of histories) {
    // Ids of children and chunks are made from it.
    const id = history.events![0]!.workflowExecutionStartedEventAttributes?.workflowId;
    await Worker.runReplayHistory(
      { workflowBundle, replayName: name, dataConverter, sinks: NO_RUN_SPANS },
      history,
      id || workflowId('1'),
    ).catch((error: unknown) => found.push(`${name} on ${release.name}: ${String(error)}`));
  }
  return found;
}
