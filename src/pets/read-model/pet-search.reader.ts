import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { CountReader, EventStore, ListReader, ReadModels } from '#libs/event-sourcing';
import { petDailyCounts, petFilters, petSearchProjection, type SearchedPet } from './pet-search.projection.js';

/** Finds animals by filters, the withdrawn ones too, as of the last acknowledged change. */
@Injectable()
export class PetSearchReader extends ListReader<SearchedPet, typeof petFilters> {
  /** Counts by `status` and by `category`. */
  readonly counts: CountReader<SearchedPet>;

  constructor(database: Database, readModels: ReadModels, eventStore: EventStore) {
    super(petSearchProjection, petFilters, database, readModels);
    this.counts = new CountReader({ projection: petSearchProjection, counts: petDailyCounts, database, readModels, eventStore });
  }
}
