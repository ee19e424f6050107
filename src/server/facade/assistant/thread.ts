/** A thread for tools of assistants. */
import { workerData } from 'node:worker_threads';
import { hostWatch } from '../../../language/template/runtime';
import { serveJobs } from '../../threads/serve-jobs';
import { assistantJobs, type AssistantSurroundings } from './jobs';

hostWatch.use(() => performance.now());
serveJobs(assistantJobs(workerData as AssistantSurroundings));
