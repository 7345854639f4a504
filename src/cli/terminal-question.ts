import { createInterface } from 'node:readline';
import type { CliIo } from './cli-io.js';

const YES = /^\s*y(?:es)?\s*$/i;

/**
 * Asks a person on standard error and reads one line of standard input.
 * @returns whether it was `y` or `yes`: anything else, the end of input (Ctrl-D) and an interruption (Ctrl-C) are a no
 */
export function askWhether(question: string, { stdin, stderr }: Pick<CliIo, 'stdin' | 'stderr'>): Promise<boolean> {
  const dialogue = createInterface({ input: stdin, output: stderr, historySize: 0 });
  return new Promise((resolve) => {
    let answer: string | undefined;
    dialogue.on('SIGINT', () => {
      dialogue.close();
    });
    dialogue.on('close', () => {
      // What is said next begins on a line of its own.
      if (answer === undefined) stderr.write('\n');
      resolve(answer !== undefined && YES.test(answer));
    });
    dialogue.question(`${question} [y/N] `, (line) => {
      answer = line;
      dialogue.close();
    });
  });
}
