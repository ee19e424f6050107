import fs from 'node:fs';
import path from 'node:path';
import { schemaCommand } from './schema';

test('prints what docs/reference/playbook.schema.json holds', async () => {
  let printed = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text, done) => {
    printed += String(text);
    (done as unknown as () => void)();
    return true;
  });
  await schemaCommand().parseAsync([], { from: 'user' });
  write.mockRestore();
  const kept = path.resolve(__dirname, '../../../docs/reference/playbook.schema.json');
  expect(printed).toBe(fs.readFileSync(kept, 'utf8'));
});
