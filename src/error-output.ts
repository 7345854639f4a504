import { createLogger, maskApiKeys, type ServiceLogger } from '#libs/api-kit';
import type { Configuration } from './config/index.js';
import { isLogForPeople } from './service-log.js';

/**
 * What a service says on standard error, in the form of its log: why it cannot start or did not end cleanly, whatever the level of the
 * log, and what Node says.
 */
export class ErrorOutput {
  /** Undefined where text for people is written. */
  private readonly logger: ServiceLogger | undefined;

  constructor(settings: Pick<Configuration, 'logFormat' | 'logLevel'>) {
    if (isLogForPeople(settings)) return;
    const level = settings.logLevel === 'silent' ? 'fatal' : settings.logLevel;
    this.logger = createLogger({ level, destination: process.stderr });
  }

  /**
   * @param details further members of a JSON line; an error as `err`
   * @param forPeople what people read instead, where that is more than the sentence
   */
  say(sentence: string, details: object = {}, forPeople = sentence): void {
    if (this.logger) this.logger.fatal(details, maskApiKeys(sentence));
    else process.stderr.write(`${maskApiKeys(forPeople)}\n`);
  }

  /** Has what Node would write of an uncaught error and of its own warnings come in the form of the log too. */
  takeOverFromNode(): void {
    const { logger } = this;
    if (!logger) return;
    process.on('uncaughtException', (error) => {
      this.say(`The service ends, as an error was not caught: ${error.message}`, { err: error });
      process.exit(1);
    });
    // Nobody listens where Node was told to be silent about them.
    if (process.listenerCount('warning') === 0) return;
    process.removeAllListeners('warning');
    process.on('warning', (warning: NodeJS.ErrnoException) => {
      logger.warn({ warning: warning.name, ...(warning.code !== undefined && { code: warning.code }) }, maskApiKeys(warning.message));
    });
  }
}
