/** The smallest playbook that still shows what a larger one shows: parts are left out as long as it does. */
import { parse, stringify } from 'yaml';
import { type Sample } from './generate/steps';
import { type Said } from './generate/world';

type Path = readonly (string | number)[];

/** @param shows whether a smaller sample still shows it */
export function shrunk(sample: Sample, shows: (smaller: Sample) => boolean): Sample {
  let best = sample;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const smaller of candidates(best)) {
      if (!isTried(smaller, shows)) continue;
      best = smaller;
      isSmaller = true;
      break;
    }
  }
  return best;
}

function isTried(smaller: Sample, shows: (smaller: Sample) => boolean): boolean {
  try {
    return shows(smaller);
  } catch {
    return false;
  }
}

function* candidates(sample: Sample): Generator<Sample> {
  const root = parse(sample.text) as unknown;
  for (const path of pathsOf(root, [])) yield { ...sample, text: stringify(without(root, path)) };
  if (Object.keys(sample.payload).length > 0) yield { ...sample, payload: {} };
  for (const [path, text] of Object.entries(sample.children ?? {})) {
    const child = parse(text) as unknown;
    for (const at of pathsOf(child, []))
      yield { ...sample, children: { ...sample.children, [path]: stringify(without(child, at)) } };
  }
  for (const at of sample.outside?.keys() ?? [])
    yield { ...sample, outside: sample.outside!.filter((_, index) => index !== at) };
  for (const at of sample.others?.keys() ?? [])
    yield { ...sample, others: sample.others!.filter((_, index) => index !== at) };
  for (const [task, answers] of Object.entries(sample.tools)) {
    const others = Object.fromEntries(Object.entries(sample.tools).filter(([name]) => name !== task));
    yield { ...sample, tools: others };
    for (let at = 0; at < answers.length; at++) {
      const rest = answers.filter((_, index) => index !== at);
      if (rest.length > 0) yield { ...sample, tools: { ...sample.tools, [task]: rest } };
      for (const plain of simpler(answers[at]!)) {
        yield {
          ...sample,
          tools: { ...sample.tools, [task]: answers.map((each, index) => (index === at ? plain : each)) },
        };
      }
    }
  }
}

function simpler(said: Said): Said[] {
  const all: Said[] = [
    { ...said, code: 'ok' },
    { ...said, v: 0 },
    { ...said, more: false },
    { ...said, took: 1 },
  ];
  return all.filter((each) => JSON.stringify(each) !== JSON.stringify(said));
}

/** Every part of a document that can be left out, the larger ones first. */
function pathsOf(value: unknown, at: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys: (string | number)[] = Array.isArray(value)
    ? value.map((_, index) => index)
    : Object.keys(value);
  // A step without a tool says something else.
  const own = keys.filter((key) => key !== 'tool').map((key) => [...at, key]);
  // The last part goes with its whole, which says less when it is empty.
  return [
    ...(own.length > 1 ? own : []),
    ...keys.flatMap((key) => pathsOf((value as Record<string | number, unknown>)[key], [...at, key])),
  ];
}

function without(value: unknown, [key, ...rest]: Path): unknown {
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_, index) => index !== key)
      : value.map((each, index) => (index === key ? without(each, rest) : (each as unknown)));
  }
  const entries = Object.entries(value as Record<string, unknown>);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(entries.map(([name, each]) => [name, name === key ? without(each, rest) : each]));
}
