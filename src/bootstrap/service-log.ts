import type { Logger } from 'pino';
import { createLogger, guardedOutput, isHumanReadable, maskSecrets, prettyDestination, setSecretPattern } from '#libs/observability';
import type { Configuration } from '../config/index.js';

/** API keys, and parts of them that begin like one. */
setSecretPattern(/adopt_[A-Za-z0-9_%-]*/gi);

/** Opens the log of a service, on standard output. */
export async function openServiceLog(settings: Pick<Configuration, 'logFormat' | 'logLevel'>): Promise<Logger> {
  const { stdout } = process;
  const destination = isHumanReadableLog(settings)
    ? await prettyDestination(guardedOutput(stdout), stdout.isTTY && stdout.hasColors())
    : undefined;
  return createLogger({ level: settings.logLevel, destination });
}

/** Whether the log is for people. If not, each line on standard output and standard error is one JSON object. */
export function isHumanReadableLog({ logFormat }: Pick<Configuration, 'logFormat'>): boolean {
  return isHumanReadable(logFormat, process.stdout);
}

/**
 * Writes to standard error in the format of the log, at any level: why the service cannot start or did not end cleanly, and
 * Node's warnings.
 */
export class ErrorOutput {
  /** Undefined if the output is for people. */
  private readonly logger: Logger | undefined;

  constructor(settings: Pick<Configuration, 'logFormat' | 'logLevel'>) {
    if (isHumanReadableLog(settings)) return;
    const level = settings.logLevel === 'silent' ? 'fatal' : settings.logLevel;
    this.logger = createLogger({ level, destination: guardedOutput(process.stderr) });
  }

  /**
   * @param details further members of a JSON line; an error as `err`
   * @param forPeople what people read instead, if that is more than the sentence
   */
  say(sentence: string, details: object = {}, forPeople = sentence): void {
    if (this.logger) this.logger.fatal(details, maskSecrets(sentence));
    else guardedOutput(process.stderr).write(`${maskSecrets(forPeople)}\n`);
  }

  /** Also writes uncaught errors and Node's warnings in the format of the log. */
  takeOverFromNode(): void {
    const { logger } = this;
    if (!logger) return;
    process.on('uncaughtException', (error) => {
      this.say(`The service stops because of an uncaught error: ${error.message}`, { err: error });
      process.exit(1);
    });
    // Node has no listener if it runs with `--no-warnings`.
    if (process.listenerCount('warning') === 0) return;
    process.removeAllListeners('warning');
    process.on('warning', (warning: NodeJS.ErrnoException) => {
      logger.warn({ warning: warning.name, ...(warning.code !== undefined && { code: warning.code }) }, maskSecrets(warning.message));
    });
  }
}
