import { prepare, run } from './prepare.mjs';

prepare();
const args = process.argv.slice(2);
// Whoever names files, tests or a suite means all that match.
const isNamed = args.some((arg) => !arg.startsWith('-') || arg.startsWith('--project'));
run('vitest', 'vitest', ['run', ...(isNamed ? [] : ['--project=short*']), ...args]);
