import { type Example, whole } from './example';

/** The playbook `x.yaml` rehearsed by the examples. */
export const REHEARSED = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: x}
workflow:
  - step: start
    tool: {name: fetch, kind: http, url: "https://example.com"}
`;

export const REHEARSAL_EXAMPLES = {
  NT7001: whole(`
    playbook: ‹./y.yaml
  `),
  NT7002: whole(`
    playbook: ./x.yaml
    mocks: {‹fetsh: {status: 200}}
  `),
  NT7003: whole(`
    playbook: ./x.yaml
    mocks: {fetch: {status: ‹ok}}
  `),
  NT7004: whole(`
    playbook: ./x.yaml
    mocks: {fetch: {status: 200, duration: ‹soon}}
  `),
  NT7005: whole(`
    playbook: ./x.yaml
    mocks: {fetch: {status: 200}}
    expect: {steps: [‹strat]}
  `),
  NT7006: whole(`
    playbook: ./x.yaml
    mocks: {fetch: {status: 200}}
    rehearsals: [{name: works}, {name: ‹works}]
  `),
  NT7007: whole(`
    playbook: ./x.yaml
    mocks: {fetch: {status: 200, duration: 5s}}
    events: [{‹after: 1s, pause: true, resume: true}]
  `),
  NT7008: whole(`
    playbook: ./x.yaml
    mocks: {fetch: {status: 500}}
    expect: {error: {message: ‹/(/}}
  `),
  NT7009: whole(`
    playbook: ./x.yaml
    mocks: {fetch: {status: 200}}
    expect: {at_end: ["{{ ‹cals | length == 1 }}"]}
  `),
  NT7010: whole(`
    playbook: ./x.yaml
    message: ‹{body: {n: 1}}
  `),
} as const satisfies Record<string, Example>;
