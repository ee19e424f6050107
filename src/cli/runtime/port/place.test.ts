/** Whom a command asks: one rule for all of them. */
import { facadeNamed, facadeOrTemporal, USUAL_FACADE } from '.';

const FACADE = { NOETL_FACADE_URL: 'http://facade:8082' };
const TEMPORAL = { TEMPORAL_ADDRESS: 'temporal:7233' };

test.each([
  ['a named facade', { server: 'http://other' }, { ...TEMPORAL, ...FACADE }, 'http://other'],
  ['the facade of the environment', {}, { ...TEMPORAL, ...FACADE }, FACADE.NOETL_FACADE_URL],
  ['a data folder, whose Temporal it is', { data: 'folder' }, FACADE, undefined],
  ['a storage of this machine', { storage: 'file:///tmp/x' }, FACADE, undefined],
  ['a named database', { database: 'postgres://x' }, FACADE, undefined],
  ['this process, if no facade is named', {}, TEMPORAL, undefined],
])('an execution is asked of %s', (_what, flags, env, wanted) => {
  expect(facadeNamed(flags, env)).toBe(wanted);
  if (wanted !== undefined) expect(facadeOrTemporal(flags, env)).toBe(wanted);
});

test.each([
  ['a data folder, whose Temporal it is', { data: 'folder' }, FACADE, undefined],
  ['the default facade, as register', {}, {}, USUAL_FACADE],
  ['Temporal, if only that is named', {}, TEMPORAL, undefined],
])('a schedule is asked of %s', (_what, flags, env, wanted) => {
  expect(facadeOrTemporal(flags, env)).toBe(wanted);
});

test('a facade and a place of this machine exclude each other', () => {
  expect(() => facadeNamed({ server: 'http://other', data: 'folder' }, {})).toThrow(
    /--data applies to this machine/,
  );
});
