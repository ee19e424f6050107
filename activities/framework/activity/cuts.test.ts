/** Texts that tools cut before the outcome is redacted, by real programs: nothing of a secret is left at a cut. */
import { type Outcome, secretHandle } from '../../../src/language/plan';
import { usePython } from '../../../test/support/python-tool';
import { call, context } from '../../../test/support/tool-call';
import { shell } from '../../kinds/shell/run';
import { type Tool } from '../tool/tool';
import { runHidden } from './activity';

const SECRET = 'Qz7PlainCanary8xK2LmN0';
const ID = 'c'.repeat(32);
const python = usePython();

beforeAll(() => void (process.env['NOETL_SECRET_CUTS'] = SECRET));
afterAll(() => delete process.env['NOETL_SECRET_CUTS']);

function run(tool: Tool, config: object, input = {}): Promise<Outcome> {
  const secrets = { [ID]: { ref: { provider: 'environment', secret: 'cuts' } } };
  const task = call(tool.kind, { ...config } as never, { secrets, input });
  return runHidden(tool, task, context(), new AbortController().signal);
}
const inShell = (code: string): Promise<Outcome> => {
  const script = `python3 -c "import base64,os,sys;p=os.environ['P'];${code}"; exit 3`;
  return run(shell, { env: { P: secretHandle(ID) }, cmds: script });
};
const inPython = (code: string): Promise<Outcome> => run(python.tool, { code }, { p: secretHandle(ID) });

/** Parts of six characters. */
const PARTS = Array.from({ length: SECRET.length - 5 }, (_, at) => SECRET.slice(at, at + 6));
const partsIn = (outcome: Outcome): string[] =>
  PARTS.filter((part) => JSON.stringify(outcome).includes(part));

test.each([1, 6, 11, 16, 21])('with %d characters before the cut', async (before) => {
  const outcomes = await Promise.all([
    inShell(`sys.stderr.write('y'*${500 - before}+p+chr(10))`),
    inShell(`sys.stderr.write('y'*300000+p+'z'*${262_144 - 22 + before})`),
    inShell(`sys.stdout.write('y'*300000+p+'z'*${262_144 - 22 + before})`),
    inShell(`sys.stdout.write('y'*300000+'\\n'+p+'\\n'+p+'z'*${262_144 - 22 + before})`),
    inPython(`raise ValueError('q'*${8192 - 12 - before}+p)`),
    inPython(`raise ValueError('q'*40000+p+'w'*(16384-2048-${22 - before}))`),
    inPython(`raise ValueError('q'*(2048-35-${before})+p+'w'*40000)`),
    inPython(`print('y'*300000+p+'z'*(65536-${22 - before}))`),
    inPython(`import sys\nsys.stderr.write('y'*300000+p+'z'*(65536-${22 - before}))\nresult = 1`),
  ]);
  expect(outcomes.map(partsIn)).toEqual(outcomes.map(() => []));
  // The cuts were where they should be: something was dropped, or hidden.
  for (const outcome of outcomes) expect(JSON.stringify(outcome)).toMatch(/redacted|dropped|…/);
});
