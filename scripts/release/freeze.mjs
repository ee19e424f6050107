// npm run release -- freeze
//   Records what the version in package.json promises (docs/compatibility.md): golden histories and the ids of their events, the
//   exported types, the OpenAPI document, the schemas of playbooks and rehearsals, the fields of documents that commands print, and names
//   that users rely on. Until the version
//   is tagged, each call records it anew; from then on it is law, and refused here.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** They write what is compared, `releases.test.ts` the record itself. */
const REFERENCES = [
  'src/language/dsl/reference.test.ts',
  'src/offline/rehearsal/reference.test.ts',
  'src/server/facade/reference.test.ts',
];

/**
 * @param root of the repository
 * @param version of package.json
 * @param fail makes the error of a release that cannot be
 */
export async function freeze(root, version, fail) {
  const tagged = execFileSync('git', ['tag', '--list', `v${version}`], { cwd: root, encoding: 'utf8' });
  if (tagged.trim() !== '') throw fail(`${version} is released: what it promised stays as it was recorded`);
  const at = (...names) => path.join(root, 'test', ...names);
  const run = (args, env = {}) => {
    const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } };
    const { status } = spawnSync(process.execPath, args, options);
    if (status !== 0) throw fail(`freeze: this failed, as it says above: node ${args.join(' ')}`);
  };
  const jest = (args, env) => run(['node_modules/jest/bin/jest.js', '--silent', ...args], env);

  run(['scripts/build.mjs', '--if-stale']);
  fs.rmSync(at('histories', version), { recursive: true, force: true });
  const api = spawn(process.execPath, ['playbooks/api/server.mjs'], { cwd: root, stdio: 'ignore' });
  try {
    run(['scripts/record-histories.mjs']);
  } finally {
    api.kill();
  }
  dropUnusedValues(at('histories'), at('stored-values', 'v0', 'ns', 'default', 'wi'));

  const paths = (files) => ['--selectProjects=unit', '--runTestsByPath', ...files];
  const served = (file) => ['--selectProjects=integration', '--forceExit', '--runTestsByPath', file];
  jest(paths(REFERENCES), { UPDATE_REFERENCE: '1' });
  fs.rmSync(at('releases', version), { recursive: true, force: true });
  // Tests go over the folders of releases: this one is filled by the first of them.
  fs.mkdirSync(at('releases', version));
  jest(served('test/integration/commands.test.ts'), { UPDATE_REFERENCE: '1' });
  jest(paths(['test/spec/releases.test.ts']), { UPDATE_REFERENCE: '1' });
  jest(served('test/integration/histories.test.ts'), { FREEZE_RELEASE: version });
  process.stdout.write(`recorded: test/releases/${version}, test/histories/${version}; commit them\n`);
}

/** Large values to which no recorded history refers any more. */
function dropUnusedValues(histories, values) {
  const texts = fs
    .readdirSync(histories)
    .map((release) => path.join(histories, release, 'stored_result.json'))
    .filter((file) => fs.existsSync(file))
    .map((file) => fs.readFileSync(file, 'utf8'));
  for (const execution of fs.readdirSync(values))
    if (!texts.some((text) => text.includes(execution)))
      fs.rmSync(path.join(values, execution), { recursive: true });
}
