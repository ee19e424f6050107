import fs from 'node:fs';
import path from 'node:path';

import { type DiagnosticCode, type CodeEntry, CODES } from './diagnostics/codes';
import { EXAMPLES } from '../../../test/support/diagnostics/examples';
import { KINDS, TASK_FIELDS } from './kinds';
import { playbookSchema } from './schema/json-schema';

/** The pages under docs/reference generated from the compiler's tables, by file name. */
const REFERENCE_PAGES: Readonly<Record<string, () => string>> = {
  'diagnostics.md': diagnosticsPage,
  'tools.md': toolsPage,
  'playbook.schema.json': () => `${JSON.stringify(playbookSchema(), null, 2)}\n`,
};

const FAMILIES: Readonly<Record<string, string>> = {
  NT1: 'Syntax',
  NT2: 'Structure',
  NT3: 'References',
  NT4: 'Expressions',
  NT5: 'Deprecations',
  NT6: 'The graph of steps',
  NT7: 'Rehearsals',
};

const GENERATED =
  '<!-- Made from src/language/dsl by `UPDATE_REFERENCE=1 npx jest src/language/dsl/reference.test.ts --selectProjects unit`; do not edit. -->';

function diagnosticsPage(): string {
  const sections = Object.entries(FAMILIES).map(([family, title]) => {
    const codes = (Object.keys(CODES) as DiagnosticCode[]).filter((code) => code.startsWith(family));
    return [`## ${title} (${family}xxx)`, ...codes.map(codeSection)].join('\n\n');
  });
  const intro =
    'Every problem that `noetl-temporal validate` (NT7: `noetl-temporal test`) can report. An error prevents the playbook from running; a warning is ' +
    'a likely mistake; an info is worth knowing. `--strict` turns deprecations, and the codes that say so, into errors. `‹` marks the location that the ' +
    'message refers to. `noetl-temporal help NT3003` prints the section of a code.';
  return [GENERATED, '# Diagnostics', intro, ...sections].join('\n\n') + '\n';
}

function codeSection(code: DiagnosticCode): string {
  const entry: CodeEntry = CODES[code];
  const example = EXAMPLES[code].shown.trimEnd();
  return `<a id="${code.toLowerCase()}"></a>\n\n### ${code} ${entry.title} (${entry.severity}${entry.strict ? ', an error with `--strict`' : ''})\n\n${entry.explanation}\n\n\`\`\`text\n${example}\n\`\`\``;
}

function toolsPage(): string {
  const intro = 'The fields of `tool`. Every kind accepts the common fields, and its own.';
  const kinds = Object.entries(KINDS).map(([name, kind]) => {
    const needs = kind.required
      .map((group) => `needs ${group.map((field) => `\`${field}\``).join(' or ')}`)
      .join('; ');
    const table = Object.keys(kind.fields).length === 0 ? [] : [fieldTable(kind.fields)];
    return [`## ${name}`, `${kind.doc}${needs === '' ? '' : ` It ${needs}.`}`, ...table].join('\n\n');
  });
  return (
    [GENERATED, '# Tools', intro, '## Common fields', fieldTable(TASK_FIELDS), ...kinds].join('\n\n') + '\n'
  );
}

function fieldTable(fields: Readonly<Record<string, string>>): string {
  const rows = Object.entries(fields).map(
    ([field, doc]) => `| \`${field}\` | ${doc.replaceAll('|', '\\|')} |`,
  );
  return ['| field | |', '|---|---|', ...rows].join('\n');
}

const FOLDER = path.resolve(__dirname, '../../../docs/reference');

test.each(Object.keys(REFERENCE_PAGES))(
  'docs/reference/%s says what the compiler does (UPDATE_REFERENCE=1 writes it)',
  (name) => {
    const made = REFERENCE_PAGES[name]!();
    const file = path.join(FOLDER, name);
    if (process.env.UPDATE_REFERENCE === '1') {
      fs.mkdirSync(FOLDER, { recursive: true });
      fs.writeFileSync(file, made);
    }
    expect(fs.readFileSync(file, 'utf8')).toBe(made);
  },
);
