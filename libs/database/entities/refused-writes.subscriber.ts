import { EventSubscriber, type EntitySubscriberInterface } from 'typeorm';

/** Refuses writes of repositories of the reading side. Other writes are refused by its connections, which only read. */
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
