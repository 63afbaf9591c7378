// A small service on the embedded PostgreSQL, for tests that kill it. It is copied next to the compiled store.
import { createInterface } from 'node:readline';
import pg from 'pg';

const [storeModule, dataDir, task] = process.argv.slice(2);
const { startEmbeddedPostgres } = await import(storeModule);
const say = (line) => process.stdout.write(`${line}\n`);

say('loaded');
await new Promise((resolve) => createInterface({ input: process.stdin }).once('line', resolve));
try {
  const serverLines = [];
  const postgres = await startEmbeddedPostgres({ dataDir, log: (line) => serverLines.push(line) });
  postgres.died.then((why) => {
    say(`died ${why}`);
    process.exit(3);
  });
  const pool = new pg.Pool({ ...postgres.connection, max: 4 });
  pool.on('error', () => {});
  process.on('SIGINT', async () => say(`after SIGINT ${(await pool.query('select 1 as one')).rows[0].one}`));
  process.on('SIGTERM', async () => {
    await postgres.stop();
    process.exit(0);
  });
  if (task === 'write') await write(pool);
  say('ready');
} catch (error) {
  say(`failed ${error.constructor.name} ${error.message}`);
  process.exit(1);
}

async function write(pool) {
  await pool.query('create table if not exists written (id bigint generated always as identity primary key)');
  const writeOn = async () => {
    for (;;) {
      const { rows } = await pool.query('insert into written default values returning id');
      say(`written ${rows[0].id}`);
    }
  };
  for (let writer = 0; writer < 4; writer++) writeOn().catch(() => {});
}
