/**
 * The program of the shell that becomes a command. It reads it from its standard input, so that the command's environment
 * is in no other process's, and in no argument, which every user of the machine can read.
 */

/** Variables that a shell may refuse to set: it is asked first. */
const PARTICULAR = /^(UID|EUID|PPID|OPTIND|SHELLOPTS|BASHOPTS|BASH_VERSINFO)$/;

/**
 * @param before lines that run first, with an environment of nothing but a PATH of the system
 * @param env names must be those of shell variables
 * @param reads the redirection of the command's input
 */
export function launch(
  before: readonly string[],
  env: Readonly<Record<string, string>>,
  reads = '</dev/null',
): string {
  const variables = Object.entries(env).map(([name, value]) => {
    const set = `${name}='${value.replaceAll("'", `'\\''`)}'`;
    return PARTICULAR.test(name) ? `if (${set}) 2>/dev/null; then export ${set}; fi` : `export ${set}`;
  });
  return [...before, ...variables, `exec "$@" ${reads}`, ''].join('\n');
}
