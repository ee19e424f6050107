/**
 * Real playbooks of the generations `current`, `v10` and `early`, read in place where they are there (present.ts), and
 * what is known of their runs. Each runs against a mock of its own and, if it stores
 * anything, a database of its own, so that all of them may run at the same time.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type Json, type JsonObject } from '../../src/language/plan';
import { startMockApi } from './mock-api';
import { playbooksOf } from './playbooks';
import { EXTRAS } from './present';
import { GENERATIONS, isBroken, realPlaybooks } from './real-playbooks';
import { type Ended, setCredential, type Stack } from './stack';

/** Where the expectations stand. */
const FOLDER = path.join(EXTRAS, 'conformance');

/** Observed for the generation `current`; its twins share the checks that stand in the files. */
export interface Expectation {
  readonly steps_executed: readonly string[];
  readonly ctx: JsonObject;
  readonly results_last_steps: Readonly<Record<string, Json>>;
}

export interface Case {
  readonly generation: (typeof GENERATIONS)[number];
  /** Below the generation's folder: the name it shares with its twins. */
  readonly file: string;
  readonly yaml: string;
  readonly expected: Expectation;
}

/** All cases but those that have to be refused, by generation and file; none on a machine without them. */
export function conformanceCases(): Case[] {
  const expectations = path.join(FOLDER, 'expectations.json');
  if (!fs.existsSync(expectations)) return [];
  const observed = JSON.parse(fs.readFileSync(expectations, 'utf8')) as Record<
    string,
    { expect: Expectation }
  >;
  return GENERATIONS.flatMap((generation) =>
    realPlaybooks(generation)
      .filter(({ name }) => !isBroken(name))
      .map(({ name, text }) => {
        const file = name.slice(generation.length + 1);
        return { generation, file, yaml: text, expected: observed[file]!.expect };
      }),
  );
}

/** `create_tables`, which the storing playbooks call and which is not among them. */
const TABLES = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: create_tables, path: create_tables}
workload: {pg_auth: pg_local}
workflow:
- step: start
  tool:
    kind: postgres
    auth: "{{ workload.pg_auth }}"
    command: |
      CREATE TABLE simple_test_flat (test_id TEXT PRIMARY KEY, test_name TEXT, test_value NUMERIC,
        storage_type TEXT, test_execution TEXT);
      CREATE TABLE simple_test_nested (test_id TEXT PRIMARY KEY, test_name TEXT, test_data JSONB,
        storage_type TEXT, test_execution TEXT);`;

export const subPlaybooks = playbooksOf({
  'fixtures/playbooks/save_storage_test/create_tables': TABLES,
  'tests/fixtures/playbooks/save_storage_test/create_tables': TABLES,
});

const CREDENTIAL = /\bpg_(k8s|local)\b/g;
const HOSTS =
  /https:\/\/(jsonplaceholder\.typicode\.com|httpbin\.org|api\.open-meteo\.com)|http:\/\/(paginated-api\.test-server\.svc\.cluster\.local:5555|noetl-server-rust\.noetl\.svc\.cluster\.local:8082)/g;

export interface CaseRun {
  readonly ended: Ended;
  /** URL of the database that its credentials name; absent for a case without any. */
  readonly database?: string;
}

/** Runs a case to its end: hosts become its mock, credentials its database. */
export async function runCase(stack: Stack, { generation, file, yaml }: Case): Promise<CaseRun> {
  const api = await startMockApi();
  try {
    const name = `${generation}_${file}`.replace(/\W+/g, '_').toLowerCase();
    const database = yaml.search(CREDENTIAL) < 0 ? undefined : await stack.postgres.createDatabase(name);
    if (database !== undefined) setCredential(name, database);
    const text = yaml.replaceAll(HOSTS, api.url).replaceAll(CREDENTIAL, name);
    const payload: JsonObject = file.startsWith('retry_test/http') ? { test_url: `${api.url}/get` } : {};
    return { ended: await stack.run(stack.compile(text, file), payload), database };
  } finally {
    await api.close();
  }
}

/** Works on all keys in order, `width` at once; each has its own result to wait for. */
export function pooled<Key, Result>(
  keys: readonly Key[],
  width: number,
  work: (key: Key) => Promise<Result>,
): Map<Key, Promise<Result>> {
  const waiting: (() => void)[] = [];
  const results = keys.map((key): [Key, Promise<Result>] => {
    const turn = new Promise<void>((resolve) => waiting.push(resolve));
    const result = turn.then(() => work(key)).finally(() => waiting.shift()?.());
    // Whoever waits for the key hears of its failure, later.
    result.catch(() => undefined);
    return [key, result];
  });
  for (const begin of waiting.splice(0, width)) begin();
  return new Map(results);
}
