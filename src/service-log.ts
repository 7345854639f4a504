import { createLogger, isHumanReadable, logDestination, type ServiceLogger } from '#libs/api-kit';
import type { Configuration } from './config/index.js';

/** The log of a service, on standard output. */
export async function openServiceLog({ logLevel, logFormat }: Pick<Configuration, 'logFormat' | 'logLevel'>): Promise<ServiceLogger> {
  const destination = await logDestination({ format: logFormat, output: process.stdout, environment: process.env });
  return createLogger({ level: logLevel, destination });
}

/** Whether the log is for people to read. Where it is not, each line on standard output and standard error is one JSON object. */
export function isLogForPeople({ logFormat }: Pick<Configuration, 'logFormat'>): boolean {
  return isHumanReadable({ format: logFormat, output: process.stdout });
}
