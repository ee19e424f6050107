import { hasTemplateSyntax, parseTemplate, references } from '../../template';
import { type Edit, type FixSite, type Remedy } from '../diagnostics/diagnostic';
import { asMap, child, entry, type MapEntry, type MapNode } from '../yaml/node';
import { nestedText } from './nest';
import { contentEnd, isFlow, removal } from './text';

const KNOBS = new Set(['max_attempts', 'initial_delay', 'backoff_multiplier', 'max_delay', 'retry_when']);
const BACKOFF: Readonly<Record<string, string>> = { 1: 'none', 2: 'exponential' };

/** A `retry` mapping that repeats on failure becomes rules of the tool. */
export const retryRules: Remedy = {
  what: '`retry` → `spec.policy.rules`',
  hint: 'write rules: `tool.spec.policy.rules: [{when: "{{ … }}", then: {do: retry, attempts: 3}}]`; pages are fetched with `do: jump`',
  edits: asRules,
  reshapes: true,
};

function asRules({ text, path: [here, around] }: FixSite): Edit[] | undefined {
  if (here === undefined || around === undefined) return undefined;
  const { map: owner, entry: retry } = here;
  const step = entry(owner, 'step') === undefined ? around.map : owner;
  const tool = asMap(child(step, 'tool'));
  if (tool === undefined || (owner !== step && owner !== tool)) return undefined;
  return isFlow(text, tool) || isFlow(text, step) ? undefined : moved(text, owner, tool, retry);
}

function moved(text: string, owner: MapNode, tool: MapNode, retry: MapEntry): Edit[] | undefined {
  const lines = rulesOf(text, retry);
  const deletions = removal(text, owner, retry);
  if (lines === undefined || deletions === undefined) return undefined;
  const added = nestedText(
    text,
    tool,
    ['spec', 'policy'],
    ['rules:', ...lines.map((line) => `  ${line}`)],
    retry,
  );
  return added && [added, ...deletions];
}

/** The equivalent rules; undefined if there are none. */
function rulesOf(text: string, retry: MapEntry): string[] | undefined {
  const map = asMap(retry.value);
  if (map === undefined || /#/.test(text.slice(retry.at.end, contentEnd(text, retry)))) return undefined;
  if (map.entries.some(({ key, value }) => !KNOBS.has(key) || value.kind !== 'scalar')) return undefined;
  const raw = (key: string): string | undefined => {
    const node = child(map, key);
    return node === undefined ? undefined : text.slice(node.start, node.end).trim();
  };
  const attempts = raw('max_attempts');
  const delay = raw('initial_delay');
  const backoff = BACKOFF[String(Number(raw('backoff_multiplier')))];
  if (attempts === undefined || delay === undefined || backoff === undefined) return undefined;
  const most = raw('max_delay');
  const limit = most === undefined ? '' : `, max_delay: ${most}`;
  const then = `then: { do: retry, attempts: ${attempts}, backoff: ${backoff}, delay: ${delay}${limit} }`;
  const failed = `- when: "{{ output.status == 'error' }}"`;
  const when = entry(map, 'retry_when');
  if (when === undefined) return [failed, `  ${then}`];
  const condition = conditionOf(text, when);
  if (condition === undefined) return undefined;
  return [`- when: ${condition}`, `  ${then}`, failed, '  then: { do: fail }'];
}

/** The condition with the names of rules; undefined if it uses more than the response status. */
function conditionOf(text: string, when: MapEntry): string | undefined {
  const { value } = when;
  if (value.kind !== 'scalar' || typeof value.value !== 'string' || !hasTemplateSyntax(value.value))
    return undefined;
  const raw = text.slice(value.start, value.end).trim();
  if (raw.includes('\n')) return undefined;
  try {
    const names = references(parseTemplate(value.value)).filter(({ kind }) => kind === 'name');
    if (!names.every(({ root }) => root === 'status_code' || root === 'workload')) return undefined;
  } catch {
    return undefined;
  }
  return raw.replace(/(?<![.\w])status_code\b/g, 'output.status_code');
}
