import { parseArgs } from 'node:util';
import { citusFaults } from './citus-faults.ts';
import { type Fault, faults } from './faults.ts';

export type Options = { quick: boolean; citus: boolean; faults: Fault[]; soakMinutes: number; keep: boolean };

const help = `Starts a whole installation on this machine (PostgreSQL with a replica, PgBouncer, Redis, HAProxy, two API
processes, a worker, a webhook receiver), keeps it under a steady load, breaks one thing after the other, and checks that
nothing acknowledged is lost.

  npm run test:faults                              every fault, about ten minutes
  npm run test:faults -- --quick                   every fault, shorter, about three minutes
  npm run test:faults -- --only roll,promote       these faults
  npm run test:faults -- --citus                   on a Citus cluster, which has faults of its own
  npm run test:faults -- --soak 20                 no faults: 20 minutes of load; fails if memory keeps growing
  npm run test:faults -- --only cut --keep         leaves logs and settings in the folder it names

Faults, in their order:
${list(faults)}

With --citus:
${list(citusFaults)}

Exit code 1 if anything acknowledged is lost, an event is skipped or out of order, a process ends by itself, a request
gets no answer or a 500, the service does not recover within a minute, or a rolling restart fails a request.
`;

/** Ends the process after --help, and if an option is invalid. */
export function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        citus: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        soak: { type: 'string', default: '0' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return end(help, 0);
    const only = values.only.split(',').filter(Boolean);
    const all = values.citus ? citusFaults : faults;
    const unknown = only.find((name) => !all.some((fault) => fault.name === name));
    if (unknown) return end(`There is no fault ${unknown}; --help lists them.\n`, 2);
    const soakMinutes = Number(values.soak);
    if (!Number.isInteger(soakMinutes) || soakMinutes < 0 || (soakMinutes > 0 && soakMinutes < 7))
      return end('--soak takes a number of minutes, 7 or more: the first five do not count.\n', 2);
    const chosen = all.filter(({ name }) => only.length === 0 || only.includes(name));
    return { ...values, faults: chosen, soakMinutes };
  } catch (error) {
    return end(`${error instanceof Error ? error.message : error}\n`, 2);
  }
}

function list(faults: Fault[]): string {
  return faults.map(({ name, title }) => `  ${name.padEnd(20)} ${title}`).join('\n');
}

function end(text: string, code: number): never {
  process.stdout.write(text);
  process.exit(code);
}
