/** The results that a rehearsal file mocks, as what is known of the fields of tasks. */
import { parse } from 'yaml';
import { type KnownResults } from './fields';

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the mocks of a rehearsal file answer, whatever its form; a text that is not YAML says nothing. */
export function resultsOfRehearsal(text: string): KnownResults | undefined {
  const file = dataIn(text);
  if (!isMapping(file)) return undefined;
  const rehearsals = Array.isArray(file['rehearsals']) ? (file['rehearsals'] as unknown[]) : [];
  const answers = new Map<string, unknown>();
  for (const one of [file, ...rehearsals]) {
    const mocks = isMapping(one) && isMapping(one['mocks']) ? one['mocks'] : {};
    for (const [selector, given] of Object.entries(mocks)) {
      const key = selector.replace(/\[\d+\]$/, '');
      const list = Array.isArray(given) ? (given as unknown[]) : [given];
      const result = list.map(resultIn).find((each) => each !== undefined);
      if (result !== undefined && !answers.has(key)) answers.set(key, result);
    }
  }
  return {
    resultOf: (step, task) =>
      answers.get(`${step}/${task ?? ''}`) ??
      (task === undefined ? undefined : answers.get(task)) ??
      answers.get(step),
  };
}

function dataIn(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

/** The payload of an answer in its short or its long form; undefined for a failure. */
function resultIn(answer: unknown): unknown {
  if (!isMapping(answer)) return answer ?? undefined;
  if ('error' in answer || (typeof answer['status'] === 'number' && answer['status'] >= 400))
    return undefined;
  if ('result' in answer) return answer['result'];
  return 'body' in answer ? answer['body'] : answer;
}
