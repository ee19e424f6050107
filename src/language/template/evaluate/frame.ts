import { type TemplateScope } from '../scope';

/** Names that statements bind: loop variables, `set`, macro parameters. Inner frames hide outer ones. */
export class TemplateFrame {
  private readonly names = new Map<string, unknown>();

  constructor(
    private readonly outer: TemplateFrame | undefined,
    private readonly scope: TemplateScope,
  ) {}

  lookup(name: string): unknown {
    if (this.names.has(name)) return this.names.get(name);
    return this.outer ? this.outer.lookup(name) : this.scope.lookup(name);
  }

  set(name: string, value: unknown): void {
    this.names.set(name, value);
  }

  inner(): TemplateFrame {
    return new TemplateFrame(this, this.scope);
  }
}
