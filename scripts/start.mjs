import { prepare } from './prepare.mjs';

prepare();

// npm does not pass on the signal that ends it, and a service without its npm would run on unseen.
if (process.env.npm_lifecycle_event === 'start') {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 1_000).unref();
}
await import('../dist/main.js');
