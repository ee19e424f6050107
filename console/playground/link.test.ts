import { deflateRawSync } from 'node:zlib';
import { linkOf, MAX_TEXT, textsOfLink } from './link';
import { type PlaygroundTexts } from './protocol';

const TEXTS: PlaygroundTexts = {
  playbook: 'kind: Playbook # ünïcödé 🚀\n"\\u0000"',
  rehearsals: 'playbook: ./a.yaml\n',
  faults: '',
};
const linked = (value: unknown): string =>
  `#v1.${deflateRawSync(JSON.stringify(value)).toString('base64url')}`;

test('a link has what was written', async () => {
  const link = await linkOf(TEXTS);
  expect(link).toMatch(/^v1\.[\w-]+$/);
  expect(await textsOfLink(`#${link}`)).toEqual(TEXTS);
});

test('any implementation of deflate reads and writes it', async () => {
  const { playbook, rehearsals, faults } = TEXTS;
  expect(await textsOfLink(linked([playbook, rehearsals, faults]))).toEqual(TEXTS);
});

test.each([
  [
    'random text',
    () => Array.from({ length: 60_000 }, (_, i) => ((i * 7919) ** 2 % 99991).toString(36)).join(''),
  ],
  ['much text', () => 'x'.repeat(MAX_TEXT + 1)],
])('of %s there is no link', async (_, playbook) => {
  await expect(linkOf({ ...TEXTS, playbook: playbook() })).rejects.toMatchObject({ code: 'LINK_TOO_LONG' });
});

test('a short link that stands for a long text is left before it is unpacked', async () => {
  const bomb = linked(['x'.repeat(20_000_000), '', '']);
  expect(bomb.length).toBeLessThan(30_000);
  await expect(textsOfLink(bomb)).rejects.toMatchObject({ code: 'LINK_TOO_LONG' });
  await expect(textsOfLink(`#v1.${'A'.repeat(1_000_000)}`)).rejects.toMatchObject({ code: 'LINK_TOO_LONG' });
});

test.each([
  ['another version', '#v9.AAAA'],
  ['a heading', '#rules'],
  ['a part of a link', linked(['a', 'b', 'c']).slice(0, -4)],
  ['no base64', '#v1.%%%'],
  ['other things than texts', linked([1, 2, 3])],
  ['an object', linked({ playbook: 'x' })],
])('%s is refused', async (_, fragment) => {
  await expect(textsOfLink(fragment)).rejects.toMatchObject({ code: 'NOT_A_LINK' });
});
