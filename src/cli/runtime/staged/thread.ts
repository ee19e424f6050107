/** A thread that judges: reads the history of an execution and decides it anew with the staged version. */
import { workerData } from 'node:worker_threads';
import { type Client } from '@temporalio/client';
import { CodedError } from '../../../language/errors';
import { compile } from '../../../language/dsl';
import { type Plan } from '../../../language/plan';
import { readRecording, verdictOn } from '../../../offline/proof';
import { type JudgeRequest, type Judged } from '../../../server/staged';
import { serveJobs } from '../../../server/threads/serve-jobs';
import { connect, historyPages, type TemporalTarget } from '../../../temporal/client';
import { extensions, loadConfiguredExtensions } from '../../extensions';
import { openLocalStorage } from '../storage';

/** Where executions are, and large values. */
export interface JudgeWork {
  readonly target: TemporalTarget;
  /** The data folder. */
  readonly data: string;
  readonly storage?: string;
}

const { target, data, storage } = workerData as JudgeWork;

let cached: { digest: string; plan: Plan } | undefined;
let connected: Promise<Client> | undefined;

/** As the facade compiles it, so that its own executions are recognized by the digest. */
async function planOf({ path, version, digest, content, catalog_id: id }: JudgeRequest): Promise<Plan> {
  if (cached?.digest === digest) return cached.plan;
  await loadConfiguredExtensions();
  const options = {
    file: `catalog://${path}@${version}`,
    entry: { id, version },
    kinds: extensions().kinds,
  };
  const { plan } = compile(content, options);
  if (!plan)
    throw new CodedError('PLAYBOOK_INVALID', `this release does not compile version ${version} of ${path}`);
  cached = { digest, plan };
  return plan;
}

async function open(): Promise<Client> {
  const { dataConverter } = await openLocalStorage(storage, data);
  return (await connect(target, undefined, dataConverter)).client;
}

async function judge(request: JudgeRequest): Promise<Judged> {
  const plan = await planOf(request);
  connected ??= open();
  const client = await connected.catch((error: unknown) => {
    connected = undefined;
    throw error;
  });
  const { workflow_id: workflowId, run_id: runId } = request;
  const pages = historyPages(client, workflowId, { runId });
  const converter = client.options.loadedDataConverter;
  const recording = await readRecording(pages, { converter, workflowId });
  return recording.plan.digest === plan.digest ? 'own' : verdictOn(recording, plan);
}

const jobs = { judge };
export type JudgeJobs = typeof jobs;

serveJobs(jobs);
