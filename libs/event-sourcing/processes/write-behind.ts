import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseUnavailableError } from '#libs/database';
import type { Timers } from '#libs/observability';
import { PollLoop } from './poll-loop.js';

interface WriteBehindOptions {
  /** Names the entries in the log. */
  readonly content: string;
  /** From the end of a write to the start of the next one. */
  readonly intervalMilliseconds: number;
  readonly timers: Timers;
}

/**
 * Buffers entries in memory and writes them together after a pause, and at a shutdown: one entry for each key, so the keys bound it. What
 * could not be written is kept for the next attempt. A process that is killed loses what it has not written.
 */
export abstract class WriteBehind<Key, Entry> implements OnApplicationBootstrap, OnApplicationShutdown {
  private waiting = new Map<Key, Entry>();
  private writing = new Map<Key, Entry>();
  private readonly loop: PollLoop;

  constructor({ content, intervalMilliseconds, timers }: WriteBehindOptions) {
    const logger = new Logger(new.target.name);
    const onFailure = (error: unknown) => logger.error(`Cannot write ${content}; retrying: ${String(error)}`);
    this.loop = new PollLoop(() => this.writeAll(), intervalMilliseconds, timers, onFailure);
  }

  onApplicationBootstrap(): void | Promise<void> {
    this.loop.start();
  }

  /** No more requests are admitted by now, and the database is still open, unless the module is global. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.end();
    await this.flush();
  }

  add(key: Key, entry: Entry): void {
    const earlier = this.waiting.get(key);
    this.waiting.set(key, earlier === undefined ? entry : this.merge(earlier, entry));
  }

  /** Drops what is not written yet of a key. */
  delete(key: Key): void {
    this.waiting.delete(key);
    this.writing.delete(key);
  }

  /** Returns what is not known to be written of a key, in the order in which it was added. */
  unwritten(key: Key): Entry[] {
    return [this.writing.get(key), this.waiting.get(key)].filter((entry) => entry !== undefined);
  }

  /** Returns the keys of all entries that are not known to be written. */
  protected unwrittenKeys(): Key[] {
    return [...this.writing.keys(), ...this.waiting.keys()];
  }

  /** Resolves when everything that was added before the call is written, or the attempt has failed. Never rejects. */
  flush(): Promise<void> {
    return this.loop.run();
  }

  /** Writes entries in one transaction, all or none. */
  protected abstract write(entries: ReadonlyMap<Key, Entry>): Promise<void>;

  /** Merges an entry that is not written yet with a later one of the same key. */
  protected merge(_earlier: Entry, later: Entry): Entry {
    return later;
  }

  private async writeAll(): Promise<void> {
    if (this.waiting.size === 0) return;
    this.writing = this.waiting;
    this.waiting = new Map();
    try {
      await this.writeBatch(new Map(this.writing));
    } finally {
      for (const [key, earlier] of this.writing) {
        const later = this.waiting.get(key);
        this.waiting.set(key, later === undefined ? earlier : this.merge(earlier, later));
      }
      this.writing = new Map();
    }
  }

  /** If it fails, each entry is written by itself, so that none prevents the others. */
  private async writeBatch(entries: ReadonlyMap<Key, Entry>): Promise<void> {
    try {
      await this.write(entries);
      for (const key of entries.keys()) this.writing.delete(key);
    } catch (error) {
      if (entries.size === 1 || error instanceof DatabaseUnavailableError) throw error;
      const failures: unknown[] = [];
      for (const entry of entries) await this.writeBatch(new Map([entry])).catch((failure: unknown) => failures.push(failure));
      if (failures.length > 0) throw failures[0];
    }
  }
}
