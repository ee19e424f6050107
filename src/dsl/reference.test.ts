import fs from 'node:fs';
import path from 'node:path';
import { REFERENCE_PAGES } from './reference';

const FOLDER = path.resolve(__dirname, '../../docs/reference');

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
