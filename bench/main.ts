/** `npm run bench [-- overhead|engine|history|template|compile|submissions|hostile …]`: benchmarks, run by hand. */
const benches: Record<string, () => Promise<void>> = {
  template: async () => (await import('./template.js')).benchTemplate(),
  compile: async () => (await import('./compile.js')).benchCompile(),
  engine: async () => (await import('./engine.js')).benchEngine(),
  history: async () => (await import('./history.js')).benchHistory(),
  overhead: async () => (await import('./overhead.js')).benchOverhead(),
  submissions: async () => (await import('./submissions.js')).benchSubmissions(),
  hostile: async () => (await import('./hostile.js')).benchHostile(),
};

async function main(asked: string[]): Promise<void> {
  const unknown = asked.find((name) => !Object.hasOwn(benches, name));
  if (unknown !== undefined) {
    console.error(`no benchmark ${unknown}; there are ${Object.keys(benches).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  for (const name of asked.length > 0 ? asked : Object.keys(benches)) {
    console.log(`\n${name}`);
    await benches[name]!();
  }
}

void main(process.argv.slice(2));
