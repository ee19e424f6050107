/** Drafts of several tabs on one storage: none is overwritten, none is lost. */
import { DraftOfTab } from './drafts';

/** What browsers call `Storage`. */
function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

let time = 0;
beforeEach(() => {
  jest.spyOn(Date, 'now').mockImplementation(() => (time += 1));
});
afterEach(() => jest.restoreAllMocks());

let tabs = 0;
const open = (on: Storage, given = 'registered', path = 'a/b'): DraftOfTab =>
  new DraftOfTab(on, { path, tab: `tab${(tabs += 1)}` }, given);
const texts = (on: Storage): string[] =>
  Array.from(
    { length: on.length },
    (_, index) => (JSON.parse(on.getItem(on.key(index)!)!) as { text: string }).text,
  );

test('two tabs that write one playbook keep what each wrote', () => {
  const on = storage();
  const [one, other] = [open(on), open(on)];
  one.write('of one');
  other.write('of the other');
  one.write('of one, longer');
  expect(texts(on).sort()).toEqual(['of one, longer', 'of the other']);
  expect([one.text, one.others.map(({ text }) => text)]).toEqual(['of one, longer', ['of the other']]);
  expect(other.others.map(({ text }) => text)).toEqual(['of one, longer']);
});

test('a tab that shows the text of another goes on with it, and keeps its own', () => {
  const on = storage();
  const [one, other] = [open(on), open(on)];
  one.write('of one');
  other.write('of the other');
  one.showOther();
  expect([one.text, one.isRestored]).toEqual(['of the other', true]);
  one.write('of both');
  expect(texts(on).sort()).toEqual(['of both', 'of one']);
  // The other tab still has its text, and it is stored again with the next letter.
  other.write('of the other!');
  expect(texts(on).sort()).toEqual(['of both', 'of one', 'of the other!']);
  const shown = [1, 2, 3, 4].map(() => {
    one.showOther();
    return one.text;
  });
  expect(shown).toEqual(['of the other!', 'of both', 'of one', 'of the other!']);
});

test('a page that is opened again has what was written last; what is discarded or registered goes, and nothing else', () => {
  const on = storage();
  open(on).write('of one');
  open(on, 'registered', 'a/other').write('of another playbook');
  const again = open(on);
  expect([again.text, again.isRestored, again.over]).toEqual(['of one', true, 'registered']);
  again.write('of one, and more');
  expect(texts(on).sort()).toEqual(['of another playbook', 'of one, and more']);
  const stale = open(on, 'a newer version');
  expect([stale.text, stale.over]).toEqual(['of one, and more', 'registered']);
  stale.discard();
  expect([stale.text, texts(on)]).toEqual(['a newer version', ['of another playbook']]);
});

test('a draft with which another tab has gone on is not taken from it', () => {
  const on = storage();
  const one = open(on);
  one.write('of one');
  const other = open(on);
  one.write('of one, longer');
  other.write('of one, otherwise');
  expect(texts(on).sort()).toEqual(['of one, longer', 'of one, otherwise']);
  other.discard();
  expect(texts(on)).toEqual(['of one, longer']);
});

test('a text that is the registered one again is no draft', () => {
  const on = storage();
  const one = open(on);
  one.write('x');
  one.write('registered');
  expect(texts(on)).toEqual([]);
  expect(open(on).isRestored).toBe(false);
});

test('a browser that stores nothing shows what is given', () => {
  const fails = (): never => {
    throw new Error('denied');
  };
  const on = { key: fails, getItem: fails, setItem: fails, removeItem: fails, clear: fails, length: 1 };
  const one = open(on);
  one.write('x');
  expect([one.text, one.others]).toEqual(['x', []]);
});
