import { EventSubscriber, type AfterQueryEvent, type EntitySubscriberInterface } from 'typeorm';
import { FLUSH_IF_PENDING } from './postgres-transaction.js';

/** Keeps what a repository has read until it is on disk: a commit may be visible before that (ADR 16). */
@EventSubscriber()
export class DurableReads implements EntitySubscriberInterface {
  async afterQuery({ success, query, queryRunner }: AfterQueryEvent): Promise<void> {
    if (success && query !== FLUSH_IF_PENDING.text) await queryRunner.query(FLUSH_IF_PENDING.text);
  }
}
