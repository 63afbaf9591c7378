import { Redis } from 'ioredis';
import { type Finding, fail, ok } from './finding.ts';

/** Reports only the code of an error: its message can contain parts of the URL, and so the password. */
export async function checkRedis(url: string): Promise<Finding> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3_000,
    commandTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  let code = '';
  redis.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code ?? error.message.split(' ')[0] ?? '';
  });
  try {
    await redis.connect();
    const info = await redis.info('server');
    return ok('redis', `version ${/(?:redis|valkey)_version:(\S+)/.exec(info)?.[1] ?? 'unknown'}`);
  } catch (error) {
    const reason = code || (error as Error).message.split(' ')[0];
    return fail(
      'redis',
      `cannot be reached (${reason})`,
      'Check REDIS_URL. Until Redis is back, each process counts rate limits separately.',
    );
  } finally {
    redis.disconnect();
  }
}
