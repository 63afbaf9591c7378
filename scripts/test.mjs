import { prepare, run } from './prepare.mjs';

await prepare();
const args = process.argv.slice(2);
const isNamed = args.some((arg) => !arg.startsWith('-'));
const hasProject = args.some((arg) => arg.startsWith('--project'));
// If files or tests are named, run all that match, except those that take many minutes.
const project = isNamed ? '!deep' : 'short*';
run('vitest', 'vitest', ['run', ...(hasProject ? [] : [`--project=${project}`]), ...args]);
