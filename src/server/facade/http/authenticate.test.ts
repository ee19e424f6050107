import { type Request } from 'express';
import { openFor } from './authenticate';

const ask = (method: string, headers: Record<string, string>): Promise<string> => {
  const given: Record<string, string> = { host: '127.0.0.1:8082', ...headers };
  const request = { method, get: (name: string) => given[name] } as unknown as Request;
  return Promise.resolve()
    .then(() => openFor([])(request, 'read'))
    .then(
      ({ name }) => name,
      (error: { code: string }) => error.code,
    );
};
const NAVIGATES = { 'sec-fetch-mode': 'navigate' };

test.each<[string, string, Record<string, string>, string]>([
  ['a program', 'POST', {}, 'local'],
  ['its own page', 'POST', { 'sec-fetch-site': 'same-origin' }, 'local'],
  ['an address that a person types', 'GET', { 'sec-fetch-site': 'none', ...NAVIGATES }, 'local'],
  ['a link that a person follows', 'GET', { 'sec-fetch-site': 'cross-site', ...NAVIGATES }, 'local'],
  [
    'an image of another site',
    'GET',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    'ORIGIN_REFUSED',
  ],
  [
    'an image of this machine',
    'GET',
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    'ORIGIN_REFUSED',
  ],
  ['a form of another site', 'POST', { 'sec-fetch-site': 'cross-site', ...NAVIGATES }, 'ORIGIN_REFUSED'],
])('%s', async (_, method, headers, answer) => {
  expect(await ask(method, headers)).toBe(answer);
});
