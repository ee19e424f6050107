/** Tools that prove something of a playbook without running it for real. */
import { z } from 'zod';
import { compact, isMapping, type JsonObject, type Plan } from '../../../language/plan';
import { CodedError } from '../../../language/errors';
import { checkDeep } from '../../../offline/proof/deep';
import {
  addTouches,
  type CallExecutor,
  Coverage,
  coveredBy,
  emptyVerificationTally,
  executedAnswers,
  readRecording,
  type Supplied,
  tally,
  tallyUnread,
  type Touches,
  verdictOf,
  verificationOf,
  whatIf,
} from '../../../offline/proof';
import {
  executes,
  jsonReport,
  readRehearsals,
  type ReadFile,
  rehearsalOfRun,
  runRehearsal,
  runRehearsalWith,
  starterRehearsal,
} from '../../../offline/rehearsal';
import {
  readSimulation,
  runSeeds,
  Setting,
  simulationResult,
  STANDARD_FAULTS,
} from '../../../offline/simulation';
import { hunksOf } from '../../../language/dsl/unified-diff';
import { suppliedAnswers } from '../answers';
import { fileText, invalid, planOf } from '../playbooks';
import { type AssistantReach } from '../reach';
import { assistantTool, FIELDS } from '../tool';
import { RUN_FILTER, selectedRuns } from './executions';

const { playbook, execution, payload } = FIELDS;
const READS = { scope: 'read', harmless: true } as const;
const execute = z
  .enum(['python'])
  .optional()
  .describe(
    'Run changed Python on the recorded inputs, in a sandbox without files and network (not at a facade)',
  );
/** Executions of one verification. */
const MOST_VERIFIED = 200;
const rehearsal = z
  .string()
  .min(1)
  .describe(
    'The YAML text of a rehearsal file, or its name; its `playbook` may be left out if `playbook` is given',
  );

export const provingTools = [
  assistantTool({
    name: 'what_if',
    ...READS,
    description:
      'Decide a recorded execution anew with another playbook, other inputs or other answers; nothing is executed. Answers what differs first and why, and how it ends. `unanswered` are calls that the recording cannot answer: give them with `outcomes` or `answers`.',
    input: z.object({
      execution,
      playbook: playbook
        .optional()
        .describe('The new version, as a text, path or file; default: the recorded one'),
      payload: payload.optional().describe('Merged over the recorded inputs'),
      outcomes: z
        .array(z.string())
        .default([])
        .describe(
          'Answers instead of recorded ones: `fetch#1={error: timeout}`, `load[3]={result: 1}`, `fetch=recorded`',
        ),
      answers: z
        .string()
        .optional()
        .describe('YAML, as `mocks` of a rehearsal: answers for calls that the recording cannot answer'),
      execute,
      as_rehearsal: z
        .boolean()
        .default(false)
        .describe('Also answer the run as a rehearsal, to keep it as a test'),
    }),
    async run({ execution: id, outcomes, answers, ...input }, reach) {
      const recording = await reach.history(id, ({ pages, converter, workflowId }) =>
        readRecording(pages(), { converter, ...compact({ workflowId }) }),
      );
      const revised = input.playbook === undefined ? undefined : await planOf(input.playbook, reach);
      const plan = revised?.plan ?? recording.plan;
      const written = answers === undefined ? {} : { answers: { text: answers, file: 'answers' } };
      const supplied = (): Supplied => suppliedAnswers({ outcomes, plan, kinds: reach.kinds, ...written });
      const given = { supplied, ...(input.payload && { payload: input.payload as JsonObject }) };
      const executor = executorOf(input, reach);
      const executed = executor && (await executedAnswers(recording, plan, executor, given)).options;
      const { result, anew } = whatIf(
        recording,
        plan,
        executed ? { ...executed, byAnswers: true } : { ...given, supplied: supplied() },
      );
      const shown = withLines(result);
      if (!input.as_rehearsal || recording.first.type !== 'started') return shown;
      const text = rehearsalOfRun({
        playbook: revised?.file ?? `${plan.metadata.name}.yaml`,
        name: `execution ${recording.executionId}`,
        run: anew.run,
        payload: { ...recording.first.payload, ...(input.payload as JsonObject | undefined) },
        startAt: recording.startedAt,
        answers: anew.world.given.map(({ call, answer: { outcome, after } }) => ({ call, outcome, after })),
        messages: (recording.messages.get('') ?? []).map(({ mark, input: message }) => ({
          after: mark.at - recording.startedAt,
          input: JSON.parse(message),
        })),
      });
      return { ...shown, rehearsal: text };
    },
  }),
  assistantTool({
    name: 'verify',
    ...READS,
    description:
      'Prove an edit: decide past executions anew with the new version and compare with the old one. `ok` means that none would have decided differently; groups have the cause and an example of each difference. Nothing is executed.',
    input: z.object({
      old: playbook.describe('The version they ran, as a text, path or file'),
      new: playbook.describe('The edited version'),
      executions: z.array(execution).max(MOST_VERIFIED).default([]),
      execute,
      against: z.object({ ...RUN_FILTER, most: z.int().min(1).max(MOST_VERIFIED).default(50) }).optional(),
    }),
    async run(input, reach) {
      const [{ plan: old }, { plan: now }] = await Promise.all([
        planOf(input.old, reach),
        planOf(input.new, reach),
      ]);
      const { against } = input;
      const listed = against ? await selectedRuns(reach, against, against.most) : [];
      const ids = [...new Set([...input.executions, ...listed.map(({ execution_id }) => execution_id)])];
      if (ids.length === 0)
        throw new CodedError('NOTHING_TO_VERIFY', 'no execution is named, and `against` selects none', {
          hint: ['`list_runs` shows executions; without any, `rehearse` and `simulate` prove with mocks.'],
        });
      const sum = emptyVerificationTally();
      const executor = executorOf(input, reach);
      for (const id of ids) await judge(reach, id, { old, now, ...(executor && { execute: executor }) }, sum);
      return withLines(verificationOf(sum, old, now));
    },
  }),
  assistantTool({
    name: 'rehearse',
    ...READS,
    description:
      'Run rehearsals: a playbook with mocked tools in simulated time, and what is expected of it. Without `rehearsal`: answers a first one to begin with.',
    input: z.object({ rehearsal: rehearsal.optional(), playbook: playbook.optional() }),
    async run(input, reach) {
      if (input.rehearsal === undefined) return await starter(input.playbook, reach);
      const read = await rehearsalsIn(input.rehearsal, input.playbook, reach);
      const { rehearsed, file, diagnostics } = read;
      const results = [];
      for (const one of rehearsed?.rehearsals ?? []) {
        const executor = executes(one) ? executorOf({ execute: 'python' }, reach) : undefined;
        const result = executor
          ? await runRehearsalWith(one, rehearsed!, executor)
          : runRehearsal(one, rehearsed!);
        results.push({ ...result, seconds: 0 });
      }
      return jsonReport([{ file, playbook: rehearsed?.playbook.file ?? '', diagnostics, results }]);
    },
  }),
  assistantTool({
    name: 'simulate',
    ...READS,
    description:
      'Run a playbook many times with mocked tools that fail, are lost or repeated at random, and check invariants. Each fault found comes with a rehearsal that shows it.',
    input: z.object({
      playbook,
      faults: z
        .string()
        .optional()
        .describe('The YAML text of a faults file, or its name; default: typical faults'),
      seeds: z.int().min(1).max(2_000).default(200),
    }),
    async run(input, reach) {
      const { plan, file = 'playbook.yaml' } = await planOf(input.playbook, reach);
      const given =
        input.faults === undefined ? { text: STANDARD_FAULTS } : await fileText(input.faults, reach);
      const { simulation, diagnostics } = readSimulation(given.text, {
        file: 'faults',
        plan,
        kinds: reach.kinds,
      });
      if (!simulation) throw invalid('the faults file', diagnostics);
      const setting = new Setting(plan, simulation, [], reach.kinds);
      const seeds = { first: 1, count: input.seeds };
      return simulationResult(setting, runSeeds(setting, seeds), seeds, file);
    },
  }),
  assistantTool({
    name: 'check_deep',
    ...READS,
    description:
      'Explore every state that runs of a playbook can come to: every result of every task, every undecided guard, every order. Answers what is wrong in some of them (dead ends, races, what never runs), each with the steps that lead there.',
    input: z.object({
      playbook,
      bound: z
        .int()
        .min(0)
        .max(10)
        .default(2)
        .describe('How many loop items, repetitions and cycle rounds to distinguish'),
      sent: z.array(z.string()).default([]).describe('Names of events that are sent from outside'),
    }),
    async run({ bound, sent, ...input }, reach) {
      const { plan } = await planOf(input.playbook, reach);
      const { findings, notCovered, ...checked } = checkDeep(plan, { bound, sent: new Set(sent) });
      return {
        ok: findings.every(({ severity }) => severity === 'info'),
        ...checked,
        not_covered: notCovered,
        findings: findings.map(({ node: _, race: __, at: [line, column], ...one }) => ({
          ...one,
          line,
          column,
        })),
      };
    },
  }),
  assistantTool({
    name: 'coverage',
    ...READS,
    description:
      'Which steps, arcs, rules and error paths of a playbook rehearsals or past executions touched, and which never.',
    input: z.object({
      playbook,
      rehearsal: rehearsal.optional(),
      executions: z.array(execution).max(MOST_VERIFIED).default([]),
    }),
    async run(input, reach) {
      const { plan } = await planOf(input.playbook, reach);
      const touches: Touches = {};
      let runs = 0;
      if (input.rehearsal !== undefined) {
        const { rehearsed, diagnostics } = await rehearsalsIn(input.rehearsal, input.playbook, reach);
        if (!rehearsed) throw invalid('the rehearsal', diagnostics);
        const coverage = new Coverage();
        for (const one of rehearsed.rehearsals)
          runRehearsal(one, rehearsed, (events) => coverage.take(events));
        addTouches(touches, coverage.touches);
        runs += rehearsed.rehearsals.length;
      }
      const sum = emptyVerificationTally();
      for (const id of input.executions) await judge(reach, id, { now: plan }, sum);
      addTouches(touches, sum.touches);
      return coveredBy(plan, touches, runs + sum.executions);
    },
  }),
] as const;

async function judge(
  reach: AssistantReach,
  id: string,
  {
    execute: executor,
    ...versions
  }: { readonly old?: Plan; readonly now: Plan; readonly execute?: CallExecutor },
  sum: ReturnType<typeof emptyVerificationTally>,
): Promise<void> {
  try {
    const verdict = await reach.history(id, ({ pages, converter, workflowId }) =>
      verdictOf(pages, versions, { converter, ...compact({ workflowId, execute: executor }) }),
    );
    tally(sum, id, verdict);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    tallyUnread(sum, id, `${error.message} [${error.code}]`);
  }
}

async function rehearsalsIn(
  given: string,
  playbookGiven: string | undefined,
  reach: AssistantReach,
): Promise<ReadFile & { readonly file: string }> {
  const { text, file = 'rehearsal' } = await fileText(given, reach);
  // It names its playbook, unless that was given.
  const named = /^playbook:\s*['"]?([^'"#\n]+)/m.exec(text)?.[1]?.trim();
  const source = playbookGiven ?? named;
  const whole = named === undefined ? `playbook: playbook.yaml\n${text}` : text;
  if (source === undefined)
    throw new CodedError('NO_PLAYBOOK', 'neither `playbook` nor the rehearsal says of which playbook it is');
  const loaded = await planOf(source, reach);
  const load = (name: string): { file: string; plan: Plan } => ({
    file: loaded.file ?? name,
    plan: loaded.plan,
  });
  return { ...readRehearsals(whole, { file, load, kinds: reach.kinds }), file };
}

async function starter(given: string | undefined, reach: AssistantReach): Promise<object> {
  if (given === undefined)
    throw new CodedError('NO_PLAYBOOK', 'give a `rehearsal`, or a `playbook` to write a first one for');
  const { plan, file } = await planOf(given, reach);
  const { text, toFill } = starterRehearsal(plan, file ?? `${plan.metadata.name}.yaml`, reach.kinds);
  return { rehearsal: text, ...(toFill !== undefined && { to_fill_in: toFill }) };
}

/** @throws CodedError `NO_EXECUTION` */
function executorOf(
  { execute: kind }: { readonly execute?: 'python' | undefined },
  { execute: run }: AssistantReach,
): CallExecutor | undefined {
  if (kind === undefined || run) return kind && run;
  throw new CodedError('NO_EXECUTION', 'no code is executed here', {
    hint: [
      '`noetl-temporal mcp --server URL` executes it on the machine of the assistant; or answer with `outcomes`.',
    ],
  });
}

/** Texts of several lines that differ, code for example, as the lines that differ. */
function withLines<T>(value: T): T {
  if (Array.isArray(value)) return value.map((one) => withLines<unknown>(one)) as T;
  if (!isMapping(value)) return value;
  const { recorded, now, ...others } = value;
  const isCode =
    typeof recorded === 'string' && typeof now === 'string' && `${recorded}${now}`.includes('\n');
  const shown = isCode ? { ...others, changed_lines: hunksOf(recorded, now) } : value;
  return Object.fromEntries(Object.entries(shown).map(([key, one]) => [key, withLines(one)])) as T;
}
