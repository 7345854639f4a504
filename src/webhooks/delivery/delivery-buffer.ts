import type { Attempted, PendingDelivery } from '../records/delivery.js';
import type { ProgressChanges } from '../records/endpoint-progress.js';
import type { DeliveryWriter } from './delivery-writer.js';

const MOST_UNWRITTEN = 50;
// So that who looks sees what was sent a moment ago, while many attempts share a transaction.
const WRITTEN_WITHIN_MILLISECONDS = 200;

/** What is written together. */
interface Notes {
  readonly attempts: Attempted[];
  readonly failed: PendingDelivery[];
  readonly settled: { readonly was: PendingDelivery; readonly next: Date | undefined }[];
  progress: ProgressChanges;
}

/**
 * What has come of the messages to one endpoint, until it is written down. All of it is written together: how far the endpoint has come
 * never without the messages that failed on the way. What is lost with the process is sent once more.
 */
export class DeliveryBuffer {
  private notes = emptyNotes();
  private firstAt = 0;
  private writing: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly writer: DeliveryWriter,
    private readonly webhookId: bigint,
  ) {}

  /** Whether it is time to write. */
  get isDue(): boolean {
    const { attempts } = this.notes;
    return attempts.length >= MOST_UNWRITTEN || (attempts.length > 0 && performance.now() - this.firstAt >= WRITTEN_WITHIN_MILLISECONDS);
  }

  noteAttempt(attempt: Attempted): void {
    if (this.notes.attempts.length === 0) this.firstAt = performance.now();
    this.notes.attempts.push(attempt);
  }

  /** A message whose first attempt has failed. */
  noteFailed(delivery: PendingDelivery): void {
    this.notes.failed.push(delivery);
  }

  /** A message that was due, and when it is again. */
  noteSettled(was: PendingDelivery, next: Date | undefined): void {
    this.notes.settled.push({ was, next });
  }

  noteProgress(progress: ProgressChanges): void {
    const { replayed } = this.notes.progress;
    const further = progress.replayed && replayed ? { replayed: { from: replayed.from, to: progress.replayed.to } } : {};
    this.notes.progress = { ...this.notes.progress, ...progress, ...further };
  }

  /**
   * Writes all that is noted.
   * @returns false where another instance has the endpoint by now, and nothing is written any more
   * @throws DatabaseUnavailableError, after which it is all still noted
   */
  write(): Promise<boolean> {
    return (this.writing = this.writing.catch(() => true).then((isOurs) => isOurs && this.writeNotes()));
  }

  private async writeNotes(): Promise<boolean> {
    const notes = this.notes;
    if (notes.attempts.length === 0 && notes.settled.length === 0 && Object.keys(notes.progress).length === 0) return true;
    this.notes = emptyNotes();
    try {
      return await this.writer.write({ webhookId: this.webhookId, ...notes });
    } catch (error) {
      this.takeBack(notes);
      throw error;
    }
  }

  private takeBack(notes: Notes): void {
    const later = this.notes;
    this.notes = {
      attempts: [...notes.attempts, ...later.attempts],
      failed: [...notes.failed, ...later.failed],
      settled: [...notes.settled, ...later.settled],
      progress: notes.progress,
    };
    this.noteProgress(later.progress);
  }
}

function emptyNotes(): Notes {
  return { attempts: [], failed: [], settled: [], progress: {} };
}
