/** A facade over Temporal and a worker, with executions to list, look at and steer. */
import { type JsonObject } from '../../src/language/plan';
import { executionIdOf } from '../../src/temporal/client';
import { type Answered, type ContractClient, contractClient } from './contract';
import { startFacade, type TestFacade } from './facade';
import { playbooksOf } from './playbooks';
import { playbookOf } from './simulator';
import { type Stack, startStack } from './stack';
import { until } from './until';

/** The playbook under another path. */
export const at = (path: string, yaml: string): string => yaml.replace('path: test/test', `path: ${path}`);

const CHILD = at(
  'test/child, labels: {of: child}, run_name: the child',
  playbookOf(`\n- step: start\n  tool: {kind: wait, event: go}`),
);
export const GREETER = at(
  'test/greeter',
  playbookOf(
    `
- step: start
  tool: {kind: shell, cmds: ["echo hello {{ workload.name }}"]}
  set: {ctx.said: "{{ start.stdout | trim }}"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop, input: {said: "{{ ctx.said }}"}}`,
    'workload: {name: world}',
  ),
);
export const FAILING = at(
  'test/failing',
  playbookOf(`\n- step: start\n  tool: {kind: shell, cmds: ["exit 3"]}`),
);
/** Starts one execution that it does not wait for, and waits for another. */
export const PARENT = at(
  'test/parent',
  playbookOf(`
- step: start
  tool: {kind: playbook, path: test/child, wait: false}
  next: {arcs: [{step: waits}]}
- step: waits
  tool: {kind: playbook, path: test/child}`),
);
export const WAITING = at('test/waiting', playbookOf(`\n- step: start\n  tool: {kind: wait, event: go}`));

/** Of a list of executions. */
export interface Line {
  readonly execution_id: string;
  readonly path: string;
  readonly status: string;
  readonly start_time: string;
  readonly error: string | null;
  readonly parent_execution_id: string | null;
}

export interface FacadeExecutions {
  readonly stack: Stack;
  readonly facade: TestFacade;
  /** Holds the answer to what the OpenAPI document declares. */
  ask(method: string, path: string, body?: unknown): Promise<Answered>;
  /** Runs the playbook to its end. @returns the execution's id */
  ran(yaml: string, payload?: JsonObject): Promise<string>;
  /** Starts the playbook. @returns the execution's id, when it is at its first step */
  begun(yaml: string): Promise<string>;
  statusOf(id: string): Promise<string>;
  /** @param query of the list of executions */
  listed(query: string): Promise<Line[]>;
}

/** Called once in a test file: starts and stops all of it. */
export function useFacadeExecutions(): FacadeExecutions {
  let stack: Stack;
  let facade: TestFacade;
  let client: ContractClient;
  beforeAll(async () => {
    stack = await startStack({ kinds: ['shell'], playbooks: playbooksOf({ 'test/child': CHILD }) });
    facade = await startFacade(stack);
    client = contractClient(facade);
  });
  afterAll(async () => {
    await facade?.stop();
    await stack?.stop();
    expect(facade.reported).toEqual([]);
  });
  const ask: FacadeExecutions['ask'] = (method, path, body) => client(method, path, body);
  return {
    get stack() {
      return stack;
    },
    get facade() {
      return facade;
    },
    ask,
    async ran(yaml, payload = {}) {
      const { handle } = await stack.run(stack.compile(yaml), payload);
      return executionIdOf(handle.workflowId)!;
    },
    async begun(yaml) {
      const id = executionIdOf((await stack.start(stack.compile(yaml))).workflowId)!;
      await until(async () => (await ask('get', `/api/executions/${id}/status`)).body['current_step']);
      return id;
    },
    async statusOf(id) {
      return (await ask('get', `/api/executions/${id}/status`)).body['status'] as unknown as string;
    },
    async listed(query) {
      const { status, body } = await ask('get', `/api/executions?${query}`);
      expect(status).toBe(200);
      return body as never as Line[];
    },
  };
}
