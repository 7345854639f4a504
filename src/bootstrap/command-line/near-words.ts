import type { Command } from 'commander';
import { ApplicationError } from '#libs/observability';

/** Words for the same, in each of which a group of commands has one or none. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['create', 'issue', 'add', 'new', 'register', 'import'],
  ['revoke', 'delete', 'remove', 'withdraw', 'rm'],
  ['cancel', 'abort'],
  ['update', 'correct', 'edit', 'change', 'set', 'rename'],
  ['rotate', 'rotate-secret', 'renew', 'roll'],
  ['list', 'ls', 'all'],
  ['show', 'get', 'view', 'describe'],
  ['enable', 'resume', 'start'],
  ['disable', 'pause', 'stop'],
  ['ban', 'block', 'suspend'],
  ['unban', 'unblock'],
  ['backup', 'dump', 'save'],
  ['restore', 'recover'],
  ['transfer', 'move', 'copy'],
  ['verify', 'check'],
];

/** Returns the commands of the group that mean the same as an unknown one, such as `create` for `keys issue`. */
export function findSynonyms(group: Command, unknown: string): string[] {
  const synonyms = SYNONYMS.find((each) => each.includes(unknown)) ?? [];
  return synonyms.filter((synonym) => group.commands.some((each) => each.name() === synonym));
}

/** Names the options of a command instead of the members of a request that they stand for, as the rules that both share call them. */
export function nameOptions(error: unknown, command: Command): unknown {
  if (!(error instanceof ApplicationError) || error.errors.length === 0) return error;
  let { message } = error;
  for (const option of command.options) {
    const member = option.attributeName();
    // A member of one word, such as `name`, may be a word of the sentence: only the one that the error is about.
    const isWord = !/[A-Z]/.test(member);
    if (isWord && !error.errors.some(({ field }) => field === member)) continue;
    message = message.replace(new RegExp(`(?<![-\\w])(?:\\w+\\.)?${member}(?!\\w)`, isWord ? '' : 'g'), option.long ?? option.flags);
  }
  return new ApplicationError(error, message, { cause: error });
}
