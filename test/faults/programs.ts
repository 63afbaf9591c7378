import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Programs = {
  initdb: string;
  postgres: string;
  basebackup: string;
  pgbouncer: string;
  haproxy: string;
  redis: string;
};

/** The servers of an installation, or the missing Debian packages. */
export function findPrograms(citus: boolean): Programs | { missing: string[] } {
  const postgresDir = newestPostgres(citus);
  const found = {
    initdb: postgresDir && join(postgresDir, 'initdb'),
    postgres: postgresDir && join(postgresDir, 'postgres'),
    basebackup: postgresDir && join(postgresDir, 'pg_basebackup'),
    pgbouncer: onPath('pgbouncer'),
    haproxy: onPath('haproxy'),
    redis: onPath('redis-server') ?? onPath('valkey-server'),
  };
  const packages = {
    postgres: citus ? 'postgresql-15-citus' : 'postgresql',
    pgbouncer: 'pgbouncer',
    haproxy: 'haproxy',
    redis: 'redis-server',
  };
  const missing = Object.entries(packages).flatMap(([program, name]) =>
    found[program as keyof typeof packages] ? [] : [name],
  );
  return missing.length > 0 ? { missing } : (found as Programs);
}

/** Debian has the programs of each major version in a separate folder that is not in the PATH. */
function newestPostgres(citus: boolean): string | undefined {
  const root = '/usr/lib/postgresql';
  const majors = existsSync(root) ? readdirSync(root).map(Number) : [];
  const newestFirst = majors.filter((major) => major >= 15).sort((a, b) => b - a);
  const candidates = [...newestFirst.map((major) => join(root, String(major), 'bin')), ...directories()];
  return candidates.find(
    (dir) =>
      ['initdb', 'postgres', 'pg_basebackup'].every((name) => runs(join(dir, name))) &&
      (!citus || existsSync(join(dir, '../lib/citus.so'))),
  );
}

function onPath(name: string): string | undefined {
  return directories()
    .map((dir) => join(dir, name))
    .find(runs);
}

/** Servers are in sbin, which is not in every PATH. */
function directories(): string[] {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
