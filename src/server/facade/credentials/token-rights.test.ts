import { whyRefused } from './token-rights';

const why = (limits: { credentials?: string[]; kinds?: string[] }, name: string, type?: string) =>
  whyRefused({ name: 'w', limits }, { name, ...(type !== undefined && { type }) });

test.each([
  [{}, 'any', 'postgres'],
  [{ credentials: ['pg_*'] }, 'pg_main', 'postgres'],
  [{ credentials: ['pg_*', 'git.hub'] }, 'git.hub', 'bearer'],
  [{ credentials: ['*'] }, 'line\nbreak', undefined],
  [{ kinds: ['postgres'] }, 'pg_main', 'PostgreSQL'],
  // Belongs to no single kind, or to nobody's knowledge.
  [{ kinds: ['http'] }, 'login', 'oauth2'],
  [{ kinds: ['http'] }, 'odd', 'mainframe'],
  [{ kinds: ['http'] }, 'entry', undefined],
])('%j may read %s of type %s', (limits, name, type) => {
  expect(why(limits, name, type)).toBeUndefined();
});

test.each([
  [
    { credentials: ['pg_*'] },
    'my_pg_main',
    'postgres',
    /limited to credentials called pg_\*, and 'my_pg_main'/,
  ],
  [{ credentials: ['git.hub'] }, 'gitxhub', 'bearer', /limited to credentials/],
  [{ kinds: ['http'] }, 'pg_main', 'postgres', /limited to the kinds http, .* postgres/],
  [{ credentials: ['pg_*'], kinds: ['http'] }, 'pg_main', 'postgres', /limited to the kinds/],
])('%j may not read %s of type %s', (limits, name, type, message) => {
  expect(why(limits, name, type)).toMatch(message);
});
