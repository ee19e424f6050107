import { MAX_STEPS } from '../../../src/language/dsl/document/most-steps';
import { below, type Example, steps, whole } from './example';

const WORKFLOW = 'workflow: [{step: start, tool: {kind: noop}}]\n';
const RULES = (rules: string): string => `
    - step: start
      tool:
        - name: fetch
          kind: http
          url: https://example.com
          spec:
            policy:
              rules:
${rules}
`;

export const STRUCTURE_EXAMPLES = {
  NT2001: steps(`
    - step: start
      tool: {kind: noop}
      ‹nxt: {arcs: [{step: end}]}
  `),
  NT2002: steps(`
    - step: start
      ‹colour: green
      tool: {kind: noop}
  `),
  NT2003: steps(`
    - step: start
      tool: {kind: noop}
      next: {arcs: ‹end}
  `),
  NT2004: steps(`
    - step: start
      tool: {kind: noop}
      next: {spec: {mode: ‹exclusiv}, arcs: [{step: end}]}
  `),
  NT2005: steps(`
    - ‹desc: a step without a name
      tool: {kind: noop}
    - step: start
      tool: {kind: noop}
  `),
  NT2006: steps(`
    - step: start
      tool:
        kind: http
        url: https://example.com
        ‹endpoint: https://example.org
  `),
  NT2007: steps(`
    - step: start
      tool: {kind: postgres, query: select 1}
      ‹params: [1]
  `),
  NT2010: whole(`apiVersion: ‹noetl.io/v1\nkind: Playbook\nmetadata: {name: example}\n${WORKFLOW}`),
  NT2011: whole(`apiVersion: noetl.io/v2\nkind: ‹Workflow\nmetadata: {name: example}\n${WORKFLOW}`),
  NT2012: below(`‹vars: {a: 1}\n${WORKFLOW}`),
  NT2013: steps(`
    - step: start
      ‹when: "{{ workload.go }}"
      tool: {kind: noop}
  `),
  NT2014: steps(`
    - step: start
      tool:
        kind: noop
        ‹eval: [{expr: true}]
  `),
  NT2015: steps(
    RULES(`                - ‹expr: "{{ outcome.status == 'error' }}"
                  then: {do: fail}
                - else: {then: {do: continue}}`),
  ),
  NT2016: steps(`
    - step: start
      ‹pipe: [{fetch: {kind: noop}}]
      tool: {kind: noop}
  `),
  NT2017: steps(`
    - step: start
      ‹type: python
      tool: {kind: noop}
  `),
  NT2018: steps(`
    - step: start
      tool: {kind: noop}
      next:
        - ‹when: "{{ true }}"
          then: [{step: end}]
  `),
  NT2020: steps(`
    - step: start
      loop:
        cursor: {‹kind: http, claim: GET /next}
        iterator: row
        spec: {mode: cursor}
      tool: {kind: noop}
  `),
  NT2021: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com"}
      case:
        - when: "{{ event.name == 'call.error' }}"
          then:
            retry: {max_attempts: 3}
            ‹next: end
  `),
  NT2022: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com"}
      case:
        - when: "{{ event.name == 'step.enter' }}"
          then: {‹retry: {max_attempts: 3}}
  `),
  NT2023: steps(`
    - step: start
      tool:
        - {name: fetch, kind: http, url: "https://example.com"}
        - {name: note, kind: noop}
      case:
        - when: "{{ event.name == 'call.done' and response.more }}"
          then: {call: {‹params: {page: 2}}}
  `),
  NT2024: steps(`
    - step: start
      tool:
        kind: noop
        ‹case:
          - when: "{{ event.name == 'call.done' }}"
            then: {next: end}
  `),
  NT2025: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com"}
      case:
        - when: "{{ event.name == 'call.done' }}"
          then: {‹call: {params: {page: 2}}}
  `),
  NT2026: steps(`
    - step: start
      loop: {in: [1, 2], iterator: number}
      tool: {kind: http, url: "https://example.com"}
      case:
        - when: "{{ event.name == 'call.done' and response.found }}"
          then: {next: [{step: report, args: {city: "{{ ‹response.city }}"}}]}
    - step: report
      tool: {kind: http, url: "https://example.com/{{ city }}"}
  `),
  NT2030: steps(`
    - step: ‹start
      desc: nothing to do
  `),
  NT2031: steps(`
    - step: start
      spec:
        policy:
          ‹rules: [{else: {then: {do: retry}}}]
      tool: {kind: noop}
  `),
  NT2032: steps(
    RULES(`                - when: "{{ outcome.status == 'error' }}"
                  then: {do: fail, ‹next: [{step: cleanup}]}`),
  ),
  NT2033: steps(RULES(`                - ‹then: {do: continue}`)),
  NT2034: steps(
    RULES(`                - when: "{{ outcome.status == 'error' }}"
                  then: {‹do: jump}`),
  ),
  NT2035: steps(
    RULES(`                - when: "{{ outcome.status == 'error' }}"
                  then: {do: fail, ‹attempts: 3}`),
  ),
  NT2036: steps(
    RULES(`                - else: {then: {do: continue}}
                - ‹when: "{{ outcome.status == 'error' }}"
                  then: {do: fail}`),
  ),
  NT2037: steps(`
    - step: start
      tool:
        kind: noop
        spec:
          ‹policy: {on_error: retry}
  `),
  NT2038: steps(
    RULES(`                - ‹when: "{{ outcome.result.data.done }}"
                  then: {do: break}`),
  ),
  NT2040: steps(`
    - step: start
      ‹loop: {in: "{{ workload.items }}"}
      tool: {kind: noop}
  `),
  NT2041: steps(`
    - step: start
      loop: {in: [1, 2], iterator: n, spec: {policy: {exec: local}}}
      tool: {‹kind: playbook, path: examples/other}
  `),
  NT2050: steps(`
    - step: start
      tool: {kind: ‹pyton, code: result = 1}
  `),
  NT2051: steps(`
    - step: start
      tool: {‹kind: postgres, auth: pg_local}
  `),
  NT2052: steps(`
    - step: start
      tool: {kind: http, url: https://example.com, ‹retries: 3}
  `),
  NT2053: below(`
    executor: {spec: {extensions: [‹http]}}
    workflow: [{step: start, tool: {kind: noop}}]
  `),
  NT2054: steps(`
    - step: start
      tool: {‹kind: postgres, query: select 1}
  `),
  NT2055: steps(`
    - step: start
      tool: {kind: ‹gateway, path: agents/helper}
  `),
  NT2056: steps(`
    - step: start
      tool: {kind: wait, ‹event: approved}
  `),
  NT2057: steps(`
    - step: start
      tool:
        kind: http
        url: https://example.com
        retry: [{when: "{{ page.more }}", then: {next_call: {‹cursor: "{{ page.next }}"}}}]
  `),
  NT2058: steps(`
    - step: start
      tool: {kind: wait, for: 1s, spec: {‹cache: {ttl: 1h}}}
  `),
  NT2059: steps(`
    - step: start
      tool: {kind: http, url: "https://example.com", spec: {‹sandbox: strict}}
  `),
  NT2060: steps(`
    - step: start
      tool: {kind: noop}
      set: {‹"ctx.{{ workload.name }}": 1}
  `),
  NT2061: steps(`
    - step: start
      tool: {kind: noop}
      set: {‹workload.page: 2}
  `),
  NT2062: whole(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: ‹../../etc/x}\n${WORKFLOW}`,
  ),
  NT2063: whole(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x, path: x, labels: {team: ‹two words}}\n${WORKFLOW}`,
  ),
  NT2091: whole(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata:\n  name: x\n  on: {failed: [{webhook: ‹"ftp://ops.example.com"}]}\n${WORKFLOW}`,
  ),
  NT2098: whole(
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata:\n  name: x\n  on: {failed: [{webhook: "https://ops.example.com", ‹secret: ops_hook}]}\n${WORKFLOW}`,
  ),
  NT2092: below(`executor: {spec: {deadline: ‹"{{ workload.patience }}"}}\n${WORKFLOW}`),
  NT2070: steps(`
    - step: start
      tool:
        kind: http
        url: https://example.com
        headers: {Authorization: ‹Bearer 4f9a0c22d1}
  `),
  NT2080: {
    shown: `# more than ${MAX_STEPS} steps\n`,
    text: `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: example}\nworkflow:\n${'- {}\n'.repeat(MAX_STEPS)}- ‹{}\n`,
  },
  NT2096: steps(`
    - step: start
      tool:
        kind: http
        url: https://example.com
        spec: {rate_limit: {key: example, limit: 10, per: 1m, burst: ‹20}}
  `),
  NT2097: steps(`
    - step: start
      spec: {‹concurrency: {limit: 1}}
      tool: {kind: noop}
  `),
  NT2090: steps(`
    - step: start
      tool:
        kind: noop
        spec:
          policy:
            ‹before: []
            rules: [{else: {then: {do: continue}}}]
  `),
} as const satisfies Record<string, Example>;
