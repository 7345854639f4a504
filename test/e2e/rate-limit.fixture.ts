import { connect, type Socket } from 'node:net';
import { UnjudgedError } from '#libs/testing';
import { LimiterStore } from '../../src/rate-limiting/index.js';
import { InProcessLimiterStore } from '../../src/rate-limiting/store/in-process-limiter.store.js';
import { expectRawDocumented } from './documented-traffic.fixture.js';
import type { Service } from './service.fixture.js';

/** An answer as far as its rate-limit headers go. */
interface WithHeaders {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface ToldWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly secondsLeft: number;
}

export interface ToldLimits {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  readonly minute: ToldWindow;
  readonly day: ToldWindow;
}

const POLICY = /^"minute";q=(\d+);w=60, "day";q=(\d+);w=86400$/;
const REST = /^"minute";r=(\d+);t=(\d+), "day";r=(\d+);t=(\d+)$/;

/** Reads the rate-limit headers of an answer, every one of which must be there and fit the others. */
export function toldLimits({ headers }: WithHeaders): ToldLimits {
  const policy = numbersOf(POLICY, headers['ratelimit-policy']);
  const rest = numbersOf(REST, headers['ratelimit']);
  const minute = { limit: policy[0] ?? NaN, remaining: rest[0] ?? NaN, secondsLeft: rest[1] ?? NaN };
  const day = { limit: policy[1] ?? NaN, remaining: rest[2] ?? NaN, secondsLeft: rest[3] ?? NaN };
  const told = {
    limit: numbersOf(/^(\d+)$/, headers['x-ratelimit-limit'])[0] ?? NaN,
    remaining: numbersOf(/^(\d+)$/, headers['x-ratelimit-remaining'])[0] ?? NaN,
    resetAt: numbersOf(/^(\d{10})$/, headers['x-ratelimit-reset'])[0] ?? NaN,
  };
  const tighter = day.remaining < minute.remaining || day.remaining === 0 ? day : minute;
  expect(told).toMatchObject({ limit: tighter.limit, remaining: tighter.remaining });
  return { ...told, minute, day };
}

function numbersOf(pattern: RegExp, header: unknown): number[] {
  expect(header).toMatch(pattern);
  return (pattern.exec(String(header)) ?? []).slice(1).map(Number);
}

/** Sends bytes on a connection of its own and gives the answers' status and headers, in order, when the other side has said all. */
export async function exchangeRaw(origin: string, bytes: string | Buffer, { end = true } = {}): Promise<WithHeaders[]> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.on('error', () => undefined);
  if (end) socket.end(bytes);
  else socket.write(bytes);
  const received = await allOf(socket);
  expectRawDocumented(bytes, received);
  return answersOf(received);
}

async function allOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += String(chunk);
  return text;
}

function answersOf(text: string): WithHeaders[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) [^\r]*\r\n((?:[^\r]+\r\n)*)\r\n/g)].map(([, status, lines = '']) => ({
    status: Number(status),
    headers: Object.fromEntries(
      lines
        .trim()
        .split('\r\n')
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    ),
  }));
}

/** Sees whether instances that count together in Redis decide by themselves, as they do while a busy machine delays its replies. */
export class CountingWatch {
  private decidedAlone = 0;

  watch({ app }: Pick<Service, 'app'>): void {
    if (app.get(LimiterStore).counting === 'in-process') return;
    this.watchStore(app.get(InProcessLimiterStore, { strict: false }));
  }

  /** @param alone what a shared store decides with while it is without Redis */
  watchStore(alone: InProcessLimiterStore): void {
    const { decide } = alone;
    alone.decide = (...subject) => {
      this.decidedAlone += 1;
      return decide.apply(alone, subject);
    };
  }

  /** Runs a test of shared counts. @throws UnjudgedError in the place of its failure if an instance decided by itself */
  async judge(test: () => Promise<void>): Promise<void> {
    try {
      await test();
    } catch (error) {
      if (this.decidedAlone === 0) throw error;
      throw new UnjudgedError(`${this.decidedAlone} requests were counted without Redis, 0 may be: ${String(error)}`);
    }
  }
}
