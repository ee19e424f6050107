import path from 'node:path';

/** How a file refers to another one: `./playbook.yaml`, `../other.yaml`. */
export function relativeTo(file: string, other: string): string {
  const relative = path.relative(path.dirname(file), other);
  return relative.startsWith('.') ? relative : `./${relative}`;
}
