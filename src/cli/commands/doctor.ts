import { Command, Option } from 'commander';
import type { Config } from '../../config.ts';
import { type ClientConnection, type OperatorConnection, withConnection } from '../connection.ts';
import { type Finding, fail, ok } from '../doctor/finding.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type JsonOption, note, screen, withExamples, writeLine } from '../terminal/output.ts';
import { clean, paint, type Style } from '../terminal/table.ts';
import { counted } from '../terminal/values.ts';

type Options = JsonOption & ClientConnection & OperatorConnection & { counts?: boolean };

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'Check this machine, the settings, the database and the service, and say how to fix what is wrong.',
    )
    .option('--counts', 'also compare the signal counts of every organization with its signals')
    .option('--json', 'print JSON, one document per line')
    .action(examine);
  return withExamples(
    withConnection(
      command,
      new Option('--key <key>', 'API key to check (default: the demo key of a local service)').env(
        'PARTNER_SIGNALS_KEY',
      ),
      new Option('--operator-key <key>', 'operator key to check (default: the key of a local service)').env(
        'OPERATOR_KEY',
      ),
    ),
    `partner-signals doctor
    partner-signals doctor --base-url https://signals.example.com --key psk_…
    partner-signals doctor --counts
    partner-signals doctor --json | jq 'select(.status != "ok")'`,
  );
}

async function examine(options: Options): Promise<void> {
  let failed = 0;
  for await (const finding of findings(options)) {
    if (finding.status === 'fail') failed++;
    await writeLine(options.json ? JSON.stringify(finding) : lines(finding));
  }
  if (failed === 0) return;
  note(`${counted(failed, 'check')} failed.`);
  process.exitCode = exitCodes.failed;
}

async function* findings(options: Options): AsyncGenerator<Finding> {
  const { checkDataDir, checkNode } = await import('../doctor/machine.ts');
  yield checkNode();
  const { config, finding } = await settings(options);
  yield finding;
  if (config) {
    yield* checkDataDir(config.dataDir);
    const { checkDatabase } = await import('../doctor/database.ts');
    yield* checkDatabase(config, options.counts ?? false);
    if (config.redisUrl) yield await (await import('../doctor/redis.ts')).checkRedis(config.redisUrl);
    const { checkCertificate } = await import('../doctor/certificate.ts');
    yield await checkCertificate(config, options.baseUrl);
  }
  const { checkService } = await import('../doctor/service.ts');
  yield* checkService(options);
}

async function settings({ dataDir }: Options): Promise<{ config: Config | null; finding: Finding }> {
  const { readConfig } = await import('../../config.ts');
  try {
    const config = readConfig({ ...process.env, DATA_DIR: dataDir });
    return { config, finding: ok('settings', 'valid') };
  } catch (error) {
    const advice = 'Fix the environment variable: docs/operate/configuration.md lists all of them.';
    return { config: null, finding: fail('settings', (error as Error).message, advice) };
  }
}

const styles: Record<Finding['status'], Style> = { ok: 'green', warn: 'yellow', fail: 'red' };

function lines({ check, status, message, advice }: Finding): string {
  const { colour } = screen();
  const line = `${paint(status.padEnd(4), styles[status], colour)}  ${check.padEnd(14)}  ${clean(message)}`;
  return advice ? `${line}\n${' '.repeat(22)}${clean(advice)}` : line;
}
