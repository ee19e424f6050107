import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../compile';
import { graphOf } from './graph';
import { mermaidOf } from './mermaid';

const FOLDER = path.resolve(__dirname, '../../../../playbooks');
const PAGE = path.join(FOLDER, 'README.md');

/** Playbooks; a rehearsal has two dots in its name. */
const EXAMPLES = fs.readdirSync(FOLDER).filter((name) => /^[^.]+\.yaml$/.test(name));

/** Each example has its section in playbooks/README.md: what it shows, how to run it, its graph. */
test.each(EXAMPLES)('playbooks/README.md shows %s as it is (UPDATE_REFERENCE=1 writes the graph)', (name) => {
  const { plan } = compile(fs.readFileSync(path.join(FOLDER, name), 'utf8'));
  const page = fs.readFileSync(PAGE, 'utf8');
  const place = new RegExp(`(?<=<!-- noetl:graph ${name} -->\n)[^]*?(?=<!-- /noetl:graph -->)`);
  expect(page).toMatch(place);
  const made = page.replace(
    place,
    () => `\n\`\`\`mermaid\n${mermaidOf(graphOf(plan!)).trimEnd()}\n\`\`\`\n\n`,
  );
  if (process.env.UPDATE_REFERENCE === '1') fs.writeFileSync(PAGE, made);
  expect(fs.readFileSync(PAGE, 'utf8')).toBe(made);
  const section = made.slice(made.indexOf(`## ${name.replace('.yaml', '')}\n`));
  expect(section).toMatch(new RegExp(`^## [^]+?npm start -- run playbooks/${name}`));
});
