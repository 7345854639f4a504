import { Injectable } from '@nestjs/common';
import { PublicEventCatalog } from '#libs/public-events';

/** The event types that endpoints can be for, as this build knows them. */
@Injectable()
export class EventTypes {
  readonly names: readonly string[];

  constructor(catalog: PublicEventCatalog) {
    this.names = catalog.types.map(({ as }) => as);
  }

  /** Those of the names that no event has. */
  unknownAmong(names: readonly string[]): string[] {
    return names.filter((name) => !this.names.includes(name));
  }
}
