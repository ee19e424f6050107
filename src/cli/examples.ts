/** Examples in the help of every command: the command line and its effect. A test parses each of them. */
import { type Command } from 'commander';

type Examples = Readonly<Record<string, string>>;

const ID = '287146398761160704';

/** By full command name. */
const EXAMPLES: Readonly<Record<string, Examples>> = {
  init: {
    'init shop --template api-to-postgres': 'a folder to begin with; README.md there says how to run it',
    'init --list': 'what there is to begin with',
  },
  run: {
    'run playbooks/hello_world.yaml': 'starts everything it needs, and stops it afterwards',
    'run playbooks/hello_world.yaml --set name=Ada --set language=fr': 'other inputs',
    [`run etl.yaml --only load --input '{"rows": [1, 2]}'`]: 'run one step alone',
    [`run etl.yaml --only load --from ${ID}`]: 'run one step again, with the input it had there',
    'run examples/hello --payload @inputs.json --json': 'for scripts: print one JSON document',
  },
  validate: {
    'validate playbooks/*.yaml': 'every problem at once',
    'validate --strict --format sarif playbooks': 'for code scanning',
    'validate --fix playbook.yaml': 'change what has one right answer',
  },
  check: {
    'check --deep etl.yaml': 'everything that can happen in a run, and what is wrong with it',
    'check --deep playbooks --sarif': 'for code scanning',
    'check --deep etl.yaml --sent approved --to-rehearsal found': 'a test for each finding',
  },
  test: {
    'test playbooks': 'all rehearsals below the folder',
    'test --init playbooks/hello_world.yaml': 'write a first rehearsal',
  },
  compile: { 'compile playbooks/hello_world.yaml': 'the plan, as JSON' },
  graph: {
    'graph playbooks/fan_out_reduce.yaml --format svg': 'as an image',
    'graph etl.yaml --format svg --coverage covered.json': 'mark what coverage --json found untouched',
  },
  lsp: { lsp: 'an editor starts it: docs/editor.md' },
  schema: {
    schema: 'of playbooks',
    'schema --rehearsal': 'of rehearsal files',
    'schema --faults': 'of faults files for simulate',
  },
  render: {
    "render '{{ [1, 2] | sum }}'": 'try an expression',
    "render --context '{\"n\": 2}' '{{ n + 1 }}'": 'with values for its names',
  },
  mcp: {
    mcp: 'for an assistant that starts it in a folder of playbooks',
    'mcp --server http://127.0.0.1:8082 --read-only': 'on a facade, with the token NOETL_TOKEN',
  },
  now: { now: 'exit code 1 if something is wrong', 'now --hours 1 --json': 'for scripts' },
  events: {
    [`events ${ID}`]: 'what a run decided',
    [`events ${ID} --follow --format ndjson`]: 'follow it, for programs',
  },
  explain: { [`explain ${ID} --step fetch`]: 'why it continued as it did' },
  view: {
    'view history.json --html run.html': 'to open anywhere, or send to someone',
    [`view ${ID} --html run.html --server http://127.0.0.1:8082`]: 'of a facade',
  },
  replay: {
    [`replay ${ID}`]: 'whether this release would decide the same',
    'replay --where "path=etl/* since=1d"': 'all executions of a day, before an upgrade',
  },
  diff: { [`diff ${ID} 287146398761160705`]: 'what two runs did differently' },
  rerun: {
    [`rerun ${ID} --from load`]: 'keep what was done before the step',
    [`rerun ${ID} --from load --playbook fixed.yaml`]: 'with a new revision',
    'rerun --where "path=etl/* code=HTTP_5* since=2d" --dry-run': 'many executions: look first',
    'rerun --where "path=etl/load since=2d" --from-failure --rate 5/s':
      'many executions, each from the step that failed',
  },
  whatif: {
    [`whatif ${ID} --playbook fixed.yaml`]: 'what a fix would have changed',
    [`whatif history.json --outcome 'fetch#1={error: timeout}'`]: 'if the first fetch had timed out',
    [`whatif ${ID} --playbook fixed.yaml --answers more.yaml --to-rehearsal fixed.rehearsal.yaml`]:
      'keep it as a test',
  },
  verify: {
    "verify old.yaml new.yaml --against 'path=etl/load since=30d'": 'all executions of a month',
    'verify old.yaml new.yaml histories --markdown': 'history files, for a pull request',
  },
  simulate: {
    'simulate etl.yaml --faults etl.faults.yaml --seeds 100000': 'check invariants, whatever goes wrong',
    'simulate etl.yaml --faults etl.faults.yaml --seed 17 --to-rehearsal found.rehearsal.yaml':
      'keep what one seed found as a test',
  },
  coverage: {
    'coverage playbooks/error_path.yaml': 'what the rehearsals beside it cover',
    "coverage etl.yaml --against 'path=etl/load since=7d' --json": 'what real executions covered',
  },
  upgrade: { 'upgrade old.yaml': 'show the difference', 'upgrade old.yaml --write': 'change the file' },
  register: {
    'register playbooks/hello_world.yaml': 'as the first or next version',
    'register playbooks --server http://facade:8082': 'a folder, on another facade',
    'register new.yaml --staged': 'not as the latest yet: executions verify it first',
  },
  promote: {
    'promote etl/load': 'make the staged version the latest, if nothing would have been different',
    'promote etl/load --dry-run': 'only show what would have been different',
    'promote etl/load --yes': 'even if something would have been different',
    'promote etl/load 3 --yes': 'back to an earlier version',
  },
  unstage: { 'unstage etl/load': 'keep the latest version, and stop verifying the staged one' },
  list: {
    list: 'playbooks of the catalog',
    'list executions --status failed --limit 20': 'the latest failed ones',
    [`list audit --about ${ID}`]: 'who cancelled it, answered it, ran it again',
  },
  status: { [`status ${ID}`]: 'where it is', [`status ${ID} --json`]: 'for scripts' },
  logs: { [`logs ${ID} --step load --follow`]: 'follow the output of its tools' },
  pause: { [`pause ${ID} --reason "quota is used up"`]: 'running tasks finish' },
  resume: { [`resume ${ID}`]: 'after a pause' },
  cancel: {
    [`cancel ${ID} --reason "wrong input"`]: 'running tools are stopped',
    [`cancel ${ID} --cascade`]: 'with every execution it started',
    'cancel --where "path=etl/load since=1h"': 'all that are running, after confirmation',
  },
  'bulk list': { 'bulk list': 'operations started with --where' },
  'bulk show': { [`bulk show ${ID} --json`]: 'the outcome for each execution' },
  'bulk cancel': { [`bulk cancel ${ID}`]: 'what is done stays done' },
  'bulk resume': { [`bulk resume ${ID}`]: 'the remaining executions, each once' },
  event: {
    [`event ${ID} approved --payload '{"by": "Ada"}'`]: 'an event that a task of kind wait waits for',
  },
  answer: {
    [`answer ${ID}`]: 'what an execution asks of people',
    [`answer ${ID} amount=900 note="as agreed"`]: 'answer it',
    [`answer ${ID} --reject "too expensive"`]: 'reject it',
    [`answer ${ID} --link --server http://127.0.0.1:8082`]: 'a link for somebody without a token',
  },
  'vars list': { [`vars list ${ID}`]: 'all variables' },
  'vars set': { [`vars set ${ID} limit=10`]: 'change one' },
  'vars delete': { [`vars delete ${ID} limit`]: 'remove one' },
  dev: {
    dev: 'Temporal with its UI, Postgres, workers of every kind, REST on port 8082',
    'dev --watch playbooks': 'playbooks are registered when they are saved',
    'dev --port 9000 --data /tmp/other': 'a second one, separate from the first',
  },
  serve: {
    'serve --storage s3://bucket/noetl': 'on this machine, behind a proxy with TLS',
    'serve --host 0.0.0.0 --trust-proxy 1 --storage postgres://db/noetl': 'in a container',
  },
  worker: {
    'worker --workflows --storage s3://bucket/noetl': 'workflows only',
    'worker --kinds http,python --concurrency http=200,python=8 --storage none': 'two kinds',
    'worker --kinds http --rate http=20 --health-port 8090 --storage none': 'under an orchestrator',
  },
  'tokens create': {
    'tokens create ci --scopes run --expires 90d': 'printed once',
    'tokens create worker --scopes worker,read --from-env NOETL_TOKEN': 'register one created elsewhere',
    "tokens create pg --scopes worker,read --kinds postgres --credentials 'pg_*'":
      'limited to these credentials',
  },
  'tokens list': { 'tokens list': 'without their secrets' },
  'tokens revoke': { 'tokens revoke ci': 'rejected from now on' },
  'credentials add': { 'credentials add --file pg_prod.json': 'stored encrypted' },
  'credentials list': { 'credentials list --type postgres': 'without their data' },
  'credentials get': { 'credentials get pg_prod --show': 'with its data; the audit log records this' },
  'credentials test': { 'credentials test pg_prod': 'a worker connects with it' },
  'credentials remove': { 'credentials remove pg_prod': 'permanently' },
  'credentials audit': { 'credentials audit pg_prod --limit 20': 'who read and wrote it' },
  'credentials rotate': { 'credentials rotate': 're-encrypt with the first key of NOETL_SECRETS_KEY' },
  'schedule create': {
    'schedule create nightly etl/load --cron "0 2 * * *" --timezone Europe/Berlin': 'every night at two',
    'schedule create poll api/poll --every 5m --overlap skip --set limit=10': 'every five minutes',
    'schedule create daily etl/day --cron @daily --time-as day': 'the playbook reads workload.day',
  },
  'schedule change': {
    'schedule change nightly --cron "0 3 * * *"': 'an hour later; all else stays',
    "schedule change nightly --on 'failed: [{chat: team}]'": 'and tell somebody',
  },
  'schedule list': { 'schedule list': 'each with its next time' },
  'schedule describe': { 'schedule describe nightly': 'with the executions it started last' },
  'schedule pause': { 'schedule pause nightly --note "new source"': 'running executions continue' },
  'schedule unpause': { 'schedule unpause nightly': 'start again' },
  'schedule trigger': { 'schedule trigger nightly': 'once, now' },
  'schedule backfill': {
    'schedule backfill nightly --from 2026-11-01T00:00:00Z --to 2026-11-07T23:59:59Z':
      'a week; it counts them and asks',
    'schedule backfill nightly --from 2026-11-01T00:00:00Z --to 2026-11-07T23:59:59Z --yes': 'in a script',
  },
  'schedule delete': { 'schedule delete nightly': 'its executions remain' },
  project: {
    'project --once': 'copy all runs to tables in the Postgres of the data folder',
    'project --database postgres://user@host/db --cloudevents https://sink.example.com':
      'and to another system',
  },
  'trigger list': { 'trigger list': 'state, messages started, dead letters, what waits' },
  'trigger describe': { 'trigger describe subscriptions/orders': 'everything known of one' },
  'trigger test': {
    'trigger test subscriptions/orders --body @message.json --header "x-event: push"':
      'what would start; nothing is started',
  },
  'trigger activate': { 'trigger activate subscriptions/orders': 'take its messages' },
  'trigger pause': { 'trigger pause subscriptions/orders': 'take nothing, until resume' },
  'trigger resume': { 'trigger resume subscriptions/orders': 'take messages again' },
  'trigger drain': { 'trigger drain subscriptions/orders': 'finish what is in hand, then end it' },
  'trigger deactivate': { 'trigger deactivate subscriptions/orders': 'end it' },
  'trigger dead': { 'trigger dead subscriptions/orders': 'messages that could not be started, and why' },
  'trigger replay': {
    'trigger replay subscriptions/orders --all': 'start them again, once the cause is fixed',
  },
  'trigger drop': { [`trigger drop subscriptions/orders ${ID}`]: 'forget one' },
  triggers: {
    'triggers --database postgres://user@host/db --health-port 8091': 'take messages of active subscriptions',
  },
  'notifications list': { 'notifications list --status dead': 'what could not be delivered, and why' },
  'notifications retry': { 'notifications retry --dead': 'send all of them again, once the cause is fixed' },
  'notifications silence': {
    "notifications silence 'etl/*' --for 2h --reason 'the warehouse moves'":
      'nobody is notified of these playbooks meanwhile',
  },
  'notifications silences': { 'notifications silences': 'what is silenced, until when, by whom' },
  'notifications targets': { 'notifications targets': 'the targets that playbooks may name' },
  'storage expire': {
    'storage expire --retention 90d --dry-run': 'what would be removed',
    'storage expire': 'by NOETL_RETENTION; `project` does it every hour',
  },
  'storage gc': { 'storage gc --older-than 30d --dry-run': 'what would be deleted' },
  'cache list': { 'cache list --path etl/*': 'results that equal calls would reuse' },
  'cache clear': {
    'cache clear --path etl/load --step fetch': 'run it again the next time',
    'cache clear --expired': 'free the space',
  },
  help: { 'help schedule create': 'same as `schedule create --help`' },
  doctor: {
    doctor: 'what is missing, and how to fix it',
    'doctor --json': 'for scripts',
    'doctor --after-restore': 'whether restored parts are consistent',
  },
  completion: {
    'completion bash > ~/.local/share/bash-completion/completions/noetl-temporal': 'bash',
    'completion zsh > "${fpath[1]}/_noetl-temporal"': 'zsh',
    'completion fish > ~/.config/fish/completions/noetl-temporal.fish': 'fish',
  },
};

/** Adds the examples to the help of all subcommands. */
export function addExamples(root: Command): void {
  for (const [name, command] of leavesOf(root)) {
    const lines = Object.entries(EXAMPLES[name] ?? {}).map(
      ([line, does]) => `  # ${does}\n  ${root.name()} ${line}`,
    );
    if (lines.length > 0) command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  }
}

/** Commands without subcommands, by full name. */
export function leavesOf(command: Command, above: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((one) => {
    const names = [...above, one.name()];
    return one.commands.length > 0 ? leavesOf(one, names) : [[names.join(' '), one] as [string, Command]];
  });
}

export function examplesOf(name: string): readonly string[] {
  return Object.keys(EXAMPLES[name] ?? {});
}

/** Names of commands with examples. */
export const EXEMPLIFIED: readonly string[] = Object.keys(EXAMPLES);
