import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Clock } from '#libs/clock';

/** Wrong passwords after which an address has to wait. */
const FREE_GUESSES = 5;
const FIRST_WAIT_MILLISECONDS = 10_000;
const LONGEST_WAIT_MILLISECONDS = 15 * 60_000;
/** From the last wrong password of an address until all of them are forgotten. */
const MEMORY_MILLISECONDS = 60 * 60_000;
const MOST_ADDRESSES = 10_000;

interface Guesses {
  readonly wrong: number;
  readonly lastAt: number;
  readonly waitsUntil: number;
}

/**
 * Slows down whoever guesses the password of the console. After five wrong ones an address waits for 10 seconds, and after each further
 * one for twice as long, up to 15 minutes. A right one clears nothing, since an operator may share the address with somebody who guesses.
 */
export class PasswordGuesses {
  private readonly logger = new Logger('Console');
  /** Beyond so many the address with the oldest wrong password is forgotten. */
  private readonly byAddress = new LRUCache<string, Guesses>({ max: MOST_ADDRESSES });

  /** @param logsAddress whether the log tells the address */
  constructor(
    private readonly clock: Clock,
    private readonly logsAddress: boolean,
  ) {}

  /** Whole seconds for which no password is taken from an address. */
  secondsToWait(address: string): number {
    return Math.max(0, Math.ceil(((this.byAddress.peek(address)?.waitsUntil ?? 0) - this.now()) / 1_000));
  }

  /** Counts a wrong password, and logs the wait that follows from it. */
  countWrong(address: string): void {
    const now = this.now();
    const before = this.byAddress.peek(address);
    const wrong = before === undefined || now - before.lastAt > MEMORY_MILLISECONDS ? 1 : before.wrong + 1;
    const wait = waitAfter(wrong);
    this.byAddress.set(address, { wrong, lastAt: now, waitsUntil: now + wait });
    if (wait === 0) return;
    const where = this.logsAddress ? address : 'an address';
    this.logger.warn(`The console got ${wrong} wrong passwords from ${where} and takes none from there for ${wait / 1_000} s.`);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function waitAfter(wrong: number): number {
  return wrong < FREE_GUESSES ? 0 : Math.min(FIRST_WAIT_MILLISECONDS * 2 ** (wrong - FREE_GUESSES), LONGEST_WAIT_MILLISECONDS);
}
