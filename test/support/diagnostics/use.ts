import { below, type Example, steps } from './example';

export const USE_EXAMPLES = {
  NT4001: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com/{{ workload.a + ‹}}"}
  `),
  NT4002: {
    shown: '# a template of more than a million characters\n',
    text: steps(`
    - step: start
      tool: {kind: http, url: "‹{{ 1 }}${'x'.repeat(1024 * 1024)}"}
  `).text,
  },
  NT4003: steps(`
    - step: start
      tool: {kind: http, url: "{% ‹include 'other' %}"}
  `),
  NT4005: steps(`
    - step: start
      tool:
        kind: postgres
        input: {name: "O'Brien"}
        query: insert into people values ('{{ ‹name }}')
  `),
  NT4006: steps(`
    - step: start
      tool:
        kind: python
        code: ‹'result = f"{{braces}}"'
  `),
  NT4007: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: end, when: ‹event.name == 'step.done'}]}
  `),
  NT4012: steps(`
    - step: start
      tool: {kind: noop}
      next:
        arcs:
          - {step: end, when: "{{ event.name == 'step.done' }}"}
          - {step: ‹end}
  `),
  NT4011: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: end, when: ‹"{{ workload.a }} and {{ workload.b }}"}]}
  `),
  NT4013: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: end, when: "{{ output.status == ‹'success' }}"}]}
  `),
  NT4008: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: end, when: "{{ event.name == ‹'step.finished' }}"}]}
  `),
  NT4009: steps(`
    - step: start
      tool: {kind: noop}
      case:
        - when: "{{ event.name == ‹'loop.done' }}"
          then: {next: end}
  `),
  NT4010: steps(`
    - step: start
      tool:
        kind: python
        code: |
          total = 1
          result = ‹= total
  `),
  NT4101: below(`
    workload: {name: Ada}
    workflow:
      - step: start
        tool: {kind: http, url: "https://example.com/{{ ‹quote(name) }}"}
  `),
  NT4102: below(`
    workload: {name: Ada}
    workflow:
      - step: start
        tool: {kind: http, url: "https://example.com/{{ name | ‹lowr }}"}
  `),
  NT4103: below(`
    workload: {name: Ada}
    workflow:
      - step: start
        tool: {kind: noop}
        next: {arcs: [{step: end, when: "{{ name is ‹definde }}"}]}
  `),
  NT4104: below(`
    workload: {name: Ada}
    workflow:
      - step: start
        tool: {kind: http, url: "https://example.com/{{ name.‹uper() }}"}
  `),
  NT4113: below(`
    workload: {name: Ada}
    workflow:
      - step: start
        tool: {kind: http, url: "https://example.com/{{ name | ‹regex_search('(a)(?P=b)') }}"}
  `),
  NT4114: steps(`
    - step: start
      loop: {in: "‹{{ range(200000) | list }}", iterator: n}
      tool: {kind: noop}
  `),
  NT5001: steps(`
    - step: start
      tool:
        - ‹fetch: {kind: noop}
  `),
  NT5002: below(`
    ‹path: examples/example
    workflow: [{step: start, tool: {kind: noop}}]
  `),
  NT5003: steps(`
    - step: start
      loop: {in: [1, 2], iterator: n, ‹mode: parallel}
      tool: {kind: noop}
  `),
  NT5004: steps(`
    - step: start
      loop: {in: [1, 2], iterator: n, spec: {mode: ‹async}}
      tool: {kind: noop}
  `),
  NT5005: steps(`
    - step: start
      tool: {kind: python, ‹with: {a: 1}, code: result = a}
  `),
  NT5006: steps(`
    - step: start
      tool:
        kind: noop
        spec: {policy: {rules: [{‹else: {do: continue}}]}}
  `),
  NT5007: steps(`
    - step: start
      tool: {kind: noop}
      ‹vars: {a: 1}
  `),
  NT5008: steps(`
    - step: start
      tool: {kind: noop}
      ‹next: end
  `),
  NT5009: steps(`
    - step: start
      tool: {kind: noop}
      case:
        - when: "{{ event.name == 'call.done' }}"
          then: [{‹step: end}]
  `),
  NT5010: steps(`
    - step: start
      tool: {kind: noop}
      ‹set: [{name: ctx.page, value: 1}]
  `),
  NT5011: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com"}
      case:
        - when: ‹"{{ event.name == 'step.exit' and error is defined }}"
          then: {retry: {max_attempts: 3}}
  `),
  NT5012: steps(`
    - step: start
      tool: {kind: python, code: result = n, spec: {‹input: {n: 1}}}
  `),
  NT5013: steps(`
    - step: start
      tool: {kind: python, code: result = 1, libs: [‹psycopg2-binary]}
  `),
  NT5014: steps(`
    - step: start
      tool: {kind: secrets, ‹name: api_token, provider: environment}
  `),
  NT5015: steps(`
    - step: start
      tool: {kind: http, url: https://example.com, retry: {max_attempts: 3, ‹backoff: 5}}
  `),
  NT6001: steps(`
    - step: start
      tool: {kind: noop}
    - step: ‹forgotten
      tool: {kind: noop}
  `),
  NT6002: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: end}, {step: ‹report}]}
    - step: report
      tool: {kind: noop}
  `),
  NT6003: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: end, when: ‹"{{ false }}"}]}
  `),
  NT6004: steps(`
    - step: ‹start
      tool: {kind: noop}
      next: {arcs: [{step: again}]}
    - step: again
      tool: {kind: noop}
      next: {arcs: [{step: start}]}
  `),
  NT6005: steps(`
    - step: start
      tool:
        - {name: a, kind: noop, spec: {policy: {rules: [{else: {then: {do: break}}}]}}}
        - {name: ‹b, kind: noop}
  `),
  NT6006: steps(`
    - step: start
      tool: {kind: noop}
      next: {spec: {mode: inclusive}, arcs: [{step: work, args: {n: 1}}, {step: ‹work, args: {n: 2}}]}
    - step: work
      tool: {kind: noop, input: {n: "{{ args.n }}"}}
  `),
} as const satisfies Record<string, Example>;
