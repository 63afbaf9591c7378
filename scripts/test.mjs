import { prepare, run } from './prepare.mjs';

prepare();
run('vitest', 'vitest', ['run', ...process.argv.slice(2)]);
