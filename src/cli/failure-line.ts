import { CommanderError } from 'commander';
import { ApplicationError } from '#libs/errors';
import { ConfigurationError } from '../config/index.js';
import { oneLine } from './one-line.js';

/** What went wrong, as the one line that standard error gets. */
export function failureLine(error: unknown): string {
  return oneLine(failureText(error));
}

function failureText(error: unknown): string {
  if (error instanceof CommanderError) return usageText(error);
  if (error instanceof ConfigurationError) return `The configuration is not right: ${error.problems.join('; ')}.`;
  if (error instanceof ApplicationError) return withReason(error);
  return `This did not work: ${error instanceof Error ? error.message : String(error)}`;
}

function usageText({ code, message }: CommanderError): string {
  const mistake = code === 'commander.help' ? 'a command is missing or unknown' : message.replace(/^error: /, '').replace(/\.$/, '');
  return `${mistake}; --help tells what is right.`;
}

/** An operator may know why the database cannot be used; a client of the service may not. */
function withReason(error: ApplicationError): string {
  if (error.code !== 'service_unavailable' || !(error.cause instanceof Error)) return error.message;
  return `${error.message} (${error.cause.message})`;
}
