/** Whom `schedule` asks. */
import { asksFacade } from '.';

const FACADE = { NOETL_FACADE_URL: 'http://facade:8082' };
const TEMPORAL = { TEMPORAL_ADDRESS: 'temporal:7233' };

test.each([
  ['a named facade', { server: 'http://other' }, TEMPORAL, true],
  ['both named, which is refused later', { server: 'http://other', data: 'folder' }, {}, true],
  ['a data folder, whose Temporal it is', { data: 'folder' }, FACADE, false],
  ['the facade that register asks', {}, { ...TEMPORAL, ...FACADE }, true],
  ['the default facade, as register', {}, {}, true],
  ['Temporal, if only that is named', {}, TEMPORAL, false],
])('%s', (_what, flags, env, wanted) => {
  expect(asksFacade(flags, env)).toBe(wanted);
});
