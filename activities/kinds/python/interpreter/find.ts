/** Selects the Python interpreter and its environment. */

/** `NOETL_PYTHON`, else `python3`, else `python`: names or paths, tried in this order. */
export function pythonCandidates(env: NodeJS.ProcessEnv = process.env): string[] {
  const chosen = env['NOETL_PYTHON']?.trim();
  return chosen ? [chosen] : ['python3', 'python'];
}

const ALLOWED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TEMP|TMP|PYTHON(PATH|HOME|WARNINGS|HASHSEED|UTF8|USERBASE|NOUSERSITE)|VIRTUAL_ENV|PYENV_.*|CONDA_.*|LD_LIBRARY_PATH|DYLD_.*|https?_proxy|no_proxy|all_proxy|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/i;

/**
 * The environment variables visible to code: those an interpreter needs, and those named by `NOETL_PYTHON_ENV`
 * (comma-separated). Others are withheld, because they may contain credentials.
 */
export function pythonEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const extra = new Set((env['NOETL_PYTHON_ENV'] ?? '').split(',').map((name) => name.trim()));
  const chosen = Object.entries(env).filter(([name]) => ALLOWED.test(name) || extra.has(name));
  const preload = env['NOETL_PYTHON_PRELOAD'];
  return { ...Object.fromEntries(chosen), ...(preload && { NOETL_PYTHON_PRELOAD: preload }) };
}
