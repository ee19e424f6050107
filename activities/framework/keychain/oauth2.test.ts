import { oauthEntryOf } from './oauth2';

test.each([
  [{ expires_in: 3600 }, {}, 3_600_000],
  [{ expires_in: '60' }, { ttl: '5m' }, 60_000],
  [{}, { ttl: '1h30m' }, 5_400_000],
  [{}, { ttl: 90 }, 90_000],
  [{}, {}, undefined],
  [{ expires_in: 0 }, {}, undefined],
])('a token of answer %j and entry %j lasts %p ms', (answer, config, expiresAt) => {
  const request = { entry: { name: 'api', kind: 'oauth2', config } } as unknown as Parameters<
    typeof oauthEntryOf
  >[0];
  expect(oauthEntryOf(request, { ...answer, token: 't' }, 'the test', 0).expiresAt).toBe(expiresAt);
});
