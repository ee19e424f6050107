/** The bundle of the workflows is published: nothing in it is of the machine that built it. */
import fs from 'node:fs';
import path from 'node:path';
import { loadWorkflowBundle } from './bundle';

test('its source map names sources from the repository on', async () => {
  const { workflowBundle } = await loadWorkflowBundle();
  const code = fs.readFileSync(workflowBundle.codePath, 'utf8');
  const map = /sourceMappingURL=data:[^,]*base64,(\S+)/.exec(code)![1]!;
  const decoded = Buffer.from(map, 'base64').toString();
  const { sources } = JSON.parse(decoded) as { sources: string[] };
  expect(sources.filter((source) => path.isAbsolute(source) || source.includes('..'))).toEqual([]);
  expect(sources).toContain('workflows/playbook.ts');
  const root = path.resolve(__dirname, '../../..');
  expect(code.includes(root) || decoded.includes(root)).toBe(false);
});
