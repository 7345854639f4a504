import type { Logger } from 'pino';
import { createLogger, guardedOutput, maskSecrets, prettyDestination, setSecretPattern } from '#libs/observability';
import type { Configuration } from '../config/index.js';

type LogSettings = Pick<Configuration, 'logFormat' | 'logLevel'>;

/** API keys, and parts of them that begin like one. */
setSecretPattern(/adopt_[A-Za-z0-9_%-]*/gi);

/** Opens the log of a service, on standard output. */
export function openServiceLog(settings: LogSettings): Promise<Logger> {
  return openLog(settings, process.stdout);
}

/**
 * Opens the log of errors, on standard error, in the format of the service's log and at any level: why the service cannot start or did not
 * end cleanly. From then on it also has uncaught errors, which end the process, and Node's warnings.
 */
export async function openErrorLog({ logFormat, logLevel }: LogSettings): Promise<Logger> {
  const logger = await openLog({ logFormat, logLevel: logLevel === 'silent' ? 'fatal' : logLevel }, process.stderr);
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, maskSecrets(`The service stops because of an uncaught error: ${error.message}`));
    process.exit(1);
  });
  // Node has no listener if it runs with `--no-warnings`.
  if (process.listenerCount('warning') === 0) return logger;
  process.removeAllListeners('warning');
  process.on('warning', (warning: NodeJS.ErrnoException) => {
    logger.warn({ warning: warning.name, ...(warning.code !== undefined && { code: warning.code }) }, maskSecrets(warning.message));
  });
  return logger;
}

/** Whether the log is for people. If not, each line on standard output and standard error is one JSON object. */
export function isHumanReadableLog({ logFormat }: Pick<LogSettings, 'logFormat'>): boolean {
  return logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY);
}

async function openLog(
  { logFormat, logLevel: level }: LogSettings,
  stream: typeof process.stdout | typeof process.stderr,
): Promise<Logger> {
  const output = guardedOutput(stream);
  const destination = isHumanReadableLog({ logFormat }) ? await prettyDestination(output, stream.isTTY && stream.hasColors()) : output;
  return createLogger({ level, destination });
}
