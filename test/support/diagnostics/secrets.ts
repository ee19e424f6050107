import { below, type Example, steps, whole } from './example';

export const SECRET_EXAMPLES = {
  NT3101: below(`
    keychain: [{name: api, kind: bearer, auth: api_token}]
    workflow:
      - step: start
        tool: {kind: http, url: "http://x", headers: {authorization: "Bearer {{ keychain.api.token }}"}}
        next:
          arcs:
            - {step: end, when: "{{ ‹keychain.api.token != '' }}"}
  `),
  NT3102: below(`
    keychain: [{name: api, kind: bearer, auth: api_token}]
    workload: {which: api}
    workflow:
      - step: start
        tool: {kind: http, url: "http://x", auth: api, params: {key: "{{ ‹keychain[which].token }}"}}
  `),
  NT3103: below(`
    keychain: [{name: api, kind: secret_manager, map: {token: my/token}}]
    workflow:
      - step: start
        tool: {kind: http, url: "http://x", headers: {x-key: "{{ ‹keychain.api.tokne }}"}}
  `),
  NT3104: below(`
    keychain: [{name: api, kind: ‹oauth}]
    workflow:
      - step: start
        tool: {kind: http, url: "http://x", auth: api}
  `),
  NT3105: below(`
    keychain: [{name: ‹api, kind: bearer, auth: api_token}]
    workflow:
      - step: start
        tool: {kind: noop}
  `),
  NT3106: below(`
    keychain:
      - {name: ‹api, kind: bearer, token: "{{ keychain.api.token }}"}
    workflow:
      - step: start
        tool: {kind: http, url: "http://x", auth: api}
  `),
  NT3107: below(`
    keychain: [{name: api, kind: bearer, auth: api_token}]
    workflow:
      - step: start
        tool: {kind: shell, cmds: "curl -H 'x-key: {{ ‹keychain.api.token }}' http://x"}
  `),
  NT3108: whole(`
    apiVersion: noetl.io/v2
    kind: Playbook
    metadata:
      name: example
      workload: {api_token: {secret: true}}
    workload: {api_token: ‹abc-def-ghi}
    workflow:
      - step: start
        tool: {kind: http, url: "http://x", headers: {x-key: "{{ api_token }}"}}
  `),
  NT3109: steps(`
    - step: start
      tool: {kind: playbook, path: examples/price, input: {token: ‹abc-def-ghi}}
  `),
  NT3110: below(`
    keychain: [{name: db, kind: secret_manager, map: {user: db/user, password: db/password}}]
    workflow:
      - step: start
        tool: {kind: http, url: "http://x", headers: {authorization: "Bearer {{ ‹keychain.db }}"}}
  `),
} as const satisfies Record<string, Example>;
