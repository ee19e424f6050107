/** What assistants can read beside calling tools: schema, guide, examples, playbooks, runs. */
import fs from 'node:fs';
import path from 'node:path';
import { playbookSchema } from '../../language/dsl';
import { CodedError } from '../../language/errors';
import { rehearsalSchema } from '../../offline/rehearsal';
import { docsFolder, pageNames, pageText } from './pages';
import { type AssistantReach } from './reach';
import { listedPlaybooks, selectedRuns } from './tools/executions';

const SCHEME = 'noetl://';
const YAML = 'application/yaml';
const JSON_TYPE = 'application/json';
const MARKDOWN = 'text/markdown';

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType: string;
}

/** Beside `docs`. */
function examplesFolder(): string {
  return path.resolve(docsFolder(), '../playbooks');
}

function exampleNames(): string[] {
  return fs
    .readdirSync(examplesFolder(), { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.yaml') && !name.includes('node_modules'))
    .sort();
}

export function listedResources(): ListedResource[] {
  return [
    {
      uri: `${SCHEME}guide`,
      name: 'guide',
      description: 'How playbooks are written: read this first',
      mimeType: MARKDOWN,
    },
    { uri: `${SCHEME}schema/playbook`, name: 'schema of playbooks', mimeType: JSON_TYPE },
    { uri: `${SCHEME}schema/rehearsal`, name: 'schema of rehearsals', mimeType: JSON_TYPE },
    ...exampleNames().map((name) => ({ uri: `${SCHEME}examples/${name}`, name, mimeType: YAML })),
  ];
}

export const RESOURCE_TEMPLATES = [
  { uriTemplate: `${SCHEME}docs/{+page}`, name: 'a page of the documentation', mimeType: MARKDOWN },
  { uriTemplate: `${SCHEME}playbooks/{+path}`, name: 'a playbook', mimeType: YAML },
  { uriTemplate: `${SCHEME}runs/{execution}`, name: 'how an execution stands or ended', mimeType: JSON_TYPE },
] as const;

/** What a variable of a resource or a prompt can be, by its name. */
const VALUES: Readonly<Record<string, (reach: AssistantReach) => Promise<readonly string[]>>> = {
  page: () => Promise.resolve(pageNames()),
  path: async (reach) => ((await listedPlaybooks(reach)) as { path: string }[]).map(({ path: each }) => each),
  execution: async (reach) => (await selectedRuns(reach, {}, 100)).map(({ execution_id }) => execution_id),
};
/** More are not told. */
const MOST_VALUES = 100;

/** Those that contain what is typed; none of what cannot be reached. */
export async function completedValues(
  name: string,
  typed: string,
  reach: AssistantReach,
): Promise<{ readonly values: string[]; readonly total: number; readonly hasMore: boolean }> {
  const all = Object.hasOwn(VALUES, name) ? await VALUES[name]!(reach).catch(() => []) : [];
  const values = all.filter((each) => each.toLowerCase().includes(typed.toLowerCase()));
  return { values: values.slice(0, MOST_VALUES), total: values.length, hasMore: values.length > MOST_VALUES };
}

type Reads = (name: string, reach: AssistantReach) => string | Promise<string>;

/** By the first word of the URI. */
const READS: Readonly<Record<string, readonly [mimeType: string, read: Reads]>> = {
  guide: [MARKDOWN, () => pageText('guide-for-models.md')],
  docs: [MARKDOWN, (page) => pageText(page)],
  examples: [YAML, (name) => example(name)],
  schema: [
    JSON_TYPE,
    (name, { kinds }) => JSON.stringify(name === 'rehearsal' ? rehearsalSchema() : playbookSchema(kinds)),
  ],
  playbooks: [YAML, async (name, reach) => (await reach.playbook(name)).text],
  runs: [
    JSON_TYPE,
    async (id, reach) =>
      JSON.stringify(await reach.ask(`/api/executions/${encodeURIComponent(id)}/progress`)),
  ],
};

/** @throws CodedError `NO_SUCH_RESOURCE`, and what reading says */
export async function readResourceAt(
  uri: string,
  reach: AssistantReach,
): Promise<{ readonly mimeType: string; readonly text: string }> {
  const [, word = '', name = ''] = /^noetl:\/\/([a-z]+)(?:\/(.+))?$/.exec(uri) ?? [];
  const entry = Object.hasOwn(READS, word) ? READS[word] : undefined;
  if (!entry) throw noResource(uri);
  const [mimeType, read] = entry;
  return { mimeType, text: await read(decodeURIComponent(name), reach) };
}

function example(name: string): string {
  if (!exampleNames().includes(name)) throw noResource(`${SCHEME}examples/${name}`);
  return fs.readFileSync(path.join(examplesFolder(), name), 'utf8');
}

function noResource(uri: string): CodedError {
  return new CodedError('NO_SUCH_RESOURCE', `there is no resource ${uri}`, {
    hint: [`Pages: ${pageNames().slice(0, 60).join(', ')}.`],
  });
}
