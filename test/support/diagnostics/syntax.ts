import { below, type Example, steps, whole } from './example';

export const SYNTAX_EXAMPLES = {
  NT1001: steps(`
    - step: start
      desc: a: ‹b: c
      tool: {kind: noop}
  `),
  NT1002: steps(`
    - step: start
      tool:
        kind: python
        code: result = 1
        ‹code: result = 2
  `),
  NT1003: whole(`
    apiVersion: noetl.io/v2
    kind: Playbook
    ‹---
    kind: Playbook
  `),
  NT1004: whole('workflow:\n‹\t- step: start\n'),
  NT1005: steps(`
    - step: start
      tool:
        kind: http
        url: ‹{{ workload.api_url }}
  `),
  NT1006: { shown: '# a file of more than 4 Mi characters\n', text: `‹# ${'x'.repeat(4 * 1024 * 1024)}` },
  NT1007: {
    shown: 'workload: {a: [[[[… more than 100 levels …]]]]}\n',
    text: `workload: {a: ${'['.repeat(98)}‹${'['.repeat(3)}${']'.repeat(101)}}\n`,
  },
  NT1008: { shown: 'workload: {name: "a\\0b"}\n', text: 'workload: {name: ‹"a\\0b"}\n' },
  NT1009: below('workload: {limit: ‹.inf}\nworkflow: [{step: start, tool: {kind: noop}}]\n'),
  NT1010: below('workload: {‹[a, b]: 1}\nworkflow: [{step: start, tool: {kind: noop}}]\n'),
  NT1011: whole('‹- step: start\n- step: end\n'),
  NT1012: below('workload: {a: ‹*nothing}\nworkflow: [{step: start, tool: {kind: noop}}]\n'),
  NT1013: below('workload: {id: ‹12345678901234567890}\nworkflow: [{step: start, tool: {kind: noop}}]\n'),
  NT1014: below('workload: {x: ‹0.1234567890123456789}\nworkflow: [{step: start, tool: {kind: noop}}]\n'),
  NT1015: below('workload: {zip: ‹00501}\nworkflow: [{step: start, tool: {kind: noop}}]\n'),
} as const satisfies Record<string, Example>;
