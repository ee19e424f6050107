import { PassThrough } from 'node:stream';
import { renderLines } from '../offline/render';
import { renderCommand } from './render';

async function lines(...requests: string[]): Promise<unknown[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const chunks: string[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const done = renderLines(input, output);
  input.end(requests.map((request) => `${request}\n`).join(''));
  await done;
  output.end();
  return chunks
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('render --jsonl', () => {
  it('answers each line in order: a value, a text, undefined, an error', async () => {
    const answers = await lines(
      '{"template": "{{ a + 1 }}", "context": {"a": 1}}',
      '{"template": "n={{ n }}", "context": {"n": 1.0}}',
      '{"template": "{{ nope.x }}"}',
      '{"template": "{{ a | uper }}", "context": {"a": "x"}}',
    );
    expect(answers.slice(0, 3)).toEqual([{ value: 2 }, { text: 'n=1.0' }, { value: null, undefined: true }]);
    expect(answers[3]).toMatchObject({
      error: "unknown filter 'uper': did you mean 'upper'?",
      code: 'NT4102',
      at: [1, 8],
    });
  });

  it('says which digits an answer lost', async () => {
    const long = '0.1234567890123456789';
    const answers = await lines(
      `{"template": "{{ '${long}' | fromjson }}"}`,
      `{"template": "n={{ '${long}' | fromjson }}"}`,
    );
    expect(answers).toEqual([
      { value: 0.12345678901234568, digits_lost: long },
      { text: 'n=0.12345678901234568', digits_lost: long },
    ]);
  });

  it('survives lines that are no requests', async () => {
    const answers = await lines(
      '',
      'nonsense',
      '[1]',
      '{"template": 1}',
      '{"template": "x", "context": [1]}',
      '{"template":"ok"}',
    );
    expect(answers).toHaveLength(6);
    for (const answer of answers.slice(0, 5)) expect(answer).toHaveProperty('error');
    expect(answers[5]).toEqual({ text: 'ok' });
  });
});

describe('render TEMPLATE', () => {
  async function run(...args: string[]): Promise<{ answer: unknown; exitCode: unknown }> {
    const written: string[] = [];
    const write = jest
      .spyOn(process.stdout, 'write')
      .mockImplementation((text) => written.push(String(text)) > 0);
    const before = process.exitCode;
    process.exitCode = 0;
    try {
      await renderCommand().parseAsync(args, { from: 'user' });
      return { answer: JSON.parse(written.join('')), exitCode: process.exitCode };
    } finally {
      write.mockRestore();
      process.exitCode = before;
    }
  }

  it('prints the value of an expression', async () => {
    expect(await run('--context', '{"xs": [1, 2]}', '{{ xs | length }}')).toEqual({
      answer: { value: 2 },
      exitCode: 0,
    });
  });

  it('reads the real clock', async () => {
    const { answer } = await run('{{ now() }}');
    expect((answer as { value: string }).value).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it.each([
    ['a template that cannot be parsed', ['{{ 1 + }}']],
    ['a context that is no JSON', ['--context', '{', '{{ 1 }}']],
    ['a context file that is not there', ['--context', '@/nowhere/at-all.json', '{{ 1 }}']],
    ['no template', []],
  ])('exits with 2 for %s', async (_, args) => {
    const { answer, exitCode } = await run(...args);
    expect(answer).toHaveProperty('error');
    expect(exitCode).toBe(2);
  });
});
