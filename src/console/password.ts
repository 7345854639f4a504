import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '#libs/observability';
import type { Deployment } from '../auth/index.js';
import { CLIENT_ADDRESSES } from '../rate-limiting/index.js';

export const CONSOLE_OPTIONS = Symbol('ConsoleOptions');

export interface ConsoleOptions {
  readonly deployment: Deployment;
  /** Undefined: everybody is let in. */
  readonly password: string | undefined;
  /** Whether the log names the address that wrong passwords came from. */
  readonly logsClientAddress: boolean;
}

const CREDENTIALS = /^basic +([a-z0-9+/]+=*) *$/i;

const FREE_GUESSES = 5;
const FIRST_WAIT_MILLISECONDS = 10_000;
const MAX_WAIT_MILLISECONDS = 15 * 60_000;
/** From the last wrong password of an address until all of them are forgotten. */
const MEMORY_MILLISECONDS = 60 * 60_000;
const MAX_ADDRESSES = 10_000;

interface Guesses {
  readonly wrong: number;
  readonly lastAt: number;
  readonly waitsUntil: number;
}

/**
 * Asks for the console's password and slows down guesses. After five wrong ones an address waits for 10 seconds, and after each
 * further one twice as long, up to 15 minutes. A right one clears nothing, since an operator may share the address with a guesser.
 */
@Injectable()
export class PasswordGate {
  private readonly logger = new Logger('Console');
  private readonly guesses = new LRUCache<string, Guesses>({ max: MAX_ADDRESSES });
  private readonly isRight: (authorization: string | undefined) => boolean;

  constructor(
    private readonly clock: Clock,
    @Inject(CONSOLE_OPTIONS) private readonly options: ConsoleOptions,
  ) {
    this.isRight = options.password === undefined ? () => true : passwordCheck(options.password);
  }

  /** Answers a request that may not have the page. Returns undefined if it may. */
  reject({ headers: { authorization }, ip }: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const address = CLIENT_ADDRESSES.ofConnection(ip);
    const wait = Math.ceil(((this.guesses.peek(address)?.waitsUntil ?? 0) - this.clock.now().getTime()) / 1_000);
    if (wait > 0) {
      const message = `There were too many wrong passwords from this address; no password is accepted from it for ${wait} s.\n`;
      return reply.code(429).header('retry-after', wait).send(message);
    }
    if (this.isRight(authorization)) return undefined;
    if (authorization !== undefined) this.countWrong(address);
    return reply
      .code(401)
      .header('www-authenticate', 'Basic realm="console", charset="UTF-8"')
      .send('The console asks for its password, CONSOLE_PASSWORD, by HTTP Basic authentication with any user name.\n');
  }

  private countWrong(address: string): void {
    const now = this.clock.now().getTime();
    const before = this.guesses.peek(address);
    const wrong = before === undefined || now - before.lastAt > MEMORY_MILLISECONDS ? 1 : before.wrong + 1;
    const wait = wrong < FREE_GUESSES ? 0 : Math.min(FIRST_WAIT_MILLISECONDS * 2 ** (wrong - FREE_GUESSES), MAX_WAIT_MILLISECONDS);
    this.guesses.set(address, { wrong, lastAt: now, waitsUntil: now + wait });
    if (wait === 0) return;
    const from = this.options.logsClientAddress ? address : 'an address';
    this.logger.warn(`The console got ${wrong} wrong passwords from ${from} and takes none from there for ${wait / 1_000} s.`);
  }
}

/** Makes a check of the header `Authorization`: HTTP Basic with any user name (RFC 7617). It takes the same time whatever is wrong. */
export function passwordCheck(password: string): (authorization: string | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(password);
  return (authorization) => {
    const [, encoded] = CREDENTIALS.exec(authorization ?? '') ?? [];
    const credentials = Buffer.from(encoded ?? '', 'base64').toString();
    const colon = credentials.indexOf(':');
    return timingSafeEqual(digest(credentials.slice(colon + 1)), expected) && colon >= 0;
  };
}
