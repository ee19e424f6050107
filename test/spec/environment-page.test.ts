/** docs/reference/environment.md has every variable that the code reads, and no other. */
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from '../support/process';

const PAGE = fs.readFileSync(path.join(ROOT, 'docs', 'reference', 'environment.md'), 'utf8');
/** Streams of NATS, and one of the names that `NOETL_CREDENTIAL_<NAME>` stands for. */
const OTHERS =
  /^NOETL_(EVENTS|LINEAGE|CREDENTIAL_PG_LOCAL)$|^TEMPORAL_(?!ADDRESS$|NAMESPACE$|API_KEY$|TLS|CONFIG_FILE$|PROFILE$|GRPC_META|UI_ADDRESS$)|_INVALID$|_MISSING$/;

/** Whose names the code puts together. */
const COMPOSED = ['NOETL_EXECUTION_ID', 'NOETL_IDEMPOTENCY_KEY'];

function read(): Set<string> {
  const names = new Set<string>();
  for (const folder of ['src', 'activities', 'workflows'])
    for (const file of fs.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.ts$/.test(file) || /\.test\.ts$|(^|\/)(test|stand-ins|fixtures)\//.test(file)) continue;
      const text = fs.readFileSync(path.join(ROOT, folder, file), 'utf8');
      for (const [, name] of text.matchAll(
        /(?:\benv\??\.|\[?'|\b)((?:NOETL|TEMPORAL)_[A-Z_]*[A-Z])(?='|\b)/g,
      ))
        if (text.includes(`env.${name}`) || text.includes(`'${name}'`) || text.includes(`${name}: {`))
          if (!OTHERS.test(name!)) names.add(name!);
    }
  return names;
}

test('every variable that is read is described, and the other way round', () => {
  const described = new Set(
    [...PAGE.matchAll(/`((?:NOETL|TEMPORAL)_[A-Z_]*[A-Z])`/g)].map(([, name]) => name!),
  );
  const used = read();
  expect([...used].filter((name) => !described.has(name)).sort()).toEqual([]);
  expect([...described].filter((name) => !used.has(name) && !COMPOSED.includes(name)).sort()).toEqual([]);
});
