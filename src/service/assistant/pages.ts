/** The pages of the documentation, as Markdown beside the package: sections that fit a question. */
import fs from 'node:fs';
import path from 'node:path';
import { CodedError } from '../../language/errors';

/** A heading and what stands below it, up to the next heading. */
export interface PageSection {
  /** Below `docs`. */
  readonly page: string;
  /** Headings, the outermost first: `Proving a change › Verify`. */
  readonly title: string;
  readonly text: string;
}

/** Characters of a section in a list. */
const SHOWN = 1_800;
/** For people who change the code. */
const NOT_FOR_AUTHORS = /^(design|images|reference\/(conformance|events))(\/|\.|$)/;

let sections: readonly PageSection[] | undefined;

/** The folder of the pages, beside `src` and beside `dist`. */
export function docsFolder(): string {
  let folder = __dirname;
  while (!fs.existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return path.join(folder, 'docs');
}

export function pageNames(): string[] {
  return fs
    .readdirSync(docsFolder(), { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.md') && !NOT_FOR_AUTHORS.test(name))
    .sort();
}

/** @throws CodedError `NO_SUCH_PAGE` */
export function pageText(page: string, section?: string): string {
  if (!pageNames().includes(page))
    throw new CodedError('NO_SUCH_PAGE', `there is no page ${page}`, {
      hint: [`Pages: ${pageNames().join(', ')}.`],
    });
  const text = fs.readFileSync(path.join(docsFolder(), page), 'utf8');
  if (section === undefined) return text;
  const all = sectionsOf(page, text);
  const words = section.toLowerCase();
  const chosen = all.filter(({ title }) => title.toLowerCase().includes(words));
  if (chosen.length > 0) return chosen.map((one) => one.text).join('\n\n');
  const titles = all.map(({ title }) => title).join('; ');
  throw new CodedError('NO_SUCH_PAGE', `${page} has no section ${section}`, {
    hint: [`Sections: ${titles}.`],
  });
}

/** The best first: words in headings count more, rare words more than common ones. */
export function searchPages(query: string, most: number): readonly PageSection[] {
  sections ??= pageNames().flatMap((page) =>
    sectionsOf(page, fs.readFileSync(path.join(docsFolder(), page), 'utf8')),
  );
  const words = [...new Set(wordsIn(query))];
  const counts = new Map(words.map((word) => [word, 1]));
  const bags = sections.map((one) => {
    const bag = new Map<string, number>();
    const add = (text: string, weight: number): void => {
      for (const word of wordsIn(text)) if (counts.has(word)) bag.set(word, (bag.get(word) ?? 0) + weight);
    };
    add(one.text, 1);
    add(`${one.title} ${one.page}`, 6);
    for (const word of bag.keys()) counts.set(word, counts.get(word)! + 1);
    return { one, bag, length: one.text.length };
  });
  const total = sections.length;
  const scored = bags.map(({ one, bag, length }) => {
    let score = 0;
    for (const [word, count] of bag)
      score += Math.log(1 + total / counts.get(word)!) * (count / (count + 0.5 + length / 2_000));
    return { one, score: score * (bag.size / words.length) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ one }) => (one.text.length <= SHOWN ? one : { ...one, text: `${one.text.slice(0, SHOWN)}…` }));
}

function wordsIn(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\d_]{2,}/gu) ?? []).map((word) =>
    word.replace(/(?<=\w{3})(ing|ed|es|s)$/, ''),
  );
}

function sectionsOf(page: string, text: string): PageSection[] {
  const parts: PageSection[] = [];
  const titles: string[] = [];
  let lines: string[] = [];
  let isCode = false;
  const end = (): void => {
    const body = lines.join('\n').trim();
    if (body !== '') parts.push({ page, title: titles.filter(Boolean).join(' › '), text: body });
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (/^(```|~~~)/.test(line.trimStart())) isCode = !isCode;
    const heading = isCode ? null : /^(#{1,6}) (.*)$/.exec(line);
    if (heading) {
      end();
      titles.length = heading[1]!.length - 1;
      titles[heading[1]!.length - 1] = heading[2]!;
    }
    lines.push(line);
  }
  end();
  return parts;
}
