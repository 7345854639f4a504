import { constants, openSync, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { systemTimers } from '../clock/timers.js';

/** Characters of lines that wait; the oldest lines beyond are dropped. */
const MAX_WAITING_CHARACTERS = 1_048_576;
const RETRY_MILLISECONDS = 50;
/** What a reader that is only slow gets when the process exits. */
const EXIT_MILLISECONDS = 200;

let droppedLines = 0;

/** Returns how many lines of logs this process has dropped, because what they are written to took none for too long. */
export function countDroppedLines(): number {
  return droppedLines;
}

/**
 * Writes lines to a file descriptor, together at the end of a turn of the event loop, and never waits for it: if a pipe is full, a disk is
 * full or a reader has gone, the newest lines wait, and are written when that is over. A kill -9 loses the lines of the turn that it ends.
 */
export class GuardedOutput implements DestinationStream {
  private lines: string[] = [];
  private characters = 0;
  /** What is left of the lines that are being written. */
  private batch = Buffer.alloc(0);
  private untold = 0;
  private isScheduled = false;

  /** @param descriptor one that does not block, or a file */
  constructor(private readonly descriptor: number) {}

  write(line: string): void {
    this.lines.push(line);
    this.characters += line.length;
    while (this.characters > MAX_WAITING_CHARACTERS && this.lines.length > 1) this.dropOldest();
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.flush);
  }

  /** Writes what waits before the process exits, for a moment also to a reader that is slow. */
  end(): void {
    const deadline = performance.now() + EXIT_MILLISECONDS;
    while ((this.writeWaiting() as NodeJS.ErrnoException | undefined)?.code === 'EAGAIN' && performance.now() < deadline) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }

  private dropOldest(): void {
    this.characters -= this.lines.shift()?.length ?? 0;
    this.untold += 1;
    droppedLines += 1;
  }

  private readonly flush = (): void => {
    this.isScheduled = this.writeWaiting() !== undefined;
    // Without a reference: a process does not live on for its log.
    if (this.isScheduled) void systemTimers.sleep(RETRY_MILLISECONDS, { ref: false }).then(this.flush);
  };

  /** Returns the error that stops it, undefined if everything is written. */
  private writeWaiting(): unknown {
    try {
      while (this.batch.length > 0 || this.lines.length > 0) {
        if (this.batch.length === 0) this.batch = this.takeBatch();
        this.batch = this.batch.subarray(writeSync(this.descriptor, this.batch));
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }

  private takeBatch(): Buffer<ArrayBuffer> {
    const told = this.untold === 0 ? '' : describeDropped(this.untold);
    const batch = Buffer.from(told + this.lines.join(''));
    this.lines = [];
    this.characters = 0;
    this.untold = 0;
    return batch;
  }
}

type OutputStream = typeof process.stdout | typeof process.stderr;

const outputs = new Map<number, GuardedOutput>();

/** Returns the one output to standard output or standard error of this process. */
export function guardedOutput(stream: OutputStream): GuardedOutput {
  const known = outputs.get(stream.fd);
  if (known) return known;
  const output = new GuardedOutput(openWithoutBlocking(stream));
  outputs.set(stream.fd, output);
  process.once('exit', () => output.end());
  return output;
}

/** Node has made a pipe or socket non-blocking when it made a stream of it; a terminal, which Ctrl-S stops, has to be opened again. */
function openWithoutBlocking({ fd, isTTY }: OutputStream): number {
  if (!isTTY) return fd;
  try {
    return openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}

function describeDropped(count: number): string {
  return `${JSON.stringify({ level: 40, time: Date.now(), pid: process.pid, dropped: count, msg: 'log lines were dropped' })}\n`;
}
