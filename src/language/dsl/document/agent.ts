/** Kind `agent` with `framework: noetl`: a playbook that is called as an agent (docs/sub-playbooks.md#agents). */
import { type Report } from '../diagnostics/diagnostic';
import { followedBy } from '../fixes/words';
import { head } from '../schema/check';
import {
  asMap,
  asText,
  describe,
  entry,
  type MapEntry,
  type MapNode,
  mergeMaps,
  presentValue,
  without,
} from '../yaml/node';

const SERVED =
  '`framework: noetl` calls a playbook, `framework: claude` runs a model with playbooks as its tools';

/** Frameworks whose agents are objects or programs in the official worker, and how their code is run instead. */
const INSTEAD: ReadonlyMap<string | undefined, string> = new Map([
  ['langchain', 'call it from `kind: python`'],
  ['adk', 'call it from `kind: python`'],
  ['custom', 'call its code from `kind: python`'],
  ['claude-code', 'run the program with `kind: shell`'],
]);

/** The names of the agent's fields in a call. */
const AS_CALL: Readonly<Record<string, string>> = { entrypoint: 'path', wait_timeout_seconds: 'timeout' };

/** Fields without effect: they say how an object is made and called, and a playbook is none. */
const OF_OBJECTS = ['entrypoint_mode', 'entrypoint_args', 'invoke_method', 'invoke_kwargs', 'input_arg'];
const DROPPED: ReadonlySet<string> = new Set(['on_failure', ...OF_OBJECTS]);

/**
 * What runs a tool. Of an agent: for `framework: noetl` a task of kind `playbook`, whose field `framework` asks for the
 * envelope of an agent; for `framework: claude` the tool itself. Undefined, with a diagnostic, if nothing can.
 */
export function agentTool(tool: MapNode, report: Report): MapNode | undefined {
  const kind = entry(tool, 'kind');
  if (kind === undefined || asText(kind.value) !== 'agent') return tool;
  const written = presentValue(tool, 'framework');
  const framework = asText(written);
  if (framework === 'claude') return tool;
  if (written === undefined) {
    reportMissing(tool, kind, report);
    return undefined;
  }
  if (framework !== 'noetl') {
    const instead = INSTEAD.get(framework);
    const message = `nothing here runs agents of ${framework === undefined ? describe(written) : `\`${framework}\``}`;
    report.add('NT2050', written, message, instead === undefined ? SERVED : `${instead}; ${SERVED}`);
    return undefined;
  }
  if (presentValue(tool, 'entrypoint') === undefined) {
    const hint = 'the `metadata.path` of the playbook';
    report.add('NT2051', head(tool), '`agent` with `framework: noetl` needs `entrypoint`', hint);
    return undefined;
  }
  reportDiagnosis(tool, report);
  const called = withOverrides(tool, report);
  const entries = without(called, DROPPED).entries.map((each): MapEntry => {
    if (each.key !== 'kind') return { ...each, key: AS_CALL[each.key] ?? each.key };
    return {
      ...each,
      value: { ...kind.value, kind: 'scalar', value: 'playbook', offsetOf: () => kind.value.start },
    };
  });
  return { ...called, entries };
}

/** Where its fields say which framework it is, the fix says so too. */
function reportMissing(tool: MapNode, { at }: MapEntry, report: Report): void {
  const has = (...keys: string[]): boolean => keys.some((key) => presentValue(tool, key) !== undefined);
  const isModel = has('model') && has('prompt') && has('auth', 'credential');
  const framework = has('entrypoint') ? 'noetl' : isModel ? 'claude' : undefined;
  const remedy = framework ? { hint: SERVED, ...followedBy(`framework: ${framework}`) } : SERVED;
  report.add('NT2051', at, '`agent` needs `framework`', remedy);
}

/** `on_failure` starts a second playbook, which only a step can. */
function reportDiagnosis(tool: MapNode, report: Report): void {
  const failure = entry(tool, 'on_failure');
  const troubleshoot = presentValue(asMap(failure?.value), 'troubleshoot');
  if (failure === undefined || (troubleshoot?.kind === 'scalar' && troubleshoot.value === false)) return;
  const hint =
    'call the diagnosing playbook in a step behind an arc with `when: "{{ <step>.status == \'error\' }}"`';
  report.add('NT2052', failure.at, '`agent` does not diagnose failures: `on_failure` has no effect', hint);
}

/** `invoke_kwargs` are laid over the payload. */
function withOverrides(tool: MapNode, report: Report): MapNode {
  const over = entry(tool, 'invoke_kwargs');
  const kwargs = asMap(over?.value);
  if (over === undefined || kwargs === undefined) return tool;
  const payload = presentValue(tool, 'payload') ?? presentValue(tool, 'input');
  if (payload !== undefined && payload.kind !== 'map') {
    const message = '`invoke_kwargs` are laid over a payload that is no mapping';
    report.add('NT2006', over.at, message, 'write the payload as a mapping, with these keys in it');
  }
  const entries = without(tool, new Set(['payload', 'input'])).entries;
  return {
    ...tool,
    entries: [...entries, { ...over, key: 'payload', value: mergeMaps(asMap(payload), kwargs)! }],
  };
}
