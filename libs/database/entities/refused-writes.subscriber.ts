import { EventSubscriber, type EntitySubscriberInterface } from 'typeorm';

/** Refuses what a repository of the reading side would write. What is not a repository's, the connection refuses: it only reads. */
@EventSubscriber()
export class RefusedWrites implements EntitySubscriberInterface {
  beforeInsert = refuse;
  beforeUpdate = refuse;
  beforeRemove = refuse;
  beforeTransactionStart = refuse;
}

function refuse(): never {
  throw new Error(
    'An injected repository, EntityManager or DataSource only reads: write with database.write((manager) => …), or record a fact with EventStore.',
  );
}
