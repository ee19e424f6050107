import fs from 'node:fs';
import path from 'node:path';
import { openApiOf } from './http/openapi';
import { routesOf } from './routes';
import { type FacadeServices } from './services';

const FILE = path.resolve(__dirname, '../../../docs/reference/openapi.json');

/** Declarations ask nothing of what they are given until somebody asks a route. */
const nothing = {
  client: { options: {} },
  database: {},
  metrics: {},
  version: '',
} as unknown as FacadeServices;

test('docs/reference/openapi.json says what the facade serves (UPDATE_REFERENCE=1 writes it)', () => {
  const { version } = JSON.parse(
    fs.readFileSync(path.resolve(__dirname, '../../../package.json'), 'utf8'),
  ) as {
    version: string;
  };
  const made = `${JSON.stringify(openApiOf(routesOf(nothing), { version }), null, 2)}\n`;
  if (process.env.UPDATE_REFERENCE === '1') fs.writeFileSync(FILE, made);
  expect(fs.readFileSync(FILE, 'utf8')).toBe(made);
});

test('no two operations share an id, and each has a summary and an answer', () => {
  const { paths } = openApiOf(routesOf(nothing), { version: '1' }) as {
    paths: Record<string, Record<string, { operationId: string; summary: string; responses: object }>>;
  };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { summary, responses } of operations) {
    expect(summary).toMatch(/^\S/);
    expect(Object.keys(responses).length).toBeGreaterThan(0);
  }
});
