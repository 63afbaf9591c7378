import { prepare, run } from './prepare.mjs';

await prepare();
console.log('Format and lint …');
run('biome', '@biomejs/biome', ['check', '.']);
console.log('Types …');
run('tsc', 'typescript', ['-p', 'tsconfig.json']);
run('tsc', 'typescript', ['-p', 'console/tsconfig.json']);
console.log('Module boundaries …');
run('depcruise', 'dependency-cruiser', ['--config', '.dependency-cruiser.mjs', 'src', 'console']);
console.log('Dead code …');
run('knip', 'knip', []);
console.log('All checks pass.');
