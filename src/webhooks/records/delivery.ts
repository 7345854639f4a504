/** A message to an endpoint that is to be sent, once more perhaps. */
export interface PendingDelivery {
  readonly webhookId: bigint;
  /** That of the event, or of a test. */
  readonly eventId: string;
  readonly type: string;
  /** When what it tells of happened. */
  readonly eventAt: Date;
  /** Which attempt the next one is, from 1. */
  readonly attempt: number;
  readonly dueAt: Date;
  /** The id that the next attempt was promised; undefined where nobody was told one. */
  readonly deliveryId?: bigint;
}

/** One attempt to send a message, and what came of it. */
export interface Delivery {
  readonly id: bigint;
  readonly eventId: string;
  readonly type: string;
  /** From 1. */
  readonly attempt: number;
  /** Of the answer; undefined where there was none. */
  readonly status?: number;
  /** Why it failed, for the owner of the endpoint; undefined where it did not. */
  readonly error?: string;
  readonly durationMilliseconds: number;
  readonly attemptedAt: Date;
  /** Undefined where there is none: it has succeeded or is given up. */
  readonly nextAttemptAt?: Date;
}

/** An attempt that is to be recorded. */
export interface Attempted extends Omit<Delivery, 'id'> {
  readonly id?: bigint;
  readonly eventAt: Date;
}

/** The type of messages that only try an endpoint. */
export { TEST_TYPE } from '#libs/public-events';
