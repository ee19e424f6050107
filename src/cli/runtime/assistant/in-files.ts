/** What is asked of an execution whose history is a file, as the REST API answers it. */
import { searchedText } from '../../../history';
import { CodedError } from '../../../language/errors';
import { compact } from '../../../language/plan';
import { executionInFiles } from '../executions/in-files';
import { type ReadableExecution } from '../executions/execution';
import { type PortFlags } from '../port';
import { withRecorded } from '../with-recorded';

type Answers = (run: ReadableExecution, query: URLSearchParams) => Promise<object>;

const numberIn = (query: URLSearchParams, name: string): number | undefined =>
  query.has(name) ? Number(query.get(name)) : undefined;

const ANSWERS: Readonly<Record<string, Answers>> = {
  progress: (run) => run.status(),
  explanation: (run, query) =>
    run.explanation(
      compact({
        step: query.get('step') ?? undefined,
        at: numberIn(query, 'at'),
        after: numberIn(query, 'after'),
      }),
    ),
  state: async (run, query) => await run.stateAt(numberIn(query, 'at') ?? (await lastSeq(run))),
  logs: () => Promise.resolve({ lines: [] }),
  'events/search': search,
};

/** @throws CodedError for what a file does not have */
export async function askFile(file: string, about: string, flags: PortFlags): Promise<object> {
  const [what = '', query] = about.split('?');
  const answer = Object.hasOwn(ANSWERS, what) ? ANSWERS[what] : undefined;
  if (!answer)
    throw new CodedError('ONLY_A_FILE', `${file} is a recorded history: nothing can be done to it`);
  return await withRecorded([file], compact({ ...flags }), (run) =>
    answer(executionInFiles(run), new URLSearchParams(query)),
  );
}

async function lastSeq(run: ReadableExecution): Promise<number> {
  let last = 0;
  for await (const events of allEvents(run)) last = events.at(-1)?.seq ?? last;
  return last;
}

function allEvents(run: ReadableExecution): ReturnType<ReadableExecution['events']> {
  return run.events({ signal: new AbortController().signal });
}

async function search(run: ReadableExecution, query: URLSearchParams): Promise<object> {
  const [text = '', after = 0, count = 100] = [
    query.get('text')?.toLowerCase(),
    numberIn(query, 'after'),
    numberIn(query, 'count'),
  ];
  const events: object[] = [];
  for await (const page of allEvents(run))
    for (const event of page) {
      if (event.seq <= after || !searchedText(event).toLowerCase().includes(text)) continue;
      if (query.get('failed') === 'true' && event.status !== 'error') continue;
      if (events.length === count) return { events, next_after: event.seq - 1 };
      events.push(event);
    }
  return { events, next_after: null };
}
