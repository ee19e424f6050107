/** The examples of the playground: the playbooks of the repository, and those that pages of the language show. */
import fs from 'node:fs';
import path from 'node:path';

/** As docs/language says of its examples. */
const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: snippet }
workload: {items: [1, 2, 3], url: "https://example.com", limit: 2}
workflow:
`;
const FIRST = 'hello_world';

/** @returns groups of examples: { name, examples: { name, playbook, rehearsals }[] }[]; a name is there once */
export function examplesOf(root) {
  const playbooks = path.join(root, 'playbooks');
  const pages = path.join(root, 'docs', 'language');
  const top = playbooksIn(playbooks);
  top.sort((a, b) => Number(b.name === FIRST) - Number(a.name === FIRST));
  return [
    { name: 'Playbooks', examples: top },
    { name: 'Tools', examples: playbooksIn(path.join(playbooks, 'tools'), 'tools/') },
    ...fs
      .readdirSync(pages)
      .filter((file) => file.endsWith('.md') && file !== 'README.md')
      .map((file) => examplesOfPage(fs.readFileSync(path.join(pages, file), 'utf8'))),
  ].filter(({ examples }) => examples.length > 0);
}

function playbooksIn(folder, prefix = '') {
  return fs
    .readdirSync(folder)
    .filter((file) => /(?<!\.rehearsal)\.yaml$/.test(file))
    .map((file) => file.replace(/\.yaml$/, ''))
    .map((name) => {
      const rehearsals = path.join(folder, `${name}.rehearsal.yaml`);
      return {
        name: prefix + name,
        playbook: textOf(path.join(folder, `${name}.yaml`)),
        rehearsals: fs.existsSync(rehearsals) ? textOf(rehearsals) : '',
      };
    })
    .filter(({ playbook }) => /^kind: Playbook$/m.test(playbook));
}

/** Without the line that tells an editor where the schema is. */
function textOf(file) {
  return fs.readFileSync(file, 'utf8').replace(/^# yaml-language-server:.*\n/, '');
}

/** Each block is named after the heading above it. */
function examplesOfPage(text) {
  const title = /^# (.*)$/m.exec(text)[1];
  const blocks = /^```yaml\n([^]*?)^```$(?:\n\n```yaml rehearsal\n([^]*?)^```$)?/gm;
  const names = new Map();
  const examples = [...text.matchAll(blocks)].map(({ index, 1: yaml, 2: rehearsal }) => {
    const heading =
      text
        .slice(0, index)
        .match(/^##+ .*$/gm)
        ?.at(-1)
        ?.replace(/^#+ /, '') ?? title;
    const nth = (names.get(heading) ?? 0) + 1;
    names.set(heading, nth);
    return {
      name: `${title}: ${heading.replaceAll('`', '')}${nth > 1 ? ` (${nth})` : ''}`,
      playbook: yaml.startsWith('apiVersion') ? yaml : HEAD + yaml,
      rehearsals: rehearsal ? `playbook: ./playbook.yaml\n${rehearsal}` : '',
    };
  });
  return { name: `Language: ${title}`, examples };
}
