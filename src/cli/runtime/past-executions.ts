/**
 * Reads past executions one after the other, or on several threads: memory holds those parts of a few of them that differ from
 * what the version does.
 */
import { type LoadedDataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { CodedError } from '../../language/errors';
import { type Pages } from '../../history';
import { compact, type Plan } from '../../language/plan';
import {
  addVerificationTally,
  type CallExecutor,
  emptyVerificationTally,
  type VerificationTally,
  tally,
  tallyUnread,
  verdictOf,
} from '../../offline/proof';
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
  /** Of the files, those of executions of the playbook with this path. */
  readonly of?: string;
  readonly data?: string;
  readonly storage?: string;
}

export interface PlanVersions {
  readonly now: Plan;
  readonly old?: Plan;
  /** Runs calls of code that a recording cannot answer; not on threads. */
  readonly execute?: CallExecutor;
}

/** What a thread works on. */
export interface PastExecutionsWork extends PlanVersions {
  readonly executions: readonly (readonly string[])[];
  readonly data?: string;
  readonly storage?: string;
}

/** Below this number of executions starting threads takes longer than it saves. */
const WORTH_THREADS = 300;

/** Verdicts on all of them. @throws UsageError for files that do not exist, and as connecting does */
export async function verdictsOn(past: Past, versions: PlanVersions): Promise<VerificationTally> {
  const sum = emptyVerificationTally();
  const { files, of, against, data, storage } = past;
  if (files.length > 0) {
    const executions = await historiesIn(files, of);
    const work = { ...versions, data, storage };
    if (executions.length < WORTH_THREADS || THREADS === 1 || versions.execute)
      addVerificationTally(sum, await verdictsOnFiles({ ...work, executions }));
    else {
      const parts = Array.from({ length: THREADS }, (_, n): PastExecutionsWork => {
        return { ...work, executions: executions.filter((_one, i) => i % THREADS === n) };
      });
      for (const one of await onThreads<VerificationTally>(require.resolve('./verify-thread'), parts))
        addVerificationTally(sum, one);
    }
  }
  if (against !== undefined)
    addVerificationTally(sum, await verdictsOnQuery(past, queryFrom(against), versions));
  return sum;
}

/** Verdicts on executions whose histories are files. */
export async function verdictsOnFiles({
  executions,
  data,
  storage,
  ...versions
}: PastExecutionsWork): Promise<VerificationTally> {
  const store = await openLocalStorage(storage, dataFolder(data));
  const converter = loadDataConverter(store.dataConverter);
  const sum = emptyVerificationTally();
  try {
    for (const files of executions)
      await add(sum, { name: files.at(0) ?? '', pages: () => filePages(files), converter }, versions);
  } finally {
    await store.close();
  }
  return sum;
}

/** Histories that are read from the server at once. */
const AT_ONCE = 16;

async function verdictsOnQuery(
  { data, storage }: Past,
  query: string,
  versions: PlanVersions,
): Promise<VerificationTally> {
  const store = await openLocalStorage(storage, dataFolder(data));
  const converter = loadDataConverter(store.dataConverter);
  const sum = emptyVerificationTally();
  try {
    await withClient(dataFolder(data), store.dataConverter, async (client) => {
      // The server answers while others are decided.
      const running = new Set<Promise<void>>();
      for await (const info of eachVisible(client, query)) {
        const { workflowId } = info;
        const name = executionIdIn(info) ?? workflowId;
        const pages = (): Pages => historyPages(client, workflowId, { runId: info.runId });
        const one = add(sum, { name, pages, converter, workflowId }, versions).finally(() =>
          running.delete(one),
        );
        running.add(one);
        if (running.size >= AT_ONCE) await Promise.race(running);
      }
      await Promise.all(running);
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
async function add(
  sum: VerificationTally,
  { name, pages, ...options }: Source,
  versions: PlanVersions,
): Promise<void> {
  const displays = {
    read: new SaidProgress(`events of ${name} read`),
    anew: new SaidProgress(`events of ${name} decided anew`),
  };
  try {
    const progress = {
      read: (events: number) => displays.read.to(events),
      anew: (events: number) => displays.anew.add(events),
    };
    const { execute } = versions;
    tally(sum, name, await verdictOf(pages, versions, { ...options, ...progress, ...compact({ execute }) }));
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    tallyUnread(sum, name, `${error.message} [${error.code}]`);
  }
}
