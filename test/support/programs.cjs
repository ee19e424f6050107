/**
 * Programs of the system that tests need. Where CI is set, those that are missing are installed once before all tests,
 * if the machine is a Debian and this is root; elsewhere the tests that need them are skipped (present.ts).
 */
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

/** Debian's packages, by a program of each. */
const PACKAGES = {
  '/usr/bin/chromium': 'chromium',
  '/usr/bin/bwrap': 'bubblewrap',
  '/usr/bin/slirp4netns': 'slirp4netns',
  '/usr/sbin/nft': 'nftables',
  '/usr/bin/promtool': 'prometheus',
};

module.exports = function installPrograms() {
  if (!process.env.CI || process.getuid?.() !== 0 || !fs.existsSync('/usr/bin/apt-get')) return;
  const missing = Object.keys(PACKAGES).filter((program) => !fs.existsSync(program));
  if (missing.length === 0) return;
  const packages = missing.map((program) => PACKAGES[program]);
  console.error(`Installing for the tests: ${packages.join(', ')}`);
  for (const command of [['update'], ['install', '--yes', '--no-install-recommends', ...packages]]) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { status, stderr } = spawnSync('apt-get', command, { env, encoding: 'utf8', timeout: 300_000 });
    // Not an error yet: the tests that need what is missing say so.
    if (status !== 0) return console.error(`apt-get ${command.join(' ')}: ${stderr}`);
  }
};
