import { prepare, run } from './prepare.mjs';

prepare();
run('tsc', 'typescript', ['-p', 'packages/client/tsconfig.json']);
