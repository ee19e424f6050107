/** A mapping of a subscription, by its keys; what is of another type is reported by its shape. */
import { catalogPath, pathProblem, secondsOf } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { head } from '../schema/check';
import { asMap, child, itemsOf, type MapNode, presentValue, type YamlNode } from '../yaml/node';

export class Fields {
  constructor(
    readonly map: MapNode | undefined,
    readonly report: Report,
  ) {}

  node(key: string): YamlNode | undefined {
    return presentValue(this.map, key);
  }

  /** A scalar as text, a number and a boolean too. */
  text(key: string): string | undefined {
    return plainText(child(this.map, key));
  }

  isTrue(key: string): boolean {
    return this.text(key) === 'true';
  }

  seconds(key: string): number | undefined {
    return secondsOf(this.text(key));
  }

  texts(key: string): string[] {
    return itemsOf(child(this.map, key)).flatMap((one) => plainText(one) ?? []);
  }

  in(key: string): Fields {
    return new Fields(asMap(child(this.map, key)), this.report);
  }

  each(key: string): Fields[] {
    return itemsOf(child(this.map, key)).map((one) => new Fields(asMap(one), this.report));
  }

  /** A whole number from 1. */
  count(key: string, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const text = this.text(key);
    const number = Number(text);
    if (text === undefined) return undefined;
    if (Number.isInteger(number) && number >= 1) return Math.min(number, most);
    // What is no number at all does not fit the shape.
    if (!Number.isNaN(number) || text.includes('{{'))
      this.report.add('NT2004', this.node(key)!, `\`${key}\` is a whole number from 1`);
    return undefined;
  }

  /** Something that is needed is not there. */
  lacks(what: string, hint?: string): void {
    if (this.map) this.report.add('NT2005', head(this.map), what, hint);
  }

  /** A path of the catalog. */
  path(key: string, hint?: string): string | undefined {
    const path = plainText(this.node(key));
    const problem = path ? pathProblem(catalogPath(path)) : undefined;
    if (problem) this.report.add('NT2062', this.node(key)!, `the path ${problem}`, hint);
    return path ? catalogPath(path) : undefined;
  }
}

function plainText(node: YamlNode | undefined): string | undefined {
  return node?.kind === 'scalar' && node.value !== null ? String(node.value) : undefined;
}
