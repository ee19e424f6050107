/**
 * `npm run bench [-- engine history …]`: benchmarks, run manually; without a name, `compare`.
 */
const benches: Record<string, (args: string[]) => Promise<void>> = {
  compare: async (args) => (await import('./compare/compare.js')).benchCompare(args),
  template: async () => (await import('./template.js')).benchTemplate(),
  compile: async () => (await import('./compile.js')).benchCompile(),
  complete: async (args) => (await import('./complete.js')).benchComplete(args),
  engine: async () => (await import('./engine.js')).benchEngine(),
  history: async () => (await import('./history.js')).benchHistory(),
  submissions: async () => (await import('./submissions.js')).benchSubmissions(),
  cost: async () => (await import('./cost.js')).benchCost(),
  simulate: async (args) => (await import('./simulate.js')).benchSimulate(args),
  verify: async (args) => (await import('./verify.js')).benchVerify(args),
  rate: async () => void (await (await import('./rate.js')).benchRate()),
  load: async (args) => (await import('./load/load.js')).benchLoad(args),
  soak: async (args) => (await import('./load/soak.js')).benchSoak(args),
  sandbox: async (args) => (await import('./sandbox.js')).benchSandbox(args),
  endless: async () => (await import('./endless.js')).benchEndless(),
  hostile: async () => (await import('./hostile.js')).benchHostile(),
  reading: async (args) => (await import('./reading.js')).benchReading(args),
  bombs: async (args) => (await import('./bombs/bombs.js')).benchBombs(args),
  fuzz: async (args) => (await import('./fuzz.js')).benchFuzz(args),
  triggers: async (args) => (await import('./triggers.js')).benchTriggers(args),
  cursor: async (args) => (await import('./cursor.js')).benchCursor(args),
  console: async () => (await import('./console.js')).benchConsole(),
};

async function main(given: string[]): Promise<void> {
  const flags = given.findIndex((word) => word.startsWith('--'));
  const [asked, args] = flags < 0 ? [given, []] : [given.slice(0, flags), given.slice(flags)];
  const unknown = asked.find((name) => !Object.hasOwn(benches, name));
  if (unknown !== undefined) {
    console.error(`no benchmark ${unknown}; there are ${Object.keys(benches).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  for (const name of asked.length > 0 ? asked : ['compare']) {
    console.error(`\n${name}`);
    await benches[name]!(args);
  }
}

main(process.argv.slice(2)).catch((error: NodeJS.ErrnoException) => {
  console.error(error.code?.startsWith('ERR_PARSE_ARGS') ? error.message : error);
  process.exitCode = 2;
});
