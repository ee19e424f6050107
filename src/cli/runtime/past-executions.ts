/**
 * Reads past executions one after the other, or on several threads: memory holds those parts of a few of them that differ from
 * what the version does.
 */
import { type LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { CodedError } from '../../language/errors';
import { type Pages } from '../../history';
import { type Plan } from '../../language/plan';
import { addTally, emptyTally, type Tally, tally, tallyUnread, verdictOf } from '../../offline/proof';
import { eachVisible, executionIdIn, historyPages } from '../../temporal/client';
import { queryFrom, historiesIn } from '../input/against';
import { SaidProgress } from '../output/progress';
import { dataFolder } from './data-folder';
import { filePages, withClient } from './recorded-run';
import { openLocalStorage } from './storage';
import { onThreads, THREADS } from './threads';

export interface Past {
  /** History files, and folders of them. */
  readonly files: readonly string[];
  /** `path=… since=30d` */
  readonly against?: string;
  readonly data?: string;
  readonly storage?: string;
}

export interface Versions {
  readonly now: Plan;
  readonly old?: Plan;
}

/** What a thread works on. */
export interface ThreadWork extends Versions {
  readonly executions: readonly (readonly string[])[];
  readonly data?: string;
  readonly storage?: string;
}

/** Below this number of executions starting threads takes longer than it saves. */
const WORTH_THREADS = 300;

/** Verdicts on all of them. @throws UsageError for files that do not exist, and as connecting does */
export async function verdictsOn(past: Past, versions: Versions): Promise<Tally> {
  const sum = emptyTally();
  const { files, against, data, storage } = past;
  if (files.length > 0) {
    const executions = await historiesIn(files);
    const work = { ...versions, data, storage };
    if (executions.length < WORTH_THREADS || THREADS === 1)
      addTally(sum, await verdictsOnFiles({ ...work, executions }));
    else {
      const parts = Array.from({ length: THREADS }, (_, n): ThreadWork => {
        return { ...work, executions: executions.filter((_one, i) => i % THREADS === n) };
      });
      for (const one of await onThreads<Tally>(require.resolve('./verify-thread'), parts)) addTally(sum, one);
    }
  }
  if (against !== undefined) addTally(sum, await verdictsOnQuery(past, queryFrom(against), versions));
  return sum;
}

/** Verdicts on executions whose histories are files. */
export async function verdictsOnFiles({
  executions,
  data,
  storage,
  ...versions
}: ThreadWork): Promise<Tally> {
  const store = await openLocalStorage(storage, dataFolder(data));
  const converter = loadDataConverter(store.dataConverter);
  const sum = emptyTally();
  try {
    for (const files of executions)
      await add(sum, { name: files.at(0) ?? '', pages: () => filePages(files), converter }, versions);
  } finally {
    await store.close();
  }
  return sum;
}

async function verdictsOnQuery({ data, storage }: Past, query: string, versions: Versions): Promise<Tally> {
  const store = await openLocalStorage(storage, dataFolder(data));
  const converter = loadDataConverter(store.dataConverter);
  const sum = emptyTally();
  try {
    await withClient(dataFolder(data), store.dataConverter, async (client) => {
      for await (const info of eachVisible(client, query)) {
        const { workflowId } = info;
        const name = executionIdIn(info) ?? workflowId;
        const pages = (): Pages => historyPages(client, workflowId, { runId: info.runId });
        await add(sum, { name, pages, converter, workflowId }, versions);
      }
    });
  } finally {
    await store.close();
  }
  return sum;
}

interface Source {
  readonly name: string;
  /** Reads it from its start, again at each call. */
  readonly pages: () => Pages;
  readonly converter: LoadedDataConverter;
  readonly workflowId?: string;
}

/** One execution that cannot be read does not end the others. */
async function add(sum: Tally, { name, pages, ...options }: Source, versions: Versions): Promise<void> {
  const displays = {
    read: new SaidProgress(`events of ${name} read`),
    anew: new SaidProgress(`events of ${name} decided anew`),
  };
  try {
    const progress = {
      read: (events: number) => displays.read.to(events),
      anew: (events: number) => displays.anew.add(events),
    };
    tally(sum, name, await verdictOf(pages, versions, { ...options, ...progress }));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    tallyUnread(sum, name, `${error.message} [${error.code}]`);
  }
}
