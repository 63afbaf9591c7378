import { prepare } from './prepare.mjs';

prepare();
process.argv.splice(2, 0, 'demo');
await import('../dist/cli/main.js');
