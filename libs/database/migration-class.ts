import type { MigrationInterface } from 'typeorm';

/** A migration class; its name ends in the 13-digit time it was written at, which orders the list. */
export type Migration = new () => MigrationInterface;
