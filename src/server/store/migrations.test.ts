/** What a former release needs of the schema stays until nobody runs that release any more. */
import fs from 'node:fs';
import path from 'node:path';
import { contractingStatements } from '../../../test/support/contracting-statements';
import { isContracting } from './contracting';
import { migrations } from './migrate';

test('each migration has a number of its own, and all files are migrations', () => {
  const numbers = migrations().map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  const files = fs.readdirSync(path.join(__dirname, 'migrations'));
  expect(files).toHaveLength(numbers.length);
});

test.each(migrations().map(({ name, sql }) => [name, sql]))(
  '%s takes nothing away, or says since when nobody uses it',
  (_, sql) => {
    expect(isContracting(sql) ? [] : contractingStatements(sql)).toEqual([]);
  },
);

test.each([
  'DROP TABLE noetl.event;',
  'ALTER TABLE noetl.event DROP COLUMN ts;',
  'ALTER TABLE noetl.event\n  ADD COLUMN a TEXT,\n  DROP COLUMN b;',
  'ALTER TABLE noetl.event RENAME COLUMN ts TO at;',
  'ALTER TABLE noetl.event ALTER COLUMN ts TYPE DATE;',
  'ALTER TABLE noetl.event ALTER ts SET DATA TYPE DATE;',
  'ALTER TABLE noetl.event ALTER COLUMN ts SET NOT NULL;',
  'ALTER TABLE noetl.event ADD COLUMN a TEXT NOT NULL;',
  "ALTER TABLE noetl.event ADD COLUMN a TEXT NOT NULL, ADD COLUMN b TEXT DEFAULT 'x';",
  'ALTER TABLE noetl.event ADD CONSTRAINT one UNIQUE (ts);',
  'DELETE FROM noetl.event WHERE ts < now();',
])('%s would hurt a former release', (sql) => {
  expect(contractingStatements(`-- a comment\nCREATE TABLE noetl.x (id INT);\n${sql}`)).toHaveLength(1);
});

test.each([
  'CREATE TABLE noetl.x (id INT PRIMARY KEY, name TEXT NOT NULL, FOREIGN KEY (id) REFERENCES noetl.y);',
  'ALTER TABLE noetl.event ADD COLUMN a TEXT;',
  "ALTER TABLE noetl.event ADD COLUMN a TEXT NOT NULL DEFAULT '', ADD COLUMN b INT;",
  'ALTER TABLE noetl.event DROP CONSTRAINT kind_check;\nALTER TABLE noetl.event ADD CONSTRAINT kind_check CHECK (true);',
  'CREATE INDEX one ON noetl.event (ts); -- DROP TABLE noetl.event',
])('%s does not', (sql) => {
  expect(contractingStatements(sql)).toEqual([]);
});
