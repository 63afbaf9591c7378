import { prepare, run } from './prepare.mjs';

prepare();
const args = process.argv.slice(2);
const isNamed = args.some((arg) => !arg.startsWith('-'));
const hasProject = args.some((arg) => arg.startsWith('--project'));
// Whoever names files or tests means all that match, except what takes many minutes by itself.
const project = isNamed ? '!deep' : 'short*';
run('vitest', 'vitest', ['run', ...(hasProject ? [] : [`--project=${project}`]), ...args]);
