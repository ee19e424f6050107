// The text changes of a release, and checks of file lists, without reading or writing files.
const dockerignore = require('@balena/dockerignore');
const semver = require('semver');

const UNRELEASED = /^## \[Unreleased\]\n([^]*?)(?=^## \[|(?![^]))/m;

/** A user error: reported without a stack trace. */
class ReleaseError extends Error {}

/**
 * The version to release.
 *
 * @param current of package.json
 * @param changelog the text of CHANGELOG.md
 * @param asked a version, or `major`, `minor`, `patch`; undefined for the current one, if it was never released
 */
function versionToRelease(current, changelog, asked) {
  const isReleased = sectionOf(changelog, current) !== undefined;
  if (asked === undefined && isReleased)
    throw new ReleaseError(`${current} is released: say which version comes next, or major, minor, patch`);
  const version = asked === undefined ? current : (semver.valid(asked) ?? semver.inc(current, asked));
  if (version === null) throw new ReleaseError(`${asked} is no version, and none of major, minor, patch`);
  if (semver.lt(version, current) || (isReleased && version === current))
    throw new ReleaseError(`${version} does not come after ${current}`);
  return version;
}

/** The text below the heading of a version; undefined if there is none. */
function sectionOf(changelog, version) {
  const lines = changelog.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (from < 0) return undefined;
  const to = lines.findIndex((line, at) => at > from && line.startsWith('## ['));
  return lines
    .slice(from + 1, to < 0 ? undefined : to)
    .join('\n')
    .trim();
}

/**
 * Turns the unreleased section into the section of a version.
 *
 * @param date YYYY-MM-DD
 * @throws ReleaseError if it is empty
 */
function releasedChangelog(changelog, version, date) {
  const [, body = ''] = UNRELEASED.exec(changelog) ?? [];
  if (!/^- /m.test(body)) throw new ReleaseError('CHANGELOG.md has nothing under Unreleased');
  return changelog.replace(UNRELEASED, () => `## [Unreleased]\n\n## [${version}] - ${date}\n${body}`);
}

/** Sets the version in package.json, or in both places of package-lock.json; everything else is unchanged. */
function withVersion(json, version) {
  const { packages } = JSON.parse(json);
  const places = packages ? 2 : 1;
  let at = 0;
  return json.replace(/^(\s+"version": )"[^"]*"/gm, (found, head) =>
    at++ < places ? `${head}"${version}"` : found,
  );
}

function chartWithVersion(yaml, version) {
  return yaml.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`);
}

/** Files that users do not need, or must not be published. */
const UNWANTED = [
  { why: 'a test', is: /\.test\.[cm]?(js|ts)$|(^|\/)test\/(?!.*\.rehearsal\.yaml$)/ },
  { why: 'a source map', is: /\.map$/ },
  { why: 'a secret or a log', is: /(^|\/)(\.env[^/]*|[^/]*\.(pem|key|log)|\.npmrc)$/ },
  {
    why: 'left by a build or a run',
    is: /(^|\/)(\.noetl|node_modules|__pycache__)\/|^coverage\/|tsbuildinfo$|(^|\/)\.built$/,
  },
  { why: 'a benchmark', is: /^dist\/bench\// },
];

/**
 * Problems with the content of the package.
 *
 * @param files paths in the tarball
 * @param manifest its package.json, parsed
 * @param needed required paths besides the entries of the manifest
 */
function tarballProblems(files, manifest, needed) {
  const there = new Set(files);
  const entries = [manifest.bin, ...Object.values(manifest.exports)]
    .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    .map((file) => file.replace(/^\.\//, ''));
  const missing = [...entries, ...needed].filter((file) => !there.has(file));
  return [
    ...(manifest.private ? ['package.json says private: npm would not publish it'] : []),
    ...missing.map((file) => `${file} is missing`),
    ...files.flatMap((file) =>
      UNWANTED.filter(({ is }) => is.test(file)).map(({ why }) => `${file} is ${why}`),
    ),
  ];
}

/** Sources of `COPY` from the build context. */
function copiedFrom(dockerfile) {
  return [...dockerfile.matchAll(/^COPY (?!.*--from=)(?:--\S+ )*(.+)$/gm)].flatMap(([, paths]) =>
    paths.trim().split(/\s+/).slice(0, -1),
  );
}

/**
 * The files of the repository from which an image is built.
 *
 * @param files of the repository
 * @param ignored the text of the .dockerignore
 * @returns the files, and their problems
 */
function imageContext(files, ignored, dockerfile) {
  const sent = files.filter(dockerignore().add(ignored).createFilter());
  const missing = copiedFrom(dockerfile)
    .filter((source) => source !== '.' && !sent.includes(source))
    .map((source) => `COPY ${source}: it is not in the context`);
  const unwanted = sent.filter((file) =>
    /(^|\/)(\.env[^/]*|[^/]*\.pem|\.noetl\/.*)$|^(node_modules|dist)\//.test(file),
  );
  return { sent, problems: [...missing, ...unwanted.map((file) => `${file} must not be in the context`)] };
}

module.exports = {
  ReleaseError,
  chartWithVersion,
  copiedFrom,
  imageContext,
  releasedChangelog,
  sectionOf,
  tarballProblems,
  versionToRelease,
  withVersion,
};
