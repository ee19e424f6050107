import { compact } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { nextAsRouter } from '../fixes/structure';
import { inputsOf } from '../vocabulary/inputs';
import { structuralNext } from '../vocabulary/case';
import { writesOf } from '../vocabulary/writes';
import {
  asMap,
  asText,
  child,
  entry,
  isNull,
  itemsOf,
  type MapNode,
  presentValue,
  type YamlNode,
} from '../yaml/node';
import { type ArcDoc, type RouterDoc } from './document';

const ROUTER = { hint: 'write `next: {arcs: [{step: …}]}`', ...nextAsRouter };

/** The router of a step, from any form of `next`; undefined if there is none. */
export function readRouter(step: MapNode, report: Report): RouterDoc | undefined {
  const next = entry(step, 'next');
  if (next === undefined || isNull(next.value)) return undefined;
  const { value } = next;
  const ofStep = modeOf(child(step, 'spec'), 'next_mode');
  // With `case` only the structural form is allowed: arcs would conflict.
  const old = entry(step, 'case') === undefined;
  if (value.kind !== 'map') {
    if (old) report.add('NT5008', next.at, 'this `next` is a list or a name', ROUTER);
    return { ...structuralNext(value, report), ...compact({ mode: ofStep }) };
  }
  const arcs = entry(value, 'arcs');
  const step1 = entry(value, 'step');
  if (step1 !== undefined) {
    if (arcs !== undefined) {
      report.add(
        'NT2006',
        step1.at,
        '`next.step` and `next.arcs` both say where the token goes',
        'keep `next.arcs`',
      );
    } else {
      if (old) {
        report.add('NT5008', next.at, 'this `next` names its step directly', ROUTER);
      }
      return structuralNext(value, report);
    }
  }
  if (arcs === undefined || isNull(arcs.value)) {
    report.add('NT2005', arcs?.at ?? next.at, '`next` needs `arcs`: a list of `{step, when}`');
    return undefined;
  }
  return {
    mode: modeOf(child(value, 'spec'), 'mode') ?? ofStep ?? 'exclusive',
    arcs: itemsOf(arcs.value).flatMap((item) => (item.kind === 'map' ? readArc(item, report) : [])),
  };
}

/** `exclusive` or `inclusive`; what else it says is reported by its shape. */
function modeOf(spec: YamlNode | undefined, key: string): RouterDoc['mode'] | undefined {
  const mode = asText(child(asMap(spec), key));
  return mode === 'inclusive' || mode === 'exclusive' ? mode : undefined;
}

function readArc(arc: MapNode, report: Report): ArcDoc[] {
  const step = child(arc, 'step');
  const target = asText(step);
  if (step === undefined || target === undefined) return [];
  const when = presentValue(arc, 'when');
  return [
    {
      at: step,
      target,
      ...(when?.kind === 'scalar' ? { when } : {}),
      inputs: inputsOf(arc, report),
      writes: writesOf(arc, report, ['with', 'args', 'input']),
    },
  ];
}
