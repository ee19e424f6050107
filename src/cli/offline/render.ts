import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Readable, type Writable } from 'node:stream';
import { messageOf } from '../../language/errors';
import { isMapping } from '../../language/plan/json';
import {
  evaluate,
  formatTemplateError,
  templateJson,
  parseTemplate,
  TemplateError,
  type TemplateEnvironment,
} from '../../language/template';

interface DigitsLost {
  /** A decimal that `fromjson` read, of which a double does not keep all digits. */
  readonly digits_lost?: string;
}

/** The output of `render`: the native value of an expression, the text of any other template, or an error. */
export type RenderAnswer =
  | (DigitsLost & { readonly value: unknown; readonly undefined?: true })
  | (DigitsLost & { readonly text: string })
  | {
      readonly error: string;
      readonly code?: string;
      readonly at?: readonly [number, number];
      readonly snippet?: string;
    };

/** The author evaluates an expression interactively: unlike in a run, the clock is available. */
const world: TemplateEnvironment = { now: () => Date.now(), random: () => Math.random() };

/** `render [--context JSON|@FILE] TEMPLATE` and `render --jsonl`: evaluate templates. */
export async function renderTemplates(
  template: string | undefined,
  flags: { context?: string; jsonl?: boolean },
): Promise<void> {
  if (flags.jsonl) {
    await renderLines(process.stdin, process.stdout);
    return;
  }
  const answer =
    template === undefined ? { error: 'no template was given' } : renderOne(template, flags.context);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  if ('error' in answer) {
    if (process.stderr.isTTY && answer.snippet !== undefined) process.stderr.write(`${answer.snippet}\n`);
    process.exitCode = 2;
  }
}

function renderOne(template: string, context: string | undefined): RenderAnswer {
  try {
    const json = context?.startsWith('@') ? readFileSync(context.slice(1), 'utf8') : (context ?? '{}');
    return answerTo({ template, context: templateJson(json) });
  } catch (error) {
    return { error: `the context cannot be read: ${messageOf(error)}` };
  }
}

/**
 * Answers each line of JSON with a line of JSON, in order, as they arrive. An invalid request gets an error as its
 * answer; only the end of input ends the stream.
 */
export async function renderLines(input: Readable, output: Writable): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (!output.write(`${JSON.stringify(answerToLine(line))}\n`)) await once(output, 'drain');
  }
}

function answerToLine(line: string): RenderAnswer {
  try {
    return answerTo(templateJson(line));
  } catch (error) {
    return { error: `the line cannot be read: ${messageOf(error)}` };
  }
}

/** Never throws: every request gets an answer. */
function answerTo(request: unknown): RenderAnswer {
  if (!isMapping(request)) return { error: 'a request is an object with template and context' };
  const { template: source, context = {} } = request;
  if (typeof source !== 'string') return { error: "'template' must be a string" };
  if (!isMapping(context)) return { error: "'context' must be an object" };
  try {
    return render(source, context);
  } catch (error) {
    return refusal(error);
  }
}

function render(source: string, context: Record<string, unknown>): RenderAnswer {
  const lookup = (name: string): unknown => (Object.hasOwn(context, name) ? context[name] : undefined);
  const template = parseTemplate(source, { locate: placeIn(source) });
  let lost: string | undefined;
  const digitsLost = (literal: string): void => void (lost ??= literal);
  const value = evaluate(template, { lookup }, { ...world, digitsLost });
  const digits = lost === undefined ? {} : { digits_lost: lost };
  if (template.kind === 'text') return { text: value as string, ...digits };
  return value === undefined ? { value: null, undefined: true, ...digits } : { value, ...digits };
}

/** Here the template is the document. */
function placeIn(source: string): (offset: number) => [number, number] {
  return (offset) => {
    const before = source.slice(0, offset);
    return [before.split('\n').length, offset - before.lastIndexOf('\n')];
  };
}

function refusal(error: unknown): RenderAnswer {
  if (!(error instanceof TemplateError)) return { error: messageOf(error) };
  const { message, code, at } = error;
  return { error: message, code, ...(at && { at }), snippet: formatTemplateError(error) };
}
