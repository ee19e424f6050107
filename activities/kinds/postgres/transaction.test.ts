import { splitStatements } from '../../framework/sql/split';
import { forbidsTransaction } from './transaction';

const forbids = (sql: string): boolean => splitStatements(sql).some(forbidsTransaction);

test.each([
  'vacuum full t',
  '-- note\nvacuum',
  '/* a */ create database x',
  'drop database if exists x',
  'create unique index concurrently i on t (a)',
  'drop index concurrently i',
  'reindex (verbose) table concurrently t',
  'reindex database x',
  'refresh materialized view concurrently v',
  'alter system set a = 1',
  'call p()',
  'begin',
  'commit',
  'start transaction',
  'rollback',
])('%s forbids a transaction', (sql) => {
  expect(forbids(sql)).toBe(true);
});

test.each([
  'select 1',
  'create index i on t (a)',
  "insert into t values ('vacuum; begin')",
  'create table beginning (a int)',
  'rollback to savepoint a',
  'savepoint a',
  'update t set concurrently = 1',
  'truncate t',
])('%s does not', (sql) => {
  expect(forbids(sql)).toBe(false);
});
