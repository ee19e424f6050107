import { codes, first, HEADER } from '../../../../test/support/compiled';
import { compile } from '..';

const step = (cursor: string, spec = 'mode: cursor', more = ''): string => `
- step: start
  loop: {${cursor}, iterator: row, spec: {${spec}}${more}}
  tool: {kind: noop, input: {id: "{{ row.id }}"}}`;
const of = (text: string): string => `workload: {a: 1, items: [1]}\nworkflow:\n${text}`;
const CLAIM = 'claim: "UPDATE t SET s = 1 RETURNING id"';
const CURSOR = `cursor: {kind: postgres, auth: pg, ${CLAIM}}`;

describe('a cursor loop', () => {
  it('has its claim beside the pipeline, with the fields of its kind', () => {
    const plan = first(
      step(
        `cursor: {auth: pg, database: d, ${CLAIM}, options: {pool_size: 3, max_iterations: 9}, spec: {timeout: 5}}`,
        'mode: cursor, max_in_flight: 2, frame: {max_rows: "{{ workload.a }}", process: frame, lease_seconds: 9, retry_mode: whole_frame, verify_ipc: true}, policy: {exec: local}',
      ),
    );
    expect(plan.loop).toMatchObject({
      in: { const: [] },
      mode: 'cursor',
      maxInFlight: { const: 2 },
      cursor: { claim: 'start_claim', process: 'frame', maxRows: { const: 9 } },
    });
    expect(plan.sinks).toMatchObject([
      {
        name: 'start_claim',
        kind: 'postgres',
        config: {
          const: { auth: 'pg', database: 'd', command: 'UPDATE t SET s = 1 RETURNING id', pool: { max: 3 } },
        },
        spec: { timeout: { total: { const: 5 } } },
      },
    ]);
    // What it takes must be in history first.
    expect(plan.sinks![0]!.local).toBeUndefined();
    expect(codes(of(step(CURSOR)))).toEqual([]);
  });

  it.each([
    ['postgres', 'auth: pg, '],
    ['duckdb', 'database: work.duckdb, '],
    ['snowflake', 'auth: sf, '],
  ])('claims by every kind that runs SQL: %s', (kind, more) => {
    const statement = kind === 'snowflake' ? 'claim: "CALL take({{ __frame_max_rows }})"' : CLAIM;
    expect(codes(of(step(`cursor: {kind: ${kind}, ${more}${statement}}`)))).toEqual([]);
  });

  it.each([
    ['two sources', step(`in: "{{ workload.items }}", ${CURSOR}`), 'NT2006'],
    ['another mode', step(CURSOR, 'mode: parallel'), 'NT2040'],
    ['no mode', step(CURSOR, 'max_in_flight: 2'), 'NT2040'],
    ['a mode without a cursor', step('in: "{{ workload.items }}"'), 'NT2040'],
    ['no claim', step('cursor: {kind: postgres, auth: pg}'), 'NT2040'],
    ['an empty claim', step('cursor: {kind: postgres, auth: pg, claim: }'), 'NT2040'],
    ['a kind that has no claim', step(`cursor: {kind: python, ${CLAIM}}`), 'NT2020'],
    ['a kind that there is not', step(`cursor: {kind: postgras, ${CLAIM}}`), 'NT2050'],
    ['no credential', step(`cursor: {kind: postgres, ${CLAIM}}`), 'NT2054'],
    ['a claim that returns nothing', step('cursor: {auth: pg, claim: "UPDATE t SET s = 1"}'), 'NT2040'],
    ['a field that its kind does not have', step(`cursor: {auth: pg, databose: d, ${CLAIM}}`), 'NT2052'],
    ['the row in its claim', step('cursor: {auth: pg, claim: "SELECT {{ row.id | int }}"}'), 'NT3013'],
    ['an unknown key of its frame', step(CURSOR, 'mode: cursor, frame: {max_row: 3}'), 'NT2001'],
    [
      'a loop of a task',
      `
- step: start
  tool:
    - {name: a, kind: noop, loop: {${CURSOR}, iterator: row, spec: {mode: cursor}}}`,
      'NT2020',
    ],
  ])('is refused with %s', (_, text, code) => {
    const { diagnostics } = compile(`${HEADER}${of(text)}`);
    expect(diagnostics.map((each) => each.code)).toEqual([code]);
    expect(diagnostics[0]!.hint).toBeDefined();
  });

  it('knows the names of frames in its iterations, and those of claims only in its claim', () => {
    const read = (name: string): string[] => codes(of(step(CURSOR).replace('row.id', name)));
    for (const name of [
      'frame.index',
      'iter._frame_index',
      'iter._worker_slot_id',
      'iter.row_rows',
      'iter._total',
    ])
      expect([name, read(name)]).toEqual([name, []]);
    expect(read('__frame_max_rows')).toEqual(['NT3012']);
    expect(read('iter._frame_idx')).toEqual(['NT3015']);
  });
});
