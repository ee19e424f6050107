import { type MapEntry } from '../yaml/node';
import { type Asides, type Stand, type TaskDoc, type TaskPlace } from './document';
import { readSink } from './sink';

/** The asides of a step, under their own names or `<step>_sink`, `<step>_sink_2`, … */
export class StepAsides implements Asides {
  readonly tasks: TaskDoc[] = [];
  /** Used names: a sink may contain others, which are stored before it. */
  private readonly given = new Set<string>();

  constructor(private readonly step: string) {}

  add(task: TaskDoc): void {
    this.tasks.push(task);
  }

  read(sink: MapEntry, place: TaskPlace, stands: Stand): string[] {
    const items = sink.value.kind === 'list' ? sink.value.items : [sink.value];
    return items.flatMap((item) => {
      const task = readSink(item, sink, { ...place, name: this.freeName(), stands });
      if (task === undefined) return [];
      this.tasks.push(task);
      return [task.name];
    });
  }

  private freeName(): string {
    let name = `${this.step}_sink`;
    for (let i = 2; this.given.has(name); i += 1) name = `${this.step}_sink_${i}`;
    this.given.add(name);
    return name;
  }
}
