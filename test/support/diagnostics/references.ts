import { below, type Example, steps } from './example';

export const REFERENCE_EXAMPLES = {
  NT3001: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: work}]}
    - step: work
      tool: {kind: noop}
    - step: ‹work
      tool: {kind: noop}
  `),
  NT3002: steps(`
    - step: start
      tool:
        - {name: fetch, kind: noop}
        - {name: ‹fetch, kind: noop}
  `),
  NT3003: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: ‹fetsch}]}
    - step: fetch
      tool: {kind: noop}
  `),
  NT3004: steps(`
    - step: start
      tool:
        - name: fetch
          kind: noop
          spec: {policy: {rules: [{else: {then: {do: jump, to: ‹store}}}]}}
        - {name: save, kind: noop}
  `),
  NT3005: below(`
    workbook: [{name: greet, tool: {kind: noop}}]
    workflow:
      - step: start
        tool: {kind: workbook, name: ‹great}
  `),
  NT3006: below(`
    workbook: [{name: ‹greet, tool: {kind: workbook, name: greet}}]
    workflow:
      - step: start
        tool: {kind: workbook, name: greet}
  `),
  NT3007: below(`
    workbook: [{name: greet, tool: {kind: python, input: {who: null}, code: result = who}}]
    workflow:
      - step: start
        tool: {kind: workbook, name: ‹greet}
  `),
  NT3008: steps(`
    - step: ‹strat
      tool: {kind: noop}
  `),
  NT3009: steps(`
    - step: start
      loop: {in: [1, 2], iterator: ‹event}
      tool: {kind: noop}
  `),
  NT3010: below(`
    workload: {city: Oslo, cities: [Oslo, Bergen]}
    workflow:
      - step: start
        loop: {in: "{{ cities }}", iterator: ‹city}
        tool: {kind: noop}
  `),
  NT3011: below(`
    workload: {api_url: https://example.com}
    workflow:
      - step: start
        tool: {kind: http, url: "{{ ‹api_ulr }}/items"}
  `),
  NT3012: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com/{{ ‹customer }}"}
  `),
  NT3013: steps(`
    - step: start
      loop: {in: [1, 2], iterator: number}
      tool: {kind: noop}
      next: {arcs: [{step: end, when: "{{ ‹number > 1 }}"}]}
  `),
  NT3014: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com/{{ ‹outcome.status }}"}
  `),
  NT3015: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com/{{ ‹ctx.page }}"}
  `),
  NT3016: steps(`
    - step: start
      tool: {kind: noop, set: {page_no: 1}}
      next: {arcs: [{step: fetch}]}
    - step: fetch
      tool: {kind: http, url: "https://example.com/{{ ‹page_no }}"}
  `),
  NT3017: steps(`
    - step: start
      tool: [{name: fetch, kind: noop}]
      next: {arcs: [{step: end, when: "{{ ‹start.results.fetsch.ok }}"}]}
  `),
  NT3018: below(`
    keychain: [{name: openai, kind: bearer}]
    workflow:
      - step: start
        tool: {kind: http, url: https://example.com, headers: {Authorization: "Bearer {{ ‹keychain.openia.token }}"}}
  `),
  NT3019: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com/{{ ‹iter.page }}"}
  `),
  NT3020: below(`
    keychain: [{name: db, kind: bearer}, {name: ‹db, kind: bearer}]
    workflow: [{step: start, tool: {kind: noop}}]
  `),
  NT3021: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com/{{ ‹later.id }}"}
      next: {arcs: [{step: later}]}
    - step: later
      tool: {kind: noop}
  `),
  NT3022: below(`
    workload: {ids: [1, 2]}
    workflow:
      - step: start
        loop: {in: "{{ workload.ids }}", iterator: id, spec: {mode: parallel}}
        tool: {kind: noop, set: {‹ctx.last: "{{ iter.id }}"}}
  `),
  NT3023: steps(`
    - step: start
      loop: {in: [1, 2], iterator: number}
      tool: {kind: noop}
      case:
        - when: "{{ event.name == 'step.exit' }}"
          then: {log: "item {{ ‹number }}"}
  `),
  NT3024: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: end}]}
    - step: ‹end
      tool: {kind: noop}
    - step: end
      tool: {kind: noop}
  `),
  NT3025: steps(`
    - step: start
      tool: {kind: playbook, path: ‹examples/nowhere}
  `),
  NT3026: steps(`
    - step: start
      tool: {kind: noop}
      next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}]}
    - step: a
      tool: {kind: noop}
      set: {ctx.winner: a}
    - step: b
      tool: {kind: noop}
      set: {‹ctx.winner: b}
  `),
  NT3027: steps(`
    - step: start
      tool: {kind: playbook, path: examples/price, input: {count: ‹many}}
  `),
  NT3028: steps(`
    - step: start
      tool:
        kind: postgres
        auth: pg_local
        input: {‹limit: 10}
        query: select * from orders
  `),
  NT3029: steps(`
    - step: start
      tool: {kind: noop, set: {‹iter.seen: 1}}
  `),
  NT3030: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: [{step: fetch-data}]}
    - step: ‹fetch-data
      tool: {kind: noop}
  `),
  NT3031: below(`
    workload: {api-url: http://127.0.0.1}
    workflow:
      - step: start
        tool: {kind: http, url: "{{ ‹workload.api-url }}"}
  `),
} as const satisfies Record<string, Example>;
